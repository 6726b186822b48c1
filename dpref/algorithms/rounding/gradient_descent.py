r"""A forward error bound for float64 runs of noisy gradient descent against exact arithmetic on the same tape.

With unit roundoff $u=2^{-53}$, $\gamma_k=ku/(1-ku)$, $r$ the feature bound, $H$ the largest second derivative of the
loss in the prediction, $M$ a bound on its first derivative and $R\ge\|\text{row}\|$ a bound on the per-record gradients
(at most the clipping norm), one evaluation of the mean gradient at the *computed* iterate $\hat\theta$ errs by at most

.. math:: E_t = rH\,\gamma_d\,r\|\hat\theta\| + 8urM + (d+10)uR + \gamma_{n+2}R,

for any order of summation: the dot products err by $\gamma_dr\|\hat\theta\|$, the derivative by $8uM$ (the logistic
one, in the reference by tanh, in the kernel by one exponential of a negative number, a sum and a quotient: $6u$
relative if the exponential errs by $4u$), clipping and projection are 1-Lipschitz and cost $(d+8)u$ relative (the
kernel's clipping by $|\ell'|\,\|x\|$ costs half of $\gamma_d$, a root, two products and a quotient), the mean costs
$\gamma_{n+2}R$.  The exact gradient map is
$r^2H$-Lipschitz (clipping included), so that with $e_t=\|\hat\theta_t-\theta_t\|$, $f_t$ the same for the momentum, and
$\lambda$ the ridge,

.. math::
    f_{t+1} &\le \beta f_t + (1-\beta)\big((r^2H+\lambda)e_t + E_t + 4u(\|\hat g_t\|+\lambda\|\hat\theta_t\|)\big)
               + 4u\,(\|\hat v_t\|+\|\hat g_t\|), \\
    e_{t+1} &\le e_t + \eta b_t f_{t+1} + 4u\,(\|\hat\theta_t\|+\eta b_t\|\hat v_{t+1}\|) + (d+8)u\|\hat\theta_{t+1}\|.

The bound is evaluated in doubles and multiplied by 1.01, which covers the products of roundoffs that the formulas
leave out and the rounding of the evaluation itself (both are below $10^{-10}$ relative for $n, d, T\le10^6$).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from dpref.problems.erm import ERMProblem
from dpref.problems.losses import Squared
from dpref.reals import FLOAT, FloatArray

UNIT = 2.0**-53


SAFETY = 1.01


def gamma(k: int) -> float:
    return k * UNIT / (1 - k * UNIT)


def forward_error_bound(
    problem: ERMProblem, plan: Any, iterates: FloatArray, queries: FloatArray, noise: FloatArray
) -> FloatArray:
    r"""Bounds $e_t$ on the Euclidean distance of each computed iterate from the exact one.

    Args:
        problem: The public problem: loss, number of records, bounds, constraint set.
        plan: The plan that was run.
        iterates: Computed iterates, shape (T + 1, d).
        queries: Computed queries, shape (T, d).
        noise: The tape, shape (T, d).

    Returns:
        Shape (T + 1,); the first entry bounds the rounding of the projected start.

    Two steps without noise, to 0.5 and 0.75:

    >>> from dpref.algorithms import examples
    >>> problem, _, plan = examples.gradient_descent()
    >>> iterates, queries, noise = np.array([[0.0], [0.5], [0.75]]), np.array([[-1.0], [-0.5]]), np.zeros((2, 1))
    >>> bool(0 < forward_error_bound(problem, plan, iterates, queries, noise)[-1] < 1e-13)
    True
    """
    records, d = problem.n + 1, problem.dimension
    r = float(problem.feature_bound)
    hessian = float(problem.loss.smoothness(FLOAT, 1.0))
    ridge, eta = float(problem.ridge), plan.step_size
    beta = getattr(plan, "momentum", 0.0)  # plain gradient descent has neither momentum nor corrections
    corrections = getattr(plan, "bias_corrections", (1.0,) * plan.steps)
    errors = np.zeros(plan.steps + 1)
    errors[0] = (d + 8) * UNIT * np.linalg.norm(iterates[0])
    momentum_error, v = 0.0, np.zeros(d)
    for t in range(plan.steps):
        size = float(np.linalg.norm(iterates[t]))
        slope = slope_bound(problem, r * size)
        row = min(r * slope, float(problem.clip)) if problem.clip is not None else r * slope
        evaluation = r * hessian * gamma(d) * r * size + 8 * UNIT * r * slope + (d + 10) * UNIT * row
        evaluation += gamma(records + 2) * row
        g = queries[t] + plan.stds[t] * noise[t] + ridge * iterates[t]
        noisy = float(np.linalg.norm(queries[t]) + np.linalg.norm(plan.stds[t] * noise[t])) + ridge * size
        momentum_error = (
            beta * momentum_error
            + (1 - beta) * ((r * r * hessian + ridge) * errors[t] + evaluation + 4 * UNIT * noisy)
            + 4 * UNIT * (float(np.linalg.norm(v)) + noisy)
        )
        v = beta * v + (1 - beta) * g
        step = eta * corrections[t]
        rounding = 4 * UNIT * (size + step * float(np.linalg.norm(v)))
        projection = (d + 8) * UNIT * float(np.linalg.norm(iterates[t + 1]))
        errors[t + 1] = errors[t] + step * momentum_error + rounding + projection
    return np.asarray(SAFETY * errors)


def slope_bound(problem: ERMProblem, prediction: float) -> float:
    """The largest |l'| at predictions up to that size."""
    if isinstance(problem.loss, Squared):
        return prediction + 1
    return float(problem.loss.lipschitz(FLOAT, 1.0, None))


def lipschitz_constant(problem: ERMProblem) -> float:
    r = float(problem.feature_bound)
    return r * r * float(problem.loss.smoothness(FLOAT, 1.0))


def euclidean(x: FloatArray) -> float:
    return float(np.linalg.norm(x))
