r"""A forward error bound for float64 runs of DP-TOFW against exact arithmetic on the same tape.

With $u=2^{-53}$, $\gamma_k=ku/(1-ku)$, H and M bounds on the second and first derivative of the loss in the prediction,
and $r_2$ a bound on the Euclidean norm of the features, the error of a gradient at a computed iterate is at most
$E(\hat\theta)=r_2(H\gamma_dr_2\|\hat\theta\|+10uM)$, and the exact gradient map is $r_2^2H$-Lipschitz.  Increments with
weights a, b err by $a(r_2^2He_t+E)+b(r_2^2He_{t-1}+E)+4u(a+b)r_2M$; the sums of the tree add at most
$\gamma_{2l+4}$ of the sizes of what is added, l the number of its levels.

A minimiser is not Lipschitz where it jumps, so its error is found a posteriori: if every coordinate of the exact
estimate is within E of the computed one, every coordinate of the minimiser of an l_p ball lies between two values that
monotony gives ($|g_j|^{q-1}$ grows, $\|g\|_q$ is between $\|\hat g\|_q\mp E d^{1/q}$), a coordinate of the box is sure
of its sign if it exceeds E, a vertex is sure to be the best if no other comes within the error of the scores.  With
$\eta=c/(t+1)$,

.. math:: e_{t+1}\le(1-\eta)e_t+\eta\,\mathrm{err}(v_t)+4u\,(\|\hat\theta_t\|+\eta\|\hat v_t\|).

The bound is evaluated in doubles and multiplied by 1.01, as in `dpref.algorithms.rounding.gradient_descent`.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from dpref.algorithms.forms import Form
from dpref.algorithms.rounding.gradient_descent import SAFETY, UNIT, gamma
from dpref.geometry.linear_minimization import BOX, CROSS_POLYTOPE, VERTICES, Encoding
from dpref.problems.stream import StreamProblem
from dpref.reals import FLOAT, FloatArray


def forward_error_bound(
    problem: StreamProblem, plan: Any, iterates: FloatArray, queries: FloatArray, noise: FloatArray
) -> FloatArray:
    """Bounds on the Euclidean distance of each computed iterate from the exact one.

    Args:
        problem: The public problem: loss, length of the stream, bounds, constraint set.
        plan: The plan that was run.
        iterates: Computed iterates, shape (n + 1, d).
        queries: Computed sums of the nodes, shape (n, d).
        noise: The tape, shape (n, d).

    Returns:
        Shape (n + 1,); the first entry is zero, the start being exact.

    >>> from dpref.algorithms import examples
    >>> problem, _, made = examples.online_frank_wolfe()
    >>> iterates, queries = np.array([[0.0, 0.0], [0.5, 0.0]]), np.array([[-0.5, 0.0]])
    >>> bool(0 < forward_error_bound(problem, made, iterates, queries, noise=np.zeros((1, 2)))[-1] < 1e-13)
    True
    """
    d, encoding = problem.dimension, problem.domain.encoding()
    q = float(problem.dual)
    r2 = float(problem.feature_bound) * max(1.0, d ** (0.5 - 1 / q))
    hessian = float(problem.loss.smoothness(FLOAT, 1.0))
    ahead = int(plan.form is Form.AS_PRINTED)
    levels = plan.records.bit_length()
    noisy = queries + plan.std * noise
    errors = np.zeros(plan.records + 1)
    summed = sizes = 0.0
    for t in range(1, plan.records + 1):
        before = max(t - 2, 0)
        bounds = [_slope_bound(problem, r2 * float(np.linalg.norm(iterates[k]))) for k in (t - 1, before)]
        at = [
            r2 * r2 * hessian * errors[k]
            + r2 * (hessian * gamma(d) * r2 * float(np.linalg.norm(iterates[k])) + 10 * UNIT * m)
            for k, m in zip((t - 1, before), bounds, strict=True)
        ]
        here, there = t + ahead, t - 1 + ahead
        size = r2 * (here * bounds[0] + there * bounds[1])
        summed += here * at[0] + there * at[1] + 4 * UNIT * size
        sizes += size
        live, drawn = _live(t), 0.0
        for node in live:
            drawn += float(np.linalg.norm(plan.std * noise[node - 1]))
        error = (summed + gamma(2 * levels + 4) * (sizes + drawn)) / here
        estimate = sum((noisy[node - 1] for node in live), np.zeros(d)) / here
        error += 2 * UNIT * float(np.linalg.norm(estimate))
        eta = float(plan.step_scale) / (t + 1)
        wrong = _minimiser_error(estimate, error, encoding)
        reach = math.sqrt(d) * max(float(problem.domain.radius_bound()), encoding.radius)
        rounding = 4 * UNIT * (float(np.linalg.norm(iterates[t - 1])) + eta * reach)
        errors[t] = (1 - eta) * errors[t - 1] + eta * wrong + rounding
    return np.asarray(SAFETY * errors)


def _live(t: int) -> list[int]:
    """The last elements of the nodes whose sum is the prefix of t."""
    found = []
    while t:
        found.append(t)
        t &= t - 1
    return found


def _slope_bound(problem: StreamProblem, prediction: float) -> float:
    bound = float(problem.loss.lipschitz(FLOAT, 1.0, prediction))
    return bound if problem.clip is None else min(bound, float(problem.clip))


def _minimiser_error(g: FloatArray, error: float, encoding: Encoding) -> float:
    """How far the minimiser of g can be from that of an estimate within ``error`` of g, plus its own rounding."""
    d, r, sizes = g.shape[0], encoding.radius, np.abs(g)
    own = (d + 20) * UNIT * r * math.sqrt(d)
    if encoding.kind == VERTICES:
        scores = encoding.vertices @ g
        doubt = (error + gamma(d + 1) * np.linalg.norm(g)) * np.linalg.norm(encoding.vertices, axis=1)
        near = encoding.vertices[scores - doubt <= (scores + doubt).min()]
        return max(float(np.linalg.norm(near - v, axis=1).max()) for v in near)
    if encoding.kind == CROSS_POLYTOPE:
        near = np.flatnonzero(sizes + error >= sizes.max() - error)
        return 0.0 if near.size == 1 and sizes.max() > error else 2 * r
    if encoding.kind == BOX:
        return float(2 * r * math.sqrt(int(np.count_nonzero(sizes <= error))))
    a, q = encoding.dual - 1, encoding.dual
    top = float(sizes.max())
    if top == 0:
        return float(2 * r * math.sqrt(d))
    sizes, error = sizes / top, error / top
    length: float = float(np.sum(sizes**q)) ** (1 / q)
    least, most = length - error * d ** (1 / q), length + error * d ** (1 / q)
    if least <= 0:
        return float(2 * r * math.sqrt(d))
    high = np.minimum(1.0, ((sizes + error) / least) ** a)
    low = np.maximum(0.0, (np.maximum(sizes - error, 0.0) / most) ** a)
    here = (sizes / length) ** a
    spread = np.where(sizes > error, np.maximum(high - here, here - low), high + here)
    return float(r * np.linalg.norm(spread) + own)
