"""Calibration at the largest double, and what a search for a double refuses."""

from __future__ import annotations

from fractions import Fraction

import mpmath
import pytest

from dpref.errors import InvalidArgumentError
from dpref.privacy.calibration import _least_double, classical_noise_multiplier_as_printed
from dpref.privacy.searches import LARGEST
from dpref.reals import exact


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
