"""The proximal point method, compiled: ``algorithm.py``, line for line, on a tape."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

from dpref.algorithms.noisy_gradient_descent.kernel import descend
from dpref.kernels.answers import put
from dpref.kernels.gradients import feature_norms
from dpref.kernels.records import Linear, Tape, Trace, Vector


class Numbers(NamedTuple):
    """What the kernel reads of the plan."""

    start: Vector  # (d,) w_0
    weights: Vector  # (P,) lambda of each phase
    radii: Vector  # (P,) of the ball around the start of each phase
    iterates: int
    std: float
    telescoping: bool  # whether the solver's steps are the repaired ones


@njit(cache=False, nogil=True, error_model="python")
def run(problem: Linear, plan: Numbers, tape: Tape) -> Trace:
    """All P (T - 1) answers on a tape of standard normal noise, one a row; the output is the last phase's mean.

    >>> from dpref.algorithms import examples, proximal_point as package
    >>> from dpref.kernels.twin import interpreted_run
    >>> with interpreted_run("proximal_point"):
    ...     package.ALGORITHM.trace(*examples.proximal_point(), np.zeros((2, 1))).points.round(6).tolist()
    [[0.0], [0.166667], [0.333333]]
    """
    phases, each, d = plan.weights.shape[0], plan.iterates - 1, plan.start.shape[0]
    steps = phases * each
    trace = Trace(np.empty((steps + 1, d)), np.empty((steps, d)), np.full(steps, plan.std), np.empty((steps, d)))
    norms, w = feature_norms(problem), plan.start.copy()
    for t in range(phases):
        w = descend(
            problem,
            norms,
            w,
            plan.iterates,
            plan.std,
            plan.weights[t],
            plan.radii[t],
            plan.telescoping,
            tape,
            t * each,
            trace,
        )
    put(trace.points[steps], w)
    return trace
