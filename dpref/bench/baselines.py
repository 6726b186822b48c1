"""What a full-gradient kernel is measured against: the same gradients by matrix products, and by a blocked loop.

Both do a kernel's work for each record: the slope of the logistic loss and the clipping, with the norms of the features
computed once a run, and the losses where a run compares points. Neither keeps an order of summation: BLAS and the loop
add as they like, where a kernel has to agree with its interpreted text bit for bit.
"""

from __future__ import annotations

import math

import numpy as np
from numba import njit

from dpref.kernels.records import Linear, Vector

_BLOCK = 16  # rows
_FREE = {"reassoc", "contract", "arcp", "nsz"}  # sums in any order; infinity, a clip that never bites, stays a number


def by_products(problem: Linear, theta: Vector, times: int) -> Vector:
    """The clipped mean gradient at theta, shape (d,), by ``X @ theta`` and ``weights @ X``; computed so many times.

    Args:
        problem: Logistic losses.
        theta: Shape (d,).
        times: As many gradients as a run asks for.

    >>> by_products(Linear(np.eye(2), np.array([1.0, -1.0]), 2, 0, 0.0, np.inf, 0.0, np.inf), np.zeros(2), 1).tolist()
    [-0.25, 0.25]
    """
    features, labels, clip = problem.features, problem.labels, problem.clip
    norms = np.sqrt(np.einsum("ij,ij->i", features, features)) if clip < math.inf else np.empty(0)
    found = np.zeros_like(theta)
    for _ in range(times):
        margins = features @ theta
        margins *= labels
        small = np.abs(margins)
        np.negative(small, out=small)
        np.exp(small, out=small)
        weights = np.where(margins > 0.0, small, 1.0)
        small += 1.0
        weights /= small
        if clip < math.inf:
            np.multiply(weights, norms, out=small)
            np.maximum(small, clip, out=small)
            np.divide(clip, small, out=small)
            weights *= small
        weights *= labels
        found = weights @ features
        found /= -problem.n
    return found


@njit(cache=False, nogil=True, error_model="python", fastmath=_FREE)
def _norms(problem: Linear) -> Vector:
    """Norms of the features, shape (records,); empty where nothing is clipped."""
    records, d = problem.features.shape
    norms = np.empty(records if problem.clip < math.inf else 0)
    for i in range(norms.shape[0]):
        square = 0.0
        for j in range(d):
            square += problem.features[i, j] * problem.features[i, j]
        norms[i] = math.sqrt(square)
    return norms


@njit(cache=False, nogil=True, error_model="python", fastmath=_FREE)
def _weigh(problem: Linear, norms: Vector, first: int, last: int, weights: Vector) -> None:
    """Predictions of the records from first to last become the weights of their features in the gradient, in place."""
    for i in range(first, last):
        margin = problem.labels[i] * weights[i - first]
        small = math.exp(-abs(margin))
        weight = (small if margin > 0.0 else 1.0) / (1.0 + small)
        if problem.clip < math.inf:
            weight *= problem.clip / max(problem.clip, weight * norms[i])
        weights[i - first] = -problem.labels[i] * weight


