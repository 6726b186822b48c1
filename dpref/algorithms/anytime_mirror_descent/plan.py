"""The numbers of anytime mirror descent: what is chosen, when vertices are drawn anew, what a run spends."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, Generic

import numpy as np

from dpref.algorithms.anytime_mirror_descent.formulas import mixture_epsilon, printed_draws, printed_step, zcdp_step
from dpref.algorithms.choices import Choices
from dpref.algorithms.declaration import Planned
from dpref.algorithms.forms import Form
from dpref.algorithms.mirror_descent.plan import Calibration, capped, check_range, differing
from dpref.checks import natural, open_unit, positive_rational
from dpref.errors import InvalidArgumentError
from dpref.mechanisms.exponential import mixture_event
from dpref.privacy.events.ledger import Ledger
from dpref.problems.games import Game
from dpref.problems.players import Player, opponent_point, sides
from dpref.reals import BALL, RATIONAL, FloatArray, ball, evaluate, exact, lower
from dpref.units import A, Adjacency, ApproximateDP, Linf, PrivacyLoss, Sensitivity


@dataclass(frozen=True)
class Params(Choices, Generic[A]):
    """The budget, the steps, and how often vertices are drawn.

    Attributes:
        epsilon: Privacy budget, exact, positive, below 8 ln(1/delta).
        delta: Privacy slack, exact, in (0, 1).
        steps: T, the number of iterates that the output averages.
        round_length: q: vertices are drawn anew in the first q steps and at every multiple of q.
        samples: K, the vertices that one gradient is taken at the average of, and that the output averages.
        adjacency: Replace-one or zero-out, always explicit.
        player: Whose vertices: the first minimises f(., u; z), the second minimises -f(u, .; z).
        opponent: u, a public point of the other player's simplex; its centre by default.
        calibration: How tau is computed; as printed "pure" only.
        step_size: A smaller tau, exact, where the budget allows more than the regret wants; never a larger one.
    """

    epsilon: Fraction
    delta: Fraction
    steps: int
    round_length: int
    samples: int
    adjacency: type[A]
    player: Player = "first"
    opponent: FloatArray | None = None
    calibration: Calibration | None = None
    step_size: Fraction | None = None


@dataclass(frozen=True)
class Plan(Planned[Linf, ApproximateDP, A]):
    """Batches that follow one another in the data, and when vertices are drawn.

    Its sensitivity is that of the logarithms of the weights from which vertices are drawn.

    Attributes:
        calibration: How the step size was computed.
        batches: Number of records of each step; the last iterate needs none.
        vertices: How many vertices are drawn before each step, 0 where those before are kept, then for the output.
        step_size: tau, rounded down.
        rows: d_x.
        columns: d_y.
        player: Whose vertices.
        opponent: The other player's point.

    >>> from dpref.algorithms import game_examples as examples
    >>> made = examples.anytime_mirror_descent().plan
    >>> made.steps, made.vertices, made.oracle_calls
    (6, (2, 2, 0, 2, 0, 2), 5)
    """

    calibration: str
    batches: tuple[int, ...]
    vertices: tuple[int, ...]
    step_size: float
    rows: int
    columns: int
    player: Player
    opponent: tuple[float, ...]

    @property
    def promise(self) -> PrivacyLoss[ApproximateDP, A]:
        """Its (epsilon, delta), in both forms."""
        return self.claimed

    @property
    def steps(self) -> int:
        """T, the number of iterates."""
        return len(self.vertices)

    @property
    def dimension(self) -> int:
        """Number of the player's vertices."""
        return self.rows if self.player == "first" else self.columns

    @property
    def first(self) -> bool:
        """Whether the first player's vertices are drawn."""
        return self.player == "first"

    @property
    def epsilon_per_draw(self) -> Fraction:
        """Epsilon of the mixture that draws one vertex, exact: the sensitivity of the weights' logarithms."""
        return self.sensitivity.value

    @property
    def draws(self) -> int:
        """Number of vertices drawn in all."""
        return sum(self.vertices)

    @property
    def oracle_calls(self) -> int:
        """Number of single-record gradients of the player."""
        return sum(self.batches)


