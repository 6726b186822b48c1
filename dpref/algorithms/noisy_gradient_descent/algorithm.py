r"""Noisy gradient descent for regularised Lipschitz losses (Menart et al. 2024, Algorithm 4).

For $\tilde f(w)=f(w)+\mu\|w-w_0\|^2$, from $w_1=w_0$ and for $t=1,\dots,T-1$ with $\xi_t\sim N(0,\sigma^2I_d)$,

.. math:: w_{t+1}=\Pi_{\mathcal B_{L_0/(2\mu)}(w_0)}\big(w_t-\eta_t(\nabla\tilde F(w_t;S)+\xi_t)\big),

and the output is $\bar w=\frac2{T(T+1)}\sum_{t=1}^Tt\,w_t$.  Privacy and utility: Theorem 9.

Source: M. Menart, E. Ullah, R. Arora, R. Bassily, C. Guzman, "Differentially private non-convex optimization under the
KL condition with optimal rates", 2024, Appendix E.  Adjacency: replace-one (the proof has the sensitivity $2L_0/n$).
Cost: n gradients an answer, n (T - 1) in all.
Obligations: ``kl-condition/PO-18``, ``PO-19``, ``PO-45``, ``E9``, ``E35``.

What differs from the print, and why:

* $\sigma^2=4L_0^2T/(n^2\rho)$ is over-noised by two, and one answer of T is never asked: $\frac\rho2\frac{T-1}T$ is
  spent (E9).  The repaired form spends $\rho$: $\sigma^2=\Delta^2(T-1)/(2\rho)$ with the sensitivity of its adjacency.
* T is printed as a real number; it is rounded up, at least to one, before the noise is computed (E35).
* The gradient is printed at w, and $w_1=w_0$ is not stated (E35).
* With the printed $\eta_t=\frac1{\mu t}$ the weights $\propto t$ do not telescope; with the repaired
  $\eta_t=\frac2{\mu(t+1)}$ they do (E35).
"""

from __future__ import annotations

from functools import partial
from typing import Any, NamedTuple

from dpref.algorithms.forms import Form
from dpref.algorithms.noisy_gradient_descent.formulas import average, printed_step, telescoping_step
from dpref.algorithms.noisy_gradient_descent.plan import Plan
from dpref.curator import Curator
from dpref.geometry.sets import shrink
from dpref.problems.erm import ERMProblem, Records
from dpref.reals import Array, Ops
from dpref.units import A


class State(NamedTuple):
    """Where the run stands."""

    w: Array  # (d,) w_t
    mean: Array  # (d,) of w_1, ..., w_t with weights 1, ..., t
    t: int


def init(plan: Plan[Any], o: Ops[Array]) -> State:
    """The state before the first answer: the start, which is the mean of one iterate.

    >>> from dataclasses import replace
    >>> from dpref.algorithms import examples
    >>> problem, made, curator = examples.noisy_gradient_descent().live()
    >>> init(replace(made, start=(0.5,)), curator.ops)
    State(w=array([0.5]), mean=array([0.5]), t=1)
    """
    start = o.lift(plan.start)
    return State(start, start, 1)


def step(problem: ERMProblem, plan: Plan[A], state: State, curator: Curator[Records, A]) -> State:
    """One line of the loop: a noisy gradient, a step, a projection on the ball around the start.

    >>> from dpref.algorithms import examples
    >>> problem, made, curator = examples.noisy_gradient_descent().live()
    >>> step(problem, made, init(made, curator.ops), curator).w.tolist()  # from 0 by half of 1, onto the ball
    [0.25]
    """
    return step_around(problem, plan, curator.ops.lift(plan.start), state, curator, label=f"gradient at w_{state.t}")


def step_around(
    problem: ERMProblem, plan: Plan[A], start: Array, state: State, curator: Curator[Records, A], *, label: str
) -> State:
    """The same around a start that is itself a number of the run, as a proximal point is.

    Args:
        start: w_0, shape (d,); the plan's own is not read.
        label: Names the gradient in the transcript.

    >>> from dpref.algorithms import examples
    >>> problem, made, curator = examples.noisy_gradient_descent().live()
    >>> centre = curator.ops.lift([1.0])  # the gradient x - 1 is zero there
    >>> step_around(problem, made, centre, State(centre, centre, 1), curator, label="gradient").w.tolist()
    [1.0]
    """
    o, mu = curator.ops, curator.ops.lift(plan.weak_convexity)
    g = curator.gaussian(
        partial(problem.mean_gradient, o, state.w), sensitivity=plan.sensitivity, std=plan.std, label=label
    )
    eta = (telescoping_step if plan.form is Form.REPAIRED else printed_step)(o, mu, o.number(state.t))
    w = state.w - eta * (problem.regularised(o, state.w, g) + 2 * mu * (state.w - start))
    w = start + shrink(o, w - start, o.lift(plan.radius))
    return State(w, average(o, state.mean, w, o.number(state.t + 1)), state.t + 1)


def run(problem: ERMProblem, plan: Plan[A], curator: Curator[Records, A]) -> Array:
    """All iterations; the weighted mean of the iterates.

    Returns:
        The mean, shape (d,).

    >>> from dpref.algorithms import examples
    >>> problem, made, curator = examples.noisy_gradient_descent().live()
    >>> run(problem, made, curator).round(6).tolist()  # (0 + 2 / 4) / 3
    [0.166667]
    """
    state = init(plan, curator.ops)
    for _ in range(plan.steps):
        state = step(problem, plan, state, curator)
    return state.mean
