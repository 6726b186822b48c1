"""Checks of arguments: each returns the validated value or raises an error that names the argument and the rule."""

from __future__ import annotations

import math
from collections.abc import Collection
from fractions import Fraction
from typing import Final, NamedTuple

import numpy as np

from dpref.errors import InvalidArgumentError
from dpref.reals import FloatArray

MOST_IN_A_PLAN: Final = 1_000_000  # for each of which a plan holds exact numbers
LEAST_RUNNABLE: Final = Fraction(1, 10**100)
MOST_RUNNABLE: Final = Fraction(10**100)


class AtMost(NamedTuple):
    """In the annotation of an integer: the largest that may be asked for where it comes from a file.

    Attributes:
        value: That integer.
    """

    value: int


def rational(argument: str, value: object) -> Fraction:
    """An exact, non-negative number (int or Fraction, never a float)."""
    if isinstance(value, bool) or not isinstance(value, int | Fraction):
        raise InvalidArgumentError(argument, value, "must be an exact number (int or Fraction; see dpref.reals.exact)")
    if value.numerator < 0:  # far quicker than a comparison of fractions
        raise InvalidArgumentError(argument, value, "must not be negative")
    return value if type(value) is Fraction else Fraction(value)


def positive_rational(argument: str, value: object) -> Fraction:
    """An exact, positive number."""
    checked = rational(argument, value)
    if checked == 0:
        raise InvalidArgumentError(argument, value, "must be positive")
    return checked


def positive_double(argument: str, value: object) -> float:
    """The nearest double of an exact, positive number, which must not round to zero or infinity."""
    exact = positive_rational(argument, value)
    try:
        found = float(exact)
    except OverflowError:
        found = math.inf
    if not 0 < found < math.inf:
        raise InvalidArgumentError(argument, value, "must be within the range of doubles")
    return found


def runnable(argument: str, value: Fraction | int) -> Fraction | int:
    """An exact number that doubles can work with: zero, or a magnitude between 1e-100 and 1e100."""
    if value != 0 and not LEAST_RUNNABLE <= abs(Fraction(value)) <= MOST_RUNNABLE:
        raise InvalidArgumentError(argument, value, "must lie between 1e-100 and 1e100 to be run in doubles")
    return value


def open_unit(argument: str, value: object) -> Fraction:
    """An exact number strictly between 0 and 1, such as a delta."""
    checked = rational(argument, value)
    if not 0 < checked < 1:
        raise InvalidArgumentError(argument, value, "must lie strictly between 0 and 1")
    return checked


def half_open_unit(argument: str, value: object) -> Fraction:
    """An exact number that is at least 0 and below 1: a delta where zero means pure differential privacy."""
    checked = rational(argument, value)
    if checked.numerator >= checked.denominator:
        raise InvalidArgumentError(argument, value, "must be below 1")
    return checked


def natural(argument: str, value: object, *, least: int = 1, most: int | None = None) -> int:
    """An integer that is at least ``least``, and at most ``most`` if that is given."""
    if isinstance(value, bool) or not isinstance(value, int | np.integer):
        raise InvalidArgumentError(argument, value, "must be an integer")
    if value < least:
        raise InvalidArgumentError(argument, value, f"must be at least {least}")
    if most is not None and value > most:
        raise InvalidArgumentError(argument, value, f"must be at most {most}")
    return int(value)


def one_of(argument: str, value: object, known: Collection[str]) -> None:
    """One of some names."""
    if not isinstance(value, str) or value not in known:
        raise InvalidArgumentError(argument, value, "must be one of " + ", ".join(known))


def instance(argument: str, value: object, kind: type) -> None:
    """An object of a class."""
    if not isinstance(value, kind):
        raise InvalidArgumentError(argument, value, f"must be a {kind.__name__}")


def finite(argument: str, value: float) -> float:
    """A finite double."""
    if not math.isfinite(value):
        raise InvalidArgumentError(argument, value, "must be finite")
    return float(value)


def finite_array(argument: str, value: object, *, ndim: int) -> FloatArray:
    """A non-empty array of finite doubles with the given number of axes."""
    try:
        # Casting to doubles would drop the imaginary part of a complex number with no more than a warning.
        array = np.array(value, dtype=np.float64, copy=True) if np.asarray(value).dtype.kind != "c" else None
    except (TypeError, ValueError, OverflowError):
        array = None
    if array is None:
        raise InvalidArgumentError(argument, value, "must be an array of numbers within the range of doubles")
    if np.ma.is_masked(value):
        raise InvalidArgumentError(argument, array.shape, "must not have masked entries: they would be read")
    if array.ndim != ndim:
        raise InvalidArgumentError(argument, array.shape, f"must have {ndim} axes")
    if array.size == 0:
        raise InvalidArgumentError(argument, array.shape, "must not be empty")
    if not np.isfinite(array).all():
        raise InvalidArgumentError(argument, value, "must not hold NaN or infinite entries")
    return array
