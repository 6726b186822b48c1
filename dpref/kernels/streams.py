"""Records of a linear predictor that arrive one by one, compiled: derivatives, and noisy choices of a vertex."""

from __future__ import annotations

import math

from numba import njit

from dpref.kernels.gradients import loss_derivative
from dpref.kernels.records import LinearStream, Tape, Vector


@njit(cache=False, nogil=True, error_model="python")
def slope(problem: LinearStream, i: int, theta: Vector) -> float:
    """The loss's clipped derivative at the prediction of record i by theta, shape (d,).

    >>> from dpref.kernels.twin import interpreted
    >>> squared = LinearStream(np.array([[1.0, 2.0]]), np.ones(1), 1, 0.0, 0.5, 1, 1.0, 1.0, np.empty((0, 0)))
    >>> float(interpreted(slope)(squared, 0, np.ones(2)))  # at a prediction of 3, clipped at 1/2
    0.5
    """
    s = 0.0
    for j in range(theta.shape[0]):
        s += problem.features[i, j] * theta[j]
    found = loss_derivative(problem.code, problem.parameter, s, problem.labels[i])
    if problem.clip < math.inf:
        found = max(-problem.clip, min(problem.clip, found))
    return found


@njit(cache=False, nogil=True, error_model="python")
def vertex_scores(problem: LinearStream, g: Vector, scores: Vector) -> None:
    """Minus the inner product of g with every vertex, into scores; as `dpref.geometry.candidates` orders them.

    Args:
        problem: On the l_1 ball (kind 2) or a polytope (kind 3).
        g: Shape (d,).
        scores: Shape (V,).

    >>> from dpref.kernels.twin import interpreted
    >>> ball = LinearStream(np.empty((0, 2)), np.empty(0), 0, 0.0, math.inf, 2, math.inf, 2.0, np.empty((0, 0)))
    >>> scores = np.zeros(4)
    >>> interpreted(vertex_scores)(ball, np.array([3.0, -1.0]), scores), scores.tolist()
    (None, [-6.0, 2.0, 6.0, -2.0])
    """
    d = g.shape[0]
    if problem.kind == 2:
        for j in range(d):
            size = problem.radius * g[j]
            scores[j] = -size
            scores[d + j] = size
        return
    for i in range(problem.vertices.shape[0]):
        total = 0.0
        for j in range(d):
            total += problem.vertices[i, j] * g[j]
        scores[i] = -total


@njit(cache=False, nogil=True, error_model="python")
def vertex(problem: LinearStream, chosen: int, v: Vector) -> None:
    """The vertex of that number, into v, shape (d,).

    >>> from dpref.kernels.twin import interpreted
    >>> ball = LinearStream(np.empty((0, 2)), np.empty(0), 0, 0.0, math.inf, 2, math.inf, 2.0, np.empty((0, 0)))
    >>> v = np.ones(2)
    >>> interpreted(vertex)(ball, 3, v), v.tolist()
    (None, [0.0, -2.0])
    """
    d = v.shape[0]
    for j in range(d):
        v[j] = 0.0 if problem.kind == 2 else problem.vertices[chosen, j]
    if problem.kind == 2:
        v[chosen % d] = problem.radius if chosen < d else -problem.radius


@njit(cache=False, nogil=True, error_model="python")
def noisy_max(tape: Tape, k: int, scores: Vector, scale: float) -> int:
    """The first candidate of the largest ``score + scale * noise`` in choice k, or the one that the tape forces.

    Args:
        tape: Unit draws end to end, V a choice, or forced choices one after another.
        k: Number of the choice.
        scores: Shape (V,).
        scale: Of the noise.

    Raises:
        ValueError: If the tape is too short.

    >>> from dpref.kernels.twin import interpreted
    >>> tape = Tape(np.array([0.0, 0.0, 2.0, 0.0]), np.empty(0), np.empty(0, dtype=np.int64))
    >>> [interpreted(noisy_max)(tape, k, np.array([0.0, 1.0]), 1.0) for k in (0, 1)]
    [1, 0]
    """
    size = scores.shape[0]
    forced = tape.answers.shape[0] > 0
    if (k >= tape.answers.shape[0]) if forced else ((k + 1) * size > tape.noise.shape[0]):
        raise ValueError("the tape is too short for this run")
    if forced:
        return int(tape.answers[k])
    best, largest = 0, scores[0] + scale * tape.noise[k * size]
    for i in range(1, size):
        value = scores[i] + scale * tape.noise[k * size + i]
        if value > largest:
            best, largest = i, value
    return best
