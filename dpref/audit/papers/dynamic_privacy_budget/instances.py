"""What the claims of the paper are run on: real data, with one of its schedules."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from types import MappingProxyType
from typing import Any, Final, Literal

import numpy as np

from dpref.algorithms.dynamic_gradient_descent.schedules import Dynamic, Influence, Momentum, Schedule, Uniform
from dpref.algorithms.forms import Form
from dpref.audit.linear_losses import linear_losses
from dpref.audit.papers.dynamic_privacy_budget.witnesses import always_drawn, chosen_without_noise, momentum_output
from dpref.audit.real_data import Descent
from dpref.audit.run import Instance, Run, Sampled
from dpref.audit.subjects import Neighbour, Witness
from dpref.curator import draw_batch
from dpref.errors import InvalidArgumentError
from dpref.reals import FloatArray


@dataclass(frozen=True, kw_only=True)
class Scheduled(Descent):
    """Real data, and who gets how much of the budget.

    Attributes:
        schedule: Which schedule.
        gamma: Of the dynamic one and of the one for momentum.
        influences: Of the steps, for the schedule of that name.
    """

    schedule: Literal["uniform", "dynamic", "influence", "momentum"] = "uniform"
    gamma: Fraction | None = None
    influences: tuple[Fraction, ...] | None = None

    def params(self, given: Mapping[str, Any]) -> Mapping[str, Any]:
        """The schedule."""
        return {"schedule": self._schedule(given.get("momentum"), given["form"])}

    def _schedule(self, momentum: Fraction | None, form: Form) -> Schedule:
        name = self.schedule
        for parameter, owners in (("gamma", {"dynamic", "momentum"}), ("influences", {"influence"})):
            if getattr(self, parameter) is not None and name not in owners:
                raise InvalidArgumentError(f"parameters.{parameter}", name, f"does not belong to the schedule {name}")
        if name == "uniform":
            return Uniform()
        if name == "influence":
            return Influence(_there("influences", self.influences))
        gamma = _there("gamma", self.gamma)
        return Dynamic(gamma) if name == "dynamic" else Momentum(_there("momentum", momentum), gamma, form)

    def witnesses(self, run: Run, delta: Fraction) -> tuple[Witness, ...]:
        """Linear losses, whose output momentum weighs."""
        return super().witnesses(run, delta) or momentum_output(run)


@dataclass(frozen=True, kw_only=True)
class Batches(Scheduled):
    """The same on random batches of it."""

    def sample(self, run: Run, data: Any, rng: np.random.Generator) -> Sampled:
        """Noise, and then the draws of the batches, one step after another."""
        plan = run.plan
        noise = rng.standard_normal((plan.steps, run.problem.dimension))
        if plan.poisson:
            draws = rng.integers(plan.records, size=plan.steps * plan.records)
        else:
            draws = np.concatenate([draw_batch(rng, plan.records, plan.batch) for _ in range(plan.steps)])
        return Sampled(run.trace(data, noise, draws), noise, draws)

    def witnesses(self, run: Run, delta: Fraction) -> tuple[Witness, ...]:
        """Linear losses whose record is in every batch."""
        return always_drawn(run)

    def scores(self, run: Run, neighbour: Neighbour, trials: int, rng: np.random.Generator) -> FloatArray:
        """Of a transcript how far its answers lie along the pair's direction: whose they are, it does not show."""
        if run.release == "output":
            return super().scores(run, neighbour, trials, rng)
        data = run.sides(neighbour)[0]
        seen = (self.sample(run, data, rng).trace.answers for _ in range(trials))
        return np.array([float((answers @ run.pair.direction).sum()) for answers in seen])

    def facts(self, run: Run) -> Mapping[str, str]:
        """The same, and how batches are drawn."""
        plan = run.plan
        how = "a Poisson batch" if plan.poisson else "a batch without replacement"
        return {**super().facts(run), "batches": f"{how} of {plan.batch} of {plan.records} records in every step"}


@dataclass(frozen=True, kw_only=True)
class Boosted(Scheduled):
    """Several runs on it, of which the best is returned."""

    def sample(self, run: Run, data: Any, rng: np.random.Generator) -> Sampled:
        """Noise, of which a comparison takes one number."""
        noise = rng.standard_normal((run.plan.steps, run.problem.dimension))
        noise[run.plan.repetitions * run.plan.base.steps :, 1:] = 0.0
        return Sampled(run.trace(data, noise), noise)

    def witnesses(self, run: Run, delta: Fraction) -> tuple[Witness, ...]:
        """Linear losses: what the gradients show of a transcript, and what a choice without noise shows."""
        return linear_losses(run.moves, run.adjacency, run.release) + chosen_without_noise(run)


def _there(name: str, value: Any) -> Any:
    if value is None:
        raise InvalidArgumentError(f"parameters.{name}", None, "is missing")
    return value


INSTANCES: Final[Mapping[str, tuple[type[Instance], ...]]] = MappingProxyType(
    {"dynamic-gradient-descent": (Scheduled,), "dynamic-sgd": (Batches,), "dynamic-boosting": (Boosted,)}
)
