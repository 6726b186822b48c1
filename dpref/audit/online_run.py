r"""DP-TOFW as a subject of claims, on a stream of linear losses.

Linear losses are in the class of every claim with $\beta D+L$ (they have $\beta=0$), and they show the whole
sensitivity: the increment of the first record moves by 2L, whatever has been released before.

* Upper side: the plan's ledger.
* Lower side, nodes: the first record is in the nodes 1, 2, 4, ... alone, each of which moves by the shift.  With
  plain Gaussian noise that is a Gaussian pair with $\mu^2=k\|h\|_2^2/\sigma^2$; with the printed index in few
  dimensions see `dpref.audit.online_witness`.
* Empirical side, nodes: the exact log-likelihood ratio of the nodes that hold the first record (the others have the
  same law on both data sets, and the kernel's own sums say how far each moves).
* The iterates alone, all other records being zero: at t = 1, 2, 4, ... the step shows the signs of one noisy node's
  coordinates.  In one dimension k signs are k fair coins bent by the record (`sign_epsilon`), which the compiled twin
  tosses; in more, along the diagonal, all signs of a node agree with the record or not (`all_signs_epsilon`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Final, Literal, final

import numpy as np

from dpref.algorithms.declaration import Algorithm
from dpref.algorithms.online_frank_wolfe.plan import Plan
from dpref.audit.online_witness import all_signs_epsilon, node_epsilon, sign_epsilon
from dpref.audit.subjects import Neighbour, Release
from dpref.errors import InvalidArgumentError
from dpref.mechanisms.generalized_gaussian import unit_draws
from dpref.privacy.events.ledger import Ledger
from dpref.problems.datasets import Dataset
from dpref.problems.neighbours import NeighbourPair, replace_record, zero_record
from dpref.problems.stream import StreamProblem
from dpref.reals import FloatArray, decimal_up, exact
from dpref.units import L2, Adjacency, ReplaceOne

Direction = Literal["axis", "diagonal"]
_SHORTER: Final = 1.0 - 2.0**-40


def linear_pair(problem: StreamProblem, direction: Direction, adjacency: type[Adjacency]) -> NeighbourPair:
    """A stream of zeros; its first record is not zero, and is flipped, or nulled.

    Args:
        problem: With linear losses.
        direction: Of the first record: the first axis, or the diagonal (a hair shorter than allowed).
        adjacency: Replace-one or zero-out.

    >>> from dpref.geometry.linear_minimization import LpBall
    >>> from dpref.problems.losses import Linear
    >>> pair = linear_pair(StreamProblem(Linear(), 3, 2, LpBall(Fraction(2), Fraction(1))), "axis", ReplaceOne)
    >>> pair.first.features.tolist(), (pair.second.labels * pair.first.labels).tolist()
    ([[1.0, 0.0], [0.0, 0.0], [0.0, 0.0]], [-1.0, 1.0, 1.0])
    """
    d, length = problem.dimension, float(problem.feature_bound)
    row = np.eye(d)[0] * length
    if direction == "diagonal":
        row = np.full(d, length * _SHORTER * d ** (-1 / float(problem.dual)))
    others = np.zeros((problem.n, d))
    first = Dataset(others, np.ones(problem.n), "linear losses, all but one zero")
    first = replace_record(first, 0, row, 1.0)
    second = replace_record(first, 0, row, -1.0) if adjacency is ReplaceOne else zero_record(first, 0)
    return NeighbourPair(first, second, row / np.linalg.norm(row))


@final
@dataclass(frozen=True, eq=False)
class OnlineRun:
    """DP-TOFW with its plan on a pair of streams.

    Attributes:
        algorithm: The registry's entry.
        problem: The public side, with linear losses.
        plan: Its numbers.
        direction: Of the record that differs.
        release: "transcript": every noisy node; "output": every iterate, and nothing else.
    """

    algorithm: Algorithm
    problem: StreamProblem
    plan: Plan[Any]
    direction: Direction
    release: Release
    pair: NeighbourPair

    def __post_init__(self) -> None:
        for data in (self.pair.first, self.pair.second):
            self.problem.read(data)
        if self.release == "output" and self.problem.dimension != 1 and self.direction != "diagonal":
            rule = "the iterates are audited in one dimension, or along the diagonal"
            raise InvalidArgumentError("release", self.release, rule)

    @property
    def adjacency(self) -> type[Adjacency]:
        """That of the plan."""
        return self.plan.sensitivity.adjacency

    def ledger(self) -> Ledger[Any]:
        """What the plan spends."""
        return self.algorithm.ledger(self.plan)

    @property
    def nodes(self) -> tuple[int, ...]:
        """When the nodes that hold the first record are completed: 1, 2, 4, ..."""
        return tuple(1 << k for k in range(self.plan.records.bit_length()))

    def witness_mu_squared(self) -> Fraction | None:
        """Of the nodes with plain Gaussian noise (as any is in one dimension), exact; None otherwise."""
        plain = self.plan.sensitivity.norm is L2 or self.problem.dimension == 1
        if self.release == "output" or not plain or self.plan.std == 0:
            return None
        features = self.pair.first.features[0], self.pair.second.features[0]
        labels = self.pair.first.labels[0], self.pair.second.labels[0]
        ends = [[exact(v) * int(y) for v in x] for x, y in zip(features, labels, strict=True)]
        square = sum(((a - b) ** 2 for a, b in zip(*ends, strict=True)), Fraction(0))
        return len(self.nodes) * square / exact(self.plan.std) ** 2

    def witness_epsilon(self, delta: Fraction) -> float:
        """What the signs of the iterates show, or one node where the printed index is below one."""
        plan = self.plan
        if self.release == "output":
            if self.adjacency is not ReplaceOne or plan.std == 0:
                return 0.0
            signal = self.problem.feature_bound / exact(plan.std)
            if self.problem.dimension == 1:
                return sign_epsilon(len(self.nodes), signal, delta)
            signal *= exact(_SHORTER) ** 2
            return all_signs_epsilon(self.problem.dimension, plan.index, signal, Fraction(self.problem.dual), delta)
        if self.direction != "diagonal" or plan.index >= 1 or plan.std == 0:
            return 0.0
        moved = 2 if self.adjacency is ReplaceOne else 1
        shift = moved * self.problem.feature_bound * exact(_SHORTER) ** 2
        return node_epsilon(
            self.problem.dimension, plan.index, shift / exact(plan.std), Fraction(self.problem.dual), delta
        )

    # -------------------------------------------------------------------------------- runs

    def scores(self, neighbour: Neighbour, trials: int, rng: np.random.Generator) -> FloatArray:
        """Nodes: the log-likelihood ratio.

        Iterates: of the steps at 1, 2, 4, ..., how many go down in every coordinate, less how many go up in every one.
        """
        if self.release == "transcript":
            return self._likelihood_ratios(neighbour, trials, rng)
        scores, times = np.empty(trials), np.array(self.nodes)
        for trial in range(trials):
            noise = np.zeros((self.plan.records, self.problem.dimension))  # that of other nodes enters no score
            noise[times - 1] = unit_draws(self.plan.index, len(times), self.problem.dimension, rng)
            iterates, _ = self.algorithm.kernel(self.problem, self.pair[neighbour], self.plan, noise)
            before, after = iterates[times - 1], iterates[times]
            vertex = before + (times[:, None] + 1) * (after - before)  # at which the step aims, as step_scale is 1
            down, up = (vertex < 0).all(axis=1), (vertex > 0).all(axis=1)
            scores[trial] = float(np.count_nonzero(down)) - float(np.count_nonzero(up))
        return scores

    def _likelihood_ratios(self, neighbour: Neighbour, trials: int, rng: np.random.Generator) -> FloatArray:
        plan, d, rows = self.plan, self.problem.dimension, [t - 1 for t in self.nodes]
        still = np.zeros((plan.records, d))
        sums = [self.algorithm.kernel(self.problem, data, plan, still)[1][rows] for data in self.pair[:2]]
        shift = (sums[1 - neighbour] - sums[neighbour]) / plan.std
        draws = unit_draws(plan.index, trials * len(rows), d, rng).reshape(trials, len(rows), d)
        losses = _norm_squared(draws - shift, plan.index) - _norm_squared(draws, plan.index)
        return np.asarray((2 * neighbour - 1) * losses.sum(axis=1) / 2)

    def facts(self) -> Mapping[str, str]:
        """Set, stream, noise and the pair."""
        plan, problem = self.plan, self.problem
        where = "l_2 norm" if plan.index == 2 else f"index {decimal_up(plan.index, 5)}"
        return {
            "algorithm": f"{self.algorithm.name} ({self.algorithm.paper}, {self.algorithm.items[0]})",
            "stream": f"{self.pair.first.name}, {problem.n} x {problem.dimension}, L = {problem.lipschitz}",
            "set": f"{problem.domain.name}, p = {problem.domain.index}, diameter {problem.domain.diameter()}",
            "noise of a node": f"level {decimal_up(plan.std, 6)}, {where}",
            "sensitivity": f"{decimal_up(plan.sensitivity.value, 6)} in {plan.sensitivity.norm.name}",
            "nodes that hold the record": str(len(self.nodes)),
            "calibration": f"{plan.calibration} ({plan.form.value})",
            "pair": f"the first record, along the {self.direction}, is "
            + ("flipped" if self.adjacency is ReplaceOne else "nulled"),
            "hypotheses": f"linear losses: beta = 0, L = {problem.lipschitz}; delta = {plan.claimed[1]}",
            "certified witness": self._witness(),
        }

    def _witness(self) -> str:
        """On which event or statistic the certified lower end rests."""
        stream = "the stream of the runs: "
        if self.release == "output":
            one = self.problem.dimension == 1
            return stream + ("the signs of the steps at 1, 2, 4, ..." if one else "all signs of the first step agree")
        if self.witness_mu_squared() is not None:
            return stream + "the nodes that hold the record, exactly Gaussian"
        if self.direction == "diagonal" and self.plan.index < 1:
            return stream + "one node whose coordinates are all large"
        return "none: the runs alone speak for the lower side"


def _norm_squared(z: FloatArray, index: float) -> FloatArray:
    """The squared formula norm of the last axis."""
    return np.asarray(np.sum(np.abs(z) ** index, axis=-1) ** (2 / index))
