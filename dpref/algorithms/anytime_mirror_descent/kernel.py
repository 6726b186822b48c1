"""Anytime mirror descent, compiled: the steps of ``algorithm.py``, line for line, on a tape."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numba import njit

from dpref.kernels.games import add_softmax, choose, operator
from dpref.kernels.records import Indices, Payoffs, Tape, Trace, Vector


class Numbers(NamedTuple):
    """What the kernel reads of the plan."""

    batches: Indices  # (T - 1,) records of each step
    vertices: Indices  # (T,) vertices drawn before each step, or none, and for the output
    step_size: float  # tau
    first: bool  # whether the first player's vertices are drawn
    opponent: Vector  # the other player's point


@njit(cache=False, nogil=True, error_model="python")
def run(problem: Payoffs, plan: Numbers, tape: Tape) -> Trace:
    """All steps on a tape of Gumbel draws.

    The queries are the logarithms of the weights that vertices are drawn from, the points the averages of these.

    >>> from dpref.algorithms import anytime_mirror_descent as package, game_examples as examples
    >>> from dpref.kernels.twin import interpreted_run
    >>> with interpreted_run("anytime_mirror_descent"):  # without noise equal weights choose the first
    ...     package.ALGORITHM.trace(*examples.anytime_mirror_descent(), np.zeros(16)).points.tolist()[0]
    [1.0, 0.0]
    """
    steps, rows, columns = plan.vertices.shape[0], problem.payoffs.shape[1], problem.payoffs.shape[2]
    start, d = (0, rows) if plan.first else (rows, columns)
    asked = 0
    for t in range(steps):
        if plan.vertices[t] > 0:
            asked += 1
    points, queries, answers = np.zeros((asked, d)), np.empty((asked, d)), np.empty(plan.vertices.sum())
    scores, total, used = np.zeros(d), np.zeros(d), np.zeros(2, dtype=np.int64)
    both = np.zeros(rows + columns)
    for i in range(plan.opponent.shape[0]):
        both[(rows if plan.first else 0) + i] = plan.opponent[i]
    row, first = -1, 0
    add_softmax(scores, total)
    for t in range(steps):
        count = plan.vertices[t]
        if count > 0:
            row += 1
            for i in range(d):
                queries[row, i] = math.log(total[i] / (t + 1))
            chosen, done = np.empty(count, dtype=np.int64), used[1]
            choose(tape, queries[row], used, 0, d, chosen)
            for k in range(count):
                answers[done + k] = chosen[k]
                points[row, chosen[k]] += 1.0
            for i in range(d):
                points[row, i] /= count
                both[start + i] = points[row, i]
        if t < steps - 1:
            moved = operator(problem, first, first + plan.batches[t], both)
            for i in range(d):
                scores[i] -= plan.step_size * moved[start + i]
            add_softmax(scores, total)
            first += plan.batches[t]
    return Trace(points, queries, np.ones(asked), answers)
