"""Linear predictors with gradients measured in a dual norm, compiled: slopes, linear minimisation, noisy choices."""

from __future__ import annotations

import math

from numba import njit

from dpref.kernels.branches import power, where_positive
from dpref.kernels.gradients import loss_derivative
from dpref.kernels.records import LinearStream, Tape, Vector


@njit(cache=False, nogil=True, error_model="python")
def slope(problem: LinearStream, i: int, theta: Vector) -> float:
    """The loss's clipped derivative at the prediction of record i by theta, shape (d,).

    >>> import numpy as np
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
def best_vertex(g: Vector, vertices: Vector, v: Vector) -> None:
    """The first of the vertices with the least inner product with g.

    Args:
        g: Shape (d,).
        vertices: Shape (V, d).
        v: Receives the vertex, shape (d,).

    >>> import numpy as np
    >>> from dpref.kernels.twin import interpreted
    >>> v, vertices = np.zeros(2), np.array([[1.0, 0.0], [-1.0, 0.0], [0.0, 1.0]])
    >>> interpreted(best_vertex)(np.array([2.0, 1.0]), vertices, v), v.tolist()
    (None, [-1.0, 0.0])
    """
    best, least = 0, math.inf
    for i in range(vertices.shape[0]):
        score = 0.0
        for j in range(g.shape[0]):
            score += vertices[i, j] * g[j]
        if score < least:
            best, least = i, score
    for j in range(g.shape[0]):
        v[j] = vertices[best, j]


@njit(cache=False, nogil=True, error_model="python")
def minimise(problem: LinearStream, g: Vector, v: Vector) -> None:
    """A minimiser of <g, v> over the problem's set, into v; both of shape (d,).

    >>> import numpy as np
    >>> from dpref.kernels.twin import interpreted
    >>> box = LinearStream(np.empty((0, 2)), np.empty(0), 0, 0.0, math.inf, 1, 1.0, 5.0, np.empty((0, 0)))
    >>> interpreted(minimise)(box, np.array([3.0, -4.0]), v := np.zeros(2)), v.tolist()
    (None, [-5.0, 5.0])
    """
    kind, dual, radius = problem.kind, problem.dual, problem.radius
    d = g.shape[0]
    if kind == 3:
        best_vertex(g, problem.vertices, v)
        return
    size = 0.0
    for j in range(d):
        v[j] = 0.0
        size = max(size, abs(g[j]))
    if size == 0.0:
        return
    if kind == 2:
        top = 0
        for j in range(1, d):
            if abs(g[j]) > abs(g[top]):
                top = j
        v[top] = -radius if g[top] > 0.0 else radius
        return
    if kind == 1:
        for j in range(d):
            if g[j] != 0.0:
                v[j] = -radius if g[j] > 0.0 else radius
        return
    total = 0.0
    for j in range(d):
        total += power(abs(g[j]) / size, dual)
    scale = power(total, (dual - 1.0) / dual)
    for j in range(d):
        weight = radius * power(abs(g[j]) / size, dual - 1.0) / scale
        v[j] = where_positive(g[j], -weight, weight)


@njit(cache=False, nogil=True, error_model="python")
def add_gradients(problem: LinearStream, first: int, last: int, theta: Vector, weight: float, total: Vector) -> None:
    """Add ``weight`` times the sum of the clipped gradients of some records to ``total``.

    Args:
        problem: The records.
        first: The first of them, counted from zero.
        last: One beyond the last.
        theta: Shape (d,).
        weight: The factor.
        total: Shape (d,).

    >>> import numpy as np
    >>> from dpref.kernels.twin import interpreted
    >>> squared = LinearStream(np.eye(2), np.ones(2), 1, 0.0, math.inf, 1, 1.0, 1.0, np.empty((0, 0)))
    >>> interpreted(add_gradients)(squared, 0, 2, np.zeros(2), 0.5, total := np.zeros(2)), total.tolist()
    (None, [-0.5, -0.5])
    """
    for i in range(first, last):
        factor = weight * slope(problem, i, theta)
        for j in range(theta.shape[0]):
            total[j] += factor * problem.features[i, j]


@njit(cache=False, nogil=True, error_model="python")
def vertex_scores(problem: LinearStream, g: Vector, scores: Vector) -> None:
    """Minus the inner product of g with every vertex, into scores; as `dpref.geometry.candidates` orders them.

    Args:
        problem: On the l_1 ball (kind 2) or a polytope (kind 3).
        g: Shape (d,).
        scores: Shape (V,).

    >>> import numpy as np
    >>> from dpref.kernels.twin import interpreted
    >>> ball = LinearStream(np.empty((0, 2)), np.empty(0), 0, 0.0, math.inf, 2, math.inf, 2.0, np.empty((0, 0)))
    >>> interpreted(vertex_scores)(ball, np.array([3.0, -1.0]), scores := np.zeros(4)), scores.tolist()
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

    >>> import numpy as np
    >>> from dpref.kernels.twin import interpreted
    >>> ball = LinearStream(np.empty((0, 2)), np.empty(0), 0, 0.0, math.inf, 2, math.inf, 2.0, np.empty((0, 0)))
    >>> interpreted(vertex)(ball, 3, v := np.ones(2)), v.tolist()
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

    >>> import numpy as np
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
