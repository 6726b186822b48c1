r"""Forward error bounds for float64 runs of this family against exact arithmetic on the same tape.

They hold where the two runs decide alike.  Notation of `dpref.algorithms.rounding.gradient_descent`: $u$, $\gamma_k$;
$\ell=r^2H$ is the Lipschitz constant of the mean gradient, $\lambda$ the ridge, $E(w)$ the error of one mean gradient
at a computed point.

*Adaptive noisy gradient descent*: with $e$ the error of the iterate,

.. math::
    \mathrm{err}(N) &\le (\ell+\lambda)e+E+(d+12)u\,(\|\hat q\|+\hat\sigma\|z\|)+4u\lambda\|\hat w\|, \qquad
    \mathrm{err}(\sigma)\le\mathrm{err}(N)/s+8u\,\hat\sigma_t, \\
    e' &\le e+\eta\,\big((\ell+\lambda)e+E+\|z\|\,\mathrm{err}(\sigma)\big)
        +8u\,\big(\|\hat w\|+\eta(\|\hat q\|+\sigma\|z\|+\lambda\|\hat w\|)\big)+(d+8)u\|\hat w'\|;

reading the norm takes an absolute value or a maximum, which are nonexpansive.

*KL Spider*: in exact arithmetic the estimate is the mean gradient plus the noise of the round so far, so its error is
$(\ell+\lambda)e$ plus the roundings of the round so far, $R\leftarrow R+3E+8u(\dots)$; a unit vector errs by at most
$2\,\mathrm{err}(v)/\|\hat v\|$, so that a step of length s gives $e'\le e+2s\,\mathrm{err}(v)/\|\hat v\|+\dots$

The bounds are evaluated in doubles and multiplied by 1.01, as there.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from dpref.algorithms.forms import Form
from dpref.algorithms.rounding.gradient_descent import SAFETY, UNIT, euclidean, lipschitz_constant
from dpref.algorithms.rounding.svrg import mean_error
from dpref.problems.erm import ERMProblem
from dpref.reals import FLOAT_ARRAY, FloatArray


def spider(problem: ERMProblem, plan: Any, iterates: FloatArray, queries: FloatArray, noise: FloatArray) -> FloatArray:
    r"""Bounds on the Euclidean distance of each computed point from the exact one.

    Args:
        problem: The public problem: loss, number of records, bounds, constraint set.
        plan: The plan that was run.
        iterates: Computed points of the queries, then the output, shape (K + 1, d).
        queries: Computed queries, shape (K, d).
        noise: The tape, shape (K, d).

    Returns:
        Shape (K + 1,); the last entry bounds the output.

    >>> from dpref.algorithms import examples
    >>> problem, _, made = examples.spider()
    >>> iterates, queries = np.array([[0.0, 0.0], [0.5, 0.0]]), np.array([[-0.5, 0.0]])
    >>> bool(0 < spider(problem, made, iterates, queries, noise=np.zeros((1, 2)))[-1] < 1e-12)
    True
    """
    d, ridge, tape = problem.dimension, float(problem.ridge), noise.reshape(-1, problem.dimension)
    lipschitz, errors = lipschitz_constant(problem) + ridge, np.zeros(len(iterates))
    w, k = iterates[0], 0
    e = (d + 8) * UNIT * euclidean(w)
    for r in plan.rounds:
        errors[k] = before = e
        drawn = plan.outer_std * tape[k]
        v = queries[k] + drawn + ridge * w
        rounding = mean_error(problem, w, problem.n + 1) + 8 * UNIT * (
            euclidean(queries[k]) + euclidean(drawn) + euclidean(v)
        )
        k, start = k + 1, w
        for t in range(r.updates):
            size = euclidean(v)
            if size < r.threshold:
                break
            before, start = e, w
            w = problem.domain.project(FLOAT_ARRAY, w - r.length / size * v)
            e += 2 * r.length * (lipschitz * e + rounding) / size + (d + 16) * UNIT * (
                r.length + euclidean(w) + euclidean(start)
            )
            if t < r.differences:
                errors[k] = e
                drawn = r.std * tape[k]
                v = v + queries[k] + drawn + ridge * (w - start)
                rounding += mean_error(problem, w, problem.n + 1) + mean_error(problem, start, problem.n + 1)
                rounding += (
                    8
                    * UNIT
                    * (
                        euclidean(queries[k])
                        + euclidean(drawn)
                        + euclidean(v)
                        + ridge * (euclidean(w) + euclidean(start))
                    )
                )
                k += 1
        if plan.form is Form.AS_PRINTED:
            w, e = start, before
    errors[-1] = e
    return np.asarray(SAFETY * errors)
