"""The numbers of noisy gradient descent for regularised Lipschitz losses: choices, plan, what it spends."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from math import ceil
from typing import Any, Generic

from flint import arb

from dpref.algorithms.choices import Iterative
from dpref.algorithms.declaration import Move, Planned
from dpref.algorithms.forms import Form
from dpref.algorithms.noisy_gradient_descent import formulas
from dpref.checks import MOST_IN_A_PLAN, natural, open_unit, positive_double, positive_rational
from dpref.errors import InvalidArgumentError
from dpref.mechanisms.gaussian import gaussian_event
from dpref.privacy.events.ledger import Compose, Ledger, Repeat
from dpref.privacy.events.walks import canonical
from dpref.problems.erm import ERMProblem
from dpref.reals import BALL, ball, evaluate, exact, lower, upper
from dpref.units import L2, ZCDP, A, Adjacency, PrivacyLoss


@dataclass(frozen=True)
class Params(Iterative, Generic[A]):
    """The budget, and what is known of the loss.

    Attributes:
        rho: Budget in zCDP, exact, positive.
        failure: beta, exact, in (0, 1): it sets the number of iterates where none is given.
        weak_convexity: mu > 0, exact: with mu times a squared norm added f is mu-strongly convex (any, if f is convex).
        adjacency: The neighbouring relation, always explicit.
        iterates: T; by default that of Theorem 9, rounded up.
    """

    rho: Fraction
    failure: Fraction
    weak_convexity: Fraction
    adjacency: type[A]
    iterates: int | None = None


@dataclass(frozen=True)
class Plan(Planned[L2, ZCDP, A]):
    """T iterates in a ball around the start; every answer between two of them has the same noise.

    Attributes:
        iterates: T.
        std: Standard deviation of each answer's noise per coordinate, rounded up.
        weak_convexity: mu, a double.
        radius: L_0 / (2 mu), rounded down.
        start: w_0, shape (d,).
    """

    iterates: int
    std: float
    weak_convexity: float
    radius: float
    start: tuple[float, ...]

    @property
    def steps(self) -> int:
        """Answers: one between two iterates; each costs n gradients."""
        return self.iterates - 1

    @property
    def stds(self) -> tuple[float, ...]:
        """The noise of each answer."""
        return (self.std,) * self.steps

    @property
    def numbers(self) -> dict[str, Any]:
        """Whether the steps are the repaired ones."""
        return {"telescoping": self.form is Form.REPAIRED}

    def moves(self, problem: ERMProblem) -> tuple[Move, ...]:
        """Linear losses move each answer by its sensitivity; the projection bends the output."""
        shift = problem.sensitivity(self.sensitivity.adjacency).value
        return (Move(shift, self.std, self.steps),) if self.steps else ()


def plan(problem: ERMProblem, params: Params[A]) -> Plan[A]:
    """Every number of the run, from public information alone.

    Raises:
        InvalidArgumentError: If a parameter breaks its rule, or the ball of line 3 is not within the problem's domain.

    References:
        Menart et al. 2024, Algorithm 4, Theorem 9; errata E9 and E35.

    >>> from dpref.problems.examples import logistic_problem
    >>> from dpref.units import ReplaceOne
    >>> made = plan(logistic_problem(), Params(Fraction(1), Fraction(1, 20), Fraction(1), ReplaceOne, iterates=9))
    >>> made.steps, made.std, made.radius  # 2 / 100 times root of 8 / 2
    (8, 0.04, 0.5)
    """
    rho, beta = positive_rational("rho", params.rho), open_unit("failure", params.failure)
    mu = positive_double("weak_convexity", params.weak_convexity)
    sensitivity, bound = problem.sensitivity(params.adjacency), problem.gradient_bound
    iterates = natural(
        "iterates", _wanted(problem, rho, beta) if params.iterates is None else params.iterates, most=MOST_IN_A_PLAN
    )
    start = problem.start(params.start)
    within = lower(evaluate(lambda: formulas.radius(BALL, ball(bound), ball(exact(mu)))))
    _check_domain(problem, start, within)

    def std() -> arb:
        if params.form is Form.AS_PRINTED:
            return formulas.printed_variance(BALL, ball(bound), ball(iterates), ball(problem.n), ball(rho)).sqrt()
        return formulas.variance(BALL, ball(sensitivity.value), ball(iterates - 1), ball(rho)).sqrt()

    noise = upper(evaluate(std)) if iterates > 1 else 0.0  # one iterate asks nothing
    return Plan(
        iterates,
        noise,
        mu,
        within,
        start,
        form=params.form,
        sensitivity=sensitivity,
        claimed=PrivacyLoss(rho, ZCDP, params.adjacency),
    )


def _wanted(problem: ERMProblem, rho: Fraction, beta: Fraction) -> int:
    """T of Theorem 9, rounded up and at least one."""

    def real() -> arb:
        return formulas.iterations(BALL, ball(problem.n), ball(rho), (2 / ball(beta)).log(), ball(problem.dimension))

    return max(1, ceil(upper(evaluate(real))))


def _check_domain(problem: ERMProblem, start: tuple[float, ...], radius: float) -> None:
    """Refuse a domain that would have to be projected on as well: two projections are not one on what they share."""
    if leaves_domain(problem, start, exact(radius)):
        most = problem.domain.radius
        rule = f"must be so large that the ball of radius L_0 / (2 mu) around the start lies in the domain's, {most}"
        raise InvalidArgumentError("weak_convexity", radius, rule)


def leaves_domain(problem: ERMProblem, start: tuple[float, ...], reach: Fraction) -> bool:
    """Whether a ball around the start may reach out of the problem's domain; what is not certain may.

    Args:
        problem: The public side.
        start: w_0, shape (d,).
        reach: The ball's radius, exact.

    >>> from dpref.problems.examples import logistic_problem
    >>> leaves_domain(logistic_problem(), (0.0, 0.0), Fraction(10**6))  # the whole space
    False
    """
    most = problem.domain.radius
    size = evaluate(lambda: sum((ball(exact(x)) ** 2 for x in start), arb(0)).sqrt())
    return most is not None and not size + ball(reach) <= ball(most)


def ledger(plan: Plan[A]) -> Ledger[A]:
    """What the run will spend: T - 1 Gaussian answers.

    >>> from dpref.problems.examples import logistic_problem
    >>> from dpref.units import ReplaceOne
    >>> made = plan(logistic_problem(), Params(Fraction(1), Fraction(1, 20), Fraction(1), ReplaceOne, iterates=9))
    >>> print(ledger(replace(made, std=0.25)))  # the sensitivity is 1/50
    compose(gaussian(noise_multiplier=25/2), 8) under replace-one
    """
    if not plan.steps:
        return Ledger(canonical(Compose(())), plan.sensitivity.adjacency)
    return Ledger(Repeat(gaussian_event(plan.sensitivity, plan.std), plan.steps), plan.sensitivity.adjacency)


def examples(problem: ERMProblem, adjacency: type[Adjacency]) -> tuple[Params[Any], ...]:
    """Parameters that suit a problem: the first are timed, all are varied by property tests.

    >>> from dpref.algorithms.examples import noisy_gradient_descent as example
    >>> [p.form.value for p in examples(example().problem, example().plan.sensitivity.adjacency)]
    ['repaired', 'as-printed']
    """
    domain = problem.domain.radius
    mu = problem.gradient_bound * max(Fraction(1), Fraction(0) if domain is None else 2 / domain)
    base = Params(Fraction(1), Fraction(1, 20), mu, adjacency, iterates=6)
    return (base, replace(base, form=Form.AS_PRINTED))
