r"""What $\rho$-zCDP says about $(\varepsilon, \delta)$, and which rho a budget buys: two theorems, both rounded safely.

A conversion bounds what a mechanism spends from above and says nothing from below, so its interval is ``[0, bound]``.
The Renyi order is searched in floats and the bound is then evaluated in balls at that one order, which is rigorous
because every order gives a valid bound.  With $t = \alpha - 1$ and $L = \ln(1/\delta)$ the best order solves a monotone
equation: $\rho t^2 + \ln(1+t) = L$ for epsilon at delta, $\rho(1+2t) = \varepsilon + \ln(1+1/t)$ for delta at epsilon.

References:
    Bun and Steinke, "Concentrated differential privacy", 2016, Proposition 1.3.
    Canonne, Kamath and Steinke, "The discrete Gaussian for differential privacy", 2020, Corollary 13.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Final, Literal, TypeAlias, get_args

from flint import arb

from dpref.checks import one_of, open_unit, positive_rational, rational
from dpref.privacy.closed_forms.conversions import (
    renyi_delta_optimised,
    renyi_epsilon_optimised,
    zcdp_delta,
    zcdp_epsilon,
    zcdp_renyi,
    zcdp_rho,
    zcdp_rho_optimised,
)
from dpref.privacy.interval import Interval, enclose
from dpref.reals import BALL, DEFAULT_PRECISION, Exact, ball

Method: TypeAlias = Literal["basic", "optimised"]
_LOG_ORDER_RANGE: Final = (-340.0, 340.0)  # of t = alpha - 1; t, 1/t and t**2 stay finite doubles
_BISECTIONS: Final = 80
_FLOAT_RANGE: Final = (1e-300, 1e300)


def zcdp_to_epsilon(rho: Exact, delta: Exact, *, method: Method = "optimised") -> Interval:
    r"""An epsilon such that $\rho$-zCDP implies $(\varepsilon, \delta)$-DP.

    ``basic``: $\rho + 2\sqrt{\rho\ln(1/\delta)}$; ``optimised``: the infimum over $\alpha > 1$ of
    $\rho\alpha + \frac{\ln(1/\delta)-\ln\alpha}{\alpha-1} + \ln(1-1/\alpha)$.

    Args:
        rho: The rho of rho-zCDP, exact, not negative.
        delta: The delta of (epsilon, delta)-DP, exact, in (0, 1).
        method: Which theorem.

    Returns:
        ``[0, bound]``: the epsilon of every rho-zCDP mechanism lies inside.

    Raises:
        InvalidArgumentError: If an argument is out of its domain or a float, or the method is unknown.
        PrecisionError: If the precision limit does not suffice.

    References:
        Bun and Steinke 2016, Proposition 1.3; Canonne, Kamath and Steinke 2020, Corollary 13.

    >>> from fractions import Fraction
    >>> print(zcdp_to_epsilon(Fraction(1, 2), Fraction(1, 10**6), method="basic"))
    epsilon in [0, 5.75652177]
    >>> print(zcdp_to_epsilon(Fraction(1, 2), Fraction(1, 10**6)))
    epsilon in [0, 5.221534445]
    """
    r, d, name = rational("rho", rho), open_unit("delta", delta), _name(method)
    if r == 0:
        return Interval(0.0, 0.0, "epsilon", name, DEFAULT_PRECISION, None)
    if method == "basic":
        return _above(enclose(lambda: zcdp_epsilon(BALL, ball(r), -ball(d).log()), "epsilon", name))
    rate, length = _near(ball(r)), _near(-ball(d).log())
    t = _increasing_root(lambda t: rate * t * t + math.log1p(t) - length)

    def bound() -> arb:
        alpha = 1 + arb(t)
        return renyi_epsilon_optimised(BALL, zcdp_renyi(BALL, ball(r), alpha), alpha, -ball(d).log())

    return _above(enclose(bound, "epsilon", name))


def zcdp_to_delta(rho: Exact, epsilon: Exact, *, method: Method = "optimised") -> Interval:
    r"""A delta such that $\rho$-zCDP implies $(\varepsilon, \delta)$-DP.

    ``basic``: $e^{-(\varepsilon-\rho)^2/(4\rho)}$ for $\varepsilon \ge \rho$, else 1; ``optimised``: the infimum over
    $\alpha > 1$ of $\frac{e^{(\alpha-1)(\rho\alpha-\varepsilon)}}{\alpha-1}(1-1/\alpha)^\alpha$.

    Args:
        rho: The rho of rho-zCDP, exact, not negative.
        epsilon: The epsilon of (epsilon, delta)-DP, exact, not negative.
        method: Which theorem.

    Returns:
        ``[0, bound]``, inside [0, 1].

    Raises:
        InvalidArgumentError: If an argument is out of its domain or a float, or the method is unknown.
        PrecisionError: If the precision limit does not suffice.

    References:
        Bun and Steinke 2016, Proposition 1.3; Canonne, Kamath and Steinke 2020, Corollary 13.

    >>> from fractions import Fraction
    >>> print(zcdp_to_delta(Fraction(1, 2), 5))
    delta in [0, 0.00000289612281]
    """
    r, e, name = rational("rho", rho), rational("epsilon", epsilon), _name(method)
    if r == 0:
        return Interval(0.0, 0.0, "delta", name, DEFAULT_PRECISION, None)
    if method == "basic":
        if e <= r:
            return Interval(0.0, 1.0, "delta", name, DEFAULT_PRECISION, None)
        return _above(enclose(lambda: zcdp_delta(BALL, ball(r), ball(e)), "delta", name, most=1.0))
    t = best_excess(ball(r), ball(e))

    def bound() -> arb:
        alpha = 1 + arb(t)
        return renyi_delta_optimised(BALL, zcdp_renyi(BALL, ball(r), alpha), alpha, ball(e))

    return _above(enclose(bound, "delta", name, most=1.0))


def best_excess(rho: arb, epsilon: arb) -> float:
    r"""Roughly the $t=\alpha-1$ at which `zcdp_to_delta` has its infimum; every order gives a valid bound.

    Args:
        rho: The rho of rho-zCDP, as a ball.
        epsilon: The epsilon of (epsilon, delta)-DP, as a ball.

    >>> round(best_excess(arb("0.5"), arb(1)), 6)
    1.13276
    """
    rate, level = _near(rho), _near(epsilon)
    return _increasing_root(lambda t: rate * (1 + 2 * t) - level - math.log1p(1 / t))


def largest_rho(epsilon: Exact, delta: Exact, *, method: Method = "optimised") -> float:
    r"""A budget of rho whose zCDP implies $(\varepsilon, \delta)$-DP: the largest one, rounded down.

    Args:
        epsilon: The epsilon of (epsilon, delta)-DP, exact, positive.
        delta: The delta of (epsilon, delta)-DP, exact, in (0, 1).
        method: Which conversion; ``basic`` has the closed form $(\sqrt{\varepsilon+L}-\sqrt L)^2$.

    Returns:
        A double not above the exact value (``basic``), or not above the value at the best order found (``optimised``).

    Raises:
        InvalidArgumentError: If an argument is out of its domain or a float, or the method is unknown.
        PrecisionError: If the precision limit does not suffice.

    References:
        Bun and Steinke 2016, Proposition 1.3; Canonne, Kamath and Steinke 2020, Corollary 13.

    >>> from fractions import Fraction
    >>> round(largest_rho(4, Fraction(1, 10**8), method="basic"), 12)
    0.19635185344
    >>> round(largest_rho(4, Fraction(1, 10**8)), 4)
    0.2326
    """
    e, d, name = positive_rational("epsilon", epsilon), open_unit("delta", delta), _name(method)
    if method == "basic":
        return enclose(lambda: zcdp_rho(BALL, ball(e), -ball(d).log()), "rho", name).lower
    level, length = _near(ball(e)), _near(-ball(d).log())
    t = _increasing_root(lambda t: t * t / (1 + 2 * t) * (level + math.log1p(1 / t)) + math.log1p(t) - length)
    return enclose(lambda: zcdp_rho_optimised(BALL, ball(e), 1 + arb(t), -ball(d).log()), "rho", name).lower


def _name(method: str) -> str:
    one_of("method", method, get_args(Method))
    return f"zCDP ({method})"


def _above(bound: Interval) -> Interval:
    return Interval(0.0, bound.upper, bound.quantity, bound.method, bound.precision, None)


def _near(x: arb) -> float:
    """A double near a ball, inside the range in which the searches cannot overflow."""
    least, most = _FLOAT_RANGE
    return min(max(float(x.mid()), least), most)


def _increasing_root(f: Callable[[float], float]) -> float:
    """Roughly the root of an increasing function of t > 0, by bisection on a logarithmic scale."""
    low, high = _LOG_ORDER_RANGE
    for _ in range(_BISECTIONS):
        middle = (low + high) / 2
        if f(math.exp(middle)) < 0:
            low = middle
        else:
            high = middle
    return math.exp((low + high) / 2)
