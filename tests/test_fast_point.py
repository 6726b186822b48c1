"""Point values: nine digits against closed forms, certified intervals and an independent high-precision line."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import mpmath as mp
import pytest

from dpref.errors import InvalidArgumentError, PrecisionError, UnsupportedEventError
from dpref.privacy.closed_forms import gaussian
from dpref.privacy.events.ledger import Event, Gaussian, Laplace, Ledger, Poisson, Repeat
from dpref.privacy.fast import accountant as fast_accountant
from dpref.privacy.fast import point as fast_point
from dpref.reals import exact
from dpref.units import AddOrRemoveOne, ReplaceOne
from tests.effort import part

ONE = Gaussian(Fraction(1))
LONG = Ledger(Repeat(Poisson(ONE, Fraction(1, 100)), 10**5), AddOrRemoveOne)


@pytest.mark.parametrize(("mu", "steps"), [(0.1, 10**3), (3.0, 10**6)])
@pytest.mark.parametrize("digits", [2, 6, 10, 14])
def test_composed_gaussians_have_the_delta_of_the_closed_form(mu: float, steps: int, digits: int) -> None:
    ledger = Ledger(Repeat(Gaussian(exact(math.sqrt(steps) / mu)), steps), ReplaceOne)
    epsilon = exact(gaussian.epsilon(ledger, Fraction(1, 10**digits)).upper)
    truth = gaussian.delta(ledger, epsilon)
    assert fast_point.delta(ledger, epsilon) == pytest.approx(truth.upper, rel=2e-9)
    assert fast_point.epsilon(ledger, Fraction(1, 10**digits)) == pytest.approx(float(epsilon), rel=1e-9)


@pytest.mark.slow
@pytest.mark.parametrize("digits", [6, 8, 10, 12, 14])
def test_sampled_gaussians_lie_in_the_certified_interval(digits: int) -> None:
    delta = Fraction(1, 10**digits)
    point = fast_point.epsilon(LONG, delta)
    certified = fast_accountant.epsilon(LONG, delta)
    assert certified.lower <= point <= certified.upper
    assert fast_point.delta(LONG, exact(point)) == pytest.approx(float(delta), rel=1e-9)


def line(epsilon: float, theta: float) -> mp.mpf:
    """delta of q = 1/100, sigma = 1, T = 10**5, removed, along another line and by other sums, with thirty digits."""
    with mp.workdps(30):
        q, steps = mp.mpf(1) / 100, 10**5
        z = [mp.mpf(k) / 8 - 11 for k in range(8 * 30)]
        loss = [mp.log(1 + q * mp.expm1(x - mp.mpf(1) / 2)) for x in z]
        weight = [mp.npdf(x) / 8 * mp.e**y for x, y in zip(z, loss, strict=True)]

        def integrand(t: mp.mpf) -> mp.mpf:
            s = mp.mpc(theta, t)
            moment = mp.fsum(w * mp.e ** (s * x) for w, x in zip(weight, loss, strict=True))
            return (mp.e ** (steps * mp.log(moment) - s * epsilon) / (s * (s + 1))).real

        step = mp.mpf(1) / 32
        return step / mp.pi * (integrand(mp.mpf(0)) / 2 + mp.fsum(integrand(k * step) for k in range(1, 90)))


@pytest.mark.slow
@pytest.mark.parametrize(("epsilon", "theta"), part([(28, 2.5), (40, 3.0)], 1))
def test_the_relative_error_of_delta_is_below_a_millionth(epsilon: int, theta: float) -> None:
    assert fast_point.delta(LONG, epsilon) == pytest.approx(float(line(epsilon, theta)), rel=1e-8)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("rate", "noise", "steps", "digits"),
    [("1/1000", "0.7", 2000, 6), ("1/2", "0.375", 400, 10), ("1/100", "1", 1000, 6), ("1/10", "3", 50, 5),
     *part([("1/2048", "1", 10**5, 6), ("1/8192", "1", 10**5, 6)], 1, seed=1)],
)  # fmt: skip
def test_other_ledgers_lie_in_the_certified_interval(rate: str, noise: str, steps: int, digits: int) -> None:
    step: Event = Poisson(Gaussian(Fraction(noise)), Fraction(rate))
    ledger, delta = Ledger(Repeat(step, steps), AddOrRemoveOne), Fraction(1, 10**digits)
    certified = fast_accountant.epsilon(ledger, delta)
    slack = 1e-9 * certified.upper
    assert certified.lower - slack <= fast_point.epsilon(ledger, delta) <= certified.upper + slack


@pytest.mark.slow
@pytest.mark.parametrize("epsilon", part(["1/20", "1/10"], 1) + part(["1/2", "4"], 1))
def test_what_cancels_is_refused_where_few_records_are_sampled(epsilon: str) -> None:
    ledger = Ledger(Repeat(Poisson(Gaussian(Fraction(1)), Fraction(1, 10**4)), 10**5), AddOrRemoveOne)
    certified = fast_accountant.delta(ledger, Fraction(epsilon))
    try:
        found = fast_point.delta(ledger, Fraction(epsilon))
    except PrecisionError:
        assert epsilon not in {"1/20", "1/10"}
        return
    assert certified.lower * (1 - 1e-6) <= found <= certified.upper * (1 + 1e-6)


def test_generous_deltas_need_no_epsilon() -> None:
    assert fast_point.epsilon(Ledger(Repeat(Poisson(Gaussian(Fraction(5)), Fraction(1, 100)), 50), AddOrRemoveOne),
                              Fraction(1, 2)) == 0  # fmt: skip


@pytest.mark.parametrize("bad", [0, 1, -1, float("nan"), 0.5, "x", None])
def test_bad_deltas(bad: Any) -> None:
    with pytest.raises(InvalidArgumentError):
        fast_point.epsilon(LONG, bad)


@pytest.mark.parametrize("bad", [-1, float("nan"), 0.5, None])
def test_bad_epsilons(bad: Any) -> None:
    with pytest.raises(InvalidArgumentError):
        fast_point.delta(LONG, bad)


def test_other_events_are_refused() -> None:
    with pytest.raises(UnsupportedEventError):
        fast_point.delta(Ledger(Laplace(Fraction(1)), AddOrRemoveOne), 1)
    with pytest.raises(UnsupportedEventError):
        fast_point.epsilon(Ledger(Poisson(ONE, Fraction(1, 2)), ReplaceOne), Fraction(1, 100))
