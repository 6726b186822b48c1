"""The choice of events: a search over earlier runs, in which any choice is valid and approximations are good enough.

An event is a set of values of one feature: beyond a threshold, or, of features with few distinct values, any set of
them.  Thresholds are evenly spaced ranks and the outermost ones on either side, where rare leaks lie.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal, NamedTuple, TypeAlias, final

import numpy as np
from numpy.typing import NDArray

from dpref.foreign.betting import growth
from dpref.reals import FloatArray

Kind: TypeAlias = Literal["above", "below", "in"]

EVENLY: Final = 512
OUTERMOST: Final = 256
MOST_SYMBOLS: Final = 64
EXPERTS: Final = 8


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
        column = features[:, self.feature]
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


class Candidates(NamedTuple):
    """Events of one feature and one order that no other of them beats, by frequency here and there.

    Attributes:
        events: The events.
        hits: How often each came up on the data set that it speaks for.
        alarms: How often on the other.
    """

    events: list[Event]
    hits: FloatArray
    alarms: FloatArray


def candidates(first: FloatArray, second: FloatArray) -> list[Candidates]:
    """The events worth a bet, feature by feature, for both orders.

    Args:
        first: Features on d0, shape (n, features).
        second: Features on d1, shape (n, features).
    """
    found = []
    for feature in range(first.shape[1]):
        x, y = first[:, feature], second[:, feature]
        kinds, thresholds, members, on_first, on_second = _of_feature(x, y)
        for speaks_for in (0, 1):
            hits, alarms = (on_second, on_first) if speaks_for else (on_first, on_second)
            kept = _unbeaten(hits, alarms)
            events = [
                Event(feature, kinds[i], float(thresholds[i]), members.get(i, ()), 1 if speaks_for else 0)
                for i in kept.tolist()
            ]
            found.append(Candidates(events, hits[kept].astype(np.float64), alarms[kept].astype(np.float64)))
    return [one for one in found if one.events]


def best(
    found: Sequence[Candidates], runs: int, factors: FloatArray, most: int = EXPERTS
) -> list[tuple[Event, FloatArray]]:
    """The best event of each feature and order, the best of them first, with its growth at each stake.

    Args:
        found: As of `candidates`.
        runs: How many runs they were counted on.
        factors: As of `dpref.foreign.betting.log_factors`, shape (stakes, 4).
        most: How many.
    """
    picked = []
    for one in found:
        grown = growth(one.hits, one.alarms, runs, factors)
        i = int(grown.max(axis=1).argmax())
        picked.append((one.events[i], grown[i]))
    return sorted(picked, key=lambda pair: -float(pair[1].max()))[:most]


def _of_feature(
    x: FloatArray, y: FloatArray
) -> tuple[list[Kind], FloatArray, dict[int, tuple[float, ...]], NDArray[np.int64], NDArray[np.int64]]:
    """Kinds, thresholds, sets of values, and how often each event came up in x and in y."""
    a, b = np.sort(x[~np.isnan(x)]), np.sort(y[~np.isnan(y)])
    pooled = np.sort(np.concatenate([a, b]))
    if not pooled.size or (pooled[0] == pooled[-1] and len(a) == len(x) and len(b) == len(y)):
        return [], np.empty(0), {}, np.empty(0, dtype=np.int64), np.empty(0, dtype=np.int64)
    outer, last = min(OUTERMOST, pooled.size), pooled.size - 1
    ranks = np.concatenate([np.arange(outer), last - np.arange(outer), np.linspace(0, last, EVENLY).astype(np.int64)])
    at = np.unique(pooled[ranks])
    above = [len(s) - np.searchsorted(s, at, side="right") for s in (a, b)]
    below = [np.searchsorted(s, at, side="left") for s in (a, b)]
    kinds: list[Kind] = ["above" for _ in at]
    kinds += ["below" for _ in at]
    counts = [np.concatenate(pair) for pair in zip(above, below, strict=True)]
    members: dict[int, tuple[float, ...]] = {}
    values = np.unique(pooled) if len(at) <= MOST_SYMBOLS else np.empty(0)
    if 1 < len(values) <= MOST_SYMBOLS:
        each = [np.searchsorted(s, values, side="right") - np.searchsorted(s, values, side="left") for s in (a, b)]
        order = np.argsort((each[1] + 0.5) / (each[0] + 0.5), kind="stable")
        for turned in (order, order[::-1]):
            for stop in range(1, len(values) + 1):
                members[len(kinds)] = tuple(np.sort(values[turned[:stop]]).tolist())
                kinds.append("in")
            counts = [np.concatenate([c, np.cumsum(e[turned])]) for c, e in zip(counts, each, strict=True)]
    thresholds = np.concatenate([at, at, np.zeros(len(members))])
    return kinds, thresholds, members, counts[0], counts[1]


def _unbeaten(hits: NDArray[np.int64], alarms: NDArray[np.int64]) -> NDArray[np.int64]:
    """Those that no other beats: fewer or as many alarms and more hits."""
    order = np.lexsort((-hits, alarms))
    best_before = np.maximum.accumulate(np.concatenate([[0], hits[order][:-1]])) if len(order) else order
    return np.asarray(order[hits[order] > best_before])
