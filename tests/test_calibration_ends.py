"""Calibration at the largest double, and what a search for a double refuses."""

from __future__ import annotations

import math
from fractions import Fraction

import mpmath
import pytest
from flint import arb, ctx

from dpref.errors import InvalidArgumentError, PrecisionError
from dpref.privacy import calibration
from dpref.privacy.calibration import _least_double, classical_noise_multiplier_as_printed, largest_mu, satisfies
from dpref.privacy.searches import LARGEST
from dpref.reals import DEFAULT_PRECISION, exact


def test_the_largest_double_is_an_answer_and_a_guess_like_any_other() -> None:
    assert _least_double(LARGEST, lambda z: z >= exact(LARGEST)) == LARGEST
    assert _least_double(1.0, lambda z: z >= exact(LARGEST)) == LARGEST


@pytest.mark.parametrize("guess", [1.0, LARGEST])
def test_what_no_double_meets_is_refused(guess: float) -> None:
    def never(_: Fraction) -> bool:
        return False

    with pytest.raises(InvalidArgumentError, match="exceeds every double"):
        _least_double(guess, never)


@pytest.mark.parametrize("epsilon", [Fraction(1, 3), Fraction(1), Fraction(7)])
@pytest.mark.parametrize("delta", [Fraction(1, 10), Fraction(1, 10**5), Fraction(1, 10**30)])
def test_the_classical_multiplier_is_the_double_just_above_its_formula(epsilon: Fraction, delta: Fraction) -> None:
    found = classical_noise_multiplier_as_printed(epsilon, delta)
    with mpmath.workdps(60):
        root = mpmath.sqrt(2 * mpmath.log(mpmath.mpf(5) / 4 * delta.denominator / delta.numerator))
        formula = root * epsilon.denominator / epsilon.numerator
        assert mpmath.mpf(found) * (1 - mpmath.mpf(2) ** -51) < formula <= mpmath.mpf(found)


def test_the_precision_doubles_up_to_its_limit_and_not_beyond(monkeypatch: pytest.MonkeyPatch) -> None:
    tried: list[int] = []

    def lost(_epsilon: arb, _delta: arb) -> None:
        tried.append(ctx.prec)

    monkeypatch.setattr(calibration, "_newton_mu", lost)
    monkeypatch.setattr(calibration, "PRECISION_LIMIT", 4 * DEFAULT_PRECISION)
    with pytest.raises(PrecisionError, match="no certified mu"):
        largest_mu(1, Fraction(1, 10))
    assert tried == [DEFAULT_PRECISION, 2 * DEFAULT_PRECISION, 4 * DEFAULT_PRECISION]


@pytest.mark.parametrize("guess", [0.9, 1.1, 1.0 + 2.0**-40, 1.0 - 2.0**-40])
def test_a_search_that_ends_elsewhere_is_not_believed(monkeypatch: pytest.MonkeyPatch, guess: float) -> None:
    mu = largest_mu(1, Fraction(1, 10)).lower
    assert mu < 1.0
    monkeypatch.setattr(calibration, "PRECISION_LIMIT", DEFAULT_PRECISION)
    for wrong in (guess * mu, math.nextafter(1.0, 2.0)):
        monkeypatch.setattr(calibration, "_newton_mu", lambda _epsilon, _delta, wrong=wrong: arb(wrong))
        with pytest.raises(PrecisionError, match="no certified mu"):
            largest_mu(1, Fraction(1, 10))


def test_a_mu_that_no_double_can_say_lies_between_the_two_beside_it() -> None:
    found = largest_mu(Fraction(1, 10**400), Fraction(1, 10**400))
    assert (found.lower, found.upper) == (0.0, math.ulp(0.0))
    found = largest_mu(10**700, Fraction(1, 2))
    assert (found.lower, found.upper) == (math.nextafter(LARGEST, 0.0), math.inf)


@pytest.mark.parametrize("digits", [1, 6, 40])
@pytest.mark.parametrize("epsilon", [Fraction(1, 10**6), Fraction(1, 3), Fraction(1), Fraction(50), Fraction(10**6)])
def test_the_search_for_mu_finds_small_and_large_ones_with_few_bits(epsilon: Fraction, digits: int) -> None:
    found = largest_mu(epsilon, Fraction(1, 10**digits))
    assert found.relative_width < 1e-15
    assert found.precision <= 2 * DEFAULT_PRECISION


@pytest.mark.parametrize(("decision", "kept"), [(1, True), (0, False), (-1, False)])
def test_a_budget_that_balls_cannot_decide_is_not_met(
    monkeypatch: pytest.MonkeyPatch, decision: int, kept: bool
) -> None:
    monkeypatch.setattr(calibration, "sign", lambda _difference: decision)
    assert satisfies(1, 1, Fraction(1, 10)) is kept
