"""The caller's score, asked about one output at a time.

A bet is fair as long as what it counts of a run is a function of that run's output.  A score of many outputs at once
may be anything else: less their mean, over their spread, by rank.  Rounding would not mend even the last bits in which
a vectorised density differs from batch to batch, because what is next to an edge falls on either side.  So each output
is scored alone, which is exact whatever the score does.  Then all of them are scored at once, and a score
that says something else is refused: alone, it would be valid and say nothing.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Mapping
from dataclasses import fields, is_dataclass
from typing import Any, Final

import numpy as np

from dpref.errors import ForeignCodeError
from dpref.foreign.keeping import kept
from dpref.reals import FloatArray

# By how much a score may differ among others, in single precision and where all are about zero; nothing rests on it.
_CLOSE: Final = 1e-3  # of the largest
_ZERO: Final = 1e-9


def scores_of(score: Callable[[Any], Any], outputs: Any, n: int) -> FloatArray:
    """Scores of n outputs, shape (n, k), each a function of one of them.

    Args:
        score: Of several outputs: one number or some for each.
        outputs: A list of n, or a batch.
        n: How many.

    Raises:
        ForeignCodeError: If it returns another shape, or scores an output otherwise when there are others.

    >>> scores_of(np.abs, [-1.0, 2.0], 2).tolist()
    [[1.0], [2.0]]
    """
    apart = [_scores(score, one_of(outputs, i), 1) for i in range(n)]
    together = _scores(score, kept(outputs), n)
    if any(row.shape[1] != together.shape[1] for row in apart) or not _close(np.concatenate(apart), together):
        rule = "it must score each output by itself, without means, ranks or extremes of those beside it"
        raise ForeignCodeError(f"gives an output another score among {n} outputs than alone: {rule}")
    return np.concatenate(apart)


def _scores(score: Callable[[Any], Any], outputs: Any, n: int) -> FloatArray:
    scores = np.asarray(score(outputs), dtype=np.float64)
    if n == 1 and scores.size:  # whatever squeezes an axis of length one
        return scores.reshape(1, -1)
    if scores.shape[:1] != (n,) or scores.ndim > 2 or scores.size == 0:
        rule = f"it must return one number or some for each of the {n} outputs"
        raise ForeignCodeError(f"returned shape {scores.shape}: {rule}")
    return scores.reshape(n, -1)


def _close(one: FloatArray, other: FloatArray) -> bool:
    finite = np.isfinite(one) & np.isfinite(other)
    if not np.array_equal(one[~finite], other[~finite], equal_nan=True):
        return False
    return bool(np.all(np.abs(one - other)[finite] <= _ZERO + _CLOSE * np.abs(one[finite]).max(initial=0.0)))


def one_of(outputs: Any, i: int) -> Any:
    """The outputs of one run, as those of many are given.

    Args:
        outputs: A list, or a batch.
        i: Which run.

    >>> one_of({"a": np.arange(3), "b": [(), (1,), ()]}, 1)
    {'a': array([1]), 'b': [(1,)]}
    """
    if isinstance(outputs, tuple):
        parts = [one_of(part, i) for part in outputs]
        return type(outputs)._make(parts) if hasattr(outputs, "_make") else tuple(parts)
    if isinstance(outputs, Mapping):
        return {key: one_of(part, i) for key, part in outputs.items()}
    if is_dataclass(outputs) and not isinstance(outputs, type):
        made = copy.copy(outputs)
        for field in fields(outputs):
            object.__setattr__(made, field.name, one_of(getattr(outputs, field.name), i))
        return made
    return outputs[i : i + 1]
