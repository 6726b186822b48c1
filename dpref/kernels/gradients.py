"""The clipped mean gradient of a linear predictor, compiled: what every ERM kernel calls.

Scalar loops over ``math.*`` in a fixed order, so that the compiled and the interpreted text agree bit for bit.  A
strict order keeps a compiler from using vectors for a sum, not for what is done entry by entry: a dot product therefore
first folds its products to a quarter of their number, entry by entry; long rows piece by piece, in memory's order.
Rows too short for that are taken four at a time, as sums that do not wait for each other.  Rows come in blocks that
stay in a cache between the prediction and the gradient, so that memory is read once.
"""

from __future__ import annotations

import math

import numpy as np
from numba import njit

from dpref.kernels.branches import power, where_positive
from dpref.kernels.records import Indices, Linear, Vector

BLOCK = 64  # rows, a multiple of four
SHORT, LONG = 32, 320  # numbers in a row: too few to fold, and too many to fold at once


@njit(cache=False, nogil=True, error_model="python", inline="always")
def loss_derivative(code: int, parameter: float, s: float, y: float) -> float:
    """l'(s, y): 0 logistic, 1 squared, 2 Huber with threshold ``parameter``, 3 linear, 4 power with that exponent.

    >>> loss_derivative.py_func(0, 0.0, 0.0, 1.0), loss_derivative.py_func(2, 0.5, 3.0, 1.0)
    (-0.5, 0.5)
    >>> loss_derivative.py_func(4, 4.0, -0.5, -1.0)
    0.875
    """
    if code == 0:
        small = math.exp(-abs(y * s))
        return -y * where_positive(y * s, small, 1.0) / (1.0 + small)
    if code == 1:
        return s - y
    if code == 5:
        return sharp_derivative(parameter, s - y)
    if code == 3:
        return -y
    if code == 4:
        cut, power = max(-1.0, min(1.0, s)), 1.0
        for _ in range(int(parameter) - 2):
            power *= abs(cut)
        return cut * power - y
    return max(-parameter, min(parameter, s - y))


@njit(cache=False, nogil=True, error_model="python", inline="always")
def sharp_derivative(exponent: float, residual: float) -> float:
    """The derivative of ``|residual| ** exponent`` within one, and its value at one beyond (the loss number 5).

    >>> sharp_derivative.py_func(1.5, 4.0), sharp_derivative.py_func(1.5, -4.0)
    (1.5, -1.5)
    """
    slope = exponent * power(min(1.0, abs(residual)), exponent - 1.0)
    return where_positive(residual, slope, -slope)


@njit(cache=False, nogil=True, error_model="python", inline="always")
def eight(folded: Vector, h: int, x: Vector, y: Vector, n: int) -> float:
    """The sum of h folded products, a multiple of eight, and of those from the n-th on, which are not folded.

    Eight sums side by side: one alone would wait for each addition.

    Args:
        folded: Shape (at least h,).
        h: How many.
        x: Shape (d,).
        y: Shape (d,).
        n: How many products are folded.

    >>> print(eight.py_func(np.arange(16.0), 16, np.ones(33), np.ones(33), 32))
    121.0
    """
    a = b = c = e = f = g = k = m = 0.0
    for j in range(0, h, 8):
        a += folded[j]
        b += folded[j + 1]
        c += folded[j + 2]
        e += folded[j + 3]
        f += folded[j + 4]
        g += folded[j + 5]
        k += folded[j + 6]
        m += folded[j + 7]
    for j in range(n, x.shape[0]):
        b += x[j] * y[j]
    return ((a + b) + (c + e)) + ((f + g) + (k + m))


