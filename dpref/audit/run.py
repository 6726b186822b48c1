r"""A registered algorithm on a pair of data sets: the subject of every claim about one.

* Upper side: the plan's ledger.
* Lower side: the witnesses of the instance, which come from the problem and from the noise that is run, never from the
  ledger: a ledger that forgets something is contradicted here, and an audit then raises its alarm.
* Empirical side: the compiled twin, scored by the log-likelihood ratio of what is released (`dpref.audit.scores`), or
  by whatever the paper's instance says.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar, NamedTuple, TypeVar, final

import numpy as np

from dpref.algorithms.declaration import AnyAlgorithm
from dpref.audit import scores
from dpref.audit.linear_losses import linear_losses
from dpref.audit.subjects import Neighbour, Release, Witness
from dpref.curator import Indices
from dpref.kernels.records import Trace
from dpref.privacy.events.ledger import Ledger
from dpref.problems.protocol import Pair
from dpref.reals import FloatArray
from dpref.units import Adjacency

N = TypeVar("N")


class Sampled(NamedTuple):
    """A run on fresh noise.

    Attributes:
        trace: What it left.
        noise: Its unit draws, as `dpref.kernels.records.Tape` has them, or more.
        indices: Its random indices, or None.
    """

    trace: Trace
    noise: FloatArray
    indices: Indices | None = None


@dataclass(frozen=True, kw_only=True)
class Instance(ABC):
    """What the claims of a paper are run on; its fields are parameters of a claim.

    Attributes:
        name: By which a claim's ``instance`` asks for it where there are several.
        fixed: Parameters of the algorithm that the instance sets, which a claim therefore cannot.
    """

    name: ClassVar[str] = ""
    fixed: ClassVar[frozenset[str]] = frozenset()

    @abstractmethod
    def problem(self) -> Any:
        """The public side."""

    @abstractmethod
    def pair(self, problem: Any, adjacency: type[Adjacency]) -> Pair:
        """Two neighbouring data sets of the problem."""

    def params(self, given: Mapping[str, Any]) -> Mapping[str, Any]:
        """Parameters of the algorithm that do not stand in a claim as they are.

        Args:
            given: Those that do, with the claim's ``form`` and ``adjacency``, and ``algorithm``, its name.
        """
        return {}

    def planned(self, plan: N) -> N:
        """The plan, where the instance wants a number of its own in it."""
        return plan

    def check(self, run: Run) -> None:
        """Refuse what the instance cannot be run or judged with; by default what is no data set of the problem.

        Raises:
            InvalidArgumentError: If there is such a thing.
        """
        run.problem.read(run.pair.first)
        run.problem.read(run.pair.second)

    def witnesses(self, run: Run, delta: Fraction) -> tuple[Witness, ...]:
        """What is known from below; by default of linear losses."""
        return linear_losses(run.moves, run.adjacency, run.release)

    def sample(self, run: Run, data: Any, rng: np.random.Generator) -> Sampled:
        """A run on fresh noise, by default standard normal, one answer a row."""
        noise = rng.standard_normal((run.plan.steps, run.problem.dimension))
        return Sampled(run.trace(data, noise), noise)

    def verify(self, run: Run, seen: Sampled) -> None:
        """Refuse a run that is not what its trace says; by default one whose answers are not queries with noise.

        Raises:
            LeakError: If it is not.
        """
        scores.answered(seen.trace, seen.noise)

    def scores(self, run: Run, neighbour: Neighbour, trials: int, rng: np.random.Generator) -> FloatArray:
        """Of a transcript the log-likelihood ratio; of an output how far it lies against the pair's direction."""
        if run.release == "transcript":
            return np.array([run.log_likelihood_ratio(neighbour, rng) for _ in range(trials)])
        return np.array([-float(s.trace.points[-1] @ run.pair.direction) for s in run.runs(neighbour, trials, rng)])

    def facts(self, run: Run) -> Mapping[str, str]:
        """What a reader wants to know of the data, the noise and the pair; by default data and loss."""
        problem = run.problem
        clipping = "" if problem.clip is None else f", gradients clipped at {problem.clip}"
        return {
            "data": f"{run.pair.first.name}, {problem.n} x {problem.dimension}",
            "loss": problem.loss.name + clipping,
        }


