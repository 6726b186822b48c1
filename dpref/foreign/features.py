r"""Features of an output: numbers that events are sets of.

*Values*: every numeric leaf rounded to a multiple of $2^{\lfloor\log_2\mathrm{IQR}\rfloor-20}$, its interquartile range
taken from the runs before the first bet.  *Bits*: the leaves as they are, and with them what their low-order bits say.
NaN is on neither side of any threshold, and a category of its own.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from itertools import pairwise
from typing import Final, Literal, TypeAlias, final

import numpy as np

from dpref.foreign.outputs import Outputs, score_columns
from dpref.reals import FloatArray

Level: TypeAlias = Literal["values", "bits"]

FINER: Final = 20  # binary digits below the interquartile range
MOST_LEAVES: Final = 64  # of an output's numbers, those that differ most
DIFFERENCES: Final = 30
MOST_TEXTS: Final = 63
_WHOLE: Final = 2.0**52  # doubles from here on have no binary digits after the point


def units(seen: Outputs) -> FloatArray:
    """To multiples of what each leaf is rounded, shape (width,).

    Args:
        seen: Earlier outputs.

    >>> units(Outputs.of([0.0, 1.0, 2.0, 3.0])).tolist() == [2.0**-20]
    True
    """
    found = np.ones(seen.numbers.shape[1])
    for j, column in enumerate(seen.numbers.T):
        finite = column[np.isfinite(column)]
        if not finite.size:
            continue
        with np.errstate(over="ignore"):
            low, high = np.quantile(finite, [0.25, 0.75])
            spread = high - low or finite.max() - finite.min()
        if 0 < spread < np.inf:
            found[j] = 2.0 ** max(np.floor(np.log2(spread)) - FINER, -1022)
    return found


@final
@dataclass(frozen=True, eq=False)
class FeatureMap:
    """The features of outputs, frozen by earlier ones.

    Attributes:
        level: Values or bits.
        units: As of `units`.
        leaves: Which leaves are looked at.
        special: Which of them were NaN or infinite before.
        structures: The structures that have a code.
        texts: The texts that have a code.
        names: Of the features.
        given: How many of the first leaves are the caller's scores.
    """

    level: Level
    units: FloatArray
    leaves: tuple[int, ...]
    special: tuple[int, ...]
    structures: tuple[str, ...]
    texts: tuple[tuple[str, ...], ...]
    names: tuple[str, ...]
    given: int = 0

    @staticmethod
    def fit(level: Level, of: FloatArray, first: Outputs, second: Outputs, *, scored: bool = False) -> FeatureMap:
        """The features that outputs like earlier ones have.

        Args:
            level: Values or bits.
            of: What `units` found.
            first: Earlier outputs on d0.
            second: Earlier outputs on d1.
            scored: Whether the caller's scores come with each output.
        """
        given = score_columns(first) if scored else 0
        width = min(first.numbers.shape[1], second.numbers.shape[1], len(of))
        leaves = _most_different(first.numbers[:, :width], second.numbers[:, :width], given)
        pooled = [outputs.numbers[:, leaves] for outputs in (first, second)]
        odd = np.any([(~np.isfinite(p)).any(axis=0) for p in pooled], axis=0) if leaves else np.empty(0)
        special = tuple(leaf for leaf, is_odd in zip(leaves, odd, strict=True) if is_odd)
        counted = Counter(row for outputs in (first, second) if any(outputs.texts) for row in outputs.texts)
        texts = tuple(text for text, _ in counted.most_common(MOST_TEXTS))
        names = _names(level, leaves, special, bool(texts), given)
        structures = tuple(dict.fromkeys([*first.structures, *second.structures]))
        return FeatureMap(level, of, leaves, special, structures, texts, names, given)

    def of(self, outputs: Outputs) -> FloatArray:
        """The features, shape (n, features).

        Args:
            outputs: n outputs.
        """
        raw = self._leaves(outputs.numbers)
        with np.errstate(all="ignore"):
            known = {structure: float(i) for i, structure in enumerate(self.structures)}
            columns = [np.array([known.get(s, -1.0) for s in outputs.structures])[outputs.code][:, None]]
            if self.texts:
                codes = {text: float(i) for i, text in enumerate(self.texts)}
                columns.append(np.array([codes.get(row, -1.0) for row in outputs.texts])[:, None])
            columns.append(raw if self.level == "bits" else self._rounded(raw))
            if self.special:
                odd = raw[:, [self.leaves.index(leaf) for leaf in self.special]]
                columns += [np.isnan(odd).astype(np.float64), np.sign(np.where(np.isinf(odd), odd, 0.0))]
            own = columns[1 + bool(self.texts)][:, self.given :]
            if own.shape[1] > 1:
                columns.append(_joint(own))
            if self.level == "bits" and own.shape[1]:
                columns.append(_low_bits(own))
                columns.append(_low_bits(np.diff(own[:, : DIFFERENCES + 1], axis=1)))
        return np.hstack(columns)

    def is_given(self, column: int) -> bool:
        """Whether a feature is a score of the caller's.

        Args:
            column: Which feature.
        """
        return 0 <= column - 1 - bool(self.texts) < self.given

    def _leaves(self, numbers: FloatArray) -> FloatArray:
        """The leaves that are looked at; one that these outputs do not have is NaN."""
        wanted = np.array(self.leaves, dtype=np.int64)
        missing = wanted >= numbers.shape[1]
        if missing.any():
            numbers = np.hstack([numbers, np.full((len(numbers), int(wanted.max()) + 1 - numbers.shape[1]), np.nan)])
        return numbers[:, wanted]

    def _rounded(self, raw: FloatArray) -> FloatArray:
        unit = self.units[list(self.leaves)]
        coarse = np.round(raw / unit) * unit
        return np.where(np.abs(raw) / unit < _WHOLE, coarse, raw)


def _most_different(first: FloatArray, second: FloatArray, given: int) -> tuple[int, ...]:
    """All leaves, or of many the caller's scores and those whose means or variances differ most."""
    width = first.shape[1]
    if width <= MOST_LEAVES:
        return tuple(range(width))
    x, y = (np.nan_to_num(values, nan=0.0, posinf=0.0, neginf=0.0) for values in (first, second))
    scale = np.sqrt(x.var(axis=0) + y.var(axis=0)) + 1e-300
    moved = np.abs(x.mean(axis=0) - y.mean(axis=0)) / scale
    wider = np.abs(np.log((x.var(axis=0) + 1e-300) / (y.var(axis=0) + 1e-300)))
    differ = np.maximum(moved, wider / 2)
    differ[:given] = np.inf
    return tuple(sorted(np.argsort(-differ, kind="stable")[:MOST_LEAVES].tolist()))


