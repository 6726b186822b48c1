"""The search for a stationary point, compiled: the kernel of the descent, then ``algorithm.py``'s selection."""

from __future__ import annotations

from typing import Any, Final, NamedTuple

import numpy as np
from numba import njit

from dpref.algorithms.adaptive_gradient_descent import kernel as descent_kernel
from dpref.kernels.answers import put
from dpref.kernels.branches import as_double
from dpref.kernels.gradients import euclidean
from dpref.kernels.records import Linear, Tape, Trace, Vector

# They read the descent's numbers by name, which are among those below.
descend: Final[Any] = descent_kernel.run
gradient_size: Final[Any] = descent_kernel.gradient_size


class Numbers(NamedTuple):
    """What the kernel reads of the plan: the descent's numbers, in its words, and the selection's."""

    start: Vector  # (d,) w_0
    step_size: float
    rounds: int
    vector_norm: bool
    absolute: bool
    clamped: bool
    repaired: bool
    norm_std: float
    floor_std: float
    spread: float
    norm_cost: float
    charge: float
    cap: float
    limit: float
    stop_norm: float
    sensitivity: float
    selects: bool  # whether by the exponential mechanism
    selection_scale: float  # of the Gumbel noise


@njit(cache=False, nogil=True, error_model="python")
def choose(tape: Tape, k: int, scores: Vector, scale: float) -> int:
    """The candidate of the largest noisy score, the first of several, or the one that row k of the tape forces.

    Args:
        tape: Gumbel draws in its row k, or the choice there.
        k: Number of the query.
        scores: Shape (R,).
        scale: Of the noise.

    Raises:
        ValueError: If the row is too short, or missing.

    >>> tape = Tape(np.zeros((1, 2)), np.empty((0, 2)), np.empty(0, int))
    >>> choose.py_func(tape, 0, np.array([1.0, 2.0]), 0.5)
    1
    """
    if tape.answers.shape[0] > 0:
        if k >= tape.answers.shape[0]:
            raise ValueError("the tape is too short for this run")
        return int(tape.answers[k, 0])
    if k >= tape.noise.shape[0] or scores.shape[0] > tape.noise.shape[1]:
        raise ValueError("the tape is too short for this run")
    best, largest = 0, scores[0] + scale * tape.noise[k, 0]
    for i in range(1, scores.shape[0]):
        value = scores[i] + scale * tape.noise[k, i]
        if value > largest:
            best, largest = i, value
    return best


@njit(cache=False, nogil=True, error_model="python")
def run(problem: Linear, plan: Numbers, tape: Tape) -> Trace:
    """The descent's answers, a norm's draw first in its row; then the selection's, if it draws; the chosen point.

    >>> from dpref.algorithms import examples, stationary_point as package
    >>> from dpref.kernels.twin import interpreted_run
    >>> with interpreted_run("stationary_point"):  # one candidate: the start
    ...     package.ALGORITHM.trace(*examples.stationary_point(), np.zeros((3, 2))).points[-1].tolist()
    [0.0, 0.0]
    """
    descent: Trace = descend(problem, plan, tape)
    answered, d = descent.queries.shape
    candidates = (answered + 1) // 2  # a round's norm comes before its gradient
    if candidates == 0:
        return descent
    if not plan.selects:
        best, least = 0, as_double(gradient_size(plan, descent.answers[0]))
        for i in range(1, candidates):
            size = as_double(gradient_size(plan, descent.answers[2 * i]))
            if size < least:
                best, least = i, size
        descent.points[answered] = descent.points[2 * best]
        return descent
    width = max(d, candidates)
    points, queries = np.zeros((answered + 2, d)), np.zeros((answered + 1, width))
    answers, scales = np.zeros((answered + 1, width)), np.zeros(answered + 1)
    for k in range(answered):
        put(points[k], descent.points[k])
        scales[k] = descent.scales[k]
        for j in range(d):
            queries[k, j], answers[k, j] = descent.queries[k, j], descent.answers[k, j]
    for i in range(candidates):
        query = descent.queries[2 * i]
        queries[answered, i] = -(euclidean(query) if plan.vector_norm else query[0])
    chosen = choose(tape, answered, queries[answered, :candidates], plan.selection_scale)
    put(points[answered], descent.points[answered])
    scales[answered] = plan.selection_scale
    answers[answered, 0] = chosen
    put(points[answered + 1], descent.points[2 * chosen])
    return Trace(points, queries, scales, answers)
