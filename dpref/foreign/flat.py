"""Outputs of one structure as columns of numbers and texts, many at once.

What an output is read as depends on that output alone, never on those beside it: a bet is on one run at a time.  In a
batch the dtype of an array comes about from all runs, so there it is no part of an outcome (`Entry`).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import fields, is_dataclass
from decimal import Decimal
from enum import Enum
from fractions import Fraction
from functools import cache
from itertools import chain
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from dpref.errors import ForeignCodeError
from dpref.reals import FloatArray

EXACT: Final = 2**53  # integers below are doubles; from here on rounded ones look like others
_PLAIN_KINDS: Final = "bfiu"  # of dtypes whose numbers are doubles (long ones apart)
_PLAIN_NAME: Final = re.compile(r"(?:bool|u?int(?:8|16|32|64)?|float(?:16|32|64)?)(?!\w)")
_KEYS: Final = (str, bytes, bool, int, float, complex, type(None), Enum, np.generic, Fraction, Decimal)


class Raised(NamedTuple):
    """An exception as an output.

    Attributes:
        kind: Its class.
        message: Its text.
    """

    kind: str
    message: str


class Entry(NamedTuple):
    """What an array of many runs holds for one of them.

    Attributes:
        value: The entry or row.
    """

    value: Any


class Row(NamedTuple):
    """What a container of many runs holds for one of them.

    Attributes:
        opened: The container.
        parts: This run's entries of its parts.
    """

    opened: Opened
    parts: tuple[Any, ...]


class Flat(NamedTuple):
    """n outputs of one structure."""

    structure: str
    numbers: tuple[FloatArray, ...]  # each (n, k)
    texts: tuple[tuple[str, ...], ...]  # each of n texts


# ------------------------------------------------------------------------------------ many at once


def together(values: Sequence[Any]) -> Flat | None:
    """Outputs that have one structure, column by column; None if they do not (or if it is not known this way)."""
    kinds = set(map(type, values))
    if len(kinds) != 1:
        return None
    kind: type = kinds.pop()
    if kind is Entry:
        inner = together([entry.value for entry in values])
        return None if inner is None else without_dtype(inner)
    if kind in _COLUMNS:
        return _COLUMNS[kind](values)
    if issubclass(kind, np.generic):
        return stack(np.array(values), scalar=True)
    opened = open_up(values[0])
    columns = None if opened is None else _columns(kind, opened, values)
    return None if opened is None or columns is None else join(opened, [together(column) for column in columns])


def _columns(kind: type, opened: Opened, values: Sequence[Any]) -> Iterable[Sequence[Any]] | None:
    """The parts of containers of one kind, those of all values together; None if they do not have the same parts."""
    if kind is Row:
        return zip(*(value.parts for value in values), strict=True)
    if issubclass(kind, tuple | list):
        return None if kind is Raised or len(set(map(len, values))) > 1 else zip(*values, strict=True)
    if issubclass(kind, Mapping):
        if any(value.keys() != values[0].keys() for value in values):
            return None
        if set(map(type, chain.from_iterable(values))) != {str}:  # 1, 1.0 and True are equal as keys
            return None
        return ([value[key] for value in values] for key in opened.keys)
    return zip(*(parts_of(value, opened.keys) for value in values), strict=True)


def _integers(values: Sequence[int]) -> Flat | None:
    exact = max(map(abs, values)) < EXACT
    return Flat("int", (np.array(values, dtype=np.float64)[:, None],), ()) if exact else None


def _arrays(values: Sequence[NDArray[Any]]) -> Flat | None:
    alike = len({value.shape for value in values}) == len({value.dtype for value in values}) == 1
    return stack(np.array(values)) if alike else None


_COLUMNS: Final[Mapping[type, Callable[[Sequence[Any]], Flat | None]]] = {
    float: lambda values: Flat("float", (np.array(values)[:, None],), ()),
    bool: lambda values: Flat("bool", (np.array(values, dtype=np.float64)[:, None],), ()),
    int: _integers,
    str: lambda values: Flat("str", (), (tuple(values),)),
    type(None): lambda values: Flat("None", (), ()),
    np.ndarray: _arrays,
}


class Opened(NamedTuple):
    """A container: its name, and the keys of its parts in order.

    Attributes:
        name: Its type.
        keys: Of its parts.
        labels: What the parts are called, if they are not merely counted.
    """

    name: str
    keys: tuple[Hashable, ...]
    labels: tuple[str, ...] = ()


def open_up(value: Any) -> Opened | None:
    """What a container consists of; None if the value is none.

    Args:
        value: A part of an output.

    Raises:
        ForeignCodeError: If a dict has a key that cannot be told from others by its text.
    """
    if isinstance(value, Row):
        return value.opened
    if isinstance(value, tuple | list):
        name = f"raised {value.kind}" if isinstance(value, Raised) else type(value).__name__
        return Opened(name, tuple(range(len(value))))
    if isinstance(value, Mapping):
        keys = tuple(sorted(value, key=lambda key: (type(key).__name__, repr(key))))
        return Opened(type(value).__name__, keys, tuple(map(_label, keys)))
    if isinstance(value, np.ma.MaskedArray):
        return Opened(type(value).__name__, _MASKED, _MASKED)
    names = _fields(type(value)) if is_dataclass(value) and not isinstance(value, type) else None
    return None if names is None else Opened(type(value).__name__, names, names)


_MASKED: Final = ("data", "mask")


def _label(key: Any) -> str:
    """A key as text; the address in the text of any object would say which data set a run was on."""
    if isinstance(key, tuple):
        return f"({', '.join(map(_label, key))})"
    if not isinstance(key, _KEYS):
        raise ForeignCodeError(
            f"returned a dict with a key of {type(key).__module__}.{type(key).__qualname__}: its keys must be texts,"
            " bytes, numbers, None, enums or tuples of them"
        )
    return repr(key)


@cache
def _fields(kind: Any) -> tuple[str, ...]:
    return tuple(field.name for field in fields(kind))


def parts_of(value: Any, keys: tuple[Hashable, ...]) -> Iterable[Any]:
    """The parts of a container, in order.

    Args:
        value: The container.
        keys: As `open_up` found them.
    """
    if isinstance(value, Row):
        return value.parts
    if isinstance(value, tuple | list):
        return value
    if isinstance(value, np.ma.MaskedArray):
        return [np.asarray(value.data), np.ma.getmaskarray(value)]
    return [value[key] for key in keys] if isinstance(value, Mapping) else [getattr(value, str(key)) for key in keys]


def join(opened: Opened, parts: Sequence[Flat | None]) -> Flat | None:
    """A container's columns from those of its parts; None if a part has none.

    Args:
        opened: The container.
        parts: The columns of its parts, in order.
    """
    found = [part for part in parts if part is not None]
    if len(found) < len(parts):
        return None
    numbers = tuple(column for part in found for column in part.numbers)
    return Flat(_named(opened, [part.structure for part in found]), numbers, tuple(t for p in found for t in p.texts))


def _named(opened: Opened, inner: Sequence[str]) -> str:
    if opened.labels:
        return f"{opened.name}({', '.join(f'{k}: {s}' for k, s in zip(opened.labels, inner, strict=True))})"
    if len(inner) > 1 and len(set(inner)) == 1:
        return f"{opened.name}({len(inner)} x {inner[0]})"
    return f"{opened.name}({', '.join(inner)})"


def stack(stacked: NDArray[Any], *, scalar: bool = False) -> Flat | None:
    """Arrays of one shape and dtype, stacked; None if their numbers are not all doubles.

    Args:
        stacked: The arrays, along axis 0.
        scalar: Whether they were numbers.
    """
    dtype = stacked.dtype
    if dtype.kind not in _PLAIN_KINDS or dtype.itemsize > 8:
        return None
    numbers = stacked.reshape(len(stacked), -1).astype(np.float64)
    if dtype.kind in "iu" and dtype.itemsize == 8 and (np.abs(numbers) >= EXACT).any():
        return None
    return Flat(dtype_name(dtype) if scalar else f"{dtype_name(dtype)}{_shape(stacked.shape[1:])}", (numbers,), ())


@cache
def dtype_name(dtype: np.dtype[Any]) -> str:
    """The text of a dtype, which numpy takes longer to write than a short array takes to read.

    Args:
        dtype: Any.

    >>> dtype_name(np.dtype("float64"))
    'float64'
    """
    return str(dtype)


def _shape(shape: tuple[int, ...]) -> str:
    return str(shape).replace(" ", "")


def without_dtype(flat: Flat) -> Flat:
    """Entries of an array of many runs, without the dtype that it has because of all of them.

    Args:
        flat: What was read.

    >>> without_dtype(Flat("int64(2,)", (), ())).structure, without_dtype(Flat("complex128", (), ())).structure
    ('number(2,)', 'complex128')
    """
    found = _PLAIN_NAME.match(flat.structure)
    return flat if found is None else flat._replace(structure=f"number{flat.structure[found.end() :]}")
