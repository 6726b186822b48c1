"""Roots of rational numbers, rounded to rational numbers: noise multipliers, where the variance is what is known."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Final

_ROOT_BITS: Final = 96


def rational_root(square: Fraction, *, up: bool) -> Fraction:
    """The root of a positive number, rounded down or up to about 96 bits.

    >>> low, high = (rational_root(Fraction(2), up=up) for up in (False, True))
    >>> low**2 < 2 < high**2 < low**2 * (1 + Fraction(1, 2**90))
    True
    """
    p, q = square.numerator, square.denominator
    bits = max(0, _ROOT_BITS + (q.bit_length() - p.bit_length()) // 2 + 1)
    root = math.isqrt((p << (2 * bits)) // q)
    return Fraction(root + up, 1 << bits)
