"""Variance-reduced Frank-Wolfe, compiled: the steps of ``algorithm.py``, line for line, on a tape."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

from dpref.kernels.answers import put
from dpref.kernels.games import operator
from dpref.kernels.records import Payoffs, Tape, Trace, Vector
from dpref.kernels.streams import noisy_max


class Numbers(NamedTuple):
    """What the kernel reads of the plan."""

    start: Vector  # (d,) the first point
    batch: int  # b, the records of a root
    scales: Vector  # (T,) of the noise of each phase
    first: bool  # whether the first player's vertices are chosen
    opponent: Vector  # the other player's point


@njit(cache=False, nogil=True, error_model="python")
def run(problem: Payoffs, plan: Numbers, tape: Tape) -> Trace:
    """All phases on a tape of unit draws, d a choice.

    The queries are the scores of each choice, the points those before each choice and after the last.

    >>> from dpref.algorithms import game_examples, variance_reduced_frank_wolfe as package
    >>> from dpref.kernels import twin
    >>> with twin.interpreted_run("variance_reduced_frank_wolfe"):
    ...     package.ALGORITHM.trace(*game_examples.variance_reduced_frank_wolfe(), np.zeros(12)).answers.tolist()
    [1.0, 1.0, 1.0, 1.0, 1.0, 1.0]
    """
    phases, rows, columns = plan.scales.shape[0], problem.payoffs.shape[1], problem.payoffs.shape[2]
    start, d = (0, rows) if plan.first else (rows, columns)
    steps = 2 ** (phases + 1) - 2
    points, queries, answers, scales = np.empty((steps + 1, d)), np.empty((steps, d)), np.empty(steps), np.empty(steps)
    anchors, gradients = np.empty((phases + 1, d)), np.empty((phases + 1, d))
    here, there = np.zeros(rows + columns), np.zeros(rows + columns)
    other = rows if plan.first else 0
    for i in range(plan.opponent.shape[0]):
        here[other + i] = plan.opponent[i]
        there[other + i] = plan.opponent[i]
    put(points[0], plan.start)
    at, used = 0, 0
    for t in range(1, phases + 1):
        leaves = 2**t
        for leaf in range(leaves):
            depth, rest = (t, leaf) if leaf > 0 else (0, 1)
            while rest % 2 == 0:
                rest //= 2
                depth -= 1
            size = (plan.batch + 2**depth - 1) // 2**depth
            put(here[start : start + d], points[at])
            found = operator(problem, used, used + size, here)
            if depth > 0:
                put(there[start : start + d], anchors[depth - 1])
                before = operator(problem, used, used + size, there)
                for i in range(d):
                    gradients[depth, i] = gradients[depth - 1, i] + found[start + i] - before[start + i]
            else:
                put(gradients[0], found[start : start + d])
            put(anchors[depth], points[at])
            for k in range(depth + 1, t + 1):
                put(anchors[k], points[at])
                put(gradients[k], gradients[depth])
            used += size
            for i in range(d):
                queries[at, i] = -gradients[t, i]
            scales[at] = plan.scales[t - 1]
            chosen = noisy_max(tape, at, queries[at], scales[at])
            answers[at] = chosen
            eta = 2 / (leaves + leaf + 1)
            for i in range(d):
                vertex = 1.0 if i == chosen else 0.0
                points[at + 1, i] = points[at, i] + eta * (vertex - points[at, i])
            at += 1
    return Trace(points, queries, scales, answers)
