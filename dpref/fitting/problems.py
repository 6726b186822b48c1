"""Which algorithms run on a table of records, and the public problem that they are given."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from fractions import Fraction
from types import MappingProxyType
from typing import Any, Final, TypeAlias

from dpref.algorithms.declaration import AnyAlgorithm
from dpref.algorithms.registry import ALGORITHMS, algorithm_named
from dpref.checks import one_of
from dpref.errors import InvalidArgumentError
from dpref.fitting.bounds import Classes, Range
from dpref.geometry.linear_minimization import LpBall
from dpref.geometry.sets import WHOLE_SPACE, L2Ball
from dpref.problems.datasets import Dataset
from dpref.problems.erm import ERMProblem, Records
from dpref.problems.losses import Huber, Logistic, Loss, Squared
from dpref.problems.stream import StreamProblem, VertexStream
from dpref.reals import FLOAT_ARRAY, Array, Ops

Problem: TypeAlias = ERMProblem | StreamProblem

LOSSES: Final[Mapping[str, Callable[[], Loss]]] = MappingProxyType(
    {"logistic": Logistic, "squared": Squared, "huber": lambda: Huber(Fraction(1, 2))}
)
# In which norm the mapped records of a kind of problem have length at most 1: the dual of its domain's.
_NORMS: Final[Mapping[type[Problem], Fraction | float]] = MappingProxyType(
    {ERMProblem: Fraction(2), StreamProblem: Fraction(2), VertexStream: math.inf}
)


@dataclass(frozen=True)
class Uncounted(ERMProblem):
    """A problem whose n is a public divisor alone: under add-or-remove-one nobody may learn how many records there are.

    >>> import numpy as np
    >>> from dpref.problems.datasets import synthetic
    >>> len(Uncounted(Logistic(), n=1000, dimension=2).read(synthetic(5, 2, seed=0)).labels)
    5
    """

    def read(self, data: Dataset, o: Ops[Array] = FLOAT_ARRAY) -> Records:
        """The data in a number system, however many they are.

        Raises:
            InvalidArgumentError: If the dimension or a row's norm does not fit.
        """
        as_many = {field.name: getattr(self, field.name) for field in fields(self)} | {"n": data.n}
        return ERMProblem(**as_many).read(data, o)


def eligible(algorithm: AnyAlgorithm) -> bool:
    """Whether an algorithm's declared kind of problem is made of records with features and a label.

    >>> eligible(algorithm_named("spider")), eligible(algorithm_named("mirror-descent"))
    (True, False)
    """
    return algorithm.kind in _NORMS


def runnable_algorithms() -> tuple[str, ...]:
    """The names of those that run on a user's table.

    >>> runnable_algorithms()[0], len(runnable_algorithms()) < len(ALGORITHMS)
    ('gradient-descent', True)
    """
    return tuple(name for name, algorithm in ALGORITHMS.items() if eligible(algorithm))


def runnable(name: str) -> AnyAlgorithm:
    """The algorithm of that name, if it runs on a user's table.

    Raises:
        InvalidArgumentError: If there is none, or its records are no rows of features and a label.
    """
    algorithm = algorithm_named(name)
    if not eligible(algorithm):
        rule = f"takes the records of a {algorithm.kind.__name__}, no features and target; those that do: "
        raise InvalidArgumentError("algorithm", name, rule + ", ".join(runnable_algorithms()))
    return algorithm


def norm_of(algorithm: AnyAlgorithm) -> Fraction | float:
    """q: mapped records have length at most 1 in this norm.

    Args:
        algorithm: One that runs on a table.

    >>> norm_of(algorithm_named("spider")), norm_of(algorithm_named("polyhedral-frank-wolfe"))
    (Fraction(2, 1), inf)
    """
    return _NORMS[algorithm.kind]


def loss_named(loss: str | Loss, target: Classes | Range) -> Loss:
    """The loss of that name, if it suits the target.

    Args:
        loss: Its name, or the loss itself.
        target: What is publicly known of the target.

    Raises:
        InvalidArgumentError: If there is none, or it is for classes and the target is a number.

    >>> loss_named("huber", Range(0, 1)).parameter
    Fraction(1, 2)
    """
    if isinstance(loss, str):
        one_of("loss", loss, LOSSES)
        loss = LOSSES[loss]()
    if not hasattr(loss, "needs_parameter_bound"):
        rule = f"must be one of {', '.join(LOSSES)}, or a loss of dpref.problems.losses"
        raise InvalidArgumentError("loss", loss, rule)
    if isinstance(loss, Logistic) and isinstance(target, Range):
        raise InvalidArgumentError("loss", loss.name, "is for two classes; for a numeric target take squared or huber")
    return loss


def problem_of(
    algorithm: AnyAlgorithm,
    loss: Loss,
    n: int,
    dimension: int,
    *,
    radius: Fraction | None,
    ridge: Fraction,
    clip: Fraction | None,
    counted: bool,
) -> Problem:
    """The public problem of n mapped records.

    Args:
        algorithm: One that runs on a table.
        loss: Of the linear predictor.
        n: The public number of records.
        dimension: Of the mapped records.
        radius: Of the ball in which the answer is sought; by default the whole space, or 1 where there must be a ball.
        ridge: Weight of half the squared norm.
        clip: At which gradients (of streams: the loss's derivative) are clipped, or None.
        counted: Whether the number of records is public.

    Raises:
        InvalidArgumentError: If the problem does not have what is asked for.
    """
    if algorithm.kind is ERMProblem:
        needs_ball = loss.needs_parameter_bound and clip is None
        ball = radius or (Fraction(1) if needs_ball else None)
        domain = WHOLE_SPACE if ball is None else L2Ball(ball)
        kind = ERMProblem if counted else Uncounted
        return kind(loss, n=n, dimension=dimension, clip=clip, ridge=ridge, domain=domain)
    if ridge != 0:
        raise InvalidArgumentError("regularisation", ridge, f"must be 0: {algorithm.name} takes losses without one")
    index = Fraction(1) if algorithm.kind is VertexStream else Fraction(2)
    made: Any = algorithm.kind
    found: Problem = made(loss, n=n, dimension=dimension, domain=LpBall(index, radius or Fraction(1)), clip=clip)
    return found
