"""The losses' values and the mean slope between two points, compiled: what a kernel compares candidates by."""

from __future__ import annotations

import math

import numpy as np
from numba import njit

from dpref.kernels.gradients import dot
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

    >>> from dpref.kernels.twin import interpreted
    >>> squared = Linear(np.array([[1.0]]), np.zeros(1), 1, 1, 0.0, math.inf, 0.0, math.inf)
    >>> print(interpreted(mean_slope)(squared, np.zeros(1), np.ones(1), 1.0, 4.0))
    0.5
    """
    records, d = problem.features.shape
    total, folded = 0.0, np.empty(d)
    for i in range(records):
        row, label = problem.features[i], problem.labels[i]
        before = loss_value(problem.code, problem.parameter, dot(row, theta, folded), label)
        after = loss_value(problem.code, problem.parameter, dot(row, other, folded), label)
        total += max(-bound, min(bound, (after - before) / distance))
    return total / problem.n
