"""The numbers of the proximal point method: choices, phases, what they spend."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import islice
from typing import Any, Generic, NamedTuple

from flint import arb

from dpref.algorithms.choices import Iterative
from dpref.algorithms.declaration import Move, Planned
from dpref.algorithms.forms import Form
from dpref.algorithms.noisy_gradient_descent import formulas as solver_formulas
from dpref.algorithms.noisy_gradient_descent import plan as solver_plan
from dpref.algorithms.noisy_gradient_descent.plan import leaves_domain
from dpref.algorithms.noisy_gradient_descent.utility import tail_bound
from dpref.algorithms.proximal_point import formulas
from dpref.checks import MOST_IN_A_PLAN, natural, open_unit, positive_double, positive_rational, rational
from dpref.errors import InvalidArgumentError
from dpref.mechanisms.gaussian import gaussian_event
from dpref.privacy.events.ledger import Compose, Ledger, Repeat
from dpref.privacy.events.walks import canonical
from dpref.problems.erm import ERMProblem
from dpref.reals import BALL, FLOAT, Ops, T, ball, evaluate, exact, lower, upper
from dpref.units import L2, ZCDP, A, Adjacency, PrivacyLoss


@dataclass(frozen=True)
class Params(Iterative, Generic[A]):
    """The budget, and the KL condition that the phases are made for.

    Attributes:
        rho: Budget in zCDP, exact, positive.
        failure: beta, exact, in (0, 1).
        gamma: Scale of the KL condition, exact, positive (a wrong one hurts utility, not privacy).
        kappa: Its exponent, exact, at least 2.
        gap: F_0, exact, positive: a bound on the excess risk of the start for every data set.
        adjacency: The neighbouring relation, always explicit.
        weak_convexity: L~_1, exact; zero if the losses are convex, which the printed form cannot take.
        phases: P; by default as many as the targets need (as printed: line 1, rounded up).
        iterates: T of each phase; by default that of Theorem 9, rounded up.
        constant: a, exact, positive: trust the solver up to a L_0^2 d P ln(2T P / beta) / (lambda n^2 rho), which is
            not proved; by default what is (repaired form only).
    """

    rho: Fraction
    failure: Fraction
    gamma: Fraction
    kappa: Fraction
    gap: Fraction
    adjacency: type[A]
    weak_convexity: Fraction = Fraction(0)
    phases: int | None = None
    iterates: int | None = None
    constant: Fraction | None = None


class Phase(NamedTuple):
    """The numbers of one phase."""

    weight: float  # lambda, rounded up
    radius: float  # of the ball around the phase's start, rounded down
    target: float  # the excess risk that it ends at, rounded up; infinite as printed


@dataclass(frozen=True)
class Plan(Planned[L2, ZCDP, A]):
    """Phases of equally many answers, all with the same noise.

    Attributes:
        phases: The phases; none where the start already meets the promise.
        iterates: T of each.
        std: Standard deviation of each answer's noise per coordinate, rounded up.
        gap: F_0.
        start: w_0, shape (d,).
    """

    phases: tuple[Phase, ...]
    iterates: int
    std: float
    gap: Fraction
    start: tuple[float, ...]

    @property
    def steps(self) -> int:
        """Answers, each of which costs n gradients."""
        return len(self.phases) * (self.iterates - 1)

    @property
    def stds(self) -> tuple[float, ...]:
        """The noise of each answer."""
        return (self.std,) * self.steps

    @property
    def excess(self) -> float:
        r"""The last target: with probability $1-\beta$ the output's excess risk is at most this; infinite as printed.

        For losses without a ridge, whose gradients are not clipped, and a KL condition that holds where the run can be.
        """
        return self.phases[-1].target if self.phases else upper(ball(self.gap))

    @property
    def numbers(self) -> dict[str, Any]:
        """The numbers of the phases as sequences, and whether the solver's steps are the repaired ones."""
        return {
            "weights": tuple(phase.weight for phase in self.phases),
            "radii": tuple(phase.radius for phase in self.phases),
            "telescoping": self.form is Form.REPAIRED,
        }

    def moves(self, problem: ERMProblem) -> tuple[Move, ...]:
        """Linear losses move each answer by its sensitivity; the projections bend the output."""
        shift = problem.sensitivity(self.sensitivity.adjacency).value
        return (Move(shift, self.std, self.steps),) if self.steps else ()

    def solver(self, t: int) -> solver_plan.Plan[A]:
        """The plan of noisy gradient descent in phase t, counted from zero; where it starts the run knows.

        Args:
            t: Number of the phase.

        >>> from dpref.algorithms import examples
        >>> examples.proximal_point().plan.solver(0) == examples.noisy_gradient_descent().plan
        True
        """
        weight, radius, _ = self.phases[t]
        return solver_plan.Plan(
            self.iterates,
            self.std,
            weight,
            radius,
            self.start,
            form=self.form,
            sensitivity=self.sensitivity,
            claimed=replace(self.claimed, value=self.claimed.value / len(self.phases)),
        )


