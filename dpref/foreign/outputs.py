r"""What a callable returned, as numbers and texts: nothing is dropped without being said, and what has more is refused.

An output is a number, a text, bytes, None, an array, or a tuple, list, dict, dataclass of outputs.  Its leaves come in
a fixed order (the keys of a dict sorted).  What is left besides them is its *structure*: types, shapes, dtypes, keys.
NaN and infinities stay what they are, with the bits of NaN and the sign of zero.  Numbers that a double does not hold
are told apart all the same: an integer beyond $2^{53}$ and a long double give several numbers, the nearest double and
rests.  The mask of an array is a part of it.  Not told apart are the orders of a dict's keys, and types of one name.
"""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any, Final, NamedTuple, final

import numpy as np
from numpy.typing import NDArray

from dpref.errors import ForeignCodeError
from dpref.foreign.flat import Entry, Flat, Row, join, open_up, parts_of, stack, together, without_dtype
from dpref.foreign.single import alone, converted
from dpref.reals import FloatArray


@final
@dataclass(frozen=True, eq=False)
class Outputs:
    """n outputs as numbers.

    Attributes:
        structures: The distinct structures, in order of first appearance.
        code: Which one each output has, shape (n,).
        numbers: Numeric leaves, shape (n, width), rows padded with NaN.
        texts: The textual leaves of each output.

    >>> seen = Outputs.of([(1.5, "a"), (float("nan"), "b"), None])
    >>> seen.structures, seen.code.tolist(), seen.numbers[:, 0].tolist(), seen.texts
    (('tuple(float, str)', 'None'), [0, 0, 1], [1.5, nan, nan], (('a',), ('b',), ()))
    """

    structures: tuple[str, ...]
    code: NDArray[np.int64]
    numbers: FloatArray
    texts: tuple[tuple[str, ...], ...]

    def __len__(self) -> int:
        return len(self.code)

    @staticmethod
    def of(outputs: Sequence[Any]) -> Outputs:
        """The outputs of n runs.

        Args:
            outputs: What n calls returned.

        Raises:
            ForeignCodeError: If one holds an object that is neither a number nor a text nor made of such.
        """
        if not len(outputs):
            return _EMPTY
        flat = together(outputs)
        return _mixed(outputs) if flat is None else _assembled(flat, len(outputs))

    @staticmethod
    def batch(output: Any, n: int) -> Outputs:
        """The outputs of n runs that one call returned: axis 0 of every leaf counts them.

        Args:
            output: What the call returned: an array with n rows, a list of n outputs, or a tuple, dict or dataclass
                of such.
            n: Number of runs.

        Raises:
            ForeignCodeError: If a leaf does not have n rows.

        >>> Outputs.batch({"a": np.arange(6.0).reshape(3, 2)}, 3).numbers.shape
        (3, 2)
        """
        flat = _rows(output, n)
        if flat is not None:
            return _assembled(flat, n)
        return Outputs.of(_transposed(output, n))

    @staticmethod
    def concatenate(parts: Iterable[Outputs]) -> Outputs:
        """Several outputs, one after the other.

        Args:
            parts: They may have different structures and widths.

        >>> a, b = Outputs.of([1.0]), Outputs.of([[2.0, 3.0]])
        >>> both = Outputs.concatenate([a, b])
        >>> both.structures, both.numbers.tolist()
        (('float', 'list(2 x float)'), [[1.0, nan], [2.0, 3.0]])
        """
        given = [part for part in parts if len(part)]
        if len(given) < 2:
            return given[0] if given else _EMPTY
        place: dict[str, int] = {}
        for part in given:
            for structure in part.structures:
                place.setdefault(structure, len(place))
        width = max(part.numbers.shape[1] for part in given)
        numbers = np.full((sum(len(part) for part in given), width), np.nan)
        codes, start = [], 0
        for part in given:
            numbers[start : start + len(part), : part.numbers.shape[1]] = part.numbers
            codes.append(np.array([place[s] for s in part.structures], dtype=np.int64)[part.code])
            start += len(part)
        texts = tuple(chain.from_iterable(part.texts for part in given))
        return Outputs(tuple(place), np.concatenate(codes), numbers, texts)

    def take(self, rows: NDArray[np.int64] | slice) -> Outputs:
        """Some of the outputs.

        Args:
            rows: Which ones.
        """
        places = np.arange(len(self))[rows]
        texts = tuple(self.texts[i] for i in places.tolist()) if any(self.texts) else ((),) * len(places)
        return Outputs(self.structures, self.code[rows], self.numbers[rows], texts)