@njit(cache=False, nogil=True, error_model="python", fastmath=_FREE)
def by_blocks(problem: Linear, theta: Vector, times: int, together: bool) -> Vector:
    """The clipped mean gradient at theta, shape (d,), by a loop over blocks of rows; computed so many times.

    Args:
        problem: Logistic losses.
        theta: Shape (d,).
        times: As many gradients as a run asks for.
        together: Whether rows are taken four at a time, or one by one.

    >>> logistic = Linear(np.eye(2), np.array([1.0, -1.0]), 2, 0, 0.0, np.inf, 0.0, np.inf)
    >>> by_blocks.py_func(logistic, np.zeros(2), 1, True).tolist()
    [-0.25, 0.25]
    """
    features, norms = problem.features, _norms(problem)
    records, d = features.shape
    total, weights = np.zeros(d), np.empty(_BLOCK)
    for _ in range(times):
        total[:] = 0.0
        for first in range(0, records, _BLOCK):
            last = min(first + _BLOCK, records)
            fours = last - (last - first) % 4 if together else first
            for i in range(first, fours, 4):
                a = b = c = e = 0.0
                for j in range(d):
                    a += features[i, j] * theta[j]
                    b += features[i + 1, j] * theta[j]
                    c += features[i + 2, j] * theta[j]
                    e += features[i + 3, j] * theta[j]
                weights[i - first], weights[i + 1 - first], weights[i + 2 - first], weights[i + 3 - first] = a, b, c, e
            for i in range(fours, last):
                a = 0.0
                for j in range(d):
                    a += features[i, j] * theta[j]
                weights[i - first] = a
            _weigh(problem, norms, first, last, weights)
            for i in range(first, fours, 4):
                a, b, c, e = weights[i - first], weights[i + 1 - first], weights[i + 2 - first], weights[i + 3 - first]
                for j in range(d):
                    pair = a * features[i, j] + b * features[i + 1, j]
                    total[j] += pair + c * features[i + 2, j] + e * features[i + 3, j]
            for i in range(fours, last):
                for j in range(d):
                    total[j] += weights[i - first] * features[i, j]
        for j in range(d):
            total[j] /= problem.n
    return total


def slopes_by_products(problem: Linear, points: Vector, distances: Vector, bound: float) -> Vector:
    """What `dpref.kernels.values.mean_slopes` computes, by ``X @ points.T``; shape (k - 1,).

    Args:
        problem: Logistic losses.
        points: Shape (k, d).
        distances: Shape (k - 1,).
        bound: Of a record's slope.

    >>> logistic = Linear(np.eye(2), np.array([1.0, -1.0]), 2, 0, 0.0, np.inf, 0.0, np.inf)
    >>> slopes_by_products(logistic, np.array([[0.0, 0.0], [1.0, 1.0]]), np.array([2.0]), 1.0).round(9).tolist()
    [0.060057253]
    """
    margins = points @ problem.features.T
    margins *= problem.labels
    small = np.abs(margins)
    np.negative(small, out=small)
    np.exp(small, out=small)
    np.log1p(small, out=small)
    small += np.maximum(-margins, 0.0)
    changes = small[1:] - small[0]
    changes /= distances[:, None]
    np.clip(changes, -bound, bound, out=changes)
    found: Vector = changes.sum(axis=1) / problem.n
    return found


@njit(cache=False, nogil=True, error_model="python", fastmath=_FREE)
def slopes_by_blocks(problem: Linear, points: Vector, distances: Vector, bound: float) -> Vector:
    """The same by a loop over the rows, shape (k - 1,).

    Args:
        problem: Logistic losses.
        points: Shape (k, d).
        distances: Shape (k - 1,).
        bound: Of a record's slope.

    >>> logistic = Linear(np.eye(2), np.array([1.0, -1.0]), 2, 0, 0.0, np.inf, 0.0, np.inf)
    >>> compared = np.array([[0.0, 0.0], [1.0, 1.0]]), np.array([2.0])
    >>> slopes_by_blocks.py_func(logistic, *compared, 1.0).round(9).tolist()
    [0.060057253]
    """
    features, (k, d) = problem.features, points.shape
    total, losses = np.zeros(k - 1), np.empty(k)
    for i in range(features.shape[0]):
        for j in range(k):
            margin = 0.0
            for m in range(d):
                margin += features[i, m] * points[j, m]
            margin *= problem.labels[i]
            losses[j] = max(-margin, 0.0) + math.log(1.0 + math.exp(-abs(margin)))
        for j in range(1, k):
            total[j - 1] += max(-bound, min(bound, (losses[j] - losses[0]) / distances[j - 1]))
    for j in range(k - 1):
        total[j] /= problem.n
    return total
