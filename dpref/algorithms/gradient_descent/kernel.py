"""DP-GD, compiled: the steps of ``algorithm.py``, line for line, on a tape."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

from dpref.kernels.answers import answer, put
from dpref.kernels.gradients import feature_norms, mean_gradient, project, regularise
from dpref.kernels.records import Linear, Tape, Trace, Vector


class Numbers(NamedTuple):
    """What the kernel reads of the plan."""

    start: Vector  # (d,) x_0
    steps: int
    step_size: float
    std: float


@njit(cache=False, nogil=True, error_model="python")
def run(problem: Linear, plan: Numbers, tape: Tape) -> Trace:
    """T steps on a tape of standard normal noise, shape (T, d).

    >>> from dpref.algorithms import examples, gradient_descent
    >>> from dpref.kernels.twin import interpreted_run
    >>> with interpreted_run("gradient_descent"):  # two steps without noise, against the gradient x - 1
    ...     gradient_descent.ALGORITHM.trace(*examples.gradient_descent(), np.zeros((2, 1))).points.ravel().tolist()
    [0.0, 0.5, 0.75]
    """
    d = plan.start.shape[0]
    points, queries, answers = np.empty((plan.steps + 1, d)), np.empty((plan.steps, d)), np.empty((plan.steps, d))
    norms, x = feature_norms(problem), plan.start.copy()
    project(x, problem.radius)
    put(points[0], x)
    for t in range(plan.steps):
        put(queries[t], mean_gradient(problem, norms, x))
        put(answers[t], answer(tape, t, queries[t], plan.std))
        g = answers[t].copy()
        regularise(problem, x, g)
        for j in range(d):
            x[j] -= plan.step_size * g[j]
        project(x, problem.radius)
        put(points[t + 1], x)
    return Trace(points, queries, np.full(plan.steps, plan.std), answers)
