r"""What the claims of the paper are run on: a stream of linear losses.

Linear losses are in the class of every claim with $\beta D+L$ (they have $\beta=0$), and they show the whole
sensitivity: the increment of the first record moves by 2L, whatever has been released before.  A transcript is scored
by the log-likelihood ratio of the nodes that hold the first record (the others have the same law on both data sets),
the iterates by the signs of the steps that show one node each.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from types import MappingProxyType
from typing import Any, Final, Literal

import numpy as np

from dpref.audit import scores
from dpref.audit.papers.private_online_frank_wolfe.choices import OneLeaf, OneRecord, OneUser
from dpref.audit.papers.private_online_frank_wolfe.witnesses import (
    SHORTER,
    gaussian_nodes,
    nodes_of_the_first,
    one_node,
    signs_of_iterates,
)
from dpref.audit.parameters import MOST_NUMBERS, fits
from dpref.audit.run import Instance, Run, Sampled
from dpref.audit.subjects import Neighbour, Witness
from dpref.errors import InvalidArgumentError
from dpref.geometry.linear_minimization import LpBall
from dpref.mechanisms.generalized_gaussian import unit_draws
from dpref.problems.datasets import Dataset
from dpref.problems.losses import Linear
from dpref.problems.neighbours import NeighbourPair, replace_record, zero_record
from dpref.problems.stream import StreamProblem
from dpref.reals import FloatArray, decimal_up
from dpref.units import Adjacency, ReplaceOne


@dataclass(frozen=True, kw_only=True)
class Stream(Instance):
    """A stream of zeros; its first record is not zero, and is flipped, or nulled.

    Attributes:
        records: n.
        dimension: d.
        p: Of the norm of the set.
        lipschitz: L.
        radius: Of the set.
        direction: Of the first record: the first axis, or the diagonal (a hair shorter than allowed).
    """

    records: int
    dimension: int
    p: Fraction | Literal["inf"]
    lipschitz: Fraction
    radius: Fraction
    direction: Literal["axis", "diagonal"] = "axis"

    def problem(self) -> StreamProblem:
        """Linear losses on a ball."""
        sizes = {"records": self.records, "dimension": self.dimension}
        fits("numbers", sizes, self.records * self.dimension, MOST_NUMBERS)
        return StreamProblem(
            Linear(),
            n=self.records,
            dimension=self.dimension,
            domain=LpBall(math.inf if self.p == "inf" else self.p, self.radius),
            feature_bound=self.lipschitz,
        )

    def pair(self, problem: StreamProblem, adjacency: type[Adjacency]) -> NeighbourPair:
        """The stream and its neighbour.

        >>> stream = Stream(records=3, dimension=2, p=Fraction(2), lipschitz=Fraction(1), radius=Fraction(1))
        >>> pair = stream.pair(stream.problem(), ReplaceOne)
        >>> pair.first.features.tolist(), (pair.second.labels * pair.first.labels).tolist()
        ([[1.0, 0.0], [0.0, 0.0], [0.0, 0.0]], [-1.0, 1.0, 1.0])
        """
        d, length = problem.dimension, float(problem.feature_bound)
        row = np.eye(d)[0] * length
        if self.direction == "diagonal":
            row = np.full(d, length * SHORTER * d ** (-1 / float(problem.dual)))
        first = Dataset(np.zeros((problem.n, d)), np.ones(problem.n), "linear losses, all but one zero")
        first = replace_record(first, 0, row, 1.0)
        second = replace_record(first, 0, row, -1.0) if adjacency is ReplaceOne else zero_record(first, 0)
        return NeighbourPair(first, second, row / np.linalg.norm(row))

    def check(self, run: Run) -> None:
        """Data of the problem, and an output that has a score."""
        super().check(run)
        if run.release == "output" and self.dimension != 1 and self.direction != "diagonal":
            rule = "the iterates are audited in one dimension, or along the diagonal"
            raise InvalidArgumentError("release", run.release, rule)

    def witnesses(self, run: Run, delta: Fraction) -> tuple[Witness, ...]:
        """Of the nodes, or of the iterates."""
        if run.release == "output":
            return signs_of_iterates(run, delta)
        return (*gaussian_nodes(run), *(one_node(run, delta) if self.direction == "diagonal" else ()))

    def rows(self) -> list[int]:
        """The answers that read the first record, counted from zero."""
        return [t - 1 for t in nodes_of_the_first(self.records)]

    def sample(self, run: Run, data: Any, rng: np.random.Generator) -> Sampled:
        """A run with noise on the answers that read the first record: that of others enters no score."""
        rows, noise = self.rows(), np.zeros((run.plan.steps, self.dimension))
        noise[rows] = unit_draws(run.plan.index, len(rows), self.dimension, rng)
        return Sampled(run.trace(data, noise), noise)

    def scores(self, run: Run, neighbour: Neighbour, trials: int, rng: np.random.Generator) -> FloatArray:
        """Nodes: the log-likelihood ratio.

        Iterates: of the steps at 1, 2, 4, ..., how many go down in every coordinate, less how many go up in every one;
        where the noise is that of the l_1 norm, the same of single coordinates.
        """
        if run.release == "transcript":
            return self._likelihood_ratios(run, neighbour, trials, rng)
        return np.array([self._steps_down(run, seen.trace.points) for seen in run.runs(neighbour, trials, rng)])

    def _steps_down(self, run: Run, points: FloatArray) -> float:
        times = np.array(nodes_of_the_first(self.records))
        before, after = points[times - 1], points[times]
        lengths = (times[:, None] + 1) / float(run.plan.step_scale)
        vertex = before + lengths * (after - before)  # at which the step aims
        down, up = vertex < 0, vertex > 0
        if run.plan.index != 1:
            down, up = down.all(axis=1), up.all(axis=1)
        return float(np.count_nonzero(down)) - float(np.count_nonzero(up))

    def _likelihood_ratios(self, run: Run, neighbour: Neighbour, trials: int, rng: np.random.Generator) -> FloatArray:
        """Of linear losses a node moves by the same vector in every run: it is read off one that is forced."""
        (data, other), plan, rows = run.sides(neighbour), run.plan, self.rows()
        ones = np.ones((plan.steps, self.dimension))
        seen = Sampled(run.trace(data, ones), ones)
        self.verify(run, seen)
        shift = (run.forced(other, seen).queries[rows] - seen.trace.queries[rows]) / plan.std
        draws = unit_draws(plan.index, trials * len(rows), self.dimension, rng)
        found = scores.nodes(shift, draws.reshape(trials, len(rows), self.dimension), plan.index)
        return (2 * neighbour - 1) * found + 0.0  # no zero has a sign, as in `Run.log_likelihood_ratio`

    def facts(self, run: Run) -> Mapping[str, str]:
        """Set, stream, noise and the pair."""
        plan, problem = run.plan, run.problem
        where = "l_2 norm" if plan.index == 2 else f"index {decimal_up(plan.index, 5)}"
        return {
            "stream": f"{run.pair.first.name}, {problem.n} x {problem.dimension}, L = {problem.lipschitz}",
            "set": f"{problem.domain.name}, p = {problem.domain.index}, diameter {problem.domain.diameter()}",
            "noise of a node": f"level {decimal_up(plan.std, 6)}, {where}",
            "sensitivity": f"{decimal_up(plan.sensitivity.value, 6)} in {plan.sensitivity.norm.name}",
            "nodes that hold the record": str(len(nodes_of_the_first(plan.records))),
            "calibration": f"{plan.calibration} ({plan.form.value})",
            "pair": f"the first record, along the {self.direction}, is "
            + ("flipped" if run.adjacency is ReplaceOne else "nulled"),
            "hypotheses": f"linear losses: beta = 0, L = {problem.lipschitz}; delta = {plan.claimed.delta}",
        }


INSTANCES: Final[Mapping[str, tuple[type[Instance], ...]]] = MappingProxyType(
    {
        "online-frank-wolfe": (Stream,),
        "polyhedral-frank-wolfe": (OneRecord,),
        "high-dimensional-bandit": (OneUser,),
        "linear-ucb": (OneLeaf,),
    }
)
