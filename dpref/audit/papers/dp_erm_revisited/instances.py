"""What the claims of the paper are run on: real data, and a drift that one record turns round.

``real``: the breast-cancer data with one worst-case record.  ``drift``, of DP-SVRG and DP-SVRG++: Huber losses in the
plane, n of them pulling the iterate away at constant speed, one of which is replaced by a loss whose derivative turns
round on the way (the two-dimensional form of the witness).
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from types import MappingProxyType
from typing import Annotated, Any, ClassVar, Final

import numpy as np

from dpref.algorithms.svrg import Plan
from dpref.audit.papers.dp_erm_revisited.accelerated import Line, OnABall
from dpref.audit.papers.dp_erm_revisited.witnesses import noise_multiplier, variance_reduced
from dpref.audit.parameters import MOST_STEPS, MOST_STORED, fits
from dpref.audit.real_data import Descent, Real
from dpref.audit.run import Instance, Run, Sampled
from dpref.audit.subjects import Neighbour, Witness
from dpref.checks import AtMost, natural
from dpref.curator import draw_batch
from dpref.errors import InvalidArgumentError
from dpref.geometry.prox import Regulariser
from dpref.problems.datasets import Dataset, scale_rows
from dpref.problems.erm import ERMProblem
from dpref.problems.losses import Huber
from dpref.problems.neighbours import NeighbourPair, replace_record
from dpref.reals import FloatArray, ball, decimal_up, precision
from dpref.units import Adjacency, ReplaceOne

DRIFT_STEP: Final = Fraction(8)
_COSINE, _SINE = 0.8, 0.6
_FACTS_PRECISION: Final = 256


@dataclass(frozen=True, kw_only=True)
class LastIterate(Descent):
    """Real data for DP-GD, whose last iterate is what may be audited as an output."""

    def check(self, run: Run) -> None:
        """A random iterate is not audited as an output."""
        super().check(run)
        if run.release == "output" and run.plan.output != "last":
            raise InvalidArgumentError("release", run.release, 'only a "last" output is audited; use "transcript"')


@dataclass(frozen=True, kw_only=True)
class VarianceReduced(Instance):
    """What both instances of DP-SVRG and DP-SVRG++ share.

    Attributes:
        l2: lambda of the regulariser (lambda/2)|x|^2.
    """

    l2: Fraction = Fraction(0)

    def params(self, given: Mapping[str, Any]) -> Mapping[str, Any]:
        """The regulariser; the steps must be few enough to be run."""
        epochs, inner = given["epochs"], given["inner"]
        steps = epochs * inner if given["algorithm"] == "svrg" else inner * 2 ** min(epochs + 1, 99)
        fits("steps", {"epochs": epochs, "inner": inner}, steps, MOST_STEPS)
        return {"regulariser": Regulariser(l2=self.l2)}

    def sample(self, run: Run, data: Any, rng: np.random.Generator) -> Sampled:
        """Noise, and then the batches, one after another."""
        plan = run.plan
        noise = rng.standard_normal((plan.steps, run.problem.dimension))
        if plan.batch == 1:
            batches = rng.integers(plan.records, size=plan.inner_steps)
        else:
            batches = np.concatenate([draw_batch(rng, plan.records, plan.batch) for _ in range(plan.inner_steps)])
        return Sampled(run.trace(data, noise, batches), noise, batches)

    def witnesses(self, run: Run, delta: Fraction) -> tuple[Witness, ...]:
        """Linear losses, and one that turns round."""
        return variance_reduced(run, delta)

    def scores(self, run: Run, neighbour: Neighbour, trials: int, rng: np.random.Generator) -> FloatArray:
        """Of a transcript the statistic of the instance: which records were sampled, it does not show."""
        if run.release == "output":
            return super().scores(run, neighbour, trials, rng)
        return np.array([self.statistic(run, seen.trace.answers) for seen in run.runs(neighbour, trials, rng)])

    def statistic(self, run: Run, answers: FloatArray) -> float:
        """How far all answers, shape (K, d), lie along the direction in which the pair differs."""
        return float((answers @ run.pair.direction).sum())

    def facts(self, run: Run) -> Mapping[str, str]:
        """Data, loss, steps, noise, and where the plan stands to the theorems' conditions."""
        plan = run.plan
        broken = [h.name for h in plan.hypotheses if not h.holds]
        return {
            **super().facts(run),
            "epochs": ", ".join(map(str, plan.lengths)) + f" inner steps with batches of {plan.batch}",
            "noise per coordinate": decimal_up(plan.std, 6),
            "noise over G": decimal_up(noise_multiplier(plan), 6),
            **({} if plan.epoch_std is None else {"noise of an epoch's gradient": decimal_up(plan.epoch_std, 6)}),
            "calibration": f"{plan.calibration} ({plan.form.value})",
            "utility hypotheses that fail": ", ".join(broken) or "none",
            "hypotheses": _hypotheses(plan),
            "pair": "one record is replaced: one record is a unit vector",
        } | ({"worth running": plan.warning} if plan.warning else {})


@dataclass(frozen=True, kw_only=True)
class SampledReal(VarianceReduced, Real):
    """Real data for DP-SVRG and DP-SVRG++."""


