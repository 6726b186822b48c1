r"""Rényi divergences as functions of their order: what adds under adaptive composition, and what it says of epsilon.

A curve bounds $D_\alpha$ for each $\alpha > 1$.  A conversion to $(\varepsilon,\delta)$ holds at *each* order, so the
order is chosen by a search in floats and the bound is evaluated once, in balls, at the order chosen.  The search is
short because $(\alpha-1)D_\alpha$ is convex in the order (van Erven and Harremoës 2014, Corollary 2), which makes
epsilon quasi-convex and $\ln\delta$ convex in it; where a curve is only a bound, a worse order may be found, never a
wrong epsilon.

References:
    Mironov, "Rényi differential privacy", 2017, Propositions 1 and 3.
    Canonne, Kamath and Steinke, "The discrete Gaussian for differential privacy", 2020, Proposition 12.
    van Erven and Harremoës, "Rényi divergence and Kullback-Leibler divergence", 2014.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Final, Literal, TypeAlias, final, get_args

from flint import arb

from dpref.checks import natural, one_of, open_unit, rational
from dpref.errors import InvalidArgumentError
from dpref.privacy.closed_forms.conversions import (
    renyi_delta,
    renyi_delta_optimised,
    renyi_epsilon,
    renyi_epsilon_optimised,
)
from dpref.privacy.interval import Interval, enclose
from dpref.reals import BALL, DEFAULT_PRECISION, Exact, ball, precision

Method: TypeAlias = Literal["basic", "optimised"]
LARGEST_ORDER: Final = 1 << 14
_LEAST_GAP: Final = Fraction(1, 1 << 200)
_SEARCH_BITS: Final = 64
_PRECISION_LIMIT: Final = 1 << 12
_REFINEMENTS: Final = 2
_APART: Final = 6  # orders
DEFAULT_ORDERS: Final = (
    *(1 + Fraction(1, 1 << k) for k in range(10, 1, -1)),
    *(Fraction(k, 8) for k in range(11, 64)),
    *map(Fraction, range(8, 64)),
    *(Fraction(round(64 * 1.07**k)) for k in range(82)),
)


@final
@dataclass(frozen=True)
class RenyiCurve:
    r"""$\alpha \mapsto$ a bound on $D_\alpha$.

    Attributes:
        divergence: From an order to a ball at the working precision; what lies in the ball bounds $D_\alpha$, and an
            infinite ball says that there is no bound at that order.
        tight: Whether the bound is attained (by a worst-case query), so that the ball holds the divergence itself.
        assumed: The names of the events whose spending is assumed and on which the curve rests; its intervals say so.

    >>> one = RenyiCurve(lambda order: ball(order) / 2, tight=True)
    >>> print(compose([one, one.repeat(3)]).at(Fraction(3, 2)))
    renyi divergence in [3, 3]
    """

    divergence: Callable[[Fraction], arb]
    tight: bool
    assumed: tuple[str, ...] = ()

    def repeat(self, count: int) -> RenyiCurve:
        """The curve of ``count`` adaptive compositions."""
        natural("count", count)
        return replace(self, divergence=lambda order: self.divergence(order) * count)

    def at(self, order: Exact) -> Interval:
        r"""The divergence at one order, certified; the lower end is 0 where the curve is only a bound.

        Raises:
            InvalidArgumentError: If the order is a float, not larger than one, or too large.
            PrecisionError: If the precision limit does not suffice.
        """
        alpha = valid_order(order)
        found = _enclose(lambda: self.divergence(alpha), "renyi divergence", "Rényi")
        return replace(found, lower=found.lower if self.tight else 0.0, assumed=self.assumed)


def compose(curves: Iterable[RenyiCurve]) -> RenyiCurve:
    """Adaptive composition: divergences add, order by order (Mironov 2017, Proposition 1).

    Raises:
        InvalidArgumentError: If there is no curve.
    """
    parts = tuple(curves)
    if not parts:
        raise InvalidArgumentError("curves", parts, "must not be empty")

    def total(order: Fraction) -> arb:
        return sum((part.divergence(order) for part in parts), arb(0))

    names = tuple(dict.fromkeys(name for part in parts for name in part.assumed))
    return RenyiCurve(total, all(part.tight for part in parts), names)


def valid_order(order: Exact) -> Fraction:
    """An order of a Rényi divergence: exact, above one by at least 2**-200, at most `LARGEST_ORDER`."""
    a = rational("order", order)
    if not 1 + _LEAST_GAP <= a <= LARGEST_ORDER:
        raise InvalidArgumentError("order", order, f"must be larger than one and at most {LARGEST_ORDER}")
    return a


def renyi_to_epsilon(
    curve: RenyiCurve, delta: Exact, *, orders: Sequence[Exact] | None = None, method: Method = "optimised"
) -> Interval:
    r"""An epsilon such that the curve implies $(\varepsilon,\delta)$-DP: the best over the orders.

    Args:
        curve: A bound on the Rényi divergence of a mechanism, in both directions of its neighbours.
        delta: The delta of (epsilon, delta)-DP, exact, in (0, 1).
        orders: Exact, each larger than one: every order gives a valid bound, the best is taken.  By default
            `DEFAULT_ORDERS`, and then some between the neighbours of the best.
        method: ``basic`` is Mironov's conversion, ``optimised`` the one of Canonne, Kamath and Steinke.

    Returns:
        ``[0, bound]``: the epsilon of every mechanism under the curve lies inside.

    Raises:
        InvalidArgumentError: If an argument is out of its domain or a float, no order is given, or the method unknown.
        PrecisionError: If the precision limit does not suffice.

    References:
        Mironov 2017, Proposition 3; Canonne, Kamath and Steinke 2020, Proposition 12.

    >>> gaussian = RenyiCurve(lambda order: ball(order) / 2, tight=True)
    >>> print(renyi_to_epsilon(gaussian, Fraction(1, 10**6)))
    epsilon in [0, 5.221534506]
    """
    d, name = open_unit("delta", delta), checked_method(method)
    convert = renyi_epsilon if method == "basic" else renyi_epsilon_optimised

    def bound(order: Fraction) -> arb:
        return convert(BALL, curve.divergence(order), ball(order), -ball(d).log())

    best = _best(bound, orders, convex=curve.tight)
    return _bound(curve, _enclose(lambda: bound(best), "epsilon", f"{name}, order {best}"))


def renyi_to_delta(
    curve: RenyiCurve, epsilon: Exact, *, orders: Sequence[Exact] | None = None, method: Method = "optimised"
) -> Interval:
    r"""A delta such that the curve implies $(\varepsilon,\delta)$-DP: the best over the orders.

    Args:
        curve: A bound on the Rényi divergence of a mechanism, in both directions of its neighbours.
        epsilon: The epsilon of (epsilon, delta)-DP, exact, not negative.
        orders: As for `renyi_to_epsilon`.
        method: ``basic`` is Mironov's conversion, ``optimised`` the one of Canonne, Kamath and Steinke.

    Returns:
        ``[0, bound]``, inside [0, 1].

    Raises:
        InvalidArgumentError: If an argument is out of its domain or a float, no order is given, or the method unknown.
        PrecisionError: If the precision limit does not suffice.

    >>> gaussian = RenyiCurve(lambda order: ball(order) / 2, tight=True)
    >>> print(renyi_to_delta(gaussian, 5))
    delta in [0, 0.00000289612287]
    """
    e, name = rational("epsilon", epsilon), checked_method(method)
    convert = renyi_delta if method == "basic" else renyi_delta_optimised

    def bound(order: Fraction) -> arb:
        return convert(BALL, curve.divergence(order), ball(order), ball(e))

    best = _best(lambda order: bound(order).log(), orders, convex=curve.tight)
    return _bound(curve, _enclose(lambda: bound(best), "delta", f"{name}, order {best}", most=1.0))


def _enclose(f: Callable[[], arb], quantity: str, method: str, *, most: float = math.inf) -> Interval:
    """As `enclose`, but the known absence of a bound is an infinite interval (or the trivial one), not an error."""
    if f() == arb.pos_inf():
        return Interval(most, most, quantity, method, DEFAULT_PRECISION, None)
    return enclose(f, quantity, method, most=most, limit=_PRECISION_LIMIT)


def _bound(curve: RenyiCurve, found: Interval) -> Interval:
    return replace(found, lower=0.0, assumed=curve.assumed)


def checked_method(method: str) -> str:
    """The name of a conversion as it stands in an interval's method."""
    one_of("method", method, get_args(Method))
    return f"Rényi ({method})"


