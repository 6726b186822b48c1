"""What a user of an estimator says of the data before anybody looks at them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any, TypeAlias

import numpy as np

from dpref.errors import InvalidArgumentError
from dpref.fitting.bounds import Bounds, Classes, Range
from dpref.privacy.events.given import Number

Public: TypeAlias = Bounds | Number | Sequence[Any] | Mapping[str, Sequence[Number]]


def public_bounds(given: object, target: Classes | Range, dimension: int, names: Sequence[str] | None) -> Bounds:
    """The bounds of an estimator as those of a run.

    Args:
        given: A bound on the norm of a record; (least, largest) for every column; such a pair for each column, in order
            or by name; or all that is known, whose target is replaced.
        target: What is publicly known of the target.
        dimension: Number of columns.
        names: Of the columns, if they have names.

    Raises:
        InvalidArgumentError: If bounds by name are not for these columns, or are none of the above.

    >>> public_bounds((0, 10), Classes(0, 1), 2, None).columns
    ((Fraction(0, 1), Fraction(10, 1)), (Fraction(0, 1), Fraction(10, 1)))
    """
    if isinstance(given, Bounds):
        columns: Any = given.columns if given.columns is not None else given.names
        if given.names is not None:
            _check_names(given.names, names)
        return Bounds(columns, target, norm=given.norm, records=given.records)
    if isinstance(given, str | int | float | Fraction | np.number):
        norm: Any = given  # a number of numpy is read as one of Python
        return Bounds(None, target, norm=norm)
    if isinstance(given, Mapping):
        _check_names(tuple(given), names)
        return Bounds(tuple(given.values()), target)
    if not isinstance(given, Sequence | np.ndarray):
        rule = "must be a bound on the norm of a record, a pair (least, largest), one pair a column, or Bounds"
        raise InvalidArgumentError("bounds", given, rule)
    one_pair = len(given) == 2 and all(np.ndim(value) == 0 for value in given)
    return Bounds((tuple(given),) * dimension if one_pair else tuple(given), target)


def _check_names(bounded: Sequence[str], names: Sequence[str] | None) -> None:
    """Refuse bounds by name for other columns, or in another order."""
    if names is None:
        rule = "name columns, and X has no names: give X as a data frame, or bounds in the order of its columns"
        raise InvalidArgumentError("bounds", list(bounded), rule)
    if list(bounded) != list(names):
        rule = f"must name the columns of X in their order: {', '.join(map(str, names))}"
        raise InvalidArgumentError("bounds", list(bounded), rule)
