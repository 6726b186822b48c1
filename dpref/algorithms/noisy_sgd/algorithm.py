r"""NoisySGD: stochastic gradient descent on single records with noise (Bassily, Feldman, Guzman, Talwar 2020).

For $t=1,\dots,T-1$ with $T=n^2$, a uniform secret index $i_t$ and $w_1$ a point of C,

.. math::
    w_{t+1}=\Pi_C\big(w_t-\eta\,(\nabla f(w_t;x_{i_t})+Z_t)\big),\qquad Z_t\sim N(0,\sigma^2I),\qquad
    \sigma^2=\frac{8L^2\ln(1/\delta)}{\varepsilon^2},

and the output is the average of the points, or the last of them.  It is the baseline of Table 5.1 for $p=\infty$.

Source: R. Bassily, V. Feldman, C. Guzman, K. Talwar, "Stability of stochastic gradient descent on nonsmooth convex
losses", NeurIPS 2020, Algorithm 2, reconstructed: Han et al. run it without printing it.  Adjacency: replace-one or
zero-out.  Cost: $n^2-1$ gradients.
Obligations: ``sensitivity/replace-one``, ``sensitivity/zero-out``, ``private-online-frank-wolfe/A-8``.

What differs from the print, and why:

* what it promises: printed $(\varepsilon,\delta)$ by the formula, whose conditions are not restated; repaired what an
  accountant certifies for the indices and the noise that are run (``certify``), with any ``noise_scale``;
* $\Pi_C$ is the Euclidean projection onto a box and onto the Euclidean ball; into another l_p ball a point is scaled,
  which changes no answer's privacy;
* L bounds Euclidean norms: for $p<2$ it is $d^{1/2-1/q}$ times the bound of the l_q norm.  R is the ball's own radius.
"""

from __future__ import annotations

from functools import partial
from typing import Any, NamedTuple

from dpref.algorithms.noisy_sgd.plan import Plan
from dpref.curator import Curator, Indices
from dpref.geometry.linear_minimization import LpBall
from dpref.geometry.mirror import retract
from dpref.problems.erm import Records
from dpref.problems.stream import StreamProblem
from dpref.reals import Array, Ops
from dpref.units import A


class State(NamedTuple):
    """Where the run stands."""

    w: Array  # (d,) w_{t+1}
    total: Array  # (d,) w_1 + ... + w_{t+1}
    t: int  # answers so far


def init(problem: StreamProblem, plan: Plan[A], o: Ops[Array]) -> State:
    """The first point.

    Args:
        o: The number system of the run.

    >>> from dpref.algorithms import examples
    >>> example = examples.noisy_sgd()
    >>> init(example.problem, example.plan, example.ops).w.tolist()
    [0.0, 0.0]
    """
    start = o.lift(plan.start)
    return State(start, start, 0)


def step(problem: StreamProblem, plan: Plan[A], state: State, curator: Curator[Any, A]) -> State:
    """One noisy gradient of one record, and one step.

    Raises:
        InvalidArgumentError: If the gradient is not finite.

    >>> from dpref.algorithms import examples
    >>> problem, made, curator = examples.noisy_sgd().live()
    >>> step(problem, made, init(problem, made, curator.ops), curator).w.round(4).tolist()  # eta / 2
    [0.1165, 0.0]
    """
    o = curator.ops
    g = curator.sampled_gaussian(
        partial(drawn_gradient, problem, o, state.w),
        sampling="fixed",
        batch=1,
        records=plan.records,
        sensitivity=plan.sensitivity,
        std=plan.std,
        label=f"gradient at w_{state.t + 1}",
    )
    w = retract(LpBall(plan.index, plan.radius), o, state.w - o.lift(plan.step_size) * g)
    return State(w, state.total + w, state.t + 1)


def drawn_gradient(problem: StreamProblem, o: Ops[Array], w: Array, records: Records, drawn: Indices) -> Array:
    r"""$\nabla f(w;x_i)$ of the record that was drawn, shape (d,).

    Args:
        w: Shape (d,).
        records: The private data.
        drawn: Its index, counted from zero, shape (1,).

    >>> import numpy as np
    >>> from dpref.algorithms import examples
    >>> example = examples.noisy_sgd()
    >>> (0.0 + drawn_gradient(example.problem, example.ops, np.zeros(2), example.records, np.array([1]))).tolist()
    [-0.5, 0.0]
    """
    return problem.gradient(o, w, records.record(int(drawn[0]) + 1))


def run(problem: StreamProblem, plan: Plan[A], curator: Curator[Any, A]) -> Array:
    """Take every step and return the average of the points, or the last of them.

    Returns:
        Shape (d,).

    Raises:
        InvalidArgumentError: As for `step`.

    >>> from dpref.algorithms import examples
    >>> problem, made, curator = examples.noisy_sgd().live()
    >>> run(problem, made, curator).round(4).tolist()  # the average of 0, 0.1165, 0.2262 and 0.3297
    [0.1681, 0.0]
    """
    state = init(problem, plan, curator.ops)
    for _ in range(plan.steps):
        state = step(problem, plan, state, curator)
    return state.total / (plan.steps + 1) if plan.output == "average" else state.w
