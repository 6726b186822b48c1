"""What an accountant returns: an interval of doubles that provably holds the exact value.

The upper end is the claim ("at most this is spent"), the lower end is the witness ("at least this is spent").
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Final, final

from flint import arb, ctx

from dpref.checks import natural, one_of
from dpref.errors import InvalidArgumentError, PrecisionError
from dpref.reals import DEFAULT_PRECISION, PRECISION_LIMIT, decimal_down, decimal_up, evaluate, lower, precision, upper
from dpref.units import Adjacency

QUANTITIES: Final = ("epsilon", "delta", "rho", "mu", "renyi divergence", "type ii error")


@final
@dataclass(frozen=True)
class Interval:
    r"""$[\text{lower}, \text{upper}]$ with $\text{lower} \le x \le \text{upper}$ for the exact $x$.

    Attributes:
        lower: A double that is not above the exact value.
        upper: A double that is not below the exact value: the claim.
        quantity: What is enclosed, one of `QUANTITIES`.
        method: The accountant and the theorem it rests on, as text.
        precision: Working precision in bits at which the ends were certified.
        adjacency: The neighbouring relation, or None for a statement about two distributions alone.
        slack: How much of the width comes from discretisation rather than from rounding, in units of the quantity.
        wide: Whether a limit of time stopped the work: the interval holds the exact value, but could be narrower.
        assumed: The names of the events whose spending is assumed and on which the interval rests.

    Raises:
        InvalidArgumentError: If an end is NaN, the ends are crossed, or a label is unknown.

    >>> Interval(0.25, 0.5, "epsilon", "example", 128, None).relative_width < 1.01
    True
    """

    lower: float
    upper: float
    quantity: str
    method: str
    precision: int
    adjacency: type[Adjacency] | None
    slack: float = 0.0
    wide: bool = False
    assumed: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        for name in ("lower", "upper", "slack"):
            value = getattr(self, name)
            if not isinstance(value, float) or math.isnan(value):
                raise InvalidArgumentError(name, value, "must be a double and not NaN")
        if self.lower > self.upper:
            raise InvalidArgumentError("lower", self.lower, f"must not exceed upper = {self.upper!r}")
        if self.slack < 0:
            raise InvalidArgumentError("slack", self.slack, "must not be negative")
        one_of("quantity", self.quantity, QUANTITIES)
        natural("precision", self.precision)

    @property
    def width(self) -> float:
        """``upper - lower``, rounded up; zero when both ends are the same, infinite ones included."""
        return 0.0 if self.lower == self.upper else math.nextafter(self.upper - self.lower, math.inf)

    @property
    def relative_width(self) -> float:
        """Width over the lower end's magnitude (the upper one's if the lower end is negative), rounded up."""
        if self.lower == self.upper:
            return 0.0
        scale = self.lower if self.lower > 0 else -self.upper
        return math.nextafter(self.width / scale, math.inf) if scale > 0 else math.inf

    def __contains__(self, value: object) -> bool:
        """Whether an exact number or a double lies inside."""
        return isinstance(value, int | float) and self.lower <= value <= self.upper

    def as_decimal(self, digits: int = 17) -> tuple[str, str]:
        """Both ends as decimal text, rounded outward: what a table or a JSON file shows.

        >>> Interval(1 / 3, 2 / 3, "delta", "example", 128, None).as_decimal(4)
        ('0.3333', '0.6667')
        """
        natural("digits", digits)
        return decimal_down(self.lower, digits), decimal_up(self.upper, digits)

    def intersection(self, other: Interval) -> Interval:
        """What both intervals say of one quantity; the method names where each end comes from.

        Raises:
            InvalidArgumentError: If the quantities or adjacencies differ.
            PrecisionError: If the intervals are disjoint, which means that one of them is wrong.
        """
        if (self.quantity, self.adjacency) != (other.quantity, other.adjacency):
            raise InvalidArgumentError("other", other, f"must enclose {self.quantity} under the same adjacency")
        low = self if self.lower >= other.lower else other
        high = self if self.upper <= other.upper else other
        if low.lower > high.upper:
            raise PrecisionError(f"two certified intervals for one {self.quantity} are disjoint: {self}, {other}")
        method = low.method if low.method == high.method else f"lower: {low.method}; upper: {high.method}"
        bits = max(low.precision, high.precision)
        slack, wide = max(low.slack, high.slack), self.wide or other.wide
        assumed = tuple(dict.fromkeys(self.assumed + other.assumed))
        return Interval(low.lower, high.upper, self.quantity, method, bits, self.adjacency, slack, wide, assumed)

    def __str__(self) -> str:
        low, high = self.as_decimal(10)
        return f"{self.quantity} in [{low}, {high}]" + self.wide * " (wide)" + self.marked()

    def marked(self) -> str:
        """What stands behind an interval that rests on assumed events: their names; else nothing."""
        return f" (assumed: {', '.join(self.assumed)})" if self.assumed else ""


def largest(intervals: Sequence[Interval]) -> Interval:
    """What is known of the largest of several numbers, one an interval; the method is that of the largest upper end.

    Args:
        intervals: Of one quantity under one adjacency, at least one.

    >>> found = [Interval(*ends, "epsilon", "example", 128, None) for ends in ((0.25, 0.5), (0.0, 0.75))]
    >>> print(largest(found))
    epsilon in [0.25, 0.75]
    """
    high = max(intervals, key=lambda interval: interval.upper)
    return replace(
        high,
        lower=max(interval.lower for interval in intervals),
        precision=max(interval.precision for interval in intervals),
        slack=max(interval.slack for interval in intervals),
        wide=any(interval.wide for interval in intervals),
        assumed=tuple(dict.fromkeys(name for interval in intervals for name in interval.assumed)),
    )


def enclose(
    f: Callable[[], arb],
    quantity: str,
    method: str,
    *,
    least: float = 0.0,
    most: float = math.inf,
    limit: int = PRECISION_LIMIT,
) -> Interval:
    """The interval of doubles around the value of a formula in balls, at least 60 correct bits before rounding.

    Args:
        f: Evaluates the formula at whatever precision is set.
        quantity: What it is.
        method: What it rests on.
        least: A number that the exact value is known not to be below.
        most: A number that the exact value is known not to be above.
        limit: Largest working precision tried.

    Raises:
        PrecisionError: If the precision limit is reached first.

    >>> enclose(lambda: arb(2).sqrt(), "epsilon", "example").lower <= 2**0.5
    True
    """
    used = DEFAULT_PRECISION

    def recorded() -> arb:
        nonlocal used
        used = ctx.prec
        return f()

    x = evaluate(recorded, limit=limit)
    low, high = min(most, max(least, lower(x))), min(most, max(least, upper(x)))
    return Interval(low, high, quantity, method, used, None)


def sign(f: Callable[[], arb], *, start: int = DEFAULT_PRECISION, limit: int = PRECISION_LIMIT) -> int:
    """The sign of a number that is given by a formula in balls: 1, -1, or 0 if ``limit`` bits do not decide.

    Zero therefore means "unknown", and callers must treat it as the unsafe answer.

    >>> sign(lambda: arb(2).sqrt() ** 2 - 2, limit=512)
    0
    """
    bits = start
    while bits <= limit:
        with precision(bits):
            value = f()
            if value > 0:
                return 1
            if value < 0:
                return -1
        bits *= 2
    return 0
