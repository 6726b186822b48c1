"""Promises of the Rényi divergences and of the accountant that adds them, over random events, orders and budgets."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import pytest
from flint import arb
from hypothesis import assume, example, given
from hypothesis import strategies as st

from dpref.audit.statistics import bernoulli_renyi
from dpref.errors import DprefError
from dpref.privacy.closed_forms import gaussian
from dpref.privacy.closed_forms.divergences import normal_cdf
from dpref.privacy.events.discrete import DiscreteGaussian, DiscreteLaplace
from dpref.privacy.events.ledger import (
    Compose,
    Event,
    Exponential,
    Gaussian,
    Laplace,
    Ledger,
    NoisyMax,
    Poisson,
    RandomizedResponse,
    Repeat,
    SampleWithoutReplacement,
)
from dpref.privacy.interval import Interval
from dpref.privacy.renyi import accountant
from dpref.privacy.renyi.curves import RenyiCurve, renyi_to_delta, renyi_to_epsilon
from dpref.privacy.renyi.subsampled_gaussian import poisson_gaussian_renyi
from dpref.privacy.renyi.without_replacement import without_replacement_renyi
from dpref.reals import BALL, ball, lower, precision
from dpref.units import AddOrRemoveOne, Adjacency, ReplaceOne, ZeroOut
from property_tests.effort import DEAR

FIXED = [Fraction(3, 2), Fraction(3), Fraction(10), Fraction(60), Fraction(400)]
WIDTH = 1 + 1e-13  # two outward roundings of one number differ by less


def log_fractions(low: float, high: float) -> st.SearchStrategy[Fraction]:
    return st.floats(math.log10(low), math.log10(high)).map(lambda e: Fraction(10**e).limit_denominator(10**12))


noises = log_fractions(0.4, 100)
rates = log_fractions(1e-9, 0.99)
scales = log_fractions(0.2, 100)
deltas = st.integers(1, 15).map(lambda k: Fraction(1, 10**k))
fractional_orders = st.floats(0.01, 30).map(lambda x: 1 + Fraction(x).limit_denominator(1000))
orders = fractional_orders | st.integers(2, 200).map(Fraction)

plain: st.SearchStrategy[Event] = st.one_of(
    noises.map(Gaussian),
    scales.map(Laplace),
    st.builds(DiscreteLaplace, scales, st.integers(1, 5)),
    st.builds(DiscreteGaussian, scales, st.integers(1, 5)),
    st.builds(RandomizedResponse, log_fractions(0.01, 5), st.integers(2, 9), st.sampled_from(["uniform", "category"])),
    log_fractions(0.01, 5).map(Exponential),
    st.builds(NoisyMax, log_fractions(0.01, 5), st.sampled_from(["gumbel", "laplace"])),
)
poisson = st.builds(Poisson, noises.map(Gaussian), rates)
batches = st.builds(
    lambda noise, batch, rest: SampleWithoutReplacement(Gaussian(noise), batch, batch + rest),
    noises,
    st.integers(1, 50),
    st.integers(1, 5000),
)


@st.composite
def ledgers(draw: st.DrawFn) -> tuple[Callable[[Event], Ledger[Any]], st.SearchStrategy[Event]]:
    adjacency: type[Adjacency] = draw(st.sampled_from([AddOrRemoveOne, ReplaceOne, ZeroOut]))
    sampled = {AddOrRemoveOne: poisson, ReplaceOne: batches, ZeroOut: poisson | batches}[adjacency]
    leaf: st.SearchStrategy[Event] = st.one_of(plain, sampled)
    repeated: st.SearchStrategy[Event] = st.builds(Repeat, leaf, st.integers(1, 1000))
    events: st.SearchStrategy[Event] = st.one_of(leaf, repeated)
    return lambda event: Ledger(event, adjacency), events


# ------------------------------------------------------------------------------------ divergences


def removal(order: Fraction, rate: Fraction, noise: Fraction, direction: str = "remove") -> Interval:
    return poisson_gaussian_renyi(
        order,
        rate=rate,
        noise_multiplier=noise,
        adjacency=AddOrRemoveOne,
        direction=direction,  # type: ignore[arg-type]
    )


@DEAR
@given(orders, rates, noises)
@example(Fraction(101, 100), Fraction(1, 10**9), Fraction(100))
def test_removing_costs_at_least_as_much_as_adding(order: Fraction, rate: Fraction, noise: Fraction) -> None:
    one, other = removal(order, rate, noise), removal(order, rate, noise, "add")
    assert 0 < other.lower <= one.upper
    assert other.relative_width < 1e-14
    assert one.relative_width < 1e-14


@DEAR
@given(orders, orders, rates, rates, noises, noises)
def test_subsampling_is_monotone_in_order_rate_and_noise(
    a: Fraction, b: Fraction, q: Fraction, r: Fraction, y: Fraction, z: Fraction
) -> None:
    low, high = min(a, b), max(a, b)
    assert removal(low, q, z).lower <= removal(high, q, z).upper
    assert removal(a, min(q, r), z).lower <= removal(a, max(q, r), z).upper
    assert removal(a, q, max(y, z)).lower <= removal(a, q, min(y, z)).upper
    assert removal(a, q, z).lower <= float(a / (2 * z * z)) * WIDTH


@pytest.mark.slow
@given(orders, rates, noises, st.floats(-6, 20).map(Fraction))
def test_a_threshold_after_subsampling_never_increases_the_divergence(
    order: Fraction, rate: Fraction, noise: Fraction, threshold: Fraction
) -> None:
    """Post-processing by one bit: the two Bernoulli laws are at most as far apart, in both directions."""
    with precision(256):
        t, s, q = ball(threshold), 1 / ball(noise), ball(rate)
        without = normal_cdf(BALL, -t)
        present = (1 - q) * without + q * normal_cdf(BALL, s - t)
        assume(bool(without < 1) and bool(present < 1))
        up = lower(bernoulli_renyi(BALL, ball(order), present, without))
        down = lower(bernoulli_renyi(BALL, ball(order), without, present))
    assert up <= removal(order, rate, noise).upper
    assert down <= removal(order, rate, noise, "add").upper


@given(ledgers(), st.data(), orders, orders)
def test_every_curve_increases_with_the_order(
    setting: tuple[Callable[[Event], Ledger[Any]], st.SearchStrategy[Event]],
    data: st.DataObject,
    a: Fraction,
    b: Fraction,
) -> None:
    under, events = setting
    ledger = under(data.draw(events))
    low, high = accountant.divergence(ledger, min(a, b)), accountant.divergence(ledger, max(a, b))
    assert 0 < low.upper < math.inf
    if low.lower > 0:  # of what is attained; a bound may jump between orders
        assert low.lower <= high.upper


@given(st.integers(2, 40), rates, noises)
def test_sampling_without_replacement_never_costs_more_than_twice_the_whole(
    order: int, rate: Fraction, noise: Fraction
) -> None:
    best = without_replacement_renyi(order, rate=rate, noise_multiplier=noise)
    for bound in ("wang-balle-kasiviswanathan", "weak-triangle"):
        found = without_replacement_renyi(order, rate=rate, noise_multiplier=noise, bound=bound)
        assert best.upper <= found.upper
    # It bounds the pair in which the record only appears or vanishes, at half of the distance.
    assert removal(Fraction(order), rate, 2 * noise).lower <= best.upper


# ------------------------------------------------------------------------------------ ledgers


@pytest.mark.slow
@given(ledgers(), st.data(), orders, deltas)
def test_composition_is_commutative_and_associative(
    setting: tuple[Callable[[Event], Ledger[Any]], st.SearchStrategy[Event]],
    data: st.DataObject,
    order: Fraction,
    delta: Fraction,
) -> None:
    under, events = setting
    a, b, c = (data.draw(events) for _ in range(3))
    left = accountant.divergence(under(Compose((Compose((a, b)), c))), order)
    right = accountant.divergence(under(Compose((c, Compose((b, a))))), order)
    assert left.lower <= right.upper
    assert right.lower <= left.upper
    one = accountant.epsilon(under(Compose((a, b))), delta, orders=FIXED)
    other = accountant.epsilon(under(Compose((b, a))), delta, orders=FIXED)
    assert one.upper <= other.upper * WIDTH
    assert other.upper <= one.upper * WIDTH


@pytest.mark.slow
@DEAR
@given(ledgers(), st.data(), deltas)
def test_adding_an_event_never_lowers_epsilon_and_more_delta_never_raises_it(
    setting: tuple[Callable[[Event], Ledger[Any]], st.SearchStrategy[Event]], data: st.DataObject, delta: Fraction
) -> None:
    under, events = setting
    a, b = data.draw(events), data.draw(events)
    alone, both = under(a), under(Compose((a, b)))
    assert accountant.epsilon(alone, delta, orders=FIXED).upper <= accountant.epsilon(both, delta, orders=FIXED).upper
    assert accountant.delta(alone, 1, orders=FIXED).upper <= accountant.delta(both, 1, orders=FIXED).upper
    larger = accountant.epsilon(alone, delta, orders=FIXED).upper
    assert accountant.epsilon(alone, delta / 7, orders=FIXED).upper >= larger
    assert accountant.delta(alone, 2, orders=FIXED).upper <= accountant.delta(alone, 1, orders=FIXED).upper
    # The search may settle on a neighbouring order, never far from the best of a coarse list.
    assert accountant.epsilon(alone, delta).upper <= larger * WIDTH


@DEAR
@given(st.lists(noises, min_size=1, max_size=4), st.integers(1, 1000), deltas)
def test_gaussian_ledgers_are_never_below_the_exact_answer(
    multipliers: list[Fraction], steps: int, delta: Fraction
) -> None:
    ledger = Ledger(Repeat(Compose(tuple(map(Gaussian, multipliers))), steps), ReplaceOne)
    exact = gaussian.epsilon(ledger, delta)
    for method in ("optimised", "basic"):
        found = accountant.epsilon(ledger, delta, method=method)
        assert found.lower <= exact.lower <= exact.upper <= found.upper
    at = Fraction(min(exact.upper, 1e6))
    assert gaussian.delta(ledger, at).lower <= accountant.delta(ledger, at).upper


# ------------------------------------------------------------------------------------ fail closed

junk = st.one_of(
    st.floats(),
    st.sampled_from([0, -1, 1, True, None, "1/2", 10**30, Fraction(-1, 3), Fraction(1, 10**400), 10**400]),
)


@given(junk, junk, junk)
def test_junk_is_an_error_or_an_infinite_bound_never_zero(a: Any, b: Any, c: Any) -> None:
    curve = RenyiCurve(lambda order: ball(order), tight=True)  # noqa: PLW0108
    ledger = Ledger(Gaussian(Fraction(1)), ReplaceOne)
    calls: list[Callable[[], Interval]] = [
        lambda: poisson_gaussian_renyi(a, rate=b, noise_multiplier=c, adjacency=AddOrRemoveOne),
        lambda: poisson_gaussian_renyi(2, rate=Fraction(1, 2), noise_multiplier=c, adjacency=ZeroOut),
        lambda: without_replacement_renyi(a, rate=b, noise_multiplier=c),
        lambda: curve.at(a),
        lambda: renyi_to_epsilon(curve, a, orders=[2]),
        lambda: renyi_to_delta(curve, a, orders=[2]),
        lambda: renyi_to_epsilon(curve, Fraction(1, 2), orders=[a, b]),
        lambda: accountant.divergence(ledger, a),
        lambda: accountant.epsilon(ledger, a),
        lambda: accountant.delta(ledger, a),
    ]
    for call in calls:
        try:
            found = call()
        except DprefError:
            continue
        # What is answered had arguments in its domain (rate 0 and a rounded-off epsilon are not reachable here).
        assert found.upper > 0 or b == 0


@given(st.sampled_from([arb.nan, arb.pos_inf, arb.neg_inf, lambda: arb(0, 1).log()]), deltas)
def test_a_curve_that_is_not_finite_never_becomes_a_finite_epsilon(value: Callable[[], arb], delta: Fraction) -> None:
    curve = RenyiCurve(lambda order: value(), tight=True)
    calls: list[Callable[[], Interval]] = [
        lambda: renyi_to_epsilon(curve, delta, orders=[2, 3]),
        lambda: curve.at(2),
    ]
    for call in calls:
        try:
            found = call()
        except DprefError:
            continue
        assert found.upper == math.inf
