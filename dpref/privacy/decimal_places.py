"""Decimal places of the values that a calibration prints."""

from __future__ import annotations

import math
from fractions import Fraction


def last_place(value: Fraction) -> Fraction:
    """The largest power of ten, at most one, of which a decimal number is a multiple.

    >>> last_place(Fraction(5, 4)), last_place(Fraction(7))
    (Fraction(1, 100), Fraction(1, 1))
    """
    places = 0
    while (value * 10**places).denominator != 1:
        places += 1
    return Fraction(1, 10**places)


def unit_of(near: float, digits: int, *, integral: bool) -> Fraction:
    """One in the last of so many significant digits; at least one for an integer.

    >>> unit_of(1.5627, 3, integral=False), unit_of(15627.0, 7, integral=True)
    (Fraction(1, 100), Fraction(1, 1))
    """
    power = math.floor(math.log10(near)) - digits + 1
    return Fraction(10) ** (max(0, power) if integral else power)
