"""Losses on a grid: atoms that are not listed, but known by their mass, are rounded in the direction of a bound."""

from __future__ import annotations

from fractions import Fraction

import pytest
from flint import arb

from dpref.privacy.pld.discretisation import Grid, gathered_below, spread_above
from dpref.privacy.pld.pair import Pair, Split
from dpref.reals import ball, precision
from tests.test_rounding_directions import of_masses

UNIT = Fraction(1, 16)


@pytest.mark.parametrize(("beneath", "beyond"), [(UNIT * 5 / 2, UNIT), (UNIT, UNIT * 5 / 2), (UNIT / 3, UNIT / 7)])
def test_atoms_that_are_not_listed_are_rounded_in_the_direction_of_the_bound(
    beneath: Fraction, beyond: Fraction
) -> None:
    """Of the losses -3, -1, 1 and 3 the outer ones are not listed; their masses are no multiples of the grid's unit."""
    listed = {-1: 3 * UNIT, 1: 8 * UNIT}
    atoms = {-3: beneath, **listed, 3: beyond}

    def curve(x: arb) -> tuple[arb, arb]:
        seen = [(loss, ball(p)) for loss, p in atoms.items() if loss > x]
        value = sum((p * -(x - loss).expm1() for loss, p in seen), arb(0))
        return value, sum((p * arb(-loss).exp() for loss, p in seen), arb(0))

    split = Split(
        Fraction(1),
        lambda: [(loss, ball(p)) for loss, p in listed.items()],
        above=lambda: ball(beyond),
        below=lambda: ball(beneath),
    )
    pair, grid = Pair("four losses", curve, split), Grid(Fraction(1), 4)
    above, below = spread_above(pair, grid), gathered_below(pair, grid)
    with precision(200):
        for k in range(-60, 40, 3):
            epsilon = Fraction(k, 10)
            truth = curve(ball(epsilon))[0]
            assert of_masses(*above, grid, epsilon) >= truth - arb(2) ** -150
            assert of_masses(*below, grid, epsilon) <= truth + arb(2) ** -150
