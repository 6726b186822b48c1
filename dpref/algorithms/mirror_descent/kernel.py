"""Mirror descent with vertex sampling, compiled: the iterations of ``algorithm.py``, line for line, on a tape."""

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
    vertices: Indices  # (T,) vertices that each iteration averages
    step_size: float  # tau
    toward: float  # 1, or -1 for the printed sign of the y-step
    scale: float  # of the Gumbel noise


@njit(cache=False, nogil=True, error_model="python")
def run(problem: Payoffs, plan: Numbers, tape: Tape) -> Trace:
    """All iterations on a tape of Gumbel draws, x before y in each, the output's vertex first.

    The queries are the scores that each iteration draws from, the points the averages at which it takes its gradient.

    >>> from dpref.algorithms import game_examples as examples, mirror_descent as package
    >>> from dpref.kernels.twin import interpreted_run
    >>> with interpreted_run("mirror_descent"):  # x takes vertices 0, then 1; y 1, then 0
    ...     package.ALGORITHM.trace(*examples.mirror_descent(1, 1, 1), np.eye(2)[[0, 1, 1, 0]].ravel()).points.tolist()
    [[0.0, 1.0, 1.0, 0.0], [1.0, 0.0, 0.0, 1.0]]
    """
    steps, rows, columns = plan.batches.shape[0], problem.payoffs.shape[1], problem.payoffs.shape[2]
    d = rows + columns
    points, queries = np.zeros((steps + 1, d)), np.empty((steps, d))
    answers = np.empty(2 * (steps + plan.vertices.sum()))
    scores, output, used = np.zeros(d), np.zeros(d), np.zeros(2, dtype=np.int64)
    first = 0
    for t in range(steps):
        put(queries[t], scores)
        count = 1 + plan.vertices[t]
        x, y = draw(tape, scores, used, rows, answers, output, count)
        place(points[t], x, y, rows, 1, count)
        gradient = operator(problem, first, first + plan.batches[t], points[t])
        descend(scores, gradient, plan.step_size, plan.toward, rows)
        first += plan.batches[t]
    for i in range(d):
        points[steps, i] = output[i] / steps
    return Trace(points, queries, np.full(steps, plan.scale), answers)
