"""Noisy gradient descent for regularised Lipschitz losses, compiled: ``algorithm.py``, line for line, on a tape."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

from dpref.kernels.answers import answer, put
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
def descend(
    problem: Linear,
    norms: Vector,
    start: Vector,
    iterates: int,
    std: float,
    weak_convexity: float,
    radius: float,
    telescoping: bool,
    tape: Tape,
    first: int,
    trace: Trace,
) -> Vector:
    """T iterates around a start; their weighted mean, shape (d,).

    Args:
        problem: The records.
        norms: What `feature_norms` gives.
        start: w_0, shape (d,).
        iterates: T.
        std: Noise of each answer.
        weak_convexity: mu.
        radius: Of the ball around the start.
        telescoping: Whether the steps are the repaired ones.
        tape: Noise, or answers where they are forced.
        first: How many answers the run had before.
        trace: Receives points, queries and answers from row ``first`` on.

    >>> from dpref.kernels.twin import interpreted
    >>> huber = Linear(np.ones((2, 1)), np.ones(2), 2, 2, 1.0, np.inf, 0.0, np.inf)  # the gradient x - 1
    >>> tape, trace = Tape(np.zeros((1, 1)), np.empty((0, 1)), np.empty(0, int)), Trace(*np.zeros((4, 1, 1)))
    >>> interpreted(descend)(huber, np.empty(0), np.zeros(1), 2, 0.0, 2.0, 0.25, True, tape, 0, trace).round(6).tolist()
    [0.166667]
    """
    d, mu = start.shape[0], weak_convexity
    w, mean, away = start.copy(), start.copy(), np.empty(d)
    for t in range(1, iterates):
        k = first + t - 1
        put(trace.points[k], w)
        put(trace.queries[k], mean_gradient(problem, norms, w))
        put(trace.answers[k], answer(tape, k, trace.queries[k], std))
        g = trace.answers[k].copy()
        regularise(problem, w, g)
        eta = 2.0 / (mu * (t + 1)) if telescoping else 1.0 / (mu * t)
        for j in range(d):
            away[j] = w[j] - eta * (g[j] + 2.0 * mu * (w[j] - start[j])) - start[j]
        project(away, radius)
        for j in range(d):
            w[j] = start[j] + away[j]
            mean[j] += 2.0 / (t + 2) * (w[j] - mean[j])
    return mean


@njit(cache=False, nogil=True, error_model="python")
def run(problem: Linear, plan: Numbers, tape: Tape) -> Trace:
    """All T - 1 answers on a tape of standard normal noise, shape (T - 1, d); the output is the weighted mean.

    >>> from dpref.kernels.twin import interpreted
    >>> huber = Linear(np.ones((2, 1)), np.ones(2), 2, 2, 1.0, np.inf, 0.0, np.inf)  # the gradient x - 1
    >>> tape = Tape(np.zeros((1, 1)), np.empty((0, 1)), np.empty(0, int))
    >>> interpreted(run)(huber, Numbers(np.zeros(1), 2, 0.0, 2.0, 0.25, True), tape).points.round(6).tolist()
    [[0.0], [0.166667]]
    """
    steps, d = plan.iterates - 1, plan.start.shape[0]
    trace = Trace(np.empty((steps + 1, d)), np.empty((steps, d)), np.full(steps, plan.std), np.empty((steps, d)))
    output = descend(
        problem,
        feature_norms(problem),
        plan.start,
        plan.iterates,
        plan.std,
        plan.weak_convexity,
        plan.radius,
        plan.telescoping,
        tape,
        0,
        trace,
    )
    put(trace.points[steps], output)
    return trace
