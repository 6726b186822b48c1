"""What the claims about the baselines are run on: the stream of linear losses, read in parts or in random batches."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from types import MappingProxyType
from typing import ClassVar, Final

from dpref.audit.linear_losses import linear_losses
from dpref.audit.papers.private_online_frank_wolfe.instances import Stream
from dpref.audit.run import Instance, Run
from dpref.audit.subjects import Witness
from dpref.errors import InvalidArgumentError
from dpref.reals import decimal_up


@dataclass(frozen=True, kw_only=True)
class Parts(Stream):
    """The stream for NoisySFW: the first record is in the first answer alone."""

    fixed: ClassVar[frozenset[str]] = frozenset({"step_scale"})

    def check(self, run: Run) -> None:
        """Data of the problem; the answers are judged."""
        super().check(run)
        if run.release != "transcript":
            raise InvalidArgumentError("release", run.release, "the answers are audited: say transcript")

    def rows(self) -> list[int]:
        """The first."""
        return [0]

    def witnesses(self, run: Run, delta: Fraction) -> tuple[Witness, ...]:
        """The first answer, where its noise is plain Gaussian."""
        return linear_losses(run.moves, run.adjacency, run.release, "the stream of the runs: its first answer")

    def facts(self, run: Run) -> Mapping[str, str]:
        """Set, stream, noise and the pair."""
        plan, problem = run.plan, run.problem
        return {
            "stream": f"{run.pair.first.name}, {problem.n} x {problem.dimension}, L = {problem.lipschitz}",
            "set": f"{problem.domain.name}, p = {problem.domain.index}, diameter {problem.domain.diameter()}",
            "noise of the first answer": f"level {decimal_up(plan.std, 6)}, index {decimal_up(plan.index, 5)}",
            "sensitivity": f"{decimal_up(plan.sensitivity.value, 6)} in {plan.sensitivity.norm.name}",
            "calibration": f"{plan.calibration} ({plan.form.value})",
            "hypotheses": f"linear losses: beta = 0, L = {problem.lipschitz}; delta = {plan.claimed.delta}",
        }


INSTANCES: Final[Mapping[str, tuple[type[Instance], ...]]] = MappingProxyType({"noisy-frank-wolfe": (Parts,)})
