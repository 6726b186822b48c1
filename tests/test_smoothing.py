"""The accountant of gridded answers against exact enumeration at 60 digits, under every adjacency."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import mpmath
import pytest

from dpref.errors import PrecisionError, UnsupportedEventError
from dpref.privacy import smoothing
from dpref.privacy.accountants import certify, survey
from dpref.privacy.closed_forms.smoothing import distortion, theta_excess
from dpref.privacy.events.discrete import DiscreteGaussian, DiscreteLaplace
from dpref.privacy.events.expression import parse_event
from dpref.privacy.events.gridded import GriddedGaussian
from dpref.privacy.events.ledger import Compose, Event, Gaussian, Ledger, Poisson, Repeat
from dpref.reals import BALL, ball, exact, precision, upper
from dpref.units import AddOrRemoveOne, Adjacency, ReplaceOne, ZeroOut

ADJACENCIES = (ReplaceOne, AddOrRemoveOne, ZeroOut)
Masses = list[tuple[mpmath.mpf, mpmath.mpf]]


@pytest.fixture(autouse=True)
def sixty_digits() -> Iterator[None]:
    with mpmath.workdps(60):
        yield


def shifted(variance: int, shift: int, rate: Fraction = Fraction(1)) -> Masses:
    """Both masses of every integer that matters: with a record of that shift, sampled at that rate, and without."""
    reach = int(13 * variance**0.5) + shift
    weight = {z: mpmath.exp(mpmath.mpf(-z * z) / (2 * variance)) for z in range(-reach - shift, reach + 1)}
    whole = mpmath.fsum(weight.values())
    share = mpmath.mpf(rate.numerator) / rate.denominator
    return [
        (((1 - share) * weight[z] + share * weight[z - shift]) / whole, weight[z] / whole)
        for z in range(-reach, reach + 1)
    ]


def product(first: Masses, second: Masses) -> Masses:
    return [(a * c, b * d) for (a, b), (c, d) in itertools.product(first, second)]


def hockey_stick(masses: Masses, epsilon: Fraction) -> mpmath.mpf:
    """The larger of both directions."""
    growth = mpmath.exp(mpmath.mpf(epsilon.numerator) / epsilon.denominator)
    ways = ((p - growth * q for p, q in masses), (q - growth * p for p, q in masses))
    return max(mpmath.fsum(gap for gap in way if gap > 0) for way in ways)


def check(event: Event, masses: Masses, epsilon: Fraction, adjacency: type[Adjacency]) -> None:
    """The interval of delta holds the enumerated one, and that of epsilon at it holds epsilon."""
    truth = hockey_stick(masses, epsilon)
    held = smoothing.delta(Ledger(event, adjacency), epsilon)
    assert held.lower <= truth <= held.upper
    back = smoothing.epsilon(Ledger(event, adjacency), Fraction(float(truth)))
    assert back.lower <= epsilon * (1 + Fraction(1, 10**12))
    assert epsilon * (1 - Fraction(1, 10**12)) <= back.upper


@pytest.mark.parametrize(
    ("variance", "shift", "epsilon", "adjacency"),
    [
        *itertools.product([16], [1], [Fraction(1, 2), Fraction(2)], ADJACENCIES),
        (400, 10, Fraction(1, 2), ReplaceOne),
        pytest.param(4096, 32, Fraction(2), ReplaceOne, marks=pytest.mark.slow),
        pytest.param(4096, 10, Fraction(1, 2), ReplaceOne, marks=pytest.mark.slow),
    ],
)
def test_one_answer_is_held(variance: int, shift: int, epsilon: Fraction, adjacency: type[Adjacency]) -> None:
    event = GriddedGaussian(Fraction(math.isqrt(variance)), shift**2)
    check(event, shifted(variance, shift), epsilon, adjacency)


def laplace_shifted(scale: int, shift: int) -> Masses:
    """The same of discrete Laplace noise; what is left out is below 10^-60."""
    reach = 145 * scale
    weight = {z: mpmath.exp(mpmath.mpf(-abs(z)) / scale) for z in range(-reach - shift, reach + shift + 1)}
    whole = mpmath.coth(mpmath.mpf(1) / (2 * scale))
    return [(weight[z - shift] / whole, weight[z] / whole) for z in range(-reach, reach + shift + 1)]


@pytest.mark.parametrize("adjacency", ADJACENCIES)
@pytest.mark.parametrize(
    ("event", "masses"),
    [
        (DiscreteGaussian(Fraction(4), 3), lambda: shifted(16, 3)),
        (DiscreteLaplace(Fraction(2), 3), lambda: laplace_shifted(2, 3)),
    ],
)
def test_one_discrete_answer_is_enclosed_by_every_accountant(event: Event, masses: Any, adjacency: Any) -> None:
    """The hockey-stick divergence to 60 digits; the curve's interval is as narrow as doubles are."""
    truth = hockey_stick(masses(), Fraction(1, 2))
    tight = 0
    for outcome in survey(Ledger(event, adjacency), epsilon=Fraction(1, 2)):
        if outcome.interval is not None:
            assert outcome.interval.lower <= truth <= outcome.interval.upper
            tight += outcome.interval.relative_width < 1e-14
    assert tight
    best = certify(Ledger(event, adjacency), delta=exact(float(truth)))
    assert best.lower <= Fraction(1, 2) * (1 + Fraction(1, 10**12))
    assert best.upper >= Fraction(1, 2) * (1 - Fraction(1, 10**12))


