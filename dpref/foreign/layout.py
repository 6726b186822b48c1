"""Which runs are for what: chunks, control chunks and epochs, by their numbers alone."""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import accumulate, pairwise
from typing import Final, Literal, NamedTuple, TypeAlias

Purpose: TypeAlias = Literal["runs", "control", "search"]

PURPOSES: Final[tuple[Purpose, ...]] = ("runs", "control", "search")
LOOKED_AT: Final = 200  # pairs of runs before the first bet
EVERY: Final = 10  # the last of so many chunks is a control
# From how many pairs of runs on a chunk has which size: round numbers and the ends of epochs are ends of chunks.
_SIZES: Final = ((0, 20), (2_000, 400), (12_800, 800), (51_200, 1_600))
OFTEN: Final = 100  # pairs of runs between two looks, at least
PARTS: Final = 8  # of the runs before an epoch, between two looks in it; half as many once there are so many runs:
MANY: Final = 3_200
LEAST_TRIALS: Final = LOOKED_AT + _SIZES[0][1]
MOST_TRIALS: Final = 10_000_000


class Slot(NamedTuple):
    """A chunk's place.

    Attributes:
        number: Which chunk, counted over runs and controls together.
        start: Pairs of runs before it.
        size: Its pairs of runs.
        purpose: What for.
        whole: How many it has in a longer audit: more than `size` only of the last.
    """

    number: int
    start: int
    size: int
    purpose: Purpose
    whole: int


def slots(trials: int) -> Iterator[Slot]:
    """The chunks of an audit; those of a longer one begin with the same, save the last of a number that is not round.

    Args:
        trials: Pairs of runs.

    >>> [slot.purpose for slot in slots(400)].count("control"), sum(slot.size for slot in slots(2050))
    (2, 2050)
    """
    index = start = 0
    while start < trials:
        whole = next(size for begin, size in reversed(_SIZES) if begin <= start)
        size = min(whole, trials - start)
        yield Slot(index, start, size, "control" if index % EVERY == EVERY - 1 else "runs", whole)
        index, start = index + 1, start + size


def epoch_ends(trials: int) -> list[int]:
    """The ends of the epochs: 200, 400, 800, ..., and the last run.

    Args:
        trials: Pairs of runs.

    >>> epoch_ends(2000)
    [200, 400, 800, 1600, 2000]
    """
    ends = [LOOKED_AT]
    while 2 * ends[-1] < trials:
        ends.append(2 * ends[-1])
    return [*ends, trials]


def looks(trials: int) -> list[int]:
    """After how many pairs of runs the wealth is looked at: ends of chunks, some in each epoch, and its end.

    Args:
        trials: Pairs of runs.

    >>> looks(1000)
    [200, 300, 400, 500, 600, 700, 800, 900, 1000]
    """
    ends, found = epoch_ends(trials), [0]
    for slot in slots(trials):
        end = slot.start + slot.size
        begin = max((e for e in ends if e <= slot.start), default=0)
        if end in ends or (begin and end - found[-1] >= _apart(begin)):
            found.append(end)
    return found[1:]


def _apart(begin: int) -> int:
    """How many pairs of runs lie between two looks in an epoch that begins after so many."""
    return max(OFTEN, begin // (PARTS if begin < MANY else PARTS // 2))


def start_of(number: int) -> int:
    """How many pairs of runs come before a chunk.

    Args:
        number: Which chunk.

    >>> start_of(100), start_of(101)
    (2000, 2400)
    """
    return sum(size * (_chunks(i, number)[1] - _chunks(i, number)[0]) for i, (_, size) in enumerate(_SIZES))


# The number of the first chunk of each size, and infinity after the last.
_FIRST: Final = (
    *accumulate(((until - begin) // size for (begin, size), (until, _) in pairwise(_SIZES)), initial=0),
    math.inf,
)


def _chunks(i: int, number: int) -> tuple[int, int]:
    """Which of the chunks before one have the i-th size: the first, and the one after the last."""
    return int(min(_FIRST[i], number)), int(min(_FIRST[i + 1], number))


def bet_on(trials: int) -> int:
    """How many pairs of runs are bet on: those after the first 200 that are no controls.

    Args:
        trials: Pairs of runs.

    >>> bet_on(2000), bet_on(20_000)
    (1620, 18020)
    """
    if trials <= LOOKED_AT:
        return 0
    low, high = 0, trials
    while high - low > 1:  # the last chunk that begins before the end
        middle = (low + high) // 2
        low, high = (middle, high) if start_of(middle) < trials else (low, middle)
    last = 0 if low % EVERY == EVERY - 1 else trials - start_of(low)
    return _runs_before(low) + last - _runs_before(LOOKED_AT // _SIZES[0][1])


def _runs_before(number: int) -> int:
    """Pairs of runs before a chunk that are no controls."""
    ends = [(_chunks(i, number), size) for i, (_, size) in enumerate(_SIZES)]
    return sum(size * (last - first - (last // EVERY - first // EVERY)) for (first, last), size in ends)
