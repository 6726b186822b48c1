"""DP-TOFW, compiled: the steps of ``algorithm.py``, line for line; O(d log n) memory beside tape and trace."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

from dpref.kernels.answers import answer, put
from dpref.kernels.records import LinearStream, Tape, Trace, Vector
from dpref.kernels.streams import minimise, slope


class Numbers(NamedTuple):
    """What the kernel reads of the plan."""

    start: Vector  # (d,) the first iterate
    step_scale: float  # c
    ahead: int  # 1 with the printed weights (t + 1, t), 0 with the repaired ones (t, t - 1)
    std: float  # the factor before the unit noise


@njit(cache=False, nogil=True, error_model="python")
def run(problem: LinearStream, plan: Numbers, tape: Tape) -> Trace:
    """A stream of n records on a tape of unit draws, one node a row, shape (n, d); the queries are exact node sums.

    >>> from dpref.algorithms import examples, online_frank_wolfe
    >>> from dpref.kernels.twin import interpreted_run
    >>> with interpreted_run("online_frank_wolfe"):
    ...     online_frank_wolfe.ALGORITHM.trace(*examples.online_frank_wolfe(), np.zeros((1, 2))).points.tolist()
    [[0.0, 0.0], [0.5, 0.0]]
    """
    n, d = problem.features.shape
    levels = 1
    while (1 << levels) <= n:
        levels += 1
    points, queries, answers = np.empty((n + 1, d)), np.empty((n, d)), np.empty((n, d))
    exact, noisy = np.empty((levels, d)), np.empty((levels, d))
    heights = np.empty(levels, dtype=np.int64)
    total, estimate, vertex = np.empty(d), np.empty(d), np.empty(d)
    put(points[0], plan.start)
    live = 0
    for t in range(1, n + 1):
        x = problem.features[t - 1]
        theta = points[t - 1]
        previous = points[t - 2] if t > 1 else theta
        here = (t + plan.ahead) * slope(problem, t - 1, theta)
        there = 0.0
        if t - 1 + plan.ahead > 0:
            there = (t - 1 + plan.ahead) * slope(problem, t - 1, previous)
        for j in range(d):
            total[j] = here * x[j] - there * x[j]
        height = 0
        while live > 0 and heights[live - 1] == height:
            live -= 1
            height += 1
            for j in range(d):
                total[j] = exact[live, j] + total[j]
        heights[live] = height
        put(exact[live], total)
        put(queries[t - 1], total)
        put(answers[t - 1], answer(tape, t - 1, total, plan.std))
        put(noisy[live], answers[t - 1])
        live += 1
        for j in range(d):
            prefix = noisy[0, j]
            for k in range(1, live):
                prefix += noisy[k, j]
            estimate[j] = prefix / (t + plan.ahead)
        minimise(problem, estimate, vertex)
        eta = plan.step_scale / (t + 1)
        for j in range(d):
            points[t, j] = theta[j] + eta * (vertex[j] - theta[j])
    return Trace(points, queries, np.full(n, plan.std), answers)