@pytest.mark.slow
def test_two_coordinates_and_two_answers_are_held() -> None:
    """A vector that moves by (3, 4) is one that moves by 5; two answers of one integer each are composed."""
    vector = product(shifted(9, 3), shifted(9, 4))
    check(GriddedGaussian(Fraction(3), 25, 2), vector, Fraction(1), ReplaceOne)
    twice = product(shifted(9, 3), shifted(9, 3))
    check(Repeat(GriddedGaussian(Fraction(3), 9), 2), twice, Fraction(1), ZeroOut)


@pytest.mark.parametrize("adjacency", [AddOrRemoveOne, ZeroOut])
def test_a_poisson_sampled_answer_is_held(adjacency: type[Adjacency]) -> None:
    event = Poisson(GriddedGaussian(Fraction(20), 400), Fraction(1, 10))
    check(event, shifted(400, 20, Fraction(1, 10)), Fraction(1, 2), adjacency)


def test_planted_bug_the_continuous_accountant_at_the_same_noise_is_below_the_truth() -> None:
    truth = hockey_stick(shifted(16, 1), Fraction(2))
    assert certify(Ledger(Gaussian(Fraction(4)), ReplaceOne), epsilon=2).upper < truth
    assert smoothing.delta(Ledger(GriddedGaussian(Fraction(4), 1), ReplaceOne), 2).upper >= truth


def test_planted_bug_without_the_smoothing_variance_the_upper_end_is_below_the_truth(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(smoothing, "smaller_variance", lambda o, variance, _: variance)
    truth = hockey_stick(shifted(16, 1), Fraction(2))
    assert smoothing.delta(Ledger(GriddedGaussian(Fraction(4), 1), ReplaceOne), 2).upper < truth


def test_the_excess_is_that_of_the_theta_series() -> None:
    for variance in (1, 2, 4):
        series = 2 * mpmath.nsum(lambda k, v=variance: mpmath.exp(-2 * mpmath.pi**2 * v * k**2), [1, 9])
        eta = mpmath.log((1 + series) / (1 - series))
        with precision(256):
            bound = upper(distortion(BALL, theta_excess(BALL, ball(variance))))
        assert eta <= bound <= eta * (1 + mpmath.mpf(10) ** -7)


def test_many_coordinates_add_their_factors() -> None:
    """The factor is seen where the coordinates are absurdly many, and never lowers what is claimed."""
    few, many = (smoothing.delta(Ledger(GriddedGaussian(Fraction(100), 1, d), ReplaceOne), 0) for d in (4, 10**30))
    assert few.upper < many.upper
    assert many.lower < few.lower


@pytest.mark.slow
def test_exact_sums_and_smoothing_agree_on_one_integer() -> None:
    ledgers = [
        Ledger(Repeat(e, 3), ReplaceOne)
        for e in (GriddedGaussian(Fraction(64), 64**2), DiscreteGaussian(Fraction(64), 64))
    ]
    one, other = (certify(ledger, delta=Fraction(1, 10**6)) for ledger in ledgers)
    assert max(one.lower, other.lower) <= min(one.upper, other.upper)
    assert one.relative_width < 2e-3


def test_long_sums_are_answered() -> None:
    found = certify(Ledger(DiscreteGaussian(Fraction(2**40), 2**40), ReplaceOne), delta=Fraction(1, 10**6))
    assert found.relative_width < 1e-9
    assert found.upper >= exact(certify(Ledger(Gaussian(Fraction(1)), ReplaceOne), delta=Fraction(1, 10**6)).lower)


def test_a_factor_beyond_doubles_is_left_to_another_accountant() -> None:
    ledger = Ledger(GriddedGaussian(Fraction(100), 1, 10**40), ReplaceOne)
    with pytest.raises(PrecisionError, match="too many coordinates"):
        smoothing.epsilon(ledger, Fraction(1, 10**6))
    with pytest.raises(PrecisionError, match="too many coordinates"):
        smoothing.delta(ledger, 1)
    assert certify(ledger, delta=Fraction(1, 10**6)).upper < 0.1


def test_moves_that_no_single_integer_makes_are_attained_by_four() -> None:
    low = [
        smoothing.epsilon(Ledger(GriddedGaussian(Fraction(100), 7, d), ReplaceOne), Fraction(1, 100)) for d in (1, 4)
    ]
    assert low[0].lower < low[1].lower
    assert low[0].upper == low[1].upper


def test_every_accountant_that_answers_agrees() -> None:
    ledger = Ledger(Repeat(GriddedGaussian(Fraction(1000), 10**6, 30), 50), AddOrRemoveOne)
    found = {o.accountant: o.interval for o in survey(ledger, delta=Fraction(1, 10**6)) if o.interval is not None}
    assert set(found) == {"smoothing", "renyi"}
    assert found["smoothing"].upper < found["renyi"].upper


@pytest.mark.parametrize(
    "event", [GriddedGaussian(Fraction(2), 1), Compose((GriddedGaussian(Fraction(9), 1), Gaussian(Fraction(1))))]
)
def test_narrow_noise_and_other_noise_are_refused(event: Any) -> None:
    with pytest.raises(UnsupportedEventError, match="no gridded answer"):
        smoothing.epsilon(Ledger(event, ReplaceOne), Fraction(1, 100))
    assert certify(Ledger(event, ReplaceOne), delta=Fraction(1, 100)).upper < math.inf  # by Rényi divergences


def test_the_event_is_read_and_written() -> None:
    text = "gridded_gaussian(sigma=5/2, squared_sensitivity=7, dimension=2)"
    assert str(parse_event(text)) == text
