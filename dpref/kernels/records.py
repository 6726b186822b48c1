"""What a kernel is given and what it leaves, as named tuples: the records with the public problem, a tape, a trace.

Importing this loads numpy alone, so that problems can make their records without waiting for the compiler.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

Vector = NDArray[np.float64]
Indices = NDArray[np.int64]
# An annotation is looked up here and never taken apart, because numpy 2.5 spells ``NDArray`` otherwise than 2.4.
ELEMENT_TYPES: Final[Mapping[Any, type[np.generic]]] = {Vector: np.float64, Indices: np.int64}


class Linear(NamedTuple):
    """Records of a linear predictor.

    Attributes:
        features: Shape (records, d).
        labels: Shape (records,).
        n: Public divisor of the mean gradient.
        code: Number of the loss.
        parameter: The loss's parameter.
        clip: Clipping norm of a gradient, or infinity.
        ridge: Weight of the regulariser.
        radius: Radius of the constraint ball, or infinity.
    """

    features: Vector
    labels: Vector
    n: int
    code: int
    parameter: float
    clip: float
    ridge: float
    radius: float


class LinearStream(NamedTuple):
    """Records of a linear predictor that arrive one after another, and the set of a linear minimisation oracle.

    Attributes:
        features: Shape (n, d).
        labels: Shape (n,).
        code: Number of the loss.
        parameter: The loss's parameter.
        clip: Bound on the loss's derivative, or infinity.
        kind: 0 ball with 1 < p < inf, 1 box, 2 ball with p = 1, 3 vertices.
        dual: q, for kind 0.
        radius: r, for kinds 0 to 2.
        vertices: Shape (V, d), for kind 3.
    """

    features: Vector
    labels: Vector
    code: int
    parameter: float
    clip: float
    kind: int
    dual: float
    radius: float
    vertices: Vector


class Contexts(NamedTuple):
    """Users of a bandit that arrive one after another.

    Attributes:
        contexts: Shape (n, d).
        rewards: What each arm would pay, shape (n, K).
        link: 0 identity, 1 logistic.
        radius: Of the l_1 ball of an arm's parameters.
    """

    contexts: Vector
    rewards: Vector
    link: int
    radius: float


class Payoffs(NamedTuple):
    """Records of a game.

    Attributes:
        payoffs: Shape (n, d_x, d_y).
        slopes: Shape (n, d_x).
        offsets: Shape (n,).
        ramp: Width of the ramps; zero for a bilinear game.
    """

    payoffs: Vector
    slopes: Vector
    offsets: Vector
    ramp: float


class QueryAnswers(NamedTuple):
    """Queries and what the records answer.

    Attributes:
        values: Public, what every element of the universe answers, shape (elements, queries).
        answers: Shape (n, queries).
    """

    values: Vector
    answers: Vector


# How a mirror map's step stays within its ball, and how often the interval of a soft threshold is halved.
SCALED, CUT, THRESHOLDED = range(3)
HALVINGS = 60


class MirrorNumbers(NamedTuple):
    """A mirror map.

    Attributes:
        kind: 0 scaled into the ball, 1 cut off, 2 thresholded.
        exponent: a.
        dual: b, with 1/a + 1/b = 1.
        scale: s.
        radius: R.
    """

    kind: int
    exponent: float
    dual: float
    scale: float
    radius: float


class Tape(NamedTuple):
    """The randomness of a run, or the answers that it is forced to.

    Attributes:
        noise: Unit draws: one answer a row, shape (K, d), where answers are vectors (a choice among them is a row too);
            end to end where all are choices.
        answers: What every query is answered with, whatever it asks: shape (K, d), or the choices one after another;
            empty, shape (0, d) or (0,), where the noise decides.
        indices: The random indices of the run, one after another.
    """

    noise: Vector
    answers: Vector
    indices: Indices


class Trace(NamedTuple):
    """What a run leaves: the record that a curator's transcript gives too.

    Attributes:
        points: The point of each query, then the output, shape (K + 1, d).
        queries: The exact queries, before noise, shape (K, d); a scalar one in its first entry.
        scales: The factor of each answer's noise, shape (K,).
        answers: What was answered, laid out as `Tape.answers`.
    """

    points: Vector
    queries: Vector
    scales: Vector
    answers: Vector
