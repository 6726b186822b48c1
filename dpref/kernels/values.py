"""The losses' values and the mean slopes from a point to others, compiled: what a kernel compares candidates by."""

from __future__ import annotations

import math

import numpy as np
from numba import njit

from dpref.kernels.gradients import BLOCK, predict
from dpref.kernels.records import Linear, Vector


@njit(cache=False, nogil=True, error_model="python", inline="always")
def loss_value(code: int, parameter: float, s: float, y: float) -> float:
    """l(s, y): 0 logistic, 1 squared, 2 Huber with threshold ``parameter``, 3 linear.

    >>> loss_value.py_func(1, 0.0, 3.0, 1.0), loss_value.py_func(2, 0.5, 3.0, 1.0), loss_value.py_func(3, 0.0, 2.0, 1.0)
    (2.0, 0.875, -2.0)
    """
    if code == 0:
        return max(-y * s, 0.0) + math.log(1.0 + math.exp(-abs(y * s)))
    if code == 1:
        return (s - y) * (s - y) / 2.0
    if code == 3:
        return -y * s
    cut = max(-parameter, min(parameter, s - y))
    return cut * (s - y - cut / 2.0)


@njit(cache=False, nogil=True, error_model="python")
def mean_slopes(problem: Linear, points: Vector, distances: Vector, bound: float) -> Vector:
    """Means of the records' ``(l(point) - l(first)) / distance``, each cut off at the bound; shape (k - 1,).

    The records are read once for all of them.

    Args:
        problem: The records; their number n is the divisor.
        points: The first and the others, shape (k, d).
        distances: Each at least that of its point from the first, positive, shape (k - 1,).
        bound: G.

    >>> from dpref.kernels.twin import interpreted
    >>> squared = Linear(np.array([[1.0]]), np.zeros(1), 1, 1, 0.0, math.inf, 0.0, math.inf)
    >>> interpreted(mean_slopes)(squared, np.array([[0.0], [1.0], [4.0]]), np.array([1.0, 4.0]), 1.5).tolist()
    [0.5, 1.5]
    """
    features, labels, code, parameter = problem.features, problem.labels, problem.code, problem.parameter
    (records, d), k = features.shape, points.shape[0]
    total, folded, found = np.zeros(k - 1), np.empty(d), np.empty((k, BLOCK))
    for first in range(0, records, BLOCK):
        last = min(first + BLOCK, records)
        for j in range(k):
            predict(features, first, last, points[j], folded, found[j])
            for i in range(first, last):
                found[j, i - first] = loss_value(code, parameter, found[j, i - first], labels[i])
        for j in range(1, k):
            for i in range(first, last):
                change = found[j, i - first] - found[0, i - first]
                total[j - 1] += max(-bound, min(bound, change / distances[j - 1]))
    for j in range(k - 1):
        total[j] /= problem.n
    return total
