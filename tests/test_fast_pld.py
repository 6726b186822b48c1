"""The fast path: kernels, measures, the accountant against closed forms and against ball arithmetic, planted bugs."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from flint import arb, arb_poly

from dpref.errors import InvalidArgumentError, PrecisionError, UnsupportedEventError
from dpref.privacy.closed_forms.divergences import gaussian_delta
from dpref.privacy.closed_forms.gaussian import epsilon as gaussian_epsilon
from dpref.privacy.events.ledger import Compose, Event, Gaussian, Laplace, Ledger, NonPrivate, Poisson, Repeat
from dpref.privacy.fast import accountant as fast_accountant
from dpref.privacy.fast import fft as fast_fft
from dpref.privacy.fast import grids as fast_grids
from dpref.privacy.fast import lower as fast_lower
from dpref.privacy.fast import pld as fast_pld
from dpref.privacy.fast import upper as fast_upper
from dpref.privacy.fast.cells import Pair
from dpref.privacy.fast.exp import roots_of_unity
from dpref.privacy.fast.measure import Cumulants, GridMeasure
from dpref.privacy.interval import Interval
from dpref.privacy.pld.accountant import pld_epsilon
from dpref.reals import BALL, FloatArray, ball, exact, precision
from dpref.units import AddOrRemoveOne, Adjacency, ReplaceOne, ZeroOut
from tests.effort import part

SMALL = Pair(Fraction(1, 100), Fraction(1))


def subsampled(rate: Fraction, noise: Fraction, steps: int) -> Ledger[AddOrRemoveOne]:
    return Ledger(Repeat(Poisson(Gaussian(noise), rate), steps), AddOrRemoveOne)


# ------------------------------------------------------------------------------------ composition of one measure


def referee(factors: list[tuple[GridMeasure, int]], epsilon: Fraction) -> arb:
    """delta of the composition of exactly these masses, by polynomials of balls."""
    with precision(600):
        product, infinite, finite = arb_poly([1]), arb(1), arb(1)
        origin, step = Fraction(0), factors[0][0].step
        for measure, count in factors:
            product *= arb_poly([arb(float(p)) for p in measure.masses]) ** count
            total = sum((arb(float(p)) for p in measure.masses), arb(0))
            finite *= total**count
            infinite *= (total + measure.infinity) ** count
            origin += count * measure.start
        delta = infinite - finite
        e, h, loss = ball(epsilon), ball(step).exp(), ball(origin).exp()
        for k, mass in enumerate(product.coeffs()):
            if origin + k * step > epsilon:
                delta += mass * (1 - e.exp() / loss)
            loss *= h
        return delta


def law(seed: int, size: int, infinity: float = 0.0) -> GridMeasure:
    masses = np.random.default_rng(seed).random(size) ** 6
    return GridMeasure(Fraction(-1, 3), Fraction(1, 40), masses / masses.sum() * (1 - infinity), infinity)


@pytest.mark.parametrize("theta", [0.0, 1e-4, 1e-3])
def test_what_lies_far_above_the_centre_still_counts(theta: float) -> None:
    """A weight falls with the tilt alone, the steep one with a nat more a loss: they do not end at one index."""
    masses = np.zeros(2001)
    masses[[0, 1, -1]] = 0.890625, 0.09375, 0.015625
    measure = GridMeasure(Fraction(0), Fraction(1), masses)
    curve = fast_pld.compose([(measure, 1)], theta=theta)
    assert curve.centre + 600 < 2000, "else nothing is far"
    low, high = curve.delta(Fraction(1, 2))
    true = referee([(measure, 1)], Fraction(1, 2))
    assert low <= true <= high
    assert high - low < 1e-9


@pytest.mark.slow
def test_beyond_the_steep_sum_the_lower_end_is_not_too_high() -> None:
    """The steep sum ends before the plain one: what it leaves out, times e to a loss far above the centre, counts."""
    masses = np.zeros(1001)
    masses[[0, -1]] = 0.875, 0.125
    measure, e = GridMeasure(Fraction(0), Fraction(1), masses), Fraction(9999, 10)
    low, high = fast_pld.compose([(measure, 1)], theta=0.0).delta(e)
    assert low <= referee([(measure, 1)], e) <= high
    many = Ledger(Repeat(Gaussian(Fraction(1)), 90000), ReplaceOne)
    for delta, found in zip(
        (deltas := (Fraction(1, 1000), Fraction(49, 100))),
        fast_accountant.epsilons(many, deltas, width=Fraction(1, 10)),
        strict=True,
    ):
        assert found.lower <= gaussian_epsilon(many, delta).upper
        assert found.upper >= gaussian_epsilon(many, delta).lower


def test_a_record_that_is_drawn_and_hardly_hidden_is_not_forgotten() -> None:
    """z = 1/15 and q = 1/10: it is drawn once in 40 steps with probability 1 - .9^40, and its loss is then above 1."""
    drawn = 1 - Fraction(9, 10) ** 40
    found = fast_accountant.delta(subsampled(Fraction(1, 10), Fraction(1, 15), 40), 1)
    assert found.lower <= float(drawn) + 1e-9
    assert found.upper >= float(drawn) - 1e-9
    assert found.upper - found.lower < 1e-5


@pytest.mark.slow
@pytest.mark.parametrize(("steps", "log_delta"), part(itertools.product([25, 60, 300], [-2.0, -10.0, -20.0, -32.2]), 2))
def test_a_composition_holds_the_exact_one_to_a_millionth(steps: int, log_delta: float) -> None:
    factors = [(law(steps, 30), steps)]
    cumulants = Cumulants.of(factors)
    theta = cumulants.tilt_for_delta(log_delta)
    epsilon = exact(cumulants.at(theta)[1])
    low, high = fast_pld.compose(factors, theta=theta).delta(epsilon)
    truth = referee(factors, epsilon)
    assert arb(low) <= truth <= arb(high)
    assert 0 < low < high <= low * (1 + 1e-6)


def test_an_infinite_loss_is_composed_too() -> None:
    factors = [(law(1, 20, 1e-7), 30), (law(2, 25), 11)]
    theta = Cumulants.of(factors).tilt_for_delta(-10.0)
    curve = fast_pld.compose(factors, theta=theta)
    for epsilon in (Fraction(0), Fraction(1), Fraction(5, 2), Fraction(10), Fraction(40)):
        low, high = curve.delta(epsilon)
        assert arb(low) <= referee(factors, epsilon) <= arb(high)
    assert curve.epsilon(Fraction(1, 10**7))[1] == math.inf


def test_epsilon_inverts_delta() -> None:
    factors = [(law(5, 30), 50)]
    curve = fast_pld.compose(factors, theta=Cumulants.of(factors).tilt_for_delta(-14.0))
    for delta in (Fraction(1, 10**5), Fraction(1, 10**6), Fraction(1, 10**7)):
        low, high = curve.epsilon(delta)
        assert high - low < 1e-4
        assert referee(factors, exact(high)) <= ball(delta)
        assert referee(factors, exact(low)) >= ball(delta)


# ------------------------------------------------------------------------------------ the accountant


GAUSSIANS = [
    (steps, mu, delta)
    for steps, mu, delta in [
        (10**3, Fraction(1, 10), 6), (10**3, Fraction(10), 14), (10**4, Fraction(3), 12), (10**5, Fraction(1), 8),
        (10**6, Fraction(1, 10), 14), (10**6, Fraction(10), 14), (10**6, Fraction(10), 6), (1, Fraction(1), 10),
    ]
]  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize(("steps", "mu", "digits"), part(GAUSSIANS, 4))
def test_composed_gaussians_hold_the_closed_form(steps: int, mu: Fraction, digits: int) -> None:
    multiplier = Fraction(math.isqrt(steps * 10**24), 10**12) / mu
    ledger = Ledger(Repeat(Gaussian(multiplier), steps), ReplaceOne)
    delta = Fraction(1, 10**digits)
    found, truth = fast_accountant.epsilon(ledger, delta), gaussian_epsilon(ledger, delta)
    assert found.lower <= truth.lower
    assert truth.upper <= found.upper
    assert found.upper <= truth.lower * (1 + 1e-3)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("rate", "noise", "steps", "digits"),
    part([(Fraction(1, 10), Fraction(1), 64, 6), (Fraction(1, 2), Fraction(2), 9, 9),
          (Fraction(1, 20), Fraction(7, 10), 20, 12)], 1, seed=1),
)  # fmt: skip
def test_the_interval_overlaps_the_one_of_ball_arithmetic(
    rate: Fraction, noise: Fraction, steps: int, digits: int
) -> None:
    ledger, delta = subsampled(rate, noise, steps), Fraction(1, 10**digits)
    slow = pld_epsilon(ledger, delta, relative_width=Fraction(1, 500))
    fast = fast_accountant.epsilon(ledger, delta)
    assert slow.intersection(fast).width > 0
    fine = fast_accountant.epsilon(ledger, delta, width=Fraction(1, 20000))
    assert slow.lower <= fine.upper
    assert fine.lower <= slow.upper
    assert fine.width < fast.width


def test_the_long_run_is_narrow_at_all_deltas_and_holds_what_others_published() -> None:
    ledger = subsampled(Fraction(1, 100), Fraction(1), 10**5)
    deltas = [Fraction(1, 10**k) for k in (6, 8, 10, 12)]
    found = fast_accountant.epsilons(ledger, deltas)
    assert all(interval.width <= 0.02 for interval in found)
    assert [interval.lower < interval.upper for interval in found] == [True] * 4
    # Exact compositions of dominating masses on coarser grids lie above.
    assert found[0].upper < 27.69016
    assert found[2].upper < 34.6376
    assert found[3].upper < 37.5629
    assert found[0].lower > 27.66


def test_delta_and_epsilon_agree() -> None:
    ledger = subsampled(Fraction(1, 50), Fraction(1), 500)
    at = fast_accountant.epsilon(ledger, Fraction(1, 10**6), width=Fraction(1, 5000))
    assert fast_accountant.delta(ledger, exact(at.upper)).lower <= 1e-6 <= fast_accountant.delta(
        ledger, exact(at.lower)
    ).upper  # fmt: skip


@pytest.mark.slow
def test_mixed_schedules_compose() -> None:
    gaussian, sampled = Gaussian(Fraction(20)), Poisson(Gaussian(Fraction(1)), Fraction(1, 50))
    ledger = Ledger(Compose((Repeat(gaussian, 30), Repeat(sampled, 100))), AddOrRemoveOne)
    slow = pld_epsilon(ledger, Fraction(1, 10**5), relative_width=Fraction(1, 200))
    fast = fast_accountant.epsilon(ledger, Fraction(1, 10**5))
    assert slow.intersection(fast).width > 0
    assert fast.lower > fast_accountant.epsilon(Ledger(Repeat(gaussian, 30), AddOrRemoveOne), Fraction(1, 10**5)).upper


def test_both_directions_count() -> None:
    ledger = subsampled(Fraction(1, 100), Fraction(1), 1000)
    delta = Fraction(1, 10**6)
    pairs = fast_accountant.ledger_pairs(ledger)
    assert fast_accountant._directions(pairs) == ("remove", "add")
    found = fast_accountant.epsilon(ledger, delta)
    assert found.upper > 2.12  # removal
    add = fast_accountant.Side(tuple((fast_upper.dominating(p, Fraction(1, 1024))[1], t) for p, t in pairs))
    assert add.epsilon(delta)[1] < 1.6  # addition


# ------------------------------------------------------------------------------------ fails closed


@pytest.mark.parametrize(
    ("event", "adjacency"),
    [
        (Laplace(Fraction(1)), AddOrRemoveOne),
        (NonPrivate(), AddOrRemoveOne),
        (Poisson(Laplace(Fraction(1)), Fraction(1, 2)), AddOrRemoveOne),
        (Poisson(Gaussian(Fraction(1)), Fraction(1, 2)), ReplaceOne),
        (Compose((Gaussian(Fraction(1)), Laplace(Fraction(1)))), ZeroOut),
        (Compose(()), ZeroOut),
    ],
)
def test_what_is_not_supported_is_refused(event: Event, adjacency: type[Adjacency]) -> None:
    ledger: Ledger[Any] = Ledger(event, adjacency)
    with pytest.raises(UnsupportedEventError):
        fast_accountant.epsilon(ledger, Fraction(1, 100))
    with pytest.raises(UnsupportedEventError):
        fast_accountant.delta(ledger, Fraction(1))


@pytest.mark.parametrize("bad", [[math.nan, 1.0], [-0.1, 1.1], [math.inf, 0.0], [], [1e-250, 1.0], [0.0, 0.0]])
def test_masses_that_are_none_are_refused(bad: list[float]) -> None:
    with pytest.raises(InvalidArgumentError):
        GridMeasure(Fraction(0), Fraction(1), np.array(bad))


def test_weights_that_sum_to_more_than_one_are_refused() -> None:
    with pytest.raises(PrecisionError):
        fast_fft.convolution_power([(np.array([0.5, 0.51]), 1000)], 4)
    with pytest.raises(InvalidArgumentError):
        fast_fft.convolution_power([(np.array([0.5, math.nan]), 2)], 4)


def test_a_grid_that_is_too_fine_is_refused() -> None:
    with pytest.raises(PrecisionError):
        fast_accountant.epsilon(
            subsampled(Fraction(1, 100), Fraction(1), 10**7), Fraction(1, 10**6), width=Fraction(1, 10**6)
        )
    with pytest.raises(PrecisionError):
        fast_pld.compose([(law(0, 30), 10**12)], theta=0.1)


def test_a_delta_below_what_is_cut_off_costs_an_infinite_epsilon() -> None:
    above = fast_upper.dominating(SMALL, Fraction(1, 256), 8.0)[0]
    curve = fast_pld.compose([(above, 1000)], theta=2.0)
    assert curve.epsilon(Fraction(1, 10**15))[1] == math.inf


# ------------------------------------------------------------------------------------ planted bugs


def check_a_composition() -> bool:
    """Whether the interval of one composition holds the exact value."""
    factors = [(law(7, 30), 60)]
    cumulants = Cumulants.of(factors)
    theta = cumulants.tilt_for_delta(-20.0)
    epsilon = exact(cumulants.at(theta)[1])
    low, high = fast_pld.compose(factors, theta=theta).delta(epsilon)
    return bool(arb(low) <= referee(factors, epsilon) <= arb(high))


def test_planted_bug_nothing_planted() -> None:
    assert check_a_composition()


def test_planted_bug_the_tilt_with_the_wrong_sign(monkeypatch: pytest.MonkeyPatch) -> None:
    honest = fast_pld.tilted_masses
    monkeypatch.setattr(fast_pld, "tilted_masses", lambda factors, tilt: honest(factors, -tilt))
    assert not check_a_composition()


def test_planted_bug_a_dropped_normalisation(monkeypatch: pytest.MonkeyPatch) -> None:
    honest = fast_pld.tilted_masses
    monkeypatch.setattr(fast_pld, "tilted_masses", lambda factors, tilt: (honest(factors, tilt)[0], arb(0)))
    assert not check_a_composition()


@pytest.mark.slow
def test_planted_bug_a_wrong_root_of_unity(monkeypatch: pytest.MonkeyPatch) -> None:
    def wrong(levels: int) -> tuple[FloatArray, FloatArray]:
        cosines, sines = (table.copy() for table in roots_of_unity(levels))
        cosines[len(cosines) // 2 + 1] += 1e-9
        return cosines, sines

    monkeypatch.setattr(fast_fft, "roots_of_unity", wrong)
    assert not check_a_composition()


def test_planted_bug_no_room_for_rounding(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fast_pld, "UNIT", 0.0)
    monkeypatch.setattr(fast_fft, "UNIT", 0.0)
    assert not check_a_composition()


def test_aliasing_is_bounded_even_in_a_window_that_is_much_too_short(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fast_pld, "NATS", 1.5)
    assert check_a_composition()


def test_a_slope_of_the_wrong_sign_bounds_by_the_whole_mass() -> None:
    coin = GridMeasure(Fraction(0), Fraction(1), np.array([0.25, 0.75]))
    for index, above, slope in ((90, True, -2.0), (60, False, 2.0)):
        bound = fast_pld.chernoff([coin.masses], [(coin, 100)], slope, index, above=above)
        assert 0.99 < float(bound.mid()) < 1.01


def test_what_underflows_in_a_bound_on_aliasing_is_counted() -> None:
    little = GridMeasure(Fraction(0), Fraction(1), np.array([0.0, 2.0**-600]))
    for slope in (-327.9, -328.0, -340.0):
        assert fast_pld.chernoff([little.masses], [(little, 1)], slope, 1, above=False) >= 2.0**-600


def test_planted_bug_no_bound_on_aliasing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fast_pld, "NATS", 1.5)
    monkeypatch.setattr(fast_pld, "chernoff", lambda *_, above: arb(0))
    assert not check_a_composition()


def closed_form_holds(change: Callable[[GridMeasure], GridMeasure]) -> bool:
    """Whether composed Gaussians, with one measure changed, still hold the closed form."""
    pair = Pair(Fraction(1), Fraction(10))
    measures = fast_upper.dominating(pair, Fraction(1, 256))[0], fast_lower.dominated(pair, Fraction(1, 256))[0]
    truth = gaussian_delta(BALL, arb(3), arb(1))
    ends = []
    for measure in map(change, measures):
        curve = fast_pld.compose([(measure, 100)], theta=Cumulants.of([(measure, 100)]).tilt_for_loss(3.0))
        ends.append(curve.delta(3))
    return bool(arb(ends[1][0]) <= truth <= arb(ends[0][1]))


def test_the_closed_form_is_held() -> None:
    assert closed_form_holds(lambda measure: measure)


@pytest.mark.parametrize("factor", [0.9999, 1.0001], ids=["dominating", "dominated"])
def test_planted_bug_masses_rounded_inward(factor: float) -> None:
    def inward(measure: GridMeasure) -> GridMeasure:
        return GridMeasure(measure.start, measure.step, measure.masses * factor, measure.infinity, measure.relative)

    assert not closed_form_holds(inward)


@pytest.mark.parametrize("shift", [-1, 1])
def test_planted_bug_losses_off_by_one_grid_point(shift: int) -> None:
    assert not closed_form_holds(
        lambda m: GridMeasure(m.start + shift * m.step, m.step, m.masses, m.infinity, m.relative)
    )


def test_an_interval_says_what_it_is() -> None:
    found = fast_accountant.epsilon(subsampled(Fraction(1, 10), Fraction(1), 10), Fraction(1, 1000))
    assert isinstance(found, Interval)
    assert (found.quantity, found.adjacency, found.method) == ("epsilon", AddOrRemoveOne, fast_grids.METHOD)
    assert 0 < found.slack <= found.width


def test_plain_answers_of_different_noise_are_one() -> None:
    """Their 1/sigma^2 add up: what is composed is one Gaussian between two of rational noise, as the closed form."""
    parts = tuple(Gaussian(Fraction(20 + k)) for k in range(6))
    ledger, delta = Ledger(Compose(parts), AddOrRemoveOne), Fraction(1, 10**6)
    exactly, found = gaussian_epsilon(ledger, delta), fast_accountant.epsilon(ledger, delta)
    assert found.lower <= exactly.lower <= exactly.upper <= found.upper < exactly.upper + 0.01
    pairs = fast_accountant.ledger_pairs(ledger)
    above, below = (fast_grids.plain_as_one(pairs, above=way) for way in (True, False))
    assert len(above) == len(below) == 1
    total = sum(1 / Fraction(20 + k) ** 2 for k in range(6))
    assert 1 / below[0][0].noise_multiplier ** 2 < total < 1 / above[0][0].noise_multiplier ** 2
    assert below[0][0].noise_multiplier - above[0][0].noise_multiplier < Fraction(1, 2**300)
