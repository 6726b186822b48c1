"""Stochastic descent with a dynamic budget, compiled: the steps of ``algorithm.py``, line for line, on a tape."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

from dpref.algorithms.dynamic_gradient_descent.kernel import descend
from dpref.kernels.answers import answer, put
from dpref.kernels.gradients import batch_gradient, project
from dpref.kernels.records import Indices, Linear, Tape, Trace, Vector


class Numbers(NamedTuple):
    """What the kernel reads of the plan."""

    start: Vector  # (d,) theta_1
    step_size: float
    momentum: float
    bias_corrections: Vector  # at least (T,)
    stds: Vector  # (T,) noise of each step that is run
    batch: int
    records: int
    poisson: bool  # whether the tape has N draws a step, of which those below n are records of the batch


@njit(cache=False, nogil=True, error_model="python")
def drawn(plan: Numbers, draws: Indices) -> Indices:
    """The indices of a batch, from the draws of its step on the tape.

    >>> from dpref.kernels.twin import interpreted
    >>> plan = Numbers(np.zeros(1), 0.5, 0.0, np.ones(1), np.ones(1), 2, 4, True)
    >>> interpreted(drawn)(plan, np.array([3, 1, 0, 2])).tolist()
    [1, 2]
    """
    if not plan.poisson:
        return draws
    batch, size = draws.copy(), 0
    for i in range(draws.shape[0]):
        if draws[i] < plan.batch:
            batch[size] = i
            size += 1
    return batch[:size]


@njit(cache=False, nogil=True, error_model="python")
def run(problem: Linear, plan: Numbers, tape: Tape) -> Trace:
    """T steps on a tape of standard normal noise, shape (T, d), and of draws, one step after another.

    >>> from dpref.algorithms import examples, dynamic_sgd as package
    >>> from dpref.kernels.twin import interpreted_run
    >>> with interpreted_run("dynamic_sgd"):  # two steps without noise, against the gradient x - 1
    ...     package.ALGORITHM.trace(*examples.dynamic_sgd(), np.zeros((2, 1)), np.arange(4) % 2).points.ravel().tolist()
    [0.0, 0.5, 0.75]
    """
    steps, d = plan.stds.shape[0], plan.start.shape[0]
    each = plan.records if plan.poisson else plan.batch
    if tape.indices.shape[0] != steps * each:
        raise ValueError("the tape must have the draws of one batch for each step")
    points, queries, answers = np.empty((steps + 1, d)), np.empty((steps, d)), np.empty((steps, d))
    theta = plan.start.copy()
    project(theta, problem.radius)
    v = theta - theta
    put(points[0], theta)
    for t in range(steps):
        batch = drawn(plan, tape.indices[t * each : (t + 1) * each])
        put(queries[t], batch_gradient(problem, theta, batch, plan.batch))
        put(answers[t], answer(tape, t, queries[t], plan.stds[t]))
        descend(problem, theta, v, answers[t], plan.step_size, plan.momentum, plan.bias_corrections[t])
        put(points[t + 1], theta)
    return Trace(points, queries, plan.stds, answers)
