"""Choices between two continuous pieces, by name: a reading that cannot decide a sign takes the hull of both.

So are the roundings on which a decision rests that the reference makes on other roundings, or exactly.

The compiled functions are the plain conditional expressions; `dpref.running` has its own reading of each.
"""

from __future__ import annotations

import math

from numba import njit


@njit(cache=False, nogil=True, error_model="python", inline="always")
def where_positive(x: float, a: float, b: float) -> float:
    """``a`` if x > 0, else ``b``; both pieces take the same value at zero.

    >>> where_positive.py_func(2.0, 1.0, -1.0), where_positive.py_func(0.0, 1.0, -1.0)
    (1.0, -1.0)
    """
    return a if x > 0.0 else b


@njit(cache=False, nogil=True, error_model="python")
def power(x: float, exponent: float) -> float:
    """``x ** exponent`` of a number that is at least zero, for a positive exponent.

    >>> power.py_func(0.0, 0.5), round(power.py_func(4.0, 0.5), 12)
    (0.0, 2.0)
    """
    return math.exp(exponent * math.log(x)) if x > 0.0 else 0.0


@njit(cache=False, nogil=True, error_model="python")
def as_double(x: float) -> float:
    """The number itself: where the reference decides on a double, or scales noise by one, in exact runs too.

    >>> as_double.py_func(0.1)
    0.1
    """
    return x


@njit(cache=False, nogil=True, error_model="python", inline="always")
def upward(x: float) -> float:
    """A charge that is at least zero, made larger than its roundings can have made it smaller.

    >>> upward.py_func(1.0) > 1.0
    True
    """
    return x * (1.0 + 2.0**-50)
