"""Searches that calibrations and inversions share: among integers, among the doubles in their order, among reals."""

from __future__ import annotations

import math
import struct
from collections.abc import Callable
from typing import Final

_GALLOPS: Final = 250  # a stride that doubles reaches everywhere from a double to 60 digits
_STEPS: Final = 60
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
    return bisected(good, low, high)


def bisected(good: Callable[[int], bool], without: int, having: int) -> int:
    """The integer with a property that lies next to one without it, between one without it and one that has it.

    >>> bisected(lambda k: k >= 41, 0, 100)
    41
    """
    while abs(having - without) > 1:
        middle = (without + having) // 2
        if good(middle):
            having = middle
        else:
            without = middle
    return having


def gallop(start: int, step: int, meets: Callable[[int], bool]) -> int | None:
    """The index with the property that is next to one without it, in the direction against ``step``.

    >>> gallop(3, 1, lambda k: k >= 41), gallop(100, -1, lambda k: k <= 41), gallop(3, -1, lambda _: False)
    (41, 41, None)
    """
    good, bad, stride = start, start, 1
    for _ in range(_GALLOPS):
        if meets(good):
            break
        bad, good, stride = good, good + step * stride, 2 * stride
        if good <= 0:
            good = 1
            if bad == 1:
                return None
    else:
        return None
    if good == bad:  # the start is good: look for a bad one on the other side
        stride = 1
        while meets(bad := bad - step * stride):
            good, stride = bad, 2 * stride
    return bisected(meets, bad, good)


def crossing(
    excess: Callable[[float], float],
    low: tuple[float, float],
    high: tuple[float, float],
    grain: float,
    tolerance: float,
) -> tuple[float, float]:
    """Where an increasing function of log value is about zero: false position with the Illinois weights.

    Args:
        excess: The function.
        low: A positive number and the function there, not positive.
        high: Likewise, not negative.
        grain: How near is near enough, absolutely.
        tolerance: And relatively.

    Returns:
        That place, and about the function's slope against the logarithm.

    >>> import math
    >>> place, slope = crossing(lambda x: math.log(x / 7), (1.0, -math.log(7)), (64.0, math.log(64 / 7)), 0.0, 1e-9)
    >>> round(place, 6), round(slope, 6)
    (7.0, 1.0)
    """
    (a, fa), (b, fb) = low, high
    slope = 1.0
    for end, value in (low, high):
        if value == 0:
            return end, slope
    weight_a = weight_b = 1.0
    last = 0  # which end moved; the one that stays put twice counts half
    for _ in range(_STEPS):
        if b - a <= max(grain, tolerance * a):
            break
        if math.isfinite(fa) and math.isfinite(fb) and fb > fa:
            slope = (fb - fa) / math.log(b / a)
            share = weight_a * -fa / (weight_a * -fa + weight_b * fb) if fb - fa > 0 else 0.5
        else:
            share = 0.5
        c = a * math.exp(min(max(share, 1e-3), 1 - 1e-3) * math.log(b / a))
        fc = excess(c)
        if abs(fc) <= tolerance * slope / 2:
            return c, slope
        if fc < 0:
            a, fa, weight_a, weight_b, last = c, fc, 1.0, weight_b / 2 if last < 0 else weight_b, -1
        else:
            b, fb, weight_b, weight_a, last = c, fc, 1.0, weight_a / 2 if last > 0 else weight_a, 1
    return math.sqrt(a) * math.sqrt(b), slope
