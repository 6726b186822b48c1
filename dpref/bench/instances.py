"""The instances on which algorithms are timed: one synthetic instance a kind of problem, whatever the algorithm."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from functools import lru_cache
from types import MappingProxyType
from typing import Any, Final, NamedTuple

import numpy as np

from dpref.algorithms.declaration import AnyAlgorithm
from dpref.checks import natural
from dpref.geometry.linear_minimization import LpBall
from dpref.problems.bandit import Bandit, LinearBandit, sampled_bandit
from dpref.problems.datasets import Dataset, synthetic
from dpref.problems.erm import ERMProblem
from dpref.problems.games import Game, sampled_game
from dpref.problems.losses import Logistic
from dpref.problems.queries import Queries
from dpref.problems.stream import StreamProblem, VertexStream
from dpref.reals import FloatArray

MEMORY: Final = 160_000_000  # bytes that the records of an instance may take: several times any cache
LEAST: Final = 1000  # records


class Instance(NamedTuple):
    """A problem with data.

    Attributes:
        problem: The public side.
        data: The private records.
        read: The same as the problem reads them.
        rows: What gradients read of them, one record a row.
    """

    problem: Any
    data: Any
    read: Any
    rows: FloatArray


class Kind(NamedTuple):
    """How a kind of problem is instantiated.

    Attributes:
        make: ``(records, dimension) -> instance``.
        most: The most records by default: fewer where the reference goes through them one by one.
    """

    make: Callable[[int, int], Instance]
    most: int


def _linear(n: int, d: int) -> Dataset:
    """Rows well within the unit ball, where their norms are seen to fit without exact arithmetic."""
    data = synthetic(n, d, seed=0)
    return Dataset(data.features / 2, data.labels, name=data.name)


def _erm(n: int, d: int) -> Instance:
    """Logistic regression; each gradient is clipped, at a norm that some on the wrong side exceed."""
    data, problem = _linear(n, d), ERMProblem(Logistic(), n=n, dimension=d, clip=Fraction(1, 4))
    return Instance(problem, data, problem.read(data), data.features)


def _stream(n: int, d: int) -> Instance:
    """Logistic losses over the unit ball."""
    domain = LpBall(Fraction(2), Fraction(1))
    data, problem = _linear(n, d), StreamProblem(Logistic(), n=n, dimension=d, domain=domain)
    return Instance(problem, data, problem.read(data), data.features)


def _vertex_stream(n: int, d: int) -> Instance:
    """Logistic losses over the l_1 unit ball."""
    domain = LpBall(Fraction(1), Fraction(1))
    data, problem = _linear(n, d), VertexStream(Logistic(), n=n, dimension=d, domain=domain)
    return Instance(problem, data, problem.read(data), data.features)


def _bandit(n: int, d: int) -> Instance:
    """Two arms, uniform contexts, rewards of a linear model."""
    problem = Bandit(n=n, dimension=d, arms=2, reward_bound=Fraction(2))
    data = sampled_bandit(problem, np.eye(2, d), spread=0.1, seed=0)
    return Instance(problem, data, problem.read(data), data.contexts)


def _linear_bandit(n: int, d: int) -> Instance:
    """The same in about the root of d dimensions: a user's noise is a Gram matrix of all arms' parameters."""
    side = max(2, round(d**0.5))
    plain = _bandit(n, side)
    problem = LinearBandit(n=n, dimension=side, arms=2, reward_bound=Fraction(2))
    return plain._replace(problem=problem)


def _game(n: int, d: int) -> Instance:
    """A bilinear game with about d payoffs a record."""
    side = max(2, round(d**0.5))
    data, problem = sampled_game(n, np.zeros((side, side)), seed=0), Game(n=n, rows=side, columns=side)
    return Instance(problem, data, problem.read(data), data.payoffs.reshape(n, -1))


def _queries(n: int, d: int) -> Instance:
    """About d queries on a universe of as many elements, a record one of them."""
    rng, side = np.random.default_rng(0), max(2, d)
    problem = Queries(n, rng.choice([-1.0, 1.0], (side, side)))
    data = problem.data(rng.integers(side, size=n))
    return Instance(problem, data, problem.read(data), data.answers)


KINDS: Final[Mapping[type, Kind]] = MappingProxyType(
    {
        ERMProblem: Kind(_erm, 10**6),
        StreamProblem: Kind(_stream, 20_000),
        VertexStream: Kind(_vertex_stream, 20_000),
        Bandit: Kind(_bandit, 20_000),
        LinearBandit: Kind(_linear_bandit, LEAST),
        Game: Kind(_game, 100_000),
        Queries: Kind(_queries, 100_000),
    }
)


def kind_of(algorithm: AnyAlgorithm) -> Kind:
    """The kind of problem that an algorithm declares its examples for.

    >>> from dpref.algorithms.registry import algorithm_named
    >>> kind_of(algorithm_named("svrg")) is KINDS[ERMProblem]
    True
    """
    return KINDS[algorithm.kind]


def records_within(memory: int, d: int, most: int) -> int:
    """How many records of d doubles fit into that many bytes: at most ``most``, at least 1000.

    >>> records_within(MEMORY, 10, 10**6), records_within(MEMORY, 1000, 10**6)
    (1000000, 20000)
    """
    return max(LEAST, min(most, memory // (8 * natural("d", d))))


@lru_cache(maxsize=len(KINDS))
def instance(kind: Kind, n: int, d: int) -> Instance:
    """The instance of a kind with n records in dimension d; the latest few are kept, as algorithms share them.

    Raises:
        InvalidArgumentError: If there are fewer than 1000 records, or no dimension.
    """
    return kind.make(natural("n", n, least=LEAST), natural("d", d))
