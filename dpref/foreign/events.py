"""The choice of events: a search over earlier runs, in which any choice is valid and approximations are good enough.

An event is a set of values of one feature: beyond a threshold, or, of features with few distinct values, any set of
them.  Thresholds are evenly spaced ranks and the outermost ones on either side, where rare leaks lie.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final, Literal, NamedTuple, TypeAlias, final

import numpy as np
from numpy.typing import NDArray

from dpref.foreign.betting import cautious_rates
from dpref.reals import FloatArray

Kind: TypeAlias = Literal["above", "below", "in"]

EVENLY: Final = 512
OUTERMOST: Final = 256
MOST_SYMBOLS: Final = 64
SEVERAL_TIMES: Final = 3  # that a value must come up to stand alone among many
OFTEN: Final = 8  # runs for each distinct value, for values to count as symbols
EXPERTS: Final = 8
EACH: Final = 16  # events of a feature and order in a pool
LATEST: Final = 16_384  # runs that a pool is judged by
_KINDS: Final[tuple[Kind, ...]] = ("above", "below", "in")
_ORDERS: Final[tuple[Literal[0, 1], ...]] = (0, 1)


@final
@dataclass(frozen=True)
class Event:
    """A set of outcomes, and the data set that it speaks for.

    Attributes:
        feature: Which feature.
        kind: ``"above"`` or ``"below"`` a threshold, or ``"in"`` a set of values.
        threshold: The threshold.
        members: The values of the set.
        speaks_for: 1 if the event is claimed to be too frequent on d1, 0 if on d0.
    """

    feature: int
    kind: Kind
    threshold: float
    members: tuple[float, ...]
    speaks_for: Literal[0, 1]

    def of(self, features: FloatArray) -> NDArray[np.bool_]:
        """Which runs are in the event, shape (n,).

        Args:
            features: Shape (n, features).
        """
        return self.within(features[:, self.feature])

    def within(self, column: FloatArray) -> NDArray[np.bool_]:
        """Which values of its feature are in the event, shape (n,).

        Args:
            column: Shape (n,).
        """
        if self.kind == "in":
            return np.isin(column, self.members)
        return np.asarray(column > self.threshold if self.kind == "above" else column < self.threshold)

    def counts(self, first: FloatArray, second: FloatArray) -> tuple[int, int, int, int]:
        """The runs in which both outputs, the accused, the other and neither are in the event.

        Args:
            first: Features on d0, shape (n, features).
            second: Features on d1, likewise.
        """
        seen = self.of(first), self.of(second)
        hit, alarm = seen[self.speaks_for], seen[1 - self.speaks_for]
        both, hits, alarms = (int(np.count_nonzero(x)) for x in (hit & alarm, hit, alarm))
        return both, hits - both, alarms - both, len(hit) - hits - alarms + both

    def words(self, names: Sequence[str]) -> str:
        """The event in words.

        Args:
            names: Of the features.
        """
        what = names[self.feature]
        if self.kind == "in":
            values = ", ".join(f"{value:.6g}" for value in self.members[:6])
            return f"{what} in {{{values}{', ...' if len(self.members) > 6 else ''}}}"
        return f"{what} {'>' if self.kind == 'above' else '<'} {self.threshold:.6g}"


class Pool(NamedTuple):
    """Events of one feature, and what became of them in the latest runs.

    Attributes:
        events: The events, J of them.
        points: At which of some points each is best.
        hits: In each case that came up, which events did on the data sets that they speak for, shape (cases, J).
        alarms: And which on the others, shape (cases, J).
        times: How often each case came up, shape (cases,).
    """

    events: tuple[Event, ...]
    points: NDArray[np.int64]
    hits: NDArray[np.bool_]
    alarms: NDArray[np.bool_]
    times: NDArray[np.int64]


class _Found(NamedTuple):
    """Events of one feature and one order."""

    feature: int
    speaks_for: Literal[0, 1]
    kinds: NDArray[np.int64]
    thresholds: FloatArray
    sets: tuple[tuple[float, ...], ...]
    hits: FloatArray
    alarms: FloatArray


@final
class Field:
    """The events worth a bet: of each feature and order those that no other beats, by frequency here and there.

    Args:
        first: Features on d0, shape (n, features).
        second: Features on d1, shape (n, features).

    >>> from dpref.foreign.betting import log_factors
    >>> field = Field(np.zeros((100, 1)), np.repeat([[0.0], [1.0]], 50, axis=0))
    >>> str(field.best(log_factors(np.array([1.0]), np.zeros(1)), 1).event(0, 0).words(["x"]))
    'x > 0'
    """

    def __init__(self, first: FloatArray, second: FloatArray) -> None:
        self.runs: int = len(first)
        self._parts: list[_Found] = []
        self._starts = np.zeros(1, dtype=np.int64)
        self.rates: FloatArray = np.empty((0, 4))
        self._runs: list[tuple[int, int]] = []
        self._latest: list[tuple[int, FloatArray, FloatArray]] = []
        self.extend(0, first, second)

    def extend(self, start: int, first: FloatArray, second: FloatArray) -> None:
        """More features, perhaps counted on fewer runs.

        Args:
            start: How many features there are before them.
            first: Further features on d0, shape (n, features).
            second: Further features on d1.
        """
        found = [part for j in range(first.shape[1]) for part in _parts(start + j, first[:, j], second[:, j])]
        self._parts += found
        self._runs.append((start, len(first)))
        self._latest.append((start, first[-LATEST:].copy(), second[-LATEST:].copy()))
        self._starts = np.concatenate([[0], np.cumsum([len(part.hits) for part in self._parts])]).astype(np.int64)
        self.rates = np.concatenate([self.rates, *(cautious_rates(f.hits, f.alarms, len(first)) for f in found)])

    def __len__(self) -> int:
        return len(self._parts)

    def best(
        self, factors: FloatArray, most: int = EXPERTS, among: NDArray[np.int64] | None = None, thin: int | None = None
    ) -> Picks:
        """The best event of each feature and order at each point, and of these the best few.

        Args:
            factors: As of `dpref.foreign.betting.log_factors`, shape (points, stakes, 4).
            most: How many of each point.
            among: The features and orders to choose from, as a pick names them; all if not given.
            thin: How many events of each are enough; all if not given.
        """
        places = np.arange(len(self)) if among is None else among
        ends = [(int(self._starts[i]), int(self._starts[i + 1])) for i in places.tolist()]
        runs = [np.arange(begin, end, -(-(end - begin) // (thin or end - begin))) for begin, end in ends]
        starts = np.concatenate([[0], np.cumsum([len(r) for r in runs])[:-1]]).astype(np.int64)
        rows = np.concatenate(runs)
        grown = np.einsum("mc,psc->pms", self.rates[rows], factors, optimize=True)
        top = grown.max(axis=2)
        peaks = np.maximum.reduceat(top, starts, axis=1)
        chosen = np.argsort(-peaks, axis=1, kind="stable")[:, :most]
        sizes = np.diff([*starts, len(rows)])
        first = np.where(top == np.repeat(peaks, sizes, axis=1), np.arange(len(rows)), len(rows))
        at = np.take_along_axis(np.minimum.reduceat(first, starts, axis=1), chosen, axis=1)
        return Picks(self, places[chosen], rows[at], np.take_along_axis(grown, at[:, :, None], axis=1))

    def judged_by(self, row: int) -> int:
        """How many runs an event was counted in.

        Args:
            row: Which one, as a pick names it.
        """
        feature = self._parts[int(np.searchsorted(self._starts, row, side="right")) - 1].feature
        return next(runs for start, runs in reversed(self._runs) if start <= feature)

    def pools(self, factors: FloatArray, most: int) -> list[Pool]:
        """Of the features that look best in both orders together the events that grow, evenly spaced.

        Args:
            factors: As of `dpref.foreign.betting.log_factors`, shape (points, stakes, 4).
            most: How many features.
        """
        grown = np.einsum("mc,psc->pms", self.rates, factors, optimize=True).max(axis=2)
        best, points = grown.max(axis=0), grown.argmax(axis=0)
        peaks = np.maximum.reduceat(best, self._starts[:-1])
        features = np.array([part.feature for part in self._parts])
        won: dict[int, float] = dict.fromkeys(features.tolist(), 0.0)
        for place in np.argsort(-peaks, kind="stable").tolist():
            won[int(features[place])] += max(0.0, float(peaks[place]))
        found = []
        for feature in sorted(won, key=lambda j: -won[j])[:most]:
            rows: list[int] = []
            for place in np.flatnonzero(features == feature).tolist():
                begin, end = int(self._starts[place]), int(self._starts[place + 1])
                growing = begin + np.flatnonzero(best[begin:end] > 0)
                here = growing if len(growing) else np.array([begin + int(best[begin:end].argmax())])
                rows += here[np.unique(np.linspace(0, len(here) - 1, EACH).astype(np.int64))].tolist()
            found.append(self._pool(feature, rows, points[rows]))
        return found

    def _pool(self, feature: int, rows: list[int], points: NDArray[np.int64]) -> Pool:
        start, first, second = next(seen for seen in reversed(self._latest) if seen[0] <= feature)
        events = tuple(self.event(row) for row in rows)
        sides = np.array([[e.within(side[:, feature - start]) for e in events] for side in (first, second)])
        speaks_for, at = np.array([event.speaks_for for event in events]), np.arange(len(events))
        weights = 1 << at
        codes = [np.unique(weights @ side, return_inverse=True, return_index=True) for side in sides]
        cases, times = np.unique(codes[0][2] * len(codes[1][0]) + codes[1][2], return_counts=True)
        runs = [code[1][index] for code, index in zip(codes, np.divmod(cases, len(codes[1][0])), strict=True)]
        seen = np.array([side[:, run] for side, run in zip(sides, runs, strict=True)])
        return Pool(events, points, seen[speaks_for, at].T, seen[1 - speaks_for, at].T, times)

    def event(self, row: int) -> Event:
        """An event of a pick.

        Args:
            row: Which one.
        """
        place = int(np.searchsorted(self._starts, row, side="right")) - 1
        part, i = self._parts[place], row - int(self._starts[place])
        kind = _KINDS[int(part.kinds[i])]
        members = part.sets[int(part.thresholds[i])] if kind == "in" else ()
        threshold = 0.0 if kind == "in" else float(part.thresholds[i])
        return Event(part.feature, kind, threshold, members, part.speaks_for)


class Picks(NamedTuple):
    """Events picked from a field, for each of some points, the best first.

    Attributes:
        field: The field.
        places: Their features and orders, shape (points, experts).
        rows: Which ones, shape (points, experts).
        grown: Their growth at each stake, shape (points, experts, stakes).
    """

    field: Field
    places: NDArray[np.int64]
    rows: NDArray[np.int64]
    grown: FloatArray

    def event(self, point: int, expert: int) -> Event:
        """One of them.

        Args:
            point: Which point.
            expert: Which one of its.
        """
        return self.field.event(int(self.rows[point, expert]))


def _parts(feature: int, x: FloatArray, y: FloatArray) -> Iterator[_Found]:
    a, b = np.sort(x[~np.isnan(x)]), np.sort(y[~np.isnan(y)])
    pooled = np.sort(np.concatenate([a, b]))
    if not pooled.size or (pooled[0] == pooled[-1] and len(a) == len(x) and len(b) == len(y)):
        return
    last = pooled.size - 1
    ranks = np.arange(pooled.size)
    if pooled.size > EVENLY + 2 * OUTERMOST:
        outer = np.arange(OUTERMOST)
        ranks = np.concatenate([outer, last - outer, np.linspace(0, last, EVENLY).astype(np.int64)])
    at = np.unique(pooled[ranks])
    kinds, thresholds = np.repeat([0, 1], len(at)), np.concatenate([at, at])
    counts = [
        np.concatenate([len(s) - np.searchsorted(s, at, side="right"), np.searchsorted(s, at, side="left")])
        for s in (a, b)
    ]
    sets: list[tuple[float, ...]] = []
    symbols, each = _symbols(a, b, pooled)
    if len(symbols):
        order = np.argsort((each[1] + 0.5) / (each[0] + 0.5), kind="stable")
        for turned in (order, order[::-1]):
            sets += [tuple(np.sort(symbols[turned[:stop]]).tolist()) for stop in range(1, len(symbols) + 1)]
            counts = [np.concatenate([c, np.cumsum(e[turned])]) for c, e in zip(counts, each, strict=True)]
        kinds = np.concatenate([kinds, np.full(len(sets), 2)])
        thresholds = np.concatenate([thresholds, np.arange(len(sets))])
    for speaks_for in _ORDERS:
        hits, alarms = counts[speaks_for], counts[1 - speaks_for]
        kept = _unbeaten(hits, alarms)
        if len(kept):
            heard = hits[kept].astype(np.float64), alarms[kept].astype(np.float64)
            yield _Found(feature, speaks_for, kinds[kept], thresholds[kept], tuple(sets), *heard)


def _symbols(a: FloatArray, b: FloatArray, pooled: FloatArray) -> tuple[FloatArray, list[NDArray[np.int64]]]:
    """The values that may stand alone, and how often each came up in a and in b, all of them sorted.

    All values where there are few; else those that came up several times, of which the ones that differ most.
    """
    first = np.flatnonzero(np.concatenate([[True], pooled[1:] != pooled[:-1]]))
    values, times = pooled[first], np.diff(np.append(first, pooled.size))
    few = len(values) <= min(MOST_SYMBOLS, pooled.size // OFTEN)
    values = values if few else values[times >= SEVERAL_TIMES]
    each = [np.searchsorted(s, values, side="right") - np.searchsorted(s, values, side="left") for s in (a, b)]
    if len(values) > MOST_SYMBOLS:
        kept = np.sort(np.argsort(-np.abs(each[1] - each[0]), kind="stable")[:MOST_SYMBOLS])
        values, each = values[kept], [count[kept] for count in each]
    return values, each


def _unbeaten(hits: NDArray[np.int64], alarms: NDArray[np.int64]) -> NDArray[np.int64]:
    """Those that no other beats: fewer or as many alarms and more hits."""
    order = np.lexsort((-hits, alarms))
    best_before = np.maximum.accumulate(np.concatenate([[0], hits[order][:-1]])) if len(order) else order
    return np.asarray(order[hits[order] > best_before])
