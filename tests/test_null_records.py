"""Randomized response and the record that is not there: what answers in its place decides what may be claimed."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import Any, Literal

import pytest

from dpref.errors import InvalidArgumentError, UnsupportedEventError
from dpref.privacy.accountants import certify
from dpref.privacy.closed_forms.pure import pure_epsilon
from dpref.privacy.events.expression import format_event, parse_event
from dpref.privacy.events.ledger import (
    Event,
    Laplace,
    Ledger,
    Poisson,
    RandomizedResponse,
    Repeat,
    SampleWithoutReplacement,
)
from dpref.privacy.pld.pairs import pairs
from dpref.privacy.renyi.accountant import divergence
from dpref.reals import ball
from dpref.units import AddOrRemoveOne, Adjacency, ReplaceOne, ZeroOut

Law = Sequence[float]
NULL: tuple[Literal["uniform", "category"] | None, ...] = (None, "uniform", "category")
PARAMETERS = [(Fraction(1), 2), (Fraction(2), 3)]
RATE = Fraction(1, 7)


def truth(epsilon: Fraction, categories: int, record: int) -> list[float]:
    """The answer's law when the record is of that category."""
    odds = [math.exp(epsilon) if k == record else 1.0 for k in range(categories)]
    return [o / sum(odds) for o in odds]


def absent(epsilon: Fraction, categories: int, null: str) -> list[float]:
    """The answer's law when there is no record of category 0."""
    return [1 / categories] * categories if null == "uniform" else truth(epsilon, categories, 1)


def hockey_stick(p: Law, q: Law, x: float) -> float:
    return sum(max(a - math.exp(x) * b, 0.0) for a, b in zip(p, q, strict=True))


def worst(p: Law, q: Law, x: float) -> float:
    return max(hockey_stick(p, q, x), hockey_stick(q, p, x))


def mixed(p: Law, q: Law, rate: Fraction) -> list[float]:
    return [float(rate) * a + float(1 - rate) * b for a, b in zip(p, q, strict=True)]


def twice(p: Law) -> list[float]:
    return [a * b for a in p for b in p]


def certified(event: Event, adjacency: type[Adjacency], x: Fraction) -> Any:
    return certify(Ledger(event, adjacency), epsilon=x)


@pytest.mark.slow
@pytest.mark.parametrize("adjacency", [ZeroOut, AddOrRemoveOne])
@pytest.mark.parametrize("null", ["uniform", "category"])
@pytest.mark.parametrize(("epsilon", "categories"), PARAMETERS)
def test_what_is_stated_is_enclosed(
    epsilon: Fraction, categories: int, null: Literal["uniform", "category"], adjacency: type[Adjacency]
) -> None:
    event = RandomizedResponse(epsilon, categories, null)
    here, gone = truth(epsilon, categories, 0), absent(epsilon, categories, null)
    x = epsilon / 4
    for whole, p, q in (
        (event, here, gone),
        (Repeat(event, 2), twice(here), twice(gone)),
        (Poisson(event, RATE), mixed(here, gone, RATE), gone),
    ):
        exact, found = worst(p, q, float(x)), certified(whole, adjacency, x)
        assert found.lower - 1e-13 <= exact <= found.upper + 1e-13
        assert found.upper - found.lower <= 1e-2 * exact + 1e-12


@pytest.mark.parametrize(("epsilon", "categories"), PARAMETERS)
def test_nothing_stated_claims_nothing_attained_and_bounds_every_mixture(epsilon: Fraction, categories: int) -> None:
    event, x = RandomizedResponse(epsilon, categories), epsilon / 4
    sampled = Poisson(event, RATE)
    plain, batch = certified(event, ZeroOut, x), certified(sampled, AddOrRemoveOne, x)
    assert plain.lower == batch.lower == 0
    here = truth(epsilon, categories, 0)
    laws = [truth(epsilon, categories, k) for k in range(categories)]
    for weights in ([1.0] * categories, [0.0, *[1.0] * (categories - 1)], [float(k) for k in range(categories)]):
        total = sum(weights)
        gone = [sum(w * law[k] for w, law in zip(weights, laws, strict=True)) / total for k in range(categories)]
        assert worst(here, gone, float(x)) <= plain.upper + 1e-13
        assert worst(mixed(here, gone, RATE), gone, float(x)) <= batch.upper + 1e-13


@pytest.mark.parametrize("null", NULL)
def test_a_record_outside_the_batch_is_answered_by_what_is_stated(null: Literal["uniform", "category"] | None) -> None:
    """One of ten records answers: the others' answers, a category's, are what the lower end may count on, or not."""
    event, x = SampleWithoutReplacement(RandomizedResponse(Fraction(1), 2, null), 1, 10), Fraction(1, 50)
    one, two = truth(Fraction(1), 2, 0), truth(Fraction(1), 2, 1)
    rest = two if null is None else absent(Fraction(1), 2, null)
    exact = worst(mixed(one, rest, Fraction(1, 10)), mixed(two, rest, Fraction(1, 10)), float(x))
    found = certified(event, ReplaceOne, x)
    assert found.lower <= exact + 1e-15
    assert exact <= found.upper + 1e-15
    assert found.lower == pytest.approx(exact if null == "category" else 0.0)
    assert certified(Repeat(event, 2), ReplaceOne, x).lower == pytest.approx(0.0) or null == "category"


