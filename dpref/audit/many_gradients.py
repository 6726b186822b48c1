"""Clipped mean gradients at many points at once, compiled: one pass over the records serves all of them.

Points lie side by side, one in each lane of an array, so that a compiler uses vectors without changing the order of a
sum: every lane adds as a single run does, record by record.  Products and sums may be fused and the exponential is a
polynomial, so that the doubles are not those of `dpref.kernels.gradients`, which no kernel of an algorithm may do: it
is why this stands here, beside what draws runs by the million.  Both lie within the rounding errors of the reference
(tested against enclosures).  As all lanes are worked on alike, what a lane gives does not depend on the others.
"""

from __future__ import annotations

import math

import numpy as np
from numba import njit

from dpref.kernels.gradients import loss_derivative
from dpref.kernels.records import Linear, Vector

LANES = 128  # so that points and their gradients stay in a cache beside a block of records
ROWS = 8  # records of a block, a multiple of four
_LOG2E, _LN2_HIGH, _LN2_LOW = 1.4426950408889634, 6.93147180369123816490e-01, 1.90821492927058770002e-10
_SHIFT = 6755399441055744.0  # 1.5 * 2^52: adding it rounds to an integer, which the last bits then hold
_LEAST = -700.0  # beyond which the exponential is nothing beside one


@njit(cache=False, nogil=True, error_model="python", fastmath={"contract"})
def predict(features: Vector, theta: Vector, first: int, last: int, found: Vector) -> None:
    """Predictions of the records from ``first`` to ``last`` at every point, in the first rows of ``found``.

    Args:
        features: Shape (records, d).
        theta: Points, shape (d, lanes).
        first: The first record.
        last: The record behind the last one, at most `ROWS` further.
        found: Shape (ROWS, lanes).

    >>> found = np.empty((8, 1))
    >>> predict.py_func(np.array([[1.0, 2.0]]), np.array([[3.0], [4.0]]), 0, 1, found)
    >>> found[0].tolist()
    [11.0]
    """
    d, lanes = theta.shape
    threes, fours = d - d % 3, last - (last - first) % 4
    for k in range(last - first):
        for r in range(lanes):
            found[k, r] = 0.0
    for i in range(first, fours, 4):
        k = i - first
        for j in range(0, threes, 3):
            a0, a1, a2 = features[i, j], features[i, j + 1], features[i, j + 2]
            b0, b1, b2 = features[i + 1, j], features[i + 1, j + 1], features[i + 1, j + 2]
            c0, c1, c2 = features[i + 2, j], features[i + 2, j + 1], features[i + 2, j + 2]
            e0, e1, e2 = features[i + 3, j], features[i + 3, j + 1], features[i + 3, j + 2]
            for r in range(lanes):
                x0, x1, x2 = theta[j, r], theta[j + 1, r], theta[j + 2, r]
                found[k, r] = ((found[k, r] + a0 * x0) + a1 * x1) + a2 * x2
                found[k + 1, r] = ((found[k + 1, r] + b0 * x0) + b1 * x1) + b2 * x2
                found[k + 2, r] = ((found[k + 2, r] + c0 * x0) + c1 * x1) + c2 * x2
                found[k + 3, r] = ((found[k + 3, r] + e0 * x0) + e1 * x1) + e2 * x2
        for j in range(threes, d):
            for q in range(4):
                entry = features[i + q, j]
                for r in range(lanes):
                    found[k + q, r] += entry * theta[j, r]
    for i in range(fours, last):
        for j in range(d):
            entry = features[i, j]
            for r in range(lanes):
                found[i - first, r] += entry * theta[j, r]


@njit(cache=False, nogil=True, error_model="python", fastmath={"contract"})
def accumulate(features: Vector, weights: Vector, first: int, last: int, total: Vector) -> None:
    """Add weighted records to the totals of every point, record by record.

    Args:
        features: Shape (records, d).
        weights: One a record and lane, shape (ROWS, lanes).
        first: The first record.
        last: The record behind the last one.
        total: Shape (d, lanes), in place.

    >>> total = np.zeros((2, 1))
    >>> accumulate.py_func(np.array([[1.0, 2.0]]), np.array([[3.0]]), 0, 1, total)
    >>> total.ravel().tolist()
    [3.0, 6.0]
    """
    d, lanes = total.shape
    threes, fours = d - d % 3, last - (last - first) % 4
    for i in range(first, fours, 4):
        k = i - first
        for j in range(0, threes, 3):
            a0, a1, a2, a3 = features[i, j], features[i + 1, j], features[i + 2, j], features[i + 3, j]
            b0, b1, b2, b3 = features[i, j + 1], features[i + 1, j + 1], features[i + 2, j + 1], features[i + 3, j + 1]
            c0, c1, c2, c3 = features[i, j + 2], features[i + 1, j + 2], features[i + 2, j + 2], features[i + 3, j + 2]
            for r in range(lanes):
                w0, w1, w2, w3 = weights[k, r], weights[k + 1, r], weights[k + 2, r], weights[k + 3, r]
                total[j, r] = (((total[j, r] + a0 * w0) + a1 * w1) + a2 * w2) + a3 * w3
                total[j + 1, r] = (((total[j + 1, r] + b0 * w0) + b1 * w1) + b2 * w2) + b3 * w3
                total[j + 2, r] = (((total[j + 2, r] + c0 * w0) + c1 * w1) + c2 * w2) + c3 * w3
        for j in range(threes, d):
            for q in range(4):
                entry = features[i + q, j]
                for r in range(lanes):
                    total[j, r] += entry * weights[k + q, r]
    for i in range(fours, last):
        for j in range(d):
            entry = features[i, j]
            for r in range(lanes):
                total[j, r] += entry * weights[i - first, r]


