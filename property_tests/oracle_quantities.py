"""Quantities beside epsilon and delta, each with a truth from mpmath: noises, counts, parameters, curves, roundings.

A number that must be large enough, such as a noise, is an upper end; one that must be small enough, such as a count of
steps that a budget allows, is a lower end.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import Final, TypeAlias

import mpmath

from dpref.privacy import calibration, curves, event_calibration, gaussian_dp
from dpref.privacy.closed_forms import zcdp
from dpref.privacy.events.expression import parse_event, parse_template
from dpref.privacy.events.ledger import Gaussian, Ledger, Repeat
from dpref.reals import BALL, ball, decimal_down, decimal_up, float_down, float_up, lower, precision, upper
from dpref.units import AddOrRemoveOne, ReplaceOne, ZeroOut

Ends: TypeAlias = tuple[float, float]
Texts: TypeAlias = tuple[str, str]
_DIGITS: Final = 45
_SLACK: Final = 10**-35  # of a truth, relatively: mpmath computes with more


@dataclass(frozen=True)
class Quantity:
    """One function of the library.

    Attributes:
        ask: Its ends, from exact numbers as texts; where it has one end the other is infinite or zero.
        truth: Between which numbers the truth lies, from the same texts.
        draw: Random arguments.
    """

    ask: Callable[..., Ends]
    truth: Callable[..., Texts]
    draw: Callable[[random.Random], tuple[str, ...]]


# ------------------------------------------------------------------------------------ truths


def _real(text: str) -> mpmath.mpf:
    number = Fraction(text)
    return mpmath.mpf(number.numerator) / number.denominator


def _near(value: Callable[..., mpmath.mpf]) -> Callable[..., Texts]:
    """The numbers just below and above a value that is computed to many digits."""

    def truth(*arguments: str) -> Texts:
        with mpmath.workdps(3 * _DIGITS):
            found = value(*map(_real, arguments))
            room = abs(found) * _SLACK
            return mpmath.nstr(found - room, _DIGITS), mpmath.nstr(found + room, _DIGITS)

    return truth


def _profile(epsilon: mpmath.mpf, mu: mpmath.mpf) -> mpmath.mpf:
    """Delta of a Gaussian pair (Balle and Wang 2018, Theorem 8)."""

    def tail(x: mpmath.mpf) -> mpmath.mpf:
        return mpmath.erfc(x / mpmath.sqrt(2)) / 2

    return tail(epsilon / mu - mu / 2) - mpmath.exp(epsilon) * tail(epsilon / mu + mu / 2)


def _largest(increasing: Callable[[mpmath.mpf], mpmath.mpf]) -> mpmath.mpf:
    """The place where an increasing function becomes positive, by halving in logarithms."""
    low, high = mpmath.mpf(-60), mpmath.mpf(60)
    for _ in range(170):
        middle = (low + high) / 2
        low, high = (low, middle) if increasing(mpmath.exp(middle)) > 0 else (middle, high)
    return mpmath.exp(high)


def _mu(epsilon: mpmath.mpf, delta: mpmath.mpf) -> mpmath.mpf:
    return _largest(lambda mu: _profile(epsilon, mu) - delta)


def _rho(epsilon: mpmath.mpf, delta: mpmath.mpf) -> mpmath.mpf:
    """The largest rho of the best conversion (Canonne, Kamath and Steinke 2020, Corollary 13)."""

    def log_delta(t: mpmath.mpf, rho: mpmath.mpf) -> mpmath.mpf:
        alpha = 1 + t
        return t * (alpha * rho - epsilon) - mpmath.log(t) + alpha * mpmath.log(1 - 1 / alpha)

    def excess(rho: mpmath.mpf) -> mpmath.mpf:
        low, high = mpmath.mpf(-30), mpmath.mpf(30)
        for _ in range(90):  # log_delta is convex in the order; an error of its place counts by its square
            left, right = low + (high - low) / 3, high - (high - low) / 3
            less = log_delta(mpmath.exp(left), rho) < log_delta(mpmath.exp(right), rho)
            low, high = (low, right) if less else (left, high)
        return log_delta(mpmath.exp((low + high) / 2), rho) - mpmath.log(delta)

    return _largest(excess)


def _test_error(alpha: mpmath.mpf, mu: mpmath.mpf) -> mpmath.mpf:
    """The least error of the second kind between Gaussians."""
    score = mpmath.sqrt(2) * mpmath.erfinv(1 - 2 * alpha)
    return mpmath.erfc((mu - score) / mpmath.sqrt(2)) / 2


def _sampled_noise(epsilon: mpmath.mpf, delta: mpmath.mpf, rate: mpmath.mpf) -> mpmath.mpf:
    """The least noise of one sampled Gaussian answer: of removal, amplification in closed form is exact."""
    odds = mpmath.log(1 + (mpmath.exp(epsilon) - 1) / rate)
    return 1 / _mu(odds, delta / rate)


# ------------------------------------------------------------------------------------ what is asked


def _interval(found: object) -> Ends:
    return found.lower, found.upper  # type: ignore[attr-defined]


def _gdp(noise: str, steps: str) -> Ends:
    event = parse_event(f"compose(gaussian({noise}), {steps})")
    return _interval(gaussian_dp.gdp_parameter(Ledger(event, ZeroOut)).everywhere)


def _calibrated(epsilon: str, delta: str, rate: str) -> Ends:
    found = event_calibration.calibrate(
        parse_template(f"poisson(gaussian(?), rate={rate})"),
        epsilon=Fraction(epsilon), delta=Fraction(delta), adjacency=AddOrRemoveOne, digits=3,
    )  # fmt: skip
    beyond = float("-inf") if found.beyond is None else float(found.beyond)
    return beyond, float(found.value)


def _profiled(epsilon: str, noise: str) -> Ends:
    ledger = Ledger(Gaussian(Fraction(noise)), ReplaceOne)
    return _interval(curves.privacy_profile(ledger, [Fraction(epsilon)]).intervals()[0])


def _traded(alpha: str, noise: str) -> Ends:
    ledger = Ledger(Repeat(Gaussian(Fraction(noise)), 1), ReplaceOne)
    band = curves.tradeoff_curve(ledger, [Fraction(alpha)]).band
    return band.lower[0], band.upper[0]


def _rounded(number: str) -> Ends:
    x = Fraction(number)
    return float_down(x), float_up(x)


def _written(number: str, digits: str) -> Ends:
    x = Fraction(number)
    low, high = (f(x, int(digits)) for f in (decimal_down, decimal_up))
    return float_up(Fraction(Decimal(low))), float_down(Fraction(Decimal(high)))


def _rooted(number: str, bits: str) -> Ends:
    with precision(int(bits)):
        root = BALL.sqrt(ball(Fraction(number)))
        return lower(root), upper(root)


def _exact(number: str, *_: str) -> Texts:
    return _near(lambda x, *_: x)(number)


def _number(rng: random.Random, low: float, high: float) -> str:
    return str(Fraction(f"{10 ** rng.uniform(low, high):.3e}"))


def _signed(rng: random.Random) -> str:
    return str(Fraction(rng.randrange(-999, 999), rng.randrange(1, 999)))


def _budget(rng: random.Random) -> tuple[str, str]:
    return _number(rng, -1.5, 1.0), _number(rng, -12, -1.3)


QUANTITIES: Final[Mapping[str, Quantity]] = {
    "gaussian_noise_multiplier": Quantity(
        lambda e, d, t: (0.0, calibration.gaussian_noise_multiplier(Fraction(e), Fraction(d), steps=int(t))),
        _near(lambda e, d, t: mpmath.sqrt(t) / _mu(e, d)),
        lambda rng: (*_budget(rng), str(rng.randrange(1, 500))),
    ),
    "largest_mu": Quantity(
        lambda e, d: _interval(calibration.largest_mu(Fraction(e), Fraction(d))), _near(_mu), _budget
    ),
    "zcdp_noise_multiplier": Quantity(
        lambda r, t: (0.0, calibration.zcdp_noise_multiplier(Fraction(r), steps=int(t))),
        _near(lambda r, t: mpmath.sqrt(t / (2 * r))),
        lambda rng: (_number(rng, -4, 1), str(rng.randrange(1, 500))),
    ),
    "classical_noise_multiplier": Quantity(
        lambda e, d: (0.0, calibration.classical_noise_multiplier(Fraction(e), Fraction(d))),
        _near(lambda e, d: mpmath.sqrt(2 * mpmath.log(mpmath.mpf(5) / 4 / d)) / e),
        lambda rng: (_number(rng, -2, 0), _number(rng, -12, -1)),
    ),
    "largest_steps": Quantity(
        lambda z, e, d: (calibration.largest_steps(Fraction(z), Fraction(e), Fraction(d)), math.inf),
        _near(lambda z, e, d: mpmath.floor((_mu(e, d) * z) ** 2)),
        lambda rng: (_number(rng, 0, 2.5), *_budget(rng)),
    ),
    "largest_steps_zcdp": Quantity(
        lambda z, r: (calibration.largest_steps_zcdp(Fraction(z), Fraction(r)), math.inf),
        _near(lambda z, r: mpmath.floor(2 * r * z * z)),
        lambda rng: (_number(rng, 0, 2.5), _number(rng, -3, 0.5)),
    ),
    "largest_rho": Quantity(
        lambda e, d: (zcdp.largest_rho(Fraction(e), Fraction(d)), math.inf), _near(_rho), _budget
    ),
    "largest_rho_basic": Quantity(
        lambda e, d: (zcdp.largest_rho(Fraction(e), Fraction(d), method="basic"), math.inf),
        _near(lambda e, d: (mpmath.sqrt(e - mpmath.log(d)) - mpmath.sqrt(-mpmath.log(d))) ** 2),
        _budget,
    ),
    "gdp_parameter": Quantity(
        _gdp, _near(lambda z, t: mpmath.sqrt(t) / z), lambda rng: (_number(rng, -0.3, 1), str(rng.randrange(1, 9)))
    ),
    "calibrate": Quantity(
        _calibrated, _near(_sampled_noise),
        lambda rng: (_number(rng, -0.5, 0.7), _number(rng, -9, -4), str(Fraction(rng.randrange(1, 60), 100))),
    ),
    "privacy_profile": Quantity(
        _profiled, _near(lambda e, z: _profile(e, 1 / z)),
        lambda rng: (rng.choice(("", "-")) + _number(rng, -1, 0.5), _number(rng, -0.3, 0.7)),
    ),
    "tradeoff_curve": Quantity(
        _traded, _near(lambda a, z: _test_error(a, 1 / z)), lambda rng: (_number(rng, -4, -0.1), _number(rng, -0.3, 1))
    ),
    "float_up": Quantity(_rounded, _exact, lambda rng: (_signed(rng),)),
    "decimal_up": Quantity(
        _written, _exact,
        lambda rng: (_signed(rng), str(rng.randrange(2, 30))),
    ),
    "upper": Quantity(
        _rooted, _near(lambda x, _: mpmath.sqrt(x)),
        lambda rng: (_number(rng, -9, 9), str(rng.choice((2, 11, 30, 53, 90)))),
    ),
}  # fmt: skip