def test_a_batch_of_a_batch_is_a_batch() -> None:
    """Only what one batch of that size attains is attained by both, and its bound is theirs."""
    for inner in (Laplace(Fraction(1)), RandomizedResponse(Fraction(2), 3, "category")):
        nested = SampleWithoutReplacement(SampleWithoutReplacement(inner, 2, 3), 3, 7)
        both, once = pairs(nested, ReplaceOne), pairs(SampleWithoutReplacement(inner, 2, 7), ReplaceOne)
        assert both.attained_add is not None
        assert once.attained_add is not None
        for x in (Fraction(-1, 5), Fraction(-1, 20), Fraction(1, 10)):
            assert both.attained_add.curve(ball(x))[0].overlaps(once.attained_add.curve(ball(x))[0])
            assert both.remove.curve(ball(x))[0].overlaps(once.remove.curve(ball(x))[0])


def test_planted_bug_two_categories_are_not_attained_against_a_uniform_answer() -> None:
    """The lower end that was once claimed without a statement is above the truth for a uniform null answer."""
    x = Fraction(3, 10)
    claimed = certified(RandomizedResponse(Fraction(1), 2, "category"), ZeroOut, x)
    exact = worst(truth(Fraction(1), 2, 0), absent(Fraction(1), 2, "uniform"), float(x))
    assert claimed.lower > 2 * exact
    assert certified(RandomizedResponse(Fraction(1)), ZeroOut, x).lower == 0


def test_golden_values_of_a_uniform_answer() -> None:
    """Independent, in mpmath at 30 digits."""
    found = pairs(RandomizedResponse(Fraction(1), 2, "uniform"), ZeroOut)
    removed, added = (float(pair.curve(ball(Fraction(3, 10)))[0].mid()) for pair in (found.remove, found.add))
    assert removed == pytest.approx(0.0561291748420033, rel=1e-14)
    assert added == pytest.approx(0.136967053641703, rel=1e-14)


def test_golden_value_of_a_sampled_answer_against_a_category() -> None:
    event = Poisson(RandomizedResponse(Fraction("5.73"), 2, "category"), Fraction("0.0238"))
    found = certify(Ledger(event, AddOrRemoveOne), delta=Fraction(1, 10**6))
    assert found.lower <= Fraction("2.116925124071928625260624747") <= found.upper


def test_an_answer_that_is_missing_is_seen() -> None:
    for event in (RandomizedResponse(Fraction(1)), Repeat(RandomizedResponse(Fraction(1)), 3)):
        with pytest.raises(UnsupportedEventError):
            certified(event, AddOrRemoveOne, Fraction(1, 2))
        with pytest.raises(UnsupportedEventError):
            divergence(Ledger(event, AddOrRemoveOne), 2)
        assert pure_epsilon(Ledger(event, AddOrRemoveOne)) == math.inf
        assert pure_epsilon(Ledger(event, ZeroOut)) < math.inf
        assert certified(event, ReplaceOne, Fraction(1, 2)).lower > 0
    with pytest.raises(UnsupportedEventError, match="null=uniform or null=category"):
        pairs(RandomizedResponse(Fraction(1)), AddOrRemoveOne)


@pytest.mark.parametrize("null", NULL)
@pytest.mark.parametrize(("epsilon", "categories"), PARAMETERS)
def test_renyi_divergences(epsilon: Fraction, categories: int, null: Literal["uniform", "category"] | None) -> None:
    event = RandomizedResponse(epsilon, categories, null)
    here, gone = truth(epsilon, categories, 0), absent(epsilon, categories, null or "uniform")
    for order in (Fraction(3, 2), Fraction(2), Fraction(9)):
        a = float(order)
        exact = max(
            math.log(sum(s**a * t ** (1 - a) for s, t in zip(p, q, strict=True))) / (a - 1)
            for p, q in ((here, gone), (gone, here))
        )
        found = divergence(Ledger(event, ZeroOut), order)
        assert found.lower <= exact * (1 + 1e-12)
        assert exact * (1 - 1e-12) <= found.upper
        assert null is None or found.upper <= exact * (1 + 1e-12)


def test_the_statement_is_read_and_written() -> None:
    for null in NULL:
        event = RandomizedResponse(Fraction(1), 3, null)
        assert parse_event(format_event(event)) == event
        assert parse_event(str(event)) == event
    with pytest.raises(InvalidArgumentError, match="null = 'zero'"):
        RandomizedResponse(Fraction(1), 2, "zero")  # type: ignore[arg-type]
