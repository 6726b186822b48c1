"""Mirror descent with bias-reduced vertex sampling, compiled: ``algorithm.py``, line for line, on a tape."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

from dpref.kernels.answers import put
from dpref.kernels.games import descend, draw, operator, place
from dpref.kernels.records import Indices, Payoffs, Tape, Trace


class Numbers(NamedTuple):
    """What the kernel reads of the plan."""

    batches: Indices  # (T,) records of each iteration
    vertices: Indices  # (T,) 2^(N+1) of each iteration
    normaliser: float  # C_M
    step_size: float  # tau
    toward: float  # 1, or -1 for the printed sign of the y-step
    spare_output: bool  # whether the output also averages the iterate after the last step
    scale: float  # of the Gumbel noise


@njit(cache=False, nogil=True, error_model="python")
def run(problem: Payoffs, plan: Numbers, tape: Tape) -> Trace:
    """All iterations on a tape of Gumbel draws, x before y in each, the output's vertex first.

    >>> from dpref.algorithms import bias_reduced_mirror_descent as package, game_examples as examples
    >>> from dpref.kernels.twin import interpreted_run
    >>> with interpreted_run("bias_reduced_mirror_descent"):  # without noise equal scores choose the first
    ...     package.ALGORITHM.trace(*examples.bias_reduced_mirror_descent((0,), 1), np.zeros(12)).points.tolist()
    [[1.0, 0.0, 1.0, 0.0], [1.0, 0.0, 1.0, 0.0]]
    """
    steps, rows, columns = plan.batches.shape[0], problem.payoffs.shape[1], problem.payoffs.shape[2]
    d, draws = rows + columns, steps + 1 if plan.spare_output else steps
    points, queries = np.zeros((steps + 1, d)), np.empty((draws, d))
    answers = np.empty(2 * (draws + plan.vertices.sum()))
    scores, output, point, used = np.zeros(d), np.zeros(d), np.empty(d), np.zeros(2, dtype=np.int64)
    first = 0
    for t in range(draws):
        put(queries[t], scores)
        count = 1 + plan.vertices[t] if t < steps else 1
        x, y = draw(tape, scores, used, rows, answers, output, count)
        if t == steps:
            break
        stop, half = first + plan.batches[t], plan.vertices[t] // 2
        place(points[t], x, y, rows, 1, count)
        gradient = operator(problem, first, stop, points[t])
        place(point, x, y, rows, 1, 2)
        one = operator(problem, first, stop, point)
        part = one
        if half > 1:
            place(point, x, y, rows, 1, 1 + half)
            part = operator(problem, first, stop, point)
        for i in range(d):
            gradient[i] = plan.normaliser * half * (gradient[i] - part[i]) + one[i]
        descend(scores, gradient, plan.step_size, plan.toward, rows)
        first = stop
    for i in range(d):
        points[steps, i] = output[i] / draws
    return Trace(points, queries, np.full(draws, plan.scale), answers)
