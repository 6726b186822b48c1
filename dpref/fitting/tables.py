"""A user's table, from a CSV or Parquet file: the columns that the bounds name, and the target.

What is wrong is named with its row and column.  Such a message is about the data: it is for whoever holds them.
"""

from __future__ import annotations

import csv
import math
import shlex
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

import numpy as np

from dpref.errors import DocumentError, InvalidArgumentError, MissingExtraError
from dpref.fitting.bounds import Bounds
from dpref.reals import FloatArray

PARQUET: Final = (".parquet", ".pq")
_MEND: Final = "put a value there that is chosen without a look at the data"


class Table(NamedTuple):
    """Columns of a file.

    Attributes:
        features: Shape (n, d), in the order of the bounds.
        target: n values as they stand there.
    """

    features: FloatArray
    target: list[Any]


def read_table(path: Path | str, target: str, bounds: Bounds, *, ignored: Sequence[str] = ()) -> Table:
    """The columns that the bounds name, and the target's.

    Args:
        path: A ``.csv`` file with a header, or a ``.parquet`` file.
        target: The target's column.
        bounds: Whose names are the feature columns.
        ignored: Columns that are left out; a column that is neither bounded nor left out is refused.

    Raises:
        DocumentError: If the file cannot be read.
        InvalidArgumentError: If a column is missing or has no bounds, or a cell is not a finite number.
        MissingExtraError: If a Parquet file is read and pyarrow is not installed.
    """
    where = Path(path)
    wanted = bounds.names
    if wanted is None:
        raise InvalidArgumentError("bounds", "features without names", "must name the columns of a file")
    if target in wanted:
        raise InvalidArgumentError("target", target, "must not be one of the bounded features")
    found = _parquet(where) if where.suffix.lower() in PARQUET else _csv(where)
    names = list(found)
    for name in (*wanted, target, *ignored):
        if name not in found:
            argument = "target" if name == target else "bounds" if name in wanted else "ignore"
            raise InvalidArgumentError(argument, name, f"is no column of {where}, {_said(names)}")
    for name in ignored:
        if name in {*wanted, target}:
            rule = "cannot be left out: the bounds or the target name it; take it out there too"
            raise InvalidArgumentError("ignore", name, rule)
    for name in names:
        if name not in {*wanted, target, *ignored}:
            rule = f"is a column of {where} without bounds: bound it, or leave it out with --ignore {shlex.quote(name)}"
            raise InvalidArgumentError("bounds", name, rule)
    rows = len(found[target])
    if rows == 0:
        raise InvalidArgumentError("data", str(where), "must have at least one record below its header")
    for row, value in enumerate(found[target], start=1):
        if value is None or value == "":
            raise InvalidArgumentError(target, value, f"record {row}: must not be empty: {_MEND}")
    columns = [list(_numbers(name, found[name])) for name in wanted]
    return Table(np.array(columns, dtype=np.float64).T, found[target])


def _said(names: Sequence[str]) -> str:
    """The names of a header; not the cells of a record that stands in its place."""
    if any(_is_number(name) for name in names):
        return "whose first line has numbers in it: a header with the names of the columns must come first"
    return f"which has {', '.join(names)}"


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _numbers(name: str, cells: Sequence[Any]) -> Iterator[float]:
    for row, cell in enumerate(cells, start=1):
        try:
            value = math.nan if isinstance(cell, str) and "_" in cell else float(cell)
        except (TypeError, ValueError):
            value = math.nan
        if not math.isfinite(value):
            raise InvalidArgumentError(name, cell, f"record {row}: must be a finite number: {_MEND}")
        yield value


def _csv(path: Path) -> dict[str, list[Any]]:
    try:
        with path.open(encoding="utf-8-sig", newline="") as stream:
            rows = csv.reader(stream, strict=True)
            header = [name.strip() for name in next(rows, [])]
            if not any(header):
                raise DocumentError(f"{path}: is empty: a header with the names of the columns must come first")
            _once(path, header)
            columns: list[list[Any]] = [[] for _ in header]
            for row in rows:
                if not row:
                    continue
                if len(row) != len(header):
                    rule = f"line {rows.line_num} has {len(row)} cells, the header {len(header)}"
                    raise DocumentError(f"{path}: {rule}")
                for column, cell in zip(columns, row, strict=True):
                    column.append(cell.strip())
    except UnicodeDecodeError as error:
        raise DocumentError(f"{path}: is not UTF-8 text (byte {error.start})") from None
    except csv.Error as error:
        raise DocumentError(f"{path}: is not CSV: {error}") from None
    except (OSError, ValueError) as error:  # no path has a null byte
        if isinstance(error, DocumentError):
            raise
        raise DocumentError(f"{path}: cannot be read: {getattr(error, 'strerror', None) or error}") from None
    return dict(zip(header, columns, strict=True))


def _parquet(path: Path) -> dict[str, list[Any]]:
    try:
        from pyarrow import ArrowException, parquet  # noqa: PLC0415 - an extra
    except ImportError:
        raise MissingExtraError("a Parquet file needs pyarrow: pip install 'dpref[data]'") from None
    try:
        table = parquet.ParquetFile(path).read()
        _once(path, table.column_names)
        return {name: table.column(name).to_pylist() for name in table.column_names}
    except (OSError, ArrowException) as error:
        reason = str(getattr(error, "strerror", None) or error).splitlines()[0]
        raise DocumentError(f"{path}: cannot be read: {reason}") from None


def _once(path: Path, names: Sequence[str]) -> None:
    twice = next((name for name in names if list(names).count(name) > 1), None)
    if twice is not None and _is_number(twice):
        raise DocumentError(f"{path}: a number stands twice in its first line: a header with names must come first")
    if twice is not None:
        raise DocumentError(f"{path}: the column {twice!r} stands twice in its header")
