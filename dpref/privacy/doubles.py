"""The positive doubles in order, and searches among integers: what a calibration or an inversion bisects over."""

from __future__ import annotations

import math
import struct
from collections.abc import Callable
from typing import Final

LARGEST: Final = math.nextafter(math.inf, 0.0)


def ordinal(x: float) -> int:
    """How many doubles lie in [0, x), for x at least zero.

    >>> ordinal(0.0), ordinal(math.nextafter(1.0, 2.0)) - ordinal(1.0)
    (0, 1)
    """
    return int.from_bytes(struct.pack(">d", x), "big")


def double(place: int) -> float:
    """The double of that ordinal; infinity follows the largest one.

    >>> double(ordinal(0.1)), double(LAST + 1)
    (0.1, inf)
    """
    (x,) = struct.unpack(">d", place.to_bytes(8, "big"))
    return float(x)


LAST: Final = ordinal(LARGEST)


def least_integer(guess: int, good: Callable[[int], bool]) -> int:
    """The least positive integer with an increasing property, found by galloping from a guess and bisecting.

    What it returns has the property, increasing or not; it ends for a property that some integer beyond the guess has.

    >>> least_integer(1000, lambda k: k * k >= 99)
    10
    """
    low = high = max(1, guess)
    stride = 1
    while not good(high):
        low, high, stride = high, high + stride, 2 * stride
    if low == high:  # the guess is good: gallop down to an integer that is not, or to zero
        stride = 1
        while (low := max(0, low - stride)) > 0 and good(low):
            high, stride = low, 2 * stride
    while high - low > 1:
        middle = (low + high) // 2
        if good(middle):
            high = middle
        else:
            low = middle
    return high
