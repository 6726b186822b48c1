"""Which runs are for what: chunks, control chunks and epochs, by their numbers alone."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, NamedTuple

from dpref.foreign.chunks import Purpose

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


def bet_on(trials: int) -> int:
    """How many pairs of runs are bet on: those after the first 200 that are no controls.

    Args:
        trials: Pairs of runs.

    >>> bet_on(2000), bet_on(20_000)
    (1620, 17820)
    """
    return sum(slot.size for slot in slots(trials) if slot.start >= LOOKED_AT and slot.purpose == "runs")
