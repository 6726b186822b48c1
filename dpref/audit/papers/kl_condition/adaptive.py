"""What the claims about adaptive noisy gradient descent are run on: real data, and a linear loss among null records."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Annotated, Any, ClassVar, Final

import numpy as np

from dpref.audit.papers.kl_condition.witnesses import literal_norm
from dpref.audit.parameters import MOST_PUBLIC
from dpref.audit.real_data import Real
from dpref.audit.run import Instance, Run, Sampled
from dpref.audit.subjects import Neighbour, Witness
from dpref.checks import AtMost
from dpref.errors import InvalidArgumentError
from dpref.problems.datasets import Dataset
from dpref.problems.erm import ERMProblem
from dpref.problems.losses import Huber
from dpref.problems.neighbours import NeighbourPair, worst_case_pair
from dpref.reals import FloatArray, decimal_up
from dpref.units import Adjacency

LINEAR_SMOOTHNESS: Final = Fraction(10**6)
CUT: Final = 2.0
_FIRST_DRAWS: Final = 1024


def linear_pair(adjacency: type[Adjacency]) -> NeighbourPair:
    """One record whose gradient is turned round or nulled; the n - 1 null records add nothing and are not stored.

    >>> from dpref.units import ReplaceOne
    >>> pair = linear_pair(ReplaceOne)
    >>> pair.first.n, float(abs(pair.direction[0]))
    (1, 1.0)
    """
    return worst_case_pair(Dataset(np.zeros((1, 1)), np.ones(1), "one record among null records"), adjacency)


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
