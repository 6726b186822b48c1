r"""What the claims of the paper are run on.

Noisy gradient descent: ``real``, the breast-cancer data.  With adaptive noise also ``linear``, one linear loss among
null records (`dpref.audit.papers.kl_condition.adaptive`), and ``steep``, records of the same slope
(`dpref.audit.papers.kl_condition.readings`).

KL Spider, on instances that meet every assumption of the paper:

* ``squares``: records with $f(w;y)=\frac12(w-y)^2$, half of them with $y=1$ and half with $y=-1$, of which one is
  flipped (a Huber threshold $L_0>1$ that no iterate reaches makes them Lipschitz).  The mean is a parabola of curvature
  one, so $(\gamma,2)$-KL with $\gamma^2\ge\frac12$; its gradient moves by exactly $\frac2n$ wherever the run is, and a
  gradient difference not at all.
* ``linear``: one Huber loss that is linear wherever the run can be, among null records, which are not stored.  The
  first answer of each round moves by the whole sensitivity.

What the instances need (a start whose excess risk is at most $F_0$, iterates that stay where the losses are what is
said) is decided exactly from the plan's numbers; an instance that breaks it is refused.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from types import MappingProxyType
from typing import Annotated, Any, ClassVar, Final, NamedTuple

import numpy as np

from dpref.algorithms.forms import Form
from dpref.algorithms.spider import Plan
from dpref.audit.linear_losses import linear_losses
from dpref.audit.papers.kl_condition.adaptive import AdaptiveLinear, AdaptiveReal, linear_pair
from dpref.audit.papers.kl_condition.readings import AdaptiveSteep
from dpref.audit.papers.kl_condition.selection_instances import Selected
from dpref.audit.papers.kl_condition.witnesses import step_against_the_gradient
from dpref.audit.parameters import MOST_PUBLIC
from dpref.audit.real_data import Descent
from dpref.audit.run import Instance, Run
from dpref.audit.subjects import Witness
from dpref.checks import AtMost, natural
from dpref.errors import InvalidArgumentError
from dpref.problems.datasets import Dataset
from dpref.problems.erm import ERMProblem
from dpref.problems.losses import Huber
from dpref.problems.neighbours import NeighbourPair, replace_record
from dpref.reals import decimal_up, exact
from dpref.units import Adjacency, ReplaceOne


class Begin(NamedTuple):
    """Where a run begins, exact.

    Attributes:
        start: w_0.
        room: How far from it the losses are what the instance says.
        excess_risk: Of it, on either data set of the pair, at most.
    """

    start: Fraction
    room: Fraction
    excess_risk: Fraction


@dataclass(frozen=True, kw_only=True)
class OnTheLine(Instance):
    """What both instances of KL Spider share: Huber losses on the line.

    Attributes:
        threshold: L_0.
        gap: F_0, exact.
    """

    shape: ClassVar[str]
    attained: ClassVar[str]
    records: Annotated[int, AtMost(MOST_PUBLIC)]
    threshold: Fraction
    gap: Fraction

    @property
    @abstractmethod
    def begin(self) -> Begin:
        """Where the run begins."""

    def problem(self) -> ERMProblem:
        """On the line."""
        return ERMProblem(Huber(self.threshold), n=self.records, dimension=1)

    def params(self, given: Mapping[str, Any]) -> Mapping[str, Any]:
        """The start."""
        return {"start": np.array([float(self.begin.start)])}

    def check(self, run: Run) -> None:
        """Every assumption of the paper."""
        _, room, excess_risk = self.begin
        if excess_risk > self.gap:
            rule = f"must be at least the start's excess risk, {excess_risk}: the paper assumes so throughout"
            raise InvalidArgumentError("parameters.gap", self.gap, rule)
        if room < reach(run.plan):
            rule = f"the iterates can be {float(reach(run.plan)):.4g} from the start, the losses are as said within"
            raise InvalidArgumentError("parameters.threshold", self.threshold, f"{rule} {room}")

    def facts(self, run: Run) -> Mapping[str, str]:
        """Data, loss, rounds, noise, the pair, and what was checked of the theorem's hypotheses."""
        problem, plan = run.problem, run.plan
        moved = "turned round" if run.adjacency is ReplaceOne else "nulled"
        return {
            "data": f"{run.pair.first.name}, {problem.n} x {problem.dimension}",
            "loss": f"{problem.loss.name}, threshold {problem.loss.parameter}",
            "rounds": f"{len(plan.rounds)}, at most {plan.steps} answers",
            "noise that begins a round": decimal_up(plan.outer_std, 6),
            "pair": f"one record is {moved}",
            "hypotheses": f"excess risk of the start {decimal_up(self.begin.excess_risk, 4)} <= F_0 ="
            f" {decimal_up(self.gap, 4)}; iterates stay within {decimal_up(reach(plan), 4)} of the start, where f is"
            f" {problem.gradient_bound}-Lipschitz and {problem.smoothness}-smooth and F is {self.shape}",
        } | ({"worth running": plan.warning} if plan.warning else {})


