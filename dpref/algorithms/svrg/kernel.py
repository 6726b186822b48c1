"""DP-SVRG and DP-SVRG++, compiled: the epochs of ``algorithm.py``, line for line, on a tape of noise and indices."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

from dpref.kernels.answers import answer, put
from dpref.kernels.gradients import batch_gradient, feature_norms, mean_gradient, project
from dpref.kernels.records import Indices, Linear, Tape, Trace, Vector


class Numbers(NamedTuple):
    """What the kernel reads of the plan; the regulariser is ``l1 |x|_1 + l2/2 |x|^2`` on a box and a ball."""

    start: Vector  # (d,) the first snapshot, in the set
    step_size: float
    std: float
    epoch_std: float  # noise of an epoch's full gradient, where it has its own
    two_part: bool  # whether it has: then each epoch has one answer more, its first
    lengths: Indices  # (T,) inner steps of each epoch
    batch: int
    carry: bool  # whether an epoch goes on from the last iterate (DP-SVRG++)
    l1: float
    l2: float
    low: float
    high: float
    radius: float


@njit(cache=False, nogil=True, error_model="python")
def prox(plan: Numbers, x: Vector) -> None:
    """Apply the prox of the regulariser to a point of shape (d,), in place.

    >>> plan = Numbers(np.zeros(2), 1.0, 0.0, 0.0, False, np.array([1]), 1, False, 1.0, 1.0, -1.0, 2.0, np.inf)
    >>> x = np.array([3.0, -4.0])
    >>> prox(plan, x)  # to (2, -3), (1, -1.5) and into the box
    >>> x
    array([ 1., -1.])
    """
    cut = plan.step_size * plan.l1
    for j in range(x.shape[0]):
        y = x[j]
        if plan.l1 > 0.0:
            y = max(y - cut, 0.0) + min(y + cut, 0.0)
        if plan.l2 > 0.0:
            y /= 1.0 + plan.step_size * plan.l2
        x[j] = max(min(y, plan.high), plan.low)
    project(x, plan.radius)


@njit(cache=False, nogil=True, error_model="python")
def run(problem: Linear, plan: Numbers, tape: Tape) -> Trace:
    """All epochs on a tape of standard normal noise, a row an answer, and of indices, K batches one after another.

    >>> from dpref.algorithms import examples, svrg
    >>> from dpref.kernels.twin import interpreted_run
    >>> with interpreted_run("svrg"):  # two steps of 1/2 without noise, against the gradient x - 1
    ...     svrg.ALGORITHM.trace(*examples.svrg(), np.zeros((2, 1)), np.array([0, 1, 0, 1])).points.ravel().tolist()
    [0.0, 0.5, 0.625]
    """
    sampled, d, b = plan.lengths.sum(), plan.start.shape[0], plan.batch
    steps = sampled + plan.lengths.shape[0] if plan.two_part else sampled
    if tape.indices.shape[0] != sampled * b:
        raise ValueError("the tape must have one batch of indices for each step")
    points, queries, answers = np.empty((steps + 1, d)), np.empty((steps, d)), np.empty((steps, d))
    norms, snapshot, x = feature_norms(problem), plan.start.copy(), plan.start.copy()
    stds = np.full(steps, plan.std)
    k, drawn = 0, 0
    for length in plan.lengths:
        if not plan.carry:
            x = snapshot.copy()
        full = mean_gradient(problem, norms, snapshot)
        total, known = np.zeros(d), np.zeros(d)
        if plan.two_part:
            put(points[k], snapshot)
            put(queries[k], full)
            stds[k] = plan.epoch_std
            known = answer(tape, k, full, plan.epoch_std)
            put(answers[k], known)
            full = np.zeros(d)
            k += 1
        for _ in range(length):
            put(points[k], x)
            batch = tape.indices[drawn * b : (drawn + 1) * b]
            here, there = batch_gradient(problem, x, batch, b), batch_gradient(problem, snapshot, batch, b)
            for j in range(d):
                queries[k, j] = here[j] - there[j] + full[j]
            put(answers[k], answer(tape, k, queries[k], plan.std))
            for j in range(d):
                v = answers[k, j] + known[j] if plan.two_part else answers[k, j]
                x[j] -= plan.step_size * v
            prox(plan, x)
            for j in range(d):
                total[j] += x[j]
            k, drawn = k + 1, drawn + 1
        for j in range(d):
            total[j] /= length
        snapshot = total
    put(points[steps], snapshot)
    return Trace(points, queries, stds, answers)
