"""Adaptive noisy gradient descent, compiled: the rounds of ``algorithm.py``, decision for decision, on a tape."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

from dpref.kernels.answers import answer, put
from dpref.kernels.branches import as_double, upward
from dpref.kernels.gradients import euclidean, feature_norms, mean_gradient, project, regularise
from dpref.kernels.records import Linear, Tape, Trace, Vector


class Numbers(NamedTuple):
    """What the kernel reads of the plan."""

    start: Vector  # (d,) w_0
    step_size: float
    rounds: int  # at most
    vector_norm: bool  # whether N_t is the norm of a noisy vector, not a noisy number
    absolute: bool  # whether its absolute value is taken
    clamped: bool  # whether it is clamped at zero
    repaired: bool  # whether each answer is asked of the filter before it is made
    norm_std: float
    floor_std: float
    spread: float
    norm_cost: float
    charge: float
    cap: float
    limit: float
    stop_norm: float
    sensitivity: float


@njit(cache=False, nogil=True, error_model="python")
def gradient_size(plan: Numbers, answered: Vector) -> float:
    """N_t from what the norm's query was answered, shape (d,): a vector, or a number in its first entry.

    >>> from dpref.algorithms import adaptive_gradient_descent as package, examples
    >>> from dpref.algorithms.declaration import numbers_of
    >>> plan = numbers_of(package.ALGORITHM, examples.adaptive_gradient_descent().plan)
    >>> gradient_size.py_func(plan, np.array([-1.0, 0.0]))  # clamped at zero
    0.0
    """
    if plan.vector_norm:
        return euclidean(answered)
    noisy: float = answered[0]
    if plan.absolute:
        noisy = abs(noisy)
    return max(noisy, 0.0) if plan.clamped else noisy


@njit(cache=False, nogil=True, error_model="python")
def recorded(plan: Numbers, size: float) -> float:
    """What the printed form charges for a round of that N_t.

    >>> from dpref.algorithms import adaptive_gradient_descent as package, examples
    >>> from dpref.algorithms.declaration import numbers_of
    >>> plan = numbers_of(package.ALGORITHM, examples.adaptive_gradient_descent().plan)
    >>> round(recorded.py_func(plan, 0.0), 9)  # at most half of the budget, and a hundredth for the norm
    0.51
    """
    square = size * size
    total: float = (plan.cap if plan.cap * square <= plan.charge else plan.charge / square) + plan.norm_cost
    return total


@njit(cache=False, nogil=True, error_model="python")
def run(problem: Linear, plan: Numbers, tape: Tape) -> Trace:
    """Rounds until the budget, a small gradient or their number ends them; a norm's draw is first in its row.

    >>> from dpref.algorithms import examples, adaptive_gradient_descent as package
    >>> from dpref.kernels.twin import interpreted_run
    >>> with interpreted_run("adaptive_gradient_descent"):  # without noise: the norm is 1/2, the gradient (-1/2, 0)
    ...     package.ALGORITHM.trace(*examples.adaptive_gradient_descent(), np.zeros((2, 2))).points.tolist()
    [[0.0, 0.0], [0.0, 0.0], [1.0, 0.0]]
    """
    d, most = plan.start.shape[0], min(2 * plan.rounds, max(tape.noise.shape[0], tape.answers.shape[0]))
    points, queries, answers = np.zeros((most + 2, d)), np.zeros((most + 1, d)), np.zeros((most + 1, d))
    scales = np.zeros(most + 1)
    norms, w = feature_norms(problem), plan.start.copy()
    project(w, problem.radius)
    k = 0
    spent = 0.0
    for _ in range(plan.rounds):
        if plan.repaired and upward(spent + plan.norm_cost) > plan.limit:
            break
        gradient = mean_gradient(problem, norms, w)
        full = gradient.copy()
        regularise(problem, w, full)
        if plan.vector_norm:
            put(queries[k], full)
            put(answers[k], answer(tape, k, full, plan.norm_std))
        else:
            queries[k, 0] = euclidean(full)
            put(answers[k, :1], answer(tape, k, queries[k, :1], plan.norm_std))
        put(points[k], w)
        scales[k] = plan.norm_std
        size = as_double(gradient_size(plan, answers[k]))
        k += 1
        spent = upward(spent + plan.norm_cost) if plan.repaired else as_double(spent + recorded(plan, size))
        if size <= plan.stop_norm or (not plan.repaired and spent > plan.limit):
            break
        std = max(size / plan.spread, plan.floor_std)
        if plan.repaired:
            ratio = upward(plan.sensitivity) / std
            spent = upward(spent + upward(ratio * ratio / 2.0))
            if spent > plan.limit:
                break
        put(points[k], w)
        put(queries[k], gradient)
        scales[k] = std
        put(answers[k], answer(tape, k, gradient, std))
        step = answers[k].copy()
        regularise(problem, w, step)
        for j in range(d):
            w[j] -= plan.step_size * step[j]
        project(w, problem.radius)
        k += 1
    put(points[k], w)
    return Trace(points[: k + 1], queries[:k], scales[:k], answers[:k])
