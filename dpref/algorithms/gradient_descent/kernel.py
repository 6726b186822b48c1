"""DP-GD, compiled; the noise is an argument.

The twin of ``dpref.algorithms.gradient_descent.plan``: the same update, step for step.
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
    std: float,
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
        start: x_0, shape (d,).
        step_size: eta.
        std: sigma.
        noise: Standard normal draws, shape (T, d).

    Returns:
        Iterates, shape (T + 1, d), and exact queries, shape (T, d).

    >>> from dpref.kernels.twin import interpreted
    >>> problem = np.ones((2, 1)), np.ones(2), 2, 2, 1.0, np.inf, 0.0, np.inf  # Huber's loss, the gradient x - 1
    >>> noise = np.array([[1.0], [0.0]])
    >>> [part.ravel().tolist() for part in interpreted(run)(*problem, np.zeros(1), step_size=0.5, std=0.5, noise=noise)]
    [[0.0, 0.25, 0.625], [-1.0, -0.75]]
    """
    steps, d = noise.shape
    iterates = np.empty((steps + 1, d))
    queries = np.empty((steps, d))
    x = start.copy()
    project(x, radius)
    iterates[0] = x
    for t in range(steps):
        query = mean_gradient(features, labels, n, code, parameter, clip, x)
        queries[t] = query
        for j in range(d):
            g = query[j] + std * noise[t, j]
            if ridge > 0.0:
                g += ridge * x[j]
            x[j] -= step_size * g
        project(x, radius)
        iterates[t + 1] = x
    return iterates, queries
