"""Epsilon and delta of discrete losses are rounded in their direction to the last double."""

from __future__ import annotations

import math
from fractions import Fraction

import mpmath
import pytest
from flint import fmpz_poly

from dpref.privacy.pld.convolution import Tails, delta_at, epsilon_at
from dpref.privacy.pld.discretisation import Grid, Masses

BITS = 64


@pytest.mark.parametrize("numerator", [3, 7, 11, 19, 31])
@pytest.mark.parametrize("step", [Fraction(1), Fraction(5, 8)])
def test_ends_of_one_loss_hold_its_formula_to_the_last_double(step: Fraction, numerator: int) -> None:
    """Of the mass p at a loss h, delta = p (1 - e^(x - h)): solved for x, and at points near h, at fifty digits."""
    mass = Fraction(numerator, 32)
    grid, ends = Grid(step, BITS), {}
    for above in (False, True):
        ends[above] = Masses(1, fmpz_poly([int(mass * (1 << BITS))]), 0, BITS, above=above)
    with mpmath.workdps(50):
        h, p = (mpmath.mpf(x.numerator) / x.denominator for x in (step, mass))
        for goal in (Fraction(1, 100), Fraction(1, 37), Fraction(1, 11)):
            truth = h + mpmath.log(1 - mpmath.mpf(goal.numerator) / goal.denominator / p)
            if truth > 0:
                low, high = (epsilon_at(ends[above], grid, goal) for above in (False, True))
                assert mpmath.mpf(low) <= truth <= mpmath.mpf(high)
                assert high <= math.nextafter(math.nextafter(low, math.inf), math.inf)
        for at in (step / 3, step / 7, step * 9 / 10):
            value = p * -mpmath.expm1(mpmath.mpf(at.numerator) / at.denominator - h)
            found = [(delta_at(ends[up], grid, at), Tails(ends[up], grid).delta(at)) for up in (False, True)]
            assert all(mpmath.mpf(x) <= value for x in found[0])
            assert all(mpmath.mpf(x) >= value for x in found[1])
