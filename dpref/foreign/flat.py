"""Outputs of one structure as columns of numbers and texts, many at once where they are alike, else one at a time."""

from __future__ import annotations

import enum
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import fields, is_dataclass
from decimal import Decimal
from fractions import Fraction
from functools import cache
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from dpref.errors import ForeignCodeError
from dpref.reals import FloatArray

_EXACT: Final = 2**53  # integers up to here are doubles
_PLAIN_KINDS: Final = "bfiu"  # of dtypes whose numbers are doubles (long ones apart)


class Raised(NamedTuple):
    """An exception as an output.

    Attributes:
        kind: Its class.
        message: Its text.
    """

    kind: str
    message: str


def kept(output: Any) -> Any:
    """An output that a later run cannot change: arrays in it are copied.

    Args:
        output: What a call returned.
    """
    kind = type(output)
    if kind is np.ndarray:
        return output.copy()
    if kind is tuple or kind is list:
        return kind(map(kept, output))
    return {key: kept(value) for key, value in output.items()} if kind is dict else output


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
    if kind in _COLUMNS:
        return _COLUMNS[kind](values)
    if issubclass(kind, np.generic):
        return stack(np.array(values), scalar=True)
    opened = open_up(values[0])
    columns = None if opened is None else _columns(kind, opened, values)
    return None if opened is None or columns is None else join(opened, [together(column) for column in columns])


def _columns(kind: type, opened: Opened, values: Sequence[Any]) -> Iterable[Sequence[Any]] | None:
    """The parts of containers of one kind, those of all values together; None if they do not have the same parts."""
    if issubclass(kind, tuple | list):
        return None if kind is Raised or len(set(map(len, values))) > 1 else zip(*values, strict=True)
    if issubclass(kind, Mapping):
        if any(value.keys() != values[0].keys() for value in values):
            return None
        return ([value[key] for value in values] for key in opened.keys)
    return ([getattr(value, str(key)) for value in values] for key in opened.keys)


def _integers(values: Sequence[int]) -> Flat | None:
    exact = max(map(abs, values)) <= _EXACT
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
    """A container: its name, and the keys of its parts in order."""

    name: str
    keys: tuple[Hashable, ...]


def open_up(value: Any) -> Opened | None:
    """What a container consists of; None if the value is none.

    Args:
        value: A part of an output.
    """
    if isinstance(value, Raised):
        return Opened(f"raised {value.kind}", (0, 1))
    if isinstance(value, tuple | list):
        return Opened(type(value).__name__, tuple(range(len(value))))
    if isinstance(value, Mapping):
        return Opened(type(value).__name__, tuple(sorted(value, key=lambda key: (type(key).__name__, repr(key)))))
    if is_dataclass(value) and not isinstance(value, type):
        return Opened(type(value).__name__, _fields(type(value)))
    return None


@cache
def _fields(kind: Any) -> tuple[str, ...]:
    return tuple(field.name for field in fields(kind))


def parts_of(value: Any, keys: tuple[Hashable, ...]) -> Iterable[Any]:
    """The parts of a container, in order.

    Args:
        value: The container.
        keys: As `open_up` found them.
    """
    if isinstance(value, tuple | list):
        return value
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
    if opened.keys != tuple(range(len(opened.keys))):
        return f"{opened.name}({', '.join(f'{k}: {s}' for k, s in zip(opened.keys, inner, strict=True))})"
    if len(inner) > 1 and len(set(inner)) == 1:
        return f"{opened.name}({len(inner)} x {inner[0]})"
    return f"{opened.name}({', '.join(inner)})"


def stack(stacked: NDArray[Any], *, scalar: bool = False) -> Flat | None:
    """Arrays of one shape and dtype, stacked; None if their numbers are not all doubles."""
    dtype = stacked.dtype
    if dtype.kind not in _PLAIN_KINDS or dtype.itemsize > 8:
        return None
    numbers = stacked.reshape(len(stacked), -1).astype(np.float64)
    if dtype.kind in "iu" and dtype.itemsize == 8 and (np.abs(numbers) > _EXACT).any():
        return None
    return Flat(_name(dtype) if scalar else f"{_name(dtype)}{_shape(stacked.shape[1:])}", (numbers,), ())


