"""The accountant by Rényi divergences: published values, bounds, refusals, planted bugs."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import pytest
from flint import arb

from dpref.errors import InvalidArgumentError, PrecisionError, UnsupportedEventError
from dpref.privacy.closed_forms import gaussian
from dpref.privacy.closed_forms.divergences import gaussian_renyi
from dpref.privacy.closed_forms.zcdp import zcdp_to_delta, zcdp_to_epsilon
from dpref.privacy.events.ledger import (
    Compose,
    DiscreteGaussian,
    DiscreteLaplace,
    Event,
    Exponential,
    Gaussian,
    Laplace,
    Ledger,
    NoisyMax,
    NonPrivate,
    Poisson,
    RandomizedResponse,
    Repeat,
    SampleWithoutReplacement,
)
from dpref.privacy.renyi import accountant
from dpref.privacy.renyi.curves import RenyiCurve, compose, renyi_to_delta, renyi_to_epsilon
from dpref.privacy.renyi.subsampled_gaussian import poisson_gaussian_renyi
from dpref.privacy.renyi.without_replacement import without_replacement_renyi
from dpref.reals import BALL, ball
from dpref.units import AddOrRemoveOne, ReplaceOne, ZeroOut

DELTA = Fraction(1, 10**6)

# ------------------------------------------------------------------------------------ the accountant


def poisson(noise: Fraction = Fraction(1), rate: Fraction = Fraction(1, 100)) -> Event:
    return Poisson(Gaussian(noise), rate)


SUPPORTED: list[Event] = [
    Gaussian(Fraction(2)),
    Laplace(Fraction(3)),
    DiscreteLaplace(Fraction(3), 2),
    DiscreteGaussian(Fraction(5), 2),
    RandomizedResponse(Fraction(1, 2), 4, "category"),
    Exponential(Fraction(1, 3)),
    NoisyMax(Fraction(1, 3), "gumbel"),
    NoisyMax(Fraction(1, 3), "laplace"),
    Poisson(Laplace(Fraction(3)), Fraction(1)),
]


@pytest.mark.parametrize("event", SUPPORTED, ids=str)
@pytest.mark.parametrize("adjacency", [AddOrRemoveOne, ReplaceOne, ZeroOut])
def test_every_supported_event_has_a_positive_bound(event: Event, adjacency: type[ReplaceOne]) -> None:
    assert accountant.supports(event, adjacency)
    found = accountant.epsilon(Ledger(Repeat(event, 5), adjacency), DELTA)
    assert found.adjacency is adjacency
    assert 0.0 == found.lower < found.upper < math.inf


@pytest.mark.parametrize(
    ("event", "adjacency"),
    [
        (poisson(), ReplaceOne),
        (SampleWithoutReplacement(Laplace(Fraction(2)), 1, 10), AddOrRemoveOne),
        (Poisson(Laplace(Fraction(1)), Fraction(1, 2)), AddOrRemoveOne),
        (Poisson(poisson(), Fraction(1, 2)), AddOrRemoveOne),
        (SampleWithoutReplacement(Laplace(Fraction(2)), 1, 10), ReplaceOne),
        (NonPrivate(), ReplaceOne),
    ],
    ids=str,
)
def test_events_without_a_theorem_raise(event: Event, adjacency: type[ReplaceOne]) -> None:
    assert not accountant.supports(event, adjacency)
    ledger = Ledger(Compose((Gaussian(Fraction(1)), event)), adjacency)
    asked: list[Callable[[], object]] = [
        lambda: accountant.epsilon(ledger, DELTA),
        lambda: accountant.delta(ledger, 1),
        lambda: accountant.divergence(ledger, 2),
    ]
    for ask in asked:
        with pytest.raises(UnsupportedEventError):
            ask()
    if isinstance(event, Poisson) and isinstance(event.event, Gaussian):
        with pytest.raises(UnsupportedEventError):
            poisson_gaussian_renyi(2, rate=event.rate, noise_multiplier=1, adjacency=adjacency)


# Least epsilon over orders up to 2**14, from an independent scan with mpmath (see the mirror above).
@pytest.mark.parametrize(("steps", "least"), [(10**3, 2.43632), (10**4, 7.41373), (10**5, 29.24641)])
def test_subsampled_gaussian_epsilon_is_the_published_one(steps: int, least: float) -> None:
    found = accountant.epsilon(Ledger(Repeat(poisson(), steps), AddOrRemoveOne), DELTA)
    assert least <= found.upper <= least * (1 + 1e-5)


def test_gaussian_ledgers_are_bounded_from_above_and_close() -> None:
    for noise, steps, delta in [
        (Fraction(10), 100, DELTA),
        (Fraction(3), 7, Fraction(1, 10**12)),
        (Fraction(1, 2), 1, DELTA),
    ]:
        ledger = Ledger(Repeat(Gaussian(noise), steps), ReplaceOne)
        exact = gaussian.epsilon(ledger, delta)
        found = accountant.epsilon(ledger, delta)
        assert exact.upper <= found.upper <= exact.upper * 1.12
        assert found.upper <= zcdp_to_epsilon(gaussian.zcdp(ledger).value, delta).upper * (1 + 1e-4)
        e = Fraction(exact.upper)
        small = accountant.delta(ledger, e)
        assert gaussian.delta(ledger, e).lower <= small.upper
        assert small.upper <= zcdp_to_delta(gaussian.zcdp(ledger).value, e).upper * (1 + 1e-3)
        basic = accountant.epsilon(ledger, delta, method="basic")
        assert found.upper < basic.upper
        assert accountant.delta(ledger, e, method="basic").upper > small.upper


def test_divergence_of_a_ledger_adds_up_and_says_whether_it_is_attained() -> None:
    exact = Ledger(Compose((Gaussian(Fraction(1)), Repeat(Gaussian(Fraction(2)), 4))), ReplaceOne)
    assert accountant.divergence(exact, 3).lower == 3.0
    bound = Ledger(Compose((Gaussian(Fraction(1)), DiscreteGaussian(Fraction(2)))), ReplaceOne)
    found = accountant.divergence(bound, 2)
    assert (found.lower, found.upper) == (0.0, 1.25)
    assert accountant.divergence(Ledger(Compose(()), ReplaceOne), 2).upper == 0.0


def test_zero_out_without_replacement_is_charged_as_replacing_twice_as_far() -> None:
    sampled = SampleWithoutReplacement(Gaussian(Fraction(8)), 1, 100)
    nulled = accountant.divergence(Ledger(sampled, ZeroOut), 4)
    replaced = without_replacement_renyi(4, rate=Fraction(1, 100), noise_multiplier=4)
    assert nulled.upper == replaced.upper


def test_any_order_gives_a_valid_bound_and_the_search_finds_a_good_one() -> None:
    curve = RenyiCurve(lambda order: gaussian_renyi(BALL, ball(order), ball(Fraction(1))), tight=True)
    exact = gaussian.gaussian_epsilon(1, DELTA)
    everything = [renyi_to_epsilon(curve, DELTA, orders=[order]).upper for order in (Fraction(9, 8), 2, 6, 50, 10**4)]
    assert min(everything) > exact.upper
    searched = renyi_to_epsilon(curve, DELTA).upper
    assert searched <= min(everything)
    assert searched <= zcdp_to_epsilon(Fraction(1, 2), DELTA).upper * (1 + 1e-6)
    assert renyi_to_epsilon(curve, DELTA, orders=[50, 6, 2]).upper == everything[2]


def test_a_curve_without_a_bound_is_infinite_never_zero() -> None:
    nothing = RenyiCurve(lambda order: arb.pos_inf(), tight=False)
    assert nothing.at(2).upper == math.inf
    assert renyi_to_epsilon(nothing, DELTA).upper == math.inf
    assert renyi_to_delta(nothing, 1).upper == 1.0
    broken = RenyiCurve(lambda order: arb.nan(), tight=False)
    asked: list[Callable[[], object]] = [
        lambda: broken.at(2),
        lambda: renyi_to_epsilon(broken, DELTA),
        lambda: renyi_to_delta(broken, 1),
    ]
    for ask in asked:
        with pytest.raises(PrecisionError):
            ask()


def test_malformed_arguments_are_refused_by_name() -> None:
    curve = RenyiCurve(ball, tight=True)
    gauss = Ledger(Gaussian(Fraction(1)), ReplaceOne)
    good: dict[str, Any] = {"rate": Fraction(1, 10), "noise_multiplier": Fraction(1), "adjacency": AddOrRemoveOne}
    cases: list[tuple[str, Callable[[], object]]] = [
        ("order", lambda: curve.at(1)),
        ("order", lambda: curve.at(2.0)),  # type: ignore[arg-type]
        ("order", lambda: curve.at(1 << 15)),
        ("delta", lambda: renyi_to_epsilon(curve, 0)),
        ("delta", lambda: renyi_to_epsilon(curve, 0.1)),  # type: ignore[arg-type]
        ("epsilon", lambda: renyi_to_delta(curve, -1)),
        ("orders", lambda: renyi_to_epsilon(curve, DELTA, orders=[])),
        ("order", lambda: renyi_to_delta(curve, 1, orders=[1])),
        ("method", lambda: renyi_to_delta(curve, 1, method="tight")),  # type: ignore[arg-type]
        ("count", lambda: curve.repeat(0)),
        ("curves", lambda: compose([])),
        ("order", lambda: accountant.divergence(gauss, Fraction(1, 2))),
        ("rate", lambda: poisson_gaussian_renyi(2, **{**good, "rate": 2})),
        ("rate", lambda: poisson_gaussian_renyi(2, **{**good, "rate": math.nan})),
        ("rate", lambda: poisson_gaussian_renyi(2, **{**good, "rate": Fraction(1, 1 << 300)})),
        ("noise_multiplier", lambda: poisson_gaussian_renyi(2, **{**good, "noise_multiplier": 0})),
        ("noise_multiplier", lambda: poisson_gaussian_renyi(2, **{**good, "noise_multiplier": Fraction(1, 10**6)})),
        ("direction", lambda: poisson_gaussian_renyi(2, **good, direction="swap")),  # type: ignore[arg-type]
        ("bound", lambda: without_replacement_renyi(2, rate=0, noise_multiplier=1, bound="other")),  # type: ignore[arg-type]
    ]
    for name, call in cases:
        with pytest.raises(InvalidArgumentError, match=f"^{name} = "):
            call()


def test_planted_bug_a_conversion_without_its_order_is_seen() -> None:
    """Mironov's conversion without the division by alpha - 1, and sampling that forgets to square the rate."""
    exact = gaussian.gaussian_epsilon(Fraction(1, 100), Fraction(1, 10**10)).upper
    wrong = min(a / 200 + math.log(1e10) / a**2 for a in (2.0, 10.0, 60.0, 200.0))
    assert (
        wrong
        < exact
        <= renyi_to_epsilon(
            RenyiCurve(lambda order: gaussian_renyi(BALL, ball(order), ball(Fraction(1, 10))), tight=True),
            Fraction(1, 10**10),
        ).upper
    )
