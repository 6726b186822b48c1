"""The saddle operator of a batch of game records and the choice of vertices, compiled.

Scalar loops over ``math.*`` and sequential sums, so that the compiled and the interpreted text agree bit for bit.
"""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray

Vector = NDArray[np.float64]


Indices = NDArray[np.int64]


@njit(cache=False, nogil=True, error_model="python")
def operator(
    payoffs: Vector, slopes: Vector, offsets: Vector, ramp: float, start: int, stop: int, point: Vector
) -> Vector:
    """The mean over records start, ..., stop - 1 of (gradient in x, minus gradient in y).

    Args:
        payoffs: Shape (n, d_x, d_y).
        slopes: Shape (n, d_x).
        offsets: Shape (n,).
        ramp: Width of the ramps; zero for a bilinear game.
        start: First record.
        stop: One past the last record.
        point: x and then y, shape (d_x + d_y,).

    Returns:
        Shape (d_x + d_y,).

    >>> coins = np.array([[[1.0, -1.0], [-1.0, 1.0]]])
    >>> zero = np.zeros((1, 2)), np.zeros(1)
    >>> operator.py_func(coins, *zero, 0.0, 0, 1, np.array([1.0, 0.0, 1.0, 0.0])).tolist()
    [1.0, -1.0, -1.0, 1.0]
    """
    rows, columns = payoffs.shape[1], payoffs.shape[2]
    total, mean = np.zeros(rows + columns), np.zeros((rows, columns))
    for k in range(start, stop):
        for i in range(rows):
            for j in range(columns):
                mean[i, j] += payoffs[k, i, j]
    for i in range(rows):
        s = 0.0
        for j in range(columns):
            s += mean[i, j] * point[rows + j]
            total[rows + j] -= mean[i, j] * point[i]
        total[i] = s
    if ramp > 0.0:
        for k in range(start, stop):
            s = 0.0
            for i in range(rows):
                s += slopes[k, i] * point[i]
            height = max(-1.0, min(1.0, (s - offsets[k]) / ramp))
            for i in range(rows):
                total[i] += slopes[k, i] * height
    for i in range(rows + columns):
        total[i] /= stop - start
    return total


@njit(cache=False, nogil=True, error_model="python")
def choose(scores: Vector, noise: Vector, first: int, count: int, start: int, stop: int, chosen: Indices) -> int:
    """Draw vertices among start, ..., stop - 1 by the largest noisy score.

    Args:
        scores: Shape (d,).
        noise: Standard Gumbel draws, one after another, shape (L,).
        first: Where this selection's draws begin.
        count: How many vertices are drawn.
        start: First candidate.
        stop: One past the last candidate.
        chosen: Receives the indices, counted from ``start``, shape (count,).

    Returns:
        Where the next selection's draws begin.

    >>> chosen = np.zeros(1, dtype=np.int64)
    >>> choose.py_func(np.array([0.0, 5.0]), np.zeros(2), 0, 1, 0, 2, chosen), chosen.tolist()
    (2, [1])
    """
    for k in range(count):
        best, largest = 0, scores[start] + noise[first]
        for i in range(1, stop - start):
            value = scores[start + i] + noise[first + i]
            if value > largest:
                best, largest = i, value
        chosen[k] = best
        first += stop - start
    return first


@njit(cache=False, nogil=True, error_model="python")
def place(point: Vector, x: Indices, y: Indices, rows: int, first: int, last: int) -> None:
    """Write the averages of the vertices first, ..., last - 1 of both players into ``point``, shape (d_x + d_y,).

    >>> point = np.zeros(4)
    >>> place.py_func(point, np.array([0, 1]), np.array([1, 1]), 2, 0, 2)
    >>> point.tolist()
    [0.5, 0.5, 0.0, 1.0]
    """
    point[:] = 0.0
    for k in range(first, last):
        point[x[k]] += 1.0
        point[rows + y[k]] += 1.0
    for i in range(point.shape[0]):
        point[i] /= last - first


@njit(cache=False, nogil=True, error_model="python")
def add_output(output: Vector, x: int, y: int, rows: int) -> None:
    """Count one output vertex of each player, in place; ``output`` has shape (d_x + d_y,).

    >>> output = np.zeros(4)
    >>> add_output.py_func(output, 1, 0, 2)
    >>> output.tolist()
    [0.0, 1.0, 1.0, 0.0]
    """
    output[x] += 1.0
    output[rows + y] += 1.0


@njit(cache=False, nogil=True, error_model="python")
def descend(scores: Vector, gradient: Vector, step_size: float, toward: float, rows: int) -> None:
    """Move the scores, shape (d,), along the estimate, in place; ``toward`` is 1, or -1 for the printed y-step.

    >>> scores = np.zeros(2)
    >>> descend.py_func(scores, np.array([1.0, 1.0]), 0.5, -1.0, 1)
    >>> scores.tolist()
    [-0.5, 0.5]
    """
    for i in range(scores.shape[0]):
        scores[i] -= step_size * (gradient[i] if i < rows else toward * gradient[i])


@njit(cache=False, nogil=True, error_model="python")
def log_likelihood(scores: Vector, start: int, stop: int, chosen: Indices) -> float:
    """The log-probability of drawn vertices among start, ..., stop - 1, under softmax of the scores.

    >>> print(round(log_likelihood.py_func(np.zeros(4), 0, 4, np.array([2])), 9))
    -1.386294361
    """
    largest = scores[start]
    for i in range(start, stop):
        largest = max(largest, scores[i])
    total = 0.0
    for i in range(start, stop):
        total += np.exp(scores[i] - largest)
    result = 0.0
    for k in range(chosen.shape[0]):
        result += scores[start + chosen[k]] - largest - np.log(total)
    return result
