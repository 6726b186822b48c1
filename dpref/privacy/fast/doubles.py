"""What doubles can hold: where their range ends there is no answer, never a wrong one."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from fractions import Fraction
from typing import Final

import numpy as np

from dpref.checks import positive_rational, rational
from dpref.errors import PrecisionError
from dpref.reals import Exact

# Of a noise multiplier, a rate, their inverses, epsilon: beyond, fourth powers are no doubles.
FARTHEST: Final = Fraction(10) ** 60


@contextmanager
def in_doubles() -> Iterator[None]:
    """Searches in floats decide nothing, but far out they may overflow, divide by zero or find nothing: no answer.

    Raises:
        PrecisionError: Instead of what they raise.
    """
    try:
        with np.errstate(all="ignore"):
            yield
    except PrecisionError:
        raise
    except (ArithmeticError, ValueError, IndexError) as error:
        raise PrecisionError(f"doubles do not suffice: {error}") from error


def float_width(width: Exact) -> float:
    """The width of an interval that is asked for, as a double.

    Raises:
        InvalidArgumentError: If it is a float, or not positive.
    """
    return float(min(positive_rational("width", width), FARTHEST))


def loss_in_doubles(epsilon: Exact) -> Fraction:
    """An epsilon that is not negative and that a double can be near.

    Raises:
        InvalidArgumentError: If it is a float or negative.
        PrecisionError: If it is larger than any double.
    """
    e = rational("epsilon", epsilon)
    if e > FARTHEST:
        raise PrecisionError("epsilon is too large for doubles")
    return e
