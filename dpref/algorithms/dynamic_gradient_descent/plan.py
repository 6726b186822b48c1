"""The numbers of gradient descent with a dynamic budget: what is chosen, what the run needs, what it spends."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Annotated, Any, Generic

from dpref.algorithms.choices import Iterative
from dpref.algorithms.declaration import Move, Planned
from dpref.algorithms.dynamic_gradient_descent.schedules import (
    Dynamic,
    Influence,
    Momentum,
    Schedule,
    Uniform,
    exact_shares,
)
from dpref.algorithms.forms import Form
from dpref.checks import MOST_IN_A_PLAN, AtMost, natural, positive_double, positive_rational, rational
from dpref.errors import InvalidArgumentError
from dpref.mechanisms.gaussian import gaussian_event
from dpref.privacy.events.ledger import Compose, Ledger
from dpref.privacy.events.walks import canonical
from dpref.problems.erm import ERMProblem, step_size
from dpref.reals import ball, evaluate, float_up, upper
from dpref.units import L2, ZCDP, A, Adjacency, PrivacyLoss


@dataclass(frozen=True)
class Params(Iterative, Generic[A]):
    """The budget, and how the steps share it.

    Attributes:
        budget: R, exact, positive; the claim is R/2-zCDP.
        steps: T, the number of steps.
        schedule: How the budget is shared out (`dpref.algorithms.dynamic_gradient_descent.schedules`).
        adjacency: The neighbouring relation, always explicit.
        momentum: beta, exact, in [0, 1); zero is plain gradient descent.
        step_size: eta, exact; 1/M by default (rounded down).
        population: N of the printed noise scale where it differs from the problem's n (T3).
    """

    budget: Fraction
    steps: int
    schedule: Schedule
    adjacency: type[A]
    momentum: Fraction = Fraction(0)
    step_size: Fraction | None = None
    population: Annotated[int, AtMost(10**9)] | None = None


@dataclass(frozen=True)
class Plan(Planned[L2, ZCDP, A]):
    """The noise of every scheduled step, and what the step asks of the budget.

    Attributes:
        budget: R, twice the zCDP budget.
        requests: rho_t of each scheduled step, exact; they sum to R.
        scheduled_stds: Standard deviation of each scheduled answer's noise per coordinate, rounded up.
        step_size: eta, the step size.
        momentum: beta, as a double.
        bias_corrections: 1 / (1 - beta^t) of each scheduled step, as doubles.
        start: theta_1, shape (D,).
    """

    budget: Fraction
    requests: tuple[Fraction, ...]
    scheduled_stds: tuple[float, ...]
    step_size: float
    momentum: float
    bias_corrections: tuple[float, ...]
    start: tuple[float, ...]

    @property
    def steps(self) -> int:
        """How many steps the budget test admits: T, or T - 1 as printed."""
        residual = self.budget
        for done, request in enumerate(self.requests):
            if not admits(self.form, request, residual):
                return done
            residual -= request
        return len(self.requests)

    @property
    def stds(self) -> tuple[float, ...]:
        """The noise of each step that is run."""
        return self.scheduled_stds[: self.steps]

    def moves(self, problem: ERMProblem) -> tuple[Move, ...]:
        """Linear losses move each gradient by the whole sensitivity; a ball, a ridge and momentum bend the output."""
        shift = problem.sensitivity(self.sensitivity.adjacency).value
        bent = problem.domain.radius is not None or problem.ridge != 0 or self.momentum != 0
        weight = None if bent else Fraction(1)
        return tuple(Move(shift, std, times, weight) for std, times in Counter(self.stds).items())


def plan(problem: ERMProblem, params: Params[A]) -> Plan[A]:
    """Every number of the run, from public information alone.

    Raises:
        InvalidArgumentError: If a parameter breaks its rule.

    References:
        Hong, Wang and Zhou 2022, Algorithm 1, Theorem 3.5.

    >>> from dpref.algorithms.dynamic_gradient_descent.schedules import Uniform
    >>> from dpref.problems.examples import logistic_problem
    >>> from dpref.units import ZeroOut
    >>> plan(logistic_problem(), Params(Fraction(1), 4, Uniform(), ZeroOut)).stds
    (0.02, 0.02, 0.02, 0.02)
    """
    budget, steps = positive_rational("budget", params.budget), natural("steps", params.steps, most=MOST_IN_A_PLAN)
    beta = rational("momentum", params.momentum)
    if beta >= 1:
        raise InvalidArgumentError("momentum", beta, "must be below 1 (the paper writes [0, 1], which divides by zero)")
    if params.population is not None and natural("population", params.population) < problem.n:
        raise InvalidArgumentError("population", params.population, f"must be at least the {problem.n} records given")
    if params.form is Form.REPAIRED and params.population is not None:
        raise InvalidArgumentError("population", params.population, "is a parameter of the printed form only")
    requests = tuple(budget * share for share in exact_shares(params.schedule, steps))
    scale = noise_scale(problem, params)
    eta = step_size(problem) if params.step_size is None else positive_double("step_size", params.step_size)
    return Plan(
        form=params.form,
        sensitivity=problem.sensitivity(params.adjacency),
        claimed=PrivacyLoss(budget / 2, ZCDP, params.adjacency),
        budget=budget,
        requests=requests,
        scheduled_stds=tuple(noise_std(scale, request) for request in requests),
        step_size=eta,
        momentum=float(beta),
        bias_corrections=tuple(float_up(1 / (1 - beta**t)) for t in range(1, steps + 1)),
        start=problem.start(params.start),
    )


def admits(form: Form, request: Fraction, residual: Fraction) -> bool:
    """Whether a step may spend ``request`` of ``residual``, decided exactly (line 2; strict as printed, T2).

    Args:
        form: As printed or repaired.
        request: rho_t, exact.
        residual: R_t, exact.

    >>> admits(Form.REPAIRED, Fraction(1, 3), Fraction(1, 3)), admits(Form.AS_PRINTED, Fraction(1, 3), Fraction(1, 3))
    (True, False)
    """
    return request < residual if form is Form.AS_PRINTED else request <= residual


def noise_scale(problem: ERMProblem, params: Params[Any]) -> Fraction:
    """The factor s between the schedule's sigma_t and the noise that is added, exact (T1, T3).

    >>> from dpref.algorithms.dynamic_gradient_descent.schedules import Uniform
    >>> from dpref.problems.examples import logistic_problem
    >>> from dpref.units import ReplaceOne
    >>> [noise_scale(logistic_problem(), Params(Fraction(1), 4, Uniform(), ReplaceOne, form=f)) for f in Form]
    [Fraction(1, 100), Fraction(1, 50)]
    """
    if params.form is Form.REPAIRED:
        return problem.sensitivity(params.adjacency).value
    return problem.gradient_bound / (params.population or problem.n)


def noise_std(scale: Fraction, request: Fraction) -> float:
    r"""$s\,\sigma_t = s/\sqrt{\rho_t}$, rounded up to a double, so that a step never costs more than it asked for.

    Args:
        scale: s, exact, in the gradient's units.
        request: rho_t, exact and positive.

    >>> noise_std(Fraction(1, 64), Fraction(1, 4))
    0.03125
    """
    return upper(evaluate(lambda: ball(scale) / ball(request).sqrt()))


def ledger(plan: Plan[A]) -> Ledger[A]:
    """What the run will spend: one Gaussian answer for each admitted step.

    >>> from dataclasses import replace
    >>> from dpref.algorithms import examples
    >>> made = replace(examples.dynamic_gradient_descent().plan, scheduled_stds=(2.0, 2.0))  # the sensitivity is 1
    >>> print(ledger(made))
    compose(gaussian(noise_multiplier=2), 2) under replace-one
    """
    events = tuple(gaussian_event(plan.sensitivity, std) for std in plan.stds)
    return Ledger(canonical(Compose(events)), plan.sensitivity.adjacency)


def examples(problem: ERMProblem, adjacency: type[Adjacency]) -> tuple[Params[Any], ...]:
    """Parameters that suit a problem: the first are timed, all are varied by property tests.

    >>> from dpref.algorithms.examples import dynamic_gradient_descent as example
    >>> len(examples(example().problem, example().plan.sensitivity.adjacency))
    6
    """
    base = Params(Fraction(1), 5, Uniform(), adjacency)
    third, growing = Fraction(1, 3), Influence(tuple(Fraction(t) for t in range(1, base.steps + 1)))
    printed = replace(base, form=Form.AS_PRINTED, population=2 * problem.n)
    return (
        base,
        replace(base, schedule=Dynamic(Fraction(9, 10)), step_size=Fraction(1, 2)),
        replace(base, schedule=growing),
        replace(base, schedule=Momentum(third, Fraction(3, 4)), momentum=third),
        replace(printed, schedule=Momentum(third, Fraction(3, 4), Form.AS_PRINTED), momentum=third),
        replace(printed, schedule=Dynamic(Fraction(9, 10)), population=None),
    )
