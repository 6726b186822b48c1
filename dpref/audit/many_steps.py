"""A tile of runs of DP-GD, compiled: the steps of its kernel in every lane."""

from __future__ import annotations

import math

import numpy as np
from numba import njit

from dpref.algorithms.gradient_descent.kernel import Numbers
from dpref.audit.many_gradients import LANES, ROWS, mean_gradients
from dpref.kernels.records import Indices, Linear, Vector


@njit(cache=False, nogil=True, error_model="python", fastmath={"contract"})
def descend(
    problem: Linear,
    norms: Vector,
    plan: Numbers,
    noise: Vector,
    released: Indices,
    first: int,
    last: int,
    outputs: Vector,
    answers: Vector,
) -> None:
    """The runs from ``first`` to ``last``, at most `LANES` of them.

    Args:
        problem: The records.
        norms: What `dpref.kernels.gradients.feature_norms` gives.
        plan: The numbers of the plan.
        noise: Of all runs, shape (runs, T, d).
        released: Which iterate each run releases.
        first: The first run.
        last: The run behind the last one.
        outputs: Of all runs, shape (runs, d), in place.
        answers: Of all runs, shape (runs, T, d), in place; shape (0, T, d) where they are not wanted.

    >>> huber = Linear(np.ones((2, 1)), np.ones(2), 2, 2, 1.0, np.inf, 0.0, np.inf)  # the gradient x - 1
    >>> plan, found = Numbers(np.zeros(1), 2, 0.5, 0.0), np.empty((1, 1))
    >>> descend(huber, np.empty(0), plan, np.zeros((1, 2, 1)), np.array([2]), 0, 1, found, np.empty((0, 2, 1)))
    >>> found.tolist()
    [[0.75]]
    """
    d, runs = plan.start.shape[0], last - first
    theta, total, scratch = np.empty((d, LANES)), np.empty((d, LANES)), np.empty((3 * ROWS, LANES))
    for j in range(d):
        for r in range(LANES):
            theta[j, r] = plan.start[j]
    _project(theta, problem.radius, scratch[0])
    _release(theta, released, 0, first, runs, outputs)
    for t in range(plan.steps):
        mean_gradients(problem, norms, theta, total, scratch)
        for r in range(runs):
            for j in range(d):
                total[j, r] += plan.std * noise[first + r, t, j]
        if answers.shape[0] > 0:
            for r in range(runs):
                for j in range(d):
                    answers[first + r, t, j] = total[j, r]
        for j in range(d):
            for r in range(LANES):
                theta[j, r] -= plan.step_size * (total[j, r] + problem.ridge * theta[j, r])
        _project(theta, problem.radius, scratch[0])
        _release(theta, released, t + 1, first, runs, outputs)


@njit(cache=False, nogil=True, error_model="python", fastmath={"contract"})
def _project(theta: Vector, radius: float, factors: Vector) -> None:
    """Scale every point, shape (d, lanes), into the ball of that radius; nothing if the radius is infinite."""
    if radius < math.inf:
        d, lanes = theta.shape
        factors[:] = 0.0
        for j in range(d):
            for r in range(lanes):
                factors[r] += theta[j, r] * theta[j, r]
        for r in range(lanes):
            factors[r] = radius / max(radius, math.sqrt(factors[r]))
        for j in range(d):
            for r in range(lanes):
                theta[j, r] *= factors[r]


@njit(cache=False, nogil=True, error_model="python")
def _release(theta: Vector, released: Indices, t: int, first: int, runs: int, outputs: Vector) -> None:
    """Copy the points of the runs that release iterate t."""
    for r in range(runs):
        if released[first + r] == t:
            for j in range(theta.shape[0]):
                outputs[first + r, j] = theta[j, r]
