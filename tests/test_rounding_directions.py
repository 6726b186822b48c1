"""Losses put on a grid of so coarse a unit of mass that each rounding direction decides: never beyond the pair."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise

import pytest
from flint import arb

from dpref.privacy.events.ledger import Event, Gaussian, Laplace, Poisson, RandomizedResponse
from dpref.privacy.pld.discretisation import Grid, gathered_below, spread_above
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
