"""Which runs are for what: chunks, control chunks and epochs, by their numbers alone."""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import accumulate, pairwise
from typing import Final, Literal, NamedTuple, TypeAlias

Purpose: TypeAlias = Literal["runs", "control", "search"]

PURPOSES: Final[tuple[Purpose, ...]] = ("runs", "control", "search")
LOOKED_AT: Final = 200  # pairs of runs before the first bet
EVERY: Final = 10  # one of so many chunks is a control, the first of them among the runs before the first bet:
_CONTROL: Final = {False: 9, True: 1}  # which one, counted from 0
# From how many pairs of runs on a chunk has which size: round numbers and the ends of epochs are ends of chunks.  Runs
# that come in batches cost next to nothing each, and begin with longer chunks; looks and controls are as often.
_LATER: Final = ((2_000, 400), (12_800, 800), (51_200, 1_600))
_SIZES: Final = {False: ((0, 20), *_LATER), True: ((0, 100), *_LATER)}
OFTEN: Final = 100  # pairs of runs between two looks, at least
PARTS: Final = 8  # of the runs before an epoch, between two looks in it; half as many once there are so many runs:
MANY: Final = 3_200
LEAST_TRIALS: Final = LOOKED_AT + _SIZES[False][0][1]
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


def slots(trials: int, *, batched: bool = False) -> Iterator[Slot]:
    """The chunks of an audit; those of a longer one begin with the same, save the last of a number that is not round.

    Args:
        trials: Pairs of runs.
        batched: Whether one call makes all runs of a chunk.

    >>> [slot.purpose for slot in slots(400)].count("control"), sum(slot.size for slot in slots(2050))
    (2, 2050)
    """
    index = start = 0
    while start < trials:
        whole = next(size for begin, size in reversed(_SIZES[batched]) if begin <= start)
        size = min(whole, trials - start)
        yield Slot(index, start, size, "control" if index % EVERY == _CONTROL[batched] else "runs", whole)
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


def looks(trials: int, *, batched: bool = False) -> list[int]:
    """After how many pairs of runs the wealth is looked at: ends of chunks, some in each epoch, and its end.

    Args:
        trials: Pairs of runs.
        batched: Whether one call makes all runs of a chunk.

    >>> looks(1000)
    [200, 300, 400, 500, 600, 700, 800, 900, 1000]
    >>> looks(50_000) == looks(50_000, batched=True)
    True
    """
    ends, found = epoch_ends(trials), [0]
    for slot in slots(trials, batched=batched):
        end = slot.start + slot.size
        begin = max((e for e in ends if e <= slot.start), default=0)
        if end in ends or (begin and end - found[-1] >= _apart(begin)):
            found.append(end)
    return found[1:]


def _apart(begin: int) -> int:
    """How many pairs of runs lie between two looks in an epoch that begins after so many."""
    return max(OFTEN, begin // (PARTS if begin < MANY else PARTS // 2))


def start_of(number: int, *, batched: bool = False) -> int:
    """How many pairs of runs come before a chunk.

    Args:
        number: Which chunk.
        batched: Whether one call makes all runs of a chunk.

    >>> start_of(100), start_of(101), start_of(20, batched=True)
    (2000, 2400, 2000)
    """
    ends = [(_chunks(i, number, batched=batched), size) for i, (_, size) in enumerate(_SIZES[batched])]
    return sum(size * (last - first) for (first, last), size in ends)


# The number of the first chunk of each size, and infinity after the last.
_FIRST: Final = {
    batched: (
        *accumulate(((until - begin) // size for (begin, size), (until, _) in pairwise(sizes)), initial=0),
        math.inf,
    )
    for batched, sizes in _SIZES.items()
}


def _chunks(i: int, number: int, *, batched: bool) -> tuple[int, int]:
    """Which of the chunks before one have the i-th size: the first, and the one after the last."""
    return int(min(_FIRST[batched][i], number)), int(min(_FIRST[batched][i + 1], number))


def bet_on(trials: int, *, batched: bool = False) -> int:
    """How many pairs of runs are bet on: those after the first 200 that are no controls.

    Args:
        trials: Pairs of runs.
        batched: Whether one call makes all runs of a chunk.

    >>> bet_on(2000), bet_on(20_000)
    (1620, 18020)
    """
    if trials <= LOOKED_AT:
        return 0
    low, high = 0, trials
    while high - low > 1:  # the last chunk that begins before the end
        middle = (low + high) // 2
        low, high = (middle, high) if start_of(middle, batched=batched) < trials else (low, middle)
    last = 0 if low % EVERY == _CONTROL[batched] else trials - start_of(low, batched=batched)
    seen = LOOKED_AT // _SIZES[batched][0][1]
    return _runs_before(low, batched=batched) + last - _runs_before(seen, batched=batched)


def _runs_before(number: int, *, batched: bool) -> int:
    """Pairs of runs before a chunk that are no controls."""
    ends = [(_chunks(i, number, batched=batched), size) for i, (_, size) in enumerate(_SIZES[batched])]
    controls = [_controls_before(last, batched) - _controls_before(first, batched) for (first, last), _ in ends]
    return sum(size * (last - first - out) for ((first, last), size), out in zip(ends, controls, strict=True))


def _controls_before(number: int, batched: bool) -> int:
    """How many of the chunks before one are controls."""
    return (number + EVERY - 1 - _CONTROL[batched]) // EVERY
