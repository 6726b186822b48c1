"""KL Spider, compiled; the noise is an argument.

The twin of ``dpref.algorithms.spider.plan``: the same rounds, the same decisions.
The examples run the interpreted text, which gives the same bits and has nothing to compile.
"""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray

from dpref.algorithms.adaptive_gradient_descent.kernel import euclidean
from dpref.kernels.gradients import mean_gradient, project

Vector = NDArray[np.float64]


Counts = NDArray[np.int64]


@njit(cache=False, nogil=True, error_model="python")
def follow(
    estimate: Vector, query: Vector, std: float, draws: Vector, ridge: float, w: Vector, previous: Vector
) -> None:
    """Add a noisy gradient difference to the estimate, in place.

    Args:
        estimate: Changed, shape (d,).
        query: The exact difference without the regulariser's, shape (d,).
        std: Its noise.
        draws: Standard normal, shape (d,).
        ridge: Weight of the regulariser.
        w: The point, shape (d,).
        previous: The one before, shape (d,).

    >>> from dpref.kernels.twin import interpreted
    >>> estimate = np.array([1.0, 0.0])
    >>> interpreted(follow)(estimate, np.array([0.0, 1.0]), 2.0, np.array([0.5, 0.0]), 0.0, np.zeros(2), np.zeros(2))
    >>> estimate.tolist()
    [2.0, 1.0]
    """
    for j in range(estimate.shape[0]):
        moved = query[j] + std * draws[j]
        if ridge > 0.0:
            moved += ridge * (w[j] - previous[j])
        estimate[j] += moved


@njit(cache=False, nogil=True, error_model="python")
def run(
    features: Vector,
    labels: Vector,
    n: int,
    code: int,
    parameter: float,
    clip: float,
    ridge: float,
    radius: float,
    start: Vector,
    outer_std: float,
    rounds: Vector,
    counts: Counts,
    keep_last: bool,
    noise: Vector,
) -> tuple[Vector, Vector, Vector]:
    """Run all rounds on a tape of standard normal noise.

    Args:
        features: Shape (records, d).
        labels: Shape (records,).
        n: Public divisor of the mean gradient.
        code: Loss number.
        parameter: Loss parameter.
        clip: Clipping norm, or infinity.
        ridge: Weight of the regulariser.
        radius: Radius of the constraint ball, or infinity.
        start: w_0, shape (d,).
        outer_std: Noise of the gradient that begins a round.
        rounds: Threshold, length of an update, noise of a difference of each round, shape (R, 3).
        counts: Updates and differences of each round, at most, shape (R, 2).
        keep_last: Whether a round ends at its last iterate, or at the one before it.
        noise: Standard normal draws, one answer a row, shape (K, d).

    Returns:
        The point of each query and then the output, shape (K + 1, d); exact queries, shape (K, d); and whether each
        query begins a round, shape (K,).

    Raises:
        ValueError: If the tape is too short.

    >>> from dpref.kernels.twin import interpreted
    >>> problem = np.array([[1.0, 0.0]]), np.ones(1), 1, 0, 0.0, np.inf, 0.0, np.inf  # one record, logistic
    >>> rounds, counts, noise = np.array([[0.1, 0.5, 1.0]]), np.array([[1, 0]]), np.zeros((1, 2))
    >>> [part[-1].tolist() for part in interpreted(run)(*problem, np.zeros(2), 1.0, rounds, counts, True, noise)]
    [[0.5, 0.0], [-0.5, 0.0], 1.0]
    """
    d = start.shape[0]
    iterates, queries = np.zeros((noise.shape[0] + 1, d)), np.zeros((noise.shape[0], d))
    begins = np.zeros(noise.shape[0])
    w = start.copy()
    project(w, radius)
    previous = w.copy()
    k = 0
    for index in range(counts.shape[0]):
        threshold, length, std = rounds[index, 0], rounds[index, 1], rounds[index, 2]
        if k >= noise.shape[0]:
            raise ValueError("the tape of noise is too short")
        gradient = mean_gradient(features, labels, n, code, parameter, clip, w)
        iterates[k], queries[k], begins[k] = w, gradient, 1.0
        estimate = gradient.copy()
        for j in range(d):
            estimate[j] += outer_std * noise[k, j]
        if ridge > 0.0:
            estimate += ridge * w
        k += 1
        previous[:] = w
        for t in range(counts[index, 0]):
            size = euclidean(estimate)
            if size < threshold:
                break
            previous[:] = w
            w -= length / size * estimate
            project(w, radius)
            if t < counts[index, 1]:
                if k >= noise.shape[0]:
                    raise ValueError("the tape of noise is too short")
                following = mean_gradient(features, labels, n, code, parameter, clip, w)
                iterates[k], queries[k] = w, following - gradient
                follow(estimate, queries[k], std, noise[k], ridge, w, previous)
                gradient = following
                k += 1
        if not keep_last:
            w[:] = previous
    iterates[k] = w
    return iterates[: k + 1], queries[:k], begins[:k]
