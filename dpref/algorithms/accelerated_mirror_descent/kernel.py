"""Accelerated mirror descent, compiled: the steps of ``algorithm.py``, line for line, on a tape."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

from dpref.kernels.answers import answer, put
from dpref.kernels.gradients import feature_norms, mean_gradient, project, regularise
from dpref.kernels.mirror import mirror_step
from dpref.kernels.records import Linear, MirrorNumbers, Tape, Trace, Vector


class Numbers(NamedTuple):
    """What the kernel reads of the plan."""

    start: Vector  # (d,) x_0
    iterations: int  # T
    step_size: float  # alpha_{k+1} / (k + 2)
    descent: float  # how far the y-step goes against a gradient
    y_step: int  # 0 coupled, 1 along the noisy gradient, 2 along the exact one
    std: float
    kind: int  # of the mirror map, as MirrorNumbers
    exponent: float
    dual: float
    scale: float
    radius: float


@njit(cache=False, nogil=True, error_model="python")
def run(problem: Linear, plan: Numbers, tape: Tape) -> Trace:
    """T steps on a tape of standard normal noise, shape (T, d), or (2 T, d) where the exact gradient is asked for too.

    >>> from dpref.algorithms import accelerated_mirror_descent as package, examples
    >>> from dpref.kernels.twin import interpreted_run
    >>> with interpreted_run("accelerated_mirror_descent"):  # the gradients are x - 1
    ...     package.ALGORITHM.trace(*examples.accelerated_mirror_descent(), np.zeros((2, 1))).points.round(6).tolist()
    [[0.0], [0.5], [0.75]]
    """
    d, each = plan.start.shape[0], 2 if plan.y_step == 2 else 1
    total = each * plan.iterations
    points, queries, answers = np.empty((total + 1, d)), np.empty((total, d)), np.empty((total, d))
    scales = np.empty(total)
    mirror = MirrorNumbers(plan.kind, plan.exponent, plan.dual, plan.scale, plan.radius)
    norms, x, y, z = feature_norms(problem), plan.start.copy(), plan.start.copy(), plan.start.copy()
    for k in range(plan.iterations):
        r = 2.0 / (k + 2)
        for j in range(d):
            x[j] = y[j] + r * (z[j] - y[j])
        query = mean_gradient(problem, norms, x)
        for i in range(each * k, each * k + each):
            put(points[i], x)
            put(queries[i], query)
            scales[i] = 0.0 if i < each * k + each - 1 else plan.std
            put(answers[i], answer(tape, i, query, scales[i]))
        g = answers[each * k + each - 1].copy()
        regularise(problem, x, g)
        z = mirror_step(mirror, z, g, plan.step_size * (k + 2))
        along = answers[each * k].copy()
        regularise(problem, x, along)
        for j in range(d):
            y[j] = y[j] + r * (z[j] - y[j]) if plan.y_step == 0 else x[j] - plan.descent * along[j]
        if plan.y_step > 0:
            project(y, plan.radius)
    put(points[total], y)
    return Trace(points, queries, scales, answers)
