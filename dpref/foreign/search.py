"""The worst of several pairs, found by successive halving on runs that no bet and no bound ever sees.

A claim is about all pairs of neighbours, so any pair that is fixed before a bet is a fair one.  How many runs the
search takes follows from the number of pairs alone: a longer audit finds the same pair, and goes on with it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Final, NamedTuple, TypeAlias

from dpref.foreign import pairs
from dpref.foreign.chunks import ChunkResult
from dpref.foreign.claims import Claim
from dpref.foreign.events import Field
from dpref.foreign.features import FeatureMap, units
from dpref.foreign.outputs import Outputs
from dpref.foreign.pairs import Pair
from dpref.foreign.wealth import strength

BUDGET: Final = 500  # pairs of runs, where LEAST_RUNS allow it
MOST_RUNS: Final = 100  # of a pair in a round
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


def rounds(pairs: int) -> list[tuple[int, int]]:
    """How many pairs are left in each round of a search, and how many runs each of them has.

    Args:
        pairs: The candidates.

    >>> rounds(5)
    [(5, 33), (3, 55), (2, 83)]
    """
    left = [pairs]
    while left[-1] > 1:
        left.append((left[-1] + 1) // 2)
    share = BUDGET // max(1, len(left) - 1)
    return [(k, max(LEAST_RUNS, min(MOST_RUNS, share // k))) for k in left[:-1]]


def runs_of(pairs: int) -> int:
    """Pairs of runs that a search takes.

    Args:
        pairs: The candidates.

    >>> runs_of(1), runs_of(2), runs_of(64)
    (0, 200, 1138)
    """
    return sum(k * size for k, size in rounds(pairs))


def worst(pairs: Sequence[Pair], claim: Claim, run: Runner, *, scored: bool = False) -> Search:
    """The pair whose data sets look easiest to tell apart.

    Args:
        pairs: The candidates.
        claim: What is claimed.
        run: Runs chunks, each of a pair, a number and a size.
        scored: Whether the caller's scores come with each output.
    """
    left, made, number = list(range(len(pairs))), 0, 0
    seen: dict[int, list[ChunkResult]] = {i: [] for i in left}
    for _, size in rounds(len(pairs)):
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
