"""One output of any structure as numbers and texts, read by itself.

Numbers that a double does not hold are told apart all the same: by further doubles, or by a text.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from decimal import Decimal
from enum import Enum
from fractions import Fraction
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from dpref.errors import ForeignCodeError
from dpref.foreign.flat import EXACT, Entry, Flat, join, open_up, parts_of, stack, without_dtype

_ARRAYS: Final = (np.ndarray, np.memmap, np.matrix, np.recarray)  # which hold nothing beside their entries
_LARGE: Final = " beyond 2**53"
_BEYOND: Final = " beyond doubles"
_TERMS: Final = 3  # doubles that add up to any long double between 1/2 and 1


def alone(value: Any) -> Flat:
    """One output of any structure.

    Args:
        value: A number, a text, bytes, None, an array, or a container of such.

    Raises:
        ForeignCodeError: If it is nothing of the kind.

    >>> alone((1, {"a": None})).structure
    "tuple(int, dict('a': None))"
    """
    if isinstance(value, Entry):
        return _entry(value.value)
    opened = open_up(value)
    if opened is not None:
        joined = join(opened, [alone(part) for part in parts_of(value, opened.keys)])
        if joined is not None:
            return joined
    for kinds, read in _LEAVES:
        if isinstance(value, kinds):
            return read(value)
    if hasattr(value, "__array__"):
        return _labelled(value) if hasattr(value, "to_numpy") and hasattr(value, "index") else _named_array(value)
    raise _no_output(value)


def converted(value: Any) -> NDArray[Any]:
    """The array that an array of another class or package is; one that may hold labels is refused.

    Args:
        value: What has ``__array__``.

    Raises:
        ForeignCodeError: If it is more than an array, or cannot be converted.
    """
    within = isinstance(value, np.ndarray)
    more = within and type(value) not in _ARRAYS and getattr(value, "__dict__", None)
    if more or not hasattr(value, "__dlpack__"):  # which a plain array has, and none with labels
        raise _no_output(value, "; of an array with labels or units, its values and these")
    if within:
        return np.asarray(value)
    try:
        for name in ("detach", "cpu"):
            value = getattr(value, name)() if hasattr(value, name) else value
        return np.asarray(value)
    except Exception as error:  # whatever somebody else's array raises
        what = f"cannot be converted to an array of numpy ({type(error).__name__}: {error})"
        raise ForeignCodeError(f"returned a {_kind(value)} that {what}: it must return one that can") from error


def _no_output(value: Any, more: str = "") -> ForeignCodeError:
    return ForeignCodeError(
        f"returned a {_kind(value)}: it must return numbers, texts, bytes, None,"
        f" arrays, or tuples, lists, dicts or dataclasses of them{more}"
    )


def _kind(value: Any) -> str:
    return f"{type(value).__module__}.{type(value).__qualname__}"


def _number(structure: str, *values: float) -> Flat:
    return Flat(structure, (np.array([values], dtype=np.float64),), ())


def _text(structure: str, *values: str) -> Flat:
    return Flat(structure, (), tuple((value,) for value in values))


# ------------------------------------------------------------------------------------ numbers


def _integer(value: int) -> Flat:
    if abs(value) < EXACT:
        return _number("int", float(value))
    try:
        terms = list(_expansion(value))
    except OverflowError:
        return Flat("large int", (np.array([[np.inf if value > 0 else -np.inf]]),), ((hex(value),),))
    return _number("int" + _LARGE if len(terms) == 2 else f"int in {len(terms)} doubles", *terms)


def _expansion(value: int) -> Iterator[float]:
    """Doubles, two at the least, that add up to an integer."""
    count, rest = 0, value
    while rest or count < 2:
        near = float(rest)
        yield near
        count, rest = count + 1, rest - int(near)


def _exact(value: Fraction | Decimal) -> Flat:
    try:
        near = float(value)
    except (OverflowError, ValueError):  # a signalling NaN is not a number
        near = np.nan
    return Flat(type(value).__name__, (np.array([[near]]),), ((str(value),),))


def _scalar(value: np.generic) -> Flat:
    found = _any_array(np.asarray(value))
    return found._replace(structure=found.structure.replace("()", ""))


# ------------------------------------------------------------------------------------ arrays


def _any_array(array: NDArray[Any], name: str = "") -> Flat:
    """One array of any dtype; ``name`` says what it was before, unless it was an array."""
    plain = stack(array[None])
    if plain is not None:
        return plain._replace(structure=f"{name}{' ' * bool(name)}{plain.structure}")
    shape = str(array.shape).replace(" ", "")
    structure, flat = f"{name}{' ' * bool(name)}{array.dtype}{shape}", array.reshape(1, -1)
    kind = array.dtype.kind
    if kind in "mM":
        return _any_array(array.astype(np.int64), structure)
    if kind in "iu":
        near = flat.astype(np.float64)
        rest = np.array([[float(int(x) - int(y)) for x, y in zip(array.flat, near.flat, strict=True)]])
        return Flat(structure + _LARGE, (near, rest), ())
    if kind == "f":
        return _long(structure, flat)
    if kind == "c":
        return _complex(structure, flat)
    inner = alone(array.tolist())
    return Flat(f"{structure} of {inner.structure}", inner.numbers, inner.texts)


def _complex(structure: str, flat: NDArray[Any]) -> Flat:
    """The real parts, and the imaginary ones; of long doubles each as long doubles are read."""
    parts = [_any_array(half) for half in (flat.real, flat.imag)]
    beyond = [_BEYOND if part.structure.endswith(_BEYOND) else " as doubles" for part in parts]
    return Flat(structure + " and".join(beyond) * (_BEYOND in beyond), parts[0].numbers + parts[1].numbers, ())


def _long(structure: str, flat: NDArray[Any]) -> Flat:
    """Long doubles: the nearest doubles and the rests, or, if these do not add up, fractions and powers of two."""
    with np.errstate(all="ignore"):  # infinity less infinity is NaN, as good a mark as any
        near = flat.astype(np.float64)
        rest = (flat - near).astype(np.float64)
        if not (np.isfinite(flat) & (near.astype(flat.dtype) + rest != flat)).any():
            return Flat(structure, (near, rest), ())
        left, exponents = np.frexp(flat)
        terms = []
        for _ in range(_TERMS):
            terms.append(left.astype(np.float64))
            left = left - terms[-1]
    return Flat(structure + _BEYOND, (near, *terms, exponents.astype(np.float64)), ())


def _named_array(value: Any) -> Flat:
    return _any_array(converted(value), "" if type(value) is np.ndarray else type(value).__name__)


def _labelled(value: Any) -> Flat:
    """A series or a data frame as pandas has them: columns, and as a text its labels."""
    frame = hasattr(value, "columns")
    inner = alone([column.to_numpy() for _, column in value.items()] if frame else [value.to_numpy()])
    labels = repr((list(value.index), list(value.columns) if frame else value.name))
    return Flat(f"{type(value).__name__} of {inner.structure}", inner.numbers, ((labels,), *inner.texts))


def _set(value: set[Any] | frozenset[Any]) -> Flat:
    found = alone(sorted(value, key=lambda item: (type(item).__name__, repr(item))))
    return found._replace(structure=f"{type(value).__name__} of {found.structure}")


# ------------------------------------------------------------------------------------ of an array of many runs


def _entry(value: Any) -> Flat:
    """An entry of an array of many runs as it would be without the others, whose types have made the array's dtype."""
    if isinstance(value, np.str_ | np.bytes_):
        return alone(value.item())
    if isinstance(value, np.ndarray) and value.dtype.kind in "OUS":
        value = _by_itself(value)
    if isinstance(value, np.ndarray | np.generic) and value.dtype.kind == "c" and not np.any(value.imag):
        value = value.real
    found = without_dtype(alone(value))
    if found.structure.endswith(_LARGE):  # integers, which beside other numbers would be doubles
        near, rest = np.split(np.hstack(found.numbers), 2, axis=1)
        if not rest.any():
            return Flat(found.structure.removesuffix(_LARGE), (near,), ())
    return found


