r"""Tests that an adversary may use, and the choice of one: sets of outcomes on which "neighbour 1" is said.

An outcome is any double: finite, infinite or NaN.  Three kinds of sets are tried.

* `Atom`: one value that came up more than once, or NaN; or everything but that value.  A leak that always shows the
  same number in the middle of the others is found by no threshold.
* `Beyond`: the outcomes beyond a threshold, with or without NaN, which lies on neither side of any number.
* `Bits`: where zeros of both signs or several patterns of NaN came up, which numbers do not tell apart, the outcomes
  whose bits lie in a range (`dpref.audit.bit_patterns`).

Candidates are read off runs that take no part in the evaluation, so their number costs no confidence
(`dpref.audit.empirical`), only time.  Of many distinct numbers, thresholds are the `OUTERMOST` on either side, further
ones whose rank from that side grows by a factor of 1 + 1/256, and `EVENLY` evenly spaced ones.  A leak of probability p
in n runs fills about p n ranks at one end: a threshold at half that rank misses half of the leak, and one at twice that
rank takes in as many innocent outcomes.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from statistics import NormalDist
from typing import Final, Literal, TypeAlias, final

import numpy as np
from numpy.typing import NDArray

from dpref.audit.bit_patterns import Bits, keys, ranges
from dpref.audit.statistics import wilson
from dpref.reals import FloatArray

Aim: TypeAlias = Literal["epsilon", "rho", "mu"]
Scores: TypeAlias = tuple[FloatArray, FloatArray]
Counts: TypeAlias = NDArray[np.intp]

AIMS: Final[tuple[Aim, ...]] = ("epsilon", "rho", "mu")
OUTERMOST: Final = 1024
EVENLY: Final = 4096
MOST_ATOMS: Final = 4096
_GROWTH: Final = 1 + 1 / 256
_WORTH_IT: Final = 1 / 50
_LEAST_ERROR: Final = 1e-300  # below which the search, not the evaluation, takes an error to be this
_ORDERS: Final = (1.05, 1.2, 1.5, 2.0, 3.0, 5.0, 8.0, 16.0, 64.0)
_BOTH_WAYS: Final[tuple[Literal[1, -1], ...]] = (1, -1)


@final
@dataclass(frozen=True)
class Beyond:
    """Say "neighbour 1" if the outcome lies strictly beyond a threshold.

    Attributes:
        threshold: A number, perhaps infinite.
        direction: 1 if larger outcomes speak for neighbour 1, -1 if smaller ones do.
        nan: Whether NaN speaks for neighbour 1 as well.

    >>> Beyond(0.0, 1, nan=True).positives(np.array([-1.0, 0.0, 2.0, np.inf, np.nan]))
    3
    """

    threshold: float
    direction: Literal[1, -1]
    nan: bool = False

    def positives(self, outcomes: FloatArray) -> int:
        """How many of the outcomes, shape (n,), are called neighbour 1."""
        beyond = outcomes > self.threshold if self.direction == 1 else outcomes < self.threshold
        return int(np.count_nonzero(beyond | np.isnan(outcomes) if self.nan else beyond))

    def __str__(self) -> str:
        return f"score {'>' if self.direction == 1 else '<'} {self.threshold:.6g}" + (" or NaN" if self.nan else "")


@final
@dataclass(frozen=True)
class Atom:
    """Say "neighbour 1" if the outcome is one value, or if it is any other.

    Attributes:
        value: The value; NaN is one.
        direction: 1 if the value speaks for neighbour 1, -1 if everything else does.

    >>> Atom(np.nan, -1).positives(np.array([1.0, np.nan, 2.0]))
    2
    """

    value: float
    direction: Literal[1, -1]

    def positives(self, outcomes: FloatArray) -> int:
        """How many of the outcomes, shape (n,), are called neighbour 1."""
        equal = np.isnan(outcomes) if math.isnan(self.value) else outcomes == self.value
        return int(np.count_nonzero(equal if self.direction == 1 else ~equal))

    def __str__(self) -> str:
        return f"score {'is' if self.direction == 1 else 'is not'} {'NaN' if math.isnan(self.value) else self.value}"


Rule: TypeAlias = Beyond | Atom | Bits


def choose(aim: Aim, scores: Scores, delta: Fraction, error: Fraction) -> Rule:
    """The rule that looks best for an aim on the runs at hand; a search, so approximations are good enough.

    Of rules that look as good to within a fiftieth, the one counts whose threshold lies in the widest gap between
    outcomes: an innocent outcome more or less is no reason to cut where others will fall.  A rule of a later kind must
    look better by a fiftieth.

    Args:
        aim: What is to be made large.
        scores: Outcomes on neighbour 0 and on neighbour 1, shapes (n,) and (m,).
        delta: At which epsilon is meant.
        error: Error probability that the evaluation will have.

    >>> zero, one = np.zeros(100), np.array([0.0] * 80 + [np.nan] * 20)
    >>> print(choose("epsilon", (zero, one), Fraction(1, 100), Fraction(1, 20)))
    score is NaN
    """
    z = -NormalDist().inv_cdf(max(float(error), _LEAST_ERROR) / 2)
    best = -math.inf
    found: Rule = Atom(math.nan, 1)
    for family in _families(scores):
        p, q = _approximately(family.hits, scores[1].size, -z), _approximately(family.alarms, scores[0].size, z)
        values = _OBJECTIVES[aim](p, q, float(delta))
        top = float(values.max())
        if best == -math.inf or top > best + _WORTH_IT * abs(best):
            near = np.flatnonzero(values >= top - _WORTH_IT * abs(top))
            best, found = top, family.rule(int(near[np.lexsort((values[near], family.room[near]))[-1]]))
    return found


@final
@dataclass(frozen=True)
class _Family:
    """Rules of one kind.

    Attributes:
        rule: The rule of an index.
        alarms: How often each is positive on neighbour 0, shape (k,), k >= 1.
        hits: How often it is on neighbour 1, shape (k,).
        room: The gap between outcomes that its threshold lies in, shape (k,).
    """

    rule: Callable[[int], Rule]
    alarms: Counts
    hits: Counts
    room: FloatArray


def _families(scores: Scores) -> Iterator[_Family]:
    zero, one = (np.sort(s[~np.isnan(s)]) for s in scores)
    ordered, nans = (zero, one), (scores[0].size - zero.size, scores[1].size - one.size)
    values, multiplicities = np.unique(np.concatenate(ordered), return_counts=True)
    yield from _atoms(ordered, nans, values, multiplicities)
    for nan in (False, True) if any(nans) else (False,):
        for direction in _BOTH_WAYS if values.size else ():
            thresholds, room = (cut[outermost(values.size)] for cut in _cuts(values, direction))
            beyond = [
                o.size - np.searchsorted(o, thresholds, "right") if direction == 1 else np.searchsorted(o, thresholds)
                for o in ordered
            ]
            rule = _beyond(thresholds, direction, nan=nan)
            yield _Family(rule, beyond[0] + nan * nans[0], beyond[1] + nan * nans[1], room)
    yield from _bits(scores)


def _bits(scores: Scores) -> Iterator[_Family]:
    """Ranges of bits where outcomes that differ are one number, or none."""
    found = ranges(np.concatenate(scores), MOST_ATOMS)
    if not found:
        return
    first, last = np.array(found, dtype=np.int64).T
    ordered = [np.sort(keys(s)) for s in scores]
    alarms, hits = (np.searchsorted(o, last, "right") - np.searchsorted(o, first) for o in ordered)
    room = np.zeros(len(found))
    yield _Family(lambda i: Bits(*found[i], 1), alarms, hits, room)
    yield _Family(lambda i: Bits(*found[i], -1), scores[0].size - alarms, scores[1].size - hits, room)


def _beyond(thresholds: FloatArray, direction: Literal[1, -1], *, nan: bool) -> Callable[[int], Rule]:
    return lambda i: Beyond(float(thresholds[i]), direction, nan)


def _cuts(values: FloatArray, direction: Literal[1, -1]) -> Scores:
    """A threshold beyond each value, half-way to the next one or at the value where doubles leave no room; the gaps."""
    ordered = direction * values if direction == 1 else (direction * values)[::-1]
    following = np.append(ordered[1:], math.inf)
    with np.errstate(invalid="ignore", over="ignore"):  # infinities, and gaps wider than any double
        middle, gaps = ordered / 2 + following / 2, following - ordered
    room = np.isfinite(middle) & (ordered <= middle) & (middle < following)
    cuts = np.where(room, middle, ordered)
    cuts[-1] = math.inf
    return (cuts, gaps) if direction == 1 else (-cuts[::-1], gaps[::-1])


def _atoms(ordered: Scores, nans: tuple[int, int], values: FloatArray, multiplicities: Counts) -> Iterator[_Family]:
    """Values that came up more than once, the most frequent ones, and NaN."""
    repeated = np.flatnonzero(multiplicities > 1)
    repeated = repeated[np.argsort(-multiplicities[repeated], kind="stable")[:MOST_ATOMS]]
    atoms = values[repeated]
    alarms, hits = (np.searchsorted(o, atoms, "right") - np.searchsorted(o, atoms) for o in ordered)
    if any(nans):
        atoms, alarms, hits = np.append(atoms, math.nan), np.append(alarms, nans[0]), np.append(hits, nans[1])
    if atoms.size:
        sizes = [o.size + k for o, k in zip(ordered, nans, strict=True)]
        room = np.zeros(atoms.size)
        yield _Family(lambda i: Atom(float(atoms[i]), 1), alarms, hits, room)
        yield _Family(lambda i: Atom(float(atoms[i]), -1), sizes[0] - alarms, sizes[1] - hits, room)


def outermost(count: int) -> Counts:
    """Ranks among ``count`` ordered numbers: all near either end, fewer inside; increasing, none twice.

    >>> outermost(5).tolist()
    [0, 1, 2, 3, 4]
    >>> ranks = outermost(10**6)
    >>> int(ranks[1023]), int(ranks[-1024]), ranks.size < 10_000
    (1023, 998976, True)
    """
    if count <= 2 * OUTERMOST + EVENLY:
        return np.arange(count)
    steps = math.ceil(math.log(count / OUTERMOST) / math.log(_GROWTH))
    growing = (OUTERMOST * _GROWTH ** np.arange(steps)).astype(np.intp)
    near = np.concatenate([np.arange(OUTERMOST), growing[growing < count]])
    return np.unique(np.concatenate([near, count - 1 - near, np.linspace(0, count - 1, EVENLY).astype(np.intp)]))


# ------------------------------------------------------------------------------------ objectives


def _approximately(counts: Counts, trials: int, z: float) -> FloatArray:
    tiny = 1e-12
    return np.clip(wilson(counts.astype(np.float64), trials, z), tiny, 1 - tiny)


def _epsilon_objective(p: FloatArray, q: FloatArray, delta: float) -> FloatArray:
    tiny = 1e-300
    return np.asarray(np.log(np.maximum(np.maximum(p - delta, tiny) / q, np.maximum(1 - q - delta, tiny) / (1 - p))))


def _rho_objective(p: FloatArray, q: FloatArray, delta: float) -> FloatArray:
    best = np.zeros_like(p)
    for a in _ORDERS:
        for x, y in ((p, q), (q, p)):
            hit, miss = a * np.log(x) + (1 - a) * np.log(y), a * np.log1p(-x) + (1 - a) * np.log1p(-y)
            best = np.maximum(best, np.logaddexp(hit, miss) / (a * (a - 1)))
    return np.where(p > q, best, -1.0)


def _mu_objective(p: FloatArray, q: FloatArray, delta: float) -> FloatArray:
    inverse = NormalDist().inv_cdf
    return np.array([inverse(x) - inverse(y) for x, y in zip(p.tolist(), q.tolist(), strict=True)])


_OBJECTIVES: Final[Mapping[Aim, Callable[[FloatArray, FloatArray, float], FloatArray]]] = {
    "epsilon": _epsilon_objective,
    "rho": _rho_objective,
    "mu": _mu_objective,
}
