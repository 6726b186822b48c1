"""KL Spider, compiled: the rounds of ``algorithm.py``, decision for decision, on a tape."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

from dpref.kernels.answers import answer, put
from dpref.kernels.branches import as_double
from dpref.kernels.gradients import euclidean, feature_norms, mean_gradient, project, regularise
from dpref.kernels.records import Indices, Linear, Tape, Trace, Vector


class Numbers(NamedTuple):
    """What the kernel reads of the plan."""

    start: Vector  # (d,) w_0
    outer_std: float
    thresholds: Vector  # (R,)
    lengths: Vector  # (R,) of an update
    stds: Vector  # (R,) noise of a difference
    updates: Indices  # (R,) at most
    differences: Indices  # (R,) at most
    keep_last: bool  # whether a round ends at its last iterate, or at the one before


@njit(cache=False, nogil=True, error_model="python")
def run(problem: Linear, plan: Numbers, tape: Tape) -> Trace:
    """All rounds on a tape of standard normal noise, shape (K, d) or longer.

    >>> from dpref.algorithms import examples, spider
    >>> from dpref.kernels.twin import interpreted_run
    >>> with interpreted_run("spider"):  # without noise: half a unit against the gradient (-1/2, 0)
    ...     spider.ALGORITHM.trace(*examples.spider(), np.zeros((1, 2))).points.tolist()
    [[0.0, 0.0], [0.5, 0.0]]
    """
    d, most = plan.start.shape[0], max(tape.noise.shape[0], tape.answers.shape[0])
    points, queries, answers = np.zeros((most + 2, d)), np.zeros((most + 1, d)), np.zeros((most + 1, d))
    scales = np.zeros(most + 1)
    norms, w = feature_norms(problem), plan.start.copy()
    project(w, problem.radius)
    previous = w.copy()
    k = 0
    for r in range(plan.updates.shape[0]):
        gradient = mean_gradient(problem, norms, w)
        put(points[k], w)
        put(queries[k], gradient)
        scales[k] = plan.outer_std
        put(answers[k], answer(tape, k, gradient, plan.outer_std))
        estimate = answers[k].copy()
        k += 1
        regularise(problem, w, estimate)
        put(previous, w)
        for t in range(plan.updates[r]):
            size = euclidean(estimate)
            if as_double(size) < plan.thresholds[r]:
                break
            put(previous, w)
            w -= plan.lengths[r] / size * estimate
            project(w, problem.radius)
            if t < plan.differences[r]:
                following = mean_gradient(problem, norms, w)
                put(points[k], w)
                put(queries[k], following - gradient)
                scales[k] = plan.stds[r]
                put(answers[k], answer(tape, k, queries[k], plan.stds[r]))
                moved = answers[k].copy()
                k += 1
                regularise(problem, w - previous, moved)
                estimate += moved
                gradient = following
        if not plan.keep_last:
            put(w, previous)
    put(points[k], w)
    return Trace(points[: k + 1], queries[:k], scales[:k], answers[:k])
