"""Mirror descent with vertex sampling, compiled; the Gumbel noise is an argument.

The twin of ``dpref.algorithms.mirror_descent.plan``: the same update, step for step.
"""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray

from dpref.kernels.games import add_output, choose, descend, operator, place

Vector = NDArray[np.float64]


Indices = NDArray[np.int64]


@njit(cache=False, nogil=True, error_model="python")
def run(
    payoffs: Vector,
    slopes: Vector,
    offsets: Vector,
    ramp: float,
    batches: Indices,
    vertices: Indices,
    step_size: float,
    toward: float,
    noise: Vector,
) -> tuple[Vector, Vector]:
    """Run Algorithm 1 on a tape.

    Args:
        payoffs: Shape (n, d_x, d_y).
        slopes: Shape (n, d_x).
        offsets: Shape (n,).
        ramp: Width of the ramps; zero for a bilinear game.
        batches: Number of records of each iteration, shape (T,).
        vertices: Number of vertices that each iteration averages, shape (T,).
        step_size: tau.
        toward: 1, or -1 for the printed sign of the y-step.
        noise: Standard Gumbel draws, one after another, x before y in each iteration, the output's vertex first.

    Returns:
        The average vertices of each iteration and then the output, shape (T + 1, d_x + d_y), and the scores that each
        iteration draws from, shape (T, d_x + d_y).

    References:
        Gonzalez, Guzman and Paquette 2024, Algorithm 1.

    The first iteration shows the vertices 0 of both players to the operator, which is (1, -1) and (-1, 1) there:

    >>> from dpref.kernels.twin import interpreted
    >>> records = np.array([[[1.0, -1.0], [-1.0, 1.0]]] * 2), np.zeros((2, 2)), np.zeros(2), 0.0
    >>> ones, tape = np.array([1, 1]), np.eye(2)[[0, 0, 1, 0, 1, 1, 0, 0]].ravel()  # x takes 0, 0, 1, 1; y 1, 0, 0, 0
    >>> [part[-1].tolist() for part in interpreted(run)(*records, ones, ones, 0.5, 1.0, tape)]
    [[0.5, 0.5, 0.5, 0.5], [-0.5, 0.5, 0.5, -0.5]]
    """
    steps, rows, columns = batches.shape[0], payoffs.shape[1], payoffs.shape[2]
    d = rows + columns
    points, queries = np.zeros((steps + 1, d)), np.empty((steps, d))
    scores, output = np.zeros(d), np.zeros(d)
    used, first = 0, 0
    for t in range(steps):
        queries[t] = scores
        count = 1 + vertices[t]
        x, y = np.empty(count, dtype=np.int64), np.empty(count, dtype=np.int64)
        first = choose(scores, noise, first, count, 0, rows, x)
        first = choose(scores, noise, first, count, rows, d, y)
        add_output(output, x[0], y[0], rows)
        place(points[t], x, y, rows, 1, count)
        gradient = operator(payoffs, slopes, offsets, ramp, used, used + batches[t], points[t])
        descend(scores, gradient, step_size, toward, rows)
        used += batches[t]
    for i in range(d):
        points[steps, i] = output[i] / steps
    return points, queries
