"""Problems small enough to follow by hand, with data: what the examples of the documentation start from.

Every one of them satisfies the checks of its kind, so that it is also a place to begin an experiment of one's own:

>>> problem, data = huber_problem(), equal_records(2, dimension=1)
>>> problem.read(data).features.tolist()
[[1.0], [1.0]]
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np

from dpref.curator import LiveCurator
from dpref.geometry.linear_minimization import LpBall
from dpref.geometry.sets import L2Ball
from dpref.problems.bandit import Bandit, BanditData, LinearBandit
from dpref.problems.datasets import Dataset
from dpref.problems.erm import ERMProblem
from dpref.problems.games import Game, GameData
from dpref.problems.losses import Huber, Logistic
from dpref.problems.protocol import Problem
from dpref.problems.queries import Queries, QueryData
from dpref.problems.stream import StreamProblem, VertexStream
from dpref.units import ReplaceOne


def huber_problem() -> ERMProblem:
    r"""Two records, one parameter in [-2, 2], Huber's loss with threshold 1.

    On `equal_records` the mean gradient is $\theta-1$ for $0\le\theta\le2$.

    >>> huber_problem().gradient_bound, huber_problem().smoothness
    (Fraction(1, 1), Fraction(1, 1))
    """
    return ERMProblem(Huber(Fraction(1)), n=2, dimension=1, domain=L2Ball(Fraction(2)))


def logistic_problem(n: int = 100) -> ERMProblem:
    """Logistic regression with two parameters, without constraints.

    Args:
        n: Number of records.

    >>> logistic_problem().gradient_bound, logistic_problem().smoothness
    (Fraction(1, 1), Fraction(1, 4))
    """
    return ERMProblem(Logistic(), n=n, dimension=2)


def equal_records(n: int, dimension: int = 2) -> Dataset:
    """The same record n times: the first coordinate vector with label +1.

    Args:
        n: Number of records.
        dimension: Number of features.

    >>> equal_records(2).features.tolist()
    [[1.0, 0.0], [1.0, 0.0]]
    """
    return Dataset(np.tile(np.eye(dimension)[0], (n, 1)), np.ones(n), name=f"{n} equal records")


def stream_problem(n: int = 1) -> StreamProblem:
    """Online logistic regression with two parameters in the Euclidean unit ball.

    Args:
        n: The most records that the stream may have.

    >>> stream_problem().lipschitz, stream_problem().domain.diameter()
    (Fraction(1, 1), Fraction(2, 1))
    """
    return StreamProblem(Logistic(), n=n, dimension=2, domain=LpBall(Fraction(2), Fraction(1)))


def vertex_stream(n: int = 1) -> VertexStream:
    """Online logistic regression with two parameters in the l_1 unit ball, whose four vertices are chosen among.

    Args:
        n: The most records that the stream may have.

    >>> vertex_stream().lipschitz, vertex_stream().domain.diameter()
    (Fraction(1, 1), Fraction(2, 1))
    """
    return VertexStream(Logistic(), n=n, dimension=2, domain=LpBall(Fraction(1), Fraction(1)))


def two_arms(n: int = 4) -> tuple[Bandit, BanditData]:
    """A bandit with two arms in two dimensions, and n users with the same context, whom the first arm pays one.

    Args:
        n: Number of users.

    >>> two_arms()[1].rewards[0].tolist()
    [1.0, 0.0]
    """
    users = BanditData(np.tile([1.0, 0.0], (n, 1)), np.tile([1.0, 0.0], (n, 1)), f"{n} equal users")
    return Bandit(n=n, dimension=2, arms=2), users


def linear_arms(n: int = 4) -> tuple[LinearBandit, BanditData]:
    """The users of `two_arms` with linear rewards, whose Gram matrices are kept.

    Args:
        n: Number of users.

    >>> linear_arms()[0].leaf_bound
    Fraction(3, 1)
    """
    return LinearBandit(n=n, dimension=2, arms=2), two_arms(n)[1]


def penny_game(n: int = 8) -> Game:
    """A bilinear game of two players with two choices each, payoffs in [-1, 1].

    Args:
        n: Number of records.

    >>> penny_game().dimension, penny_game().lipschitz
    (4, Fraction(1, 1))
    """
    return Game(n=n, rows=2, columns=2)


def matching_pennies(n: int = 8) -> GameData:
    """The same payoffs n times: x pays y one if their choices agree, and receives one if they differ.

    Args:
        n: Number of records.

    >>> matching_pennies(1).payoffs.tolist()
    [[[1.0, -1.0], [-1.0, 1.0]]]
    """
    return GameData.bilinear(np.tile([[1.0, -1.0], [-1.0, 1.0]], (n, 1, 1)), name="matching pennies")


def coin_queries(n: int = 8) -> Queries:
    """Synthetic coins: how often heads, and how often tails, plus one for the one and minus one for the other.

    Args:
        n: Number of records.

    >>> coin_queries().values.tolist()
    [[1.0, -1.0], [-1.0, 1.0]]
    """
    return Queries.closed(n, np.array([[1.0], [-1.0]]))


def coins(n: int = 8) -> QueryData:
    """As many coins, of which every fourth shows tails.

    Args:
        n: Number of records.

    >>> coins(4).answers[:, 0].tolist()
    [-1.0, 1.0, 1.0, 1.0]
    """
    return coin_queries(n).data((np.arange(n) % 4 == 0).astype(np.int64), "coins")


def live_curator(problem: Problem, data: Any, seed: int = 0) -> LiveCurator[Any, ReplaceOne]:
    """A curator of the data under replace-one, whose noise a seed determines (for examples, never for private data).

    Args:
        problem: The problem, which checks the data.
        data: The records, of the kind that the problem reads.
        seed: Seed of the generator of the noise.

    Raises:
        InvalidArgumentError: If the data are not an instance of the problem.

    >>> live_curator(logistic_problem(), equal_records(100)).adjacency.name
    'replace-one'
    """
    return LiveCurator(problem.read(data), ReplaceOne, np.random.default_rng(seed))
