"""What a run will do and spend, said before it touches data."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, Final, NamedTuple, final

from dpref.algorithms.declaration import AnyAlgorithm
from dpref.errors import BudgetError, PrecisionError, UnsupportedEventError
from dpref.fitting.floors import floor_warning
from dpref.fitting.problems import Problem
from dpref.fitting.utility import Utility
from dpref.mechanisms.gridded import check_grid
from dpref.privacy.accountants import certify
from dpref.privacy.events.ledger import Ledger
from dpref.privacy.interval import Interval
from dpref.privacy.time_limit import DEFAULT_LIMIT
from dpref.reals import decimal_up, float_up
from dpref.units import AddOrRemoveOne, Adjacency

FLOATING: Final = (
    "noise is drawn as doubles: the certificate is of the ideal mechanism, and the released doubles' last bits are not"
    " protected (docs/limits.md)"
)
DECLARED: Final = (
    "noise is drawn exactly, but the bound on the doubles' errors is declared by you, and times are not protected"
    " (docs/exact-noise.md)"
)
_DIGITS: Final = 6


class Exactly(NamedTuple):
    """How exact noise is drawn.

    Attributes:
        grid: g, a power of two, of which every answer is a multiple.
        evaluation_error: What the user declares of the doubles of every query: how far they are from its exact value.
    """

    grid: Fraction
    evaluation_error: Fraction


@final
@dataclass(frozen=True, eq=False, kw_only=True)
class Preview:
    """A plan, what it is certified to spend, and what its theorem promises.

    Attributes:
        algorithm: Which.
        problem: The public problem of mapped records.
        plan: Every number of the run.
        ledger: What the run will spend.
        epsilon: Certified from the ledger at delta, under the adjacency that was asked for.
        asked: The epsilon that was asked for, exact.
        delta: Exact.
        utility: What the theorem promises.
        exactly: How noise is drawn that is exact; None for noise that is drawn as doubles.
    """

    algorithm: AnyAlgorithm
    problem: Problem
    plan: Any
    ledger: Ledger[Any]
    epsilon: Interval
    asked: Fraction
    delta: Fraction
    utility: Utility
    exactly: Exactly | None = None

    @property
    def adjacency(self) -> type[Adjacency]:
        """Of the guarantee."""
        return self.ledger.adjacency

    @property
    def noise(self) -> tuple[float, ...]:
        """The different scales of the answers' noise, the largest first."""
        return tuple(sorted(set(getattr(self.plan, "stds", ())), reverse=True))

    @property
    def warnings(self) -> tuple[str, ...]:
        """What the user should know before the run."""
        found = []
        if self.delta * self.problem.n >= 1:
            loose = f"delta = {decimal_up(self.delta, _DIGITS)} is not below 1/n at n = {self.problem.n}"
            found.append(f"{loose}: publishing whole records would keep to it too, take one far below")
        if not self.utility.promises:
            found.append(f"no theorem promises that the answer is better than the start, at n = {self.problem.n}")
        elif self.adjacency is AddOrRemoveOne:
            found.append(f"the utility is that of a table of exactly {self.problem.n} records; yours may be another")
        if self.plan.steps == 0:
            found.append("the plan asks nothing of the data: the answer is the start")
        elif self.epsilon.upper < self.asked / 2:
            found.append("the paper's noise is made for less than half of the epsilon that was asked for")
        own = floor_warning(self.algorithm.name, self.problem, self.plan)
        return (*found, *([own] if own else []), FLOATING if self.exactly is None else DECLARED)

    def facts(self) -> Iterator[tuple[str, str]]:
        """The plan in words, line by line."""
        problem, noise = self.problem, [decimal_up(std, _DIGITS) for std in self.noise]
        yield "algorithm", f"{self.algorithm.name}, {self.plan.form.value} ({', '.join(self.algorithm.items)})"
        yield "records", f"{problem.n} of {problem.dimension} mapped features, {problem.loss.name} loss"
        yield "adjacency", f"{self.adjacency.name}: {self.adjacency.description}"
        yield "steps", str(self.plan.steps)
        if noise:
            yield "noise", f"{noise[0]} per coordinate" + (f" down to {noise[-1]}" if len(noise) > 1 else "")
        if self.exactly is not None:
            exponent = check_grid(self.exactly.grid)
            declared = f"declared: doubles within {self.exactly.evaluation_error} of every query's value"
            yield "exact", f"discrete, on a grid of 2^{exponent}; {declared}"
        yield "sensitivity", f"{decimal_up(self.plan.sensitivity.value, _DIGITS)} ({self.plan.sensitivity.norm.name})"
        yield "certified", f"{self.epsilon} at delta = {decimal_up(self.delta, _DIGITS)}, asked {self.asked}"
        yield "utility", str(self.utility)

    def __str__(self) -> str:
        lines = [f"{name:<12}{text}" for name, text in self.facts()]
        return "\n".join([*lines, *(f"warning: {text}" for text in self.warnings)])

    def to_json(self) -> dict[str, Any]:
        """The same for a program; exact numbers are text."""
        low, high = self.epsilon.as_decimal()
        return {
            "algorithm": self.algorithm.name,
            "form": self.plan.form.value,
            "records": self.problem.n,
            "dimension": self.problem.dimension,
            "loss": self.problem.loss.name,
            "adjacency": self.adjacency.name,
            "steps": self.plan.steps,
            "noise": list(self.noise),
            "exact_noise": None
            if self.exactly is None
            else {"grid": str(self.exactly.grid), "evaluation_error": str(self.exactly.evaluation_error)},
            "sensitivity": {"value": str(self.plan.sensitivity.value), "norm": self.plan.sensitivity.norm.name},
            "asked": {"epsilon": str(self.asked), "delta": str(self.delta)},
            "epsilon": {"lower": low, "upper": high, "method": self.epsilon.method},
            "ledger": str(self.ledger),
            "utility": {
                "promises": self.utility.promises,
                "bound": self.utility.bound if self.utility.promises else None,
                "text": str(self.utility),
            },
            "warnings": list(self.warnings),
        }


def certified_within(ledger: Ledger[Any], epsilon: Fraction, delta: Fraction) -> Interval:
    """What a ledger spends at delta, certified to be at most epsilon.

    Args:
        ledger: Of the plan.
        epsilon: The most that may be spent, exact.
        delta: Exact.

    Raises:
        BudgetError: If that is not certified: nothing may then run.

    >>> from dpref.privacy.events.ledger import Gaussian
    >>> from dpref.units import ReplaceOne
    >>> ledger = Ledger(Gaussian(Fraction(4)), ReplaceOne)
    >>> print(certified_within(ledger, Fraction(1), Fraction(1, 100)))
    epsilon in [0.3598509092, 0.3598509093]
    """
    try:
        found = certify(ledger, delta=delta, limit=DEFAULT_LIMIT)
        if found.upper <= epsilon:
            return found
        if (
            certify(ledger, epsilon=epsilon, limit=DEFAULT_LIMIT).upper <= delta
        ):  # an end that was rounded outward, beyond the budget
            return replace(found, lower=min(found.lower, float_up(epsilon)), upper=float_up(epsilon))
    except (UnsupportedEventError, PrecisionError) as error:
        raise BudgetError(f"no certified epsilon under {ledger.adjacency.name}: {error}") from None
    spent = f"{found} at delta = {decimal_up(delta, _DIGITS)} under {ledger.adjacency.name}"
    raise BudgetError(f"epsilon = {epsilon}: the plan spends {spent}; nothing runs. Ask for more, or change the plan")
