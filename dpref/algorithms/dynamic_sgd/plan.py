"""The numbers of stochastic descent with a dynamic budget: what is chosen, what the run needs, what it spends."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, Generic

from dpref.algorithms.choices import Iterative
from dpref.algorithms.declaration import Move
from dpref.algorithms.dynamic_gradient_descent import plan as descent
from dpref.algorithms.dynamic_gradient_descent.schedules import Dynamic, Momentum, Schedule, Uniform
from dpref.algorithms.dynamic_sgd.formulas import batch_budget
from dpref.algorithms.forms import Form
from dpref.algorithms.promises import certified
from dpref.checks import natural, open_unit, positive_rational
from dpref.errors import InvalidArgumentError
from dpref.mechanisms.sampled import Sampling, sampled_gaussian_event
from dpref.privacy.events.ledger import Compose, Ledger
from dpref.privacy.events.walks import canonical
from dpref.problems.erm import ERMProblem
from dpref.reals import RATIONAL
from dpref.units import ZCDP, A, Adjacency, ApproximateDP, PrivacyLoss, ReplaceOne


@dataclass(frozen=True)
class Params(Iterative, Generic[A]):
    """The budget, how the steps share it, and how batches are drawn.

    Attributes:
        budget: R, exact, positive.  The noise is that of $R'=R/p^2$; the print claims R/2-zCDP for it.
        steps: T, the number of steps.
        batch: n, the size of a batch or, of a Poisson one, its expected size.
        schedule: How the budget is shared out (`dpref.algorithms.dynamic_gradient_descent.schedules`).
        adjacency: Replace-one or zero-out, always explicit.
        sampling: "fixed", n records without replacement, or "poisson", each with probability p (zero-out only).
        delta: At which the repaired form promises an epsilon, which is certified; it promises nothing if None.
        momentum: beta, exact, in [0, 1); zero is plain descent.
        step_size: eta, exact; 1/M by default (rounded down).
    """

    budget: Fraction
    steps: int
    batch: int
    schedule: Schedule
    adjacency: type[A]
    sampling: Sampling = "fixed"
    delta: Fraction | None = None
    momentum: Fraction = Fraction(0)
    step_size: Fraction | None = None


@dataclass(frozen=True)
class Plan(descent.Plan[A]):
    """Every number that the run needs: those of full batches, of which ``budget`` is R', and how batches are drawn.

    Attributes:
        batch: n, the public divisor.
        records: N.
        sampling: How a batch is drawn.
        promised: (epsilon, delta), certified; None as printed and where no delta is asked for. ``claimed`` is R/2-zCDP,
            the print's.
    """

    batch: int
    records: int
    sampling: Sampling
    promised: PrivacyLoss[ApproximateDP, A] | None

    @property
    def oracle_calls(self) -> int:
        """Gradients of a run, for Poisson batches on average."""
        return self.steps * self.batch

    @property
    def poisson(self) -> bool:
        """Whether a batch has a random size."""
        return self.sampling == "poisson" and self.batch < self.records

    @property
    def promise(self) -> PrivacyLoss[Any, A] | None:
        """What is certified for the sampler; None as printed, and where no delta was asked for."""
        return self.promised

    def moves(self, problem: ERMProblem) -> tuple[Move, ...]:
        """Of full batches alone, as in descent without batches: a batch may not have the record."""
        return self.moves_if_drawn(problem) if self.batch == self.records else ()

    def moves_if_drawn(self, problem: ERMProblem) -> tuple[Move, ...]:
        """How far linear losses move the answers of the batches that have the record.

        Args:
            problem: The public side.
        """
        return super().moves(replace(problem, n=self.batch))


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
    numbers = {**vars(on_batches), "claimed": PrivacyLoss(budget / 2, ZCDP, params.adjacency)}
    made = Plan(**numbers, batch=params.batch, records=problem.n, sampling=params.sampling, promised=None)
    spent = ledger(made)  # which refuses a batch that no accountant bounds
    if params.delta is None:
        return made
    return replace(made, promised=certified(spent, params.delta))


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


def examples(problem: ERMProblem, adjacency: type[Adjacency]) -> tuple[Params[Any], ...]:
    """Parameters that suit a problem: the first are timed, all are varied by property tests.

    >>> from dpref.algorithms.examples import dynamic_sgd as example
    >>> len(examples(example().problem, ReplaceOne))
    4
    """
    half, third = (problem.n + 1) // 2, Fraction(1, 3)
    base = Params(Fraction(1, 4), 5, half, Uniform(), adjacency)
    printed = replace(base, form=Form.AS_PRINTED)
    poisson: tuple[Params[Any], ...] = ()
    if adjacency is not ReplaceOne:
        poisson = (
            replace(base, sampling="poisson"),
            replace(printed, sampling="poisson", batch=1, momentum=third),
        )
    return (
        base,
        replace(base, batch=problem.n, delta=Fraction(1, 10**6)),
        replace(base, batch=1, schedule=Momentum(third, Fraction(3, 4)), momentum=third),
        replace(printed, schedule=Dynamic(Fraction(9, 10)), step_size=Fraction(1, 2)),
        *poisson,
    )
