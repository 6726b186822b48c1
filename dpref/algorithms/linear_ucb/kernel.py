"""DP-UCB, compiled: the rounds of ``algorithm.py``, line for line, on a tape of unit noise."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numba import njit

from dpref.kernels.answers import answer, put
from dpref.kernels.records import Contexts, Tape, Trace, Vector

_TIES = 1e-9


class Numbers(NamedTuple):
    """What the kernel reads of the plan."""

    std: float  # of every coordinate of a node
    upsilon: float  # V is shifted by twice that
    widths: Vector  # (T,)
    arms: int  # K


@njit(cache=False, nogil=True, error_model="python")
def eliminate(matrix: Vector, right: Vector) -> None:
    """Solve symmetric equations in place, by elimination along the diagonal.

    Args:
        matrix: Shape (D, D); destroyed.
        right: Right sides, shape (D, R); receives the solutions.

    >>> from dpref.kernels.twin import interpreted
    >>> right = np.array([[3.0], [4.0]])
    >>> interpreted(eliminate)(np.array([[2.0, 1.0], [1.0, 3.0]]), right), right.tolist()
    (None, [[1.0], [1.0]])
    """
    size, sides = right.shape
    for k in range(size):
        for i in range(k + 1, size):
            factor = matrix[i, k] / matrix[k, k]
            if factor != 0.0:
                for j in range(k, size):
                    matrix[i, j] -= factor * matrix[k, j]
                for j in range(sides):
                    right[i, j] -= factor * right[k, j]
    for k in range(size - 1, -1, -1):
        for j in range(sides):
            total = right[k, j]
            for i in range(k + 1, size):
                total -= matrix[k, i] * right[i, j]
            right[k, j] = total / matrix[k, k]


@njit(cache=False, nogil=True, error_model="python")
def best_arm(plan: Numbers, sums: Vector, x: Vector, t: int, matrix: Vector, right: Vector) -> int:
    """The arm of the largest upper confidence bound, the first of nearly equal ones.

    Args:
        plan: Shift and widths.
        sums: The billboard, shape (P (P + 1) / 2,).
        x: The context, shape (d,).
        t: The round, from 1.
        matrix: Room, shape (d K, d K).
        right: Room, shape (d K, K + 1).

    >>> from dpref.kernels.twin import interpreted
    >>> plan = Numbers(1.0, 0.5, np.ones(1), 2)
    >>> interpreted(best_arm)(plan, np.zeros(6), np.ones(1), 1, np.empty((2, 2)), np.empty((2, 3)))
    0
    """
    d, root = x.shape[0], math.sqrt(2.0)
    size, e = d * plan.arms, 0
    for i in range(size):
        for j in range(i, size + 1):
            value = sums[e] if i == j else sums[e] / root
            e += 1
            if j == size:
                right[i, 0] = value
            else:
                matrix[i, j] = matrix[j, i] = value
        matrix[i, i] += 2.0 * plan.upsilon
        for arm in range(plan.arms):
            right[i, arm + 1] = x[i - arm * d] if arm * d <= i < (arm + 1) * d else 0.0
    eliminate(matrix, right)
    scores, top, largest = np.empty(plan.arms), -math.inf, 0.0
    for arm in range(plan.arms):
        square = mean = 0.0
        for j in range(d):
            mean += right[arm * d + j, 0] * x[j]
            square += right[arm * d + j, arm + 1] * x[j]
        scores[arm] = mean + plan.widths[t - 1] * math.sqrt(max(square, 0.0))
        top, largest = max(top, scores[arm]), max(largest, abs(scores[arm]))
    for arm in range(plan.arms):
        if scores[arm] >= top - _TIES * largest:
            return arm
    return 0


@njit(cache=False, nogil=True, error_model="python")
def run(problem: Contexts, plan: Numbers, tape: Tape) -> Trace:
    """All rounds on a tape of unit draws, one node a row; the points are the billboard, the queries exact node sums.

    >>> from dpref.algorithms import examples, linear_ucb as package
    >>> from dpref.kernels.twin import interpreted_run
    >>> with interpreted_run("linear_ucb"):
    ...     package.ALGORITHM.trace(*examples.linear_ucb(), np.zeros((4, 15))).points[:, 0].tolist()
    [0.0, 1.0, 2.0, 3.0, 4.0]
    """
    n, d = problem.contexts.shape
    side = d * plan.arms + 1
    width, root = side * (side + 1) // 2, math.sqrt(2.0)
    levels = 1
    while (1 << levels) <= n:
        levels += 1
    points, queries, answers = np.zeros((n + 1, width)), np.empty((n, width)), np.empty((n, width))
    exact, noisy, heights = np.empty((levels, width)), np.empty((levels, width)), np.empty(levels, dtype=np.int64)
    matrix, right = np.empty((side - 1, side - 1)), np.empty((side - 1, plan.arms + 1))
    z, total = np.empty(side), np.empty(width)
    live = 0
    for t in range(1, n + 1):
        x = problem.contexts[t - 1]
        arm = best_arm(plan, points[t - 1], x, t, matrix, right)
        z[:] = 0.0
        put(z[arm * d : (arm + 1) * d], x)
        z[side - 1] = problem.rewards[t - 1, arm]
        e = 0
        for i in range(side):
            for j in range(i, side):
                total[e] = z[i] * z[i] if i == j else root * z[i] * z[j]
                e += 1
        height = 0
        while live > 0 and heights[live - 1] == height:
            live -= 1
            height += 1
            total += exact[live]
        heights[live] = height
        put(exact[live], total)
        put(queries[t - 1], total)
        put(answers[t - 1], answer(tape, t - 1, total, plan.std))
        put(noisy[live], answers[t - 1])
        live += 1
        put(points[t], noisy[0])
        for k in range(1, live):
            points[t] += noisy[k]
    return Trace(points, queries, np.full(n, plan.std), answers)
