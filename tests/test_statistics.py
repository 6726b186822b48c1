"""Binomial bounds and what rates imply: against mpmath, by exact enumeration, and with planted bugs."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction

import pytest
from mpmath import mp

from dpref.audit.statistics import (
    Rates,
    binomial_lower,
    binomial_upper,
    epsilon_lower,
    gdp_epsilon_lower,
    gdp_lower,
    rates,
    zcdp_lower,
)
from dpref.errors import InvalidArgumentError
from dpref.reals import exact

CASES = [
    (1, 1, Fraction(1, 20)),
    (3, 10, Fraction(1, 3)),
    (10, 10, Fraction(1, 10**9)),
    (1, 1000, Fraction(1, 6000)),
    (500, 1000, Fraction(1, 20)),
    (999, 1000, Fraction(1, 6000)),
    (5000, 10000, Fraction(1, 6000)),
    (99_990, 100_000, Fraction(1, 20)),
]


def upper_tail(k: int, n: int, p: float) -> mp.mpf:
    """The probability of at least k successes, summed term by term: no incomplete beta function."""
    if p == 1:
        return mp.mpf(1)
    odds = mp.mpf(p) / (1 - mp.mpf(p))
    term = mp.binomial(n, k) * mp.mpf(p) ** k * (1 - mp.mpf(p)) ** (n - k)
    total = term
    for j in range(k, n):
        term *= odds * (n - j) / (j + 1)
        total += term
    return total


@pytest.mark.parametrize(("k", "n", "error"), CASES)
def test_lower_bound_is_clopper_pearson_rounded_to_the_safe_side(k: int, n: int, error: Fraction) -> None:
    bound = binomial_lower(k, n, error)
    level = mp.mpf(error.numerator) / error.denominator
    with mp.workdps(50):
        assert upper_tail(k, n, bound) <= level
        assert upper_tail(k, n, min(bound * (1 + 1e-12), 1.0)) > level


@pytest.mark.parametrize(("k", "n", "error"), CASES)
def test_upper_bound_is_the_failures_lower_bound(k: int, n: int, error: Fraction) -> None:
    assert exact(binomial_upper(n - k, n, error)) >= 1 - exact(binomial_lower(k, n, error))
    assert binomial_upper(n - k, n, error) <= math.nextafter(1 - binomial_lower(k, n, error), 2)


@pytest.mark.parametrize("guess", [0.31, 0.9, 1.0, math.nan, 0.0, -1.0])
def test_a_search_that_fails_costs_tightness_and_never_safety(monkeypatch: pytest.MonkeyPatch, guess: float) -> None:
    monkeypatch.setattr("dpref.audit.statistics._newton_tail", lambda *_: guess)
    binomial_lower.cache_clear()
    bound = binomial_lower(40, 100, Fraction(1, 20))
    binomial_lower.cache_clear()
    assert bound >= 0
    assert bound == 0 or upper_tail(40, 100, bound) <= mp.mpf(1) / 20


def test_ends_of_the_range() -> None:
    assert binomial_lower(0, 10, Fraction(1, 2)) == 0.0
    assert binomial_upper(10, 10, Fraction(1, 2)) == 1.0


@pytest.mark.parametrize(
    ("k", "n", "error"),
    [(-1, 10, Fraction(1, 2)), (11, 10, Fraction(1, 2)), (1, 0, Fraction(1, 2)), (1, 10, Fraction(1)), (1, 10, 0.5)],
)
def test_bounds_refuse_what_they_cannot_mean(k: int, n: int, error: Fraction) -> None:
    with pytest.raises(InvalidArgumentError):
        binomial_lower(k, n, error)
    with pytest.raises(InvalidArgumentError):
        binomial_upper(k, n, error)


# ------------------------------------------------------------------ how often the bounds are wrong, by enumeration

Bound = Callable[[int, int, Fraction], float]


def wrong(bound: Bound, n: int, p: Fraction, error: Fraction, *, too_high: bool) -> Fraction:
    """The exact probability that a bound from n runs is on the wrong side of p."""
    total = Fraction(0)
    for k in range(n + 1):
        b = exact(bound(k, n, error))
        if (b > p) if too_high else (b < p):
            total += math.comb(n, k) * p**k * (1 - p) ** (n - k)
    return total


def jointly_wrong(lower: Bound, upper: Bound, n: int, p: Fraction, q: Fraction, error: Fraction) -> Fraction:
    """The exact probability that at least one of the two rates is on the wrong side, each bound at ``error``."""
    miss = wrong(lower, n, p, error, too_high=True)
    alarm = wrong(upper, n, q, error, too_high=False)
    return 1 - (1 - miss) * (1 - alarm)


# Clopper-Pearson is tight just below the bound that some count gives: there its error is the whole of what it may be.
N = 40
ERROR = Fraction(1, 20)
TIGHT = exact(binomial_lower(30, N, ERROR / 2)) * Fraction(10**12 - 1, 10**12)


@pytest.mark.parametrize("p", [Fraction(1, 100), Fraction(3, 10), Fraction(1, 2), Fraction(99, 100), TIGHT, 1 - TIGHT])
def test_each_bound_is_wrong_as_rarely_as_it_says(p: Fraction) -> None:
    assert wrong(binomial_lower, N, p, ERROR, too_high=True) <= ERROR
    assert wrong(binomial_upper, N, p, ERROR, too_high=False) <= ERROR


@pytest.mark.parametrize(("p", "q"), [(Fraction(1, 2), Fraction(1, 2)), (TIGHT, 1 - TIGHT), (TIGHT, Fraction(1, 10))])
def test_both_rates_hold_jointly(p: Fraction, q: Fraction) -> None:
    def lower(k: int, n: int, error: Fraction) -> float:
        return rates((k, n), (0, n), error).true_positive

    def upper(k: int, n: int, error: Fraction) -> float:
        return rates((n, n), (k, n), error).false_positive

    assert jointly_wrong(lower, upper, N, p, q, ERROR) <= ERROR


def test_planted_bug_without_the_correction_for_two_bounds_the_error_is_too_large() -> None:
    p = exact(binomial_lower(30, N, ERROR)) * Fraction(10**12 - 1, 10**12)
    assert jointly_wrong(binomial_lower, binomial_upper, N, p, 1 - p, ERROR) > ERROR


def test_planted_bug_confidence_swapped_for_error_is_wrong_most_of_the_time() -> None:
    def swapped(k: int, n: int, error: Fraction) -> float:
        return binomial_lower(k, n, 1 - error)

    assert wrong(swapped, N, Fraction(1, 2), ERROR, too_high=True) > Fraction(1, 2)


# ------------------------------------------------------------------ what rates imply


def test_epsilon_of_randomised_response() -> None:
    p = math.exp(1) / (1 + math.exp(1))
    assert epsilon_lower(Rates(p, 1 - p), Fraction(1, 10**12)) == pytest.approx(1, abs=1e-9)


def test_epsilon_uses_the_complementary_test_when_that_is_better() -> None:
    bounds = Rates(0.999, 0.5)
    assert epsilon_lower(bounds, Fraction(1, 10**12)) == pytest.approx(math.log(500), abs=1e-6)


def test_epsilon_is_rounded_down() -> None:
    with mp.workdps(40):
        truth = mp.log((mp.mpf(0.5) - mp.mpf(1) / 100) / mp.mpf(0.05))
        assert epsilon_lower(Rates(0.5, 0.05), Fraction(1, 100)) <= truth
        assert epsilon_lower(Rates(0.5, 0.05), Fraction(1, 100)) == pytest.approx(float(truth), rel=1e-15)


def test_mu_is_the_difference_of_normal_quantiles() -> None:
    with mp.workdps(40):
        truth = mp.sqrt(2) * (mp.erfinv(2 * mp.mpf(0.9) - 1) - mp.erfinv(2 * mp.mpf(0.01) - 1))
        assert gdp_lower(Rates(0.9, 0.01)) <= truth
        assert gdp_lower(Rates(0.9, 0.01)) == pytest.approx(float(truth), rel=1e-14)


def test_rho_is_at_least_what_each_order_gives() -> None:
    p, q = 0.9, 0.1
    divergence = math.log(p**2 / q + (1 - p) ** 2 / (1 - q))
    assert zcdp_lower(Rates(p, q)) >= divergence / 2 * (1 - 1e-12)


@pytest.mark.parametrize(
    "bounds", [Rates(0.5, 0.5), Rates(0.3, 0.6), Rates(0.0, 1.0), Rates(0.0, 0.0), Rates(1.0, 1.0)]
)
def test_rates_that_tell_nothing_apart_give_zero(bounds: Rates) -> None:
    assert epsilon_lower(bounds, Fraction(1, 10**5)) == 0
    assert zcdp_lower(bounds) == 0
    assert gdp_lower(bounds) == 0
    assert gdp_epsilon_lower(gdp_lower(bounds), Fraction(1, 10**5)) == 0


@pytest.mark.parametrize(("p", "q"), [(math.nan, 0.5), (1.5, 0.5), (0.5, -0.1)])
def test_rates_are_probabilities(p: float, q: float) -> None:
    with pytest.raises(InvalidArgumentError):
        Rates(p, q)
