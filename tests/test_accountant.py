"""The accountant for Gaussian ledgers: golden values, an independent 80-digit check, bad input, planted bugs."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import Any

import mpmath
import numpy as np
import pytest
from flint import arb

from dpref.errors import DprefError, InvalidArgumentError, PrecisionError, UnsupportedEventError
from dpref.privacy import interval
from dpref.privacy.closed_forms import divergences, gaussian
from dpref.privacy.closed_forms.gaussian import delta, epsilon, gaussian_delta_at, gaussian_epsilon, gdp, zcdp
from dpref.privacy.closed_forms.zcdp import zcdp_to_delta, zcdp_to_epsilon
from dpref.privacy.events.ledger import Compose, Event, Gaussian, Ledger, NonPrivate, Repeat
from dpref.privacy.events.walks import multiplicities
from dpref.privacy.interval import Interval
from dpref.reals import lower
from dpref.units import AddOrRemoveOne, ReplaceOne, ZeroOut
from tests.refusals import blamed

DIGITS = 80


def exact_delta(mu_squared: Fraction, eps: float | Fraction | mpmath.mpf) -> mpmath.mpf:
    """The analytic Gaussian in mpmath: another implementation of erfc, evaluated at fixed precision."""
    with mpmath.workdps(DIGITS + 40):
        e = mpmath.mpf(eps.numerator) / eps.denominator if isinstance(eps, Fraction) else mpmath.mpf(eps)
        mu = mpmath.sqrt(mpmath.mpf(mu_squared.numerator) / mu_squared.denominator)
        return mpmath.ncdf(mu / 2 - e / mu) - mpmath.exp(e) * mpmath.ncdf(-mu / 2 - e / mu)


def cases(count: int) -> Iterator[tuple[float, int, Fraction]]:
    rng = np.random.default_rng(20240607)
    for _ in range(count):
        steps = round(10 ** rng.uniform(0, 6))
        multiplier = math.sqrt(steps) * 10 ** rng.uniform(-1, 3)
        yield multiplier, steps, Fraction(10 ** rng.uniform(-15, -1))


def epsilon_is_held(multiplier: float, steps: int, d: Fraction) -> bool:
    """delta(lower) >= delta >= delta(upper): the interval holds the exact epsilon, and is narrow."""
    found = epsilon(Ledger(Repeat(Gaussian(Fraction(multiplier)), steps), ReplaceOne), d)
    mu_squared = Fraction(steps) / Fraction(multiplier) ** 2
    target = mpmath.mpf(d.numerator) / d.denominator
    above = exact_delta(mu_squared, found.upper) <= target
    below = found.upper <= 0 or exact_delta(mu_squared, found.lower) >= target
    return bool(above and below and found.relative_width <= 1e-12 and found.adjacency is ReplaceOne)


def delta_is_held(multiplier: float, steps: int, d: Fraction) -> bool:
    eps = Fraction(-math.log(d)).limit_denominator(100)
    found = delta(Ledger(Repeat(Gaussian(Fraction(multiplier)), steps), ZeroOut), eps)
    value = exact_delta(Fraction(steps) / Fraction(multiplier) ** 2, eps)
    return bool(found.lower <= value <= found.upper) and (found.relative_width <= 1e-12 or found.upper < 1e-290)


def missed(is_held: Callable[[float, int, Fraction], bool], count: int) -> list[tuple[float, int, Fraction]]:
    return [case for case in cases(count) if not is_held(*case)]


@pytest.mark.slow
def test_epsilon_holds_the_value_of_an_independent_evaluation() -> None:
    assert missed(epsilon_is_held, 1000) == []


def test_delta_holds_the_value_of_an_independent_evaluation() -> None:
    assert missed(delta_is_held, 300) == []


@pytest.mark.slow
@pytest.mark.parametrize(("mu_squared", "d"), [(Fraction(1), 1e-5), (Fraction(1, 100), 1e-9), (Fraction(50), 1e-15)])
def test_epsilon_by_full_inversion(mu_squared: Fraction, d: float) -> None:
    found = gaussian_epsilon(mu_squared, Fraction(d))
    with mpmath.workdps(DIGITS):
        low, high = mpmath.mpf(0), mpmath.mpf(100)
        for _ in range(250):
            middle = (low + high) / 2
            low, high = (middle, high) if exact_delta(mu_squared, middle) > d else (low, middle)
        assert found.lower <= low <= high <= found.upper


@pytest.mark.parametrize("power", [20, 100, 300, 400])
@pytest.mark.parametrize("mu_squared", [Fraction(1, 10**12), Fraction(1), Fraction(2 * 10**6)])
def test_extreme_deltas(mu_squared: Fraction, power: int) -> None:
    d = Fraction(1, 10**power)
    found = gaussian_epsilon(mu_squared, d)
    target = mpmath.mpf(10) ** -power
    assert exact_delta(mu_squared, found.upper) <= target <= exact_delta(mu_squared, found.lower)
    assert found.relative_width <= 1e-12


def test_delta_far_out_rounds_outward_to_the_smallest_double() -> None:
    found = gaussian_delta_at(1, 10**6)
    assert (found.lower, found.upper) == (0.0, math.nextafter(0.0, 1.0))


def test_golden_values() -> None:
    rho = Fraction("0.196351853440284")
    d = Fraction(1, 10**8)
    assert gaussian_epsilon(2 * rho, d).upper == pytest.approx(3.457, abs=1e-3)
    assert zcdp_to_epsilon(rho, d).upper == pytest.approx(3.649, abs=1e-3)
    assert zcdp_to_epsilon(rho, d, method="basic").upper == pytest.approx(4, abs=1e-13)
    printed = Fraction("81.486371122")
    assert gaussian_epsilon(2 * printed, d).upper == pytest.approx(152.3, abs=0.1)


@pytest.mark.parametrize("d", [Fraction(9, 10), Fraction("0.3829249225480262072"), Fraction(1, 2)])
def test_a_delta_above_the_total_variation_distance_costs_nothing(d: Fraction) -> None:
    # delta(0) = 2 Phi(1/2) - 1 = 0.38292492254802620727...
    found = gaussian_epsilon(1, d)
    if d > Fraction("0.38292492254802620728"):
        assert (found.lower, found.upper) == (0.0, 0.0)
    else:
        assert 0 < found.lower <= found.upper < 1e-15


def test_losses_are_exact_fractions() -> None:
    ledger = Ledger(Compose((Repeat(Gaussian(Fraction(3)), 2), Gaussian(Fraction(0.1)))), AddOrRemoveOne)
    assert gdp(ledger).value == Fraction(2, 9) + 1 / Fraction(0.1) ** 2
    assert zcdp(ledger).value == gdp(ledger).value / 2
    assert zcdp(ledger).adjacency is AddOrRemoveOne


def test_many_distinct_multipliers_sum_exactly() -> None:
    rng = np.random.default_rng(5)
    multipliers = [Fraction(rng.uniform(0.5, 50)) for _ in range(1000)]
    ledger = Ledger(Compose(tuple(map(Gaussian, multipliers))), ReplaceOne)
    found = gdp(ledger).value
    with mpmath.workdps(DIGITS):
        expected = mpmath.fsum((mpmath.mpf(z.denominator) / z.numerator) ** 2 for z in multipliers)
        assert abs(mpmath.mpf(found.numerator) / found.denominator / expected - 1) < mpmath.mpf(10) ** -70


def test_nothing_spent_costs_nothing() -> None:
    ledger = Ledger(Compose(()), ReplaceOne)
    assert epsilon(ledger, Fraction(1, 100)).upper == 0
    assert delta(ledger, 0).upper == 0
    assert gdp(ledger).value == 0


def test_an_answer_without_noise_is_infinitely_expensive() -> None:
    ledger = Ledger(Compose((Gaussian(Fraction(5)), NonPrivate())), ReplaceOne)
    assert epsilon(ledger, Fraction(1, 2)).lower == math.inf
    assert delta(ledger, 100).lower == 1.0
    for loss in (gdp, zcdp):
        with pytest.raises(UnsupportedEventError, match="nonprivate"):
            loss(ledger)


def test_an_event_of_another_kind_is_refused_even_beside_one_without_noise() -> None:
    foreign: Any = Alien()
    ledger = Ledger(Compose((NonPrivate(), foreign)), ReplaceOne)
    with pytest.raises(UnsupportedEventError, match="alien"):
        epsilon(ledger, Fraction(1, 2))
    with pytest.raises(UnsupportedEventError, match="alien"):
        delta(ledger, 1)


class Alien:
    """An event that no accountant knows."""

    def __str__(self) -> str:
        return "alien()"


def test_balls_of_mu_are_enclosed_by_their_ends() -> None:
    wide = gaussian_epsilon(arb(1, 0.01), Fraction(1, 10**6))
    low, high = (gaussian_epsilon(Fraction(x), Fraction(1, 10**6)) for x in ("0.99", "1.01"))
    assert wide.lower <= low.lower
    assert wide.upper >= high.upper
    assert wide.upper < high.upper * 1.0000001
    curve = gaussian_delta_at(arb(1, 0.01), 3)
    assert curve.lower < gaussian_delta_at(1, 3).lower < curve.upper


LEDGER = Ledger(Gaussian(Fraction(1)), ReplaceOne)
BAD_DELTAS: list[Any] = [0, 1, Fraction(3, 2), -1, 1e-5, math.nan, math.inf, True, "0.1", None]
BAD_EPSILONS: list[Any] = [-1, Fraction(-1, 7), 1.0, math.nan, math.inf, True, "1", None]
CALLS: list[tuple[Callable[[Any], object], list[Any], str]] = [
    (lambda d: epsilon(LEDGER, d), BAD_DELTAS, "delta"),
    (lambda e: delta(LEDGER, e), BAD_EPSILONS, "epsilon"),
    (lambda d: gaussian_epsilon(1, d), BAD_DELTAS, "delta"),
    (lambda e: gaussian_delta_at(1, e), BAD_EPSILONS, "epsilon"),
    (lambda m: gaussian_delta_at(m, 1), [*BAD_EPSILONS, arb(-1), arb("nan"), arb("inf")], "mu_squared"),
    (lambda m: gaussian_epsilon(m, Fraction(1, 9)), [*BAD_EPSILONS, arb(-1), arb("nan"), arb("inf")], "mu_squared"),
    (lambda d: zcdp_to_epsilon(1, d), BAD_DELTAS, "delta"),
    (lambda r: zcdp_to_epsilon(r, Fraction(1, 9)), BAD_EPSILONS, "rho"),
    (lambda e: zcdp_to_delta(1, e), BAD_EPSILONS, "epsilon"),
    (lambda r: zcdp_to_delta(r, 1), BAD_EPSILONS, "rho"),
    (lambda m: zcdp_to_epsilon(1, Fraction(1, 9), method=m), ["magic", None], "method"),
    (lambda m: zcdp_to_delta(1, 1, method=m), ["magic"], "method"),
]


@pytest.mark.parametrize(("call", "bad", "argument"), CALLS)
def test_bad_input_is_refused_by_name(call: Callable[[Any], object], bad: list[Any], argument: str) -> None:
    assert blamed(call, bad) == {argument}


# ------------------------------------------------------------------------------------ intervals


def test_an_interval_refuses_nan_crossed_ends_and_unknown_labels() -> None:
    for low, high in ((math.nan, 1.0), (0.0, math.nan), (2.0, 1.0)):
        with pytest.raises(InvalidArgumentError):
            Interval(low, high, "epsilon", "x", 64, None)
    with pytest.raises(InvalidArgumentError):
        Interval(0.0, 1.0, "joy", "x", 64, None)


def test_interval_decimal_text_is_outward() -> None:
    found = gaussian_epsilon(1, Fraction(1, 10**5))
    low, high = found.as_decimal(6)
    assert (low, high) == ("4.37717", "4.37718")
    assert Fraction(low) <= Fraction(found.lower)
    assert Fraction(found.upper) <= Fraction(high)
    assert Interval(math.inf, math.inf, "epsilon", "x", 64, None).as_decimal() == ("inf", "inf")


def test_intersection_takes_the_better_end_of_each() -> None:
    a = Interval(0.0, 2.0, "epsilon", "a", 64, ReplaceOne)
    b = Interval(1.0, 3.0, "epsilon", "b", 128, ReplaceOne)
    both = a.intersection(b)
    assert (both.lower, both.upper, both.method, both.precision) == (1.0, 2.0, "lower: b; upper: a", 128)
    with pytest.raises(InvalidArgumentError):
        a.intersection(Interval(0.0, 1.0, "epsilon", "c", 64, ZeroOut))
    with pytest.raises(PrecisionError, match="disjoint"):
        a.intersection(Interval(5.0, 6.0, "epsilon", "c", 64, ReplaceOne))


def test_widths_round_up() -> None:
    found = Interval(0.1, 0.3, "epsilon", "x", 64, None)
    assert Fraction(found.width) >= Fraction(0.3) - Fraction(0.1)
    assert Interval(0.0, 1.0, "epsilon", "x", 64, None).relative_width == math.inf
    assert Interval(math.inf, math.inf, "epsilon", "x", 64, None).relative_width == 0


@pytest.mark.slow
def test_conversions_agree_with_a_direct_minimisation() -> None:
    for rho, d in (
        (Fraction(1, 2), Fraction(1, 10**6)),
        (Fraction(1, 1000), Fraction(1, 10**12)),
        (20, Fraction(1, 9)),
    ):
        with mpmath.workdps(40):
            log = -mpmath.log(mpmath.mpf(d.numerator) / d.denominator)
            r = mpmath.mpf(Fraction(rho).numerator) / Fraction(rho).denominator

            def bound(a: mpmath.mpf, r: mpmath.mpf = r, log: mpmath.mpf = log) -> mpmath.mpf:
                return r * a + (log - mpmath.log(a)) / (a - 1) + mpmath.log(1 - 1 / a)

            grid = [1 + mpmath.exp(mpmath.mpf(k) / 200) for k in range(-1000, 1600)]
            least = min(map(bound, grid))
        found = zcdp_to_epsilon(rho, d).upper
        assert least * (1 - mpmath.mpf("1e-4")) <= found <= least
        at = zcdp_to_delta(rho, Fraction(found)).upper
        assert at == pytest.approx(float(d), rel=1e-9)


def test_basic_conversion_is_one_below_its_range() -> None:
    assert zcdp_to_delta(3, 2, method="basic").upper == 1.0
    assert zcdp_to_delta(0, 0).upper == 0.0


# ------------------------------------------------------------------------------------ planted bugs


def inward(bracket: Callable[..., Any]) -> Callable[..., Any]:
    def broken(*args: Any) -> Any:
        found = bracket(*args)
        return found and (math.nextafter(found[1], 0.0),) * 2

    return broken


def test_planted_inward_rounding_of_epsilon_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gaussian, "_bracket", inward(gaussian._bracket))
    assert missed(epsilon_is_held, 20)


def test_planted_inward_rounding_of_delta_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(interval, "upper", lower)
    assert missed(delta_is_held, 20)


def test_planted_dropped_step_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    def dropped(event: Event) -> dict[Event, int]:
        return {e: max(1, k - 1) for e, k in multiplicities(event).items()}

    monkeypatch.setattr(gaussian, "multiplicities", dropped)
    assert missed(epsilon_is_held, 20)


def test_planted_swapped_sign_in_the_distribution_function_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    cdf = divergences.normal_cdf
    monkeypatch.setattr(divergences, "normal_cdf", lambda o, x: cdf(o, -x))
    for is_held in (epsilon_is_held, delta_is_held):
        with pytest.raises((AssertionError, DprefError)):
            assert missed(is_held, 5) == []
