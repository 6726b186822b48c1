r"""Noisy gradient descent with a dynamic privacy budget (Hong, Wang, Zhou 2022, Algorithm 1 and Eq. 1).

.. math::
    g_t = \nabla f(\theta_t) + s\,\sigma_t\nu_t,\quad \nu_t \sim N(0, I_D), \qquad
    v_{t+1} = \beta v_t + (1-\beta)g_t, \qquad
    \theta_{t+1} = \Pi_C\Big(\theta_t - \eta\,\frac{v_{t+1}}{1-\beta^t}\Big)

A step asks for $\rho_t = 1/\sigma_t^2$ of the budget $R$ and is run if the residual budget allows it.  The schedule
$\sigma_1,\dots,\sigma_T$ spends $R$ exactly: uniform (Theorem 4.3), dynamic (Theorem 4.5), from any influences
(Lemma 4.4), or with momentum (Eq. 13, Theorems 4.7 and 4.8).

Source: J. Hong, Z. Wang, J. Zhou, "Dynamic privacy budget allocation improves data efficiency of differentially
private gradient descent", FAccT 2022.  Claim: the output is $\frac12R$-zCDP (Theorem 3.5).
Adjacency: the paper's definition reads replace-one, its sensitivity G/N is the one of zero-out.
Cost: n gradients a step.
Obligations: ``dynamic-privacy-budget/T1`` to ``T3``, ``PO-10`` to ``PO-13``, ``PO-20``, ``PO-56``.

``Form.AS_PRINTED`` against the default ``Form.REPAIRED``:

* noise scale s: printed $G/N$ whatever the adjacency; repaired $\Delta$, the sensitivity under the adjacency (T1);
* divisor: printed N, the population, even for a batch of n < N records; repaired n (T3);
* budget test: printed ``rho_t < R_t``, which loses the last step of every schedule; repaired ``rho_t <= R_t`` (T2);
* budget sums are exact here in both: shares are rationals that sum to one.
"""

from __future__ import annotations

from fractions import Fraction
from functools import partial
from typing import NamedTuple

from dpref.algorithms.dynamic_gradient_descent.plan import Plan, admits
from dpref.curator import Curator
from dpref.problems.erm import ERMProblem, Records
from dpref.reals import Array, Ops
from dpref.units import A


class State(NamedTuple):
    """Where the run stands."""

    theta: Array  # (D,)
    v: Array  # (D,) raw momentum
    residual: Fraction  # R_t
    t: int  # number of the next step, from 1


def init(problem: ERMProblem, plan: Plan[A], o: Ops[Array]) -> State:
    """The state before the first step: theta_1 projected, v_1 = 0, R_1 = R.

    >>> from dataclasses import replace
    >>> from dpref.algorithms import examples
    >>> problem, made, curator = examples.dynamic_gradient_descent().live()
    >>> init(problem, replace(made, start=(3.0,)), curator.ops)  # the parameter lies in [-2, 2]
    State(theta=array([2.]), v=array([0.]), residual=Fraction(1, 1), t=1)
    """
    theta = problem.domain.project(o, o.lift(plan.start))
    return State(theta, theta - theta, plan.budget, 1)


def step(problem: ERMProblem, plan: Plan[A], state: State, curator: Curator[Records, A]) -> State | None:
    """One private step and the update of the parameter, or None if the budget ends the run (Algorithm 1).

    A step without noise, from 0 against the gradient x - 1:

    >>> from dpref.algorithms import examples
    >>> problem, made, curator = examples.dynamic_gradient_descent().live()
    >>> step(problem, made, init(problem, made, curator.ops), curator)
    State(theta=array([0.5]), v=array([-1.]), residual=Fraction(1, 2), t=2)
    """
    if not admits(plan.form, plan.requests[state.t - 1], state.residual):
        return None
    o = curator.ops
    g = curator.gaussian(
        partial(problem.mean_gradient, o, state.theta),
        sensitivity=plan.sensitivity,
        std=plan.scheduled_stds[state.t - 1],
        label=f"gradient at theta_{state.t}",
    )
    return update(problem, plan, state, g, o)


def update(problem: ERMProblem, plan: Plan[A], state: State, g: Array, o: Ops[Array]) -> State:
    """The momentum, the parameter and the residual budget after a noisy gradient: post-processing (Eq. 13).

    Args:
        state: The iterate and the counters before it.
        g: The noisy mean gradient at the iterate, shape (D,).

    >>> from dpref.algorithms import examples
    >>> problem, made, curator = examples.dynamic_gradient_descent().live()
    >>> update(problem, made, init(problem, made, curator.ops), curator.ops.lift([-1.0]), curator.ops).theta
    array([0.5])
    """
    beta = o.lift(plan.momentum)
    v = beta * state.v + (1 - beta) * problem.regularised(o, state.theta, g)
    m = v * o.lift(plan.bias_corrections[state.t - 1])
    theta = problem.domain.project(o, state.theta - o.lift(plan.step_size) * m)
    return State(theta, v, state.residual - plan.requests[state.t - 1], state.t + 1)


def run(problem: ERMProblem, plan: Plan[A], curator: Curator[Records, A]) -> Array:
    """Take every step that the budget admits, and return the last parameter (Eq. (1)).

    Returns:
        The last iterate, shape (D,).

    Two steps without noise, against the gradient x - 1:

    >>> from dpref.algorithms import examples
    >>> problem, made, curator = examples.dynamic_gradient_descent().live()
    >>> run(problem, made, curator).tolist()
    [0.75]
    """
    state = init(problem, plan, curator.ops)
    for _ in plan.requests:
        following = step(problem, plan, state, curator)
        if following is None:
            break
        state = following
    return state.theta
