"""Several answers on one batch: each is counted as often as it is given, however that is written."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from typing import Any

import pytest
from flint import arb

from dpref.privacy.events.ledger import Compose, Event, FilteredGaussians, Gaussian, Laplace, Poisson, Repeat
from dpref.privacy.pld import batches
from dpref.privacy.pld.pair import Pair, PairSet
from dpref.units import AddOrRemoveOne

TWO, THREE = Gaussian(Fraction(2)), Gaussian(Fraction(3))
LAPLACE, WIDE = Laplace(Fraction(2)), Laplace(Fraction(5))


@pytest.mark.parametrize(
    ("answers", "rho", "others"),
    [
        ((Repeat(TWO, 4), LAPLACE), Fraction(4, 8), {LAPLACE: 1}),
        ((Repeat(TWO, 2), LAPLACE, Repeat(TWO, 2)), Fraction(4, 8), {LAPLACE: 1}),
        ((TWO, Repeat(THREE, 9), Repeat(LAPLACE, 3)), Fraction(1, 8) + Fraction(9, 18), {LAPLACE: 3}),
        ((Repeat(Compose((TWO, WIDE)), 5), WIDE, LAPLACE), Fraction(5, 8), {WIDE: 6, LAPLACE: 1}),
        ((LAPLACE, Repeat(WIDE, 2)), Fraction(0), {LAPLACE: 1, WIDE: 2}),
    ],
    ids=str,
)
def test_every_answer_on_a_batch_is_counted(
    answers: tuple[Event, ...], rho: Fraction, others: dict[Event, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is composed has the sum of all 1/(2 z^2) of normal answers, and of each other answer its number."""
    events: dict[int, Any] = {}

    def answer(event: Event, _: Any) -> PairSet:
        pair = Pair(str(event), lambda x: (arb(0), arb(0)))
        found = PairSet(pair, pair, pair, pair)
        events[id(pair)] = event
        return found

    composed: list[tuple[PairSet, int]] = []

    def kept(_: str, parts: list[tuple[PairSet, int]]) -> PairSet:
        composed.extend(parts)
        return parts[0][0]

    monkeypatch.setattr(batches, "composed", kept)
    batches.sampled_pairs(Poisson(Compose(answers), Fraction(1, 4)), AddOrRemoveOne, answer)
    seen: Counter[Any] = Counter()
    for pairs, count in composed:
        seen[events[id(pairs.remove)]] += count
    normal = {event: count for event, count in seen.items() if isinstance(event, FilteredGaussians)}
    assert sum((event.rho * count for event, count in normal.items()), Fraction(0)) == rho
    assert {event: count for event, count in seen.items() if event not in normal} == others
