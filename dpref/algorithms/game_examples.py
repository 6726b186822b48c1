"""The algorithms on games, with a problem, data and a plan that can be followed by hand, as in `examples`.

>>> mirror_descent().ops is bias_reduced_mirror_descent().ops
True
"""

from __future__ import annotations

from fractions import Fraction
from typing import TypeAlias

import numpy as np

from dpref.algorithms.anytime_mirror_descent import plan as anytime_plan
from dpref.algorithms.bias_reduced_mirror_descent import plan as bias_reduced_plan
from dpref.algorithms.boosted_mirror_descent import plan as boosted_plan
from dpref.algorithms.boosted_mirror_descent.routines import Vertex
from dpref.algorithms.examples import Example
from dpref.algorithms.mirror_descent import plan as mirror_plan
from dpref.algorithms.mirror_descent.plan import Plan as VertexPlan
from dpref.algorithms.synthetic_data import plan as synthetic_plan
from dpref.algorithms.variance_reduced_frank_wolfe import plan as reduced_plan
from dpref.problems.examples import coin_queries, coins, matching_pennies, penny_game
from dpref.problems.games import Game, GameData
from dpref.problems.queries import Queries, QueryData
from dpref.units import ReplaceOne

_Saddle: TypeAlias = Example[Game, GameData, VertexPlan[ReplaceOne]]


def mirror_descent(n: int = 8, steps: int = 4, samples: int = 2) -> _Saddle:
    """Mirror descent with vertex sampling on matching pennies, (1, 1/100000)-DP.

    Args:
        n: Number of records, divided among the steps.
        steps: Number of steps.
        samples: Number of vertices that each step averages.

    >>> mirror_descent().plan.batches
    (2, 2, 2, 2)
    """
    game, params = penny_game(n), mirror_plan.Params(Fraction(1), Fraction(1, 10**5), steps, samples, ReplaceOne)
    return Example(game, matching_pennies(n), mirror_plan.plan(game, params))


def bias_reduced_mirror_descent(levels: tuple[int, ...] = (0, 1, 0, 0), n: int = 8) -> _Saddle:
    """Mirror descent with bias-reduced vertex sampling on matching pennies, (1, 1/100000)-DP.

    Args:
        levels: The level of each iteration, 0 or 1, all of which the stopping rule uses.
        n: Number of records.

    >>> bias_reduced_mirror_descent().plan.levels
    (0, 1, 0, 0)
    """
    game, budget = penny_game(n), Fraction(1 + sum(2**level for level in levels))
    params = bias_reduced_plan.Params(Fraction(1), Fraction(1, 10**5), budget, 1, Fraction(1), levels, ReplaceOne)
    return Example(game, matching_pennies(n), bias_reduced_plan.plan(game, params))


def anytime_mirror_descent(steps: int = 6) -> Example[Game, GameData, anytime_plan.Plan[ReplaceOne]]:
    """Anytime mirror descent of the first player of matching pennies, who knows that the second shows heads.

    Args:
        steps: Number of iterates, each but the last with one record.

    >>> anytime_mirror_descent().plan.batches
    (1, 1, 1, 1, 1)
    """
    game, heads = penny_game(steps), np.array([1.0, 0.0])
    params = anytime_plan.Params(Fraction(1), Fraction(1, 10**5), steps, 2, 2, ReplaceOne, opponent=heads)
    return Example(game, matching_pennies(steps), anytime_plan.plan(game, params))


def boosted_mirror_descent() -> Example[Game, GameData, boosted_plan.Plan[ReplaceOne]]:
    """Boosting on matching pennies: two runs of two iterations, one response each, (1, 1/100000)-DP.

    >>> boosted_mirror_descent().plan.runs
    2
    """
    game, levels = penny_game(16), (0, 0, 0, 0)
    params = boosted_plan.Params(
        Fraction(1), Fraction(1, 10**5), 2, 1, Fraction(3), 1, Fraction(1), levels, Vertex(), ReplaceOne
    )
    return Example(game, matching_pennies(16), boosted_plan.plan(game, params))


def variance_reduced_frank_wolfe(phases: int = 2) -> Example[Game, GameData, reduced_plan.Plan[ReplaceOne]]:
    """Variance-reduced Frank-Wolfe of the first player of matching pennies, who knows that the second shows heads.

    Args:
        phases: Number of trees, each but the first with twice the leaves of the one before it.

    >>> variance_reduced_frank_wolfe().plan.batches
    ((2, 1), (2, 1, 1))
    """
    game, heads = penny_game(4 * 2**phases - 8), np.array([1.0, 0.0])
    params = reduced_plan.Params(Fraction(1), Fraction(1, 10**5), phases, 2, ReplaceOne, opponent=heads)
    return Example(game, matching_pennies(game.n), reduced_plan.plan(game, params))


def synthetic_data(n: int = 8) -> Example[Queries, QueryData, synthetic_plan.Plan[ReplaceOne]]:
    """Synthetic coins in four rounds of two draws, (1, 1/100000)-DP.

    Args:
        n: Number of records, of which three quarters are read.

    >>> synthetic_data().plan.batches
    (2, 2, 2)
    """
    problem = coin_queries(n)
    params = synthetic_plan.Params(Fraction(1), Fraction(1, 10**5), 4, 2, ReplaceOne)
    return Example(problem, coins(n), synthetic_plan.plan(problem, params))