@njit(cache=False, nogil=True, error_model="python", fastmath={"contract", "nnan"})
def exponentials(x: Vector, powers: Vector, found: Vector) -> None:
    """``exp(-abs(x))``, within four units in the last place; below exp(-700) that.

    With k the integer nearest to x / ln 2, exp(x) is 2^k exp(x - k ln 2), by the series to the 13th power.

    Args:
        x: Shape (lanes,).
        powers: Scratch, shape (lanes,).
        found: Shape (lanes,).

    >>> x, powers, found = np.array([0.0, -3.0, 3.0]), np.empty(3), np.empty(3)
    >>> exponentials.py_func(x, powers, found)
    >>> bool(np.abs(found / np.exp(-np.abs(x)) - 1).max() < 4 * 2.0**-52)
    True
    """
    for r in range(x.shape[0]):
        z = -abs(x[r])
        z = z if z > _LEAST else _LEAST  # noqa: FURB136 - max would ask about NaN, and keep vectors away
        shifted = z * _LOG2E + _SHIFT
        k = shifted - _SHIFT
        z = (z - k * _LN2_HIGH) - k * _LN2_LOW
        p = 1.0 / 6227020800.0
        p = p * z + 1.0 / 479001600.0
        p = p * z + 1.0 / 39916800.0
        p = p * z + 1.0 / 3628800.0
        p = p * z + 1.0 / 362880.0
        p = p * z + 1.0 / 40320.0
        p = p * z + 1.0 / 5040.0
        p = p * z + 1.0 / 720.0
        p = p * z + 1.0 / 120.0
        p = p * z + 1.0 / 24.0
        p = p * z + 1.0 / 6.0
        p = p * z + 0.5
        p = p * z + 1.0
        p = p * z + 1.0
        powers[r] = shifted
        found[r] = p
    whole, bits = powers.view(np.int64), found.view(np.int64)
    for r in range(x.shape[0]):
        bits[r] += whole[r] << 52


@njit(cache=False, nogil=True, error_model="python", fastmath={"contract", "nnan"})
def weigh(problem: Linear, norms: Vector, first: int, last: int, scratch: Vector) -> None:
    """Predictions of the records from ``first`` to ``last`` become the weights of their features, in place.

    Args:
        problem: The records.
        norms: What `dpref.kernels.gradients.feature_norms` gives.
        first: The first record.
        last: The record behind the last one.
        scratch: Predictions in its first `ROWS` rows, shape (3 ROWS, lanes).

    >>> scratch = np.zeros((24, 1))
    >>> logistic = Linear(np.eye(1), np.array([-1.0]), 1, 0, 0.0, math.inf, 0.0, math.inf)
    >>> weigh(logistic, np.empty(0), 0, 1, scratch)
    >>> scratch[0].tolist()
    [0.5]
    """
    rows, lanes = last - first, scratch.shape[1]
    if problem.code == 0:
        for k in range(rows):
            y = problem.labels[first + k]
            for r in range(lanes):
                scratch[k, r] *= y
        # All rows are one long array: a call for each would cost as much as what it does.
        flat = scratch.reshape(scratch.size)
        block, used = ROWS * lanes, rows * lanes
        exponentials(flat[:used], flat[block : block + used], flat[2 * block : 2 * block + used])
        for k in range(rows):
            y = problem.labels[first + k]
            for r in range(lanes):
                small = scratch[2 * ROWS + k, r]
                scratch[k, r] = -y * (small if scratch[k, r] > 0.0 else 1.0) / (1.0 + small)
    else:
        for k in range(rows):
            for r in range(lanes):
                scratch[k, r] = loss_derivative(
                    problem.code, problem.parameter, scratch[k, r], problem.labels[first + k]
                )
    if problem.clip < math.inf:
        clip = problem.clip
        for k in range(rows):
            norm = norms[first + k]
            for r in range(lanes):
                length = abs(scratch[k, r]) * norm
                scratch[k, r] *= clip / (max(clip, length))


@njit(cache=False, nogil=True, error_model="python", fastmath={"contract"})
def mean_gradients(problem: Linear, norms: Vector, theta: Vector, total: Vector, scratch: Vector) -> None:
    """Means of the clipped per-record gradients at every point, in ``total``.

    Args:
        problem: The records.
        norms: What `dpref.kernels.gradients.feature_norms` gives.
        theta: Points, shape (d, lanes).
        total: Shape (d, lanes).
        scratch: Shape (3 ROWS, lanes).

    >>> logistic = Linear(np.eye(2), np.array([1.0, -1.0]), 2, 0, 0.0, math.inf, 0.0, math.inf)
    >>> total = np.empty((2, 1))
    >>> mean_gradients(logistic, np.empty(0), np.zeros((2, 1)), total, np.empty((24, 1)))
    >>> total.ravel().tolist()
    [-0.25, 0.25]
    """
    records, d, lanes = problem.features.shape[0], theta.shape[0], theta.shape[1]
    total[:] = 0.0
    for first in range(0, records, ROWS):
        last = min(first + ROWS, records)
        predict(problem.features, theta, first, last, scratch)
        weigh(problem, norms, first, last, scratch)
        accumulate(problem.features, scratch, first, last, total)
    for j in range(d):
        for r in range(lanes):
            total[j, r] /= problem.n
