"""What the claims of the paper are run on: real data, with one of its schedules."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from types import MappingProxyType
from typing import Any, Final, Literal

from dpref.algorithms.dynamic_gradient_descent.schedules import Dynamic, Influence, Momentum, Schedule, Uniform
from dpref.algorithms.forms import Form
from dpref.audit.papers.dynamic_privacy_budget.witnesses import momentum_output
from dpref.audit.real_data import Descent
from dpref.audit.run import Instance, Run
from dpref.audit.subjects import Witness
from dpref.errors import InvalidArgumentError


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


def _there(name: str, value: Any) -> Any:
    if value is None:
        raise InvalidArgumentError(f"parameters.{name}", None, "is missing")
    return value


INSTANCES: Final[Mapping[str, tuple[type[Instance], ...]]] = MappingProxyType(
    {"dynamic-gradient-descent": (Scheduled,)}
)
