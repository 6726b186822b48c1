r"""NoisySFW: stochastic Frank-Wolfe on a recursive gradient, one batch an answer (Bassily, Guzman, Nandi 2021).

With $B_0$ the first half of the n records, $B_1,B_2,\dots$ batches of $b=\lfloor\frac{\sqrt n}2\rfloor$ of the others
and $w_0$ a point of C,

.. math::
    d_0 &= \nabla_{B_0}f(w_0)+Z_0,\qquad
    d_t = d_{t-1}+\nabla_{B_t}f(w_t)-\nabla_{B_t}f(w_{t-1})+Z_t, \\
    v_t &= \arg\min_{v\in C}\langle d_t,v\rangle,\qquad w_{t+1}=w_t+\eta(v_t-w_t),\qquad
    \eta=c\,\frac{\ln n}{2\sqrt n},

for $t<\lfloor\sqrt n\rfloor$; the last iterate is the output.  It is the offline baseline of Table 5.1 for $1<p<2$.

Source: R. Bassily, C. Guzman, A. Nandi, "Non-Euclidean differentially private stochastic convex optimization", COLT
2021, Algorithm 3, reconstructed: Han et al. run it without printing it.  Adjacency: replace-one or zero-out.
Cost: $\frac n2+2b(\lfloor\sqrt n\rfloor-1)$ gradients.
Obligations: ``private-online-frank-wolfe/S-10``, ``S-11``, ``PO-9``, ``gaussian-dp``, ``E-1``, ``E-2``, ``E-6``.

A record is in one batch, so that the answers compose in parallel: what the run spends is what its heaviest answer
spends.  What differs from the print, and why:

* the noise: printed that of Lemma 2.1, with the whole $\varepsilon$ in one answer, where the lemma's range ends (E-6);
  repaired the exact loss of one answer (``"accountant"``), or zCDP, or the lemma within its range (``"eq-3.2"``);
* norm and sampler: as for DP-TOFW (E-1, E-2); where $\sigma$ is below 1, the printed Gamma scale adds noise;
* the sensitivities: of the first answer printed $\frac{4L}n$, repaired $\frac{2L}{\lfloor n/2\rfloor}$ (S-10); of a
  difference printed $\frac{4\beta D\eta}{\sqrt n}$, repaired $\frac{2\beta D\eta}b$ (S-11).
"""

from __future__ import annotations

from functools import partial
from typing import Any, NamedTuple

from dpref.algorithms.noisy_frank_wolfe.plan import Plan
from dpref.curator import Curator
from dpref.problems.erm import Records
from dpref.problems.stream import StreamProblem
from dpref.reals import Array, Ops
from dpref.units import A


class State(NamedTuple):
    """Where the run stands."""

    w: Array  # (d,) w_t
    previous: Array  # (d,) w_{t-1}
    estimate: Array  # (d,) d_{t-1}
    t: int  # steps taken


def init(problem: StreamProblem, plan: Plan[A], o: Ops[Array]) -> State:
    """The state before the first answer.

    Args:
        o: The number system of the run.

    >>> from dpref.algorithms import examples
    >>> example = examples.noisy_frank_wolfe()
    >>> init(example.problem, example.plan, example.ops).w.tolist()
    [0.0, 0.0]
    """
    start = o.lift(plan.start)
    return State(start, start, start - start, 0)


def step(problem: StreamProblem, plan: Plan[A], state: State, curator: Curator[Any, A]) -> State:
    """One answer, unless gradients do not change, and one step of Frank-Wolfe.

    Raises:
        InvalidArgumentError: If a gradient is not finite, or the batch overlaps with another one.

    >>> from dpref.algorithms import examples
    >>> problem, made, curator = examples.noisy_frank_wolfe(std=0.0).live()
    >>> step(problem, made, init(problem, made, curator.ops), curator).w.round(3).tolist()  # towards (1, 0)
    [0.347, 0.0]
    """
    o, t, estimate = curator.ops, state.t, state.estimate
    if t == 0:
        estimate = curator.on_part(
            partial(problem.mean_gradient, o, state.w),
            part=range(plan.half),
            sensitivity=plan.sensitivity,
            noise=plan.noise(plan.std),
            label="gradient at w_0",
        )
    elif plan.difference is not None:
        first = plan.half + (t - 1) * plan.batch
        estimate = estimate + curator.on_part(
            partial(difference, problem, o, state.w, state.previous),
            part=range(first, first + plan.batch),
            sensitivity=plan.difference,
            noise=plan.noise(plan.difference_std),
            label=f"difference to w_{t}",
        )
    vertex = problem.domain.minimise(o, estimate)
    return State(state.w + o.lift(plan.step_size) * (vertex - state.w), state.w, estimate, t + 1)


def difference(problem: StreamProblem, o: Ops[Array], w: Array, previous: Array, batch: Records) -> Array:
    r"""$\nabla_Bf(w)-\nabla_Bf(w')$, shape (d,).

    Args:
        w: Shape (d,).
        previous: w', shape (d,).
        batch: The records of B.

    >>> from dpref.algorithms import examples
    >>> example = examples.noisy_frank_wolfe()
    >>> at = example.ops.lift([1.0, 0.0]), example.ops.lift([0.0, 0.0])
    >>> difference(example.problem, example.ops, *at, example.records).round(3).tolist()
    [0.231, 0.0]
    """
    return problem.mean_gradient(o, w, batch) - problem.mean_gradient(o, previous, batch)


def run(problem: StreamProblem, plan: Plan[A], curator: Curator[Any, A]) -> Array:
    """Take every step and return the last iterate.

    Returns:
        Shape (d,).

    Raises:
        InvalidArgumentError: As for `step`.

    >>> from dpref.algorithms.noisy_frank_wolfe.plan import ledger
    >>> from dpref.algorithms import examples
    >>> problem, made, curator = examples.noisy_frank_wolfe().live()
    >>> run(problem, made, curator).shape, curator.ledger == ledger(made)
    ((2,), True)
    """
    state = init(problem, plan, curator.ops)
    for _ in range(plan.iterations):
        state = step(problem, plan, state, curator)
    return state.w
