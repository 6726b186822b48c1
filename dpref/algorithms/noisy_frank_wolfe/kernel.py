"""NoisySFW, compiled: the steps of ``algorithm.py``, line for line, on a tape of unit noise."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

from dpref.kernels.answers import answer, put
from dpref.kernels.records import LinearStream, Tape, Trace, Vector
from dpref.kernels.streams import add_gradients, minimise


class Numbers(NamedTuple):
    """What the kernel reads of the plan."""

    start: Vector  # (d,) w_0
    iterations: int  # T
    answers: int  # T, or 1 where gradients do not change
    half: int  # m
    batch: int  # b
    step_size: float  # eta
    stds: Vector  # (answers,) the factor before each unit draw


@njit(cache=False, nogil=True, error_model="python")
def run(problem: LinearStream, plan: Numbers, tape: Tape) -> Trace:
    """T steps on a tape of unit draws, one answer a row, shape (answers, d).

    >>> from dpref.algorithms import examples, noisy_frank_wolfe as package
    >>> from dpref.kernels.twin import interpreted_run
    >>> with interpreted_run("noisy_frank_wolfe"):
    ...     package.ALGORITHM.trace(*examples.noisy_frank_wolfe(), np.zeros((2, 2))).points.round(3).tolist()
    [[0.0, 0.0], [0.347, 0.0], [0.573, 0.0]]
    """
    asked, d = plan.answers, plan.start.shape[0]
    points, queries, answers = np.empty((asked + 1, d)), np.empty((asked, d)), np.empty((asked, d))
    w, estimate, vertex = plan.start.copy(), np.zeros(d), np.empty(d)
    before, query = w.copy(), np.empty(d)
    for t in range(plan.iterations):
        if t < asked:
            put(points[t], w)
            query[:] = 0.0
            if t == 0:
                add_gradients(problem, 0, plan.half, w, 1.0 / plan.half, query)
            else:
                first = plan.half + (t - 1) * plan.batch
                add_gradients(problem, first, first + plan.batch, w, 1.0 / plan.batch, query)
                add_gradients(problem, first, first + plan.batch, before, -1.0 / plan.batch, query)
            put(queries[t], query)
            put(answers[t], answer(tape, t, query, plan.stds[t]))
            for j in range(d):
                estimate[j] += answers[t, j]
        minimise(problem, estimate, vertex)
        for j in range(d):
            before[j] = w[j]
            w[j] += plan.step_size * (vertex[j] - w[j])
    put(points[asked], w)
    return Trace(points, queries, plan.stds, answers)
