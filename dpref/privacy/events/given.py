"""Exact numbers as a user gives them: at the outermost door a float is read as the decimal that it prints."""

from __future__ import annotations

import math
from decimal import Decimal
from fractions import Fraction
from typing import TypeAlias

import numpy as np

from dpref.checks import natural
from dpref.errors import InvalidArgumentError
from dpref.privacy.events.expression import parse_number

Number: TypeAlias = Fraction | int | float | str


def exactly(argument: str, value: object) -> Fraction:
    """The exact number that a user means.

    Args:
        argument: What an error calls it.
        value: A Fraction, an integer, text such as ``"1e-5"`` or ``"1/3"``, or a float, read as the decimal that it
            prints: 0.1 is a tenth.

    Raises:
        InvalidArgumentError: If it is none of these, or not finite.

    >>> exactly("delta", 1e-5) == exactly("delta", "1e-5") == exactly("delta", Fraction(1, 10**5))
    True
    """
    if isinstance(value, str):
        return parse_number(value, argument)
    if isinstance(value, bool | np.bool_) or not isinstance(value, int | float | Fraction | Decimal | np.number):
        raise InvalidArgumentError(argument, value, 'must be a number: exact, as text such as "1/3", or a float')
    if isinstance(value, int | Fraction | np.integer):
        return Fraction(value) if isinstance(value, Fraction) else Fraction(int(value))
    if not math.isfinite(value):
        raise InvalidArgumentError(argument, float(value), "must be finite")
    return Fraction(str(value))


def positively(argument: str, value: object) -> Fraction:
    """The same, which must be positive.

    Args:
        argument: What an error calls it.
        value: As for `exactly`.

    Raises:
        InvalidArgumentError: If it is no number, or not positive.

    >>> positively("epsilon", "1/2")
    Fraction(1, 2)
    """
    found = exactly(argument, value)
    if found <= 0:
        raise InvalidArgumentError(argument, value, "must be positive")
    return found


def steps_of(epochs: Number | None, steps: Number | None, rate: Fraction) -> int:
    """How many steps a training has, given themselves or as epochs of records, rounded up.

    >>> steps_of(3, None, Fraction(2, 5))
    8
    """
    if (epochs is None) == (steps is None):
        raise InvalidArgumentError("epochs", epochs, "exactly one of epochs and steps must be given")
    if steps is not None:
        return integer("steps", steps)
    return math.ceil(positively("epochs", epochs) / rate)


def epochs_of(epochs: Number | None, steps: Number | None, batches: int) -> int:
    """How many whole epochs there are, each of so many steps.

    >>> epochs_of(None, 6, 2)
    3
    """
    if (epochs is None) == (steps is None):
        raise InvalidArgumentError("epochs", epochs, "exactly one of epochs and steps must be given")
    if steps is None:
        return integer("epochs", epochs)
    count, rest = divmod(integer("steps", steps), batches)
    if rest:
        why = f"must be whole epochs of {batches} steps, in which each record takes part once; or give epochs"
        raise InvalidArgumentError("steps", steps, why)
    return count


def integer(argument: str, value: object) -> int:
    """A positive integer that a user means, of any of the forms of a number.

    >>> integer("records", "60e3")
    60000
    """
    found = positively(argument, value)
    if found.denominator != 1:
        raise InvalidArgumentError(argument, value, "must be an integer")
    return natural(argument, found.numerator)