@dataclass(frozen=True, kw_only=True)
class Drift(VarianceReduced):
    """All records alike; in the neighbour one of them turns round as the iterate moves.

    Attributes:
        records: n.
    """

    name: ClassVar[str] = "drift"
    fixed: ClassVar[frozenset[str]] = frozenset({"step_size"})
    records: Annotated[int, AtMost(MOST_STORED)]

    def problem(self) -> ERMProblem:
        """Huber losses with threshold one in the plane: G = L = 1.

        >>> Drift(records=10).problem().gradient_bound, Drift(records=10).problem().smoothness
        (Fraction(1, 1), Fraction(1, 1))
        """
        return ERMProblem(Huber(Fraction(1)), n=natural("records", self.records, least=2), dimension=2)

    def pair(self, problem: Any, adjacency: type[Adjacency]) -> NeighbourPair:
        """The pair, and the turning record's direction.

        >>> pair = Drift(records=3).pair(None, ReplaceOne)
        >>> int((pair.first.features != pair.second.features).any(axis=1).sum())  # records that differ
        1
        """
        if adjacency is not ReplaceOne:
            raise InvalidArgumentError("adjacency", adjacency.name, "must be replace-one on the drift instance")
        rows = scale_rows(np.tile([1.0, 0.0], (self.records, 1)))
        first = Dataset(rows, np.ones(self.records), "constant drift in the plane")
        turning = np.array([_COSINE, _SINE])
        return NeighbourPair(first, replace_record(first, 0, scale_rows(turning[None, :])[0], 1.0), turning)

    def params(self, given: Mapping[str, Any]) -> Mapping[str, Any]:
        """A step that takes the iterate across the turn at once."""
        return {**super().params(given), "step_size": DRIFT_STEP}

    def planned(self, plan: Any) -> Any:
        """The plan, begun far out.

        Raises:
            InvalidArgumentError: If noise is in two parts: the pair is made for answers that have the whole noise.
        """
        if plan.epoch_std is not None:
            raise InvalidArgumentError("noise", "two-part", 'the drift is for noise "whole": use the instance "real"')
        shrink = 1 / (1 + plan.step_size * float(plan.regulariser.l2))
        return replace(plan, start=tuple(map(float, drift_start(plan.std, plan.steps, shrink))))

    def scores(self, run: Run, neighbour: Neighbour, trials: int, rng: np.random.Generator) -> FloatArray:
        """Of a transcript the first epoch's statistic: no more is run."""
        if run.release == "transcript":
            run = replace(run, plan=replace(run.plan, lengths=run.plan.lengths[:1]))
        return super().scores(run, neighbour, trials, rng)

    def statistic(self, run: Run, answers: FloatArray) -> float:
        """How likely some answer is the turning record's."""
        plan = run.plan
        shift = 2.0 / plan.batch
        along = (answers + np.array([1.0, 0.0])) @ run.pair.direction
        exponent = (shift * along - shift * shift / 2) / plan.std**2
        rate = plan.batch / plan.records
        return float(np.logaddexp(math.log1p(-rate), math.log(rate) + exponent).sum())

    def facts(self, run: Run) -> Mapping[str, str]:
        """The same with this pair."""
        pair = "one record is replaced: one record's derivative turns round as the iterate moves"
        return {**super().facts(run), "pair": pair}


def drift_start(std: float, steps: int, shrink: float = 1.0) -> FloatArray:
    """So far out that every loss but the turning one stays linear for the whole run, shape (2,).

    Args:
        std: Noise of an answer.
        steps: All of the run's.
        shrink: What the regulariser multiplies every point by.

    >>> drift_start(0.0, 8).tolist()
    [-160.0, 213.33333333333334]
    """
    reach = 2 * float(DRIFT_STEP) * (steps + 8 * std * math.sqrt(steps) + 2) / shrink**steps
    return np.array([-reach, reach * _COSINE / _SINE])


def _hypotheses(plan: Plan[Any]) -> str:
    """Strong convexity, which DP-SVRG asks for, and how large the range's c_1 would have to be."""
    steps = plan.inner_steps
    counted = (steps + plan.lengths[0]) // 2 if plan.carry else steps  # 2^T m or T m
    epsilon, delta = plan.claimed.value, plan.claimed.delta
    with precision(_FACTS_PRECISION):
        small = "yes" if ball(epsilon) <= -2 * ball(delta).log() else "no"
    least = epsilon * (Fraction(plan.records, plan.batch) ** 2) / counted
    convex = f"r = (lambda/2)|x|^2 with lambda = {plan.regulariser.l2}: F + r is strongly convex; "
    inside = f"epsilon is in the printed range if c_1 >= {decimal_up(least, 4)}"
    return f"{convex if plan.regulariser.l2 else ''}{inside}; epsilon <= 2 ln(1/delta), not printed: {small}"


INSTANCES: Final[Mapping[str, tuple[type[Instance], ...]]] = MappingProxyType(
    {
        "gradient-descent": (LastIterate,),
        "accelerated-mirror-descent": (OnABall, Line),
        "svrg": (SampledReal, Drift),
        "svrg-plus-plus": (SampledReal, Drift),
    }
)
