"""Data sets of somebody else's code, as far as they can be looked into: their records, and whether they changed.

What can be looked into: arrays and whatever converts to one, data frames, lists, and tuples, dicts and dataclasses of
such whose lengths are equal (their records are then rows across all of them).  The mask of a masked array and the
index of a data frame belong to the records; the types, the names and whatever has no length do not.
"""

from __future__ import annotations

import hashlib
import math
import pickle
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass
from functools import cached_property
from typing import Any, NamedTuple, final

import numpy as np
from numpy.typing import NDArray

from dpref.foreign.flat import dtype_name


class Mark(NamedTuple):
    """What a part of a data set is, beside its records.

    Attributes:
        words: For a reader.
        digest: For a comparison; None where it cannot be looked into.
    """

    words: str
    digest: bytes | None


@final
@dataclass(frozen=True)
class Listed:
    """The records of a data set.

    Attributes:
        keys: One text of bytes a record; equal ones are equal records.
        null: Whether each record is one that contributes nothing: its features are zero.
        rest: What the data set holds beside records, by the name of the part.
        labels: What an index calls each record; nothing for all without one.
        counted: Whether the index does no more than count.
    """

    keys: tuple[bytes, ...]
    null: tuple[bool, ...]
    rest: Mapping[str, Mark]
    labels: tuple[bytes, ...] = ()
    counted: bool = True

    @property
    def labelled(self) -> tuple[bytes, ...]:
        """The keys of the records with what an index calls them."""
        return tuple(b"|".join(both) for both in zip(self.keys, self.labels, strict=True))


def records(data: Any) -> Listed | None:
    """The records of a data set, or None if they cannot be told.

    Args:
        data: Any object.

    >>> records(np.array([[1.0, 2.0], [0.0, 0.0]])).null
    (False, True)
    >>> records(3.5) is None
    True
    """
    parts = sorted(_parts(data), key=lambda part: part[0])
    columns = [column for _, part in parts for column in _columns(part)]
    lengths = {len(column) for column in columns}
    if len(lengths) != 1:
        return None
    wide = [column for _, part in parts for column in _columns(part) if _is_frame(part) or _is_matrix(column)]
    null = np.logical_and.reduce([_is_null(column) for column in wide or columns])
    indices = [index for _, part in parts if (index := _index(part)) is not None]
    if any(len(index) not in lengths for index in indices):
        return None
    return Listed(
        keys=_joined(columns),
        null=tuple(null.tolist()),
        rest={name: _mark(part) for name, part in parts} | {"the type": Mark(_type(data), b"")},
        labels=_joined(indices) if indices else (b"",) * len(columns[0]),
        counted=all(index.dtype.kind in "iu" and np.array_equal(index, np.arange(len(index))) for index in indices),
    )


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
    except Exception:  # noqa: BLE001 - somebody else's object says by anything that it cannot be converted or pickled
        return None
    return digest.digest()


def shown(data: Any, row: int) -> str:
    """One record in words.

    Args:
        data: A data set with records.
        row: Which one.
    """
    parts = [_words(column[row]) for _, part in _parts(data) for column in _columns(part)]
    return parts[0] if len(parts) == 1 else f"({', '.join(parts)})"


def _words(value: Any) -> str:
    text = np.array2string(_masked(value), precision=6, threshold=8, edgeitems=3, separator=", ")
    return " ".join(text.split())


# ------------------------------------------------------------------------------------ what there is


def _parts(data: Any) -> list[tuple[str, Any]]:
    """The parts of a data set by their names; none of what cannot be looked into."""
    if data is None or isinstance(data, str | bytes):
        return []
    if isinstance(data, Mapping):
        return [(repr(key), part) for key, part in data.items()]
    if is_dataclass(data) and not isinstance(data, type):
        return [] if _beside_fields(data) else [(field.name, getattr(data, field.name)) for field in fields(data)]
    if isinstance(data, tuple) and not all(isinstance(item, int | float) for item in data):
        return [(f"[{i}]", part) for i, part in enumerate(data)]
    return [("", data)]


def _beside_fields(data: Any) -> dict[str, Any]:
    """What a dataclass holds in attributes that are no fields, but for what it has computed of them."""
    named, own = {field.name for field in fields(data)}, getattr(data, "__dict__", {})
    return {
        name: value
        for name, value in own.items()
        if name not in named and not isinstance(getattr(type(data), name, None), cached_property)
    }


def _columns(part: Any) -> list[Any]:
    """The columns of a part: lists and arrays with one entry a record; none of what has no length."""
    if _is_frame(part):
        return [_rows(_masked(part[name].to_numpy())) for name in part.columns]
    if isinstance(part, list | tuple):
        return [list(part)] if isinstance(part, list) or all(isinstance(item, int | float) for item in part) else []
    array = _array(part)
    return [] if array is None or array.ndim == 0 else [_rows(array)]


