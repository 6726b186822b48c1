"""Promises of the accountants, as properties over random ledgers of Gaussians."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpref.errors import DprefError, UnsupportedEventError
from dpref.privacy.calibration import gaussian_noise_multiplier, largest_mu, largest_steps, zcdp_noise_multiplier
from dpref.privacy.closed_forms import gaussian
from dpref.privacy.closed_forms.gaussian import delta, epsilon, gaussian_delta_at, gaussian_epsilon, gdp, zcdp
from dpref.privacy.closed_forms.zcdp import largest_rho, zcdp_to_delta, zcdp_to_epsilon
from dpref.privacy.events.ledger import Compose, Event, Gaussian, Ledger, NonPrivate, Repeat
from dpref.privacy.events.walks import canonical
from dpref.privacy.interval import Interval
from dpref.units import ReplaceOne

multipliers = st.floats(1e-3, 1e6).map(Fraction) | st.fractions(Fraction(1, 100), 100, max_denominator=1000)
gaussians: st.SearchStrategy[Event] = multipliers.map(Gaussian)


def trees(leaves: st.SearchStrategy[Event]) -> st.SearchStrategy[Event]:
    def grow(inner: st.SearchStrategy[Event]) -> st.SearchStrategy[Event]:
        composed = st.lists(inner, max_size=4).map(lambda events: Compose(tuple(events)))
        repeated = st.builds(Repeat, inner, st.integers(1, 10**6))
        return composed | repeated

    return st.recursive(leaves, grow, max_leaves=8)


events = trees(gaussians)
deltas = st.floats(1e-300, 0.999).map(Fraction) | st.integers(1, 30).map(lambda k: Fraction(1, 10**k))
epsilons = st.floats(1e-6, 1e6).map(Fraction)
mus = st.floats(1e-9, 1e7).map(Fraction)
sensible_epsilons = st.floats(1e-3, 1e3).map(Fraction)
sensible_deltas = st.integers(1, 20).map(lambda k: Fraction(1, 10**k))


def under(event: Event) -> Ledger[ReplaceOne]:
    return Ledger(event, ReplaceOne)


@pytest.mark.slow
@given(events, events, deltas)
def test_composition_is_commutative(a: Event, b: Event, d: Fraction) -> None:
    assert gdp(under(Compose((a, b)))) == gdp(under(Compose((b, a))))
    assert epsilon(under(a) + under(b), d) == epsilon(under(b) + under(a), d)


@given(events, events, events)
def test_composition_is_associative_and_adds_losses(a: Event, b: Event, c: Event) -> None:
    left = gdp(under(Compose((Compose((a, b)), c))))
    assert left == gdp(under(Compose((a, Compose((b, c))))))
    assert left == gdp(under(a)) + gdp(under(b)) + gdp(under(c))
    assert zcdp(under(a) + under(b)).value == zcdp(under(a)).value + zcdp(under(b)).value


@given(st.lists(gaussians, min_size=1, max_size=4), st.integers(1, 30), deltas)
def test_the_canonical_ledger_spends_the_same(parts: list[Event], count: int, d: Fraction) -> None:
    event = Repeat(Compose(tuple(parts)), count)
    assert gdp(under(event)) == gdp(under(canonical(event)))
    assert epsilon(under(event), d) == epsilon(under(canonical(event)), d)


def never_lowered(a: Event, b: Event, d: Fraction) -> bool:
    """Whether an event after another costs no less than the first alone, and more of mu."""
    both = under(Compose((a, b)))
    return epsilon(both, d).upper >= epsilon(under(a), d).lower and gdp(both).value > gdp(under(a)).value


@given(events, gaussians, deltas)
def test_adding_an_event_never_lowers_epsilon(a: Event, b: Event, d: Fraction) -> None:
    assert never_lowered(a, b, d)


def test_planted_forgotten_event_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    def forgetful(event: Event) -> dict[Event, int]:
        match event:
            case Compose((first, *_)):
                return {first: 1}
            case _:
                return {event: 1}

    monkeypatch.setattr(gaussian, "multiplicities", forgetful)
    assert not never_lowered(Gaussian(Fraction(1)), Gaussian(Fraction(1)), Fraction(1, 100))


@given(mus, deltas, deltas)
def test_epsilon_decreases_in_delta(mu: Fraction, d: Fraction, other: Fraction) -> None:
    low, high = sorted((d, other))
    assert gaussian_epsilon(mu, low).upper >= gaussian_epsilon(mu, high).lower


@given(mus, mus, deltas)
def test_epsilon_increases_in_mu(mu: Fraction, other: Fraction, d: Fraction) -> None:
    low, high = sorted((mu, other))
    assert gaussian_epsilon(low, d).lower <= gaussian_epsilon(high, d).upper


@given(multipliers, st.integers(1, 10**6), st.integers(1, 10**6), deltas)
def test_epsilon_increases_in_steps(z: Fraction, steps: int, more: int, d: Fraction) -> None:
    few, many = (epsilon(under(Repeat(Gaussian(z), k)), d) for k in (steps, steps + more))
    assert few.lower <= many.upper


@given(mus, epsilons, epsilons)
def test_delta_decreases_in_epsilon(mu: Fraction, e: Fraction, other: Fraction) -> None:
    low, high = sorted((e, other))
    assert gaussian_delta_at(mu, low).upper >= gaussian_delta_at(mu, high).lower


@given(mus, deltas)
def test_the_two_curves_are_inverse(mu: Fraction, d: Fraction) -> None:
    found = gaussian_epsilon(mu, d)
    assert found.relative_width <= 1e-12 or found.upper == 0 or found.lower == 0
    if 0 < found.upper < math.inf:
        assert gaussian_delta_at(mu, Fraction(found.upper)).lower <= d
        assert gaussian_delta_at(mu, Fraction(found.lower)).upper >= d


@given(st.floats(1e-6, 1e3).map(Fraction), sensible_deltas)
def test_every_method_holds_the_exact_gaussian(mu_squared: Fraction, d: Fraction) -> None:
    exact = gaussian_epsilon(mu_squared, d)
    optimised = zcdp_to_epsilon(mu_squared / 2, d)
    basic = zcdp_to_epsilon(mu_squared / 2, d, method="basic")
    assert exact.intersection(optimised).upper == exact.upper
    assert optimised.upper <= basic.upper * (1 + 1e-12)
    assert (
        gaussian_delta_at(mu_squared, Fraction(exact.upper)).lower
        <= zcdp_to_delta(mu_squared / 2, Fraction(exact.upper)).upper
    )


@given(st.floats(1e-6, 1e3).map(Fraction), st.floats(1e-3, 1e3).map(Fraction))
def test_the_optimised_delta_is_never_above_the_basic_one(rho: Fraction, e: Fraction) -> None:
    assert zcdp_to_delta(rho, e).upper <= zcdp_to_delta(rho, e, method="basic").upper * (1 + 1e-9)


@given(sensible_epsilons, sensible_deltas, st.integers(1, 10**6))
def test_calibration_round_trip(e: Fraction, d: Fraction, steps: int) -> None:
    z = Fraction(gaussian_noise_multiplier(e, d, steps=steps))
    spent = epsilon(under(Repeat(Gaussian(z), steps)), d)
    assert spent.lower <= e
    assert spent.upper == pytest.approx(float(e), rel=1e-9)
    assert largest_steps(z, e, d) == steps
    assert largest_mu(e, d).lower ** 2 / 2 >= largest_rho(e, d) * (1 - 1e-12)
    assert largest_rho(e, d) >= largest_rho(e, d, method="basic") * (1 - 1e-12)


@given(events.filter(lambda e: gdp(under(e)).value > 0), deltas)
def test_an_answer_without_noise_makes_everything_infinite(event: Event, d: Fraction) -> None:
    spoiled = under(Compose((event, NonPrivate())))
    assert epsilon(spoiled, d).lower == math.inf
    assert delta(spoiled, 1).lower == 1
    with pytest.raises(UnsupportedEventError):
        gdp(spoiled)


anything: st.SearchStrategy[Any] = (
    st.floats()
    | st.fractions()
    | st.integers()
    | st.none()
    | st.text(max_size=3)
    | st.booleans()
    | st.complex_numbers()
)
PUBLIC: list[Callable[[Any, Any], Interval | float | int]] = [
    gaussian_epsilon,
    gaussian_delta_at,
    zcdp_to_epsilon,
    zcdp_to_delta,
    largest_mu,
    largest_rho,
    lambda a, b: epsilon(under(Gaussian(a)), b),
    lambda a, b: delta(under(Gaussian(a)), b),
    lambda a, b: gaussian_noise_multiplier(a, b, steps=1),
    lambda a, b: zcdp_noise_multiplier(a, steps=b),
    lambda a, b: largest_steps(a, b, Fraction(1, 100)),
]


@pytest.mark.slow
@pytest.mark.parametrize("index", range(len(PUBLIC)))
@given(anything, anything)
def test_every_public_function_fails_closed(index: int, a: Any, b: Any) -> None:
    try:
        found = PUBLIC[index](a, b)
    except DprefError:
        return
    # Only exact numbers get this far; what they get is a number, never NaN, never a zero for a mechanism that spends.
    assert isinstance(a, int | Fraction)
    assert isinstance(b, int | Fraction)
    value = found.upper if isinstance(found, Interval) else found
    assert value >= 0
    if PUBLIC[index] is gaussian_delta_at or PUBLIC[index] is zcdp_to_delta:
        assert value > 0 or a == 0
