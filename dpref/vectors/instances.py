"""Small problems with data, one for each kind of problem, on which the examples of every algorithm are planned.

The numbers are short doubles, so that a reader sees what they are and every language reads the same.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from functools import cache
from typing import Any, Final, NamedTuple, get_args, get_type_hints

import numpy as np

from dpref.algorithms.forms import Form
from dpref.algorithms.registry import ALGORITHMS
from dpref.errors import InvalidArgumentError
from dpref.problems.bandit import Bandit, BanditData, LinearBandit
from dpref.problems.datasets import Dataset
from dpref.problems.erm import ERMProblem
from dpref.problems.examples import coin_queries, coins, penny_game, stream_problem, vertex_stream
from dpref.problems.games import Game, GameData
from dpref.problems.losses import Logistic
from dpref.problems.queries import Queries
from dpref.problems.stream import StreamProblem, VertexStream
from dpref.units import Adjacency

MOST_STEPS: Final = 20
_LONG, _SHORT = 12, 4  # counts of examples above the first are made the second


class Instance(NamedTuple):
    """A public problem and private records.

    Attributes:
        problem: Of one of the kinds for which algorithms are declared.
        data: What it reads.
    """

    problem: Any
    data: Any


def _records() -> Dataset:
    rows = [[0.5, -0.25, 0.125], [0.25, 0.5, -0.5], [-0.75, 0.125, 0.25], [0.125, -0.375, 0.625]]
    return Dataset(np.array(rows), np.array([1.0, -1.0, 1.0, -1.0]), "four records")


def _pairs() -> Dataset:
    return Dataset(_records().features[:, :2], _records().labels, "four records")


def _users() -> BanditData:
    contexts = np.array([[0.5, -0.25], [0.25, 0.75], [-0.5, 0.125], [0.375, -0.625]])
    rewards = np.array([[0.75, 0.25], [0.125, 0.5], [0.5, 0.375], [0.25, 0.625]])
    return BanditData(contexts, rewards, "four users")


def _payoffs() -> GameData:
    numerators = np.arange(32).reshape(8, 2, 2) * 11 % 31 - 15
    return GameData.bilinear(numerators / 16.0, "eight games")


def instances() -> dict[type, Instance]:
    """For each kind of problem one of them, with data.

    >>> sorted(kind.__name__ for kind in instances())
    ['Bandit', 'ERMProblem', 'Game', 'LinearBandit', 'Queries', 'StreamProblem', 'VertexStream']
    """
    return {
        ERMProblem: Instance(ERMProblem(Logistic(), n=4, dimension=3, clip=Fraction(1, 2)), _records()),
        StreamProblem: Instance(stream_problem(4), _pairs()),
        VertexStream: Instance(vertex_stream(4), _pairs()),
        Bandit: Instance(Bandit(n=4, dimension=2, arms=2), _users()),
        LinearBandit: Instance(LinearBandit(n=4, dimension=2, arms=2), _users()),
        Game: Instance(penny_game(8), _payoffs()),
        Queries: Instance(coin_queries(8), coins(8)),
    }


def instance_of(name: str) -> Instance:
    """What the vectors of an algorithm are made on.

    Args:
        name: Of a registered algorithm.

    Raises:
        InvalidArgumentError: If it is declared for a kind of problem that has no instance here; add one.

    >>> instance_of("spider").problem.n
    4
    """
    kind, known = ALGORITHMS[name].kind, instances()
    if kind not in known:
        rule = f"must be one of {', '.join(k.__name__ for k in known)}; add an instance to dpref.vectors.instances"
        raise InvalidArgumentError("kind", kind.__name__, rule)
    return known[kind]


def shortened(params: Any) -> Any:
    """The same parameters with no long count.

    Args:
        params: Of an algorithm.
    """
    hints = get_type_hints(type(params))

    def is_long(name: str, value: Any) -> bool:
        return int in (hints[name], *get_args(hints[name])) and isinstance(value, int) and value > _LONG

    return replace(params, **{name: _SHORT for name, value in vars(params).items() if is_long(name, value)})


def plans(name: str, adjacency: type[Adjacency]) -> Iterator[Any]:
    """The repaired plans of an algorithm's examples that ask at most `MOST_STEPS` times.

    Args:
        name: Of a registered algorithm.
        adjacency: One of those under which it can be planned.

    >>> from dpref.units import ReplaceOne
    >>> next(plans("gradient-descent", ReplaceOne)).steps
    5
    """
    algorithm, (problem, _) = ALGORITHMS[name], instance_of(name)
    for params in algorithm.examples(problem, adjacency):
        if getattr(params, "form", Form.REPAIRED) is not Form.REPAIRED:
            continue
        try:
            plan = algorithm.plan(problem, shortened(params))
        except InvalidArgumentError:  # an example for more records
            continue
        if 0 < plan.steps <= MOST_STEPS:
            yield plan


@cache
def first_plans(name: str) -> tuple[Any, ...]:
    """The first of these plans under each adjacency.

    Args:
        name: Of a registered algorithm.

    Raises:
        InvalidArgumentError: If there is none at all; then the algorithm's examples are too long for these instances.
    """
    found = tuple(p for a in ALGORITHMS[name].adjacencies if (p := next(plans(name, a), None)) is not None)
    if not found:
        raise InvalidArgumentError("algorithm", name, f"must have an example of at most {MOST_STEPS} answers")
    return found
