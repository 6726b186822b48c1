"""The worst of several pairs, found by successive halving on runs that no bet and no bound ever sees.

A claim is about all pairs of neighbours, so any pair that is fixed before a bet is a fair one.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Final, NamedTuple, TypeAlias

from dpref.foreign import pairs
from dpref.foreign.chunks import ChunkResult
from dpref.foreign.claims import Claim
from dpref.foreign.events import Field
from dpref.foreign.features import FeatureMap, units
from dpref.foreign.outputs import Outputs
from dpref.foreign.pairs import Pair
from dpref.foreign.process import strength

SHARE: Final = 4  # one run in so many, at most, is spent on the search
MOST_RUNS: Final = 100  # of a pair in the first round
LEAST_RUNS: Final = 8

Runner: TypeAlias = Callable[[Iterable[tuple[Pair, int, int]]], Iterator[ChunkResult]]


class Search(NamedTuple):
    """What a search found.

    Attributes:
        pair: The pair.
        runs: Pairs of runs that it took.
    """

    pair: pairs.Pair
    runs: int


def worst(pairs: Sequence[Pair], claim: Claim, trials: int, run: Runner, *, scored: bool = False) -> Search:
    """The pair whose data sets look easiest to tell apart.

    Args:
        pairs: The candidates.
        claim: What is claimed.
        trials: Pairs of runs of the whole audit.
        run: Runs chunks, each of a pair, a number and a size.
        scored: Whether the caller's scores come with each output.
    """
    left, made, number = list(range(len(pairs))), 0, 0
    seen: dict[int, list[ChunkResult]] = {i: [] for i in left}
    rounds = max(1, math.ceil(math.log2(len(pairs))))
    while len(left) > 1:
        size = max(LEAST_RUNS, min(MOST_RUNS, trials // (SHARE * rounds * len(left))))
        asked = [(pairs[i], number + k, size) for k, i in enumerate(left)]
        for i, result in zip(left, run(asked), strict=True):
            seen[i].append(result)
        number, made = number + len(left), made + size * len(left)
        ranked = sorted(left, key=lambda i: -_strength(seen[i], claim, scored=scored))
        left = sorted(ranked[: (len(left) + 1) // 2])
    return Search(pairs[left[0]], made)


def _strength(results: Sequence[ChunkResult], claim: Claim, *, scored: bool) -> float:
    first, second = (Outputs.concatenate(getattr(r, side) for r in results) for side in ("first", "second"))
    features = FeatureMap.fit("values", units(Outputs.concatenate([first, second])), first, second, scored=scored)
    return strength(claim, Field(features.of(first), features.of(second)))
