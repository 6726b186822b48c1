"""Noisy gradient descent for regularised Lipschitz losses, compiled: ``algorithm.py``, line for line, on a tape."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

from dpref.kernels.answers import answer
from dpref.kernels.gradients import feature_norms, mean_gradient, project, regularise
from dpref.kernels.records import Linear, Tape, Trace, Vector


class Numbers(NamedTuple):
    """What the kernel reads of the plan."""

    start: Vector  # (d,) w_0
    iterates: int
    std: float
    weak_convexity: float
    radius: float
    telescoping: bool  # whether the steps are the repaired ones


@njit(cache=False, nogil=True, error_model="python")
def run(problem: Linear, plan: Numbers, tape: Tape) -> Trace:
    """All T - 1 answers on a tape of standard normal noise, shape (T - 1, d); the output is the weighted mean.

    >>> from dpref.kernels.twin import interpreted
    >>> huber = Linear(np.ones((2, 1)), np.ones(2), 2, 2, 1.0, np.inf, 0.0, np.inf)  # the gradient x - 1
    >>> tape = Tape(np.zeros((1, 1)), np.empty((0, 1)), np.empty(0, int))
    >>> interpreted(run)(huber, Numbers(np.zeros(1), 2, 0.0, 2.0, 0.25, True), tape).points.round(6).tolist()
    [[0.0], [0.166667]]
    """
    steps, d, mu = plan.iterates - 1, plan.start.shape[0], plan.weak_convexity
    points, queries, answers = np.empty((steps + 1, d)), np.empty((steps, d)), np.empty((steps, d))
    norms, w, mean, away = feature_norms(problem), plan.start.copy(), plan.start.copy(), np.empty(d)
    for t in range(1, plan.iterates):
        points[t - 1] = w
        queries[t - 1] = mean_gradient(problem, norms, w)
        answers[t - 1] = answer(tape, t - 1, queries[t - 1], plan.std)
        g = answers[t - 1].copy()
        regularise(problem, w, g)
        eta = 2.0 / (mu * (t + 1)) if plan.telescoping else 1.0 / (mu * t)
        for j in range(d):
            away[j] = w[j] - eta * (g[j] + 2.0 * mu * (w[j] - plan.start[j])) - plan.start[j]
        project(away, plan.radius)
        for j in range(d):
            w[j] = plan.start[j] + away[j]
            mean[j] += 2.0 / (t + 2) * (w[j] - mean[j])
    points[steps] = mean
    return Trace(points, queries, np.full(steps, plan.std), answers)
