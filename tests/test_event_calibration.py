"""Calibration against brute force: the least noise, the most steps, the largest rate, to the digits printed."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import mpmath
import pytest

from dpref.errors import InvalidArgumentError, PrecisionError
from dpref.privacy import event_calibration
from dpref.privacy.accountants import certify
from dpref.privacy.event_calibration import Calibration, calibrate
from dpref.privacy.events.expression import parse_event, parse_number, parse_template
from dpref.privacy.events.ledger import Ledger
from dpref.privacy.fast import point as fast_point
from dpref.units import AddOrRemoveOne, Adjacency, ReplaceOne, ZeroOut
from tests.effort import part

D = Fraction(1, 10**5)


def found_for(text: str, epsilon: Fraction | int, delta: Fraction = D, **more: Any) -> Calibration:
    given = {"epsilon": epsilon, "delta": delta, "adjacency": AddOrRemoveOne, **more}
    found = calibrate(parse_template(text), **given)
    assert found.spent.upper <= epsilon
    if found.overspent is not None:
        assert found.beyond is not None
        assert abs(found.value - found.beyond) == found.unit * (1 + found.undecided)
        assert found.overspent.lower > epsilon
    return found


# ------------------------------------------------------------------------------------ brute force, one answer


def mixture(rate: Any, h: Callable[[Any], Any], e: Any) -> Any:
    """delta of a sampled mechanism when a record is removed, from the curve h of the mechanism."""
    return rate * h(mpmath.log(1 + (mpmath.exp(e) - 1) / rate))


def gaussian_curve(z: Any) -> Callable[[Any], Any]:
    return lambda x: mpmath.ncdf(1 / (2 * z) - x * z) - mpmath.exp(x) * mpmath.ncdf(-1 / (2 * z) - x * z)


def laplace_curve(b: Any) -> Callable[[Any], Any]:
    return lambda x: max(mpmath.mpf(0), 1 - mpmath.exp((x - 1 / b) / 2))


def response_curve(e: Any) -> Callable[[Any], Any]:
    p = 1 / (1 + mpmath.exp(-e))
    return lambda x: max(mpmath.mpf(0), p - mpmath.exp(x) * (1 - p))


def number(x: Fraction) -> Any:
    return mpmath.mpf(x.numerator) / x.denominator


SINGLE: list[tuple[str, Fraction, Fraction, Callable[[Any, Any], Any]]] = [
    ("poisson(gaussian(?), rate=0.01)", Fraction(1), D, lambda v, e: mixture(number(D * 1000), gaussian_curve(v), e)),
    ("poisson(laplace(?), rate=1/4)", Fraction(1, 3), D, lambda v, e: mixture(mpmath.mpf(1) / 4, laplace_curve(v), e)),
    ("poisson(laplace(1/5), rate=?)", Fraction(2), D, lambda v, e: mixture(v, laplace_curve(mpmath.mpf(1) / 5), e)),
    ("poisson(gaussian(1/2), rate=?)", Fraction(1), D, lambda v, e: mixture(v, gaussian_curve(mpmath.mpf(1) / 2), e)),
    (
        "poisson(randomized_response(?, null=category), rate=.0238)",
        Fraction("0.0984"),
        Fraction(1, 10**6),
        lambda v, e: mixture(number(Fraction("0.0238")), response_curve(v), e),
    ),
]


@pytest.mark.slow
@pytest.mark.parametrize(("text", "epsilon", "delta", "spends"), SINGLE, ids=[case[0] for case in SINGLE])
@pytest.mark.parametrize("digits", [None, 3, 11])
def test_one_answer_is_calibrated_to_the_last_place(
    text: str, epsilon: Fraction, delta: Fraction, spends: Callable[[Any, Any], Any], digits: int | None
) -> None:
    found = found_for(text, epsilon, delta, digits=digits)
    assert found.undecided == 0
    assert found.digits == (digits or 6)
    assert found.beyond is not None
    with mpmath.workdps(40):
        assert spends(number(found.value), number(epsilon)) <= number(delta)
        assert spends(number(found.beyond), number(epsilon)) > number(delta)


UNSTATED = "poisson(randomized_response({}), rate=.0238)"


@pytest.mark.parametrize("adjacency", [AddOrRemoveOne, ZeroOut])
def test_what_has_no_lower_end_is_calibrated_and_said_to_be_undecided(adjacency: type[Adjacency]) -> None:
    """Nothing is said of the null record: the upper end alone decides, and it is that of a category's answer."""
    asked: dict[str, Any] = {"delta": Fraction(1, 10**6), "adjacency": adjacency}
    found = found_for(UNSTATED.format("?"), 1, **asked)
    stated = found_for(UNSTATED.format("?, null=category"), 1, **asked)
    assert (found.value, found.beyond, found.overspent, found.decided) == (stated.value, None, None, False)
    assert stated.decided
    beyond = UNSTATED.format(found.value + found.unit)
    assert certify(Ledger(parse_event(beyond), adjacency), delta=asked["delta"]).upper > 1
    with pytest.raises(PrecisionError, match="not even one can; without a number of digits"):
        found_for(UNSTATED.format("?"), 1, digits=3, **asked)


def test_a_count_without_a_lower_end_is_the_largest_that_is_known_to_fit() -> None:
    text = "compose(noisy_max(1/10, noise=laplace), {})"
    found = found_for(text.format("?"), 1)
    assert (found.value, found.digits, found.decided) == (Fraction(10), 2, False)
    more = Ledger(parse_event(text.format(11)), AddOrRemoveOne)
    assert certify(more, delta=D).upper > 1


