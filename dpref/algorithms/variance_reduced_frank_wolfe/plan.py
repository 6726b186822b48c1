"""The numbers of variance-reduced Frank-Wolfe: what is chosen, who reads which records, what a run spends."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, Final, Generic

import numpy as np
from flint import arb

from dpref.algorithms.choice_calibration import Calibration, most_epsilon
from dpref.algorithms.choices import Choices
from dpref.algorithms.declaration import Planned
from dpref.algorithms.forms import Form
from dpref.algorithms.variance_reduced_frank_wolfe.formulas import away, change, choice_scale, span
from dpref.checks import natural, open_unit, positive_rational
from dpref.errors import InvalidArgumentError
from dpref.mechanisms.exponential import ChoiceNoise, Law
from dpref.privacy.closed_forms.conversions import zcdp_rho
from dpref.privacy.closed_forms.parallel import alongside
from dpref.privacy.events.ledger import Ledger, Repeat
from dpref.problems.games import Game
from dpref.problems.players import Player, centre, opponent_point, sides
from dpref.reals import BALL, RATIONAL, FloatArray, ball, evaluate, float_up, upper
from dpref.units import A, AddOrRemoveOne, Adjacency, ApproximateDP, PrivacyLoss, Sensitivity, Span, differing_records

# What a choice of epsilon costs in zCDP, over epsilon squared: a bounded range 1/8, pure DP 1/2.
WEIGHTS: Final[dict[Law, Fraction]] = {"gumbel": Fraction(1, 8), "laplace": Fraction(1, 2)}
MOST_PHASES: Final = 20


@dataclass(frozen=True)
class Params(Choices, Generic[A]):
    """The budget, the phases, and the noise of the choices.

    Attributes:
        epsilon: Privacy budget, exact, positive.
        delta: Privacy slack, exact, in (0, 1).
        phases: T: phase t makes 2^t steps, at the leaves of a tree of depth t.
        batch: b, the records of a root; a right child of depth k reads b / 2^k, rounded up.
        adjacency: Replace-one or zero-out, always explicit.
        player: Whose vertices: the first minimises f(., u; z), the second minimises -f(u, .; z).
        opponent: u, a public point of the other player's simplex; its centre by default.
        law: Of the noise on a vertex's score.
        calibration: How the scales are computed: by zCDP in closed form (the default), or as small as an accountant
            certifies.
    """

    epsilon: Fraction
    delta: Fraction
    phases: int
    batch: int
    adjacency: type[A]
    player: Player = "first"
    opponent: FloatArray | None = None
    law: Law = "gumbel"
    calibration: Calibration = "zcdp"


@dataclass(frozen=True)
class Plan(Planned[Span, ApproximateDP, A]):
    """The trees and their noise; the sensitivity is that of a choice by the scores of a root's gradient.

    Attributes:
        law: Of the noise.
        batches: For each phase how many records a node of depth 0, 1, ... reads of its own.
        relative: For each phase how far a record of a node of depth 0, 1, ... moves the scores of the leaves below,
            over what a root's record does.
        scales: Of the noise on the scores, for each phase.
        rows: d_x.
        columns: d_y.
        player: Whose vertices.
        opponent: The other player's point.

    >>> from dpref.algorithms import game_examples as examples
    >>> made = examples.variance_reduced_frank_wolfe().plan
    >>> made.batches, made.steps, made.records, made.oracle_calls
    (((2, 1), (2, 1, 1)), 6, 8, 12)
    """

    law: Law
    batches: tuple[tuple[int, ...], ...]
    relative: tuple[tuple[Fraction, ...], ...]
    scales: tuple[float, ...]
    rows: int
    columns: int
    player: Player
    opponent: tuple[float, ...]

    @property
    def phases(self) -> int:
        """T."""
        return len(self.scales)

    @property
    def first(self) -> bool:
        """Whether the first player's vertices are chosen."""
        return self.player == "first"

    @property
    def dimension(self) -> int:
        """Number of the player's vertices."""
        return self.rows if self.first else self.columns

    @property
    def start(self) -> tuple[float, ...]:
        """The first point: equal weights."""
        return centre(self.dimension)

    @property
    def steps(self) -> int:
        """Number of choices: one at every leaf."""
        return sum(2**t for t in range(1, self.phases + 1))

    @property
    def records(self) -> int:
        """How many records are read, each once."""
        return sum(_read(batches) for batches in self.batches)

    @property
    def oracle_calls(self) -> int:
        """Number of single-record gradients: one for a root's record, two for another."""
        return sum(2 * _read(batches) - batches[0] for batches in self.batches)

    @property
    def numbers(self) -> dict[str, Any]:
        """The records of a root, from which the others follow."""
        return {"batch": self.batches[0][0]}

    def moved(self, phase: int, depth: int) -> Sensitivity[Span, A]:
        """How far a record of a node of that depth moves the differences of scores at the leaves below it.

        Args:
            phase: t, from 1.
            depth: k, from 0.
        """
        return self.sensitivity.scale(self.relative[phase - 1][depth])

    def noise(self, phase: int) -> ChoiceNoise:
        """The noise on every score of a phase.

        Args:
            phase: t, from 1.
        """
        return ChoiceNoise(self.law, self.scales[phase - 1])


