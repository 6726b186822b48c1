r"""The routines that answer a candidate: each minimises one player's loss against the other's point, privately.

Line 7 and line 8 of Algorithm 4 leave open which private algorithm for stochastic convex optimisation is used.  A
`Routine` plans one for a budget, says what it spends, and runs it on a curator of its own records; the other player's
point is made of earlier answers and is given to it when it runs.

* `FrankWolfe`: the private variance-reduced Frank-Wolfe method, which the paper names.
* `Anytime`: Algorithm 5.
* `Vertex`: one vertex by the exponential mechanism over the empirical losses at the vertices.  Of linear losses, as a
  bilinear game has, some vertex is a minimiser; of others it minimises over vertices alone.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial
from typing import Any, NamedTuple, Protocol, runtime_checkable

import numpy as np

from dpref.algorithms.anytime_mirror_descent import algorithm as anytime
from dpref.algorithms.anytime_mirror_descent import plan as anytime_plan
from dpref.algorithms.forms import Form
from dpref.algorithms.mirror_descent.plan import differing
from dpref.algorithms.variance_reduced_frank_wolfe import algorithm as frank_wolfe
from dpref.algorithms.variance_reduced_frank_wolfe import plan as frank_wolfe_plan
from dpref.checks import natural
from dpref.curator import Curator
from dpref.mechanisms.exponential import Law, exponential_event, gumbel_scale
from dpref.privacy.events.ledger import Ledger
from dpref.problems.games import Game, GameRecords
from dpref.problems.players import Player, opponent_point, sides
from dpref.reals import Array, FloatArray, Ops
from dpref.units import A, ApproximateDP, Linf, PrivacyLoss, Sensitivity


class ResponseNumbers(NamedTuple):
    """What a kernel reads of a response's plan.

    Attributes:
        batches: Records of each step; none of a single choice, those of a root where there are trees.
        vertices: How many vertices are drawn each time, and for the output.
        step_size: Of each step.
        scales: Of the noise, of each phase where there are several.
    """

    batches: tuple[int, ...]
    vertices: tuple[int, ...]
    step_size: float
    scales: tuple[float, ...]


@runtime_checkable
class Routine(Protocol):
    """A private algorithm that answers one player's point with a point of the other player's simplex."""

    def plan(self, problem: Game, budget: PrivacyLoss[ApproximateDP, A], player: Player, form: Form) -> Any:
        """Every number of a run on the problem's records, within the budget; what it returns is the routine's own."""

    def ledger(self, plan: Any) -> Ledger[Any]:
        """What a run spends on the records that it is given."""

    def answer(self, problem: Game, plan: Any, opponent: FloatArray, curator: Curator[GameRecords, A]) -> Array:
        """A point of the player's simplex, shape (d,), against a point of the other player that is public by now."""

    def draws(self, plan: Any) -> int:
        """How often it asks the curator."""

    def numbers(self, plan: Any) -> ResponseNumbers:
        """What a kernel reads of a plan."""

    def oracle_calls(self, plan: Any) -> int:
        """Number of single-record gradients of a run."""


@dataclass(frozen=True)
class Anytime:
    """Algorithm 5 (`dpref.algorithms.anytime_mirror_descent`).

    Attributes:
        steps: T.
        round_length: q.
        samples: K.
        step_size: A smaller tau than the budget allows, exact.
    """

    steps: int
    round_length: int
    samples: int
    step_size: Fraction | None = None

    def plan(
        self, problem: Game, budget: PrivacyLoss[ApproximateDP, A], player: Player, form: Form
    ) -> anytime_plan.Plan[A]:
        """The plan of Algorithm 5, against the centre; a run takes the point that it is given."""
        return anytime_plan.plan(
            problem,
            anytime_plan.Params(
                budget.value,
                budget.delta,
                self.steps,
                self.round_length,
                self.samples,
                budget.adjacency,
                player=player,
                step_size=self.step_size,
                form=form,
            ),
        )

    def ledger(self, plan: anytime_plan.Plan[A]) -> Ledger[A]:
        """One mixture of exponential mechanisms a vertex."""
        return anytime_plan.ledger(plan)

    def answer(
        self, problem: Game, plan: anytime_plan.Plan[A], opponent: FloatArray, curator: Curator[GameRecords, A]
    ) -> Array:
        """Run it.

        >>> from dpref.algorithms import game_examples as examples
        >>> problem, plan, curator = examples.anytime_mirror_descent().live()
        >>> Anytime(6, 2, 2).answer(problem, plan, np.array([0.0, 1.0]), curator).sum().item()
        1.0
        """
        against = opponent_point(opponent, opponent.size)
        return anytime.run(problem, replace(plan, opponent=against), curator)

    def draws(self, plan: anytime_plan.Plan[A]) -> int:
        """One selection each time that vertices are drawn anew."""
        return sum(count > 0 for count in plan.vertices)

    def numbers(self, plan: anytime_plan.Plan[A]) -> ResponseNumbers:
        """Batches, vertices and step of Algorithm 5."""
        return ResponseNumbers(plan.batches, plan.vertices, plan.step_size, (1.0,))

    def oracle_calls(self, plan: anytime_plan.Plan[A]) -> int:
        """One a record of each step."""
        return plan.oracle_calls