@final
@dataclass(frozen=True, eq=False)
class Run:
    """An algorithm with its plan on a pair of data sets.

    Attributes:
        algorithm: The registry's entry.
        problem: The public side.
        plan: Its numbers.
        pair: The neighbouring data sets.
        release: "output" or "transcript".
        instance: What they were made by.
    """

    algorithm: AnyAlgorithm
    problem: Any
    plan: Any
    pair: Any
    release: Release
    instance: Instance

    def __post_init__(self) -> None:
        self.instance.check(self)

    @property
    def adjacency(self) -> type[Adjacency]:
        """That of the plan."""
        found: type[Adjacency] = self.plan.sensitivity.adjacency
        return found

    @property
    def moves(self) -> tuple[Any, ...]:
        """How far one record can move the answers, as the algorithm says."""
        found: tuple[Any, ...] = self.plan.moves(self.problem)
        return found

    def ledger(self) -> Ledger[Any]:
        """What the plan spends."""
        return self.algorithm.ledger(self.plan)

    def witnesses(self, delta: Fraction) -> tuple[Witness, ...]:
        """What is certified from below."""
        return self.instance.witnesses(self, delta)

    def scores(self, neighbour: Neighbour, trials: int, rng: np.random.Generator) -> FloatArray:
        """The instance's scores of so many runs."""
        return self.instance.scores(self, neighbour, trials, rng)

    def facts(self) -> Mapping[str, str]:
        """The algorithm, and what the instance says."""
        of = self.algorithm
        return {"algorithm": f"{of.name} ({of.paper}, {of.items[0]})", **self.instance.facts(self)}

    # -------------------------------------------------------------------------------- runs

    def sides(self, neighbour: Neighbour) -> tuple[Any, Any]:
        """The data set that is run on, and the other one."""
        first, second = self.pair.first, self.pair.second
        return (first, second) if neighbour == 0 else (second, first)

    def trace(
        self, data: Any, noise: FloatArray, indices: Indices | None = None, answers: FloatArray | None = None
    ) -> Trace:
        """What the compiled twin leaves on a tape (see `dpref.algorithms.declaration.Algorithm.trace`)."""
        return self.algorithm.trace(self.problem, data, self.plan, noise, indices, answers)

    def sample(self, data: Any, rng: np.random.Generator) -> Sampled:
        """A run on fresh noise.

        Raises:
            LeakError: If it is not what its trace says.
        """
        seen = self.instance.sample(self, data, rng)
        self.instance.verify(self, seen)
        return seen

    def forced(self, other: Any, seen: Sampled) -> Trace:
        """The run on another data set with the same answers, which was at the same points.

        Raises:
            LeakError: If it was not.
        """
        found = self.trace(other, seen.noise, seen.indices, seen.trace.answers)
        scores.same_points(seen.trace, found)
        return found

    def runs(self, neighbour: Neighbour, trials: int, rng: np.random.Generator) -> Iterator[Sampled]:
        """So many runs on fresh noise; the first is repeated on the other data set, with its answers forced.

        Raises:
            LeakError: If it was at other points there, or a run is not what its trace says.
        """
        data, other = self.sides(neighbour)
        for trial in range(trials):
            seen = self.sample(data, rng)
            if trial == 0:
                self.forced(other, seen)
            yield seen

    def log_likelihood_ratio(self, neighbour: Neighbour, rng: np.random.Generator) -> float:
        """How much likelier one run's Gaussian answers are on neighbour 1 than on neighbour 0."""
        data, other = self.sides(neighbour)
        seen = self.sample(data, rng)
        ratio = (2 * neighbour - 1) * scores.gaussian(seen.trace, self.forced(other, seen), seen.noise)
        return ratio + 0.0  # no zero has a sign, which would say on which neighbour the run was
