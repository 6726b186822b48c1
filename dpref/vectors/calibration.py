"""How much a budget allows: the least noise, the most answers, the largest rate, each certified from both sides."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction
from typing import Any, Final

from dpref.privacy.event_calibration import DIRECTIONS, calibrate
from dpref.privacy.events.expression import parse_template
from dpref.units import adjacency_named
from dpref.vectors.family import PASSES, Family, Judged, Question, Result, exact_text, paragraphs, said
from dpref.vectors.fields import ADD, ADJACENCY, NUMBER, REPLACE, TEXT

_USUAL: Final = exact_text(Fraction(1, 2**17))
_SMALL: Final = exact_text(Fraction(1, 2**40))

HEADER: Final = paragraphs("""
Each test gives an expression with one open number, ?, and a budget (epsilon, delta).

meets is a value that provably meets the budget; exceeds, one unit of its last place further, provably does not.

valid: an answer must not be exceeds or anything beyond it. Beyond means less noise, more answers, a larger rate.

An answer on the safe side of meets, by more than a hundredth, is loose.
""")


def questions() -> Iterator[Question]:
    """Every question about calibration."""
    for epsilon, delta, steps, *more in (
        ("1/8", _USUAL, 1),
        ("1", _USUAL, 1),
        ("1", _SMALL, 1, "SmallDelta"),
        ("2", _USUAL, 1),
        ("8", _USUAL, 1, "LargeEpsilon"),
        ("16", _USUAL, 1, "LargeEpsilon"),
        ("32", _USUAL, 1, "LargeEpsilon"),
        (exact_text(Fraction(1, 2**20)), _USUAL, 1, "TinyEpsilon"),
        ("1", _USUAL, 100),
        ("1", _SMALL, 10**6, "ManySteps", "SmallDelta"),
        ("8", _USUAL, 1000, "LargeEpsilon"),
    ):
        event = f"compose(gaussian(noise_multiplier=?), {steps})"
        yield _question("gaussian", event, ADD, epsilon, delta, "LeastNoise", *more)
    for scale, epsilon in (("laplace(scale=?)", "1"), ("compose(laplace(scale=?), 16)", "2")):
        yield _question("laplace", scale, REPLACE, epsilon, _USUAL, "LeastNoise", "Laplace")
    for event, epsilon in (
        ("poisson(gaussian(noise_multiplier=?), rate=1/128)", "1/4"),
        ("compose(poisson(gaussian(noise_multiplier=?), rate=1/128), 100)", "1"),
    ):
        yield _question("poisson-gaussian", event, ADD, epsilon, _USUAL, "LeastNoise", "SampledGaussian")
    for event, epsilon in (("compose(gaussian(16), ?)", "1"), ("compose(gaussian(128), ?)", "4")):
        yield _question("gaussian", event, ADD, epsilon, _USUAL, "MostSteps")
    yield _question("laplace", "compose(laplace(16), ?)", REPLACE, "4", _USUAL, "MostSteps", "StrongComposition")
    yield _question("poisson-gaussian", "poisson(gaussian(1), rate=?)", ADD, "1", _USUAL, "LargestRate")


def _question(topic: str, event: str, adjacency: str, epsilon: str, delta: str, *flags: str) -> Question:
    given = {
        "expression": event,
        "parameter": parse_template(event).parameter,
        "adjacency": adjacency,
        "epsilon": exact_text(Fraction(epsilon)),
        "delta": delta,
    }
    return Question(topic=topic, comment=f"{event} for epsilon = {epsilon}", flags=flags, given=given)


def answer(given: Mapping[str, Any], result: Result) -> dict[str, Any]:
    """The value that meets the budget, and the one beyond that does not.

    Raises:
        ValueError: If nothing beyond is known to exceed the budget.
    """
    found = calibrate(
        parse_template(given["expression"]),
        epsilon=Fraction(given["epsilon"]),
        delta=Fraction(given["delta"]),
        adjacency=adjacency_named(given["adjacency"]),
    )
    if found.beyond is None:
        raise ValueError(f"{given['expression']}: no value beyond is known to exceed the budget")
    direction, _ = DIRECTIONS[found.parameter]
    return {
        "better": "smaller" if direction < 0 else "larger",
        "meets": found.decimal(found.value),
        "exceeds": found.decimal(found.beyond),
    }


def judge(test: Mapping[str, Any], answered: Any) -> Judged:
    """What is said of a value for the open number.

    Args:
        test: Of a file.
        answered: The value.
    """
    value, meets, exceeds = said(answered), Fraction(test["meets"]), Fraction(test["exceeds"])
    sign = 1 if test["better"] == "smaller" else -1
    if sign * value <= sign * exceeds:
        return Judged("fails", f"{float(value):.9g} exceeds the budget, as {test['exceeds']} does")
    if sign * value > sign * meets + abs(meets) / 100:
        return Judged("loose", f"{float(value):.9g}; {test['meets']} meets the budget")
    return PASSES


FAMILY: Final = Family(
    name="calibration",
    kind="CalibrationTest",
    header=HEADER,
    questions=questions,
    answer=answer,
    judge=judge,
    given={
        "expression": TEXT,
        "parameter": {"enum": sorted(DIRECTIONS)},
        "adjacency": ADJACENCY,
        "epsilon": NUMBER,
        "delta": NUMBER,
    },
    required=("expression", "parameter", "adjacency", "epsilon", "delta"),
    answers={"better": {"enum": ["smaller", "larger"]}, "meets": NUMBER, "exceeds": NUMBER},
)
