"""Mirror descent with bias-reduced vertex sampling, compiled; the Gumbel noise and the levels are arguments.

The twin of ``dpref.algorithms.bias_reduced_mirror_descent.plan``: the same update, step for step.
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
    normaliser: float,
    step_size: float,
    toward: float,
    spare: int,
    noise: Vector,
) -> tuple[Vector, Vector]:
    """Run Algorithm 3 on a tape.

    Args:
        payoffs: Shape (n, d_x, d_y).
        slopes: Shape (n, d_x).
        offsets: Shape (n,).
        ramp: Width of the ramps; zero for a bilinear game.
        batches: Number of records of each iteration, shape (T,).
        vertices: 2^(N+1) of each iteration, shape (T,).
        normaliser: C_M.
        step_size: tau.
        toward: 1, or -1 for the printed sign of the y-step.
        spare: 1 if the output also averages the iterate after the last step, else 0.
        noise: Standard Gumbel draws, one after another, x before y in each iteration, the output's vertex first.

    Returns:
        The average vertices of each iteration and then the output, shape (T + 1, d_x + d_y), and the scores that are
        drawn from, shape (T + spare, d_x + d_y).

    References:
        Gonzalez, Guzman and Paquette 2024, Algorithms 2 and 3.

    One iteration of level 0, with M = 1: the operator is (1, -1) and (0, 0) at the averages, (1, -1) and (-1, 1) at
    the first vertices, so that the estimate is (1, -1) and (1/2, -1/2):

    >>> from dpref.kernels.twin import interpreted
    >>> records = np.array([[[1.0, -1.0], [-1.0, 1.0]]] * 2), np.zeros((2, 2)), np.zeros(2), 0.0
    >>> tape = np.eye(2)[[0, 0, 1, 1, 0, 0, 1, 1]].ravel()  # x takes vertices 0, 0, 1, then 1; y 1, 0, 0, then 1
    >>> [part[-1].tolist() for part in interpreted(run)(*records, np.array([1]), np.array([2]), 1.5, 0.5, 1.0, 1, tape)]
    [[0.5, 0.5, 0.0, 1.0], [-0.5, 0.5, -0.25, 0.25]]
    """
    steps, rows, columns = batches.shape[0], payoffs.shape[1], payoffs.shape[2]
    d = rows + columns
    points, queries = np.zeros((steps + 1, d)), np.empty((steps + spare, d))
    scores, output, point = np.zeros(d), np.zeros(d), np.empty(d)
    used, first = 0, 0
    for t in range(steps + spare):
        queries[t] = scores
        count = 1 + vertices[t] if t < steps else 1
        x, y = np.empty(count, dtype=np.int64), np.empty(count, dtype=np.int64)
        first = choose(scores, noise, first, count, 0, rows, x)
        first = choose(scores, noise, first, count, rows, d, y)
        add_output(output, x[0], y[0], rows)
        if t == steps:
            break
        stop, half = used + batches[t], vertices[t] // 2
        place(points[t], x, y, rows, 1, count)
        gradient = operator(payoffs, slopes, offsets, ramp, used, stop, points[t])
        place(point, x, y, rows, 1, 2)
        one = operator(payoffs, slopes, offsets, ramp, used, stop, point)
        part = one
        if half > 1:
            place(point, x, y, rows, 1, 1 + half)
            part = operator(payoffs, slopes, offsets, ramp, used, stop, point)
        for i in range(d):
            gradient[i] = normaliser * half * (gradient[i] - part[i]) + one[i]
        descend(scores, gradient, step_size, toward, rows)
        used = stop
    for i in range(d):
        points[steps, i] = output[i] / (steps + spare)
    return points, queries