@dataclass(frozen=True)
class FrankWolfe:
    """Private variance-reduced Frank-Wolfe (`dpref.algorithms.variance_reduced_frank_wolfe`), in its only form.

    Attributes:
        phases: T.
        batch: b, or None for the largest that the records allow.
        law: Of the noise on a vertex's score.
    """

    phases: int
    batch: int | None = None
    law: Law = "gumbel"

    def plan(
        self, problem: Game, budget: PrivacyLoss[ApproximateDP, A], player: Player, form: Form
    ) -> frank_wolfe_plan.Plan[A]:
        """The plan of a run, against the centre; a run takes the point that it is given."""
        phases = natural("phases", self.phases)
        batch = frank_wolfe_plan.largest_batch(problem.n, phases) if self.batch is None else self.batch
        params = frank_wolfe_plan.Params(
            budget.value, budget.delta, phases, batch, budget.adjacency, player=player, law=self.law
        )
        return frank_wolfe_plan.plan(problem, params)

    def ledger(self, plan: frank_wolfe_plan.Plan[A]) -> Ledger[A]:
        """What a record of a node of some depth costs."""
        return frank_wolfe_plan.ledger(plan)

    def answer(
        self, problem: Game, plan: frank_wolfe_plan.Plan[A], opponent: FloatArray, curator: Curator[GameRecords, A]
    ) -> Array:
        """Run it.

        >>> from dpref.algorithms import game_examples as examples
        >>> problem, plan, curator = examples.variance_reduced_frank_wolfe().live()
        >>> round(FrankWolfe(2).answer(problem, plan, np.array([0.0, 1.0]), curator).sum().item(), 12)
        1.0
        """
        against = opponent_point(opponent, opponent.size)
        return frank_wolfe.run(problem, replace(plan, opponent=against), curator)

    def draws(self, plan: frank_wolfe_plan.Plan[A]) -> int:
        """One selection at every leaf."""
        return plan.steps

    def numbers(self, plan: frank_wolfe_plan.Plan[A]) -> ResponseNumbers:
        """The records of a root, and the noise of every phase."""
        return ResponseNumbers(plan.batches[0][:1], (1,) * plan.steps, 0.0, plan.scales)

    def oracle_calls(self, plan: frank_wolfe_plan.Plan[A]) -> int:
        """One for a root's record, two for another."""
        return plan.oracle_calls


@dataclass(frozen=True)
class VertexPlan:
    """The plan of one choice of a vertex.

    Attributes:
        sensitivity: How far the mean loss at a vertex moves.
        epsilon: What the choice spends.
        player: Whose vertices.
    """

    sensitivity: Sensitivity[Linf, Any]
    epsilon: Fraction
    player: Player


@dataclass(frozen=True)
class Vertex:
    """One vertex by the exponential mechanism over the vertices' empirical losses."""

    def plan(self, problem: Game, budget: PrivacyLoss[ApproximateDP, A], player: Player, form: Form) -> VertexPlan:
        """All of epsilon for one choice: a mean loss moves by at most 2 L0 / n."""
        moved = problem.lipschitz * differing(budget.adjacency) / problem.n
        return VertexPlan(Sensitivity(moved, Linf, budget.adjacency), budget.value, player)

    def ledger(self, plan: VertexPlan) -> Ledger[Any]:
        """One exponential mechanism."""
        return Ledger(exponential_event(plan.epsilon), plan.sensitivity.adjacency)

    def answer(self, problem: Game, plan: VertexPlan, opponent: FloatArray, curator: Curator[GameRecords, A]) -> Array:
        """The chosen vertex.

        >>> from dpref.algorithms import game_examples as examples
        >>> problem, plan, curator = examples.boosted_mirror_descent().live()
        >>> sorted(Vertex().answer(problem, plan.responders[1], np.array([1.0, 0.0]), curator).tolist())
        [0.0, 1.0]
        """
        (drawn,) = curator.select(
            partial(vertex_scores, problem, plan.player, curator.ops, opponent),
            sensitivity=plan.sensitivity,
            epsilon=plan.epsilon,
            label=f"vertex of the {plan.player} player",
        )
        return curator.ops.lift(np.eye(sides(problem, plan.player)[0])[drawn])

    def draws(self, plan: VertexPlan) -> int:
        """One."""
        return 1

    def numbers(self, plan: VertexPlan) -> ResponseNumbers:
        """The scale of the noise."""
        return ResponseNumbers((), (1,), 0.0, (gumbel_scale(plan.sensitivity, plan.epsilon),))

    def oracle_calls(self, plan: VertexPlan) -> int:
        """None: it reads losses."""
        return 0


def vertex_scores(problem: Game, player: Player, o: Ops[Array], opponent: FloatArray, records: GameRecords) -> Array:
    """Minus the mean loss of a player at each of its vertices, shape (d,).

    Args:
        player: Whose vertices; the second player's loss is minus the first's.
        opponent: The other player's point.
        records: The private data.

    >>> from dpref.reals import FLOAT_ARRAY
    >>> from dpref.problems.examples import matching_pennies, penny_game
    >>> game = penny_game(8)
    >>> vertex_scores(game, "first", FLOAT_ARRAY, np.array([1.0, 0.0]), game.read(matching_pennies(8))).tolist()
    [-1.0, 1.0]
    """
    other, first = o.lift(opponent), player == "first"
    vertices = map(o.lift, np.eye(sides(problem, player)[0]))
    if first:
        return np.stack([-problem.mean_loss(o, e, other, records) for e in vertices])
    return np.stack([problem.mean_loss(o, other, e, records) for e in vertices])
