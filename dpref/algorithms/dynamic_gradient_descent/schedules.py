r"""Who gets how much of the budget: the schedules of "Dynamic Privacy Budget Allocation" as exact shares.

A schedule gives the shares $w_t = 1/(R\sigma_t^2)$ over ``Ops[T]``; `exact_shares` turns them into rationals that sum
to exactly one, so that a run can neither overspend nor, by rounding, lose a step.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Protocol, runtime_checkable

from dpref.algorithms.dynamic_gradient_descent import formulas as schedules
from dpref.algorithms.dynamic_gradient_descent.iterations import turning_step
from dpref.algorithms.forms import Form
from dpref.checks import MOST_IN_A_PLAN, natural, open_unit, positive_rational
from dpref.errors import InvalidArgumentError
from dpref.reals import BALL, Ops, T, exact, precision, upper


@runtime_checkable
class Schedule(Protocol):
    """A way to share out a budget over T steps."""

    @property
    def name(self) -> str:
        """Name in claims and tables."""

    def shares(self, o: Ops[T], steps: int) -> list[T]:
        """w_1, ..., w_T: positive, summing to one."""


@dataclass(frozen=True)
class Uniform:
    """The same share for every step (Theorem 4.3).

    >>> from dpref.reals import RATIONAL
    >>> Uniform().shares(RATIONAL, 2)
    [Fraction(1, 2), Fraction(1, 2)]
    """

    name: str = "uniform"

    def shares(self, o: Ops[T], steps: int) -> list[T]:
        """1/T each."""
        return [1 / schedules.uniform_variance(o, o.number(1), o.number(steps))] * steps


@dataclass(frozen=True)
class Dynamic:
    r"""Shares that grow geometrically, so that the noise decreases (Theorem 4.5).

    Attributes:
        gamma: $1-1/\kappa$, exact, in (0, 1).

    >>> from dpref.reals import FLOAT
    >>> [round(share, 9) for share in Dynamic(Fraction(1, 4)).shares(FLOAT, 2)]
    [0.333333333, 0.666666667]
    """

    gamma: Fraction
    name: str = "dynamic"

    def __post_init__(self) -> None:
        open_unit("gamma", self.gamma)

    def shares(self, o: Ops[T], steps: int) -> list[T]:
        """The closed form of Theorem 4.5."""
        gamma = o.number(self.gamma)
        return [schedules.dynamic_share(o, gamma, o.number(steps), o.number(t)) for t in range(1, steps + 1)]


@dataclass(frozen=True)
class Influence:
    """The best shares for steps whose influences on the risk are given (Lemma 4.4).

    Attributes:
        influences: q_1, ..., q_T, exact, positive; only their ratios matter.

    >>> from dpref.reals import FLOAT
    >>> Influence((Fraction(1), Fraction(9))).shares(FLOAT, 2)
    [0.25, 0.75]
    """

    influences: tuple[Fraction, ...]
    name: str = "influence"

    def __post_init__(self) -> None:
        for q in self.influences:
            positive_rational("influences", q)

    def shares(self, o: Ops[T], steps: int) -> list[T]:
        """Eq. (10)."""
        if len(self.influences) != steps:
            raise InvalidArgumentError("influences", len(self.influences), f"must be one a step, {steps}")
        return _optimal_shares(o, [o.number(q) for q in self.influences])


@dataclass(frozen=True)
class Momentum:
    r"""The best shares for descent with momentum (Theorem 4.8), from the exact weights of Eq. (14) unless as printed.

    Attributes:
        beta: Momentum factor, exact, in (0, 1).
        gamma: Contraction per step, exact, in (beta, 1).
        form: ``REPAIRED`` uses the exact weights (A8-exact), ``AS_PRINTED`` the influences of Theorem 4.8 (T12-T14).

    >>> from dpref.reals import FLOAT
    >>> shares = Momentum(Fraction(1, 2), Fraction(8, 9)).shares(FLOAT, 2)  # as the roots of 1 and 4/9
    >>> [round(share, 9) for share in shares]
    [0.6, 0.4]
    """

    beta: Fraction
    gamma: Fraction
    form: Form = Form.REPAIRED
    name: str = "momentum"

    def __post_init__(self) -> None:
        open_unit("beta", self.beta)
        open_unit("gamma", self.gamma)
        if self.beta >= self.gamma:
            raise InvalidArgumentError("beta", self.beta, f"must be below gamma = {self.gamma} (Theorem 4.8; T4b)")

    def shares(self, o: Ops[T], steps: int) -> list[T]:
        """Eq. (10) on the chosen influences."""
        beta, gamma = o.number(self.beta), o.number(self.gamma)
        if self.form is Form.REPAIRED:
            return _optimal_shares(o, schedules.momentum_influences(o, beta, gamma, steps))
        turn = turning_step(self.beta, self.gamma)
        times = range(1, steps + 1)
        return _optimal_shares(
            o, [schedules.momentum_influence_as_printed(o, beta, gamma, steps, turn, t) for t in times]
        )


def _optimal_shares(o: Ops[T], influences: list[T]) -> list[T]:
    return [1 / variance for variance in schedules.optimal_variances(o, influences, o.number(1))]


def exact_shares(schedule: Schedule, steps: int) -> tuple[Fraction, ...]:
    """The schedule's shares as rationals that sum to exactly one.

    Args:
        schedule: The schedule.
        steps: T, at least 1.

    Raises:
        InvalidArgumentError: If the number of steps is not natural, does not fit, or a step gets no budget.

    >>> sum(exact_shares(Dynamic(Fraction(9, 10)), 50))
    Fraction(1, 1)
    """
    natural("steps", steps, most=MOST_IN_A_PLAN)
    if isinstance(schedule, Uniform):
        return (Fraction(1, steps),) * steps
    with precision(128):
        balls = schedule.shares(BALL, steps)
    rounded = [exact(upper(w)) for w in balls]
    if any(w <= 0 for w in rounded):
        raise InvalidArgumentError("schedule", schedule, "gives a step no budget")
    total = sum(rounded, Fraction(0))
    return tuple(w / total for w in rounded)
