r"""Public bounds of private data, and the per-record map that they make.

The hypotheses of the theorems speak of records in a unit ball and of labels in [-1, 1].  Data come there by a map that
is made of **public bounds alone**: each record is mapped by itself, so that neighbours stay neighbours and nothing is
learned from the data.  With the bounds $[l_j,u_j]$ of column j, their middle $c_j$ and half their width $h_j$:

.. math:: x'_j=\max\Big(-1,\min\Big(1,\frac{x_j-c_j}{h_j}\Big)\Big),\qquad x''=\frac{x'}{\max(N,\|x'\|)},

where N is the public norm bound if there is one, else the largest norm that x' can have ($\sqrt d$ in the Euclidean
norm, 1 in the largest entry).  Without column bounds $x'=x$, and the norm bound is that of the record itself.  With an
intercept the record becomes $(x'',1)$ divided by the norm that this can have.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any, Final, TypeAlias, final

import numpy as np

from dpref.checks import natural, positive_double
from dpref.documents import parse_document, read_text
from dpref.errors import DocumentError, InvalidArgumentError
from dpref.privacy.events.given import Number, exactly, positively
from dpref.problems.datasets import scale_rows
from dpref.reals import FloatArray

Pair: TypeAlias = tuple[Fraction, Fraction]
Label: TypeAlias = str | int | float | bool

_MOST_BYTES: Final = 10_000_000
_MIDDLE: Final = Fraction(1, 2)
_FAR: Final = 1e100
_WHOLE: Final = re.compile(r"[+-]?[0-9]{1,18}")


@final
@dataclass(frozen=True)
class Classes:
    """The two labels that a target can have: the first is mapped to -1, the second to +1.

    Attributes:
        negative: The first.
        positive: The second.

    Raises:
        InvalidArgumentError: If both are the same.

    >>> Classes("no", "yes").encoded(["yes", "no"]).tolist()
    [1.0, -1.0]
    """

    negative: Label
    positive: Label

    def __post_init__(self) -> None:
        if _key(self.negative) == _key(self.positive):
            raise InvalidArgumentError("classes", (self.negative, self.positive), "must be two different labels")

    def encoded(self, target: Sequence[Any]) -> FloatArray:
        """Labels as -1 and +1, shape (n,).

        Raises:
            InvalidArgumentError: If one is neither; the message names the record.
        """
        codes = {_key(self.negative): -1.0, _key(self.positive): 1.0}
        found = [codes.get(_key(value)) for value in target]
        if None in found:
            row = found.index(None)
            rule = f"record {row + 1}: must be {self.negative!r} or {self.positive!r}, the classes that the bounds name"
            raise InvalidArgumentError("target", target[row], rule)
        return np.array(found, dtype=np.float64)


@final
@dataclass(frozen=True)
class Range:
    r"""The interval of a numeric target, mapped to [-1, 1]; what lies outside is moved to its end.

    Attributes:
        low: Its lower end, exact.
        high: Its upper end, exact.

    Raises:
        InvalidArgumentError: If the lower end is not below the upper one.

    >>> Range(0, 50).encoded([25, 50, 70]).tolist()
    [0.0, 1.0, 1.0]
    """

    low: Number
    high: Number

    def __post_init__(self) -> None:
        for name, value in zip(("low", "high"), _pair("target", (self.low, self.high)), strict=True):
            object.__setattr__(self, name, value)

    def encoded(self, target: Sequence[Any]) -> FloatArray:
        """Values in [-1, 1], shape (n,).

        Raises:
            InvalidArgumentError: If one is not a finite number; the message names the record.
        """
        values = np.array([_finite(value, row) for row, value in enumerate(target, start=1)], dtype=np.float64)
        middle, half = self.map()
        return mapped(values, middle, half)

    def map(self) -> tuple[float, float]:
        """The middle and half the width."""
        return _middle_and_half("target", (Fraction(self.low), Fraction(self.high)))


@final
@dataclass(frozen=True, init=False)
class Bounds:
    """What is publicly known of records before anybody looks at them.

    Attributes:
        names: Of the columns, in order; None where they have none.
        columns: The least and the largest value of each column, exact; None where only the norm is bounded.
        norm: A bound on the Euclidean norm of a record (of the mapped record, where columns are bounded); longer
            records are shortened to it.  None for the largest norm that the columns allow.
        target: The two classes, or the range.
        records: The public number of records, needed where their number is private (add-or-remove-one).

    Args:
        features: A mapping of column names to pairs, a sequence of pairs, a sequence of names, or None.
        target: The two classes, or the range.
        norm: As above; needed where no columns are bounded.
        records: As above.

    Raises:
        InvalidArgumentError: If a least value is not below the largest, or nothing bounds the features.

    >>> bounds = Bounds({"age": (0, 100), "income": (0, "1e5")}, Classes("no", "yes"))
    >>> bounds.names, bounds.columns[0]
    (('age', 'income'), (Fraction(0, 1), Fraction(100, 1)))
    """

    names: tuple[str, ...] | None
    columns: tuple[Pair, ...] | None
    norm: Fraction | None
    target: Classes | Range
    records: int | None

    def __init__(
        self,
        features: Mapping[str, Sequence[Number]] | Sequence[Sequence[Number]] | Sequence[str] | None,
        target: Classes | Range,
        *,
        norm: Number | None = None,
        records: int | None = None,
    ) -> None:
        names, columns = _columns(features)
        if columns is None and norm is None:
            rule = "must bound every column, or norm must bound the Euclidean norm of a record"
            raise InvalidArgumentError("features", features, rule)
        if not isinstance(target, Classes | Range):
            raise InvalidArgumentError("target", target, "must be Classes(negative, positive) or Range(low, high)")
        made = {
            "names": names,
            "columns": columns,
            "norm": None if norm is None else positively("norm", norm),
            "target": target,
            "records": None if records is None else natural("records", records),
        }
        for name, value in made.items():
            object.__setattr__(self, name, value)

    @classmethod
    def read(cls, path: Path | str) -> Bounds:
        """The bounds of a JSON file (``schemas/bounds.schema.json``), exact as they are written.

        Args:
            path: The file.

        Raises:
            DocumentError: If the file cannot be read, is not JSON, or breaks the schema or a rule of bounds.
        """
        try:
            found = parse_document(read_text(Path(path), _MOST_BYTES), "bounds.schema.json")
            target = found["target"]
            made = Classes(*target["classes"]) if "classes" in target else Range(*target["range"])
            return cls(found["features"], made, norm=found.get("norm"), records=found.get("records"))
        except (DocumentError, InvalidArgumentError) as error:
            raise DocumentError(f"{path}: {error}") from None

    def affine(self, dimension: int) -> tuple[FloatArray, FloatArray]:
        """The middles and half the widths of the columns, shape (d,) both: the map before anything is cut off.

        Args:
            dimension: d, the number of features.

        Raises:
            InvalidArgumentError: If the bounds are for another number of columns.
        """
        known = self.columns if self.columns is not None else self.names
        if known is not None and len(known) != dimension:
            raise InvalidArgumentError("bounds", len(known), f"must bound every column; the features have {dimension}")
        if self.columns is None:
            return np.zeros(dimension), np.ones(dimension)
        found = [_middle_and_half(f"bounds of column {j}", pair) for j, pair in enumerate(self.columns, start=1)]
        middles, halves = zip(*found, strict=True)
        return np.array(middles), np.array(halves)

    def length(self, dimension: int, index: Fraction | float) -> float:
        """By what mapped records are divided: the norm bound, or the largest norm that the columns allow.

        Args:
            dimension: d.
            index: q of the norm in which the algorithm wants records to be short.
        """
        most = 1.0 if index == math.inf else float(dimension) ** (1 / float(index))
        if self.columns is None:
            return positive_double("norm", self.norm)
        return most if self.norm is None else min(most, positive_double("norm", self.norm))

    def within(self, features: FloatArray, index: Fraction | float) -> FloatArray:
        """Records in the unit ball of the q-norm, each a function of that record and of the bounds alone.

        Args:
            features: Shape (n, d), finite.
            index: q.

        Returns:
            Shape (n, d).

        >>> Bounds([(0, 10)], Classes(0, 1)).within(np.array([[0.0], [5.0], [99.0]]), Fraction(2)).round(9).tolist()
        [[-1.0], [0.0], [1.0]]
        """
        middles, halves = self.affine(features.shape[1])
        rows = features if self.columns is None else mapped(features, middles, halves)
        length, largest = self.length(features.shape[1], index), np.abs(rows).max(axis=1, keepdims=True)
        with np.errstate(over="ignore"):
            far = largest / length > _FAR
        # A record that is longer by far is divided by its largest entry: the square of its length is out of range.
        return scale_rows(rows / np.where(far, largest, length), index)


def mapped(values: FloatArray, middle: FloatArray | float, half: FloatArray | float) -> FloatArray:
    """An interval's values in [-1, 1], and the ends for what lies outside.

    Args:
        values: Finite; the last axis is that of the columns.
        middle: Of the interval.
        half: Half its width, positive.

    >>> mapped(np.array([0.0, 1.0, 9.0]), 1.0, 2.0).tolist()
    [-0.5, 0.0, 1.0]
    """
    with np.errstate(over="ignore"):  # what overflows lies outside
        return np.clip((values - middle) / half, -1.0, 1.0)


def _columns(
    features: Mapping[str, Sequence[Number]] | Sequence[Sequence[Number]] | Sequence[str] | None,
) -> tuple[tuple[str, ...] | None, tuple[Pair, ...] | None]:
    if features is None:
        return None, None
    if isinstance(features, str) or not (hasattr(features, "__len__") and len(features)):
        rule = 'must name or bound at least one column, such as {"age": (0, 100)} or [(0, 100)]'
        raise InvalidArgumentError("features", features, rule)
    if isinstance(features, Mapping):
        return tuple(features), tuple(_pair(f"bounds of {name}", pair) for name, pair in features.items())
    words = [name for name in features if isinstance(name, str)]
    if words:
        if len(words) < len(features) or len(set(words)) < len(words):
            raise InvalidArgumentError("features", features, "must be names, each once, or pairs of numbers")
        return tuple(words), None
    return None, tuple(_pair(f"bounds of column {j}", pair) for j, pair in enumerate(features, start=1))


def _pair(argument: str, given: Sequence[Number]) -> Pair:
    try:
        ends = [] if isinstance(given, str) else list(given)
    except TypeError:  # one number
        ends = []
    if len(ends) != 2:
        raise InvalidArgumentError(argument, given, "must be a least and a largest value, such as (0, 100)")
    low, high = (exactly(argument, value) for value in ends)
    if low >= high:
        raise InvalidArgumentError(argument, f"[{low}, {high}]", "the least value must be below the largest")
    _middle_and_half(argument, (low, high))
    return low, high


def _middle_and_half(argument: str, pair: Pair) -> tuple[float, float]:
    low, high = pair
    half = positive_double(argument, (high - low) * _MIDDLE)
    try:
        return float((low + high) * _MIDDLE), half
    except OverflowError:
        raise InvalidArgumentError(argument, f"[{low}, {high}]", "must be within the range of doubles") from None


def _key(value: object) -> object:
    """What two labels are compared by: numbers by value, however they are written, and words as they stand."""
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, bool | int):
        return int(value)
    text = str(value).strip()
    if _WHOLE.fullmatch(text):
        return int(text)
    if "_" in text:  # which Python reads as nothing
        return text
    try:
        number = float(text)
    except ValueError:
        return text
    return number if math.isfinite(number) else text


def _finite(value: object, row: int) -> float:
    try:
        found = math.nan if isinstance(value, str) and "_" in value else float(value)  # type: ignore[arg-type]
    except (TypeError, ValueError, OverflowError):
        found = math.nan
    if not math.isfinite(found):
        raise InvalidArgumentError("target", value, f"record {row}: must be a finite number, as the bounds' range says")
    return found
