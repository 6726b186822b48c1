"""A bound on the float64 errors of the kernel of adaptive noisy gradient descent."""

from __future__ import annotations

from typing import Any

import numpy as np

from dpref.algorithms.adaptive_gradient_descent.algorithm import gradient_noise, gradient_size
from dpref.algorithms.rounding.gradient_descent import SAFETY, UNIT, euclidean, lipschitz_constant
from dpref.algorithms.rounding.svrg import mean_error
from dpref.problems.erm import ERMProblem
from dpref.reals import FloatArray


def adaptive_gradient_descent(
    problem: ERMProblem, plan: Any, iterates: FloatArray, queries: FloatArray, noise: FloatArray
) -> FloatArray:
    r"""Bounds on the Euclidean distance of each computed point from the exact one.

    Args:
        problem: The public problem: loss, number of records, bounds, constraint set.
        plan: The plan that was run.
        iterates: Computed points of the queries, then the output, shape (K + 1, d).
        queries: Computed queries, shape (K, d).
        noise: The tape, one answer after another, of any shape.

    Returns:
        Shape (K + 1,); the last entry bounds the output.

    >>> from dpref.algorithms import examples
    >>> problem, _, made = examples.adaptive_gradient_descent()
    >>> iterates, queries = np.array([[0.0, 0.0], [0.0, 0.0], [1.0, 0.0]]), np.array([[0.5, 0.0], [-0.5, 0.0]])
    >>> bool(0 < adaptive_gradient_descent(problem, made, iterates, queries, np.zeros(3))[-1] < 1e-12)
    True
    """
    d, ridge, eta, tape = problem.dimension, float(problem.ridge), plan.step_size, noise.reshape(-1)
    lipschitz = lipschitz_constant(problem)
    errors = np.zeros(len(iterates))
    e, used = (d + 8) * UNIT * euclidean(iterates[0]), 0
    sigma = sigma_error = 0.0
    for k, (w, q) in enumerate(zip(iterates, queries, strict=False)):
        errors[k] = e
        width = d if k % 2 or plan.reading == "vector" else 1
        z, used = tape[used : used + width], used + width
        at = (lipschitz + ridge) * e + mean_error(problem, w, problem.n + 1) + 8 * UNIT * ridge * euclidean(w)
        if k % 2 == 0:
            drawn = euclidean(q) + plan.norm_std * euclidean(z)
            noisy = euclidean(q + plan.norm_std * z) if plan.reading == "vector" else q[0] + plan.norm_std * z[0]
            sigma = gradient_noise(plan, gradient_size(plan, noisy))
            sigma_error = (at + (d + 12) * UNIT * drawn) / plan.spread + 8 * UNIT * sigma
        else:
            drawn = euclidean(q) + sigma * euclidean(z) + ridge * euclidean(w)
            e += eta * (at + euclidean(z) * sigma_error)
            e += 8 * UNIT * (euclidean(w) + eta * drawn) + (d + 8) * UNIT * euclidean(iterates[k + 1])
    errors[-1] = e
    return np.asarray(SAFETY * errors)