@cache
def _name(dtype: np.dtype[Any]) -> str:
    return str(dtype)


def _shape(shape: tuple[int, ...]) -> str:
    return str(shape).replace(" ", "")


# ------------------------------------------------------------------------------------ one at a time


def alone(value: Any) -> Flat:
    """One output of any structure."""
    opened = open_up(value)
    if opened is not None:
        inner = [alone(part) for part in parts_of(value, opened.keys)]
        joined = join(opened, inner)
        if joined is not None:
            return joined
    for kinds, read in _LEAVES:
        if isinstance(value, kinds):
            return read(value)
    if hasattr(value, "__array__"):
        return _any_array(np.asarray(value.detach() if hasattr(value, "detach") else value), type(value).__name__)
    raise ForeignCodeError(
        f"returned a {type(value).__module__}.{type(value).__qualname__}: it must return numbers, texts, bytes, None,"
        " arrays, or tuples, lists, dicts or dataclasses of them"
    )


def _number(structure: str, *values: float) -> Flat:
    return Flat(structure, (np.array([values], dtype=np.float64),), ())


def _text(structure: str, *values: str) -> Flat:
    return Flat(structure, (), tuple((value,) for value in values))


def _integer(value: int) -> Flat:
    if abs(value) <= _EXACT:
        return _number("int", float(value))
    try:
        near = float(value)
    except OverflowError:
        return Flat("large int", (np.array([[np.inf if value > 0 else -np.inf]]),), ((hex(value),),))
    return _number("int beyond 2**53", near, float(value - int(near)))


def _exact(value: Fraction | Decimal) -> Flat:
    try:
        near = float(value)
    except (OverflowError, ValueError):  # a signalling NaN is not a number
        near = np.nan
    return Flat(type(value).__name__, (np.array([[near]]),), ((str(value),),))


def _any_array(array: NDArray[Any], name: str = "") -> Flat:
    """One array of any dtype; ``name`` says what it was before, unless it was an array."""
    plain = stack(array[None])
    if plain is not None:
        return plain._replace(structure=f"{name}{' ' * bool(name)}{plain.structure}")
    structure, flat = f"{name}{' ' * bool(name)}{array.dtype}{_shape(array.shape)}", array.reshape(1, -1)
    kind = array.dtype.kind
    if kind in "mM":
        return _any_array(array.astype(np.int64), structure)
    if kind in "iu":
        near = flat.astype(np.float64)
        rest = np.array([[float(int(x) - int(y)) for x, y in zip(array.flat, near.flat, strict=True)]])
        return Flat(f"{structure} beyond 2**53", (near, rest), ())
    if kind == "c":
        return Flat(structure, (flat.real.astype(np.float64), flat.imag.astype(np.float64)), ())
    if kind == "f":
        near = flat.astype(np.float64)
        with np.errstate(invalid="ignore"):  # infinity less infinity is NaN, as good a mark as any
            return Flat(structure, (near, (flat - near).astype(np.float64)), ())
    inner = alone(array.tolist())
    return Flat(f"{structure} of {inner.structure}", inner.numbers, inner.texts)


def _scalar(value: np.generic) -> Flat:
    found = _any_array(np.asarray(value))
    return found._replace(structure=found.structure.replace("()", ""))


_LEAVES: Final[Sequence[tuple[Any, Callable[[Any], Flat]]]] = (
    (enum.Enum, lambda value: _text(type(value).__name__, str(value.name))),
    (bool, lambda value: _number("bool", float(value))),
    (int, _integer),
    (np.generic, _scalar),
    (float, lambda value: _number("float", float(value))),
    (complex, lambda value: _number("complex", value.real, value.imag)),
    (str, lambda value: _text("str", str(value))),
    ((bytes, bytearray, memoryview), lambda value: _text(type(value).__name__, bytes(value).hex())),
    (type(None), lambda value: Flat("None", (), ())),
    ((Fraction, Decimal), _exact),
    ((set, frozenset), lambda value: alone(sorted(value, key=lambda item: (type(item).__name__, repr(item))))),
    (np.ndarray, _any_array),
)
