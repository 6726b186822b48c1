"""The numbers of DP-HDB: those of DP-POFW for every arm at once, the warm-up, and the margin of the pre-selection."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from dpref.algorithms.forms import Form
from dpref.algorithms.polyhedral_frank_wolfe import plan as vertices
from dpref.checks import natural, positive_rational
from dpref.errors import InvalidArgumentError
from dpref.geometry import candidates
from dpref.privacy.events.ledger import Ledger
from dpref.problems.bandit import Bandit
from dpref.units import A, Adjacency, ApproximateDP, JointDP, PrivacyLoss, billboard


@dataclass(frozen=True, kw_only=True)
class Params(vertices.Params[A]):
    """The budget, the warm-up and the gap.

    Attributes:
        warm_up: t_0, pulls of every arm before the first choice, at least 1.
        gap: h_sub, by which the best arm's prediction exceeds those of suboptimal arms, exact, positive.

    >>> from dpref.units import ReplaceOne
    >>> Params(Fraction(1), Fraction(1, 1000), ReplaceOne, warm_up=5, gap=Fraction(1, 2)).law
    'laplace'
    """

    warm_up: int
    gap: Fraction


@dataclass(frozen=True)
class Plan(vertices.Plan[A]):
    """The noise of the choices of an arm with so many rows, and when arms are pulled; ``claimed`` is the billboard's.

    Attributes:
        arms: K.
        warm_up: t_0.
        margin: By which an arm's warm-up prediction may fall behind the best one's.
    """

    arms: int
    warm_up: int
    margin: float

    @property
    def joint(self) -> PrivacyLoss[JointDP, A]:
        """The joint privacy of the actions, by the billboard lemma."""
        return billboard(self.claimed)

    @property
    def oracle_calls(self) -> int:
        """How many gradients are taken, two a round, one for an arm's first row, none for a synthetic row."""
        return 2 * self.records - self.arms


def plan(problem: Bandit, params: Params[A]) -> Plan[A]:
    r"""Every number of the run, from public information alone.

    After the warm-up every arm has $t-(K-1)t_0$ rows in round t, so that $T-(K-1)t_0$ choices of each arm are noised.

    Raises:
        InvalidArgumentError: If a parameter breaks its rule, or the warm-up is longer than the stream.

    References:
        Han et al., Algorithm 3, Theorem 4.1.

    >>> from dpref.units import ReplaceOne
    >>> bandit = Bandit(n=100, dimension=3, arms=2)
    >>> made = plan(bandit, Params(Fraction(1), Fraction(1, 1000), ReplaceOne, warm_up=20, gap=Fraction(1, 2)))
    >>> len(made.scales), made.margin, made.joint.measure.name
    (80, 0.25, 'joint')
    """
    warm_up, gap = natural("warm_up", params.warm_up), positive_rational("gap", params.gap)
    if problem.arms * warm_up > problem.n:
        rule = f"must be at most n / K = {Fraction(problem.n, problem.arms)}: the warm-up pulls every arm so often"
        raise InvalidArgumentError("warm_up", warm_up, rule)
    rows = problem.n - (problem.arms - 1) * warm_up
    sensitivity, scales = vertices.choices(problem, params, problem.n, rows)
    slope = problem.least_slope if params.form is Form.REPAIRED else 1.0
    return Plan(
        sensitivity=sensitivity,
        form=params.form,
        claimed=PrivacyLoss(params.epsilon, ApproximateDP, params.adjacency, params.delta),
        law=params.law,
        records=problem.n,
        scales=scales,
        candidates=candidates.count(problem.domain, problem.dimension),
        step_scale=params.step_scale,
        start=(0.0,) * problem.dimension,
        arms=problem.arms,
        warm_up=warm_up,
        margin=slope * float(gap) / 2,
    )


def ledger(plan: Plan[A]) -> Ledger[A]:
    """What the billboard will spend: as one arm's choices, since a user moves one arm's, or two by half (E-16).

    >>> from dpref.algorithms.examples import high_dimensional_bandit as example
    >>> len(ledger(example().plan).event.events)  # four rounds, of which either arm has three rows
    3
    """
    return vertices.ledger(plan)


def examples(problem: Bandit, adjacency: type[Adjacency]) -> tuple[Params[Any], ...]:
    """Parameters that suit a problem: the first are timed, all are varied by property tests.

    >>> from dpref.algorithms.examples import high_dimensional_bandit as example
    >>> len(examples(example().problem, example().plan.sensitivity.adjacency))
    3
    """
    warm_up = max(1, problem.n // (4 * problem.arms))
    base = Params(Fraction(1), Fraction(1, 10**6), adjacency, warm_up=warm_up, gap=Fraction(1, 2))
    return base, replace(base, law="gumbel", epsilon=Fraction(50)), replace(base, form=Form.AS_PRINTED)
