"""Guarantees of epsilon and delta, added up: the least sum over every choice of a point of each table, by hand."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import pytest

from dpref.errors import UnsupportedEventError
from dpref.privacy.closed_forms import basic
from dpref.privacy.events.guarantees import Approximate, Profile
from dpref.privacy.events.ledger import Compose, Event, Laplace, Ledger, Poisson, Repeat, SampleWithoutReplacement
from dpref.units import AddOrRemoveOne, Adjacency, ReplaceOne, ZeroOut

TWO = Profile((Fraction(1, 4), Fraction(1, 2)), (Fraction(1, 100), Fraction(1, 1000)))
BOTH = Profile((Fraction(1, 2),), (Fraction(1, 1000),), (Fraction(1, 100),))
ONE = Approximate(Fraction(1), Fraction(1, 100))


def table(points: int, seed: int) -> Profile:
    """A table of so many points, unlike every other of another seed."""
    epsilons = tuple(Fraction(k, 7 + seed) for k in range(1, points + 1))
    return Profile(epsilons, tuple(Fraction(1, 10**6 * k) for k in range(1, points + 1)))


def ledger(*events: Event, adjacency: type[Adjacency] = AddOrRemoveOne) -> Ledger[Any]:
    return Ledger(Compose(events), adjacency)


@pytest.mark.parametrize(
    ("event", "adjacency", "supported"),
    [
        (ONE, ReplaceOne, True),
        (Laplace(Fraction(1)), ReplaceOne, False),
        (Poisson(ONE, Fraction(1, 2)), AddOrRemoveOne, True),
        (Poisson(ONE, Fraction(1, 2)), ReplaceOne, False),
        (Poisson(Laplace(Fraction(1)), Fraction(1, 2)), AddOrRemoveOne, False),
        (SampleWithoutReplacement(TWO, 1, 2), ReplaceOne, True),
        (SampleWithoutReplacement(TWO, 1, 2), AddOrRemoveOne, False),
        (TWO, ReplaceOne, True),
        (BOTH, AddOrRemoveOne, True),
        (BOTH, ZeroOut, True),
        (BOTH, ReplaceOne, False),
    ],
    ids=str,
)
def test_what_is_supported(event: Event, adjacency: type[Adjacency], supported: bool) -> None:
    assert basic.supports(event, adjacency) is supported


def test_the_delta_at_an_epsilon_is_the_least_of_the_points_up_to_it() -> None:
    def delta(epsilon: str, *events: Event) -> Fraction:
        return Fraction(basic.delta(ledger(*events), Fraction(epsilon)).upper)

    assert delta("1/5", TWO) == 1
    for epsilon, spent in (("1/4", "1/100"), ("2/5", "1/100"), ("1/2", "1/1000"), ("9", "1/1000")):
        assert Fraction(spent) <= delta(epsilon, TWO) < Fraction(spent) * (1 + Fraction(1, 2**50))
    assert delta("1/2", BOTH) >= Fraction(1, 100)
    twice = delta("3/4", TWO, ONE, Repeat(TWO, 1))
    assert twice == 1
    mixed = delta("5/4", TWO, ONE)
    assert Fraction(2, 100) <= mixed < Fraction(2, 100) * (1 + Fraction(1, 2**50))
    assert (
        delta("200", *[Approximate(Fraction(1), Fraction(99, 100)), Approximate(Fraction(2), Fraction(99, 100))]) == 1
    )


def test_the_epsilon_at_a_delta_is_the_least_sum_whose_deltas_fit() -> None:
    def epsilon(delta: str, *events: Event) -> float:
        found = basic.epsilon(ledger(*events), Fraction(delta))
        assert found.lower == 0
        return found.upper

    assert epsilon("1/100", TWO) == 0.25
    assert epsilon("1/101", TWO) == 0.5
    assert epsilon("1/1001", TWO) == math.inf
    assert epsilon("1/50", TWO, ONE) == 1.25
    assert epsilon("3/100", Repeat(TWO, 3)) == 0.75


def test_a_sample_of_everything_costs_what_the_answer_costs_to_the_last_digit() -> None:
    whole = basic.epsilon(ledger(Poisson(ONE, Fraction(1))), Fraction(1, 100)).upper
    assert whole == 1.0
    half = basic.epsilon(ledger(Poisson(ONE, Fraction(1, 2))), Fraction(1, 200)).upper
    assert half == pytest.approx(math.log(1 + math.expm1(1) / 2), rel=1e-15)


@pytest.mark.parametrize("sizes", [(100, 100), (50, 200), (200, 50), (10, 10, 10, 10)])
def test_ten_thousand_choices_are_gone_through(sizes: tuple[int, ...]) -> None:
    events = [table(size, 2 * i) for i, size in enumerate(sizes)]
    least = sum((event.epsilons[0] for event in events), Fraction(0))
    assert Fraction(basic.epsilon(ledger(*events), Fraction(1, 1000)).upper) >= least


@pytest.mark.parametrize("sizes", [(73, 137), (137, 73), (101, 100), (11, 910)])
def test_one_more_is_refused(sizes: tuple[int, ...]) -> None:
    events = [table(size, 2 * i) for i, size in enumerate(sizes)]
    with pytest.raises(UnsupportedEventError, match="are more than 10000"):
        basic.epsilon(ledger(*events), Fraction(1, 1000))
