"""What the claims of the paper are run on: a random bilinear game with one worst-case record.

No lower bound is known in closed form for a whole run (`dpref.audit.papers.private_saddle_points.witnesses` has one for
a single step).  The adversary sees every vertex at whose average a gradient was taken.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from types import MappingProxyType
from typing import Any, ClassVar, Final, Literal

import numpy as np

from dpref.algorithms.boosted_mirror_descent.routines import Anytime, FrankWolfe, Routine, Vertex
from dpref.audit import scores
from dpref.audit.parameters import MOST_NUMBERS, fits
from dpref.audit.run import Instance, Run, Sampled
from dpref.audit.subjects import Neighbour, Witness
from dpref.errors import InvalidArgumentError
from dpref.kernels.records import Trace
from dpref.mechanisms.truncated_geometric import draw_levels
from dpref.problems.games import Game, GamePair, sampled_game
from dpref.problems.queries import Queries, QueryPair
from dpref.reals import FloatArray, decimal_up
from dpref.units import Adjacency

_SEED: Final = 7
_LEVEL_SEED: Final = 5


@dataclass(frozen=True, kw_only=True)
class Transcripts(Instance):
    """What is judged by the whole transcript alone."""

    def check(self, run: Run) -> None:
        """Data of the problem, and what was drawn."""
        super().check(run)
        only_transcripts(run.release)

    def witnesses(self, run: Run, delta: Fraction) -> tuple[Witness, ...]:
        """Nothing is known in closed form."""
        return ()


@dataclass(frozen=True, kw_only=True)
class BilinearGame(Transcripts):
    """Random payoffs of mean zero, with the worst-case record first.

    Attributes:
        records: n.
        rows: Vertices of the first player.
        columns: Of the second.
    """

    records: int
    rows: int
    columns: int

    def problem(self) -> Game:
        """The public game."""
        sizes = {"records": self.records, "rows": self.rows, "columns": self.columns}
        fits("numbers", sizes, self.records * self.rows * self.columns, MOST_NUMBERS)
        return Game(n=self.records, rows=self.rows, columns=self.columns)

    def pair(self, problem: Game, adjacency: type[Adjacency]) -> GamePair:
        """The first record's payoffs change their sign.

        >>> from dpref.units import ReplaceOne
        >>> game = BilinearGame(records=5, rows=2, columns=2)
        >>> pair = game.pair(game.problem(), ReplaceOne)
        >>> [bool((a == b).all()) for a, b in zip(pair.first.payoffs, pair.second.payoffs, strict=True)]
        [False, True, True, True, True]
        """
        return problem.worst_case_pair(
            sampled_game(problem.n, np.zeros((problem.rows, problem.columns)), _SEED), adjacency
        )

    def sample(self, run: Run, data: Any, rng: np.random.Generator) -> Sampled:
        """A run on fresh Gumbel noise."""
        noise = rng.gumbel(size=run.plan.draws * run.problem.dimension // 2)
        return Sampled(run.trace(data, noise), noise)

    def verify(self, run: Run, seen: Sampled) -> None:
        """Refuse a run whose vertices do not have the largest noisy scores; one more may be drawn for the output."""
        counts = np.ones(len(seen.trace.queries))
        counts[: run.plan.steps] += run.plan.vertices
        scores.drawn(seen.trace, seen.noise, counts, run.plan.rows)

    def scores(self, run: Run, neighbour: Neighbour, trials: int, rng: np.random.Generator) -> FloatArray:
        """The log-likelihood ratio of the vertices that the gradients were taken at."""
        counts, rows = np.array(run.plan.vertices, dtype=np.float64), run.plan.rows
        return _ratios(run, neighbour, trials, rng, lambda a, b: scores.exponential(a, b, counts, rows))

    def facts(self, run: Run) -> Mapping[str, str]:
        """The game, the steps, the draws and the pair."""
        problem, plan = run.problem, run.plan
        return {
            "data": f"{run.pair.first.name}, {problem.n} records, {problem.rows} x {problem.columns}",
            "iterations": f"{plan.steps}, {sum(plan.batches)} records used",
            "drawn vertices": str(plan.draws),
            "step size": decimal_up(plan.step_size, 6),
            "epsilon of one vertex": decimal_up(plan.epsilon_per_draw, 6),
            "calibration": f"{plan.calibration} ({plan.form.value})",
            "pair": "the first record's payoffs change their sign",
        }


@dataclass(frozen=True, kw_only=True)
class DrawnLevels(BilinearGame):
    """The same for bias-reduced mirror descent, whose levels are drawn from a fixed seed."""

    fixed: ClassVar[frozenset[str]] = frozenset({"levels"})

    def params(self, given: Mapping[str, Any]) -> Mapping[str, Any]:
        """The levels."""
        rng = np.random.default_rng(_LEVEL_SEED)
        return {"levels": draw_levels(given["truncation"], int(given["stopping"]) + 1, rng)}


@dataclass(frozen=True, kw_only=True)
class Draws(Instance):
    """Runs that draw among the same candidates each time, as often as the plan says."""

    @abstractmethod
    def candidates(self, run: Run) -> int:
        """How many there are."""

    def sample(self, run: Run, data: Any, rng: np.random.Generator) -> Sampled:
        """A run on fresh Gumbel noise."""
        noise = rng.gumbel(size=run.plan.draws * self.candidates(run))
        return Sampled(run.trace(data, noise), noise)

    def verify(self, run: Run, seen: Sampled) -> None:
        """Refuse a run whose draws do not have the largest noisy scores."""
        scores.drawn(seen.trace, seen.noise, self._counts(run), self.candidates(run))

    def scores(self, run: Run, neighbour: Neighbour, trials: int, rng: np.random.Generator) -> FloatArray:
        """The log-likelihood ratio of all draws."""
        counts, size = self._counts(run), self.candidates(run)
        return _ratios(run, neighbour, trials, rng, lambda a, b: scores.exponential(a, b, counts, size))

    def _counts(self, run: Run) -> FloatArray:
        """How many are drawn each time that some are."""
        return np.array([count for count in run.plan.vertices if count], dtype=np.float64)


@dataclass(frozen=True, kw_only=True)
class Selections(Instance):
    """Runs of selections, each among candidates of its own."""

    @abstractmethod
    def selections(self, run: Run) -> tuple[list[int], list[int]]:
        """Number of candidates and of choices of every selection."""

    def sample(self, run: Run, data: Any, rng: np.random.Generator) -> Sampled:
        """A run on fresh Gumbel noise."""
        noise = rng.gumbel(size=sum(size * count for size, count in zip(*self.selections(run), strict=True)))
        return Sampled(run.trace(data, noise), noise)

    def verify(self, run: Run, seen: Sampled) -> None:
        """Refuse a run whose choices do not have the largest noisy scores."""
        scores.selections(seen.trace, seen.noise, *self.selections(run))

    def scores(self, run: Run, neighbour: Neighbour, trials: int, rng: np.random.Generator) -> FloatArray:
        """The log-likelihood ratio of everything that was chosen."""
        made = self.selections(run)
        return _ratios(run, neighbour, trials, rng, lambda a, b: scores.selected(a, b, *made))


@dataclass(frozen=True, kw_only=True)
class OnePlayer(Draws, BilinearGame):
    """The same for an algorithm that draws the vertices of one player, and what it returns among them."""

    def candidates(self, run: Run) -> int:
        """The player's vertices."""
        return int(run.plan.dimension)