class _Given(NamedTuple):
    """Checked public numbers, exact."""

    rho: Fraction
    beta: Fraction
    gamma: Fraction
    kappa: Fraction
    gap: Fraction
    weak_convexity: Fraction
    bound: Fraction
    n: int
    d: int
    sensitivity: Fraction
    repaired: bool
    iterates: int | None
    constant: Fraction | None


def plan(problem: ERMProblem, params: Params[A]) -> Plan[A]:
    """Every number of the run, from public information alone.

    Raises:
        InvalidArgumentError: If a parameter breaks its rule, or the iterates can leave the problem's domain.

    References:
        Menart et al. 2024, Algorithm 2, Theorem 2; the erratum E18, the errata's 3.2s.

    >>> from dpref.problems.examples import logistic_problem
    >>> from dpref.units import ReplaceOne
    >>> ask = Params(*map(Fraction, ("1", "1/20", "1", "3", "1/100")), ReplaceOne, iterates=10**6)
    >>> len((made := plan(logistic_problem(10**5), ask)).phases), round(made.excess, 6)
    (95, 1.3e-05)
    """
    given = _given(problem, params)
    start, sensitivity = problem.start(params.start), problem.sensitivity(params.adjacency)
    count = _count(given) if params.phases is None else natural("phases", params.phases, most=MOST_IN_A_PLAN)
    iterates = _iterates(given, count) if count else 1
    phases = tuple(islice(_phases(given, count), count))
    if leaves_domain(problem, start, sum((exact(phase.radius) for phase in phases), Fraction(0))):
        rule = "must hold every ball that the phases can reach: the balls of radius L_0 / (2 lambda), one after another"
        raise InvalidArgumentError("domain", problem.domain.radius, rule)
    return Plan(
        phases,
        iterates,
        _std(given, count, iterates) if iterates > 1 else 0.0,
        given.gap,
        start,
        form=params.form,
        sensitivity=sensitivity,
        claimed=PrivacyLoss(given.rho, ZCDP, params.adjacency),
    )


def _given(problem: ERMProblem, params: Params[Any]) -> _Given:
    repaired = params.form is Form.REPAIRED
    kappa = positive_rational("kappa", params.kappa)
    if kappa < 2:
        raise InvalidArgumentError("kappa", kappa, "must be at least 2 (for less there is KL Spider)")
    convexity = rational("weak_convexity", params.weak_convexity)
    if not repaired:
        positive_double("weak_convexity", convexity)  # the print divides by it
    if params.constant is not None and not repaired:
        raise InvalidArgumentError("constant", params.constant, "must be None: the printed form has no targets")
    return _Given(
        positive_rational("rho", params.rho),
        open_unit("failure", params.failure),
        positive_rational("gamma", params.gamma),
        kappa,
        positive_rational("gap", params.gap),
        convexity,
        problem.gradient_bound,
        problem.n,
        problem.dimension,
        problem.sensitivity(params.adjacency).value,
        repaired,
        None if params.iterates is None else natural("iterates", params.iterates, most=MOST_IN_A_PLAN),
        None if params.constant is None else positive_rational("constant", params.constant),
    )


# ------------------------------------------------------------------------------------ the solver's share


def _log_ratio(o: Ops[T], g: _Given, count: int) -> T:
    r"""$\ln\frac2{\beta'}$ for the share $\beta'=\beta/P$ of each phase."""
    return o.log(o.number(2 * count / g.beta))


def _iterates(g: _Given, count: int) -> int:
    if g.iterates is not None:
        return g.iterates

    def real() -> arb:
        share = ball(g.rho / count)
        return solver_formulas.iterations(BALL, ball(g.n), share, _log_ratio(BALL, g, count), ball(g.d))

    return natural("iterates", max(1, math.ceil(upper(evaluate(real)))), most=MOST_IN_A_PLAN)


def _variance(o: Ops[T], g: _Given, count: int, iterates: int) -> T:
    share = o.number(g.rho / count)
    if g.repaired:
        return solver_formulas.variance(o, o.number(g.sensitivity), o.number(iterates - 1), share)
    return solver_formulas.printed_variance(o, o.number(g.bound), o.number(iterates), o.number(g.n), share)


def _std(g: _Given, count: int, iterates: int) -> float:
    return upper(evaluate(lambda: _variance(BALL, g, count, iterates).sqrt()))


# ------------------------------------------------------------------------------------ the phases


def _count(g: _Given) -> int:
    """P: as printed line 1, rounded up; repaired as few as reach their own floor, none if it is not below F_0."""
    if not g.repaired:
        real = upper(evaluate(lambda: _printed_count(g)))
        return natural("phases", max(0, math.ceil(real)), least=0, most=MOST_IN_A_PLAN)
    most = 1
    while not _reaches(g, most):
        most = natural("phases", 2 * most, most=MOST_IN_A_PLAN)
    least = most // 2  # too few, or none
    while most - least > 1:
        middle = (least + most) // 2
        least, most = (least, middle) if _reaches(g, middle) else (middle, most)
    return most if _floor_in_doubles(g, most) < g.gap else 0


