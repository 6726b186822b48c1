r"""What adaptive noisy gradient descent spends at least under the readings R2 and R3 of the printed norm.

Every record has the same slope $L_0$, one is turned round: the norm of the gradient, far from zero, and the gradient
itself move by $\Delta=2L_0/n$ in every round, so that the Kullback-Leibler divergence of the transcripts is what is
spent on average.  The print charges half of that and stops when the charges exceed $\rho/2$, but the norm of the last
round, of cost $2\sqrt\rho/n$, is released before the test: the number of rounds is whole, and what is spent exceeds
$\rho$ wherever the charges of one round more would.

Notation: m the norm of the gradient (``mean``), $\hat\sigma$ (``norm_std``) the noise of $N_t$, $r_0$ (``norm_cost``)
and $A/N_t^2$ (A is ``charge``) what is charged, $c_N$ (``true_norm``) and $a/N_t^2$ (a is ``true_charge``) what is
spent, J (``rounds``) a number of rounds, z (``cut``) where the noise of a norm is cut off, in units of $\hat\sigma$.

Source: Menart et al. 2024, Algorithm 3, Theorem 3; the errata's E5, which leaves it open.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Annotated, Any, ClassVar, Final

import numpy as np

from dpref.algorithms.adaptive_gradient_descent.plan import Plan, exact_cost
from dpref.algorithms.forms import Form
from dpref.audit.papers.kl_condition.adaptive import LINEAR_SMOOTHNESS, Adaptive
from dpref.audit.papers.kl_condition.witnesses import uncapped
from dpref.audit.parameters import MOST_STORED
from dpref.audit.run import Instance, Run
from dpref.audit.subjects import Witness
from dpref.checks import AtMost, natural
from dpref.errors import InvalidArgumentError
from dpref.problems.datasets import Dataset
from dpref.problems.erm import ERMProblem
from dpref.problems.losses import Huber
from dpref.problems.neighbours import NeighbourPair, replace_record
from dpref.reals import BALL, DEFAULT_PRECISION, Ops, T, ball, exact, lower, precision
from dpref.units import Adjacency, ReplaceOne

_CUTS: Final = tuple(Fraction(k, 2) for k in range(6, 17))
_NEAR: Final = 3  # how many numbers of rounds are tried
_ROUNDED: Final = 1 + Fraction(1, 2**30)  # covers that the run adds its charges in doubles
_STEEP: Final = "linear losses, all of slope L_0 and one of them turned round: expected spending of the transcript"


def charged(o: Ops[T], charge: T, mean: T, norm_std: T, cut: T) -> T:
    r"""The mean of $A/N_t^2$ where the noise is cut off, at most.

    $(1+u)^{-2}\le1-2u+\frac{3-2v}{(1-v)^2}u^2$ for $|u|\le v<1$, $v=z\hat\sigma/m$; the mean of u is zero.

    >>> from dpref.reals import FLOAT
    >>> round(charged(FLOAT, charge=1.0, mean=10.0, norm_std=0.5, cut=4.0), 6)  # 0.01 (1 + 2.6 / 0.64 / 400)
    0.010102
    """
    v = cut * norm_std / mean
    return charge / (mean * mean) * (1 + (3 - 2 * v) / ((1 - v) * (1 - v)) * (norm_std / mean) ** 2)


def left(o: Ops[T], rho: T, charge: T, norm_cost: T, mean: T, norm_std: T, cut: T, rounds: T) -> T:
    r"""$\frac\rho2-J(r_0+\bar g)$: how far J rounds of mean charge $\bar g$ stay below what ends the run.

    >>> from dpref.reals import FLOAT
    >>> round(left(FLOAT, 1.0, charge=0.0, norm_cost=0.01, mean=1.0, norm_std=0.1, cut=4.0, rounds=40.0), 12)
    0.1
    """
    return rho / 2 - rounds * (norm_cost + charged(o, charge, mean, norm_std, cut))


def released(o: Ops[T], charge: T, mean: T, norm_std: T, cut: T, rounds: T, left_: T) -> T:
    r"""The probability that J rounds are followed by another, at least: $p=1-2J\Phi(-z)-e^{-2u^2/(Jw^2)}$.

    u is `left`, and w the width of the charges where the noise is cut off (Hoeffding's inequality).

    >>> from dpref.reals import FLOAT
    >>> round(released(FLOAT, charge=1.0, mean=10.0, norm_std=0.5, cut=4.0, rounds=25.0, left_=0.1), 6)
    0.998392
    """
    v = cut * norm_std
    width = charge / ((mean - v) * (mean - v)) - charge / ((mean + v) * (mean + v))
    return 1 - rounds * o.erfc(cut / o.sqrt(o.number(2))) - o.exp(-2 * left_ * left_ / (rounds * width * width))


def steep_spending(o: Ops[T], p: T, true_norm: T, true_charge: T, mean: T, norm_std: T, rounds: T) -> T:
    r"""What is spent on average at least: $p(J+1)c_N+J\frac a{m^2}\big(p-2\sqrt{1-p}\,\frac{\hat\sigma}m\big)$.

    With probability p, J + 1 norms and J gradients are released; $N^{-2}\ge m^{-2}(1-2\frac{N-m}m)$, and the mean of
    $N-m$ on an event of probability p is at most $\hat\sigma\sqrt{1-p}$ in size.

    >>> from dpref.reals import FLOAT
    >>> steep_spending(FLOAT, 1.0, true_norm=0.02, true_charge=1.0, mean=10.0, norm_std=0.5, rounds=24.0)
    0.74
    """
    gradient = true_charge / (mean * mean) * (p - 2 * o.sqrt(1 - p) * norm_std / mean)
    return p * (rounds + 1) * true_norm + rounds * gradient


def steep_norms(run: Run) -> tuple[Witness, ...]:
    """`steep_spending` in balls, of the printed form under R2 or R3, for the best number of rounds.

    >>> from dpref.audit import builders, catalogue
    >>> run = builders.run_of(catalogue.find("kl-condition/theorem-3@as-printed-clamped,replace-one"))
    >>> [(witness.name, witness.value > 0.1) for witness in steep_norms(run)]
    [('norm-before-the-test', True)]
    """
    plan: Plan[Any] = run.plan
    if plan.form is not Form.AS_PRINTED or plan.reading == "scalar" or not uncapped(plan):
        return ()
    mean, sensitivity = run.problem.gradient_bound, plan.sensitivity
    spread, norm_std, floor_std = (exact(x) for x in (plan.spread, plan.norm_std, plan.floor_std))
    costs = exact(plan.charge) * _ROUNDED, exact(plan.norm_cost) * _ROUNDED
    true = exact_cost(sensitivity, plan.norm_std), sensitivity.value**2 * spread**2 / 2
    best = 0.0
    for cut in _CUTS:
        if mean - cut * norm_std <= spread * floor_std:  # a gradient might have the least noise
            break
        most = math.floor(plan.rho / 2 / (costs[1] + costs[0] / mean**2))
        with precision(DEFAULT_PRECISION):
            charge, norm_cost, m, std, z = map(ball, (*costs, mean, norm_std, cut))
            norm, gradient = map(ball, true)
            for rounds in map(ball, range(max(1, most - _NEAR), most + 1)):
                room = left(BALL, ball(plan.rho / _ROUNDED), charge, norm_cost, m, std, z, rounds)
                p = released(BALL, charge, m, std, z, rounds, room)
                if room > 0 and p > 0:
                    best = max(best, lower(steep_spending(BALL, p, norm, gradient, m, std, rounds)))
    return (Witness("norm-before-the-test", "rho", best, _STEEP),)


@dataclass(frozen=True, kw_only=True)
class AdaptiveSteep(Adaptive):
    """Records of the same slope, on the line; in the neighbour one of them is turned round.

    Attributes:
        records: n.
    """

    name: ClassVar[str] = "steep"
    fixed: ClassVar[frozenset[str]] = frozenset({"smoothness"})
    records: Annotated[int, AtMost(MOST_STORED)]

    def problem(self) -> ERMProblem:
        """Huber losses with threshold 1/2: between -1/2 and 1/2 every loss is linear; L_0 = 1/2.

        >>> AdaptiveSteep(records=100).problem().gradient_bound
        Fraction(1, 2)
        """
        return ERMProblem(Huber(Fraction(1, 2)), n=natural("records", self.records), dimension=1)

    def pair(self, problem: Any, adjacency: type[Adjacency]) -> NeighbourPair:
        """All labels +1; in the neighbour the first is -1.

        >>> AdaptiveSteep(records=3).pair(None, ReplaceOne).second.labels.tolist()
        [-1.0, 1.0, 1.0]
        """
        if adjacency is not ReplaceOne:
            raise InvalidArgumentError("adjacency", adjacency.name, "must be replace-one on the steep instance")
        row = np.ones(1)
        first = Dataset(np.ones((self.records, 1)), np.ones(self.records), "records of the same slope")
        return NeighbourPair(first, replace_record(first, 0, row, -1.0), row)

    def params(self, given: Mapping[str, Any]) -> Mapping[str, Any]:
        """Steps so short that no iterate leaves the linear part."""
        return {"smoothness": LINEAR_SMOOTHNESS}

    def check(self, run: Run) -> None:
        """One dimension for an output, and data of the problem."""
        super().check(run)
        Instance.check(self, run)

    def witnesses(self, run: Run, delta: Fraction) -> tuple[Witness, ...]:
        """What the norm that is released before the test shows; of the transcript alone."""
        return steep_norms(run) if run.release == "transcript" else ()
