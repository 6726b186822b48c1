r"""A forward error bound for float64 runs of DP-SVRG and DP-SVRG++ against exact arithmetic on the same tape.

Notation of `dpref.algorithms.rounding.gradient_descent`: $u$, $\gamma_k$, r, H, R, and $E_N(\theta)$ for the error of
one mean of N clipped gradients at a computed point.  With $\ell=r^2H$ the Lipschitz constant of the exact gradient
maps, $e_t$ the error of the inner iterate and $\tilde e$ that of the snapshot, the query $q_t=\bar g_B(x_t)-\bar
g_B(\tilde x)+\bar g(\tilde x)$ errs by at most

.. math:: \ell\,(e_t+2\tilde e)+E_b(x_t)+E_b(\tilde x)+E_n(\tilde x)+4u\,(3R+\|\hat q_t\|).

The prox is nonexpansive.  Its evaluation errs by $2u\|\hat y\|$ and a rounded threshold, $4u\,\eta\lambda_1\sqrt d$, at
the soft threshold, $4u$ relative at the division, a rounded end, $2u\sqrt d\max(|lo|,|hi|)$, in a box, and $(d+8)u$
relative in a ball, so that with $\hat y_t=\hat x_t-\eta(\hat q_t+\sigma z_t)$

.. math::
    e_{t+1} &\le e_t+\eta\,\mathrm{err}(q_t)
        +4u\,\big(\|\hat x_t\|+\eta(\|\hat q_t\|+\sigma\|z_t\|)\big)+\mathrm{err}(\mathrm{prox}), \\
    \tilde e &\le \frac1m\sum_te_t+\gamma_{m+2}\frac1m\sum_t\|\hat x_t\|.

As there, the bound is evaluated in doubles and multiplied by 1.01.  An iterate of the reference is not one of the
kernel, but both obey the bound, which uses their norms only through the kernel's: these differ by less than the factor
allows for as long as the bound itself is below $10^{-3}$ of them.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from dpref.algorithms.rounding.gradient_descent import SAFETY, UNIT, gamma, slope_bound
from dpref.geometry.prox import Regulariser
from dpref.problems.erm import ERMProblem
from dpref.reals import FLOAT, FLOAT_ARRAY, FloatArray


def forward_error_bound(
    problem: ERMProblem, plan: Any, iterates: FloatArray, queries: FloatArray, noise: FloatArray
) -> FloatArray:
    r"""Bounds on the Euclidean distance of each computed point from the exact one.

    Args:
        problem: The public problem: loss, number of records, bounds, constraint set.
        plan: The plan that was run.
        iterates: Computed points of the queries, then the output, shape (K + 1, d).
        queries: Computed queries, shape (K, d).
        noise: The tape, shape (K, d).

    Returns:
        Shape (K + 1,); the last entry bounds the output.

    Two steps without noise, to 0.5 and 0.75, and their average:

    >>> from dpref.algorithms import examples
    >>> problem, _, plan = examples.svrg()
    >>> iterates, queries, noise = np.array([[0.0], [0.5], [0.625]]), np.array([[-1.0], [-0.5]]), np.zeros((2, 1))
    >>> bool(0 < forward_error_bound(problem, plan, iterates, queries, noise)[-1] < 1e-13)
    True
    """
    r, eta, d = float(problem.feature_bound), plan.step_size, problem.dimension
    lipschitz = r * r * float(problem.loss.smoothness(FLOAT, 1.0))
    errors = np.zeros(plan.steps + 1)
    snapshot = iterates[0]
    at_snapshot = at_last = (d + 8) * UNIT * float(np.linalg.norm(snapshot)) + _box_rounding(plan.regulariser, d)
    k = 0
    for length in plan.lengths:
        e = at_last if plan.carry else at_snapshot
        there = mean_error(problem, snapshot, plan.batch) + mean_error(problem, snapshot, problem.n)
        points, found = np.empty((length, d)), np.empty(length)
        for t in range(length):
            errors[k] = e
            x, q, z = iterates[k], queries[k], plan.std * noise[k]
            size, drawn = float(np.linalg.norm(x)), float(np.linalg.norm(q)) + float(np.linalg.norm(z))
            query = lipschitz * (e + 2 * at_snapshot) + mean_error(problem, x, plan.batch) + there
            query += 4 * UNIT * (3 * _row_bound(problem, max(size, float(np.linalg.norm(snapshot)))) + drawn)
            y = x - eta * (q + z)
            points[t] = plan.regulariser.prox(FLOAT_ARRAY, FLOAT_ARRAY.lift(eta), y)
            e = e + eta * query + 4 * UNIT * (size + eta * drawn) + _prox_rounding(plan.regulariser, eta, y)
            found[t] = e
            k += 1
        sizes = np.linalg.norm(points, axis=1)
        at_last, at_snapshot = e, float(found.mean()) + gamma(length + 2) * float(sizes.mean())
        snapshot = points.mean(axis=0)
    errors[-1] = at_snapshot
    return np.asarray(SAFETY * errors)


def _row_bound(problem: ERMProblem, size: float) -> float:
    r = float(problem.feature_bound)
    row = r * slope_bound(problem, r * size)
    return row if problem.clip is None else min(row, float(problem.clip))


def mean_error(problem: ERMProblem, theta: FloatArray, records: int) -> float:
    """E_N: the error of a mean of N clipped gradients at a computed point."""
    r, d = float(problem.feature_bound), problem.dimension
    size = float(np.linalg.norm(theta))
    slope = r * float(problem.loss.smoothness(FLOAT, 1.0)) * gamma(d) * r * size + 8 * UNIT * r * slope_bound(
        problem, r * size
    )
    return slope + ((d + 10) * UNIT + gamma(records + 2)) * _row_bound(problem, size)


def _box_rounding(regulariser: Regulariser, d: int) -> float:
    if regulariser.box is None:
        return 0.0
    return 2 * UNIT * math.sqrt(d) * max(abs(float(end)) for end in regulariser.box)


def _prox_rounding(regulariser: Regulariser, eta: float, y: FloatArray) -> float:
    d, size = y.shape[0], float(np.linalg.norm(y))
    error = _box_rounding(regulariser, d)
    if regulariser.l1 > 0:
        error += 2 * UNIT * size + 4 * UNIT * eta * float(regulariser.l1) * math.sqrt(d)
    if regulariser.l2 > 0:
        error += 4 * UNIT * size
    return error + ((d + 8) * UNIT * size if regulariser.radius is not None else 0.0)
