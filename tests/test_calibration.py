"""Calibration: each answer meets the budget, its neighbour does not, in an independent evaluation."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import mpmath
import numpy as np
import pytest

from dpref.errors import InvalidArgumentError
from dpref.privacy import calibration
from dpref.privacy.calibration import (
    classical_noise_multiplier,
    classical_noise_multiplier_as_printed,
    gaussian_noise_multiplier,
    largest_mu,
    largest_steps,
    largest_steps_zcdp,
    satisfies,
    zcdp_noise_multiplier,
)
from dpref.privacy.closed_forms.zcdp import largest_rho, zcdp_to_epsilon
from tests.refusals import blamed


def exact_delta(mu_squared: Fraction, eps: Fraction) -> mpmath.mpf:
    with mpmath.workdps(120):
        e = mpmath.mpf(eps.numerator) / eps.denominator
        mu = mpmath.sqrt(mpmath.mpf(mu_squared.numerator) / mu_squared.denominator)
        return mpmath.ncdf(mu / 2 - e / mu) - mpmath.exp(e) * mpmath.ncdf(-mu / 2 - e / mu)


def wrong_noise(count: int) -> list[tuple[Fraction, Fraction, int]]:
    """The budgets that the least double found for them exceeds, or that a smaller one meets."""
    rng, wrong = np.random.default_rng(11), list[tuple[Fraction, Fraction, int]]()
    for _ in range(count):
        eps, d = Fraction(10 ** rng.uniform(-3, 3)), Fraction(10 ** rng.uniform(-15, -1))
        steps = round(10 ** rng.uniform(0, 6))
        z = gaussian_noise_multiplier(eps, d, steps=steps)
        target = mpmath.mpf(d.numerator) / d.denominator
        met = exact_delta(steps / Fraction(z) ** 2, eps) <= target
        least = exact_delta(steps / Fraction(math.nextafter(z, 0.0)) ** 2, eps) > target
        if not (met and least and largest_steps(Fraction(z), eps, d) == steps):
            wrong.append((eps, d, steps))
    return wrong


@pytest.mark.slow
def test_the_noise_meets_the_budget_and_the_next_double_does_not() -> None:
    assert wrong_noise(150) == []


# Constants c in sigma^2 = c G^2 T ln(1/delta) / (n^2 eps^2) for T answers of sensitivity 2G/n, so c = 4 eps^2/(mu^2 L).
TABLE = [
    (Fraction(1, 1000), "0.2", 2.269, 8.115),
    (Fraction(1, 1000), "0.5", 3.077, 8.287),
    (Fraction(1, 1000), "1", 3.839, 8.569),
    (Fraction(1, 10**5), "0.1", 3.285, 8.035),
    (Fraction(1, 10**5), "1", 4.835, 8.344),
    (Fraction(1, 10**5), "10", 8.682, 11.205),
    (Fraction(1, 10**5), "100", 31.14, 33.82),
    (Fraction(1, 10**6), "1", 5.167, 8.287),
    (Fraction(1, 10**6), "10", 8.477, 10.699),
    (Fraction(1, 10**8), "1", 5.649, 8.216),
]


@pytest.mark.parametrize(("d", "eps", "by_gaussian", "by_zcdp"), TABLE)
def test_golden_constants(d: Fraction, eps: str, by_gaussian: float, by_zcdp: float) -> None:
    e = Fraction(eps)
    scale = 4 * float(e) ** 2 / math.log(1 / d)
    assert scale * gaussian_noise_multiplier(e, d, steps=1) ** 2 == pytest.approx(by_gaussian, rel=2e-4)
    rho = largest_rho(e, d, method="basic")
    assert scale * zcdp_noise_multiplier(Fraction(rho), steps=1) ** 2 == pytest.approx(by_zcdp, rel=1e-4)


def test_golden_budgets() -> None:
    e, d = 4, Fraction(1, 10**8)
    assert largest_rho(e, d, method="basic") == pytest.approx(0.196351853440284, abs=1e-14)
    assert largest_rho(e, d) == pytest.approx(0.2326, abs=5e-5)
    assert largest_mu(e, d).lower ** 2 / 2 == pytest.approx(0.2567, abs=5e-5)


@pytest.mark.parametrize("method", ["basic", "optimised"])
def test_a_budget_of_rho_never_overspends(method: Any) -> None:
    rng = np.random.default_rng(3)
    for _ in range(40):
        e, d = Fraction(10 ** rng.uniform(-4, 4)), Fraction(10 ** rng.uniform(-30, -0.1))
        rho = Fraction(largest_rho(e, d, method=method))
        if method == "basic":
            with mpmath.workdps(60):
                log = -mpmath.log(mpmath.mpf(d.numerator) / d.denominator)
                r = mpmath.mpf(rho.numerator) / rho.denominator
                assert r + 2 * mpmath.sqrt(r * log) <= mpmath.mpf(e.numerator) / e.denominator
        assert zcdp_to_epsilon(rho, d, method=method).upper <= float(e) * (1 + 1e-12)
        assert zcdp_to_epsilon(rho * Fraction(1001, 1000), d, method=method).upper > e


def test_zcdp_noise_is_the_least_double() -> None:
    rng = np.random.default_rng(4)
    for _ in range(200):
        rho, steps = Fraction(10 ** rng.uniform(-12, 12)), round(10 ** rng.uniform(0, 6))
        z = zcdp_noise_multiplier(rho, steps=steps)
        assert steps / (2 * Fraction(z) ** 2) <= rho
        assert steps / (2 * Fraction(math.nextafter(z, 0.0)) ** 2) > rho
        assert largest_steps_zcdp(Fraction(z), rho) == steps


def test_steps_are_zero_when_one_is_too_many() -> None:
    assert largest_steps(Fraction(1, 100), 1, Fraction(1, 10**5)) == 0
    assert largest_steps_zcdp(Fraction(1, 100), 1) == 0


def test_steps_are_maximal() -> None:
    z, e, d = Fraction(30), Fraction(2), Fraction(1, 10**7)
    steps = largest_steps(z, e, d)
    assert exact_delta(steps / z**2, e) <= mpmath.mpf("1e-7") < exact_delta((steps + 1) / z**2, e)


@pytest.mark.parametrize("eps", [Fraction(1, 10**6), Fraction(1, 10), Fraction(1, 2), Fraction(1)])
@pytest.mark.parametrize("d", [Fraction(1, 10**12), Fraction(1, 1000), Fraction(1, 2), Fraction(99, 100)])
def test_the_classical_calibration_holds_under_its_condition(eps: Fraction, d: Fraction) -> None:
    z = Fraction(classical_noise_multiplier(eps, d))
    assert satisfies(1 / z**2, eps, d)


def test_the_classical_calibration_names_its_broken_condition() -> None:
    with pytest.raises(InvalidArgumentError, match=r"epsilon.*condition"):
        classical_noise_multiplier(Fraction(101, 100), Fraction(1, 10**5))


def test_the_classical_formula_is_refuted_beyond_its_condition() -> None:
    e, d = Fraction(21, 2), Fraction(math.exp(-11.5))
    z = Fraction(classical_noise_multiplier_as_printed(e, d))
    assert exact_delta(1 / z**2, e) > mpmath.mpf(d.numerator) / d.denominator
    assert not satisfies(1 / z**2, e, d)


def test_extreme_budgets() -> None:
    tiny = Fraction(1, 10**300)
    z = gaussian_noise_multiplier(tiny, tiny, steps=1)
    assert satisfies(1 / Fraction(z) ** 2, tiny, tiny)
    assert not satisfies(1 / Fraction(math.nextafter(z, 0.0)) ** 2, tiny, tiny)
    with pytest.raises(InvalidArgumentError, match="exceeds every double"):
        gaussian_noise_multiplier(Fraction(1, 10**310), Fraction(1, 10**310), steps=1)
    with pytest.raises(InvalidArgumentError, match="exceeds every double"):
        zcdp_noise_multiplier(Fraction(1, 10**700), steps=1)
    assert zcdp_noise_multiplier(10**700, steps=1) == math.nextafter(0.0, 1.0)


D: Any = Fraction(1, 10)
BAD_POSITIVE: list[Any] = [0, -1, 1.0, math.nan, math.inf, True, "1", None]
BAD_DELTA: list[Any] = [0, 1, -1, 2, 0.1, math.nan, None]
BAD_COUNT: list[Any] = [0, -3, 1.0, math.nan, True, "3", None]
CALLS: list[tuple[Callable[[Any], object], list[Any], str]] = [
    (lambda x: gaussian_noise_multiplier(x, D, steps=1), BAD_POSITIVE, "epsilon"),
    (lambda x: gaussian_noise_multiplier(1, x, steps=1), BAD_DELTA, "delta"),
    (lambda x: gaussian_noise_multiplier(1, D, steps=x), BAD_COUNT, "steps"),
    (lambda x: zcdp_noise_multiplier(x, steps=1), BAD_POSITIVE, "rho"),
    (lambda x: zcdp_noise_multiplier(1, steps=x), BAD_COUNT, "steps"),
    (lambda x: largest_steps(x, 1, D), BAD_POSITIVE, "noise_multiplier"),
    (lambda x: largest_steps(1, x, D), BAD_POSITIVE, "epsilon"),
    (lambda x: largest_steps(1, 1, x), BAD_DELTA, "delta"),
    (lambda x: largest_steps_zcdp(x, 1), BAD_POSITIVE, "noise_multiplier"),
    (lambda x: largest_steps_zcdp(1, x), BAD_POSITIVE, "rho"),
    (lambda x: largest_mu(x, D), BAD_POSITIVE, "epsilon"),
    (lambda x: largest_mu(1, x), BAD_DELTA, "delta"),
    (lambda x: largest_rho(x, D), BAD_POSITIVE, "epsilon"),
    (lambda x: largest_rho(1, x), BAD_DELTA, "delta"),
    (lambda x: largest_rho(1, D, method=x), ["magic"], "method"),
    (lambda x: classical_noise_multiplier(x, D), BAD_POSITIVE, "epsilon"),
    (lambda x: classical_noise_multiplier(1, x), BAD_DELTA, "delta"),
    (lambda x: classical_noise_multiplier_as_printed(x, D), BAD_POSITIVE, "epsilon"),
    (lambda x: classical_noise_multiplier_as_printed(1, x), BAD_DELTA, "delta"),
    (lambda x: satisfies(x, 1, D), BAD_POSITIVE, "mu_squared"),
    (lambda x: satisfies(1, x, D), BAD_POSITIVE, "epsilon"),
    (lambda x: satisfies(1, 1, x), BAD_DELTA, "delta"),
]


@pytest.mark.parametrize(("call", "bad", "argument"), CALLS)
def test_bad_input_is_refused_by_name(call: Callable[[Any], object], bad: list[Any], argument: str) -> None:
    assert blamed(call, bad) == {argument}


def test_planted_halved_noise_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    honest = calibration._least_double
    monkeypatch.setattr(calibration, "_least_double", lambda guess, good: honest(guess, good) / 2)
    assert wrong_noise(3)


def test_planted_inward_rounding_of_noise_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    honest = calibration._least_double
    monkeypatch.setattr(calibration, "_least_double", lambda guess, good: math.nextafter(honest(guess, good), 0.0))
    assert wrong_noise(3)


def test_planted_wasteful_noise_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    honest = calibration._least_double
    monkeypatch.setattr(calibration, "_least_double", lambda guess, good: math.nextafter(honest(guess, good), math.inf))
    assert wrong_noise(3)
