"""Files that expressions name: a mechanism of the user's own (JSON), or numbers (rows of text)."""

from __future__ import annotations

import re
from fractions import Fraction
from pathlib import Path
from typing import Final

from dpref.documents import read_text
from dpref.errors import DocumentError, InvalidArgumentError
from dpref.privacy.events.custom import Custom
from dpref.privacy.events.custom_file import read_custom
from dpref.privacy.events.expression import parse_number

_MOST_BYTES: Final = 50_000_000
_DECIMAL: Final = re.compile(r"[+-]?\d{1,40}(\.\d{0,40})?([eE][+-]?\d{1,3})?", re.ASCII)


def read_file(path: str) -> Custom | tuple[Fraction, ...]:
    """What a file says: ``.json`` a mechanism as `read_custom` reads it, anything else numbers as `read_numbers` does.

    Args:
        path: The file.

    Raises:
        InvalidArgumentError: If the file cannot be read or breaks the rules of its kind.
    """
    return read_custom(path) if path.endswith(".json") else read_numbers(path)


def read_numbers(path: str) -> tuple[Fraction, ...]:
    """The numbers of a text file, one row a line, separated by commas or blanks: a list, or a lower triangular matrix.

    Args:
        path: The file.  A square of several rows must be zero above its diagonal, and only what is on or below it is
            kept; otherwise all numbers are, row by row.

    Returns:
        Exact numbers: ``1/3`` is a third, and a decimal is what it says.

    Raises:
        InvalidArgumentError: If the file cannot be read, holds no number or anything else, or is a square that is not
            lower triangular; the place in the file is named.
    """
    try:
        lines = [line.strip() for line in read_text(Path(path), _MOST_BYTES).splitlines()]
    except DocumentError as error:
        raise InvalidArgumentError("file", path, str(error)) from None
    try:
        rows = [
            [_number(word, f"line {i + 1}, number {j + 1}") for j, word in enumerate(re.split(r"[\s,;]+", line))]
            for i, line in enumerate(lines)
            if line
        ]
    except InvalidArgumentError as error:
        raise InvalidArgumentError("file", path, str(error)) from None
    if not rows:
        raise InvalidArgumentError("file", path, "holds no number")
    if len(rows) > 1 and all(len(row) == len(rows) for row in rows):
        if any(any(row[t + 1 :]) for t, row in enumerate(rows)):
            raise InvalidArgumentError("file", path, "is a square matrix with a number above its diagonal")
        rows = [row[: t + 1] for t, row in enumerate(rows)]
    return tuple(number for row in rows for number in row)


def _number(word: str, place: str) -> Fraction:
    """A short decimal at once, anything else as expressions read it: a matrix has a million numbers."""
    return Fraction(word) if _DECIMAL.fullmatch(word) else parse_number(word, place)