def _best(objective: Callable[[Fraction], arb], orders: Sequence[Exact] | None, *, convex: bool) -> Fraction:
    """Roughly the order with the smallest objective; nothing here is certified.

    A divergence makes an objective with one minimum.  A bound on it may jump, where another bound takes over, and go
    down again: its minimum is looked for from many orders.

    Raises:
        InvalidArgumentError: If there is no order, or one is out of the domain.
    """
    candidates = sorted({valid_order(order) for order in (DEFAULT_ORDERS if orders is None else orders)})
    if not candidates:
        raise InvalidArgumentError("orders", orders, "must not be empty")
    best = _least(objective, candidates, 0 if convex else _APART)
    for _ in range(_REFINEMENTS if orders is None else 0):
        low, high = candidates[max(best - 1, 0)], candidates[min(best + 1, len(candidates) - 1)]
        candidates = [low + (high - low) * Fraction(k, 16) for k in range(17)]
        best = _least(objective, candidates, 0)
    return candidates[best]


def _least(objective: Callable[[Fraction], arb], candidates: Sequence[Fraction], apart: int) -> int:
    """The index of roughly the smallest objective, by bisection on the sign of its slope.

    Args:
        objective: Of an order.
        candidates: The orders, growing.
        apart: Begin beside the best of every so many candidates; 0 to begin with all of them.
    """
    seen: dict[int, float] = {}

    def value(i: int) -> float:
        if i not in seen:
            with precision(_SEARCH_BITS):
                x = float(objective(candidates[i]).mid())
            seen[i] = math.inf if math.isnan(x) else x
        return seen[i]

    low, high = 0, len(candidates) - 1
    if apart:
        first = min(range(0, len(candidates), apart), key=value)
        low, high = max(first - apart, low), min(first + apart, high)
    while low < high:
        middle = (low + high) // 2
        if value(middle) <= value(middle + 1):
            high = middle
        else:
            low = middle + 1
    value(low)
    return min(seen, key=lambda i: (seen[i], i))
