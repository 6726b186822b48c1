"""The numbers of stochastic descent with a dynamic budget: what is chosen, what the run needs, what it spends."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, Final, Generic, TypeVar

from dpref.algorithms.choices import check_choices
from dpref.algorithms.declaration import Move
from dpref.algorithms.dynamic_gradient_descent import plan as descent
from dpref.algorithms.dynamic_gradient_descent.schedules import Dynamic, Momentum, Schedule, Uniform
from dpref.algorithms.dynamic_sgd.formulas import batch_budget
from dpref.algorithms.forms import Form
from dpref.checks import natural, open_unit, positive_rational
from dpref.errors import InvalidArgumentError
from dpref.mechanisms.sampled import Sampling, sampled_gaussian_event
from dpref.privacy.accountants import certify
from dpref.privacy.events.ledger import Compose, Ledger
from dpref.privacy.events.walks import canonical
from dpref.problems.erm import ERMProblem
from dpref.reals import RATIONAL, FloatArray, decimal_up
from dpref.units import Adjacency, ApproximateDP, PrivacyLoss, ReplaceOne

A = TypeVar("A", bound=Adjacency)

# Of a promised epsilon, rounded up: accountants that answer at an epsilon are then not asked for their last bit.
PROMISED_DIGITS: Final = 6


@dataclass(frozen=True)
class Params(Generic[A]):
    """What the user chooses.

    Attributes:
        budget: R, exact, positive.  The noise is that of $R'=R/p^2$; the print claims R/2-zCDP for it.
        steps: T, the number of steps.
        batch: n, the size of a batch or, of a Poisson one, its expected size.
        schedule: How the budget is shared out (`dpref.algorithms.dynamic_gradient_descent.schedules`).
        adjacency: Replace-one or zero-out, always explicit.
        sampling: "fixed", n records without replacement, or "poisson", each with probability p (zero-out only).
        delta: At which the repaired form promises an epsilon, which is certified; it promises nothing if None.
        form: As printed or repaired.
        momentum: beta, exact, in [0, 1); zero is plain descent.
        step_size: eta, exact; 1/M by default (rounded down).
        start: theta_1, data-independent, shape (D,); the origin by default.
    """

    budget: Fraction
    steps: int
    batch: int
    schedule: Schedule
    adjacency: type[A]
    sampling: Sampling = "fixed"
    delta: Fraction | None = None
    form: Form = Form.REPAIRED
    momentum: Fraction = Fraction(0)
    step_size: Fraction | None = None
    start: FloatArray | None = None


@dataclass(frozen=True)
class Plan(descent.Plan[A]):
    """Every number that the run needs: those of full batches, of which ``budget`` is R', and how batches are drawn.

    Attributes:
        batch: n, the public divisor.
        records: N.
        sampling: How a batch is drawn.
        promised: (epsilon, delta), certified; None as printed and where no delta is asked for.
    """

    batch: int
    records: int
    sampling: Sampling
    promised: tuple[Fraction, Fraction] | None

    @property
    def poisson(self) -> bool:
        """Whether a batch has a random size."""
        return self.sampling == "poisson" and self.batch < self.records


def plan(problem: ERMProblem, params: Params[A]) -> Plan[A]:
    """Every number of the run, from public information alone.

    Raises:
        InvalidArgumentError: If a parameter breaks its rule, or no accountant bounds such a batch under the adjacency.

    References:
        Hong, Wang and Zhou 2022, Section 4.3, Theorems 4.9 and 4.10.

    >>> from dpref.problems.examples import logistic_problem
    >>> from dpref.units import ReplaceOne
    >>> made = plan(logistic_problem(), Params(Fraction(1, 100), 4, 10, Uniform(), ReplaceOne))
    >>> made.budget, made.stds
    (Fraction(1, 1), (0.4, 0.4, 0.4, 0.4))
    """
    check_choices(params)
    budget = positive_rational("budget", params.budget)
    if natural("batch", params.batch) > problem.n:
        raise InvalidArgumentError("batch", params.batch, f"must be at most the number of records, {problem.n}")
    if params.delta is not None:
        open_unit("delta", params.delta)
        if params.form is Form.AS_PRINTED:
            raise InvalidArgumentError("delta", params.delta, "belongs to the repaired form: the print claims zCDP")
    full = descent.Params(
        budget=batch_budget(RATIONAL, budget, Fraction(params.batch), Fraction(problem.n)),
        steps=params.steps,
        schedule=params.schedule,
        adjacency=params.adjacency,
        form=params.form,
        momentum=params.momentum,
        step_size=params.step_size,
        start=params.start,
    )
    on_batches = descent.plan(replace(problem, n=params.batch), full)
    made = Plan(**vars(on_batches), batch=params.batch, records=problem.n, sampling=params.sampling, promised=None)
    spent = ledger(made)  # which refuses a batch that no accountant bounds
    if params.delta is None:
        return made
    return replace(made, promised=(certified_epsilon(spent, params.delta), params.delta))


def certified_epsilon(spent: Ledger[A], delta: Fraction) -> Fraction:
    """The epsilon of a ledger at a delta, certified, as a decimal of six digits, rounded up.

    Args:
        spent: What a run spends.
        delta: Exact, in (0, 1).

    Raises:
        InvalidArgumentError: If no finite one is known.

    >>> from dpref.privacy.events.ledger import Gaussian
    >>> certified_epsilon(Ledger(Gaussian(Fraction(4)), ReplaceOne), Fraction(1, 100))
    Fraction(359851, 1000000)
    """
    epsilon = certify(spent, delta=delta).upper
    if epsilon == math.inf:
        raise InvalidArgumentError("delta", delta, "no finite epsilon is certified at it for so little noise")
    return Fraction(decimal_up(epsilon, PROMISED_DIGITS))


def ledger(plan: Plan[A]) -> Ledger[A]:
    """What the run will spend: one Gaussian answer on a fresh batch for each admitted step.

    >>> from dataclasses import replace
    >>> from dpref.algorithms import examples
    >>> print(ledger(replace(examples.dynamic_sgd().plan, batch=1, scheduled_stds=(2.0, 2.0))))
    compose(sample_without_replacement(gaussian(noise_multiplier=2), batch=1, records=2), 2) under replace-one
    """
    how = plan.sampling, plan.batch, plan.records
    events = tuple(sampled_gaussian_event(plan.sensitivity, std, *how) for std in plan.stds)
    return Ledger(canonical(Compose(events)), plan.sensitivity.adjacency)


def moves(problem: ERMProblem, plan: Plan[Any]) -> tuple[Move, ...]:
    """Of full batches alone, as in descent without batches: a batch may not have the record.

    >>> from dpref.algorithms import examples
    >>> len(moves(*examples.dynamic_sgd()[::2]))
    1
    """
    return moves_if_drawn(problem, plan) if plan.batch == plan.records else ()


def moves_if_drawn(problem: ERMProblem, plan: Plan[Any]) -> tuple[Move, ...]:
    """How far linear losses move the answers of the batches that have the record.

    >>> from dataclasses import replace
    >>> from dpref.algorithms import examples
    >>> problem, _, made = examples.dynamic_sgd()
    >>> moves_if_drawn(problem, replace(made, batch=1))[0].shift
    Fraction(2, 1)
    """
    return descent.moves(replace(problem, n=plan.batch), plan)


def promise(plan: Plan[Any]) -> PrivacyLoss[Any, Any] | None:
    """What a plan promises: its certified (epsilon, delta); None as printed, and where no delta was asked for.

    >>> from dpref.algorithms import examples
    >>> promise(examples.dynamic_sgd().plan) is None
    True
    """
    if plan.promised is None:
        return None
    epsilon, delta = plan.promised
    return PrivacyLoss(epsilon, ApproximateDP, plan.sensitivity.adjacency, delta)


def examples(problem: ERMProblem, adjacency: type[Adjacency]) -> tuple[Params[Any], ...]:
    """Parameters that suit a problem: the first are timed, all are varied by property tests.

    >>> from dpref.algorithms import examples as instances
    >>> len(examples(instances.dynamic_sgd().problem, ReplaceOne)) > 1
    True
    """
    half, third = (problem.n + 1) // 2, Fraction(1, 3)
    base = Params(Fraction(1, 4), 5, half, Uniform(), adjacency)
    printed = replace(base, form=Form.AS_PRINTED)
    poisson: tuple[Params[Any], ...] = ()
    if adjacency is not ReplaceOne:
        poisson = (
            replace(base, sampling="poisson", delta=Fraction(1, 100)),
            replace(printed, sampling="poisson", batch=1, momentum=third),
        )
    return (
        base,
        replace(base, batch=problem.n, delta=Fraction(1, 10**6), schedule=Dynamic(Fraction(9, 10))),
        replace(base, batch=1, schedule=Momentum(third, Fraction(3, 4)), momentum=third),
        replace(printed, schedule=Dynamic(Fraction(9, 10)), step_size=Fraction(1, 2)),
        *poisson,
    )
