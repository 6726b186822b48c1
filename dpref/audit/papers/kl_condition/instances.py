r"""What the claims of the paper are run on.

Noisy gradient descent: ``real``, the breast-cancer data.  With adaptive noise also ``linear``, one linear loss among
null records.

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
from dataclasses import dataclass, replace
from fractions import Fraction
from types import MappingProxyType
from typing import Annotated, Any, ClassVar, Final, NamedTuple

import numpy as np

from dpref.algorithms.forms import Form
from dpref.algorithms.spider import Plan
from dpref.audit.linear_losses import linear_losses
from dpref.audit.papers.kl_condition.witnesses import literal_norm, step_against_the_gradient
from dpref.audit.parameters import MOST_PUBLIC
from dpref.audit.real_data import Descent, Real
from dpref.audit.run import Instance, Run, Sampled
from dpref.audit.subjects import Neighbour, Witness
from dpref.checks import AtMost, natural
from dpref.errors import InvalidArgumentError
from dpref.problems.datasets import Dataset
from dpref.problems.erm import ERMProblem
from dpref.problems.losses import Huber
from dpref.problems.neighbours import NeighbourPair, replace_record, worst_case_pair
from dpref.reals import FloatArray, decimal_up, exact
from dpref.units import Adjacency, ReplaceOne

LINEAR_SMOOTHNESS: Final = Fraction(10**6)
CUT: Final = 2.0
_FIRST_DRAWS: Final = 1024


def linear_pair(adjacency: type[Adjacency]) -> NeighbourPair:
    """One record whose gradient is turned round or nulled; the n - 1 null records add nothing and are not stored.

    >>> pair = linear_pair(ReplaceOne)
    >>> pair.first.n, float(abs(pair.direction[0]))
    (1, 1.0)
    """
    return worst_case_pair(Dataset(np.zeros((1, 1)), np.ones(1), "one record among null records"), adjacency)


# ------------------------------------------------------------------------------------ adaptive noisy gradient descent


@dataclass(frozen=True, kw_only=True)
class Adaptive(Instance):
    """What both instances of adaptive noisy gradient descent share."""

    def check(self, run: Run) -> None:
        """The iterates are scored in one dimension."""
        if run.release == "output" and run.problem.dimension != 1:
            raise InvalidArgumentError("release", run.release, "the iterates are audited in one dimension only")

    def witnesses(self, run: Run, delta: Fraction) -> tuple[Witness, ...]:
        """What the literal reading of the norm shows."""
        return literal_norm(run)

    def sample(self, run: Run, data: Any, rng: np.random.Generator) -> Sampled:
        """A run on a stream of draws that grows until it is long enough (what has been read of it stays the same)."""
        stream = rng.standard_normal(_FIRST_DRAWS)
        while True:
            noise = rows_of_rounds(stream, run.problem.dimension, vector=run.plan.reading == "vector")
            try:
                return Sampled(run.trace(data, noise), noise)
            except ValueError:
                if len(noise) >= run.plan.steps:  # it was not too short
                    raise
                stream = np.concatenate([stream, rng.standard_normal(stream.size)])

    def scores(self, run: Run, neighbour: Neighbour, trials: int, rng: np.random.Generator) -> FloatArray:
        """Of a transcript the log-likelihood ratio.

        Of the iterates the short steps, counted with the sign of their distance from the middle of both gradients.
        """
        if run.release == "transcript":
            return super().scores(run, neighbour, trials, rng)
        one = replace(run, plan=replace(run.plan, rounds=1))
        norm_and_gradient = np.array([[1.0], [0.0]])  # a norm that stops no run
        ends = [one.trace(data, np.zeros((2, 1)), answers=norm_and_gradient).queries[1, 0] for data in run.sides(0)]
        middle, towards = sum(ends) / 2, np.sign(ends[1] - ends[0])

        def short_steps(seen: Sampled) -> float:
            x = (seen.trace.answers[1::2, 0] - middle) / run.plan.floor_std * towards
            return float(np.sum(np.sign(x) * (np.abs(x) <= CUT)))

        return np.array([short_steps(seen) for seen in run.runs(neighbour, trials, rng)])

    def facts(self, run: Run) -> Mapping[str, str]:
        """Data, loss, reading, noise and the pair."""
        plan = run.plan
        return {
            **super().facts(run),
            "reading of the norm": plan.reading,
            "rounds at most": str(plan.rounds),
            "noise of a norm": decimal_up(plan.norm_std, 6),
            "least noise of a gradient": decimal_up(plan.floor_std, 6),
            "pair": "one record's gradient is turned round or nulled",
        }


@dataclass(frozen=True, kw_only=True)
class AdaptiveReal(Adaptive, Real):
    """Real data for adaptive noisy gradient descent."""

    def check(self, run: Run) -> None:
        """One dimension for an output, and data of the problem."""
        super().check(run)
        Instance.check(self, run)


@dataclass(frozen=True, kw_only=True)
class AdaptiveLinear(Adaptive):
    """One linear loss among null records, on the line.

    Attributes:
        records: n.
    """

    name: ClassVar[str] = "linear"
    fixed: ClassVar[frozenset[str]] = frozenset({"smoothness"})
    records: Annotated[int, AtMost(MOST_PUBLIC)]

    def problem(self) -> ERMProblem:
        """Huber losses with threshold 1/2: between -1/2 and 1/2 every loss is linear; L_0 = 1/2.

        >>> AdaptiveLinear(records=100).problem().gradient_bound
        Fraction(1, 2)
        """
        return ERMProblem(Huber(Fraction(1, 2)), n=self.records, dimension=1)

    def pair(self, problem: Any, adjacency: type[Adjacency]) -> NeighbourPair:
        """One record and its neighbour."""
        return linear_pair(adjacency)

    def params(self, given: Mapping[str, Any]) -> Mapping[str, Any]:
        """Steps so short that no iterate leaves the linear part."""
        return {"smoothness": LINEAR_SMOOTHNESS}


def rows_of_rounds(stream: FloatArray, dimension: int, *, vector: bool) -> FloatArray:
    """A stream of draws as a kernel's rows: of each round the norm's, first in its row, and the gradient's.

    Args:
        stream: Draws end to end, shape (L,); what fills no row is left over.
        dimension: d.
        vector: Whether a norm takes d draws, and not one.

    >>> rows_of_rounds(np.arange(1.0, 6.0), 2, vector=False).tolist()
    [[1.0, 0.0], [2.0, 3.0], [4.0, 0.0]]
    """
    width = dimension if vector else 1
    rounds, left = divmod(stream.size, width + dimension)
    rows = np.zeros((2 * rounds + 2, dimension))
    whole = stream[: rounds * (width + dimension)].reshape(rounds, width + dimension)
    rows[: 2 * rounds : 2, :width], rows[1 : 2 * rounds : 2] = whole[:, :width], whole[:, width:]
    if left < width:
        return rows[: 2 * rounds]
    rows[2 * rounds, :width] = stream[rounds * (width + dimension) :][:width]
    return rows[: 2 * rounds + 1]


# ------------------------------------------------------------------------------------ KL Spider


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
    >>> reach(replace(examples.spider(updates=2).plan, form=Form.AS_PRINTED))  # one of a half is kept, one is not
    Fraction(1, 1)
    """
    printed = plan.form is Form.AS_PRINTED
    kept = sum(((r.updates - printed) * exact(r.length) for r in plan.rounds), Fraction(0))
    return kept + max((exact(r.length) for r in plan.rounds), default=Fraction(0))


INSTANCES: Final[Mapping[str, tuple[type[Instance], ...]]] = MappingProxyType(
    {
        "adaptive-gradient-descent": (AdaptiveReal, AdaptiveLinear),
        "spider": (SpiderLinear, Squares),
        "noisy-gradient-descent": (Descent,),
    }
)
