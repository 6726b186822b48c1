"""The examples of every declaration on one small problem of its kind, with few steps."""

from __future__ import annotations

from fractions import Fraction
from functools import cache
from typing import Any

import numpy as np

from dpref.algorithms.registry import ALGORITHMS
from dpref.geometry.linear_minimization import LpBall
from dpref.problems.bandit import Bandit, LinearBandit, sampled_bandit
from dpref.problems.datasets import synthetic
from dpref.problems.erm import ERMProblem
from dpref.problems.games import Game, sampled_game
from dpref.problems.losses import Huber, Linear
from dpref.problems.queries import Queries
from dpref.problems.stream import StreamProblem, VertexStream
from property_tests.algorithm_cases import Case
from property_tests.strategies import Instance, kind_of, planned, shortened

BANDIT = Bandit(n=8, dimension=3, arms=2, reward_bound=Fraction(20))  # so that rewards make most of a gradient
LINEAR = LinearBandit(n=6, dimension=3, arms=2, reward_bound=Fraction(2))
QUERIES = Queries.closed(8, np.eye(3, 2))
# With linear losses the worst pair of a stream moves an increment by the sensitivity.
PROBLEMS: dict[type, tuple[Any, Any]] = {
    ERMProblem: (ERMProblem(Huber(Fraction(2)), n=6, dimension=2, clip=Fraction(1, 2)), synthetic(6, 2, seed=3)),
    StreamProblem: (
        StreamProblem(Linear(), n=6, dimension=3, domain=LpBall(Fraction(3, 2), Fraction(1))), synthetic(6, 3, seed=3),
    ),
    VertexStream: (
        VertexStream(Linear(), n=6, dimension=3, domain=LpBall(Fraction(1), Fraction(1))), synthetic(6, 3, seed=3),
    ),
    Bandit: (BANDIT, sampled_bandit(BANDIT, np.eye(2, 3), spread=0.5, seed=2)),
    LinearBandit: (LINEAR, sampled_bandit(LINEAR, np.eye(2, 3), spread=0.5, seed=2)),
    # With ramps so steep that gradients turn between two averages of a few vertices.
    Game: (Game(n=12, rows=3, columns=2, ramp=Fraction(1, 64)), sampled_game(12, np.zeros((3, 2)), seed=1)),
    Queries: (QUERIES, QUERIES.data(np.arange(8) % 3)),
}  # fmt: skip


@cache
def small_instances(case: Case) -> tuple[Instance, ...]:
    """Return an instance for each example of a declaration; those that ask for nothing are left out."""
    algorithm = ALGORITHMS[case.name]
    problem, data = PROBLEMS[kind_of(algorithm)]
    plans = [planned(algorithm, problem, shortened(params)) for params in algorithm.examples(problem, case.adjacency)]
    return tuple(Instance(algorithm, problem, data, plan, seed=5) for plan in plans if plan is not None and plan.steps)
