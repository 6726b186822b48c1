"""DP-SVRG, compiled; the noise and the indices are arguments.

The twin of ``dpref.algorithms.svrg.algorithm``: the same update, step for step.
"""

from __future__ import annotations

import math

import numpy as np
from numba import njit
from numpy.typing import NDArray

from dpref.kernels.gradients import loss_derivative, mean_gradient, project

Vector = NDArray[np.float64]


Indices = NDArray[np.int64]


@njit(cache=False, nogil=True, error_model="python")
def batch_gradient(
    features: Vector, labels: Vector, code: int, parameter: float, clip: float, theta: Vector, batch: Indices
) -> Vector:
    """Mean of the clipped gradients of the records in a batch.

    Args:
        features: Shape (n, d).
        labels: Shape (n,).
        code: Loss number.
        parameter: Loss parameter.
        clip: Clipping norm, or infinity.
        theta: Shape (d,).
        batch: Indices, shape (b,).

    Returns:
        Shape (d,).

    >>> from dpref.kernels.twin import interpreted
    >>> features, labels = np.array([[1.0], [0.5]]), np.ones(2)
    >>> interpreted(batch_gradient)(features, labels, 2, 1.0, np.inf, np.zeros(1), np.array([1]))
    array([-0.5])
    """
    d = theta.shape[0]
    total = np.zeros(d)
    for i in batch:
        s = 0.0
        for j in range(d):
            s += features[i, j] * theta[j]
        slope = loss_derivative(code, parameter, s, labels[i])
        factor = 1.0
        if clip < math.inf:
            square = 0.0
            for j in range(d):
                entry = slope * features[i, j]
                square += entry * entry
            factor = clip / max(clip, math.sqrt(square))
        for j in range(d):
            total[j] += slope * features[i, j] * factor
    for j in range(d):
        total[j] /= batch.shape[0]
    return total


@njit(cache=False, nogil=True, error_model="python")
def prox(x: Vector, eta: float, l1: float, l2: float, low: float, high: float, radius: float) -> None:
    """Apply the prox of ``l1 |x|_1 + l2/2 |x|^2`` on a box and a ball to a point, in place.

    Args:
        x: The point, shape (d,), overwritten.
        eta: Step size.
        l1: Weight of the sum of the absolute values.
        l2: Weight of half the square.
        low: Lower end of the box, or minus infinity.
        high: Upper end of the box, or infinity.
        radius: Radius of the ball, or infinity.

    >>> x = np.array([3.0, -4.0])
    >>> prox(x, 1.0, 1.0, 1.0, -1.0, 2.0, np.inf)  # to (2, -3), (1, -1.5) and into the box
    >>> x
    array([ 1., -1.])
    """
    cut = eta * l1
    for j in range(x.shape[0]):
        y = x[j]
        if l1 > 0.0:
            if y > cut:
                y -= cut
            elif y < -cut:
                y += cut
            else:
                y = 0.0
        if l2 > 0.0:
            y /= 1.0 + eta * l2
        y = min(y, high)
        y = max(y, low)
        x[j] = y
    project(x, radius)