@dataclass(frozen=True, kw_only=True)
class ManyRuns(Selections, DrawnLevels):
    """The same for boosting: several runs, responses to each, and a choice.

    Attributes:
        responder: Which routine responds.
        response_steps: T of Algorithm 5, if it does.
        round_length: Its q.
        samples: Its K.
        phases: T of Frank-Wolfe, if that does.
    """

    fixed: ClassVar[frozenset[str]] = frozenset({"levels", "routine"})
    responder: Literal["vertex", "anytime", "frank-wolfe"] = "vertex"
    response_steps: int = 1
    round_length: int = 1
    samples: int = 1
    phases: int = 1

    def params(self, given: Mapping[str, Any]) -> Mapping[str, Any]:
        """The levels, as many for each run, and the routine."""
        rng, most = np.random.default_rng(_LEVEL_SEED), given["runs"] * (int(given["stopping"]) + 1)
        routines: dict[str, Routine] = {
            "vertex": Vertex(),
            "anytime": Anytime(self.response_steps, self.round_length, self.samples),
            "frank-wolfe": FrankWolfe(self.phases),
        }
        return {"levels": draw_levels(given["truncation"], most, rng), "routine": routines[self.responder]}

    def selections(self, run: Run) -> tuple[list[int], list[int]]:
        """Those of its parts, in the order in which they are made."""
        plan = run.plan
        own = [plan.routine.numbers(one).vertices for one in plan.responders]
        found = [
            (size, count)
            for one in plan.candidates
            for count in (*(1 + drawn for drawn in one.vertices), *([1] if one.spare_output else []))
            for size in (plan.rows, plan.columns)
        ]
        for size, vertices in zip((plan.rows, plan.columns), own, strict=True):
            found += [(size, count) for count in vertices if count] * (plan.runs * plan.responses)
        found.append((plan.runs, 1))
        sizes, counts = zip(*found, strict=True)
        return list(sizes), list(counts)

    def facts(self, run: Run) -> Mapping[str, str]:
        """The game, the parts, and the pair."""
        problem, plan = run.problem, run.plan
        responses = plan.runs * plan.responses
        return {
            "data": f"{run.pair.first.name}, {problem.n} records, {problem.rows} x {problem.columns}",
            "runs": f"{plan.runs} of {plan.part // plan.runs} records",
            "responses": f"{responses} of each player, {plan.part // responses} records each, by {self.responder}",
            "choice": f"{plan.part} records, epsilon {decimal_up(float(plan.epsilon), 6)}",
            "pair": "the first record's payoffs change their sign; the choice reads it",
        }