def _by_itself(row: NDArray[Any]) -> NDArray[Any]:
    """A row of objects or texts as numpy makes it of its entries alone, unless that changes one of them."""
    try:
        found = np.array(row.tolist())
    except (ValueError, OverflowError):  # entries of several lengths
        return row
    before, after = row.ravel().tolist(), found.ravel().tolist()
    words = found.dtype.kind in "US"
    if len(before) != len(after) or (words and not all(type(a) is type(b) for a, b in zip(before, after, strict=True))):
        return row
    try:
        same = all(a == b or (_is_nan(a) and _is_nan(b)) for a, b in zip(before, after, strict=True))
    except Exception:  # noqa: BLE001 - whatever somebody else's objects raise
        same = False
    return found if same else row


def _is_nan(value: Any) -> bool:
    return isinstance(value, float) and math.isnan(value)


_LEAVES: Final[Sequence[tuple[Any, Callable[[Any], Flat]]]] = (
    (Enum, lambda value: _text(type(value).__name__, str(value.name))),
    (bool, lambda value: _number("bool", float(value))),
    (int, _integer),
    (np.generic, _scalar),
    (float, lambda value: _number("float", float(value))),
    (complex, lambda value: _number("complex", value.real, value.imag)),
    (str, lambda value: _text("str", str(value))),
    ((bytes, bytearray, memoryview), lambda value: _text(type(value).__name__, bytes(value).hex())),
    (type(None), lambda value: Flat("None", (), ())),
    ((Fraction, Decimal), _exact),
    ((set, frozenset), _set),
    (np.ndarray, _named_array),
)
