"""A longer audit goes on with the game of a shorter one: the same pair, the same runs, the same bets."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from numpy.random import Generator

from dpref.errors import InvalidArgumentError
from dpref.foreign import DPClaim, Judgement, audit_mechanism
from dpref.reals import FloatArray
from dpref.units import ReplaceOne
from property_tests.foreign_zoo import COUNT, EMPTY

ONE = DPClaim(Fraction(1))


def judged(f: Callable[..., Any], pair: Any = COUNT, **more: Any) -> Judgement:
    return audit_mechanism(f, pair, ONE, adjacency=ReplaceOne, learn=False, bits="off", **more)


def laplace(scale: float) -> Callable[[Any, Generator], float]:
    return lambda data, rng: float(data.sum() + rng.laplace(scale=scale))


def test_the_search_takes_as_many_runs_in_a_short_audit_as_in_a_long_one() -> None:
    """With an odd one out by a hair: with other runs another pair may look worst."""

    def pairs() -> Iterator[tuple[FloatArray, FloatArray]]:
        for k in (1, 2):
            yield EMPTY, np.concatenate([[float(k)], EMPTY[1:]])

    short, long = (judged(laplace(8), pairs, trials=trials) for trials in (420, 1_000))
    assert (short.trials, long.trials) == (420, 1_000)
    assert short.pair == long.pair
    with pytest.raises(
        InvalidArgumentError, match="trials = 419: must be at least 420: the search among 2 pairs takes 200"
    ):
        judged(laplace(8), pairs, trials=419)


@pytest.mark.parametrize("seeding", ["argument", "own"])
def test_a_longer_audit_has_the_runs_of_a_shorter_one(seeding: str) -> None:
    """Batches of another size draw other numbers: each is as large as in the longer audit, its beginning is used."""
    seen: list[int] = []

    def f(data: FloatArray, rng: Generator, n: int) -> FloatArray:
        seen.append(n)
        return np.asarray(data.sum() + rng.laplace(scale=4, size=n))

    def own(data: FloatArray, n: int) -> FloatArray:
        return f(data, np.random.default_rng(len(seen)), n)

    calls = {}
    for trials in (430, 560):
        seen.clear()
        found = judged(own if seeding == "own" else f, trials=trials, batched=True, seeding=seeding)
        calls[trials] = list(seen)
        assert found.trials == trials
    assert calls[430] == calls[560][: len(calls[430])] == [100] * 10
    assert len(calls[560]) == 12
