"""Tests on the bits of an outcome: zeros of either sign are equal as numbers, and NaN is equal to nothing.

Whoever sees an outcome sees its 64 bits.  They are ordered as IEEE 754 orders them ("totalOrder"): negative NaN, -inf,
..., -0.0, 0.0, ..., inf, positive NaN.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal, final

import numpy as np
from numpy.typing import NDArray

from dpref.reals import FloatArray

Keys = NDArray[np.int64]

_FLIP: Final = np.int64(2**63 - 1)
_TOP: Final = 2**63 - 1
_BOTTOM: Final = -(2**63)


def keys(outcomes: FloatArray) -> Keys:
    """Integers in the order of the bits, shape (n,) in and out.

    Args:
        outcomes: Doubles.

    >>> keys(np.array([-0.0, 0.0, -np.nan, np.nan])).tolist()[:2]
    [-1, 0]
    """
    bits = np.ascontiguousarray(outcomes, dtype=np.float64).view(np.int64)
    return np.where(bits < 0, bits ^ _FLIP, bits)


def double(key: int) -> float:
    """The double of a key.

    Args:
        key: As of `keys`.

    >>> double(-1), double(0)
    (-0.0, 0.0)
    """
    made = np.array([key], dtype=np.int64)
    return float(np.where(made < 0, made ^ _FLIP, made).view(np.float64)[0])


@final
@dataclass(frozen=True)
class Bits:
    """Say "neighbour 1" if the outcome's bits lie in a range, or if they do not.

    Attributes:
        first: The first key of the range.
        last: The last one.
        direction: 1 if the range speaks for neighbour 1, -1 if everything else does.

    >>> Bits(-1, -1, 1).positives(np.array([0.0, -0.0, 1.0]))
    1
    """

    first: int
    last: int
    direction: Literal[1, -1]

    @property
    def value(self) -> float:
        """A double in the range: where a plot marks it."""
        return double(self.last if self.last < 0 else self.first)

    def positives(self, outcomes: FloatArray) -> int:
        """How many of the outcomes, shape (n,), are called neighbour 1."""
        found = keys(outcomes)
        inside = (self.first <= found) & (found <= self.last)
        return int(np.count_nonzero(inside if self.direction == 1 else ~inside))

    def __str__(self) -> str:
        ends = [np.float64(double(key)).view(np.uint64) for key in (self.first, self.last)]
        one = self.first == self.last
        where = f"{ends[0]:#018x}" if one else f"from {ends[0]:#018x} to {ends[1]:#018x} in total order"
        return f"the score's bits are {'' if self.direction == 1 else 'not '}{where}"


def ranges(outcomes: FloatArray, most: int) -> list[tuple[int, int]]:
    """What numbers do not tell apart among the outcomes: zeros of either sign, and NaN of several patterns.

    Args:
        outcomes: Shape (n,).
        most: How many patterns of NaN are looked at, the most frequent ones.

    Returns:
        Ranges of keys; none where numbers tell everything apart.

    >>> ranges(np.array([0.0, 1.0, np.nan]), 10), ranges(np.array([0.0, -0.0]), 10)[:2]
    ([], [(-1, -1), (0, 0)])
    """
    found: list[tuple[int, int]] = []
    zeros = keys(outcomes[outcomes == 0])
    if zeros.size and zeros.min() < zeros.max():
        found += [(-1, -1), (0, 0), (0, int(keys(np.array([np.inf]))[0]))]
    patterns, times = np.unique(keys(outcomes[np.isnan(outcomes)]), return_counts=True)
    if patterns.size > 1:
        often = patterns[np.argsort(-times, kind="stable")[:most]].tolist()
        found += [(key, key) for key in often]
        found += [(key, _TOP) if key > 0 else (_BOTTOM, key) for key in often]
    return found
