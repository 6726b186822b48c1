r"""KL Spider (Menart et al. 2024, Algorithm 1): variance-reduced rounds with a stopping rule on private estimates.

Round k aims at the excess risk $\hat\Phi_k$: it estimates the gradient once with noise $\hat\sigma$, then follows it by
noisy gradient *differences*, which are less sensitive because every update has the same length $s_k$,

.. math::
    \nabla_{k,0}=\nabla F(w_{k,0})+b_{k,0},\qquad
    w_{k,t+1}=w_{k,t}-s_k\frac{\nabla_{k,t}}{\|\nabla_{k,t}\|},\qquad
    \nabla_{k,t+1}=\nabla_{k,t}+\nabla F(w_{k,t+1})-\nabla F(w_{k,t})+b_{k,t+1},

until $T_k$ updates are done or $\|\nabla_{k,t}\|<\frac7{8\gamma}\hat\Phi_k^{1/\kappa}$.

Source: M. Menart, E. Ullah, R. Arora, R. Bassily, C. Guzman, "Differentially private non-convex optimization under the
KL condition with optimal rates", Algorithm 1, Theorem 1, Lemmas 1, 2, 8, 9.  Adjacency: replace-one in the paper's
definition, its sensitivities are zero-out's.  Cost: n gradients an answer, at most $n\sum_kN_k$.
Obligations: ``kl-condition/PO-1``, ``PO-5``, ``PO-7``, ``PO-11``, ``PO-13``, ``PO-14``, ``E1``.

``Form.AS_PRINTED`` against the default ``Form.REPAIRED``:

* noise: printed $\hat\sigma=\frac{L_0\sqrt K}{n\sqrt\rho}$ and
  $\sigma_k=\frac{\hat\Phi_k^{1/\kappa}\sqrt{T_kK}}{\gamma n\sqrt\rho}$ whatever the adjacency, over $2\rho$ under
  replace-one (E1); repaired, each half of $\rho$ is shared out with the true sensitivities.  The floor's constant is 32
  as printed, 40 repaired.
* line 10 makes one update more than is used, and line 17 keeps the iterate before the one that passed the test (and
  none where the test fails at once: then $w_{k,0}$ is kept here); repaired: at most $N_k=\lfloor T_k\rfloor$ updates,
  and the last iterate is kept (E11, E12).
* where the floor is not below $F_0$, or $\beta'>\frac12$, the theorem promises nothing that $w_0$ does not already
  meet: the repaired form asks nothing and returns it (E13).

$K$ is rounded up before any noise scale is made from it, in both forms (E12).
"""

from __future__ import annotations

from functools import partial
from typing import NamedTuple

from dpref.algorithms.forms import Form
from dpref.algorithms.spider.plan import Plan
from dpref.curator import Curator, Held
from dpref.geometry.sets import norm
from dpref.problems.erm import ERMProblem, Records
from dpref.reals import Array, as_double
from dpref.units import L2, A, Sensitivity


class State(NamedTuple):
    """Where the run stands."""

    w: Array  # (d,) w_{k,t}
    previous: Array  # (d,) w_{k,t-1}, or w_{k,0} before the first update
    estimate: Array  # (d,) the private gradient estimate at w
    gradient: Held  # handle to the exact gradient at w
    t: int  # updates done in this round


def begin(problem: ERMProblem, plan: Plan[A], w: Array, curator: Curator[Records, A]) -> State:
    """Begin a round with a fresh noisy gradient (line 8).

    Args:
        w: w_{k,0}, shape (d,).

    Raises:
        InvalidArgumentError: If a gradient is not finite, or the curator's adjacency is not the plan's.

    >>> from dpref.algorithms import examples
    >>> problem, made, curator = examples.spider().live()
    >>> state = begin(problem, made, curator.ops.lift(made.start), curator)
    >>> state.w.tolist(), state.estimate.shape, state.t
    ([0.0, 0.0], (2,), 0)
    """
    gradient = curator.hold(partial(problem.mean_gradient, curator.ops, w), label="gradient")
    answer = curator.held_gaussian(
        lambda g: g, held=(gradient,), sensitivity=plan.sensitivity, std=plan.outer_std, label="gradient"
    )
    return State(w, w, problem.regularised(curator.ops, w, answer), gradient, 0)


def step(problem: ERMProblem, plan: Plan[A], k: int, state: State, curator: Curator[Records, A]) -> State | None:
    """One update of a round with its noisy gradient difference, or None if the round is over (lines 10 to 15).

    Args:
        k: The round, from 0.

    Raises:
        InvalidArgumentError: If a gradient is not finite, or the curator's adjacency is not the plan's.

    >>> from dpref.algorithms import examples
    >>> problem, made, curator = examples.spider().live()
    >>> following = step(problem, made, 0, begin(problem, made, curator.ops.lift(made.start), curator), curator)
    >>> round(as_double(norm(curator.ops, following.w)), 12), step(problem, made, 0, following, curator)
    (0.5, None)
    """
    o, r = curator.ops, plan.rounds[k]
    if state.t >= r.updates:
        return None
    size = norm(o, state.estimate)
    if as_double(size) < r.threshold:
        return None
    w = problem.domain.project(o, state.w - o.lift(r.length) / size * state.estimate)
    if state.t >= r.differences:
        return state._replace(w=w, previous=state.w, t=state.t + 1)
    gradient = curator.hold(partial(problem.mean_gradient, o, w), label="gradient")
    difference = curator.held_gaussian(
        lambda new, old: new - old,
        held=(gradient, state.gradient),
        sensitivity=Sensitivity(r.sensitivity, L2, plan.sensitivity.adjacency),
        std=r.std,
        label=f"gradient difference {state.t + 1} of round {k + 1}",
    )
    moved = problem.regularised(o, w - state.w, difference)
    return State(w, state.w, state.estimate + moved, gradient, state.t + 1)


def run(problem: ERMProblem, plan: Plan[A], curator: Curator[Records, A]) -> Array:
    """Run all rounds of Algorithm 1 and return the point that the last one reaches.

    Returns:
        The start of the round after the last, shape (d,).

    Raises:
        InvalidArgumentError: As for `begin` and `step`.

    >>> from dpref.algorithms import examples, spider
    >>> problem, made, curator = examples.spider().live()
    >>> w = run(problem, made, curator)
    >>> round(as_double(norm(curator.ops, w)), 12), curator.ledger == spider.ALGORITHM.ledger(made)  # a step of 1/2
    (0.5, True)
    """
    w = problem.domain.project(curator.ops, curator.ops.lift(plan.start))
    for k in range(len(plan.rounds)):
        last = begin(problem, plan, w, curator)
        while (following := step(problem, plan, k, last, curator)) is not None:
            last = following
        w = last.w if plan.form is Form.REPAIRED else last.previous
    return w
