r"""Boosting of gradient descent with a dynamic budget to high probability (Hong, Wang, Zhou 2022, Section 4.4).

.. math::
    \theta^{(1)},\dots,\theta^{(k)} \text{ from k runs of Algorithm 1},\ k=\lceil\log_2\tfrac1p\rceil, \qquad
    a_j = \frac1n\sum_i\mathrm{clip}\Big(\frac{\ell_i(\theta^{(j)})-\ell_i(\theta^{(1)})}{r_j}\Big) + s\nu_j, \qquad
    \hat\jmath = \arg\min_j r_ja_j,

with $r_j=\|\theta^{(j)}-\theta^{(1)}\|$ and $r_1a_1=0$.  By Markov's inequality a run's excess risk is at most twice
its mean with probability $\frac12$, so that with probability $1-p$ one of the runs is that good.  A record's part of a
mean slope is at most G, as of a mean gradient, and so is the sensitivity.

Source: J. Hong, Z. Wang, J. Zhou, "Dynamic privacy budget allocation improves data efficiency of differentially
private gradient descent", FAccT 2022.  Claim: k runs with the budget R/k, one of which is good.
Adjacency: as of `dpref.algorithms.dynamic_gradient_descent`.  Cost: n gradients a step of each run, and n losses
a candidate.
Obligations: ``dynamic-privacy-budget/markov``, ``boosting-budget``, ``comparison``, ``exact-choice``, ``T17``.

``Form.AS_PRINTED`` against the default ``Form.REPAIRED``:

* the choice: the print says that one repetition is good, not which; it is made here by the exact empirical risk, which
  is not private at any budget (``exact-choice``).  Repaired, the candidates are compared with noise that is paid for;
* the runs: as in `dpref.algorithms.dynamic_gradient_descent` (T1, T2), with R/k; repaired, with what the comparisons
  leave;
* the records: printed, all runs on the same, so that only the noise is fresh: the data's own bad luck, the $\frac4p$
  of Eq. (15), stays.  With ``split="parts"`` each run and the comparisons have records of their own.  A record is then
  read by one of them alone, what it spends is not added up, and the whole true excess risk is boosted.
"""

from __future__ import annotations

from functools import partial

from dpref.algorithms.dynamic_boosting.plan import Plan
from dpref.algorithms.dynamic_gradient_descent.algorithm import State, init, update
from dpref.algorithms.dynamic_gradient_descent.plan import admits
from dpref.curator import Curator
from dpref.geometry.sets import norm
from dpref.problems.erm import ERMProblem, Records
from dpref.reals import Array, as_double
from dpref.units import A


def candidate(problem: ERMProblem, plan: Plan[A], number: int, curator: Curator[Records, A]) -> Array:
    """One run of Algorithm 1 on the records that it reads: its last iterate, shape (D,).

    Args:
        number: Of the run, from zero.

    Two steps of 1/2 without noise, against the gradient x - 1:

    >>> from dpref.algorithms import examples
    >>> problem, made, curator = examples.dynamic_boosting().live()
    >>> candidate(problem, made, 0, curator).tolist()
    [0.75]
    """
    local, base, reads, o = plan.local(problem), plan.base, plan.reads(number), curator.ops
    state: State = init(local, base, o)
    for request, std in zip(base.requests, base.scheduled_stds, strict=True):
        if not admits(base.form, request, state.residual):
            break
        g = curator.gaussian(
            partial(local.mean_gradient, o, state.theta),
            sensitivity=plan.sensitivity,
            std=std,
            label=f"run {number + 1}: gradient at theta_{state.t}",
            part=reads,
        )
        state = update(local, base, state, g, o)
    return state.theta


def advantage(
    problem: ERMProblem, plan: Plan[A], first: Array, other: Array, label: str, curator: Curator[Records, A]
) -> float:
    """How much larger the objective at a candidate is than at the first: a noisy mean slope times their distance.

    Args:
        first: The first candidate, shape (D,).
        other: The other one, shape (D,).
        label: Names the comparison in the transcript.

    Without noise it is exact: the mean loss (x - 1)^2 / 2 at 3/4 and at 1.

    >>> from dpref.algorithms import examples
    >>> problem, made, curator = examples.dynamic_boosting().live()
    >>> advantage(problem, made, curator.ops.lift([0.75]), curator.ops.lift([1.0]), "", curator)
    -0.03125
    """
    local, reads, o = plan.local(problem), plan.reads(plan.repetitions), curator.ops
    distance = o.maximum(norm(o, other - first), o.lift(plan.nearest))

    slope = partial(local.mean_slope, o, first, other, distance)
    answer = curator.gaussian(slope, sensitivity=plan.sensitivity, std=plan.std, label=label, part=reads)
    ridge = o.number(problem.ridge) / 2 * ((other * other).sum() - (first * first).sum())
    return as_double(distance * answer + ridge)


def run(problem: ERMProblem, plan: Plan[A], curator: Curator[Records, A]) -> Array:
    """Make every run, compare their last iterates, and return the best as far as the comparisons say.

    Where the plan has no comparisons the first is returned: all are released, and none is said to be good.

    Returns:
        The chosen candidate, shape (D,).

    Two equal runs of two steps of 1/2 without noise, against the gradient x - 1:

    >>> from dpref.algorithms import examples
    >>> problem, made, curator = examples.dynamic_boosting().live()
    >>> run(problem, made, curator).tolist()
    [0.75]
    """
    candidates = [candidate(problem, plan, number, curator) for number in range(plan.repetitions)]
    chosen, least = candidates[0], 0.0
    for number, other in enumerate(candidates[1 : plan.comparisons + 1], start=2):
        larger = advantage(problem, plan, candidates[0], other, f"slope from candidate 1 to {number}", curator)
        if larger < least:
            chosen, least = other, larger
    return chosen