class Scored(NamedTuple):
    """An output, or a batch, with the caller's scores of it.

    Attributes:
        scores: Shape (k,), of a batch (n, k).
        output: What the callable returned.
    """

    scores: FloatArray
    output: Any


def score_columns(outputs: Outputs) -> int:
    """How many of the first numbers are the caller's scores.

    Args:
        outputs: Outputs that were `Scored`.

    >>> score_columns(Outputs.of([Scored(np.zeros(2), 1.0)]))
    2
    """
    found = _SCORED.match(outputs.structures[0]) if outputs.structures else None
    return int(found[1]) if found else 0


_SCORED: Final = re.compile(r"Scored\((?:float64|number)\((\d+),\)")
_EMPTY: Final = Outputs((), np.empty(0, dtype=np.int64), np.empty((0, 0)), ())


def _assembled(flat: Flat, n: int) -> Outputs:
    numbers = np.hstack(flat.numbers) if flat.numbers else np.empty((n, 0))
    texts = tuple(zip(*flat.texts, strict=True)) if flat.texts else ((),) * n
    return Outputs((flat.structure,), np.zeros(n, dtype=np.int64), numbers, texts)


def _mixed(values: Sequence[Any]) -> Outputs:
    """Outputs of several structures: those alike at first sight together, the others one at a time."""
    alike: dict[tuple[type, Hashable, Hashable], list[int]] = {}
    for i, value in enumerate(values):
        alike.setdefault(_sight(value), []).append(i)
    parts, places = [], []
    for rows in alike.values():
        group = [values[i] for i in rows]
        flat = together(group) if len(alike) > 1 or len(group) > 1 else None
        parts += [_assembled(alone(one), 1) for one in group] if flat is None else [_assembled(flat, len(group))]
        places += rows
    back = np.empty(len(places), dtype=np.int64)
    back[places] = np.arange(len(places))
    found = Outputs.concatenate(parts).take(back)
    order = dict.fromkeys(found.code.tolist())
    rank = np.zeros(len(order), dtype=np.int64)
    rank[list(order)] = np.arange(len(order))
    return Outputs(tuple(found.structures[i] for i in order), rank[found.code], found.numbers, found.texts)


def _sight(value: Any) -> tuple[type, Hashable, Hashable]:
    """What tells most structures apart, quickly."""
    if isinstance(value, np.ndarray):
        return np.ndarray, value.shape, value.dtype
    return type(value), len(value) if isinstance(value, tuple | list | Mapping) else 0, 0


# ------------------------------------------------------------------------------------ batches


def _rows(output: Any, n: int) -> Flat | None:
    """A batch whose leaves are arrays of plain numbers with n rows; None if there is anything else."""
    if type(output) is np.ndarray:
        _counts(output, n)
        flat = stack(output, scalar=output.ndim == 1)
        return None if flat is None else without_dtype(flat)
    opened = None if isinstance(output, list) else open_up(output)
    return None if opened is None else join(opened, [_rows(part, n) for part in parts_of(output, opened.keys)])


def _transposed(output: Any, n: int) -> list[Any]:
    """The n outputs of a batch."""
    if isinstance(output, list):
        return list(_counts(output, n))
    opened = open_up(output)
    if opened is None:
        array = converted(output) if hasattr(output, "__array__") else output
        return [Entry(value) for value in _counts(array, n)]
    columns = [_transposed(part, n) for part in parts_of(output, opened.keys)]
    return [Row(opened, row) for row in zip(*columns, strict=True)] if columns else [Row(opened, ())] * n


def _counts(output: Any, n: int) -> Any:
    """What has a row for each of n runs, if it has."""
    if isinstance(output, np.ndarray):
        if output.shape[:1] != (n,):
            raise ForeignCodeError(f"returned an array of shape {output.shape}: axis 0 must count the {n} runs")
    elif not isinstance(output, list):
        raise ForeignCodeError(
            f"returned a {type(output).__name__}: a batch must be an array or a list, or a tuple, dict or dataclass of"
            f" such, whose axis 0 must count the {n} runs"
        )
    elif len(output) != n:
        raise ForeignCodeError(f"returned {len(output)} rows: axis 0 must count the {n} runs")
    return output
