"""What the events of one feature make of its values: cells within which every value is in the same events.

A bet asks of a run only which events came up in it.  However many events are sets of the values of one feature, they
cut the line into few cells, so that a run on both data sets is one of few pairs of cells, and how many runs were in
each pair says all.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self, final

import numpy as np
from numpy.typing import NDArray

from dpref.foreign.betting import Integers
from dpref.foreign.events import Event
from dpref.reals import FloatArray


@final
@dataclass(frozen=True, eq=False)
class Cells:
    """The cells of one feature's values.

    Attributes:
        events: Sets of its values, all different.
        edges: Doubles of growing size, shape (edges,): values with as many edges below them are in the same events.
        number: The cell of the values that have 0, 1, ... edges below them, and of NaN, shape (edges + 2,).
        inside: Which events the values of each cell are in, shape (cells, events).
    """

    events: tuple[Event, ...]
    edges: FloatArray
    number: Integers
    inside: NDArray[np.bool_]

    @property
    def feature(self) -> int:
        """Which feature."""
        return self.events[0].feature

    @classmethod
    def of(cls, events: Sequence[Event]) -> Self:
        """The cells of some events.

        Args:
            events: Of one feature.

        >>> cells = Cells.of([Event(0, "above", 1.0, (), 1), Event(0, "in", 0.0, (2.0, 3.0), 0)])
        >>> cells.at(np.array([0.0, 1.0, 1.5, 2.0, 3.5, np.nan])).tolist()
        [0, 0, 1, 2, 1, 0]
        """
        distinct = tuple(dict.fromkeys(events))
        at = np.unique([value for event in distinct for value in _edges(event)])
        # An edge is itself the largest value that has as many edges below it; beyond the last one infinity is.
        inside = np.column_stack([event.within(np.array([*at, np.inf, np.nan])) for event in distinct])
        packed = np.packbits(inside, axis=1)
        _, first, number = np.unique(packed, axis=0, return_index=True, return_inverse=True)
        return cls(distinct, at, number.reshape(-1), inside[first])

    def at(self, column: FloatArray) -> Integers:
        """The cell of each value, shape (n,).

        Args:
            column: Values of the feature, shape (n,).
        """
        below = (column > self.edges[:, None]).sum(axis=0, dtype=np.min_scalar_type(len(self.edges) + 1))
        return self.number[np.where(np.isnan(column), len(self.edges) + 1, below)]

    def pairs(self, first: FloatArray, second: FloatArray) -> Integers:
        """How many runs were in each pair of cells, shape (cells * cells,): the cell on d1 counts on.

        Args:
            first: Values on d0, shape (n,).
            second: Values on d1, shape (n,).
        """
        many = len(self.inside)
        return np.bincount(self.at(first) * many + self.at(second), minlength=many * many)


def _edges(event: Event) -> list[float]:
    """Where values change between in and out: x is at least t just if it is above the double before t."""
    if event.kind == "above":
        return [event.threshold]
    if event.kind == "below":
        return [float(np.nextafter(event.threshold, -np.inf))]
    return [edge for value in event.members for edge in (float(np.nextafter(value, -np.inf)), value)]
