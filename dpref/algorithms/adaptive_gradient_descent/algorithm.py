r"""Adaptive noisy gradient descent (Menart et al. 2024, Algorithm 3): noise scaled to a private gradient norm.

.. math::
    N_t=\|\nabla F(w_t;S)\|+\hat b_t,\ \hat b_t\sim N(0,\hat\sigma^2),\qquad
    \nabla_t=\nabla F(w_t;S)+b_t,\ b_t\sim N(0,\sigma_t^2I_d),\qquad w_{t+1}=w_t-\tfrac1{2L_1}\nabla_t,

where $\sigma_t$ is proportional to $N_t$, and the run stops when its zCDP budget does not admit a further answer.
Neither $\gamma$ nor $\kappa$ of the KL condition is needed.

Source: M. Menart, E. Ullah, R. Arora, R. Bassily, C. Guzman, "Differentially private non-convex optimization under the
KL condition with optimal rates", Algorithm 3, Theorems 3 to 5.  Adjacency: replace-one in the paper's definition.
Cost: n gradients a round (the norm and the gradient share one pass).
Obligations: ``kl-condition/PO-20`` to ``PO-23``, ``PO-46``, ``E4``, ``E5``.

``Form.AS_PRINTED`` against the default ``Form.REPAIRED``:

* $N_t$: printed as a scalar plus "$N(0,I_d\hat\sigma^2)$".  ``reading`` says how: ``"scalar"`` (R1, the only one that
  fits Lemma 10), ``"vector"`` (R2, the norm of a noisy vector), ``"absolute"`` and ``"clamped"`` (R3).  Under R1 a
  negative $N_t$ gives the smallest noise and is charged next to nothing (E4).  Repaired: clamped at zero.
* charge: printed $\min\{L_0^2d\log(n\sqrt\rho/\beta)/(n^2N_t^2),\rho/2\}+\sqrt\rho/n$, tested after the round against
  $\rho/2$; repaired: $\Delta^2/(2\sigma^2)$ of the noise that is used, asked of a `ZCDPFilter` before each of the two
  answers of a round, with the true sensitivity (E5, E6).
* noise: printed $N_t/\sqrt{d\log(n\sqrt\rho/\beta)}$; repaired $N_t/(2G)$, which makes Lemma 12 true (E22).
* the floor: printed, the noise is never below $2L_0/(n\sqrt\rho)$ and the run goes on; repaired, it stops where the
  gradient is that small (E24).
* Theorem 3 releases $w_0,\dots,w_T$ and not the unused $w_{T+1}$: the answer that would make it is not asked for.
"""

from __future__ import annotations

from functools import partial
from typing import Any, Literal, NamedTuple, TypeAlias

from dpref.algorithms.adaptive_gradient_descent.plan import Plan, exact_cost
from dpref.algorithms.forms import Form
from dpref.curator import Curator
from dpref.geometry.sets import norm
from dpref.privacy.filters import ZCDPFilter
from dpref.problems.erm import ERMProblem, Records
from dpref.reals import Array, Ops, as_double, exact, float_up
from dpref.transcript import Held
from dpref.units import ZCDP, A, PrivacyLoss

Stop: TypeAlias = Literal["", "budget", "small gradient", "rounds"]


class State(NamedTuple):
    """Where the run stands."""

    w: Array  # (d,)
    recorded: float  # as printed: the sum of the recorded charges
    t: int  # rounds done
    stop: Stop  # why the run has ended, or nothing


def init(problem: ERMProblem, plan: Plan[A], o: Ops[Array]) -> State:
    """The state before the first round: w_0, projected where the problem has a constraint set.

    >>> from dpref.algorithms import examples
    >>> problem, made, curator = examples.adaptive_gradient_descent().live()
    >>> init(problem, made, curator.ops).w.tolist()
    [0.0, 0.0]
    """
    return State(problem.domain.project(o, o.lift(plan.start)), 0.0, 0, "")


def step(
    problem: ERMProblem, plan: Plan[A], state: State, curator: Curator[Records, A], filter_: ZCDPFilter[A]
) -> State:
    """One round: a noisy norm, the noise that follows from it, a noisy gradient, a step; or the reason to stop.

    Lines 3 to 7.

    Args:
        filter_: What is left of the budget; the repaired form asks it before each answer.

    Raises:
        InvalidArgumentError: If a gradient is not finite, or the curator's adjacency is not the plan's.

    >>> from dpref.algorithms import examples
    >>> problem, made, curator = examples.adaptive_gradient_descent().live()
    >>> filter_ = ZCDPFilter(made.claimed)
    >>> step(problem, made, init(problem, made, curator.ops), curator, filter_).t, 0 < filter_.spent.value <= 1
    (1, True)
    """
    state, measured = measure(problem, plan, state, curator, filter_)
    return state if state.stop or measured is None else move(problem, plan, state, measured, curator, filter_)


class Measured(NamedTuple):
    """The first half of a round."""

    gradient: Held  # (d,) handle to the mean gradient
    size: float  # N_t


