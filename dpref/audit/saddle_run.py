r"""The vertex-sampling algorithms as subjects of claims: a random bilinear game with one worst-case record.

* Upper side: the plan's ledger, one exponential mechanism a drawn vertex.
* Lower side: none is known in closed form for a whole run (`dpref.audit.saddle_witness` has one for a single step).
* Empirical side: the compiled twin; the adversary sees every vertex at whose average a gradient was taken, and computes
  the exact log-likelihood ratio.  Only the first batch holds the record, so the scores of the two data sets differ by
  the same vector at every later iteration; it is read off a second run of one step with the same noise.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, Final, final

import numpy as np

from dpref.algorithms.declaration import Algorithm
from dpref.algorithms.mirror_descent.plan import Plan
from dpref.audit.subjects import Neighbour, Release
from dpref.privacy.events.ledger import Ledger
from dpref.problems.games import Game, GamePair, sampled_game
from dpref.reals import FloatArray, decimal_up
from dpref.units import Adjacency

_SEED: Final = 7


def audit_pair(problem: Game, adjacency: type[Adjacency]) -> GamePair:
    """Random payoffs of mean zero, with the worst-case record first.

    >>> from dpref.units import ReplaceOne
    >>> pair = audit_pair(Game(n=5, rows=2, columns=2), ReplaceOne)
    >>> [bool((a == b).all()) for a, b in zip(pair.first.payoffs, pair.second.payoffs, strict=True)]
    [False, True, True, True, True]
    """
    return problem.worst_case_pair(sampled_game(problem.n, np.zeros((problem.rows, problem.columns)), _SEED), adjacency)


@final
@dataclass(frozen=True, eq=False)
class SaddleRun:
    """One of the two algorithms with its plan on a pair of data sets.

    Attributes:
        algorithm: The registry's entry.
        problem: The public side.
        plan: Its numbers.
        pair: The neighbouring data sets.
        release: "transcript".
    """

    algorithm: Algorithm
    problem: Game
    plan: Plan[Any]
    pair: GamePair
    release: Release = "transcript"

    def __post_init__(self) -> None:
        self.problem.read(self.pair.first)
        self.problem.read(self.pair.second)

    @property
    def adjacency(self) -> type[Adjacency]:
        """That of the plan."""
        return self.plan.adjacency

    def ledger(self) -> Ledger[Any]:
        """What the plan spends."""
        return self.algorithm.ledger(self.plan)

    def witness_mu_squared(self) -> Fraction | None:
        """Nothing is known in closed form."""
        return None

    def scores(self, neighbour: Neighbour, trials: int, rng: np.random.Generator) -> FloatArray:
        """The log-likelihood ratio of the vertices that the gradients were taken at."""
        data, other = (self.pair.first, self.pair.second) if neighbour == 0 else (self.pair.second, self.pair.first)
        plan, rows, sign = self.plan, self.plan.rows, 2 * neighbour - 1
        spare = int(plan.spare_output)
        drawn = [1 + k for k in plan.vertices] + [1] * spare
        start = (1 + plan.vertices[0]) * self.problem.dimension
        # One step and a second one that only shows its scores.
        short = replace(plan, batches=plan.batches[:1], vertices=plan.vertices[:1], levels=plan.levels[:1])
        short = replace(short, batches=short.batches * 2, vertices=(*short.vertices, 1), spare_output=False)
        short = replace(short, levels=(*short.levels, 0) if short.levels else ())
        if sum(short.batches) > self.problem.n or plan.steps == 1:
            return np.zeros(trials)
        counts = np.array(plan.vertices, dtype=np.float64)[1:, None]
        found = np.empty(trials)
        for trial in range(trials):
            noise = rng.gumbel(size=sum(drawn) * self.problem.dimension)
            points, queries = self.algorithm.kernel(self.problem, data, plan, noise)
            tape = np.concatenate([noise[:start], np.zeros(2 * self.problem.dimension)])
            shift = self.algorithm.kernel(self.problem, other, short, tape)[1][1] - queries[1]
            here, there = queries[1 : plan.steps], queries[1 : plan.steps] + shift
            seen = points[1 : plan.steps] * counts
            ratio = 0.0
            for block in (slice(0, rows), slice(rows, None)):
                gap = _log_softmax(here[:, block]) - _log_softmax(there[:, block])
                ratio += float((seen[:, block] * gap).sum())
            found[trial] = sign * ratio
        return found

    def facts(self) -> Mapping[str, str]:
        """The game, the steps, the draws and the pair."""
        problem, plan = self.problem, self.plan
        return {
            "algorithm": f"{self.algorithm.name} ({self.algorithm.paper}, {self.algorithm.items[0]})",
            "data": f"{self.pair.first.name}, {problem.n} records, {problem.rows} x {problem.columns}",
            "iterations": f"{plan.steps}, {sum(plan.batches)} records used",
            "drawn vertices": str(plan.draws),
            "step size": decimal_up(plan.step_size, 6),
            "epsilon of one vertex": decimal_up(plan.epsilon_per_draw, 6),
            "calibration": f"{plan.calibration} ({plan.form.value})",
            "pair": "the first record's payoffs change their sign",
            "certified witness": "none: the lower end is zero",
        }


def _log_softmax(scores: FloatArray) -> FloatArray:
    shifted = scores - scores.max(axis=1, keepdims=True)
    return np.asarray(shifted - np.log(np.exp(shifted).sum(axis=1, keepdims=True)))
