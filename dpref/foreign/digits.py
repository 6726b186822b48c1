"""Numbers as text with few digits, rounded to where the text is still true: 0.605 is not said to be at least 0.61."""

from __future__ import annotations

import math
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal


def down(x: float, places: int) -> str:
    """A number with some digits after the point, rounded down.

    Args:
        x: A number that is printed as it is meant, or an infinity.
        places: How many digits.

    >>> down(0.605, 2), down(0.29, 2), down(float("inf"), 2)
    ('0.60', '0.29', 'inf')
    """
    if not math.isfinite(x):
        return f"{x:g}"
    return f"{Decimal(repr(x)).quantize(Decimal(1).scaleb(-places), ROUND_FLOOR, Context(prec=400)):f}"


def short_down(x: float, digits: int) -> str:
    """A number with some significant digits, rounded down.

    Args:
        x: The number.
        digits: How many.

    >>> short_down(999.9, 3), short_down(0.00012349, 3), short_down(1e30, 3)
    ('999', '0.000123', '1e+30')
    """
    return _short(x, digits, ROUND_FLOOR)


def short_up(x: float, digits: int) -> str:
    """A number with some significant digits, rounded up: of what is to be small.

    Args:
        x: The number.
        digits: How many.

    >>> short_up(0.0010004, 3)
    '0.00101'
    """
    return _short(x, digits, ROUND_CEILING)


def _short(x: float, digits: int, rounding: str) -> str:
    if not math.isfinite(x):
        return f"{x:g}"
    return f"{float(Context(prec=digits, rounding=rounding).create_decimal(repr(x))):.{digits}g}"
