"""The numbers of boosting: how many runs, on which records, with which budget, and how candidates are compared."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, Final, Generic, Literal, TypeAlias

from dpref.algorithms.choices import Iterative
from dpref.algorithms.declaration import Move, Planned
from dpref.algorithms.dynamic_boosting.formulas import comparison_budget, repetitions, run_budget
from dpref.algorithms.dynamic_gradient_descent import plan as descent
from dpref.algorithms.dynamic_gradient_descent.schedules import Dynamic, Momentum, Schedule, Uniform
from dpref.algorithms.forms import Form
from dpref.checks import MOST_IN_A_PLAN, natural, open_unit, positive_rational
from dpref.errors import InvalidArgumentError
from dpref.mechanisms.gaussian import gaussian_event
from dpref.privacy.closed_forms.parallel import heaviest
from dpref.privacy.events.ledger import Compose, Ledger
from dpref.privacy.events.walks import canonical
from dpref.problems.erm import ERMProblem
from dpref.reals import RATIONAL
from dpref.units import L2, ZCDP, A, AddOrRemoveOne, Adjacency, PrivacyLoss

Sharing: TypeAlias = Literal["shared", "parts"]
Choice: TypeAlias = Literal["best", "none"]
COMPARING: Final = Fraction(1, 4)


@dataclass(frozen=True)
class Params(Iterative, Generic[A]):
    """The budget, how sure one of the runs is to be good, and on which records they are made.

    Attributes:
        budget: R, exact, positive; the claim is R/2-zCDP for everything.
        failure: p, exact, in (0, 1); there are k runs, the least number with 2^-k at most p.
        steps: T of each run.
        schedule: How a run shares its budget out (`dpref.algorithms.dynamic_gradient_descent.schedules`).
        adjacency: The neighbouring relation, always explicit.
        split: "shared", every run and every comparison on all records, which share the budget; "parts", each run and
            the comparisons on records of their own, each with the whole budget (replace-one or zero-out).
        comparing: The share of the budget that the comparisons get, exact, in (0, 1); a quarter by default.  Only with
            shared records, as repaired.
        momentum: beta, exact, in [0, 1).
        step_size: eta, exact; 1/M by default (rounded down).
        choice: "best", of the candidates the best as far as can be seen; "none", no candidate is told from another:
            all are released, the runs have the whole budget, and the first one is returned.
    """

    budget: Fraction
    failure: Fraction
    steps: int
    schedule: Schedule
    adjacency: type[A]
    split: Sharing = "shared"
    comparing: Fraction | None = None
    momentum: Fraction = Fraction(0)
    step_size: Fraction | None = None
    choice: Choice = "best"


@dataclass(frozen=True)
class Plan(Planned[L2, ZCDP, A]):
    """The plan of one run, how often it is made, and the comparisons.

    Attributes:
        base: The plan of every run.
        repetitions: k.
        part: How many records a run reads, and the comparisons read; zero if all of them.
        std: Noise of a mean slope, rounded up; zero as printed, where the choice is exact.
        nearest: Candidates closer than this are compared as if they were that far apart: a step's least noise.
        slope_bound: G, at which a record's slope is cut off.
        choice: Whether the best candidate is looked for, or all are released.
    """

    base: descent.Plan[A]
    repetitions: int
    part: int
    std: float
    nearest: float
    slope_bound: Fraction
    choice: Choice = "best"

    @property
    def comparisons(self) -> int:
        """How many: each later candidate with the first, or none."""
        return self.repetitions - 1 if self.choice == "best" else 0

    @property
    def steps(self) -> int:
        """The answers of all runs, and the comparisons."""
        return self.repetitions * self.base.steps + self.comparisons

    @property
    def stds(self) -> tuple[float, ...]:
        """The noise of every answer."""
        return self.base.stds * self.repetitions + (self.std,) * self.comparisons

    @property
    def numbers(self) -> dict[str, Any]:
        """Those of one run."""
        base = self.base
        return {
            "start": base.start,
            "step_size": base.step_size,
            "momentum": base.momentum,
            "bias_corrections": base.bias_corrections,
            "run_stds": base.stds,
            "comparisons": self.comparisons,
        }

    def reads(self, number: int) -> range | None:
        """The places of the records that a run reads, or None if it reads all.

        Args:
            number: Of the run, from zero; k for the comparisons.
        """
        return range(number * self.part, (number + 1) * self.part) if self.part else None

    def local(self, problem: ERMProblem) -> ERMProblem:
        """The problem of the records that one run reads.

        Args:
            problem: That of all records.
        """
        return replace(problem, n=self.part) if self.part else problem

    def moves(self, problem: ERMProblem) -> tuple[Move, ...]:
        """Linear losses move each gradient that a record is read for; the output is chosen, which bends it."""
        times = 1 if self.part else self.repetitions
        moves = self.base.moves(self.local(problem))
        return tuple(move._replace(times=times * move.times, weight=None) for move in moves)


def plan(problem: ERMProblem, params: Params[A]) -> Plan[A]:
    """Every number of the runs and of the comparisons, from public information alone.

    Raises:
        InvalidArgumentError: If a parameter breaks its rule, or there are too few records for the parts.

    References:
        Hong, Wang and Zhou 2022, Section 4.4; the errata's A13 and T17.

    >>> from dpref.problems.examples import logistic_problem
    >>> from dpref.units import ReplaceOne
    >>> made = plan(logistic_problem(), Params(Fraction(1), Fraction(1, 4), 4, Uniform(), ReplaceOne))
    >>> made.repetitions, made.base.budget, made.std  # 2/n sqrt(1 / (1/4))
    (2, Fraction(3, 8), 0.04)
    """
    budget, runs = positive_rational("budget", params.budget), repetitions(open_unit("failure", params.failure))
    if runs * natural("steps", params.steps, most=MOST_IN_A_PLAN) > MOST_IN_A_PLAN:
        raise InvalidArgumentError(
            "failure", params.failure, f"must ask for at most {MOST_IN_A_PLAN} steps of all runs"
        )
    parts, repaired = params.split == "parts", params.form is Form.REPAIRED
    if params.comparing is not None and (parts or not repaired):
        raise InvalidArgumentError("comparing", params.comparing, "belongs to the repaired form on shared records")
    if parts and not repaired:
        raise InvalidArgumentError("split", params.split, "belongs to the repaired form: the print has one data set")
    if parts and params.adjacency is AddOrRemoveOne:
        raise InvalidArgumentError("split", params.split, "needs records that keep places: replace-one or zero-out")
    share = open_unit("comparing", COMPARING if params.comparing is None else params.comparing)
    compared = runs > 1 and params.choice == "best"
    if params.comparing is not None and not compared:
        raise InvalidArgumentError("comparing", params.comparing, "needs candidates that are compared")
    if not compared or parts or not repaired:
        share = Fraction(0)
    part = problem.n // (runs + compared) if parts else 0
    if parts and part == 0:
        raise InvalidArgumentError("failure", params.failure, f"asks for more parts than the {problem.n} records")
    count = Fraction(runs)
    own = descent.Params(
        budget=budget if parts else run_budget(RATIONAL, budget, share, count),
        steps=params.steps,
        schedule=params.schedule,
        adjacency=params.adjacency,
        form=params.form,
        momentum=params.momentum,
        step_size=params.step_size,
        start=params.start,
    )
    base, std = descent.plan(replace(problem, n=part) if parts else problem, own), 0.0
    if repaired and compared:
        request = comparison_budget(RATIONAL, budget, Fraction(1) if parts else share, count)
        std = descent.noise_std(base.sensitivity.value, request)
    return Plan(
        form=params.form,
        sensitivity=base.sensitivity,
        claimed=PrivacyLoss(budget / 2, ZCDP, params.adjacency),
        base=base,
        repetitions=runs,
        part=part,
        std=std,
        nearest=base.step_size * min(base.scheduled_stds),
        slope_bound=problem.gradient_bound,
        choice=params.choice,
    )


def ledger(plan: Plan[A]) -> Ledger[A]:
    """What the runs and the comparisons will spend: their sum, or on parts the larger of one run and the comparisons.

    >>> from dpref.problems.examples import logistic_problem
    >>> from dpref.units import ReplaceOne
    >>> params = Params(Fraction(1), Fraction(1, 4), 2, Uniform(), ReplaceOne, "parts", step_size=Fraction(1))
    >>> print(ledger(plan(logistic_problem(n=3 * 2**8), params)))  # the comparison, which is not rounded
    gaussian(noise_multiplier=1) under replace-one
    """
    one = descent.ledger(plan.base)
    if plan.comparisons == 0:
        events = (one.event,) * (1 if plan.part else plan.repetitions)
        return Ledger(canonical(Compose(events)), one.adjacency)
    compared = Ledger(Compose((gaussian_event(plan.sensitivity, plan.std),) * plan.comparisons), one.adjacency)
    if plan.part:
        return Ledger(canonical(heaviest([one, compared]).event), one.adjacency)
    return Ledger(canonical(Compose((one.event,) * plan.repetitions + (compared.event,))), one.adjacency)


def examples(problem: ERMProblem, adjacency: type[Adjacency]) -> tuple[Params[Any], ...]:
    """Parameters that suit a problem: the first are timed, all are varied by property tests.

    >>> from dpref.algorithms.examples import dynamic_boosting as example
    >>> len(examples(example().problem, example().plan.sensitivity.adjacency))
    6
    """
    third = Fraction(1, 3)
    base = Params(Fraction(1), Fraction(1, 8), 3, Uniform(), adjacency)
    split: tuple[Params[Any], ...] = ()
    if adjacency is not AddOrRemoveOne:
        split = (replace(base, split="parts", failure=Fraction(1, 2) if problem.n < 3 else Fraction(1, 4)),)
    return (
        base,
        replace(base, comparing=third, schedule=Dynamic(Fraction(9, 10)), step_size=Fraction(1, 2)),
        replace(base, schedule=Momentum(third, Fraction(3, 4)), momentum=third, failure=third),
        replace(base, form=Form.AS_PRINTED),
        *split,
        replace(base, choice="none"),
    )