def measure(
    problem: ERMProblem, plan: Plan[A], state: State, curator: Curator[Records, A], filter_: ZCDPFilter[A]
) -> tuple[State, Measured | None]:
    """The noisy norm at the current iterate, unless the run ends before it; or the reason to stop after it.

    Lines 3 and 6.

    Args:
        filter_: What is left of the budget.

    >>> from dpref.algorithms import examples
    >>> problem, made, curator = examples.adaptive_gradient_descent().live()
    >>> state, measured = measure(problem, made, init(problem, made, curator.ops), curator, ZCDPFilter(made.claimed))
    >>> state.t, measured.size > made.stop_norm
    (0, True)
    """
    o, repaired = curator.ops, plan.form is Form.REPAIRED
    if state.t >= plan.rounds:
        return state._replace(stop="rounds"), None
    cost = PrivacyLoss(exact(plan.norm_cost), ZCDP, plan.sensitivity.adjacency)
    if repaired and not filter_.admits(cost):
        return state._replace(stop="budget"), None
    gradient = curator.hold(partial(problem.mean_gradient, o, state.w), label=f"gradient at w_{state.t}")
    regular = partial(problem.regularised, o, state.w)
    noisy = curator.held_gaussian(
        regular if plan.reading == "vector" else lambda g: norm(o, regular(g)).reshape(1),
        held=(gradient,),
        sensitivity=plan.sensitivity,
        std=plan.norm_std,
        label=f"norm at w_{state.t}",
    )
    measured = Measured(gradient, gradient_size(plan, as_double(norm(o, noisy) if plan.reading == "vector" else noisy)))
    if repaired:
        filter_.spend(cost)
        return state._replace(stop="small gradient" if measured.size <= plan.stop_norm else ""), measured
    recorded = state.recorded + recorded_cost(plan, measured.size)
    return state._replace(recorded=recorded, stop="budget" if recorded > plan.limit else ""), measured


def move(
    problem: ERMProblem,
    plan: Plan[A],
    state: State,
    measured: Measured,
    curator: Curator[Records, A],
    filter_: ZCDPFilter[A],
) -> State:
    """A noisy gradient, with the noise that follows from its noisy norm, and a step; or the reason to stop.

    Lines 4, 5 and 7.

    Args:
        measured: The first half of the round.
        filter_: What is left of the budget.

    >>> from dpref.algorithms import examples
    >>> problem, made, curator = examples.adaptive_gradient_descent().live()
    >>> seen = problem, made, init(problem, made, curator.ops), curator, ZCDPFilter(made.claimed)
    >>> move(problem, made, *measure(*seen), *seen[3:]).t
    1
    """
    o = curator.ops
    std = gradient_noise(plan, measured.size)
    if plan.form is Form.REPAIRED:
        cost = PrivacyLoss(exact(float_up(exact_cost(plan.sensitivity, std))), ZCDP, plan.sensitivity.adjacency)
        if not filter_.admits(cost):
            return state._replace(stop="budget")
        filter_.spend(cost)
    answer = curator.held_gaussian(
        lambda g: g, held=(measured.gradient,), sensitivity=plan.sensitivity, std=std, label=f"gradient at w_{state.t}"
    )
    w = problem.domain.project(o, state.w - o.lift(plan.step_size) * problem.regularised(o, state.w, answer))
    return state._replace(w=w, t=state.t + 1)


def gradient_size(plan: Plan[Any], noisy: float) -> float:
    """The size N_t that the plan's reading makes of the noisy norm (line 3; E4, E7).

    Args:
        plan: Of what `plan` computed, the reading is used.
        noisy: The norm plus its noise.

    >>> from dpref.algorithms.examples import adaptive_gradient_descent as example
    >>> gradient_size(example().plan, -0.5), gradient_size(example(Form.AS_PRINTED).plan, -0.5)
    (0.0, -0.5)
    """
    if plan.reading == "absolute":
        return abs(noisy)
    return max(noisy, 0.0) if plan.reading == "clamped" else noisy


def gradient_noise(plan: Plan[Any], size: float) -> float:
    r"""$\sigma_t=\max\{N_t/s,\sigma_{\min}\}$, s the plan's spread (line 4; E22).

    Args:
        size: $N_t$.

    >>> from dpref.algorithms import examples
    >>> made = examples.adaptive_gradient_descent().plan
    >>> gradient_noise(made, 0.0) == made.floor_std, gradient_noise(made, made.spread)
    (True, 1.0)
    """
    return max(size / plan.spread, plan.floor_std)


def recorded_cost(plan: Plan[Any], size: float) -> float:
    """What the printed form charges for a round (line 6).

    Args:
        size: N_t.

    >>> from dpref.algorithms import examples
    >>> made = examples.adaptive_gradient_descent(Form.AS_PRINTED).plan
    >>> round(recorded_cost(made, 0.0), 12), round(recorded_cost(made, 1e9), 12)  # 1/2 + 1/100, and 1/100
    (0.51, 0.01)
    """
    cap = float(plan.rho) / 2
    square = size * size
    return (cap if cap * square <= plan.charge else plan.charge / square) + plan.norm_cost


def trace(problem: ERMProblem, plan: Plan[A], curator: Curator[Records, A]) -> State:
    """Run and return the last state, with the reason why the run has ended.

    Raises:
        InvalidArgumentError: As for `step`.

    >>> from dpref.algorithms import examples
    >>> problem, made, curator = examples.adaptive_gradient_descent().live()
    >>> trace(problem, made, curator).stop
    'rounds'
    """
    filter_ = ZCDPFilter(plan.claimed)
    state = init(problem, plan, curator.ops)
    while not state.stop:
        state = step(problem, plan, state, curator, filter_)
    return state


def run(problem: ERMProblem, plan: Plan[A], curator: Curator[Records, A]) -> Array:
    """Run Algorithm 3 until it stops, and return the last iterate.

    Returns:
        The last iterate that was released, shape (d,).

    Raises:
        InvalidArgumentError: As for `step`.

    >>> from dpref.algorithms import examples
    >>> problem, made, curator = examples.adaptive_gradient_descent().live()
    >>> run(problem, made, curator).shape
    (2,)
    """
    return trace(problem, plan, curator).w
