"""Which runs are for what: chunks, control chunks and epochs, by their numbers alone."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import Final, Literal, NamedTuple, TypeAlias

Purpose: TypeAlias = Literal["runs", "control", "search"]

PURPOSES: Final[tuple[Purpose, ...]] = ("runs", "control", "search")
LOOKED_AT: Final = 200  # pairs of runs before the first bet
EVERY: Final = 10  # the last of so many chunks is a control
_SMALL, _LARGE, _SMALL_UNTIL = 20, 200, 2_000
LEAST_TRIALS: Final = LOOKED_AT + _SMALL
MOST_TRIALS: Final = 10_000_000


class Slot(NamedTuple):
    """A chunk's place.

    Attributes:
        number: Which chunk, counted over runs and controls together.
        start: Pairs of runs before it.
        size: Its pairs of runs.
        purpose: What for.
    """

    number: int
    start: int
    size: int
    purpose: Purpose


def slots(trials: int) -> Iterator[Slot]:
    """The chunks of an audit; those of a longer one begin with the same, save the last of a number that is not round.

    Args:
        trials: Pairs of runs.

    >>> [slot.purpose for slot in slots(400)].count("control"), sum(slot.size for slot in slots(2050))
    (2, 2050)
    """
    index = start = 0
    while start < trials:
        size = min(_SMALL if start < _SMALL_UNTIL else _LARGE, trials - start)
        yield Slot(index, start, size, "control" if index % EVERY == EVERY - 1 else "runs")
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
    """After how many pairs of runs the wealth is looked at: some times in each epoch, and at its end.

    Args:
        trials: Pairs of runs.

    >>> looks(1000)
    [200, 300, 400, 500, 600, 700, 800, 900, 1000]
    """
    ends = epoch_ends(trials)
    found = {ends[0]}
    for begin, end in pairwise(ends):
        step = max(100, (begin // 4) // _LARGE * _LARGE)
        found |= {*range(begin + step, end, step), end}
    return sorted(found)


def start_of(number: int) -> int:
    """How many pairs of runs come before a chunk.

    Args:
        number: Which chunk.

    >>> start_of(100), start_of(101)
    (2000, 2200)
    """
    small = _SMALL_UNTIL // _SMALL
    return number * _SMALL if number <= small else _SMALL_UNTIL + (number - small) * _LARGE


def bet_on(trials: int) -> int:
    """How many pairs of runs are bet on: those after the first 200 that are no controls.

    Args:
        trials: Pairs of runs.

    >>> bet_on(2000), bet_on(20_000)
    (1620, 17820)
    """
    small = _SMALL_UNTIL // _SMALL
    whole = min(trials // _SMALL, small) + max(0, trials - _SMALL_UNTIL) // _LARGE
    rest = trials - start_of(whole)
    if trials <= LOOKED_AT:
        return 0
    last = 0 if whole % EVERY == EVERY - 1 else rest
    return _runs_before(whole) + last - _runs_before(LOOKED_AT // _SMALL)


def _runs_before(number: int) -> int:
    """Pairs of runs before a chunk that are no controls."""
    small = _SMALL_UNTIL // _SMALL
    controls = number // EVERY
    of_small = min(controls, small // EVERY)
    return start_of(number) - of_small * _SMALL - (controls - of_small) * _LARGE
