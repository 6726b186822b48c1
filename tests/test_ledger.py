"""The event tree: one way to write one spending, nothing lost, nothing counted twice."""

from __future__ import annotations

import dataclasses
import itertools
from collections import Counter
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from dpref.errors import InvalidArgumentError
from dpref.privacy.accountants import certify
from dpref.privacy.events.discrete import DiscreteGaussian, DiscreteLaplace
from dpref.privacy.events.expression import parse_event
from dpref.privacy.events.ledger import (
    Compose,
    Event,
    Gaussian,
    Ledger,
    NonPrivate,
    RandomizedResponse,
    Repeat,
    SampleWithoutReplacement,
    VarianceReducedGaussian,
)
from dpref.privacy.events.walks import canonical, leaves, multiplicities, parts
from dpref.units import ReplaceOne, ZeroOut

A, B = Gaussian(Fraction(1)), Gaussian(Fraction(2))


def counted(event: Event) -> Counter[Event]:
    """How often each mechanism happens, by the definition of composition (slow, obviously right)."""
    match event:
        case Compose(events):
            return sum((counted(e) for e in events), Counter())
        case Repeat(inner, times):
            return Counter({leaf: times * k for leaf, k in counted(inner).items()})
        case _:
            return Counter({event: 1})


TREES: tuple[Event, ...] = (
    A,
    NonPrivate(),
    Compose(()),
    Compose((A,)),
    Compose((A, B, A)),
    Repeat(A, 5),
    Repeat(Compose((A, B)), 3),
    Repeat(Repeat(Compose((A, A)), 2), 3),
    Compose((A, Repeat(A, 3), Compose((A, Compose((B, B)))), B)),
    Repeat(Compose((Repeat(A, 2), Compose((A,)))), 4),
    Compose((Repeat(Compose(()), 7), A, NonPrivate())),
)


@pytest.mark.parametrize("event", TREES, ids=str)
def test_leaves_lose_nothing_and_merge_neighbours(event: Event) -> None:
    runs = list(leaves(event))
    total: Counter[Event] = Counter()
    for leaf, count in runs:
        assert not isinstance(leaf, Compose | Repeat)
        total[leaf] += count
    assert total == counted(event)
    assert all(left[0] != right[0] for left, right in itertools.pairwise(runs))


@pytest.mark.parametrize("event", TREES, ids=str)
def test_the_canonical_form_spends_the_same_and_is_its_own(event: Event) -> None:
    form = canonical(event)
    assert counted(form) == counted(event)
    assert canonical(form) == form
    assert list(leaves(form)) == list(leaves(event))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (Compose((A, A, A)), Repeat(A, 3)),
        (Compose((A, Compose((A, B)))), Compose((Repeat(A, 2), B))),
        (Repeat(Compose((A, B)), 2), Compose((A, B, A, B))),
        (Repeat(Repeat(A, 2), 3), Compose((Repeat(A, 4), A, A))),
        (Compose((A,)), A),
        (Repeat(A, 1), A),
    ],
    ids=str,
)
def test_equal_spending_in_equal_order_has_one_form(one: Event, other: Event) -> None:
    assert canonical(one) == canonical(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (Repeat(A, 3), Repeat(A, 2)),
        (Repeat(A, 3), Repeat(B, 3)),
        (Compose((A, B)), Compose((B, A))),
        (Compose(()), A),
        (Compose((A, NonPrivate())), A),
    ],
    ids=str,
)
def test_planted_bug_a_dropped_step_or_another_noise_is_another_ledger(one: Event, other: Event) -> None:
    assert canonical(one) != canonical(other)


def test_long_runs_are_counted_not_unrolled() -> None:
    assert list(leaves(Repeat(Repeat(A, 10**9), 10**9))) == [(A, 10**18)]


@pytest.mark.parametrize("multiplier", [0, -1, 1.5, float("nan"), True, "1"])
def test_a_noise_multiplier_is_exact_and_positive(multiplier: Any) -> None:
    with pytest.raises(InvalidArgumentError, match="noise_multiplier"):
        Gaussian(multiplier)


