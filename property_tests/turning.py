"""Pairs of games whose gradients turn round between two points: what the worst pair of payoffs cannot show.

An estimate that subtracts the gradients at two points moves furthest where a record's gradient turns from one to the
other, and its neighbour's turns the opposite way.  Ridge functions do: the first record's gradient turns where the last
vertex of the first player passes a share, the neighbour's where the last but one does.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from dpref.problems.games import Game, GameData, GamePair, null_record
from dpref.units import Adjacency, ZeroOut
from property_tests.strategies import Instance

SHARES = (7 / 16, 3 / 16)  # of the last vertex, and of the last but one: no average of two, four or eight vertices


def turning_pair(problem: Game, data: GameData, adjacency: type[Adjacency], index: int) -> GamePair:
    r"""A record that is the ridge function of all vertices less one, the last, and one of all less the last but one.

    On the simplex the argument of such a ridge is $L_0(1-2s)$, s the share of the vertex that is taken away.
    """
    bound, found = float(problem.lipschitz) * (1 - 2.0**-50), []
    for vertex, share in zip((-1, -2), SHARES, strict=True):
        slopes = np.full(problem.rows, bound)
        slopes[vertex] = -bound
        payoffs = np.zeros((problem.rows, problem.columns))
        found.append(data.replaced(index, payoffs, slopes, bound * (1 - 2 * share)))
    first, second = found
    return GamePair(first, null_record(first, index) if adjacency is ZeroOut else second)


def extreme_pairs(instance: Instance) -> Iterator[Any]:
    """The problem's worst pair; in a game with ridge functions one that turns as well, at a record by the seed."""
    problem, data, adjacency = instance.problem, instance.data, instance.plan.sensitivity.adjacency
    yield problem.worst_case_pair(data, adjacency)
    if isinstance(problem, Game) and problem.ramp is not None and problem.rows > 1:
        yield turning_pair(problem, data, adjacency, instance.seed % problem.n)
