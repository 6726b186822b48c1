"""The clipped mean gradient of a linear predictor, compiled: what every ERM kernel calls.

Scalar loops over ``math.*`` and sequential sums, so that the compiled and the interpreted text agree bit for bit.
"""

from __future__ import annotations

import math

import numpy as np
from numba import njit
from numpy.typing import NDArray

Vector = NDArray[np.float64]


@njit(cache=False, nogil=True, error_model="python")
def loss_derivative(code: int, parameter: float, s: float, y: float) -> float:
    """l'(s, y): 0 logistic, 1 squared, 2 Huber with threshold ``parameter``, 3 linear."""
    if code == 0:
        return -y * (1.0 - math.tanh(y * s / 2.0)) / 2.0
    if code == 1:
        return s - y
    if code == 3:
        return -y
    return max(-parameter, min(parameter, s - y))


@njit(cache=False, nogil=True, error_model="python")
def prediction(features: Vector, i: int, theta: Vector) -> float:
    """Row i of ``features``, shape (records, d), times ``theta``, shape (d,).

    Four sums side by side: one alone would wait for each addition, and the loop for the additions instead of memory.
    """
    d = theta.shape[0]
    a = b = c = e = 0.0
    whole = d - d % 4
    for j in range(0, whole, 4):
        a += features[i, j] * theta[j]
        b += features[i, j + 1] * theta[j + 1]
        c += features[i, j + 2] * theta[j + 2]
        e += features[i, j + 3] * theta[j + 3]
    for j in range(whole, d):
        a += features[i, j] * theta[j]
    return (a + b) + (c + e)


@njit(cache=False, nogil=True, error_model="python")
def mean_gradient(
    features: Vector, labels: Vector, n: int, code: int, parameter: float, clip: float, theta: Vector
) -> Vector:
    """Mean of the per-record gradients, each clipped to norm ``clip`` (none if ``clip`` is infinite).

    Args:
        features: Shape (records, d).
        labels: Shape (records,).
        n: Public divisor.
        code: Loss number.
        parameter: Loss parameter.
        clip: Clipping norm, or infinity.
        theta: Shape (d,).

    Returns:
        Shape (d,).
    """
    records, d = features.shape
    total = np.zeros(d)
    for i in range(records):
        slope = loss_derivative(code, parameter, prediction(features, i, theta), labels[i])
        if clip < math.inf:
            square = 0.0
            for j in range(d):
                entry = slope * features[i, j]
                square += entry * entry
            factor = clip / max(clip, math.sqrt(square))
            for j in range(d):
                total[j] += slope * features[i, j] * factor
        else:
            for j in range(d):
                total[j] += slope * features[i, j]
    for j in range(d):
        total[j] /= n
    return total


@njit(cache=False, nogil=True, error_model="python")
def project(theta: Vector, radius: float) -> None:
    """Scale ``theta`` (shape (d,)) into the ball of that radius, in place; nothing if the radius is infinite."""
    if radius < math.inf:
        square = 0.0
        for j in range(theta.shape[0]):
            square += theta[j] * theta[j]
        factor = radius / max(radius, math.sqrt(square))
        for j in range(theta.shape[0]):
            theta[j] *= factor


@njit(cache=False, nogil=True, error_model="python")
def queries_along(
    features: Vector, labels: Vector, n: int, code: int, parameter: float, clip: float, iterates: Vector
) -> Vector:
    """The mean gradient of a data set at each of given iterates: a transcript's queries, replayed on a neighbour.

    Args:
        features: Shape (records, d).
        labels: Shape (records,).
        n: Public divisor.
        code: Loss number.
        parameter: Loss parameter.
        clip: Clipping norm, or infinity.
        iterates: Shape (T, d).

    Returns:
        Shape (T, d).
    """
    steps, d = iterates.shape
    queries = np.empty((steps, d))
    for t in range(steps):
        queries[t] = mean_gradient(features, labels, n, code, parameter, clip, iterates[t])
    return queries