# ------------------------------------------------------------------------------------ brute force, compositions


def binomial_delta(response: Fraction, steps: int, epsilon: Fraction) -> Any:
    """delta of composed randomized response on one bit, by enumeration of the number of true answers."""
    p = 1 / (1 + mpmath.exp(-number(response)))
    total = mpmath.mpf(0)
    for k in range(steps + 1):
        here = p**k * (1 - p) ** (steps - k)
        there = p ** (steps - k) * (1 - p) ** k
        total += mpmath.binomial(steps, k) * max(mpmath.mpf(0), here - mpmath.exp(number(epsilon)) * there)
    return total


@pytest.mark.parametrize(
    ("response", "epsilon", "delta"),
    [(Fraction(1, 10), 1, D), (Fraction(1, 2), 3, Fraction(1, 1000)), (Fraction(1), 4, Fraction(1, 20))],
)
def test_the_count_of_randomized_responses_is_the_largest(response: Fraction, epsilon: int, delta: Fraction) -> None:
    text = f"compose(randomized_response({response}), ?)"
    found = found_for(text, epsilon, delta, adjacency=ReplaceOne)
    with mpmath.workdps(50):
        steps, largest = 1, 0
        while binomial_delta(response, steps, Fraction(epsilon)) <= number(delta):
            largest, steps = steps, steps + 1
    assert (found.value, found.beyond) == (Fraction(largest), Fraction(largest + 1))


COMPOSED = [
    ("compose(poisson(gaussian(2), rate=1/50), ?)", 1, None),
    ("compose(poisson(gaussian(1), rate=?), 500)", 1, None),
    ("compose(poisson(gaussian(?), rate=1/20), 40)", 2, None),
    ("compose(poisson(gaussian(?), rate=1/2), 3)", 1, 3),
    ("compose(gaussian(3), compose(poisson(gaussian(?), rate=1/10), 30))", 2, 4),
]
SOME = part(COMPOSED, 3)


@pytest.mark.slow
@pytest.mark.parametrize(("text", "epsilon", "digits"), SOME, ids=[case[0] for case in SOME])
def test_sampled_gaussians_against_the_point_value(text: str, epsilon: int, digits: int | None) -> None:
    template = parse_template(text)
    found = found_for(text, epsilon, digits=digits)
    assert found.digits >= (digits or 3)
    assert found.undecided <= 1
    assert found.beyond is not None
    within, without = (
        fast_point.epsilon(Ledger(template.fill(v), AddOrRemoveOne), D) for v in (found.value, found.beyond)
    )
    assert within <= epsilon < without


HARD = ("compose(poisson(gaussian(?),rate=0.26058631921824105),18800)", 4, parse_number("0.00011448277499759097"))


@pytest.mark.slow
@pytest.mark.parametrize("digits", [None, 3])
def test_an_interval_that_decides_nothing_is_narrowed(digits: int | None) -> None:
    """33.9975 is the least: at 34.0 the first interval holds the budget, and no digit may be dropped for that."""
    found = found_for(*HARD, digits=digits)
    assert found.decimal(found.value) == "34.0"
    assert (found.beyond, found.undecided) == (Fraction(339, 10), 0)


@pytest.mark.slow
def test_planted_bug_an_undecided_value_costs_a_digit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(event_calibration, "narrowing", lambda *_: ())
    monkeypatch.setattr(event_calibration, "_MOST_UNDECIDED", 0)
    assert found_for(*HARD).value == 40


@pytest.mark.slow
@pytest.mark.parametrize("digits", part([None, 3], 1, seed=1))
def test_what_stays_undecided_is_passed_over_and_counted(digits: int | None) -> None:
    """The budget is what 5.00 spends, to more digits than any interval has: 5.00 cannot be decided."""
    sampled = "compose(poisson(gaussian({}), rate=1/20), 100)"
    budget = Fraction(repr(fast_point.epsilon(Ledger(parse_event(sampled.format(5)), AddOrRemoveOne), D)))
    if digits is not None:
        with pytest.raises(PrecisionError, match="3 digits of noise_multiplier cannot be certified"):
            found_for(sampled.format("?"), budget, digits=digits, accountant="fast")
        return
    found = found_for(sampled.format("?"), budget, accountant="fast")
    assert found.undecided == 1
    assert found.beyond is not None
    assert found.beyond < 5 < found.value
    assert found.value - found.beyond == 2 * found.unit


@pytest.mark.slow
def test_a_value_is_certified_again_by_all_accountants() -> None:
    found = found_for("compose(poisson(laplace(?), rate=1/3), 2)", 1, Fraction(1, 1000))
    template = parse_template("compose(poisson(laplace(?), rate=1/3), 2)")
    again = certify(Ledger(template.fill(found.value), AddOrRemoveOne), delta=Fraction(1, 1000))
    assert again.lower <= 1
    assert again.upper <= found.spent.upper * (1 + 1e-3)
    assert found.digits >= 3


@pytest.mark.parametrize("epsilon", [Fraction(1, 10**400), Fraction(10**400)])
def test_a_budget_beyond_doubles_is_refused_by_name(epsilon: Fraction) -> None:
    with pytest.raises(InvalidArgumentError, match=r"epsilon = .*must be within the range of doubles"):
        calibrate(parse_template("gaussian(?)"), epsilon=epsilon, delta=Fraction(1, 100), adjacency=ReplaceOne)
