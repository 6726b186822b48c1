r"""A forward error bound for float64 runs of the vertex-sampling algorithms against exact arithmetic on the same tape.

With u the unit roundoff and $\gamma_k=ku/(1-ku)$: one entry of the operator on a batch of b records at computed
averages errs by at most $L_0\gamma_{2(b+d)+8}$ for the payoffs, and by
$\frac{L_0}w\,\gamma_{2(d+4)}(L_0+|o|)$ more for the ramp, whose slope is at most $1/w$.  An estimate of level N
multiplies that by $2C_M2^N+1$.  Then, with $\hat s$, $\hat g$ the computed scores and estimate,

.. math:: e_{t+1}\le e_t+\tau\,\mathrm{err}(g)+4u\,(\|\hat s\|_\infty+\tau\|\hat g\|_\infty).

The *choice* is the same in exact arithmetic if the largest noisy score leads by more than twice the error of a noisy
score.  If that holds at every selection, the output errs by rounding one division an entry; from the first selection at
which it fails nothing is claimed, and the bound is the diameter of the two simplices.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from dpref.algorithms.mirror_descent.plan import Plan
from dpref.mechanisms.truncated_geometric import normaliser
from dpref.problems.games import Game
from dpref.reals import FLOAT, FloatArray

_U = 2.0**-53


_DIAMETER = 2 * math.sqrt(2)


_OFFSETS = 16.0  # the largest offset that the bound allows for


def score_errors(problem: Game, plan: Plan[Any], queries: FloatArray) -> FloatArray:
    r"""Bounds on the error of every score at each iteration.

    Args:
        problem: The public game: number of records, choices of each player, bound on the payoffs.
        plan: The plan that was run.
        queries: Computed scores, shape (T or T + 1, d_x + d_y).

    Returns:
        Shape (number of queries,): $e_1=0,e_2,\dots$, with one hundredth to spare for their own rounding.

    >>> from dpref.algorithms import examples
    >>> game, _, made = examples.mirror_descent(n=4, steps=2, samples=1)
    >>> errors = score_errors(game, made, np.zeros((2, 4))) / (made.step_size * 2.0**-53)
    >>> errors.round(6).tolist()  # gamma_20 of the payoffs and 4 u of the step, times 1.01
    [0.0, 24.24]
    """
    L0, errors, e = float(problem.lipschitz), [], 0.0
    for t, scores in enumerate(queries):
        errors.append(e)
        if t == plan.steps:
            break
        batch, times = plan.batches[t], 1.0
        if plan.levels:
            times = 2 * normaliser(FLOAT, plan.truncation) * 2 ** plan.levels[t] + 1
        one = L0 * _gamma(2 * (batch + problem.dimension) + 8)
        if problem.ramp is not None:
            one += L0 / float(problem.ramp) * _gamma(2 * (problem.dimension + 4)) * (L0 + _OFFSETS)
        tau = plan.step_size
        e += times * tau * one + 4 * _U * (float(np.abs(scores).max()) + tau * times * L0)
    return np.asarray(1.01 * np.array(errors))


def forward_error_bound(
    problem: Game,
    plan: Plan[Any],
    iterates: FloatArray,
    queries: FloatArray,
    noise: FloatArray,
) -> FloatArray:
    r"""Bounds on the Euclidean distance of each computed point from the exact one.

    Args:
        problem: The public game: number of records, choices of each player, bound on the payoffs.
        plan: The plan that was run.
        iterates: Average vertices of each iteration, then the output, shape (T + 1, d_x + d_y).
        queries: Computed scores, shape (T or T + 1, d_x + d_y).
        noise: The tape.

    Returns:
        Shape (T + 1,); the last entry bounds the output.

    With clear choices the bound is $2u\sqrt{d_x+d_y}$; where two candidates tie it is the diameter, $2\sqrt2$:

    >>> from dpref.algorithms import examples
    >>> game, _, made = examples.mirror_descent(n=1, steps=1, samples=1)
    >>> points, queries, clear = np.zeros((2, 4)), np.zeros((1, 4)), np.tile([1.0, 0.0], 4)
    >>> [forward_error_bound(game, made, points, queries, tape)[-1].item() for tape in (clear, 0 * clear)]
    [4.440892098500626e-16, 2.8284271247461903]
    """
    tape, first, decided = np.asarray(noise).ravel(), 0, True
    bounds = np.empty(iterates.shape[0])
    for t, (scores, error) in enumerate(zip(queries, score_errors(problem, plan, queries), strict=True)):
        count = 1 + plan.vertices[t] if t < plan.steps else 1
        for block in (scores[: plan.rows], scores[plan.rows :]):
            gumbel = tape[first : first + count * block.size].reshape(count, block.size)
            first += gumbel.size
            decided = decided and _leads(block + gumbel, error + 4 * _U * (np.abs(block).max() + np.abs(gumbel).max()))
        bounds[t] = 2 * _U * math.sqrt(problem.dimension) if decided else _DIAMETER
    bounds[-1] = 2 * _U * math.sqrt(problem.dimension) if decided else _DIAMETER
    return bounds


def _leads(noisy: FloatArray, error: float) -> bool:
    """Whether the largest entry of every row leads by more than twice the error."""
    if noisy.shape[1] == 1:
        return True
    ordered = np.sort(noisy, axis=1)
    return bool((ordered[:, -1] - ordered[:, -2] > 2.02 * error).all())


def _gamma(k: int) -> float:
    return k * _U / (1 - k * _U)
