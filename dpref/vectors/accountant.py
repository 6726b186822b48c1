"""What events spend: epsilon at a delta or delta at an epsilon, in intervals that are certified."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from fractions import Fraction
from typing import Any, Final

from flint import arb

from dpref.privacy.accountants import certify
from dpref.reals import ball, decimal_down, evaluate, lower
from dpref.vectors.events import asked_of, ledger_of, ledgers
from dpref.vectors.family import (
    PASSES,
    Family,
    Judged,
    Question,
    Result,
    ends,
    exact_text,
    must_be_refused,
    number,
    paragraphs,
    said,
)
from dpref.vectors.fields import ADD, ADJACENCY, EVENT, INTERVAL, NUMBER, REPLACE, TEXT, ZERO

_TINY: Final = exact_text(Fraction(1, 2**100))
_SMALL: Final = exact_text(Fraction(1, 2**40))
_USUAL: Final = exact_text(Fraction(1, 2**17))
_LARGE: Final = exact_text(Fraction(1, 2**7))
_WAYS: Final = {"upper": "upper bound", "lower": "lower bound", "exact": "exactly", "estimate": "estimate"}

HEADER: Final = paragraphs("""
Each test gives a composition of mechanisms, as an expression and as nested objects, an adjacency, and either a delta
or an epsilon.

epsilon (or delta) holds the least epsilon (delta) for which the composition is (epsilon, delta)-DP.

valid: an answer that claims to be an upper bound must not lie below epsilon.lower, one that claims to be a lower
bound not above epsilon.upper, one that claims to be exact must lie between; a larger upper bound is loose.

invalid: with claimed, an upper bound must lie above claimed, which is too little; without, the input is out of its
domain and must be refused, or answered by infinity.

