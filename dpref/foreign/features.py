r"""Features of an output: numbers that events are sets of.

*Values*: every numeric leaf rounded to a multiple of $2^{\lfloor\log_2\mathrm{IQR}\rfloor-20}$, its interquartile range
taken from the runs before the first bet.  *Bits*: the leaves as they are, and with them what their low-order bits say,
the sign of zero and the bits of NaN.  NaN is on neither side of any threshold, and a category of its own.  Of texts the
ones that were frequent before are categories, those of each output together and each by itself.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Mapping, Sequence
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
MOST_TEXTS: Final = 63  # that are told apart, the most frequent ones
TEXT_LEAVES: Final = 64  # of an output's texts, the first ones
KNOWN: Final = 0.5  # of the runs, that the texts told apart should cover
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
        texts: The texts that have a code: of each output all together, and where they are several, each by itself.
        names: Of the features.
        given: How many of the first leaves are the caller's scores.
        zeros: Of the bits, which leaves were negative zeros before.
        payloads: Of the bits, which leaves were before a NaN with other bits than the usual one.
        unread: The texts that are mostly new, as in the features' names.
    """

    level: Level
    units: FloatArray
    leaves: tuple[int, ...]
    special: tuple[int, ...]
    structures: tuple[str, ...]
    texts: tuple[Mapping[Hashable, float], ...]
    names: tuple[str, ...]
    given: int = 0
    zeros: tuple[int, ...] = ()
    payloads: tuple[int, ...] = ()
    unread: tuple[str, ...] = ()

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
        zeros, payloads = _unusual(pooled, leaves, given) if level == "bits" else ((), ())
        texts = _columns_of([row for outputs in (first, second) if any(outputs.texts) for row in outputs.texts])
        heads = ("the text",) if len(texts) == 1 else ("the texts", *(f"text {t}" for t in range(len(texts) - 1)))
        heads, counted = heads[: len(texts)], [Counter(column) for column in texts]
        single = list(zip(heads, counted, strict=True))[len(texts) > 1 :]
        return FeatureMap(
            level,
            of,
            leaves,
            special,
            structures=tuple(dict.fromkeys([*first.structures, *second.structures])),
            texts=tuple({text: float(i) for i, (text, _) in enumerate(c.most_common(MOST_TEXTS))} for c in counted),
            names=_names(level, leaves, (special, zeros, payloads), heads, given),
            given=given,
            zeros=zeros,
            payloads=payloads,
            unread=tuple(name for name, counts in single if _is_new(counts)),
        )

    def of(self, outputs: Outputs) -> FloatArray:
        """The features, shape (n, features).

        Args:
            outputs: n outputs.
        """
        raw = self._leaves(outputs.numbers)
        with np.errstate(all="ignore"):
            known = {structure: float(i) for i, structure in enumerate(self.structures)}
            columns = [np.array([known.get(s, -1.0) for s in outputs.structures])[outputs.code][:, None]]
            for codes, texts in zip(self.texts, _columns_of(outputs.texts, len(self.texts)), strict=True):
                columns.append(np.array([codes.get(text, -1.0) for text in texts])[:, None])
            columns.append(raw if self.level == "bits" else self._rounded(raw))
            if self.special:
                odd = raw[:, [self.leaves.index(leaf) for leaf in self.special]]
                columns += [np.isnan(odd).astype(np.float64), np.sign(np.where(np.isinf(odd), odd, 0.0))]
            own = columns[1 + len(self.texts)][:, self.given :]
            if own.shape[1] > 1:
                columns.append(_joint(own))
            if self.level == "bits" and own.shape[1]:
                columns.append(_low_bits(own))
                columns.append(_low_bits(np.diff(own[:, : DIFFERENCES + 1], axis=1)))
            if self.zeros:
                zero = raw[:, [self.leaves.index(leaf) for leaf in self.zeros]]
                columns.append(np.where(zero == 0, np.copysign(1.0, zero), 0.0))
            if self.payloads:
                columns.append(_payloads(raw[:, [self.leaves.index(leaf) for leaf in self.payloads]]))
        return np.hstack(columns)

    def is_given(self, column: int) -> bool:
        """Whether a feature is a score of the caller's.

        Args:
            column: Which feature.
        """
        return 0 <= column - 1 - len(self.texts) < self.given

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


def _payloads(values: FloatArray) -> FloatArray:
    """Of NaN its 52 lowest bits, negative if its sign is set; zero of what is a number."""
    bits = np.ascontiguousarray(values).view(np.int64)
    payload = (bits & ((1 << 52) - 1)).astype(np.float64)
    return np.where(np.isnan(values), np.where(bits < 0, -payload, payload), 0.0)


_USUAL: Final = float(_payloads(np.array([np.nan]))[0])


def _unusual(
    pooled: Sequence[FloatArray], leaves: tuple[int, ...], given: int
) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """The leaves that were negative zeros, and those that were a NaN with unusual bits; of scores none."""
    zeros = np.any([((p == 0) & np.signbit(p)).any(axis=0) for p in pooled], axis=0)
    payloads = np.any([(np.isnan(p) & (_payloads(p) != _USUAL)).any(axis=0) for p in pooled], axis=0)
    found = [tuple(leaf for leaf, is_one in zip(leaves, odd, strict=True) if is_one) for odd in (zeros, payloads)]
    return tuple(leaf for leaf in found[0] if leaf >= given), tuple(leaf for leaf in found[1] if leaf >= given)


def _columns_of(rows: Sequence[tuple[str, ...]], most: int | None = None) -> Sequence[Sequence[Hashable]]:
    """The texts of all outputs, column by column: first those of each output together, then, if several, each alone.

    Args:
        rows: The texts of each output.
        most: How many columns; by default as many as there are.
    """
    count = most
    if count is None:
        width = max(map(len, rows), default=0)
        count = 1 + min(width, TEXT_LEAVES) if width > 1 else width
    return [rows, *([row[t] if t < len(row) else None for row in rows] for t in range(count - 1))][:count]


def _is_new(counted: Counter[Hashable]) -> bool:
    """Whether most runs have a text that is not told apart from others, or came up once."""
    told = sum(times for _, times in counted.most_common(MOST_TEXTS) if times > 1)
    return told < KNOWN * counted.total()


def _names(
    level: Level,
    leaves: tuple[int, ...],
    odd: tuple[tuple[int, ...], tuple[int, ...], tuple[int, ...]],
    texts: tuple[str, ...],
    given: int,
) -> tuple[str, ...]:
    """In the order of the columns; odd leaves are those that were not finite, negative zeros, and unusual NaN."""
    special, zeros, payloads = odd
    own = leaves[given:]
    leaf = {j: f"score {j}" for j in leaves[:given]}
    leaf |= {j: "the output" if len(own) == 1 else f"number {j - given}" for j in own}
    names = ["the structure", *texts, *leaf.values()]
    names += [f"whether {leaf[j]} is NaN" for j in special] + [f"the sign of infinity of {leaf[j]}" for j in special]
    steps = [f"{leaf[b]} less {leaf[a]}" for a, b in pairwise(own)][:DIFFERENCES]
    if len(own) > 1:
        names += ["the mean", "the smallest", "the largest", "where the largest is", "the log mean square"]
        names += ["how many numbers are repeated", *steps]
    if level == "bits" and own:
        names += [f"the lowest bit of {what}" for what in (*(leaf[j] for j in own), *steps)]
    names += [f"the sign of zero of {leaf[j]}" for j in zeros] + [f"the bits of NaN of {leaf[j]}" for j in payloads]
    return tuple(names)
