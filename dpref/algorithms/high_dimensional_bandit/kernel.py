"""DP-HDB, compiled: the rounds of ``algorithm.py``, line for line, on a tape of unit noise, V draws a choice."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numba import njit

from dpref.kernels.answers import put
from dpref.kernels.records import Contexts, Tape, Trace, Vector
from dpref.kernels.streams import noisy_max


class Numbers(NamedTuple):
    """What the kernel reads of the plan."""

    scales: Vector  # of the noise, by the number of rows
    arms: int  # K
    warm_up: int  # t_0
    margin: float  # of the pre-selection
    step_scale: float  # c
    ahead: int  # 1 with the printed weights 1 / (t + 1), 0 with the repaired 1 / t


@njit(cache=False, nogil=True, error_model="python")
def mean_reward(link: int, x: Vector, theta: Vector) -> float:
    """zeta of the prediction: the identity (0) or the logistic function (1); x and theta of shape (d,).

    >>> from dpref.kernels.twin import interpreted
    >>> [float(interpreted(mean_reward)(link, np.ones(2), np.zeros(2))) for link in (0, 1)]
    [0.0, 0.5]
    """
    s = 0.0
    for j in range(x.shape[0]):
        s += x[j] * theta[j]
    return s if link == 0 else 1.0 / (1.0 + math.exp(-s))


@njit(cache=False, nogil=True, error_model="python")
def best_arm(problem: Contexts, plan: Numbers, x: Vector, warm: Vector, theta: Vector) -> int:
    """The arm that a user with context x is given; the estimates of all arms end to end, shape (K d,) each.

    >>> from dpref.kernels.twin import interpreted
    >>> problem = Contexts(np.empty((0, 1)), np.empty((0, 2)), 0, 1.0)
    >>> plan = Numbers(np.ones(1), 2, 1, 0.05, 1.0, 0)
    >>> interpreted(best_arm)(problem, plan, np.ones(1), np.array([0.0, 0.2]), np.array([0.3, 0.1]))
    1
    """
    d, best, largest, top = x.shape[0], -1, -math.inf, -math.inf
    for i in range(plan.arms):
        top = max(top, mean_reward(problem.link, x, warm[i * d : (i + 1) * d]))
    for i in range(plan.arms):
        if mean_reward(problem.link, x, warm[i * d : (i + 1) * d]) > top - plan.margin:
            value = mean_reward(problem.link, x, theta[i * d : (i + 1) * d])
            if value > largest:
                best, largest = i, value
    return best


@njit(cache=False, nogil=True, error_model="python")
def run(problem: Contexts, plan: Numbers, tape: Tape) -> Trace:
    """All rounds on a tape of unit draws; the points are the billboard, the queries the scores of K choices a row.

    >>> from dpref.algorithms import examples, high_dimensional_bandit as package
    >>> from dpref.kernels.twin import interpreted_run
    >>> with interpreted_run("high_dimensional_bandit"):
    ...     package.ALGORITHM.trace(*examples.high_dimensional_bandit(), np.zeros(24)).points[2].tolist()
    [0.5, 0.0, 0.5, 0.0]
    """
    n, d = problem.contexts.shape
    first = plan.arms * plan.warm_up
    total = plan.arms * (plan.warm_up + n - first)
    points, queries = np.zeros((n + 1, plan.arms * d)), np.empty((total, 2 * d))
    answers, scales = np.empty(total), np.empty(n)
    estimate, before = np.zeros(plan.arms * d), np.zeros(plan.arms * d)
    k = 0
    for t in range(1, n + 1):
        x, now, then = problem.contexts[t - 1], points[t], points[t - 1]
        put(now, then)
        if t <= first:
            low = (t - 1) // plan.warm_up
            high, pulled, rows = low + 1, low, (t - 1) % plan.warm_up + 1
        else:
            low, high, rows = 0, plan.arms, t - (plan.arms - 1) * plan.warm_up
            pulled = best_arm(problem, plan, x, points[first], then)
        later = rows + plan.ahead
        scales[t - 1] = plan.scales[rows - 1]
        for i in range(low, high):
            here = there = 0.0
            if i == pulled:
                reward = problem.rewards[t - 1, i]
                here = mean_reward(problem.link, x, then[i * d : (i + 1) * d]) - reward
                if rows > 1:
                    there = mean_reward(problem.link, x, before[i * d : (i + 1) * d]) - reward
            for j in range(d):
                e = i * d + j
                if rows == 1:
                    estimate[e] = here * x[j]
                else:
                    estimate[e] = here * x[j] + (later - 1) * (estimate[e] - there * x[j]) / later
                size = problem.radius * estimate[e]
                queries[k, j] = -size
                queries[k, d + j] = size
            chosen = noisy_max(tape, k, queries[k], scales[t - 1])
            answers[k] = chosen
            k += 1
            eta = plan.step_scale / (rows + 1)
            for j in range(d):
                v = 0.0
                if j == chosen % d:
                    v = problem.radius if chosen < d else -problem.radius
                e = i * d + j
                before[e] = then[e]
                now[e] = then[e] + eta * (v - then[e])
    return Trace(points, queries.reshape(-1, plan.arms * 2 * d), scales, answers)