def _joint(leaves: FloatArray) -> FloatArray:
    """Of several leaves: mean, extremes and where the largest is, size, repetitions, and successive differences."""
    ordered = np.sort(leaves, axis=1)
    size = np.log(np.mean(leaves * leaves, axis=1))
    filled = np.where(np.isnan(leaves), -np.inf, leaves)
    summary = [leaves.mean(axis=1), ordered[:, 0], filled.max(axis=1), filled.argmax(axis=1), size]
    repeated = (ordered[:, 1:] == ordered[:, :-1]).sum(axis=1)
    steps = np.diff(leaves[:, : DIFFERENCES + 1], axis=1)
    return np.column_stack([*summary, repeated.astype(np.float64), steps])


def _low_bits(values: FloatArray) -> FloatArray:
    """The exponent of the least significant set bit; NaN of what has none."""
    mantissa, exponent = np.frexp(values)
    whole = np.nan_to_num(mantissa * 2.0**53).astype(np.int64)
    lowest = np.log2((whole & -whole).astype(np.float64))
    return np.where(np.isfinite(values) & (values != 0), exponent + lowest - 53, np.nan)


def _names(level: Level, leaves: tuple[int, ...], special: tuple[int, ...], texts: bool, given: int) -> tuple[str, ...]:
    """In the order of the columns."""
    own = leaves[given:]
    leaf = {j: f"score {j}" for j in leaves[:given]}
    leaf |= {j: "the output" if len(own) == 1 else f"number {j - given}" for j in own}
    names = ["the structure", *(["the text"] if texts else []), *leaf.values()]
    names += [f"whether {leaf[j]} is NaN" for j in special] + [f"the sign of infinity of {leaf[j]}" for j in special]
    steps = [f"{leaf[b]} less {leaf[a]}" for a, b in pairwise(own)][:DIFFERENCES]
    if len(own) > 1:
        names += ["the mean", "the smallest", "the largest", "where the largest is", "the log mean square"]
        names += ["how many numbers are repeated", *steps]
    if level == "bits" and own:
        names += [f"the lowest bit of {what}" for what in (*(leaf[j] for j in own), *steps)]
    return tuple(names)
