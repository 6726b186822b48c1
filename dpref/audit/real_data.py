"""The real data that claims are run on unless they say otherwise."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Any, ClassVar, Literal

from dpref.audit.run import Instance, Run
from dpref.checks import natural
from dpref.errors import InvalidArgumentError
from dpref.problems.datasets import Dataset, breast_cancer
from dpref.problems.erm import ERMProblem
from dpref.problems.losses import Huber, Logistic
from dpref.problems.neighbours import NeighbourPair
from dpref.reals import decimal_up
from dpref.units import Adjacency, ReplaceOne


@lru_cache(maxsize=1)
def audit_data() -> Dataset:
    """The breast-cancer data.

    >>> audit_data().n
    569
    """
    return breast_cancer()


@dataclass(frozen=True, kw_only=True)
class Real(Instance):
    """The breast-cancer data, whose first record is overwritten by the worst case.

    Attributes:
        loss: Of the linear predictor.
        threshold: Of the Huber loss.
        clip: At which gradients are clipped.
    """

    name: ClassVar[str] = "real"
    loss: Literal["logistic", "huber"] = "logistic"
    threshold: Fraction | None = None
    clip: Fraction | None = None

    def problem(self) -> ERMProblem:
        """A linear predictor of the labels."""
        if self.loss != "huber" and self.threshold is not None:
            raise InvalidArgumentError("parameters.threshold", self.threshold, "belongs to the Huber loss")
        if self.loss == "huber" and self.threshold is None:
            raise InvalidArgumentError("parameters.threshold", None, "is missing")
        loss = Logistic() if self.threshold is None else Huber(self.threshold)
        return ERMProblem(loss, n=audit_data().n, dimension=audit_data().dimension, clip=self.clip)

    def pair(self, problem: Any, adjacency: type[Adjacency]) -> NeighbourPair:
        """A record along the least-variance direction; its label is flipped, or it is nulled or left out."""
        found: NeighbourPair = problem.worst_case_pair(audit_data(), adjacency)
        return found


@dataclass(frozen=True, kw_only=True)
class Descent(Real):
    """Real data for an algorithm that takes a fixed number of steps along noisy gradients."""

    def check(self, run: Run) -> None:
        """At least one step, and data of the problem."""
        natural("steps that the budget admits", run.plan.steps)
        super().check(run)

    def facts(self, run: Run) -> Mapping[str, str]:
        """Data, loss, steps, noise and the pair."""
        stds, how = run.plan.stds, "its label is flipped" if run.adjacency is ReplaceOne else "it is left out"
        return {
            **super().facts(run),
            "steps": str(run.plan.steps),
            "noise per coordinate": decimal_up(max(stds), 6)
            + ("" if len(set(stds)) == 1 else f" down to {decimal_up(min(stds), 6)}"),
            "sensitivity": str(run.plan.sensitivity.value),
            "pair": f"one record is a unit vector along the least-variance direction; in the neighbour {how}",
        }