def _read(batches: tuple[int, ...]) -> int:
    """The records of a tree: its root's, and those of $2^{k-1}$ right children of each depth k."""
    return batches[0] + sum(size << k for k, size in enumerate(batches[1:]))


def node_batches(phases: int, batch: int) -> tuple[tuple[int, ...], ...]:
    r"""$\lceil b/2^k\rceil$ for every depth k of every phase: rounded down, a record would weigh more than 2^k / b.

    Args:
        phases: T.
        batch: b.

    >>> node_batches(2, 5)
    ((5, 3), (5, 3, 2))
    """
    return tuple(tuple(-(-batch // 2**k) for k in range(t + 1)) for t in range(1, phases + 1))


def largest_batch(n: int, phases: int) -> int:
    """The largest b for which so many phases read at most n records; 0 if there is none.

    Args:
        n: Number of records.
        phases: T.

    >>> largest_batch(1000, 3)
    166
    """
    batch = 4 * n // (phases * (phases + 5))
    while batch and sum(map(_read, node_batches(phases, batch))) > n:
        batch -= 1
    return batch


def plan(problem: Game, params: Params[A]) -> Plan[A]:
    """Every number of the run, from public information alone.

    Raises:
        InvalidArgumentError: If a parameter breaks its rule, or there are too few records.

    References:
        Asi, Feldman, Koren and Talwar 2021 (the algorithm; its constants are not used).

    >>> from dpref.units import ReplaceOne
    >>> problem = Game(n=1000, rows=4, columns=1, ramp=Fraction(2))
    >>> made = plan(problem, Params(Fraction(1), Fraction(1, 10**5), 3, 160, ReplaceOne))
    >>> made.sensitivity.value, made.records, [round(scale, 3) for scale in made.scales]
    (Fraction(1, 40), 960, [0.163, 0.208, 0.282])
    """
    epsilon, delta = positive_rational("epsilon", params.epsilon), open_unit("delta", params.delta)
    phases, batch = natural("phases", params.phases), natural("batch", params.batch)
    if params.adjacency is AddOrRemoveOne:
        raise InvalidArgumentError("adjacency", params.adjacency.name, "the nodes divide a fixed number of records")
    if params.form is Form.AS_PRINTED:
        raise InvalidArgumentError(
            "form", params.form, "must be repaired: the source's constants are not part of dpref"
        )
    if phases > MOST_PHASES:
        raise InvalidArgumentError("phases", phases, f"must be at most {MOST_PHASES}, which make two million steps")
    batches = node_batches(phases, batch)
    if (needed := sum(map(_read, batches))) > problem.n:
        rule = f"{phases} phases would read {needed} records of {problem.n}; take at most"
        raise InvalidArgumentError("batch", batch, f"{rule} {largest_batch(problem.n, phases)}, or fewer phases")
    L0, differing = problem.lipschitz, Fraction(differing_records(params.adjacency))
    scale = _scale if params.calibration == "zcdp" else _certified_scale
    root = span(RATIONAL, L0, Fraction(batch), differing)
    spans = [
        [root, *(span(RATIONAL, _change(problem, t, k), Fraction(sizes[k]), differing) for k in range(1, t + 1))]
        for t, sizes in enumerate(batches, start=1)
    ]
    return Plan(
        form=params.form,
        sensitivity=Sensitivity(root, Span, params.adjacency),
        claimed=PrivacyLoss(epsilon, ApproximateDP, params.adjacency, delta),
        law=params.law,
        batches=batches,
        relative=tuple(tuple(moved / root for moved in each) for each in spans),
        scales=tuple(scale(each, epsilon, delta, params.law) for each in spans),
        rows=problem.rows,
        columns=problem.columns,
        player=params.player,
        opponent=opponent_point(params.opponent, sides(problem, params.player)[1]),
    )


def _change(problem: Game, t: int, k: int) -> Fraction:
    """How far a gradient's entry may change from a node's parent to a right child of depth k in phase t."""
    distance = away(RATIONAL, Fraction(2**t), Fraction(2 ** (t - k)))
    return change(RATIONAL, problem.lipschitz, problem.smoothness, distance)


def _scale(spans: list[Fraction], epsilon: Fraction, delta: Fraction, law: Law) -> float:
    """The least scale, rounded up, with which no record of a phase costs more than rho, from epsilon and delta."""

    def needed(depth: int, moved: Fraction) -> arb:
        rho = zcdp_rho(BALL, ball(epsilon), -ball(delta).log())
        return choice_scale(BALL, ball(moved), ball(2 ** (len(spans) - 1 - depth)), rho, ball(WEIGHTS[law]))

    return max(upper(evaluate(lambda k=k, s=s: needed(k, s))) for k, s in enumerate(spans))  # type: ignore[misc]


def _certified_scale(spans: list[Fraction], epsilon: Fraction, delta: Fraction, law: Law) -> float:
    """The same with the epsilon of a choice that an accountant certifies for as many as a record is in."""
    counts = (2 ** (len(spans) - 1 - depth) for depth in range(len(spans)))
    return max(
        float_up(moved / most_epsilon(epsilon, delta, count, law)) for moved, count in zip(spans, counts, strict=True)
    )


def ledger(plan: Plan[A]) -> Ledger[A]:
    """What the run will spend: a record of a node is in the choices at the leaves below it, and in no others.

    >>> from dpref.algorithms import game_examples as examples
    >>> print(ledger(examples.variance_reduced_frank_wolfe().plan))  # doctest: +ELLIPSIS
    parallel(compose(exponential(epsilon=...), 2), ...) under replace-one
    """
    adjacency = plan.sensitivity.adjacency
    # Of every phase, in the order in which a run comes to a node of each depth for the first time.
    depths = ((t, k) for t in range(1, plan.phases + 1) for k in (0, *range(t, 0, -1)))
    parts = [Ledger(Repeat(plan.noise(t).event(plan.moved(t, k)), 2 ** (t - k)), adjacency) for t, k in depths]
    return Ledger(alongside(parts), adjacency)


def examples(problem: Game, adjacency: type[Adjacency]) -> tuple[Params[Any], ...]:
    """Parameters that suit a problem: the first are timed, all are varied by property tests.

    >>> from dpref.algorithms.game_examples import variance_reduced_frank_wolfe as example
    >>> len(examples(example().problem, example().plan.sensitivity.adjacency))
    5
    """
    phases = max(t for t in range(1, 8) if t == 1 or largest_batch(problem.n, t) >= 2 ** (t - 1))
    base = Params(Fraction(1), Fraction(1, 10**6), phases, max(1, largest_batch(problem.n, phases)), adjacency)
    short = replace(base, phases=min(2, problem.n // 2), batch=1)
    corner = np.eye(problem.rows)[0]
    return (
        base,
        replace(short, law="laplace", epsilon=Fraction(20)),
        replace(short, player="second", opponent=corner),
        replace(short, epsilon=Fraction(50)),
        replace(short, epsilon=Fraction(50), calibration="accountant"),
    )