@njit(cache=False, nogil=True, error_model="python")
def epoch(
    features: Vector,
    labels: Vector,
    code: int,
    parameter: float,
    clip: float,
    regulariser: Vector,
    step_size: float,
    std: float,
    noise: Vector,
    indices: Indices,
    snapshot: Vector,
    x: Vector,
    points: Vector,
    queries: Vector,
) -> Vector:
    """One epoch: m inner steps around a snapshot.

    Args:
        features: Shape (n, d).
        labels: Shape (n,).
        code: Loss number.
        parameter: Loss parameter.
        clip: Clipping norm, or infinity.
        regulariser: l1, l2, low, high, radius of the prox, shape (5,).
        step_size: eta.
        std: sigma.
        noise: Standard normal draws, shape (m, d).
        indices: Batches, shape (m, b).
        snapshot: Where the full gradient is taken, shape (d,).
        x: First inner iterate, shape (d,); overwritten by the last one.
        points: Receives the point of each query, shape (m, d).
        queries: Receives each query, shape (m, d).

    Returns:
        The average of the inner iterates but the first, shape (d,).

    >>> from dpref.kernels.twin import interpreted
    >>> problem = np.ones((2, 1)), np.ones(2), 2, 1.0, np.inf, np.array([0, 0, -np.inf, np.inf, np.inf]), 0.5, 0.5
    >>> tape, snapshot, x = (np.array([[1.0], [0.0]]), np.array([[0], [1]])), np.zeros(1), np.zeros(1)
    >>> interpreted(epoch)(*problem, *tape, snapshot, x, points=np.empty((2, 1)), queries=np.empty((2, 1)))
    array([0.4375])
    """
    steps, d = noise.shape
    full = mean_gradient(features, labels, features.shape[0], code, parameter, clip, snapshot)
    total = np.zeros(d)
    l1, l2, low, high, radius = regulariser[0], regulariser[1], regulariser[2], regulariser[3], regulariser[4]
    for t in range(steps):
        points[t] = x
        here = batch_gradient(features, labels, code, parameter, clip, x, indices[t])
        there = batch_gradient(features, labels, code, parameter, clip, snapshot, indices[t])
        for j in range(d):
            query = here[j] - there[j] + full[j]
            queries[t, j] = query
            x[j] -= step_size * (query + std * noise[t, j])
        prox(x, step_size, l1, l2, low, high, radius)
        for j in range(d):
            total[j] += x[j]
    for j in range(d):
        total[j] /= steps
    return total


@njit(cache=False, nogil=True, error_model="python")
def run(
    features: Vector,
    labels: Vector,
    code: int,
    parameter: float,
    clip: float,
    regulariser: Vector,
    start: Vector,
    step_size: float,
    std: float,
    lengths: Indices,
    noise: Vector,
    indices: Indices,
) -> tuple[Vector, Vector]:
    """Run T epochs on a tape of standard normal noise and of indices.

    Args:
        features: Shape (n, d).
        labels: Shape (n,).
        code: Loss number.
        parameter: Loss parameter.
        clip: Clipping norm, or infinity.
        regulariser: l1, l2, low, high, radius of the prox, shape (5,); -inf, inf, inf where there is no set.
        start: The first snapshot, in the set, shape (d,).
        step_size: eta.
        std: sigma.
        lengths: Inner steps of each epoch, shape (T,).
        noise: Standard normal draws, shape (K, d), K the sum of the lengths.
        indices: Batches, shape (K, b).

    Returns:
        The point of each query and then the output, shape (K + 1, d), and exact queries, shape (K, d).

    >>> from dpref.kernels.twin import interpreted
    >>> problem = np.ones((2, 1)), np.ones(2), 2, 1.0, np.inf, np.array([0, 0, -np.inf, np.inf, np.inf])
    >>> tape = np.array([2, 1]), np.array([[1.0], [0.0], [0.0]]), np.array([[0], [1], [1]])  # lengths, noise, batches
    >>> interpreted(run)(*problem, np.zeros(1), 0.5, 0.5, *tape)[0].ravel().tolist()
    [0.0, 0.25, 0.4375, 0.71875]
    """
    steps, d = noise.shape
    iterates = np.empty((steps + 1, d))
    queries = np.empty((steps, d))
    snapshot = start.copy()
    k = 0
    for length in lengths:
        x = snapshot.copy()
        snapshot = epoch(
            features, labels, code, parameter, clip, regulariser, step_size, std, noise[k : k + length],
            indices[k : k + length], snapshot, x, iterates[k : k + length], queries[k : k + length],
        )  # fmt: skip
        k += length
    iterates[steps] = snapshot
    return iterates, queries