acceptable: no lower end is known.
""")


# ------------------------------------------------------------------------------------ what is asked


def _gaussians() -> Iterator[Question]:
    for z, steps, delta, *more in (
        ("1/2", 1, _USUAL, "OneAnswer"),
        ("1/2", 16, _USUAL),
        ("1", 1, _LARGE, "OneAnswer"),
        ("1", 1, _TINY, "OneAnswer", "SmallDelta"),
        ("1", 100, _USUAL),
        ("1", 100, _TINY, "SmallDelta"),
        ("2", 10, _USUAL),
        ("2", 10, _SMALL, "SmallDelta"),
        ("16", 1, _USUAL, "OneAnswer"),
        ("16", 1000, _USUAL),
        ("16", 1000, _TINY, "SmallDelta"),
        ("100", 10000, _USUAL, "ManySteps"),
        ("128", 10**6, _USUAL, "ManySteps"),
        ("128", 10**6, _SMALL, "ManySteps", "SmallDelta"),
        ("1024", 1, _SMALL, "OneAnswer", "SmallDelta"),
        ("1/4", 1, _LARGE, "OneAnswer", "SmallOrders"),
        ("1/8", 1, _LARGE, "OneAnswer", "SmallOrders"),
        ("1/8", 4, _LARGE, "SmallOrders"),
    ):
        for adjacency in (ADD, REPLACE, ZERO) if (z, steps) == ("2", 10) else (ADD,):
            yield _epsilon("gaussian", f"compose(gaussian({z}), {steps})", adjacency, delta, "Basic", *more)
    for z, steps, epsilon, *more in (
        ("1", 1, "1", "OneAnswer"),
        ("1", 1, "0", "OneAnswer", "TinyEpsilon"),
        ("8", 16, exact_text(Fraction(1, 2**30)), "TinyEpsilon"),
        ("64", 1, exact_text(Fraction(1, 2**30)), "OneAnswer", "TinyEpsilon"),
        ("2", 10, "8"),
        ("2", 10, "32", "SmallDelta"),
    ):
        yield _delta("gaussian", f"compose(gaussian({z}), {steps})", ADD, epsilon, "Basic", *more)
    for height in (1, 8, 20):
        flags = ("Tree",) if height > 1 else ("Tree", "OneAnswer")
        yield _epsilon("tree", f"compose(gaussian(4), {height})", REPLACE, _USUAL, *flags)


def _sampled() -> Iterator[Question]:
    for rate, z, steps, delta, *more in (
        ("1/128", "1", 1, _USUAL, "OneAnswer"),
        ("1/128", "1/2", 1, _USUAL, "OneAnswer"),
        ("1/4", "1", 1, _USUAL, "OneAnswer"),
        ("1/2", "4", 1, _LARGE, "OneAnswer"),
        ("1/128", "1", 100, _USUAL),
        ("1/128", "1", 1000, _USUAL),
        ("1/128", "1", 1000, _SMALL, "SmallDelta"),
        ("1/128", "1", 10000, _USUAL),
        ("1/128", "1/2", 100, _USUAL, "GdpLimit"),
        ("1/128", "1/2", 1000, _USUAL, "GdpLimit"),
        ("1/128", "3/4", 100, _USUAL, "GdpLimit"),
        ("1/128", "3/4", 1000, _SMALL, "GdpLimit", "SmallDelta"),
        ("1/512", "1/2", 100, _USUAL, "GdpLimit"),
        ("1/512", "1/2", 1000, _USUAL, "GdpLimit"),
        ("1/512", "5/8", 4000, _SMALL, "GdpLimit", "SmallDelta"),
        ("1/1024", "3/4", 1000, _SMALL, "GdpLimit", "SmallDelta"),
        ("1/1024", "3/4", 100000, _USUAL, "ManySteps"),
        ("1/128", "1", 10**6, _USUAL, "ManySteps"),
        ("1/16", "2", 1000, _USUAL),
        ("1/16", "2", 1000, _SMALL, "SmallDelta"),
        ("1/4", "4", 200, _USUAL),
        ("1/4", "1", 16, _USUAL),
        ("1/2", "8", 1000, _USUAL),
    ):
        event = f"compose(poisson(gaussian({z}), rate={rate}), {steps})"
        yield _epsilon("poisson-gaussian", event, ADD, delta, "SampledGaussian", *more)
    for z, steps in (("1", 1), ("2", 10)):
        event = f"compose(poisson(gaussian({z}), rate=1), {steps})"
        yield _epsilon("poisson-gaussian", event, ADD, _USUAL, "SampledGaussian", "RateOne")
    yield _delta("poisson-gaussian", "poisson(gaussian(1), rate=1/128)", ADD, "1/8", "SampledGaussian", "OneAnswer")
    for batch, records, z, steps, delta in (
        (1, 64, "1", 1, _USUAL),
        (8, 64, "2", 1, _USUAL),
        (8, 128, "4", 1, _SMALL),
        (8, 64, "2", 16, _USUAL),
        (16, 64, "8", 16, _USUAL),
    ):
        event = f"compose(sample_without_replacement(gaussian({z}), batch={batch}, records={records}), {steps})"
        yield _epsilon("without-replacement", event, REPLACE, delta, "WithoutReplacement")


def _pure() -> Iterator[Question]:
    for scale, steps, delta, *more in (
        ("1", 1, _LARGE, "OneAnswer"),
        ("4", 1, _USUAL, "OneAnswer"),
        ("2", 10, _USUAL),
        ("4", 16, _USUAL, "StrongComposition"),
        ("8", 64, _USUAL, "StrongComposition"),
        ("16", 256, _USUAL, "StrongComposition"),
        ("16", 256, _SMALL, "StrongComposition", "SmallDelta"),
        ("32", 1024, _USUAL, "StrongComposition"),
    ):
        yield _epsilon("laplace", f"compose(laplace({scale}), {steps})", REPLACE, delta, "Laplace", *more)
    yield _delta("laplace", "laplace(2)", REPLACE, "1/4", "Laplace", "OneAnswer")
    yield _epsilon("laplace", "compose(poisson(laplace(1), rate=1/8), 16)", ADD, _USUAL, "Laplace")
    for epsilon, categories, steps, delta, *more in (
        ("1", 2, 1, _LARGE, "OneAnswer"),
        ("1/2", 2, 100, _USUAL, "StrongComposition"),
        ("1/8", 2, 256, _USUAL, "StrongComposition"),
        ("1/16", 2, 1024, _USUAL, "StrongComposition"),
        ("1/16", 2, 1024, _TINY, "StrongComposition", "SmallDelta"),
        ("1/4", 3, 64, _USUAL, "StrongComposition"),
        ("1/4", 16, 64, _USUAL, "StrongComposition"),
    ):
        event = f"compose(randomized_response({epsilon}, {categories}), {steps})"
        yield _epsilon("randomized-response", event, REPLACE, delta, "RandomizedResponse", *more)
    for event in (
        "discrete_gaussian(4)",
        "discrete_gaussian(1/2)",
        "compose(discrete_gaussian(4), 10)",
        "compose(discrete_gaussian(3, sensitivity=2), 10)",
        "discrete_laplace(2)",
        "compose(discrete_laplace(4), 16)",
        "compose(discrete_laplace(4, sensitivity=3), 16)",
    ):
        single = () if "compose" in event else ("OneAnswer",)
        yield _epsilon("discrete", event, REPLACE, _USUAL, "Discrete", *single)
    yield _delta("discrete", "discrete_gaussian(4)", REPLACE, "2", "Discrete", "OneAnswer")
    for event in ("exponential(1/4)", "compose(exponential(1/4), 16)", "compose(noisy_max(1/8, gumbel), 64)"):
        yield _epsilon("selection", event, REPLACE, _USUAL, "Selection")
    yield _epsilon("selection", "compose(noisy_max(1/4, laplace), 16)", REPLACE, _USUAL, "Selection", "OneSided")


def _mixed() -> Iterator[Question]:
    for event, adjacency in (
        ("compose(gaussian(2), laplace(4))", REPLACE),
        ("compose(gaussian(4), laplace(8), randomized_response(1/4))", REPLACE),
        ("compose(compose(gaussian(8), 16), compose(laplace(16), 16))", REPLACE),
        ("compose(gaussian(1), gaussian(2), gaussian(4))", ADD),
        ("compose(compose(poisson(gaussian(1), rate=1/128), 100), gaussian(8))", ADD),
        ("compose(discrete_gaussian(8), compose(exponential(1/8), 4))", REPLACE),
    ):
        yield _epsilon("compositions", event, adjacency, _USUAL, "Mixed")
    yield _epsilon(
        "compositions", "compose(generalized_gaussian(4, regularity=2), 16)", REPLACE, _USUAL, "Mixed", "OneSided"
    )


def _registered() -> Iterator[Question]:
    for name, given in ledgers():
        yield Question(
            topic="algorithms",
            comment=f"{name}: {given['expression']} under {given['adjacency']}",
            flags=("Algorithm",),
            given={**given, "algorithm": name, "delta": _USUAL},
        )


def _refused() -> Iterator[Question]:
    """Nothing of this is a mechanism or a budget."""
    bad: tuple[tuple[str, dict[str, Any]], ...] = (
        ("delta is negative", {"delta": "-0.5"}),
        ("delta is above one", {"delta": "1.5"}),
        ("epsilon is negative", {"epsilon": "-1"}),
    )
    for comment, budget in bad:
        given = {**asked_of("gaussian(1)", ADD), **budget}
        yield Question(topic="out-of-domain", comment=comment, flags=("OutOfDomain",), given=given, result="invalid")
    wrong: tuple[tuple[str, dict[str, Any]], ...] = (
        ("the noise multiplier is zero", {"type": "gaussian", "noise_multiplier": "0"}),
        ("the noise multiplier is negative", {"type": "gaussian", "noise_multiplier": "-1"}),
        (
            "the rate is above one",
            {"type": "poisson", "event": {"type": "gaussian", "noise_multiplier": "1"}, "rate": "1.5"},
        ),
        ("the scale is negative", {"type": "laplace", "scale": "-2"}),
        ("an answer without noise", {"type": "nonprivate"}),
    )
    for comment, event in wrong:
        given = {"event": event, "adjacency": ADD, "delta": _USUAL}
        yield Question(topic="out-of-domain", comment=comment, flags=("OutOfDomain",), given=given, result="invalid")


def _claimed() -> Iterator[Question]:
    """What popular mistakes report, each provably below the truth."""
    usual = Fraction(_USUAL)
    for rate, z, steps in (
        ("1/128", "1/2", 100),
        ("1/128", "3/4", 100),
        ("1/512", "1/2", 100),
        ("1/512", "1/2", 1000),
        ("1/1024", "5/8", 1000),
    ):
        q, sigma = Fraction(rate), Fraction(z)
        event = f"compose(poisson(gaussian({z}), rate={rate}), {steps})"
        value = _gdp_limit(q, sigma, steps, usual)
        yield _too_little(event, ADD, value, "the central limit", "GdpLimit")
    for mechanism, epsilon, steps in (("laplace(16)", 16, 256), ("laplace(32)", 32, 1024), ("laplace(8)", 8, 64)):
        value = Fraction(math.isqrt(steps), epsilon)
        event = f"compose({mechanism}, {steps})"
        yield _too_little(event, REPLACE, value, "epsilon sqrt(T)", "StrongComposition")
    for rate, z, steps in (("1/16", "2", 1000), ("1/128", "1", 1000), ("1/4", "4", 200)):
        q, sigma = Fraction(rate), Fraction(z)
        rho = q**2 * steps / (2 * sigma**2)
        value = q * _zcdp(rho, usual)
        event = f"compose(poisson(gaussian({z}), rate={rate}), {steps})"
        yield _too_little(event, ADD, value, "a rate that is counted twice", "SampledGaussian")


def _gdp_limit(rate: Fraction, sigma: Fraction, steps: int, delta: Fraction) -> Fraction:
    """Epsilon of the central limit at a delta, from below."""
    from dpref.privacy.closed_forms.gaussian import gaussian_epsilon  # noqa: PLC0415 - for these few tests alone

    mu_squared = lower(
        evaluate(lambda: ball(rate) ** 2 * steps * ((1 / ball(sigma) ** 2).exp() - 1)),
    )
    return Fraction(gaussian_epsilon(Fraction(mu_squared), delta).lower)


def _zcdp(rho: Fraction, delta: Fraction) -> Fraction:
    def value() -> arb:
        r = ball(rho)
        return r + 2 * (-r * ball(delta).log()).sqrt()

    return Fraction(lower(evaluate(value)))


def _too_little(event: str, adjacency: str, claimed: Fraction, why: str, *flags: str) -> Question:
    given = {**asked_of(event, adjacency), "delta": _USUAL, "claimed": decimal_down(claimed, 8)}
    comment = f"{given['expression']}: {why}"
    flags = ("ClaimedTooLittle", *flags)
    return Question(topic="claimed-too-little", comment=comment, flags=flags, given=given, result="invalid")


def _epsilon(topic: str, event: str, adjacency: str, delta: str, *flags: str) -> Question:
    return _question(topic, {**asked_of(event, adjacency), "delta": delta}, flags)


def _delta(topic: str, event: str, adjacency: str, epsilon: str, *flags: str) -> Question:
    given = {**asked_of(event, adjacency), "epsilon": exact_text(Fraction(epsilon))}
    return _question(topic, given, ("DeltaAtEpsilon", *flags))


def _question(topic: str, given: Mapping[str, Any], flags: tuple[str, ...]) -> Question:
    comment = f"{given['expression']} under {given['adjacency']}"
    return Question(
        topic=topic,
        comment=comment,
        flags=flags,
        given=given,
        result="acceptable" if "OneSided" in flags else "valid",
    )


def questions() -> Iterator[Question]:
    """Every question about accountants."""
    for part in (_gaussians, _sampled, _pure, _mixed, _registered, _refused, _claimed):
        yield from part()


# ------------------------------------------------------------------------------------ answers


def answer(given: Mapping[str, Any], result: Result) -> dict[str, Any]:
    """The certified interval; of what is out of its domain nothing.

    Raises:
        ValueError: If a claimed value is not provably too little, or the question contradicts itself.
    """
    if must_be_refused({**given, "result": result}):
        return {}
    asks, at = ("delta", "epsilon") if "epsilon" in given else ("epsilon", "delta")
    ledger, value = ledger_of(given), Fraction(given[at])
    found = certify(ledger, delta=value) if at == "delta" else certify(ledger, epsilon=value)
    if "claimed" in given and not Fraction(given["claimed"]) < Fraction(found.lower):
        raise ValueError(f"claimed {given['claimed']} is not below {found}")
    return {"asks": asks, "interval": ends(found.lower, found.upper)}


def judge(test: Mapping[str, Any], answered: Any) -> Judged:
    """What is said of an epsilon or delta.

    Args:
        test: Of a file.
        answered: A number, which is taken for an upper bound; or ``upper``, ``lower``, ``exact``, ``estimate`` by name.
    """
    ways = answered if isinstance(answered, Mapping) else {"upper": answered}
    by = {name: said(value, name) for name, value in ways.items() if name in _WAYS and value is not None}
    if not by:
        return Judged("not answered", f"none of {', '.join(_WAYS)}")
    if must_be_refused(test):
        refused = by.get("upper", by.get("exact", by.get("estimate"))) == math.inf
        return PASSES if refused else Judged("fails", f"{by} is answered where nothing can be")
    low, high = number(test["interval"]["lower"]), number(test["interval"]["upper"])
    inside = f"[{test['interval']['lower']}, {test['interval']['upper']}]"
    wrong = {
        "upper": by.get("upper", high) < low,
        "lower": by.get("lower", low) > high,
        "exact": not low <= by.get("exact", low) <= high,
    }
    loose = {"upper": by.get("upper", low) > high, "estimate": not low <= by.get("estimate", low) <= high}
    for outcome, found in (("fails", wrong), ("loose", loose)):
        if any(found.values()):
            name = next(name for name, so in found.items() if so)
            return Judged(outcome, f"{_WAYS[name]} {float(by[name]):.12g}; the truth is in {inside}")  # type: ignore[arg-type]
    return PASSES


FAMILY: Final = Family(
    name="accountant",
    kind="AccountantTest",
    header=HEADER,
    questions=questions,
    answer=answer,
    judge=judge,
    given={
        "expression": TEXT,
        "event": EVENT,
        "adjacency": ADJACENCY,
        "algorithm": TEXT,
        "delta": NUMBER,
        "epsilon": NUMBER,
        "claimed": NUMBER,
    },
    required=("event", "adjacency"),
    answers={"asks": {"enum": ["epsilon", "delta"]}, "interval": INTERVAL},
)
