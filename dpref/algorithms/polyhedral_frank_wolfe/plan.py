"""The numbers of DP-POFW: what the user chooses, what the run needs, what it spends."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, Protocol

from flint import arb

from dpref.algorithms.choices import Budgeted
from dpref.algorithms.declaration import Planned
from dpref.algorithms.forms import Form
from dpref.algorithms.polyhedral_frank_wolfe.formulas import (
    choice_rate,
    choice_scale,
    printed_scale,
    printed_span,
    repaired_span,
)
from dpref.checks import open_unit, positive_rational
from dpref.errors import InvalidArgumentError
from dpref.geometry import candidates
from dpref.geometry.linear_minimization import LinearMinimizationOracle
from dpref.mechanisms.exponential import ChoiceNoise, Law
from dpref.privacy.closed_forms.conversions import zcdp_rho
from dpref.privacy.events.ledger import Compose, Ledger
from dpref.privacy.events.walks import canonical
from dpref.privacy.time_limit import checkpoint
from dpref.problems.stream import VertexStream
from dpref.reals import BALL, DEFAULT_PRECISION, RATIONAL, ball, precision, upper
from dpref.units import A, Adjacency, ApproximateDP, PrivacyLoss, Sensitivity, Span, differing_records

# What a choice of epsilon_t costs in zCDP, over epsilon_t squared: pure DP has 1/2, a bounded range 1/8.
WEIGHTS: dict[Law, Fraction] = {"laplace": Fraction(1, 2), "gumbel": Fraction(1, 8)}


@dataclass(frozen=True)
class Params(Budgeted[A]):
    """The budget of the whole stream, and the noise of its choices.

    Attributes:
        law: Of the noise on a vertex's score; of the printed form "laplace" only.
        step_scale: c, exact, in (0, 1].

    >>> from dpref.units import ReplaceOne
    >>> Params(epsilon=Fraction(1), delta=Fraction(1, 1000), adjacency=ReplaceOne).law
    'laplace'
    """

    law: Law = "laplace"
    step_scale: Fraction = Fraction(1)


@dataclass(frozen=True)
class Plan(Planned[Span, ApproximateDP, A]):
    """The noise of every choice, and the steps along the stream; ``sensitivity`` is the span of the first choice.

    Attributes:
        law: Of the noise.
        records: n, the number of records.
        scales: b_1, ..., b_n.
        candidates: V, the number of vertices.
        step_scale: c.
        start: The first iterate, shape (d,).
    """

    law: Law
    records: int
    scales: tuple[float, ...]
    candidates: int
    step_scale: Fraction
    start: tuple[float, ...]

    @property
    def steps(self) -> int:
        """Number of choices: one for each record."""
        return self.records

    @property
    def oracle_calls(self) -> int:
        """Number of single-record gradients: two a record, and one for the first."""
        return 2 * self.records - 1

    @property
    def ahead(self) -> int:
        """What the printed weights add to the number of a record: d_t is a sum over t + ahead."""
        return int(self.form is Form.AS_PRINTED)

    def moved(self, t: int) -> Sensitivity[Span, A]:
        """How far the differences of scores move in round t: as in the first, over the weights of d_t.

        Args:
            t: From 1.
        """
        return self.sensitivity.scale(Fraction(1 + self.ahead, t + self.ahead))

    def noise(self, t: int) -> ChoiceNoise:
        """The noise on every score of round t.

        Args:
            t: From 1.
        """
        return ChoiceNoise(self.law, self.scales[t - 1])


def plan(problem: VertexStream, params: Params[A]) -> Plan[A]:
    """Every number of the run, from public information alone.

    Raises:
        InvalidArgumentError: If a parameter breaks its rule.

    References:
        Han et al., Algorithm 2, Theorem 3.4.

    >>> from dpref.problems.examples import vertex_stream
    >>> from dpref.units import ReplaceOne
    >>> made = plan(vertex_stream(n=1000), Params(Fraction(1), Fraction(1, 1000), ReplaceOne))
    >>> made.sensitivity.value, round(made.scales[0], 1), made.candidates, made.oracle_calls
    (Fraction(6, 1), 63.1, 4, 1999)
    """
    sensitivity, scales = choices(problem, params, problem.n, problem.n)
    return Plan(
        sensitivity=sensitivity,
        form=params.form,
        claimed=PrivacyLoss(params.epsilon, ApproximateDP, params.adjacency, params.delta),
        law=params.law,
        records=problem.n,
        scales=scales,
        candidates=candidates.count(problem.domain, problem.dimension),
        step_scale=params.step_scale,
        start=tuple(map(float, problem.domain.start(problem.dimension))),
    )


class Chooser(Protocol):
    """A problem whose linear minimisers are chosen among vertices."""

    @property
    def domain(self) -> LinearMinimizationOracle:
        """The polytope."""

    @property
    def lipschitz(self) -> Fraction:
        """L."""

    def sensitivity(self, adjacency: type[A], step_scale: Fraction = Fraction(1)) -> Sensitivity[Any, A]:
        """How far an increment moves, in the dual norm."""


def choices(
    problem: Chooser, params: Params[A], horizon: int, count: int
) -> tuple[Sensitivity[Span, A], tuple[float, ...]]:
    """The span of the first scores, and the scales of the noise of so many choices.

    Args:
        problem: Whose losses and set they are.
        params: Budget, form, adjacency, step scale and law of the noise.
        horizon: n of the printed scale.
        count: How many choices there are.

    Raises:
        InvalidArgumentError: If a parameter breaks its rule.

    >>> from dpref.problems.examples import vertex_stream
    >>> from dpref.units import ReplaceOne
    >>> choices(vertex_stream(), Params(Fraction(1), Fraction(1, 10), ReplaceOne), horizon=1, count=2)[0].value
    Fraction(6, 1)
    """
    c = positive_rational("step_scale", params.step_scale)
    if c > 1:
        raise InvalidArgumentError("step_scale", c, "must be at most 1")
    declared = problem.sensitivity(params.adjacency, c)
    epsilon, delta = positive_rational("epsilon", params.epsilon), open_unit("delta", params.delta)
    differing = differing_records(params.adjacency)
    S, diameter = declared.value / differing, problem.domain.diameter()
    if params.form is Form.REPAIRED:
        span = repaired_span(RATIONAL, diameter, S, Fraction(1)) * differing / 2
        scales = _scales(span, epsilon, delta, count, WEIGHTS[params.law])
    else:
        if params.law != "laplace":
            raise InvalidArgumentError("law", params.law, "the printed noise is laplace")
        span = printed_span(RATIONAL, diameter, S, problem.lipschitz, Fraction(1)) * differing / 2
        scales = _printed_scales(diameter * S, epsilon, delta, horizon, count)
    return Sensitivity(span, Span, params.adjacency), scales


def _printed_scales(DS: Fraction, epsilon: Fraction, delta: Fraction, n: int, count: int) -> tuple[float, ...]:
    """The scales of line 8, rounded up; all zero for a stream of one record (E-5)."""
    if n == 1:
        return (0.0,) * count
    with precision(DEFAULT_PRECISION):
        logs = ball(n).log(), -ball(delta).log()
        return tuple(
            upper(printed_scale(BALL, ball(DS), arb(1), *logs, ball(epsilon), ball(t)))
            for t in _each(count, "the noise of choices")
        )


def _scales(span: Fraction, epsilon: Fraction, delta: Fraction, count: int, weight: Fraction) -> tuple[float, ...]:
    """The scales with which all choices together are rho-zCDP, rho from epsilon and delta; rounded up."""
    with precision(DEFAULT_PRECISION):
        rho = zcdp_rho(BALL, ball(epsilon), -ball(delta).log())
        harmonic = sum((1 / ball(t) for t in range(1, count + 1)), arb(0))
        rate = choice_rate(BALL, rho, harmonic, ball(weight))
        first = ball(span)
        return tuple(upper(choice_scale(BALL, first / t, rate, ball(t))) for t in _each(count, "the noise of choices"))


def _each(count: int, doing: str) -> Iterator[int]:
    """1 to a count, saying now and then what is being done: a million choices take a minute."""
    for t in range(1, count + 1):
        if t % 1024 == 0:
            checkpoint(f"{doing}: {t} of {count}")
        yield t


def ledger(plan: Plan[A]) -> Ledger[A]:
    """What the run will spend: one noisy choice a record, each of its own epsilon.

    >>> from dpref.problems.examples import vertex_stream
    >>> from dpref.units import ReplaceOne
    >>> made = plan(vertex_stream(n=2), Params(Fraction(1), Fraction(1, 10), ReplaceOne, law="gumbel"))
    >>> [round(float(event.epsilon), 3) for event in ledger(made).event.events]  # over the roots of 1 and 2
    [0.693, 0.49]
    """
    events = (plan.noise(t).event(plan.moved(t)) for t in _each(len(plan.scales), "the ledger of choices"))
    return Ledger(canonical(Compose(tuple(events))), plan.sensitivity.adjacency)


def examples(problem: VertexStream, adjacency: type[Adjacency]) -> tuple[Params[Any], ...]:
    """Parameters that suit a problem: the first are timed, all are varied by property tests.

    >>> from dpref.algorithms.examples import polyhedral_frank_wolfe as example
    >>> len(examples(example().problem, example().plan.sensitivity.adjacency))
    4
    """
    base = Params(Fraction(1), Fraction(1, 10**6), adjacency)
    return (
        base,
        replace(base, law="gumbel"),
        replace(base, epsilon=Fraction(20), step_scale=Fraction(1, 2)),
        replace(base, form=Form.AS_PRINTED),
    )