@njit(cache=False, nogil=True, error_model="python", inline="always")
def dot(x: Vector, y: Vector, folded: Vector) -> float:
    """The inner product of two vectors of shape (d,), d below `LONG`; ``folded``, shape (d,), is scratch.

    >>> from dpref.kernels.twin import interpreted
    >>> print(interpreted(dot)(np.arange(40.0), np.ones(40), np.empty(40)))
    780.0
    """
    h = 8 * (x.shape[0] // 32)
    for j in range(h):
        folded[j] = (x[j] * y[j] + x[j + h] * y[j + h]) + (x[j + 2 * h] * y[j + 2 * h] + x[j + 3 * h] * y[j + 3 * h])
    return eight(folded, h, x, y, 4 * h)


@njit(cache=False, nogil=True, error_model="python", inline="always")
def long_dot(x: Vector, y: Vector, folded: Vector) -> float:
    """The same of vectors from `LONG` on, folded piece by piece: memory is read in its order.

    Args:
        x: Shape (d,).
        y: Shape (d,).
        folded: Scratch, shape (32,).

    >>> from dpref.kernels.twin import interpreted
    >>> print(interpreted(long_dot)(np.arange(330.0), np.ones(330), np.empty(32)))
    54285.0
    """
    n = x.shape[0] - x.shape[0] % 128
    for j in range(32):
        folded[j] = 0.0
    for k in range(0, n, 128):
        for j in range(32):
            near = x[k + j] * y[k + j] + x[k + j + 32] * y[k + j + 32]
            folded[j] += near + (x[k + j + 64] * y[k + j + 64] + x[k + j + 96] * y[k + j + 96])
    return eight(folded, 32, x, y, n)


@njit(cache=False, nogil=True, error_model="python")
def long_products(features: Vector, first: int, last: int, theta: Vector, found: Vector) -> None:
    """Inner products of rows first, ..., last - 1 with theta, into ``found``; compiled by itself, as it is faster so.

    Args:
        features: Shape (records, d), d at least `LONG`.
        first: Row.
        last: Row after the last.
        theta: Shape (d,).
        found: What is written, shape (at least last - first,).

    >>> from dpref.kernels.twin import interpreted
    >>> interpreted(long_products)(np.ones((3, 330)), 1, 3, np.ones(330), found := np.empty(2))
    >>> found.tolist()
    [330.0, 330.0]
    """
    folded = np.empty(32)
    for i in range(first, last):
        found[i - first] = long_dot(features[i], theta, folded)


@njit(cache=False, nogil=True, error_model="python")
def long_norms(features: Vector, found: Vector) -> None:
    """Norms of rows, into ``found``.

    Args:
        features: Shape (records, d), d at least `LONG`.
        found: What is written, shape (records,).

    >>> from dpref.kernels.twin import interpreted
    >>> interpreted(long_norms)(np.ones((2, 400)), found := np.empty(2))
    >>> found.tolist()
    [20.0, 20.0]
    """
    folded = np.empty(32)
    for i in range(found.shape[0]):
        found[i] = math.sqrt(long_dot(features[i], features[i], folded))


@njit(cache=False, nogil=True, error_model="python")
def feature_norms(problem: Linear) -> Vector:
    """Euclidean norms of the features, shape (records,), once a run; empty where no gradient is clipped.

    >>> from dpref.kernels.twin import interpreted
    >>> clipped = Linear(np.array([[3.0, 4.0]]), np.ones(1), 1, 0, 0.0, 0.5, 0.0, math.inf)
    >>> interpreted(feature_norms)(clipped).tolist()
    [5.0]
    """
    records, d = problem.features.shape
    norms, folded = np.empty(records if problem.clip < math.inf else 0), np.empty(d)
    if d >= LONG:
        long_norms(problem.features, norms)
    else:
        for i in range(norms.shape[0]):
            norms[i] = math.sqrt(dot(problem.features[i], problem.features[i], folded))
    return norms


@njit(cache=False, nogil=True, error_model="python", inline="always")
def predict(features: Vector, first: int, last: int, theta: Vector, folded: Vector, found: Vector) -> None:
    """The predictions of rows first, ..., last - 1, into ``found``, shape (at least last - first,).

    Rows too short to fold are taken four at a time.

    Args:
        features: Shape (records, d).
        first: Row.
        last: Row after the last.
        theta: Shape (d,).
        folded: Scratch, shape (d,).
        found: What is written.

    >>> from dpref.kernels.twin import interpreted
    >>> interpreted(predict)(np.eye(5, 2), 0, 5, np.array([3.0, 4.0]), np.empty(2), found := np.empty(5))
    >>> found.tolist()
    [3.0, 4.0, 0.0, 0.0, 0.0]
    """
    d = theta.shape[0]
    together = last - (last - first) % 4 if d < SHORT else first
    for i in range(first, together, 4):
        a = b = c = e = 0.0
        for j in range(d):
            a += features[i, j] * theta[j]
            b += features[i + 1, j] * theta[j]
            c += features[i + 2, j] * theta[j]
            e += features[i + 3, j] * theta[j]
        found[i - first], found[i + 1 - first], found[i + 2 - first], found[i + 3 - first] = a, b, c, e
    if d >= LONG:
        long_products(features, first, last, theta, found)
    else:
        for i in range(together, last):
            found[i - first] = dot(features[i], theta, folded)


@njit(cache=False, nogil=True, error_model="python")
def mean_gradient(problem: Linear, norms: Vector, theta: Vector) -> Vector:
    """Mean of the per-record gradients at theta, shape (d,), each clipped to the problem's norm; shape (d,).

    Args:
        problem: The records.
        norms: What `feature_norms` gives.
        theta: Shape (d,).

    >>> from dpref.kernels.twin import interpreted
    >>> logistic = Linear(np.eye(2), np.array([1.0, -1.0]), 2, 0, 0.0, math.inf, 0.0, math.inf)
    >>> interpreted(mean_gradient)(logistic, np.empty(0), np.zeros(2)).tolist()
    [-0.25, 0.25]
    """
    features, labels, clip = problem.features, problem.labels, problem.clip
    records, d = features.shape
    total, folded, weights = np.zeros(d), np.empty(d), np.empty(BLOCK)
    for first in range(0, records, BLOCK):
        last = min(first + BLOCK, records)
        fours = last - (last - first) % 4
        predict(features, first, last, theta, folded, weights)
        for i in range(first, last):
            weight = loss_derivative(problem.code, problem.parameter, weights[i - first], labels[i])
            if clip < math.inf:
                weight *= clip / max(clip, abs(weight) * norms[i])
            weights[i - first] = weight
        for i in range(first, fours, 4):
            a, b, c, e = weights[i - first], weights[i + 1 - first], weights[i + 2 - first], weights[i + 3 - first]
            for j in range(d):
                pair = total[j] + a * features[i, j] + b * features[i + 1, j]
                total[j] = pair + c * features[i + 2, j] + e * features[i + 3, j]
        for i in range(fours, last):
            for j in range(d):
                total[j] += weights[i - first] * features[i, j]
    for j in range(d):
        total[j] /= problem.n
    return total


@njit(cache=False, nogil=True, error_model="python")
def batch_gradient(problem: Linear, theta: Vector, batch: Indices, divisor: int) -> Vector:
    """Sum of the clipped gradients of a batch at theta over a divisor, shape (d,).

    Args:
        problem: The records.
        theta: Shape (d,).
        batch: Indices of the records in it, counted from zero.
        divisor: The batch's size or, where that is random, its expected size.

    >>> from dpref.kernels.twin import interpreted
    >>> huber = Linear(np.array([[1.0], [0.5]]), np.ones(2), 2, 2, 1.0, math.inf, 0.0, math.inf)
    >>> interpreted(batch_gradient)(huber, np.zeros(1), np.array([1]), 1)
    array([-0.5])
    """
    d, features = theta.shape[0], problem.features
    total = np.zeros(d)
    for i in batch:
        s = 0.0
        for j in range(d):
            s += features[i, j] * theta[j]
        slope = loss_derivative(problem.code, problem.parameter, s, problem.labels[i])
        factor = 1.0
        if problem.clip < math.inf:
            square = 0.0
            for j in range(d):
                entry = slope * features[i, j]
                square += entry * entry
            factor = problem.clip / max(problem.clip, math.sqrt(square))
        for j in range(d):
            total[j] += slope * features[i, j] * factor
    for j in range(d):
        total[j] /= divisor
    return total


@njit(cache=False, nogil=True, error_model="python")
def project(theta: Vector, radius: float) -> None:
    """Scale ``theta`` (shape (d,)) into the ball of that radius, in place; nothing if the radius is infinite.

    >>> theta = np.array([3.0, 4.0])
    >>> project.py_func(theta, 2.5)
    >>> theta.tolist()
    [1.5, 2.0]
    """
    if radius < math.inf:
        square = 0.0
        for j in range(theta.shape[0]):
            square += theta[j] * theta[j]
        factor = radius / max(radius, math.sqrt(square))
        for j in range(theta.shape[0]):
            theta[j] *= factor


@njit(cache=False, nogil=True, error_model="python")
def regularise(problem: Linear, theta: Vector, gradient: Vector) -> None:
    """Add the gradient of the ridge at theta, in place; both of shape (d,).

    >>> ridge = Linear(np.eye(1), np.ones(1), 1, 0, 0.0, math.inf, 0.5, math.inf)
    >>> gradient = np.array([1.0])
    >>> regularise.py_func(ridge, np.array([4.0]), gradient)
    >>> gradient.tolist()
    [3.0]
    """
    if problem.ridge > 0.0:
        for j in range(theta.shape[0]):
            gradient[j] += problem.ridge * theta[j]


@njit(cache=False, nogil=True, error_model="python")
def euclidean(x: Vector) -> float:
    """Euclidean norm of a vector of shape (d,).

    >>> euclidean.py_func(np.array([3.0, 4.0]))
    5.0
    """
    square = 0.0
    for j in range(x.shape[0]):
        square += x[j] * x[j]
    return math.sqrt(square)