@dataclass(frozen=True, kw_only=True)
class SpiderLinear(OnTheLine):
    """One loss that is linear wherever the run can be, among null records."""

    name: ClassVar[str] = "linear"
    shape: ClassVar[str] = "one linear loss among null records (the KL condition, which privacy does not need, fails)"
    attained: ClassVar[str] = (
        "the data of the runs: the mean gradient moves by the whole sensitivity everywhere, exactly"
    )

    @property
    def begin(self) -> Begin:
        r"""The origin, of excess risk $\frac hn(1-\frac h2)$; the loss is cut off at 1 - h."""
        h = self.threshold
        return Begin(Fraction(0), 1 - h, h * (1 - h / 2) / self.records)

    def pair(self, problem: Any, adjacency: type[Adjacency]) -> NeighbourPair:
        """One record and its neighbour."""
        return linear_pair(adjacency)

    def check(self, run: Run) -> None:
        """Null records are not stored, so that the data are not read."""
        if run.release == "output":
            raise InvalidArgumentError("release", run.release, "the output is audited on the squares instance only")
        super().check(run)

    def witnesses(self, run: Run, delta: Fraction) -> tuple[Witness, ...]:
        """The first answer of each round."""
        return linear_losses(run.moves, run.adjacency, run.release, self.attained)


@dataclass(frozen=True, kw_only=True)
class Squares(OnTheLine):
    """Parabolas around +1 and -1.

    Attributes:
        start: w_0; the nearest double is taken.
    """

    name: ClassVar[str] = "squares"
    shape: ClassVar[str] = "a parabola of curvature 1, hence (gamma, 2)-KL"
    attained: ClassVar[str] = "the data of the runs: the mean gradient moves by 2/n at every iterate, exactly"
    records: int
    start: Fraction

    @property
    def begin(self) -> Begin:
        r"""The start, of excess risk $\frac12(w_0+\frac2n)^2$ for $w_0\ge0$; beyond L_0 - 1 a loss is cut off.

        >>> half = Fraction(1, 2)
        >>> Squares(records=4, start=half, threshold=Fraction(3, 2), gap=half).begin.excess_risk
        Fraction(1, 2)
        """
        start = exact(float(self.start))
        return Begin(start, self.threshold - 1 - start, (start + Fraction(2, self.records)) ** 2 / 2)

    def params(self, given: Mapping[str, Any]) -> Mapping[str, Any]:
        """The start; the KL condition's numbers must be those of a parabola."""
        gamma, kappa = given["gamma"], given["kappa"]
        if kappa != 2 or gamma**2 < Fraction(1, 2):
            rule = "the squares instance is (gamma, 2)-KL for gamma^2 >= 1/2 only"
            raise InvalidArgumentError("parameters.kappa, parameters.gamma", (kappa, gamma), rule)
        return super().params(given)

    def pair(self, problem: Any, adjacency: type[Adjacency]) -> NeighbourPair:
        """Half of the labels +1 and half -1; in the neighbour the first is turned round.

        >>> half = Fraction(1, 2)
        >>> pair = Squares(records=4, start=half, threshold=half, gap=half).pair(None, ReplaceOne)
        >>> pair.first.labels.tolist(), pair.second.labels.tolist()
        ([1.0, -1.0, 1.0, -1.0], [-1.0, -1.0, 1.0, -1.0])
        """
        if adjacency is not ReplaceOne:
            raise InvalidArgumentError("adjacency", adjacency.name, "must be replace-one on the squares instance")
        if natural("records", self.records) % 2:
            raise InvalidArgumentError("records", self.records, "must be even: half of the labels are +1, half -1")
        row = np.ones(1)
        labels = np.resize([1.0, -1.0], self.records)
        first = Dataset(np.ones((self.records, 1)), labels, "parabolas around +1 and -1")
        return NeighbourPair(first, replace_record(first, 0, row, -1.0), row)

    def check(self, run: Run) -> None:
        """Every assumption of the paper, and data of the problem."""
        super().check(run)
        Instance.check(self, run)

    def witnesses(self, run: Run, delta: Fraction) -> tuple[Witness, ...]:
        """The first answers of the rounds, or a step against the gradient."""
        if run.release == "output":
            return step_against_the_gradient(run, self.begin.start)
        moves = [move._replace(shift=Fraction(2, self.records)) for move in run.moves]
        return linear_losses(moves, run.adjacency, run.release, self.attained)


def reach(plan: Plan[Any]) -> Fraction:
    """How far from the start an iterate can be: the updates that are kept, and one round's that are not; exact.

    >>> from dpref.algorithms import examples
    >>> from dataclasses import replace
    >>> reach(replace(examples.spider(updates=2).plan, form=Form.AS_PRINTED))  # one of a half is kept, one is not
    Fraction(1, 1)
    """
    printed = plan.form is Form.AS_PRINTED
    kept = sum(((r.updates - printed) * exact(r.length) for r in plan.rounds), Fraction(0))
    return kept + max((exact(r.length) for r in plan.rounds), default=Fraction(0))


INSTANCES: Final[Mapping[str, tuple[type[Instance], ...]]] = MappingProxyType(
    {
        "adaptive-gradient-descent": (AdaptiveReal, AdaptiveLinear, AdaptiveSteep),
        "spider": (SpiderLinear, Squares),
        "noisy-gradient-descent": (Descent,),
        "proximal-point": (Descent,),
        "stationary-point": (Selected,),
    }
)