def _printed_count(g: _Given) -> arb:
    gamma, kappa = ball(g.gamma), ball(g.kappa)
    least = formulas.least_excess(BALL, gamma, ball(g.bound), ball(g.d), ball(g.n), ball(g.rho))
    return formulas.printed_phases(BALL, gamma, kappa, ball(g.weak_convexity), ball(g.gap), least)


def _reaches(g: _Given, count: int) -> bool:
    """Whether that many phases reach their floor, in doubles: the targets are certified when the number is chosen."""
    floor, target = _floor_in_doubles(g, count), float(g.gap)
    for _ in range(count):
        if target <= floor:
            return True
        target = _next(FLOAT, g, floor, target, _weight(FLOAT, g, target))
    return target <= floor


def _floor(o: Ops[T], g: _Given, count: int) -> T:
    """The least target: of what the solver is proved to reach, or trusted to."""
    iterates, bound, d = _iterates(g, count), o.number(g.bound), o.number(g.d)
    steps = o.number(iterates)
    if g.constant is None:
        std = o.sqrt(_variance(o, g, count, iterates))
        accuracy = tail_bound(o, bound, o.number(1), std, d, steps, _log_ratio(o, g, count))
    else:
        log = o.maximum(o.number(1), o.log(steps * o.number(2 * count / g.beta)))
        numbers = o.number(g.constant), bound, d, o.number(count), log, o.number(g.n), o.number(g.rho)
        accuracy = formulas.assumed_accuracy(o, *numbers)
    return formulas.floor(o, o.number(g.gamma), o.number(g.kappa), accuracy)


def _floor_in_doubles(g: _Given, count: int) -> float:
    """The least target, infinite where it is beyond the doubles: such as of a gamma of 1e300."""
    try:
        return _floor(FLOAT, g, count)
    except OverflowError:
        return math.inf


def _weight(o: Ops[T], g: _Given, target: T) -> T:
    sharp = formulas.sharpness(o, o.number(g.gamma), o.number(g.kappa), target)
    return o.maximum(o.number(2 * g.weak_convexity), sharp)


def _next(o: Ops[T], g: _Given, floor: T, target: T, weight: T) -> T:
    share = formulas.sharpness(o, o.number(g.gamma), o.number(g.kappa), target) / weight
    return o.maximum(formulas.decrease(o, share) * target, floor)


def _phases(g: _Given, count: int) -> Iterator[Phase]:
    """One phase after another, with what is promised of each, if anything is."""
    floor = evaluate(lambda: _floor(BALL, g, count)) if g.repaired else arb(math.inf)
    promised, target = floor < ball(g.gap), g.gap
    while True:
        weight = float(g.weak_convexity)
        if g.repaired:
            weight = upper(evaluate(lambda: _weight(BALL, g, ball(target))))  # noqa: B023 (called at once)
        radius = lower(evaluate(lambda: solver_formulas.radius(BALL, ball(g.bound), ball(exact(weight)))))  # noqa: B023
        if promised:
            reached = evaluate(lambda: _next(BALL, g, floor, ball(target), ball(exact(weight))))  # noqa: B023
            target = exact(upper(reached))
        yield Phase(weight, radius, float(target) if promised else math.inf)


def ledger(plan: Plan[A]) -> Ledger[A]:
    """What the run will spend: P (T - 1) Gaussian answers.

    >>> from dpref.algorithms import examples
    >>> print(ledger(replace(examples.proximal_point().plan, std=1.0)))  # the sensitivity is 1
    compose(gaussian(noise_multiplier=1), 2) under replace-one
    """
    if not plan.steps:
        return Ledger(canonical(Compose(())), plan.sensitivity.adjacency)
    return Ledger(Repeat(gaussian_event(plan.sensitivity, plan.std), plan.steps), plan.sensitivity.adjacency)


def examples(problem: ERMProblem, adjacency: type[Adjacency]) -> tuple[Params[Any], ...]:
    """Parameters that suit a problem: the first are timed, all are varied by property tests.

    >>> from dpref.algorithms.examples import proximal_point as example
    >>> [p.form.value for p in examples(example().problem, example().plan.sensitivity.adjacency)]
    ['repaired', 'repaired', 'as-printed']
    """
    domain = problem.domain.radius
    mu = 2 * problem.gradient_bound * max(Fraction(1), Fraction(0) if domain is None else 2 / domain)
    one = Fraction(1)
    base = Params(one, Fraction(1, 20), one, 3 * one, one / 2, adjacency, weak_convexity=mu, phases=2, iterates=6)
    # So large a budget that the targets fall.
    easy = replace(base, rho=Fraction(10**9), constant=Fraction(1, 5))
    return (base, easy, replace(base, form=Form.AS_PRINTED))
