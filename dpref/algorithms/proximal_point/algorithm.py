r"""The proximal point method under the KL condition with exponent at least two (Menart et al. 2024, Algorithm 2).

For $t=1,\dots,P$, with noisy gradient descent (Algorithm 4, `dpref.algorithms.noisy_gradient_descent`) as the solver,

.. math:: w_t\approx\arg\min_wF(w;S)+\lambda_t\|w-w_{t-1}\|^2,

each at $\frac\rho P$ of the budget; the output is $w_P$.  Privacy and utility: Theorem 2.

Source: M. Menart, E. Ullah, R. Arora, R. Bassily, C. Guzman, "Differentially private non-convex optimization under the
KL condition with optimal rates", 2024, Section 4 and Appendix C.  Adjacency: replace-one.
Cost: n gradients an answer, T - 1 answers a phase, n P (T - 1) in all.
Obligations: ``kl-condition/PO-16``, ``PO-17``, ``PO-42``, ``PO-52``, ``E18`` to ``E21``.

What differs from the print, and why:

* The print has $\lambda_t=\tilde L_1$ in every phase.  For $\kappa>2$ its proof takes the exact proximal point for the
  one that was computed, and its rate is not reached (E18).  The repaired form localises more and more:
  $\lambda_t=\max\{2\tilde L_1,\hat\Phi_{t-1}^{(2-\kappa)/\kappa}/\gamma^2\}$ for targets
  $\hat\Phi_t=\max\{(1-\frac{3x_t}{44})\hat\Phi_{t-1},\text{floor}\}$.  Losses may then be convex, $\tilde L_1=0$ (E20).
* Twice $\tilde L_1$, where once would make the subproblem strongly convex: half of that strong convexity pays for the
  tail of the noise (`dpref.algorithms.noisy_gradient_descent.utility.tail_bound`), so that the targets are promised
  with a constant, not up to one.  ``constant`` takes a constant on trust instead, which no proof gives.
* T of the print, the number of phases, is a real number; it is rounded up before budget and failure are divided (E35).
* Where the floor is not below $F_0$ the start meets the promise: the repaired form returns it and asks nothing.
* The solver's own printed and repaired noise and steps come with the form (E9, E35).
"""

from __future__ import annotations

from typing import Any, NamedTuple

from dpref.algorithms.noisy_gradient_descent import algorithm as solver
from dpref.algorithms.proximal_point.plan import Plan
from dpref.curator import Curator
from dpref.problems.erm import ERMProblem, Records
from dpref.reals import Array, Ops
from dpref.units import A


class State(NamedTuple):
    """Where the run stands."""

    w: Array  # (d,) w_t
    t: int  # phases done


def init(plan: Plan[Any], o: Ops[Array]) -> State:
    """The state before the first phase.

    >>> from dpref.algorithms import examples
    >>> problem, made, curator = examples.proximal_point().live()
    >>> init(made, curator.ops)
    State(w=array([0.]), t=0)
    """
    return State(o.lift(plan.start), 0)


def step(problem: ERMProblem, plan: Plan[A], state: State, curator: Curator[Records, A]) -> State:
    """One phase: noisy gradient descent around the last point.

    >>> from dpref.algorithms import examples
    >>> problem, made, curator = examples.proximal_point().live()
    >>> step(problem, made, init(made, curator.ops), curator).w.round(6).tolist()  # as noisy gradient descent
    [0.166667]
    """
    solving = plan.solver(state.t)
    inner = solver.State(state.w, state.w, 1)
    for _ in range(solving.steps):
        label = f"gradient at w_{inner.t} of phase {state.t + 1}"
        inner = solver.step_around(problem, solving, state.w, inner, curator, label=label)
    return State(inner.mean, state.t + 1)


def run(problem: ERMProblem, plan: Plan[A], curator: Curator[Records, A]) -> Array:
    """All phases.

    Returns:
        The last point, shape (d,).

    >>> from dpref.algorithms import examples
    >>> problem, made, curator = examples.proximal_point().live()
    >>> run(problem, made, curator).round(6).tolist()
    [0.333333]
    """
    state = init(plan, curator.ops)
    for _ in plan.phases:
        state = step(problem, plan, state, curator)
    return state.w
