"""DP-POFW, compiled: the steps of ``algorithm.py``, line for line, on a tape of unit noise, V draws a record."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

from dpref.kernels.answers import put
from dpref.kernels.records import LinearStream, Tape, Trace, Vector
from dpref.kernels.streams import noisy_max, slope, vertex, vertex_scores


class Numbers(NamedTuple):
    """What the kernel reads of the plan."""

    start: Vector  # (d,) the first iterate
    scales: Vector  # (n,) of the noise of each choice
    candidates: int  # V
    step_scale: float  # c
    ahead: int  # 1 with the printed weights 1 / (t + 1), 0 with the repaired 1 / t


@njit(cache=False, nogil=True, error_model="python")
def run(problem: LinearStream, plan: Numbers, tape: Tape) -> Trace:
    """A stream of n records on a tape of unit draws; the queries are the scores, shape (n, V), the answers choices.

    >>> from dpref.algorithms import examples, polyhedral_frank_wolfe as package
    >>> from dpref.kernels.twin import interpreted_run
    >>> with interpreted_run("polyhedral_frank_wolfe"):
    ...     package.ALGORITHM.trace(*examples.polyhedral_frank_wolfe(), np.zeros(4)).points.tolist()
    [[0.0, 0.0], [0.5, 0.0]]
    """
    n, d = problem.features.shape
    points, queries, answers = np.empty((n + 1, d)), np.empty((n, plan.candidates)), np.empty(n)
    estimate, v = np.zeros(d), np.empty(d)
    put(points[0], plan.start)
    for t in range(1, n + 1):
        x, theta = problem.features[t - 1], points[t - 1]
        here = slope(problem, t - 1, theta)
        if t == 1:
            for j in range(d):
                estimate[j] = here * x[j]
        else:
            there = slope(problem, t - 1, points[t - 2])
            later = t + plan.ahead
            for j in range(d):
                estimate[j] = here * x[j] + (later - 1) * (estimate[j] - there * x[j]) / later
        vertex_scores(problem, estimate, queries[t - 1])
        chosen = noisy_max(tape, t - 1, queries[t - 1], plan.scales[t - 1])
        answers[t - 1] = chosen
        vertex(problem, chosen, v)
        eta = plan.step_scale / (t + 1)
        for j in range(d):
            points[t, j] = theta[j] + eta * (v[j] - theta[j])
    return Trace(points, queries, plan.scales, answers)
