"""What the claims about the baselines are run on: the stream of linear losses, read in parts or in random batches."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from types import MappingProxyType
from typing import Any, ClassVar, Final

import numpy as np

from dpref.audit.linear_losses import linear_losses
from dpref.audit.papers.private_online_frank_wolfe.instances import Stream
from dpref.audit.run import Instance, Run, Sampled
from dpref.audit.subjects import Neighbour, Witness
from dpref.curator import Indices, draw_batch
from dpref.errors import InvalidArgumentError
from dpref.reals import FloatArray, decimal_up


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
            "noise of the first answer": f"level {decimal_up(plan.stds[0], 6)}",
            "sensitivity": f"{decimal_up(plan.sensitivity.value, 6)} in {plan.sensitivity.norm.name}",
            "answers": f"{plan.steps} ({plan.form.value})",
            "hypotheses": f"linear losses: beta = 0, L = {problem.lipschitz}; delta = {plan.claimed.delta}",
        }


@dataclass(frozen=True, kw_only=True)
class Draws(Parts):
    """The stream for algorithms that draw records: answers are scored by how far along the record they lie."""

    fixed: ClassVar[frozenset[str]] = frozenset()

    def witnesses(self, run: Run, delta: Fraction) -> tuple[Witness, ...]:
        """None: whether the record was drawn is secret."""
        return ()

    def sample(self, run: Run, data: Any, rng: np.random.Generator) -> Sampled:
        """Noise, and the indices of every step."""
        noise = rng.standard_normal((run.plan.steps, self.dimension))
        drawn = self.draws(run, rng)
        return Sampled(run.trace(data, noise, drawn), noise, drawn)

    def draws(self, run: Run, rng: np.random.Generator) -> Indices:
        """One record a step."""
        return np.asarray(rng.integers(self.records, size=run.plan.steps), dtype=np.int64)

    def scores(self, run: Run, neighbour: Neighbour, trials: int, rng: np.random.Generator) -> FloatArray:
        """How far the answers lie along the record."""
        data = run.sides(neighbour)[0]
        seen = (self.sample(run, data, rng).trace.answers for _ in range(trials))
        return np.array([float((answers @ run.pair.direction).sum()) for answers in seen])


@dataclass(frozen=True, kw_only=True)
class Blocks(Draws):
    """The same for LocalMD: a batch of its block in every step."""

    def draws(self, run: Run, rng: np.random.Generator) -> Indices:
        """Batches without replacement."""
        each = [(block.records, block.batch) for block in run.plan.blocks for _ in range(block.steps)]
        return np.concatenate([draw_batch(rng, *sizes) for sizes in each])


INSTANCES: Final[Mapping[str, tuple[type[Instance], ...]]] = MappingProxyType(
    {"noisy-frank-wolfe": (Parts,), "noisy-sgd": (Draws,), "local-mirror-descent": (Blocks,)}
)