@pytest.mark.parametrize("count", [0, -1, 2.0, True])
def test_a_count_is_a_positive_integer(count: Any) -> None:
    with pytest.raises(InvalidArgumentError, match="count"):
        Repeat(A, count)


def test_events_are_frozen_and_equal_by_value() -> None:
    assert Gaussian(Fraction(2, 4)) == Gaussian(Fraction(1, 2))
    assert hash(Repeat(A, 2)) == hash(Repeat(Gaussian(Fraction(1)), 2))
    with pytest.raises(dataclasses.FrozenInstanceError):
        A.noise_multiplier = Fraction(9)  # type: ignore[misc]


def test_ledgers_add_within_one_adjacency_only() -> None:
    total = Ledger(A, ReplaceOne) + Ledger(Compose((A, B)), ReplaceOne)
    assert counted(total.event) == Counter({A: 2, B: 1})
    assert total.adjacency is ReplaceOne
    left: Ledger[Any] = Ledger(A, ReplaceOne)
    right: Ledger[Any] = Ledger(A, ZeroOut)
    with pytest.raises(InvalidArgumentError, match="one adjacency"):
        left + right


def test_a_ledger_says_what_was_spent_and_under_which_adjacency() -> None:
    text = str(Ledger(Compose((Repeat(A, 2), B)), ZeroOut))
    assert text == "compose(compose(gaussian(noise_multiplier=1), 2), gaussian(noise_multiplier=2)) under zero-out"


@pytest.mark.parametrize(
    ("event", "text"),
    [
        (Repeat(Compose(()), 10**15), "compose(compose(), 1000000000000000) under replace-one"),
        (Repeat(Repeat(Compose((Compose(()), Compose(()))), 10**15), 10**15), None),
        (
            Repeat(Compose((A, B)), 10**14),
            f"compose(compose({A}, {B}), 100000000000000) under replace-one",
        ),
    ],
)
def test_what_repeats_is_written_without_unrolling(event: Event, text: str | None) -> None:
    written = str(Ledger(event, ReplaceOne))
    assert text in {None, written}


def test_nothing_repeated_is_nothing_and_what_is_too_long_to_unroll_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    assert list(leaves(Repeat(Compose(()), 10**15))) == []
    assert canonical(Repeat(Repeat(Compose(()), 10**15), 10**15)) == Compose(())
    assert list(itertools.islice(leaves(Repeat(Compose((A, B)), 10**14)), 3)) == [(A, 1), (B, 1), (A, 1)]
    monkeypatch.setattr("dpref.privacy.events.walks._MOST_RUNS", 1000)
    with pytest.raises(InvalidArgumentError, match="unroll"):
        canonical(Repeat(Compose((A, B)), 10**14))


BYTE: Any = np.uint8

NUMPY = [
    Repeat(Repeat(A, BYTE(200)), 2),
    Compose((Repeat(A, BYTE(200)), Repeat(B, 1), Repeat(A, BYTE(200)))),
    DiscreteLaplace(Fraction(10), BYTE(20)),
    DiscreteGaussian(Fraction(10), BYTE(20)),
    RandomizedResponse(Fraction(1), BYTE(255)),
    SampleWithoutReplacement(A, BYTE(3), BYTE(200)),
    VarianceReducedGaussian(Fraction(9), BYTE(3), BYTE(200)),
]


@pytest.mark.parametrize("event", NUMPY, ids=str)
def test_counts_of_numpy_do_not_wrap_round(event: Event) -> None:
    same = parse_event(str(event))
    assert {e: int(k) for e, k in multiplicities(event).items()} == multiplicities(same)
    for part in (event, *parts(event)):
        for field in dataclasses.fields(part):
            assert not isinstance(getattr(part, field.name), np.integer)
    if isinstance(event, DiscreteLaplace | DiscreteGaussian | RandomizedResponse):
        found, meant = (certify(Ledger(e, ReplaceOne), delta=Fraction(1, 1000)) for e in (event, same))
        assert found == meant
