"""The losses' values and the mean slope between two points, compiled: what a kernel compares candidates by."""

from __future__ import annotations

import math

from numba import njit

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
def mean_slope(problem: Linear, theta: Vector, other: Vector, distance: float, bound: float) -> float:
    """Mean of the records' ``(l(other) - l(theta)) / distance``, each cut off at the bound.

    Args:
        problem: The records; their number n is the divisor.
        theta: Shape (d,).
        other: Shape (d,).
        distance: At least that of the two points, positive.
        bound: G.

    >>> import numpy as np
    >>> from dpref.kernels.twin import interpreted
    >>> squared = Linear(np.array([[1.0]]), np.zeros(1), 1, 1, 0.0, math.inf, 0.0, math.inf)
    >>> print(interpreted(mean_slope)(squared, np.zeros(1), np.ones(1), 1.0, 4.0))
    0.5
    """
    features, labels, code, parameter = problem.features, problem.labels, problem.code, problem.parameter
    records, d = features.shape
    total = 0.0
    for i in range(records):
        s = t = 0.0
        for j in range(d):
            s += features[i, j] * theta[j]
            t += features[i, j] * other[j]
        change = loss_value(code, parameter, t, labels[i]) - loss_value(code, parameter, s, labels[i])
        total += max(-bound, min(bound, change / distance))
    return total / problem.n
