"""Boosting, compiled: the runs of Algorithm 1 and the comparisons of ``algorithm.py``, line for line, on a tape."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

from dpref.algorithms.dynamic_gradient_descent.kernel import descend
from dpref.kernels.answers import answer, put
from dpref.kernels.branches import as_double
from dpref.kernels.gradients import euclidean, feature_norms, mean_gradient, project
from dpref.kernels.records import Linear, Tape, Trace, Vector
from dpref.kernels.values import mean_slopes


class Numbers(NamedTuple):
    """What the kernel reads of the plan."""

    start: Vector  # (d,) theta_1
    step_size: float
    momentum: float
    bias_corrections: Vector  # at least (T,)
    run_stds: Vector  # (T,) noise of each step of a run
    repetitions: int
    comparisons: int  # repetitions - 1, or zero
    part: int  # records that a run reads, or zero
    std: float
    nearest: float
    slope_bound: float


@njit(cache=False, nogil=True, error_model="python")
def read(problem: Linear, plan: Numbers, number: int) -> Linear:
    """The records of a run, or of the comparisons, which come last.

    >>> from dpref.kernels.twin import interpreted
    >>> three = Linear(np.arange(3.0).reshape(3, 1), np.ones(3), 3, 1, 0.0, np.inf, 0.0, np.inf)
    >>> plan = Numbers(np.zeros(1), 1.0, 0.0, np.ones(1), np.ones(1), 2, 1, 1, 1.0, 1.0, 1.0)
    >>> interpreted(read)(three, plan, 2).features.tolist()
    [[2.0]]
    """
    if plan.part == 0:
        return problem
    first, last = number * plan.part, (number + 1) * plan.part
    return Linear(
        problem.features[first:last],
        problem.labels[first:last],
        plan.part,
        problem.code,
        problem.parameter,
        problem.clip,
        problem.ridge,
        problem.radius,
    )


@njit(cache=False, nogil=True, error_model="python")
def run(problem: Linear, plan: Numbers, tape: Tape) -> Trace:
    """k runs of T steps and k - 1 comparisons, or none, on a tape of standard normal noise, shape (k T + k - 1, d).

    A comparison's draw is first in its row.

    >>> from dpref.algorithms import examples, dynamic_boosting as package
    >>> from dpref.kernels.twin import interpreted_run
    >>> with interpreted_run("dynamic_boosting"):  # without noise, against the gradient x - 1
    ...     package.ALGORITHM.trace(*examples.dynamic_boosting(), np.zeros((5, 1))).points.ravel().tolist()
    [0.0, 0.5, 0.0, 0.5, 0.75, 0.75]
    """
    steps, d, runs = plan.run_stds.shape[0], plan.start.shape[0], plan.repetitions
    total = runs * steps + plan.comparisons
    points, queries, answers = np.zeros((total + 1, d)), np.zeros((total, d)), np.zeros((total, d))
    scales, candidates, norms = np.empty(total), np.empty((runs, d)), feature_norms(problem)
    k = 0
    for j in range(runs):
        local, theta = read(problem, plan, j), plan.start.copy()
        local_norms = norms[j * plan.part : (j + 1) * plan.part] if plan.part > 0 else norms
        project(theta, problem.radius)
        v = theta - theta
        for t in range(steps):
            put(points[k], theta)
            scales[k] = plan.run_stds[t]
            put(queries[k], mean_gradient(local, local_norms, theta))
            put(answers[k], answer(tape, k, queries[k], scales[k]))
            descend(local, theta, v, answers[k], plan.step_size, plan.momentum, plan.bias_corrections[t])
            k += 1
        put(candidates[j], theta)
    distances, chosen, least = np.empty(plan.comparisons), 0, 0.0
    for j in range(1, plan.comparisons + 1):
        distances[j - 1] = max(euclidean(candidates[j] - candidates[0]), plan.nearest)
    slopes = np.empty(0)
    if plan.comparisons > 0:
        slopes = mean_slopes(read(problem, plan, runs), candidates, distances, plan.slope_bound)
    for j in range(1, plan.comparisons + 1):
        put(points[k], candidates[j])
        scales[k] = plan.std
        queries[k, 0] = slopes[j - 1]
        put(answers[k, :1], answer(tape, k, queries[k, :1], scales[k]))
        ridge = 0.0
        for i in range(d):
            ridge += candidates[j, i] * candidates[j, i] - candidates[0, i] * candidates[0, i]
        larger = as_double(distances[j - 1] * answers[k, 0] + problem.ridge / 2.0 * ridge)
        if larger < least:
            chosen, least = j, larger
        k += 1
    put(points[k], candidates[chosen])
    return Trace(points, queries, scales, answers)