def refreshed(steps: int, round_length: int, samples: int) -> tuple[int, ...]:
    """How many vertices are drawn before each of the first T - 1 steps (line 3), and for the output.

    Args:
        steps: T.
        round_length: q.
        samples: K.

    >>> refreshed(6, 2, 5)
    (5, 5, 0, 5, 0, 5)
    """
    kept = (samples if t <= round_length or t % round_length == 0 else 0 for t in range(1, steps))
    return (*kept, samples)


def plan(problem: Game, params: Params[A]) -> Plan[A]:
    """Every number of the run, from public information alone.

    Raises:
        InvalidArgumentError: If a parameter breaks its rule or a hypothesis of Proposition 4.3 fails.

    References:
        Gonzalez, Guzman and Paquette 2024, Algorithm 5, Proposition 4.3.

    >>> from dpref.units import ReplaceOne
    >>> problem = Game(n=1000, rows=4, columns=1, ramp=Fraction(2))
    >>> made = plan(problem, Params(Fraction(1), Fraction(1, 10**5), 100, 10, 2, ReplaceOne))
    >>> made.batches[0], made.draws, made.oracle_calls
    (10, 38, 990)
    """
    epsilon, delta = positive_rational("epsilon", params.epsilon), open_unit("delta", params.delta)
    steps, samples = natural("steps", params.steps), natural("samples", params.samples)
    length = natural("round_length", params.round_length)
    if steps > problem.n:
        raise InvalidArgumentError("steps", steps, f"must be at most the number of records, {problem.n}")
    batch, times, printed = problem.n // steps, differing(params.adjacency), params.form is Form.AS_PRINTED
    calibration = params.calibration or ("pure" if printed else "zcdp")
    if printed and calibration != "pure":
        raise InvalidArgumentError("calibration", calibration, "must be pure as printed")
    check_range(epsilon, delta, "Proposition 4.3")
    vertices = refreshed(steps, length, samples)
    counted = printed_draws(RATIONAL, *map(Fraction, (steps, length, samples))) if printed else Fraction(sum(vertices))
    formula, L0 = printed_step if calibration == "pure" else zcdp_step, problem.lipschitz * times / 2
    found = evaluate(lambda: formula(BALL, ball(batch), ball(epsilon), ball(L0), ball(counted), -ball(delta).log()))
    tau = capped(exact(lower(found)), params.step_size)
    return Plan(
        form=params.form,
        calibration=calibration,
        claimed=PrivacyLoss(epsilon, ApproximateDP, params.adjacency, delta),
        sensitivity=Sensitivity(mixture_epsilon(RATIONAL, tau, Fraction(batch), L0), Linf, params.adjacency),
        batches=(batch,) * (steps - 1),
        vertices=vertices,
        step_size=float(tau),
        rows=problem.rows,
        columns=problem.columns,
        player=params.player,
        opponent=opponent_point(params.opponent, sides(problem, params.player)[1]),
    )


def ledger(plan: Plan[A]) -> Ledger[A]:
    """What the run will spend: one mixture of exponential mechanisms a drawn vertex.

    >>> from dpref.algorithms import game_examples as examples
    >>> ledger(examples.anytime_mirror_descent().plan).event.count
    8
    """
    return Ledger(mixture_event(plan.sensitivity, plan.draws), plan.sensitivity.adjacency)


def examples(problem: Game, adjacency: type[Adjacency]) -> tuple[Params[Any], ...]:
    """Parameters that suit a problem: the first are timed, all are varied by property tests.

    >>> from dpref.algorithms.game_examples import anytime_mirror_descent as example
    >>> len(examples(example().problem, example().plan.sensitivity.adjacency))
    5
    """
    steps = min(200, problem.n)
    base = Params(Fraction(1), Fraction(1, 10**6), steps, min(5, steps), 20, adjacency)
    short = replace(base, steps=min(6, problem.n), round_length=2, samples=2)
    corner = np.eye(problem.rows)[0]
    return (
        base,
        replace(short, calibration="pure"),
        replace(short, step_size=Fraction(1, 7)),
        replace(short, player="second", opponent=corner),
        replace(short, form=Form.AS_PRINTED),
    )
