r"""DP-GD: noisy gradient descent (Wang, Ye, Xu 2017, Algorithm 4).

.. math:: x_t = \Pi_C\big(x_{t-1} - \eta\,(\nabla F(x_{t-1}, D) + z_{t-1})\big), \qquad z_{t-1} \sim N(0, \sigma^2 I_p)

and the output is $x_T$ (Section 6.1, Polyak-Lojasiewicz) or $x_m$ with $m$ uniform on $\{0,\dots,T-1\}$ (Section 6.2,
(non-)convex).  Privacy: Theorem 6.1 with $\sigma^2$ of Eq. (11); utility: Theorems 6.2 and 6.3.

Source: D. Wang, M. Ye, J. Xu, "Differentially private empirical risk minimization revisited", 2017.
Adjacency: replace-one in the paper (sensitivity $2G/n$); any here.  Cost: n gradients a step.
Obligations: ``dp-erm-revisited/P47`` to ``P49``, ``P52``, ``dp-erm-revisited/E9``, ``sensitivity/replace-one``.

What differs from the print, and why:

* Eq. (11) leaves its constant c open and is claimed for every epsilon > 0; no c works for all of them (E9).
  ``form=Form.AS_PRINTED`` takes c from the caller; the default, ``"exact"``, is the least noise that is certified for
  T Gaussian answers.  ``"safe"`` is the value that the paper's own proof gives,
  $\sigma^2=\Delta^2T(2\ln\frac1\delta+\varepsilon)/\varepsilon^2$; ``"zcdp"`` lies between.
* The output index is printed as uniform on $\{0,\dots,m-1\}$, which is circular; the proof has $\{0,\dots,T-1\}$ (E16).
* The print never projects although its assumptions hold on C only (E14); a domain is projected on where one is given.
"""

from __future__ import annotations

from functools import partial
from typing import NamedTuple

from dpref.algorithms.gradient_descent.plan import Plan
from dpref.curator import Curator
from dpref.problems.erm import ERMProblem, Records
from dpref.reals import Array, Ops
from dpref.units import A


class State(NamedTuple):
    """Where the run stands."""

    x: Array  # (p,)
    t: int  # steps done


def init(problem: ERMProblem, plan: Plan[A], o: Ops[Array]) -> State:
    """The state before the first step: the start, projected on the constraint set.

    >>> from dataclasses import replace
    >>> from dpref.algorithms import examples
    >>> problem, made, curator = examples.gradient_descent().live()
    >>> init(problem, replace(made, start=(3.0,)), curator.ops).x.tolist()  # the parameter lies in [-2, 2]
    [2.0]
    """
    return State(problem.domain.project(o, o.lift(plan.start)), 0)


def step(problem: ERMProblem, plan: Plan[A], state: State, curator: Curator[Records, A]) -> State:
    """One step: a noisy gradient, a move against it, a projection.

    A step without noise, from 0 against the gradient x - 1:

    >>> from dpref.algorithms import examples
    >>> problem, made, curator = examples.gradient_descent().live()
    >>> step(problem, made, init(problem, made, curator.ops), curator)
    State(x=array([0.5]), t=1)
    """
    o = curator.ops
    g = curator.gaussian(
        partial(problem.mean_gradient, o, state.x),
        sensitivity=plan.sensitivity,
        std=plan.std,
        label=f"gradient at x_{state.t}",
    )
    x = state.x - o.lift(plan.step_size) * problem.regularised(o, state.x, g)
    return State(problem.domain.project(o, x), state.t + 1)


def run(problem: ERMProblem, plan: Plan[A], curator: Curator[Records, A]) -> Array:
    """Take every step of Algorithm 4 and return the iterate that the plan releases.

    Returns:
        x_T or x_m, shape (p,).

    Two steps without noise, against the gradient x - 1:

    >>> from dpref.algorithms import examples
    >>> problem, made, curator = examples.gradient_descent().live()
    >>> run(problem, made, curator).tolist()
    [0.75]
    """
    state = init(problem, plan, curator.ops)
    iterates = [state.x]
    for _ in range(plan.steps):
        state = step(problem, plan, state, curator)
        iterates.append(state.x)
    if plan.output == "last":
        return state.x
    return iterates[curator.uniform_index(plan.steps, label="output index")]
