"""The numbers of synthetic data by mirror descent: what is chosen, both steps, what a run spends."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, Generic

from dpref.algorithms.choice_calibration import Calibration, most_epsilon
from dpref.algorithms.choices import Choices
from dpref.algorithms.declaration import Planned
from dpref.algorithms.forms import Form
from dpref.algorithms.synthetic_data.formulas import budget_step, law_step, query_step, score_sensitivity
from dpref.checks import natural, open_unit, positive_rational
from dpref.errors import InvalidArgumentError
from dpref.mechanisms.exponential import exponential_event, selection_range
from dpref.privacy.closed_forms.conversions import zcdp_rho
from dpref.privacy.events.ledger import Ledger
from dpref.problems.queries import Queries
from dpref.reals import BALL, RATIONAL, ball, evaluate, exact, float_down, lower
from dpref.units import (
    A,
    AddOrRemoveOne,
    Adjacency,
    ApproximateDP,
    Linf,
    PrivacyLoss,
    Sensitivity,
    differing_records,
)


@dataclass(frozen=True)
class Params(Choices, Generic[A]):
    """The budget, the rounds, and how often a query is drawn in each.

    Attributes:
        epsilon: Privacy budget, exact, positive.
        delta: Privacy slack, exact, in (0, 1).
        rounds: T.
        draws: K, queries drawn in a round, each of which moves the law on the universe.
        adjacency: Replace-one or zero-out, always explicit.
        step_size: The most that tau_y may be, exact; what the error wants by default.
        law_step: tau_x, exact; what the error wants by default.  It costs nothing.
        calibration: How the budget's tau_y is computed: by zCDP in closed form (the default), or as large as an
            accountant certifies.
    """

    epsilon: Fraction
    delta: Fraction
    rounds: int
    draws: int
    adjacency: type[A]
    step_size: Fraction | None = None
    law_step: Fraction | None = None
    calibration: Calibration = "zcdp"


@dataclass(frozen=True)
class Plan(Planned[Linf, ApproximateDP, A]):
    """Batches that follow one another in the data, and both steps; the sensitivity is that of a query's score.

    Attributes:
        batches: Number of records of each round; the last one needs none.
        vertices: How many queries are drawn in each round.
        step_size: tau_y, rounded down.
        law_step: tau_x.

    >>> from dpref.algorithms import game_examples as examples
    >>> made = examples.synthetic_data().plan
    >>> made.batches, made.vertices, made.draws, made.oracle_calls
    ((2, 2, 2), (2, 2, 2, 2), 8, 6)
    """

    batches: tuple[int, ...]
    vertices: tuple[int, ...]
    step_size: float
    law_step: float

    @property
    def steps(self) -> int:
        """T, the number of rounds."""
        return len(self.vertices)

    @property
    def draws(self) -> int:
        """Number of queries drawn in all."""
        return sum(self.vertices)

    @property
    def epsilon_per_draw(self) -> Fraction:
        """Epsilon of the exponential mechanism that draws one query, exact: twice the sensitivity."""
        return selection_range(RATIONAL, self.sensitivity.value, Fraction(1))

    @property
    def oracle_calls(self) -> int:
        """How many records' answers are read, each once; the law's gradient needs none."""
        return sum(self.batches)


def plan(problem: Queries, params: Params[A]) -> Plan[A]:
    """Every number of the run, from public information alone.

    Raises:
        InvalidArgumentError: If a parameter breaks its rule.

    References:
        Gonzalez, Guzman and Paquette 2024, Theorem 1.1 (reconstructed).

    >>> from dpref.problems.examples import coin_queries
    >>> from dpref.units import ReplaceOne
    >>> made = plan(coin_queries(1000), Params(Fraction(1), Fraction(1, 10**5), 50, 1, ReplaceOne))
    >>> made.sensitivity.value * 20 / 2 == exact(made.step_size), round(made.step_size, 4), round(made.law_step, 4)
    (True, 0.0833, 0.1665)
    """
    epsilon, delta = positive_rational("epsilon", params.epsilon), open_unit("delta", params.delta)
    rounds, draws = natural("rounds", params.rounds), natural("draws", params.draws)
    if params.form is Form.AS_PRINTED:
        raise InvalidArgumentError("form", params.form, "must be repaired: Theorem 1.1 is printed without an algorithm")
    if params.adjacency is AddOrRemoveOne:
        raise InvalidArgumentError("adjacency", params.adjacency.name, "the batches divide a fixed number of records")
    if rounds > problem.n:
        raise InvalidArgumentError("rounds", rounds, f"must be at most the number of records, {problem.n}")
    batch, differing = problem.n // rounds, differing_records(params.adjacency)

    def allowed() -> float:
        if params.calibration == "accountant":
            each = most_epsilon(epsilon, delta, rounds * draws, "gumbel")  # twice the sensitivity
            return float_down(each * batch / (2 * differing))
        rho = zcdp_rho(BALL, ball(epsilon), -ball(delta).log())
        return lower(budget_step(BALL, ball(batch), ball(rounds), ball(draws), rho, ball(differing)))

    wanted = evaluate(lambda: query_step(BALL, ball(problem.queries), ball(rounds)))
    most = lower(wanted) if params.step_size is None else float_down(positive_rational("step_size", params.step_size))
    tau = min(most, allowed())
    free = evaluate(lambda: law_step(BALL, ball(problem.elements), ball(rounds), ball(draws)))
    moved = score_sensitivity(RATIONAL, exact(tau), Fraction(batch), Fraction(differing))
    return Plan(
        form=params.form,
        sensitivity=Sensitivity(moved, Linf, params.adjacency),
        claimed=PrivacyLoss(epsilon, ApproximateDP, params.adjacency, delta),
        batches=(batch,) * (rounds - 1),
        vertices=(draws,) * rounds,
        step_size=tau,
        law_step=lower(free) if params.law_step is None else float(positive_rational("law_step", params.law_step)),
    )


def ledger(plan: Plan[A]) -> Ledger[A]:
    """What the run will spend: one exponential mechanism a drawn query.

    >>> from dpref.algorithms import game_examples as examples
    >>> ledger(examples.synthetic_data().plan).event.count
    8
    """
    return Ledger(exponential_event(plan.epsilon_per_draw, plan.draws), plan.sensitivity.adjacency)


def examples(problem: Queries, adjacency: type[Adjacency]) -> tuple[Params[Any], ...]:
    """Parameters that suit a problem: the first are timed, all are varied by property tests.

    >>> from dpref.algorithms.game_examples import synthetic_data as example
    >>> len(examples(example().problem, example().plan.sensitivity.adjacency))
    5
    """
    base = Params(Fraction(1), Fraction(1, 10**6), min(200, problem.n), 1, adjacency)
    short = replace(base, rounds=min(4, problem.n), draws=2)
    return (
        base,
        replace(short, epsilon=Fraction(50)),
        replace(short, step_size=Fraction(1, 7), law_step=Fraction(3)),
        replace(short, epsilon=Fraction(1000), step_size=Fraction(5), draws=1),
        replace(short, epsilon=Fraction(20), calibration="accountant"),
    )
