r"""Accelerated mirror descent with noisy gradients, DP-AccMD (Wang, Ye and Xu 2017, Algorithm 3).

For a convex, L-smooth F on a centrally symmetric C and a w that is 1-strongly convex with respect to $\|\cdot\|_C$,
from $y_0=z_0=x_0$ and for $k=0,\dots,T-1$ with $\alpha_{k+1}=\frac{k+2}{4L_C}$, $r_k=\frac2{k+2}$,
$b_{k+1}\sim N(0,\sigma^2I_p)$:

.. math::
    x_{k+1}&=r_kz_k+(1-r_k)y_k,\qquad\tilde g=\nabla F(x_{k+1},D)+b_{k+1},\\
    z_{k+1}&=\arg\min_{z\in C}B_w(z,z_k)+\alpha_{k+1}\langle\tilde g,z\rangle,\\
    y_{k+1}&=r_kz_{k+1}+(1-r_k)y_k\quad\text{(coupled), or}\quad
    \arg\min_{y\in C}L_C\|y-x_{k+1}\|_C^2+\langle\tilde g,y\rangle\quad\text{(noisy)}.

The output is $y_T$.  Privacy: Theorem 5.3.  Utility: Theorem 5.4.

Source: D. Wang, M. Ye, J. Xu, "Differentially private empirical risk minimization revisited: faster and more general",
2017, Section 5.  Adjacency: replace-one (the proof has the sensitivity $2G/n$).  Cost: n gradients an iteration, n T.
Obligations: ``dp-erm-revisited/E1``, ``E8``, ``P36`` to ``P40``, ``P46``.

What differs from the print, and why:

* Line 6 prints $y_{k+1}=\arg\min\frac{L\|C\|_2^2}2\|y-x_{k+1}\|_C^2+\langle\nabla F(x_{k+1}),y\rangle$, with the
  gradient itself: what is released is a function of the data, and no epsilon is enough (E1).  ``Form.AS_PRINTED``
  runs that, and its ledger says that it asks for a gradient without noise.  Both repaired forms keep the bound with
  its constants.
* Line 4 prints L for $L_C$, which is right where $\|C\|_2=1$ only (E8).
* $L_C$ is $L\|C\|_2^2$ in the print; a quarter of it is enough for a symmetric set (E28) and is the default.
* C must be bounded and hold a ball around the origin for $\|\cdot\|_C$ to be a norm (E28): l_p balls are run here.
"""

from __future__ import annotations

from functools import partial
from typing import Any, NamedTuple

from dpref.algorithms.accelerated_mirror_descent import formulas
from dpref.algorithms.accelerated_mirror_descent.plan import Plan
from dpref.curator import Curator
from dpref.geometry.sets import shrink
from dpref.problems.erm import ERMProblem, Records
from dpref.reals import Array, Ops
from dpref.units import A


class State(NamedTuple):
    """Where the run stands."""

    y: Array  # (p,) y_k
    z: Array  # (p,) z_k
    k: int


def init(plan: Plan[Any], o: Ops[Array]) -> State:
    """The state before the first answer: both points at the start (line 2).

    >>> from dpref.algorithms import examples
    >>> example = examples.accelerated_mirror_descent()
    >>> init(example.plan, example.ops)
    State(y=array([0.]), z=array([0.]), k=0)
    """
    start = o.lift(plan.start)
    return State(start, start, 0)


def step(problem: ERMProblem, plan: Plan[A], state: State, curator: Curator[Records, A]) -> State:
    """One line of the loop: a query between y and z, a mirror step, and the new y.

    Args:
        state: Both points after the steps so far, and their number.

    >>> from dpref.algorithms import examples
    >>> problem, made, curator = examples.accelerated_mirror_descent().live()
    >>> step(problem, made, init(made, curator.ops), curator).y.tolist()  # from 0 by 4 / 8 against the gradient -1
    [0.5]
    """
    o, mirror = curator.ops, plan.mirror
    r, alpha = formulas.coupling(o, o.number(state.k)), o.lift(plan.step_size) * (state.k + 2)
    x = formulas.between(o, state.y, state.z, r)
    ask = partial(
        curator.gaussian,
        partial(problem.mean_gradient, o, x),
        sensitivity=plan.sensitivity,
    )
    # Line 6 as printed: the gradient itself, which the curator counts as an answer without noise.
    bare = ask(std=0.0, label=f"exact gradient at x_{state.k + 1}") if plan.y_step == "exact" else None
    g = problem.regularised(o, x, ask(std=plan.std, label=f"gradient at x_{state.k + 1}"))
    z = mirror.step(o, state.z, g, alpha)
    if plan.y_step == "coupled":
        return State(formulas.between(o, state.y, z, r), z, state.k + 1)
    along = g if bare is None else problem.regularised(o, x, bare)
    y = shrink(o, x - o.lift(plan.descent) * along, o.number(mirror.ball.radius))
    return State(y, z, state.k + 1)


def run(problem: ERMProblem, plan: Plan[A], curator: Curator[Records, A]) -> Array:
    """All iterations; the last y.

    Returns:
        y_T, shape (p,).

    >>> from dpref.algorithms import examples
    >>> problem, made, curator = examples.accelerated_mirror_descent().live()
    >>> run(problem, made, curator).round(6).tolist()  # of the gradients x - 1
    [0.75]
    """
    state = init(plan, curator.ops)
    for _ in range(plan.iterations):
        state = step(problem, plan, state, curator)
    return state.y
