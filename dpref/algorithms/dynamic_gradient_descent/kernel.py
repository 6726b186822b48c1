"""Noisy gradient descent with per-step noise and momentum, compiled; the noise is an argument.

The twin of ``dpref.algorithms.dynamic_gradient_descent.plan``: the same update, step for step.
"""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray

from dpref.kernels.gradients import mean_gradient, project

Vector = NDArray[np.float64]


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
    step_size: float,
    momentum: float,
    bias_corrections: Vector,
    stds: Vector,
    noise: Vector,
) -> tuple[Vector, Vector]:
    """Run T steps on a tape of standard normal noise.

    Args:
        features: Shape (records, d).
        labels: Shape (records,).
        n: Public divisor of the mean gradient.
        code: Loss number.
        parameter: Loss parameter.
        clip: Clipping norm, or infinity.
        ridge: Weight of the regulariser.
        radius: Radius of the constraint ball, or infinity.
        start: Shape (d,).
        step_size: eta.
        momentum: beta.
        bias_corrections: 1 / (1 - beta^t), shape (T,).
        stds: Noise scale of each step, shape (T,).
        noise: Standard normal draws, shape (T, d).

    Returns:
        Iterates, shape (T + 1, d), and exact queries, shape (T, d).

    >>> from dpref.kernels.twin import interpreted
    >>> problem = np.ones((2, 1)), np.ones(2), 2, 2, 1.0, np.inf, 0.0, np.inf  # Huber's loss, the gradient x - 1
    >>> tape = np.array([2.0, 4 / 3]), np.zeros(2), np.zeros((2, 1))  # corrections, scales, noise
    >>> [part.ravel().tolist() for part in interpreted(run)(*problem, np.zeros(1), 0.75, 0.5, *tape)]
    [[0.0, 0.75, 1.125], [-1.0, -0.25]]
    """
    steps, d = noise.shape
    iterates = np.empty((steps + 1, d))
    queries = np.empty((steps, d))
    theta = start.copy()
    project(theta, radius)
    v = theta - theta
    iterates[0] = theta
    for t in range(steps):
        query = mean_gradient(features, labels, n, code, parameter, clip, theta)
        queries[t] = query
        for j in range(d):
            g = query[j] + stds[t] * noise[t, j]
            if ridge > 0.0:
                g += ridge * theta[j]
            v[j] = momentum * v[j] + (1.0 - momentum) * g
            theta[j] -= step_size * (v[j] * bias_corrections[t])
        project(theta, radius)
        iterates[t + 1] = theta
    return iterates, queries
