"""Losses put on a grid of so coarse a unit of mass that each rounding direction decides: never beyond the pair."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise

import pytest
from flint import arb

from dpref.errors import PrecisionError
from dpref.privacy.events.ledger import Event, Gaussian, Laplace, Poisson, RandomizedResponse
from dpref.privacy.pld.discretisation import Grid, _check_below, _floor, _round_up, gathered_below, spread_above
from dpref.privacy.pld.pair import Pair
from dpref.privacy.pld.pairs import pairs
from dpref.reals import ball, precision
from dpref.units import AddOrRemoveOne, Adjacency, ReplaceOne

EVENTS: list[tuple[Event, type[Adjacency]]] = [
    (Gaussian(Fraction(1)), ReplaceOne),
    (Gaussian(Fraction(5, 2)), ReplaceOne),
    (Laplace(Fraction(3, 2)), ReplaceOne),
    (RandomizedResponse(Fraction(1), 3), ReplaceOne),
    (Poisson(Gaussian(Fraction(1)), Fraction(1, 3)), AddOrRemoveOne),
]
GRIDS = [
    Grid(Fraction(1, 4), 3),
    Grid(Fraction(1, 8), 6),
    Grid(Fraction(1, 16), 11, stride=4, core=8),
    Grid(Fraction(1, 4), 9, points=(-7, -3, -1, 0, 2, 5, 9)),
]


def of_masses(masses: dict[int, int], infinite: int, grid: Grid, epsilon: Fraction) -> arb:
    """Delta of masses on a grid, in balls."""
    unit = arb(2) ** -grid.bits
    total = infinite * unit
    for index, mass in masses.items():
        if index * grid.step > epsilon:
            total += mass * unit * (1 - ball(epsilon - index * grid.step).exp())
    return total


def directions(event: Event, adjacency: type[Adjacency]) -> list[Pair]:
    found = pairs(event, adjacency)
    return [found.remove, found.add]


@pytest.mark.parametrize("grid", GRIDS, ids=lambda g: f"{g.bits}-bits")
@pytest.mark.parametrize(("event", "adjacency"), EVENTS, ids=str)
def test_masses_of_few_bits_lie_above_and_below(event: Event, adjacency: type[Adjacency], grid: Grid) -> None:
    for pair in directions(event, adjacency):
        above, below = spread_above(pair, grid), gathered_below(pair, grid)
        assert all(mass >= 0 for mass in (*above[0].values(), *below[0].values(), above[1], below[1]))
        with precision(200):
            for k in range(-40, 41, 3):
                epsilon = Fraction(k, 10) + Fraction(1, 777)
                truth = pair.curve(ball(epsilon))[0]
                room = arb(2) ** -150
                assert of_masses(*above, grid, epsilon) >= truth - room
                assert of_masses(*below, grid, epsilon) <= truth + room


@pytest.mark.parametrize(("event", "adjacency"), EVENTS, ids=str)
def test_masses_of_many_bits_are_hardly_more_and_hardly_less(event: Event, adjacency: type[Adjacency]) -> None:
    """With a finer unit both ends come nearer, by the units alone, until the grid's step is what is left."""
    for pair in directions(event, adjacency):
        gaps = []
        for bits in (6, 12, 40):
            grid = Grid(Fraction(1, 16), bits)
            with precision(200):
                high = of_masses(*spread_above(pair, grid), grid, Fraction(1, 5))
                low = of_masses(*gathered_below(pair, grid), grid, Fraction(1, 5))
                gaps.append(float(high - low))
        assert all(fine <= coarse for coarse, fine in pairwise(gaps))
        assert 0 <= gaps[-1] < 2e-3


def test_a_hull_is_certified_to_its_last_digit_at_every_point() -> None:
    """v at 0, 1, 2 and 4 of masses 1, 2 and 1 is 4, 7/4, 1/2 and 0: equal limits are kept, any smaller one is not."""
    alphas, values = [arb(0), arb(1), arb(2), arb(4)], [arb(4), arb(7) / 4, arb(1) / 2, arb(0)]
    limits = [v / 16 for v in values]
    _check_below(alphas, limits, [0, 1, 2, 1], 4)
    for i in range(3):
        less = [limit - (arb(2) ** -40 if j == i else 0) for j, limit in enumerate(limits)]
        with pytest.raises(PrecisionError, match="certified"):
            _check_below(alphas, less, [0, 1, 2, 1], 4)


def test_a_mass_that_is_not_known_is_rounded_from_its_far_end() -> None:
    blurred = arb(5, 1) / 16  # between 4 and 6 units of 2^-4
    assert _round_up(blurred, 4) >= 6
    assert _floor(blurred * 16) <= 4
    assert (_round_up(arb(5) / 16, 4), _round_up(arb(81) / 256, 4), _round_up(arb(-1), 4)) == (5, 6, 0)
