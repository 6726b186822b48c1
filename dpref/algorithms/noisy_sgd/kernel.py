"""NoisySGD, compiled: the steps of ``algorithm.py``, line for line, on a tape; and long runs that leave no trace."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

from dpref.kernels.answers import answer, put
from dpref.kernels.mirror import retract
from dpref.kernels.records import Indices, LinearStream, Tape, Trace, Vector
from dpref.kernels.streams import slope


class Numbers(NamedTuple):
    """What the kernel reads of the plan."""

    start: Vector  # (d,) w_1
    steps: int  # T - 1
    step_size: float  # eta
    std: float
    p: float  # of the ball
    radius: float
    average: bool  # whether the output is the average of the points


@njit(cache=False, nogil=True, error_model="python")
def move(plan: Numbers, w: Vector, g: Vector) -> None:
    """One step against g and back into the ball, in place; both of shape (d,).

    >>> from dpref.kernels.twin import interpreted
    >>> w = np.zeros(2)
    >>> interpreted(move)(Numbers(w, 1, 0.5, 0.0, 2.0, 8.0, True), w, np.array([1.0, -4.0])), w.tolist()
    (None, [-0.5, 2.0])
    """
    for j in range(w.shape[0]):
        w[j] -= plan.step_size * g[j]
    retract(w, plan.p, plan.radius)


@njit(cache=False, nogil=True, error_model="python")
def advance(problem: LinearStream, plan: Numbers, noise: Vector, drawn: Indices, w: Vector, total: Vector) -> None:
    """As many steps as there are draws, in place, without a trace: a long run takes them a block at a time.

    Args:
        problem: The records.
        plan: The numbers.
        noise: Unit draws, shape (k, d).
        drawn: The records' indices, shape (k,).
        w: The point, shape (d,).
        total: The sum of the points so far, shape (d,).

    >>> from dpref.algorithms import examples
    >>> from dpref.kernels.twin import interpreted
    >>> (problem, data, _), w, plan = examples.noisy_sgd(), np.zeros((2, 2)), (np.zeros(2), 3, 0.5, 0.0, 2.0, 1.0, True)
    >>> interpreted(advance)(problem.arrays(data), Numbers(*plan), np.zeros((1, 2)), np.array([1]), *w), w.tolist()
    (None, [[0.25, 0.0], [0.25, 0.0]])
    """
    g = np.empty(w.shape[0])
    for k in range(drawn.shape[0]):
        at = slope(problem, drawn[k], w)
        for j in range(w.shape[0]):
            g[j] = at * problem.features[drawn[k], j] + plan.std * noise[k, j]
        move(plan, w, g)
        for j in range(w.shape[0]):
            total[j] += w[j]


@njit(cache=False, nogil=True, error_model="python")
def run(problem: LinearStream, plan: Numbers, tape: Tape) -> Trace:
    """T - 1 steps on a tape of standard normal noise, shape (T - 1, d), and of indices.

    >>> from dpref.algorithms import examples, noisy_sgd as package
    >>> from dpref.kernels.twin import interpreted_run
    >>> with interpreted_run("noisy_sgd"):
    ...     package.ALGORITHM.trace(*examples.noisy_sgd(), np.zeros((3, 2)), np.array([0, 1, 0])).points[:, 0].round(4)
    array([0.    , 0.1165, 0.2262, 0.1681])
    """
    steps, d = plan.steps, plan.start.shape[0]
    if tape.indices.shape[0] != steps:
        raise ValueError("the tape must have one index for each step")
    points, queries, answers = np.empty((steps + 1, d)), np.empty((steps, d)), np.empty((steps, d))
    w, total, query = plan.start.copy(), plan.start.copy(), np.empty(d)
    for t in range(steps):
        put(points[t], w)
        i = tape.indices[t]
        at = slope(problem, i, w)
        for j in range(d):
            query[j] = at * problem.features[i, j]
        put(queries[t], query)
        put(answers[t], answer(tape, t, query, plan.std))
        move(plan, w, answers[t])
        for j in range(d):
            total[j] += w[j]
    for j in range(w.shape[0]):
        points[steps, j] = total[j] / (steps + 1) if plan.average else w[j]
    return Trace(points, queries, np.full(steps, plan.std), answers)
