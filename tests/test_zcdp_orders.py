"""Conversions of zCDP take the best order: each bound against the least one over all orders, in mpmath."""

from __future__ import annotations

from fractions import Fraction

import mpmath
import pytest
from flint import arb
from mpmath import mpf

from dpref.errors import InvalidArgumentError
from dpref.privacy.closed_forms.zcdp import best_excess, largest_rho, zcdp_to_delta, zcdp_to_epsilon

CASES = [
    (Fraction(rho), Fraction(1, 10**digits))
    for rho in ("1/1000000", "1/50", "1/2", "1", "7", "300")
    for digits in (1, 6, 30)
] + [(Fraction(1, 10**200), Fraction(1, 10**6))]


def mp(x: Fraction | float) -> mpf:
    return mpf(Fraction(x).numerator) / Fraction(x).denominator


def least(f: object, start: mpf) -> mpf:
    """The least value of a convex function of the logarithm of alpha - 1, by golden sections around a start."""
    ratio = (mpmath.sqrt(5) - 1) / 2
    low, high = start - 12, start + 12
    for _ in range(100):
        a, b = high - ratio * (high - low), low + ratio * (high - low)
        low, high = (low, b) if f(a) < f(b) else (a, high)  # type: ignore[operator]
    return f((low + high) / 2)  # type: ignore[operator]


@pytest.mark.parametrize(("rho", "delta"), CASES)
def test_the_epsilon_of_zcdp_is_that_of_the_best_order(rho: Fraction, delta: Fraction) -> None:
    with mpmath.workdps(40):
        r, length = mp(rho), -mpmath.log(mp(delta))

        def epsilon(log_excess: mpf) -> mpf:
            t = mpmath.exp(log_excess)
            return r * (1 + t) + (length - mpmath.log1p(t)) / t - mpmath.log1p(1 / t)

        best = least(epsilon, mpmath.log(mpmath.sqrt(length / r)))
        found = zcdp_to_epsilon(rho, delta)
        assert found.lower == 0
        assert found.quantity == "epsilon"
        if best > 0:
            assert best <= mp(found.upper) <= best * (1 + mpf(10) ** -12)
        basic = r + 2 * mpmath.sqrt(r * length)
        usual = zcdp_to_epsilon(rho, delta, method="basic")
        assert usual.lower == 0
        assert basic <= mp(usual.upper) <= basic * (1 + mpf(2) ** -52)
        assert found.upper < usual.upper


@pytest.mark.parametrize(("rho", "delta"), CASES)
def test_the_delta_of_zcdp_is_that_of_the_best_order(rho: Fraction, delta: Fraction) -> None:
    with mpmath.workdps(40):
        r = mp(rho)
        epsilon = Fraction(zcdp_to_epsilon(rho, delta, method="basic").upper)
        e = mp(epsilon)

        def log_delta(log_excess: mpf) -> mpf:
            t = mpmath.exp(log_excess)
            return t * (r * (1 + t) - e) - (1 + t) * mpmath.log1p(1 / t) - log_excess

        best = mpmath.exp(least(log_delta, mpmath.log(e / (2 * r))))
        found = zcdp_to_delta(rho, epsilon)
        assert found.lower == 0
        assert best <= mp(found.upper) <= best * (1 + mpf(10) ** -9)
        basic = mpmath.exp(-((e - r) ** 2) / (4 * r))
        usual = zcdp_to_delta(rho, epsilon, method="basic")
        assert usual.lower == 0
        assert basic <= mp(usual.upper) <= basic * (1 + mpf(2) ** -52)


@pytest.mark.parametrize("epsilon", [Fraction(1, 1000), Fraction(1), Fraction(40)])
@pytest.mark.parametrize("delta", [Fraction(1, 10), Fraction(1, 10**6), Fraction(1, 10**30)])
def test_the_largest_rho_is_that_of_the_best_order(epsilon: Fraction, delta: Fraction) -> None:
    with mpmath.workdps(40):
        e, length = mp(epsilon), -mpmath.log(mp(delta))

        def cost(log_excess: mpf) -> mpf:
            t = mpmath.exp(log_excess)
            return -(e - (length - mpmath.log1p(t)) / t + mpmath.log1p(1 / t)) / (1 + t)

        best = -least(cost, mpmath.log(2 * length / e + 1 / (2 * length)))
        found = mp(largest_rho(epsilon, delta))
        assert best * (1 - mpf(10) ** -12) <= found <= best
        basic = (mpmath.sqrt(e + length) - mpmath.sqrt(length)) ** 2
        usual = mp(largest_rho(epsilon, delta, method="basic"))
        assert basic * (1 - mpf(2) ** -50) <= usual <= basic


def test_a_huge_rho_takes_an_order_near_one() -> None:
    """At alpha - 1 = 4e-9 the bound is that of the basic conversion, to the last digit."""
    best, usual = (zcdp_to_epsilon(10**18, Fraction(1, 10**6), method=m).upper for m in ("optimised", "basic"))
    assert 10**18 < best <= usual


@pytest.mark.parametrize("method", ["basic", "optimised"])
def test_nothing_spent_is_nothing_lost(method: str) -> None:
    epsilon = zcdp_to_epsilon(0, Fraction(1, 10**6), method=method)  # type: ignore[arg-type]
    delta = zcdp_to_delta(0, Fraction(1, 10), method=method)  # type: ignore[arg-type]
    assert (epsilon.lower, epsilon.upper, delta.lower, delta.upper) == (0.0, 0.0, 0.0, 0.0)
    assert zcdp_to_delta(0, 0, method=method).upper == 0.0  # type: ignore[arg-type]
    with pytest.raises(InvalidArgumentError, match="method"):
        zcdp_to_epsilon(0, Fraction(1, 10**6), method="best")  # type: ignore[arg-type]


def test_an_epsilon_below_rho_bounds_no_delta() -> None:
    """Chernoff's bound holds above the mean of the loss alone: at 1/8 the formula would give less than one."""
    for epsilon in (Fraction(0), Fraction(1, 8), Fraction(1, 2)):
        found = zcdp_to_delta(Fraction(1, 2), epsilon, method="basic")
        assert (found.lower, found.upper) == (0.0, 1.0)
    assert zcdp_to_delta(Fraction(1, 2), Fraction(1, 2) + Fraction(1, 10**40), method="basic").upper == 1.0
    assert 0.999 < zcdp_to_delta(Fraction(7), Fraction(1, 100)).upper < 1.0 == zcdp_to_delta(Fraction(50), 0).upper
    above = zcdp_to_delta(Fraction(1, 2), Fraction(1), method="basic").upper
    assert above == pytest.approx(float(mpmath.exp(-mpf(1) / 8)), rel=1e-15)


@pytest.mark.parametrize(("rho", "epsilon"), [("1e-9", "1"), ("0.5", "1"), ("3", "0.01"), ("50", "80")])
def test_the_best_order_for_a_delta_is_where_its_derivative_is_zero(rho: str, epsilon: str) -> None:
    t = mpf(best_excess(arb(rho), arb(epsilon)))
    slope = mpf(rho) * (1 + 2 * t) - mpf(epsilon) - mpmath.log1p(1 / t)
    assert abs(slope) <= 1e-12 * max(1, mpf(epsilon))
