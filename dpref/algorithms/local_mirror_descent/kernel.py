"""LocalMD, compiled: the steps of ``algorithm.py``, line for line, on a tape."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

from dpref.kernels.answers import answer, put
from dpref.kernels.mirror import mirror_step, retract
from dpref.kernels.records import Indices, LinearStream, MirrorNumbers, Tape, Trace, Vector
from dpref.kernels.streams import add_gradients


class Numbers(NamedTuple):
    """What the kernel reads of the plan; a column has one entry a block."""

    start: Vector  # (d,) x_0
    block_first: Indices  # its first record
    block_batch: Indices  # b_i
    block_steps: Indices  # T_i
    block_radius: Vector
    block_alpha: Vector
    scheduled_stds: Vector
    kind: int  # of the mirror map
    exponent: float
    dual: float
    scale: float
    p: float  # of the set
    radius: float


@njit(cache=False, nogil=True, error_model="python")
def run(problem: LinearStream, plan: Numbers, tape: Tape) -> Trace:
    """All blocks on a tape of standard normal noise, one answer a row, and of batches, one after another.

    >>> from dpref.algorithms import examples, local_mirror_descent as package
    >>> from dpref.kernels.twin import interpreted_run
    >>> with interpreted_run("local_mirror_descent"):
    ...     package.ALGORITHM.trace(*examples.local_mirror_descent(), np.zeros((4, 2)), np.zeros(4, int)).points.shape
    (5, 2)
    """
    d, asked, needed = plan.start.shape[0], 0, 0
    for i in range(plan.block_steps.shape[0]):
        asked += plan.block_steps[i]
        needed += plan.block_steps[i] * plan.block_batch[i]
    if tape.indices.shape[0] != needed:
        raise ValueError("the tape must have the draws of every batch")
    points, queries, answers = np.empty((asked + 1, d)), np.empty((asked, d)), np.empty((asked, d))
    scales = np.empty(asked)
    center, y, query, shifted = plan.start.copy(), plan.start.copy(), np.empty(d), np.empty(d)
    unit = MirrorNumbers(plan.kind, plan.exponent, plan.dual, plan.scale, 1.0)
    k = at = 0
    for i in range(plan.block_steps.shape[0]):
        reach, batch, total = plan.block_radius[i], plan.block_batch[i], np.zeros(d)
        for j in range(d):
            y[j] = center[j]
        for _ in range(plan.block_steps[i]):
            put(points[k], y)
            query[:] = 0.0
            for drawn in tape.indices[at : at + batch]:
                row = plan.block_first[i] + drawn
                add_gradients(problem, row, row + 1, y, 1.0 / batch, query)
            at += batch
            put(queries[k], query)
            scales[k] = plan.scheduled_stds[i]
            put(answers[k], answer(tape, k, query, scales[k]))
            for j in range(d):
                shifted[j] = (y[j] - center[j]) / reach
            moved = mirror_step(unit, shifted, answers[k], plan.block_alpha[i] * reach)
            for j in range(d):
                y[j] = center[j] + reach * moved[j]
            retract(y, plan.p, plan.radius)
            for j in range(d):
                total[j] += y[j]
            k += 1
        center = total / plan.block_steps[i]
    put(points[asked], center)
    return Trace(points, queries, scales, answers)