def _array(part: Any) -> NDArray[Any] | None:
    """What converts to an array, with its mask; None of what does not."""
    if not hasattr(part, "__array__"):
        return None
    try:
        return _masked(part.detach().cpu() if hasattr(part, "detach") else part)
    except Exception:  # noqa: BLE001 - somebody else's object says by anything that it cannot be converted
        return None


def _masked(values: Any) -> NDArray[Any]:
    """An array, of a masked one with its mask."""
    return values if isinstance(values, np.ma.MaskedArray) else np.asarray(values)


def _is_matrix(column: Any) -> bool:
    return isinstance(column, np.ndarray) and column.ndim > 1


def _index(part: Any) -> NDArray[Any] | None:
    """What a frame or a series calls its rows."""
    index = getattr(part, "index", None)
    if index is None or callable(index) or not (_is_frame(part) or hasattr(part, "__array__")):
        return None
    found = np.asarray(index)
    return found if found.ndim == 1 else None


def _rows(array: NDArray[Any]) -> NDArray[Any]:
    return array + 0.0 if array.dtype.kind == "f" else array  # -0.0 is the record that 0.0 is


def _joined(columns: Sequence[Any]) -> tuple[bytes, ...]:
    return tuple(b"|".join(row) for row in zip(*map(_keys, columns), strict=True))


def _keys(column: Any) -> list[bytes]:
    if isinstance(column, np.ma.MaskedArray):
        return list(_joined([np.ma.getdata(column), np.ma.getmaskarray(column)]))
    if isinstance(column, list) or column.dtype == object:
        return [fingerprint(item) or repr(item).encode() for item in column]
    flat = np.ascontiguousarray(column).reshape(len(column), math.prod(column.shape[1:]))
    # The width of texts is that of the longest one, and no record's.
    return [repr(row.tolist()).encode() if column.dtype.kind in "US" else row.tobytes() for row in flat]


def _is_null(column: Any) -> NDArray[np.bool_]:
    nothing = np.zeros(len(column), dtype=np.bool_)
    try:
        values = _masked(column)
        if values.dtype.kind not in "biufcO":
            return nothing
        zero = np.array(np.ma.getdata(values) == 0, dtype=np.bool_) & ~np.ma.getmaskarray(values)
    except (TypeError, ValueError):
        return nothing
    return np.asarray(zero.reshape(len(values), math.prod(values.shape[1:])).all(axis=1))


def _mark(part: Any) -> Mark:
    """What is no record in a part: of columns their names, types and the shape of a row; else all of it."""
    if _is_frame(part):
        kinds = [str(column.dtype) for column in _columns(part)]
        dtypes = [fingerprint(getattr(part[name], "dtype", None)) for name in part.columns]
        return Mark(f"columns {list(part.columns)} of {kinds}", fingerprint(dtypes))
    columns = _columns(part)
    if not columns:
        return Mark(f"something of type {_type(part)}", fingerprint(part))
    if isinstance(columns[0], list):
        return Mark("a list", b"")
    kind = {"U": "text", "S": "bytes"}.get(columns[0].dtype.kind, str(columns[0].dtype))
    masked = " under a mask" if isinstance(columns[0], np.ma.MaskedArray) else ""
    named = " with an index" if _index(part) is not None else ""
    return Mark(f"rows of {kind}, each of shape {columns[0].shape[1:]}{masked}{named}", b"")


def _type(data: Any) -> str:
    """The name of a dataclass or of a single object; that of a mere container says nothing."""
    return "" if isinstance(data, Mapping | list | tuple) or hasattr(data, "__array__") else type(data).__qualname__


# ------------------------------------------------------------------------------------ checksums


def _feed(digest: Any, data: Any) -> None:
    """Types, lengths and bytes, part by part; what is nothing of the kind goes in as its pickle."""
    digest.update(type(data).__qualname__.encode())
    if isinstance(data, np.ma.MaskedArray):
        _feed(digest, np.ma.getmaskarray(data))
        data = np.ma.getdata(data)
    if isinstance(data, np.ndarray) and data.dtype != object:
        digest.update(f"{dtype_name(data.dtype)}{data.shape}".encode())
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
        return [*(getattr(data, field.name) for field in fields(data)), _beside_fields(data)]
    if _is_frame(data):
        return [_index(data), *(item for name in data.columns for item in (name, data[name].to_numpy()))]
    if isinstance(data, np.ndarray):
        return [data.shape, *data.flat]
    array = _array(data)
    return None if array is None else [_index(data), array]


def _is_frame(data: Any) -> bool:
    return hasattr(data, "columns") and hasattr(data, "to_numpy")