@dataclass(frozen=True, kw_only=True)
class Trees(Selections, BilinearGame):
    """The same for variance-reduced Frank-Wolfe, which chooses one vertex at every leaf."""

    def selections(self, run: Run) -> tuple[list[int], list[int]]:
        """One at every leaf."""
        return [run.plan.dimension] * run.plan.steps, [1] * run.plan.steps

    def facts(self, run: Run) -> Mapping[str, str]:
        """The game, the trees, and the pair."""
        problem, plan = run.problem, run.plan
        return {
            "data": f"{run.pair.first.name}, {problem.n} records, {problem.rows} x {problem.columns}",
            "trees": f"{plan.phases}, {plan.steps} leaves, {plan.records} records used",
            "noise": ", ".join(decimal_up(scale, 6) for scale in plan.scales),
            "pair": "the first record's payoffs change their sign; the root of the first tree reads it",
        }


@dataclass(frozen=True, kw_only=True)
class RandomQueries(Draws, Transcripts):
    """Queries with signs for values on a universe, and records from it, with the worst-case record first.

    Attributes:
        records: n.
        elements: Of the universe.
        queries: How many.
    """

    records: int
    elements: int
    queries: int

    def problem(self) -> Queries:
        """The public queries."""
        sizes = {"records": self.records, "elements": self.elements, "queries": self.queries}
        fits("numbers", sizes, (self.records + self.elements) * self.queries, MOST_NUMBERS)
        signs = np.random.default_rng(_SEED).choice([-1.0, 1.0], (self.elements, self.queries))
        return Queries(self.records, signs)

    def pair(self, problem: Queries, adjacency: type[Adjacency]) -> QueryPair:
        """The first record's answers change their sign.

        >>> from dpref.units import ReplaceOne
        >>> queries = RandomQueries(records=5, elements=3, queries=2)
        >>> pair = queries.pair(queries.problem(), ReplaceOne)
        >>> pair.first.answers[0].tolist(), pair.second.answers[0].tolist()
        ([1.0, -1.0], [-1.0, 1.0])
        """
        drawn = np.random.default_rng(_SEED).integers(problem.elements, size=problem.n)
        return problem.worst_case_pair(problem.data(drawn, "random records"), adjacency)

    def candidates(self, run: Run) -> int:
        """The queries."""
        return int(run.problem.queries)

    def facts(self, run: Run) -> Mapping[str, str]:
        """The queries, the rounds, the draws and the pair."""
        problem, plan = run.problem, run.plan
        return {
            "data": f"{problem.n} records, {problem.queries} queries, {problem.elements} elements",
            "rounds": f"{plan.steps}, {sum(plan.batches)} records used",
            "drawn queries": str(plan.draws),
            "step sizes": f"{decimal_up(plan.step_size, 6)} (queries), {decimal_up(plan.law_step, 6)} (law)",
            "epsilon of one query": decimal_up(plan.epsilon_per_draw, 6),
            "pair": "the first record's answers change their sign",
        }


def _ratios(
    run: Run, neighbour: Neighbour, trials: int, rng: np.random.Generator, score: Callable[[Trace, Trace], float]
) -> FloatArray:
    """The log-likelihood ratios of so many runs on one side, each scored by itself and the forced run on the other."""
    (data, other), found = run.sides(neighbour), np.empty(trials)
    for trial in range(trials):
        seen = run.sample(data, rng)
        found[trial] = score(seen.trace, run.forced(other, seen))
    return (2 * neighbour - 1) * found + 0.0  # no zero has a sign, as in `Run.log_likelihood_ratio`


def only_transcripts(release: str) -> None:
    """Refuse an output: nothing is known of how to score it.

    Raises:
        InvalidArgumentError: If that is what is released.

    >>> only_transcripts("transcript")
    """
    if release != "transcript":
        raise InvalidArgumentError("release", release, "only transcripts of drawn vertices are audited")


INSTANCES: Final[Mapping[str, tuple[type[Instance], ...]]] = MappingProxyType(
    {
        "mirror-descent": (BilinearGame,),
        "bias-reduced-mirror-descent": (DrawnLevels,),
        "anytime-mirror-descent": (OnePlayer,),
        "boosted-mirror-descent": (ManyRuns,),
        "variance-reduced-frank-wolfe": (Trees,),
        "synthetic-data": (RandomQueries,),
    }
)
