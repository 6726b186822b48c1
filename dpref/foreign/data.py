"""Data sets of somebody else's code, as far as they can be looked into: their records, and whether they changed.

What can be looked into: arrays and whatever converts to one, data frames, lists, and tuples, dicts and dataclasses of
such whose lengths are equal (their records are then rows across all of them).
"""

from __future__ import annotations

import hashlib
import pickle
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass
from typing import Any, final

import numpy as np
from numpy.typing import NDArray


@final
@dataclass(frozen=True)
class Listed:
    """The records of a data set.

    Attributes:
        keys: One text of bytes a record; equal ones are equal records.
        null: Whether each record is one that contributes nothing: its features are zero.
        rest: What the data set holds beside records.
    """

    keys: tuple[bytes, ...]
    null: tuple[bool, ...]
    rest: bytes


def records(data: Any) -> Listed | None:
    """The records of a data set, or None if they cannot be told.

    Args:
        data: Any object.

    >>> records(np.array([[1.0, 2.0], [0.0, 0.0]])).null
    (False, True)
    >>> records(3.5) is None
    True
    """
    columns, rest = _columns(data)
    lengths = {len(column) for column in columns}
    if len(lengths) != 1:
        return None
    keys = tuple(b"|".join(parts) for parts in zip(*map(_keys, columns), strict=True))
    features = [column for column in columns if isinstance(column, np.ndarray) and column.ndim > 1] or columns
    null = np.logical_and.reduce([_is_null(column) for column in features])
    return Listed(keys, tuple(null.tolist()), rest)


def fingerprint(data: Any) -> bytes | None:
    """A checksum of everything in a data set, to see changes by; None if it cannot be taken.

    Args:
        data: Any object.

    >>> fingerprint([1.0]) == fingerprint([1.0]), fingerprint(np.zeros(2)) == fingerprint(np.ones(2))
    (True, False)
    """
    digest = hashlib.blake2b(digest_size=16)
    try:
        _feed(digest, data)
    except (TypeError, ValueError, AttributeError, pickle.PicklingError, RecursionError, NotImplementedError):
        return None
    return digest.digest()


def shown(data: Any, row: int) -> str:
    """One record in words.

    Args:
        data: A data set with records.
        row: Which one.
    """
    columns, _ = _columns(data)
    parts = [_words(column[row]) for column in columns]
    return parts[0] if len(parts) == 1 else f"({', '.join(parts)})"


def _words(value: Any) -> str:
    text = np.array2string(np.asarray(value), precision=6, threshold=8, edgeitems=3, separator=", ")
    return " ".join(text.split())


def _columns(data: Any) -> tuple[list[Any], bytes]:
    """The columns of equal length that a data set is made of, and a text of what else there is."""
    if isinstance(data, str | bytes | Mapping) or data is None:
        parts = list(data.items()) if isinstance(data, Mapping) else []
        return _members([(str(key), part) for key, part in parts])
    if is_dataclass(data) and not isinstance(data, type):
        return _members([(field.name, getattr(data, field.name)) for field in fields(data)])
    if _is_frame(data):
        return [_rows(data[name].to_numpy()) for name in data.columns], repr(list(data.columns)).encode()
    if isinstance(data, list) or (isinstance(data, tuple) and all(isinstance(item, int | float) for item in data)):
        return [list(data)], b""
    if isinstance(data, tuple):
        return _members([(str(i), part) for i, part in enumerate(data)])
    return ([_rows(np.asarray(data))], b"") if _is_long(data) else ([], b"")


def _members(parts: Sequence[tuple[str, Any]]) -> tuple[list[Any], bytes]:
    """Those that have a length are columns, and everything else is the rest."""
    columns = [_rows(np.asarray(part)) if not isinstance(part, list) else part for _, part in parts if _is_long(part)]
    rest = [(name, fingerprint(part)) for name, part in parts if not _is_long(part)]
    return columns, repr(rest).encode()


def _is_long(part: Any) -> bool:
    if isinstance(part, list):
        return True
    return hasattr(part, "__array__") and np.asarray(part).ndim > 0


def _rows(array: NDArray[Any]) -> NDArray[Any]:
    return array + 0.0 if array.dtype.kind == "f" else array  # -0.0 is the record that 0.0 is


def _keys(column: Any) -> list[bytes]:
    if isinstance(column, np.ndarray) and column.dtype != object:
        flat = np.ascontiguousarray(column).reshape(len(column), -1)
        return [row.tobytes() for row in flat]
    return [fingerprint(item) or repr(item).encode() for item in column]


def _is_null(column: Any) -> NDArray[np.bool_]:
    try:
        numbers = np.asarray(column, dtype=np.float64)
    except (TypeError, ValueError):
        return np.zeros(len(column), dtype=np.bool_)
    return np.asarray((numbers == 0).reshape(len(numbers), -1).all(axis=1))


def _feed(digest: Any, data: Any) -> None:
    """Types, lengths and bytes, part by part; what is nothing of the kind goes in as its pickle."""
    digest.update(type(data).__qualname__.encode())
    if isinstance(data, np.ndarray) and data.dtype != object:
        digest.update(f"{data.dtype}{data.shape}".encode())
        whole = np.ascontiguousarray(data).reshape(-1)
        digest.update(zlib.crc32(whole.view(np.uint8).data).to_bytes(4, "big") if data.size else b"")
        return
    if isinstance(data, int | float | str | bytes | type(None)):
        digest.update(repr(data).encode())
        return
    if isinstance(data, list) and len(data) > 16 and all(type(item) is float for item in data):
        digest.update(np.array(data).data)
        return
    parts = _inside(data)
    digest.update(pickle.dumps(data) if parts is None else str(len(parts)).encode())
    for part in parts or ():
        _feed(digest, part)


def _inside(data: Any) -> Sequence[Any] | None:
    """What a container holds."""
    if isinstance(data, list | tuple):
        return data
    if isinstance(data, Mapping):
        return [item for pair in data.items() for item in pair]
    if is_dataclass(data) and not isinstance(data, type):
        return [getattr(data, field.name) for field in fields(data)]
    if _is_frame(data):
        return [item for name in data.columns for item in (name, data[name].to_numpy())]
    if isinstance(data, np.ndarray):
        return [data.shape, *data.flat]
    return [np.asarray(data)] if hasattr(data, "__array__") else None


def _is_frame(data: Any) -> bool:
    return hasattr(data, "columns") and hasattr(data, "to_numpy")
