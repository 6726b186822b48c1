"""Gradient descent with a dynamic budget, compiled: the steps of ``algorithm.py``, line for line, on a tape."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

from dpref.kernels.answers import answer, put
from dpref.kernels.gradients import feature_norms, mean_gradient, project, regularise
from dpref.kernels.records import Linear, Tape, Trace, Vector


class Numbers(NamedTuple):
    """What the kernel reads of the plan."""

    start: Vector  # (d,) theta_1
    step_size: float
    momentum: float
    bias_corrections: Vector  # at least (T,)
    stds: Vector  # (T,) noise of each step that is run


@njit(cache=False, nogil=True, error_model="python")
def descend(
    problem: Linear, theta: Vector, v: Vector, answer: Vector, step_size: float, momentum: float, correction: float
) -> None:
    """Move the parameter and the momentum, both of shape (d,), in place along an answer (Eq. 13).

    Args:
        problem: Its ridge and its ball.
        theta: The parameter.
        v: The momentum.
        answer: The noisy mean gradient, shape (d,).
        step_size: eta.
        momentum: beta.
        correction: The step's 1 / (1 - beta^t).

    >>> from dpref.kernels.twin import interpreted
    >>> free = Linear(np.eye(1), np.ones(1), 1, 0, 0.0, np.inf, 0.0, np.inf)
    >>> interpreted(descend)(free, theta := np.zeros(1), v := np.zeros(1), np.array([-1.0]), 0.5, 0.0, 1.0)
    >>> theta.tolist(), v.tolist()
    ([0.5], [-1.0])
    """
    g = answer.copy()
    regularise(problem, theta, g)
    for j in range(theta.shape[0]):
        v[j] = momentum * v[j] + (1.0 - momentum) * g[j]
        theta[j] -= step_size * (v[j] * correction)
    project(theta, problem.radius)


@njit(cache=False, nogil=True, error_model="python")
def run(problem: Linear, plan: Numbers, tape: Tape) -> Trace:
    """T steps on a tape of standard normal noise, shape (T, d).

    >>> from dpref.algorithms import examples, dynamic_gradient_descent as package
    >>> from dpref.kernels.twin import interpreted_run
    >>> with interpreted_run("dynamic_gradient_descent"):  # two steps without noise, against the gradient x - 1
    ...     package.ALGORITHM.trace(*examples.dynamic_gradient_descent(), np.zeros((2, 1))).points.ravel().tolist()
    [0.0, 0.5, 0.75]
    """
    steps, d = plan.stds.shape[0], plan.start.shape[0]
    points, queries, answers = np.empty((steps + 1, d)), np.empty((steps, d)), np.empty((steps, d))
    norms, theta = feature_norms(problem), plan.start.copy()
    project(theta, problem.radius)
    v = theta - theta
    put(points[0], theta)
    for t in range(steps):
        put(queries[t], mean_gradient(problem, norms, theta))
        put(answers[t], answer(tape, t, queries[t], plan.stds[t]))
        descend(problem, theta, v, answers[t], plan.step_size, plan.momentum, plan.bias_corrections[t])
        put(points[t + 1], theta)
    return Trace(points, queries, plan.stds, answers)
