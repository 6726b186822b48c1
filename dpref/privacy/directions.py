r"""The privacy curve of a ledger in each direction, certified at every real loss.

Under add-or-remove-one and zero-out a record is removed or added, and each direction has its own curve; where a record
is replaced both orders of two neighbours are neighbours, and there is one.  Let $h$ be the curve of a direction and
$\bar h$ that of the other one.  Then for $x<0$

$$h(x) = 1-e^x+e^x\,\bar h(-x),$$

so that curves at losses that are not negative say everything, both upper and lower ends.

References:
    Zhu, Dong and Wang, "Optimal accounting of differential privacy via characteristic function", 2022, Lemma 9.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, Final, final

from flint import arb

from dpref.errors import PrecisionError, UnsupportedEventError
from dpref.privacy.accountants import certify
from dpref.privacy.closed_forms import gaussian
from dpref.privacy.composed import Composition, Compositions, Measure
from dpref.privacy.events.ledger import Ledger, NonPrivate
from dpref.privacy.events.walks import alternatives, concentrated_first, multiplicities
from dpref.privacy.interval import Interval
from dpref.privacy.pld.curve_measures import constant, of_pairs
from dpref.privacy.pld.pair import PairSet
from dpref.privacy.pld.pairs import gaussian_pair, pairs
from dpref.reals import DEFAULT_PRECISION, ball, lower, precision, upper
from dpref.units import ReplaceOne

REMOVED: Final = "removed"
ADDED: Final = "added"
REPLACED: Final = "replaced"


@final
@dataclass(frozen=True)
class Direction:
    """One way in which neighbours differ.

    Attributes:
        name: ``"removed"``, ``"added"`` or ``"replaced"``.
        above: What dominates: the largest counts.
        below: What some neighbours attain, each by itself.
        opposite_above: Likewise of the other direction.
        opposite_below: Likewise.
    """

    name: str
    above: tuple[Measure, ...]
    below: tuple[Measure, ...]
    opposite_above: tuple[Measure, ...]
    opposite_below: tuple[Measure, ...]

    def most(self, loss: Fraction) -> float:
        """At least the curve at a loss."""
        if loss >= 0:
            return max(measure.delta(loss) for measure in self.above)
        opposite = max(measure.delta(-loss) for measure in self.opposite_above)
        with precision(DEFAULT_PRECISION):
            return min(1.0, upper(_extended(loss, opposite)))

    def least(self, loss: Fraction) -> float:
        """At most the curve at a loss."""
        found = max((measure.delta(loss) for measure in self.below), default=0.0)
        if loss >= 0:
            return found
        opposite = max((measure.delta(-loss) for measure in self.opposite_below), default=0.0)
        with precision(DEFAULT_PRECISION):
            return max(found, 0.0, lower(_extended(loss, opposite)))


def _extended(loss: Fraction, opposite: float) -> arb:
    x = ball(loss)
    return -x.expm1() + x.exp() * arb(opposite)


def directions(ledger: Ledger[Any], farthest: Fraction) -> tuple[tuple[Direction, ...], ...]:
    """The curves of a ledger, one tuple of directions for each choice of parallel parts.

    Args:
        ledger: Any events that some accountant supports.
        farthest: The largest loss that will be asked for: curves are accurate up to there, and hold beyond.

    Raises:
        UnsupportedEventError: If nothing is known of an event under the ledger's adjacency.
        PrecisionError: If no certified curve is reached.

    >>> from dpref.privacy.events.ledger import Gaussian
    >>> from dpref.units import ZeroOut
    >>> found = directions(Ledger(Gaussian(Fraction(1)), ZeroOut), Fraction(1))
    >>> [direction.name for direction in found[0]]
    ['removed', 'added']
    """
    parts = map(concentrated_first, alternatives(ledger.event))
    return tuple(_named(replace(ledger, event=part), farthest) for part in parts)


def _named(ledger: Ledger[Any], farthest: Fraction) -> tuple[Direction, ...]:
    remove, add = _compositions(ledger, farthest)
    highs, lows = ((remove.above,), (add.above,)), (_known(remove), _known(add))
    if ledger.adjacency is not ReplaceOne:
        return (
            Direction(REMOVED, highs[0], lows[0], highs[1], lows[1]),
            Direction(ADDED, highs[1], lows[1], highs[0], lows[0]),
        )
    above, below = _distinct(highs[0] + highs[1]), _distinct(lows[0] + lows[1])
    return (Direction(REPLACED, above, below, above, below),)


def _known(composition: Composition) -> tuple[Measure, ...]:
    return () if composition.below is None else (composition.below,)


def _distinct(measures: Sequence[Measure]) -> tuple[Measure, ...]:
    return tuple({id(measure): measure for measure in measures}.values())


# ------------------------------------------------------------------------------------ who composes


def _compositions(ledger: Ledger[Any], farthest: Fraction) -> Compositions:
    """By the first way that has an answer: a formula, the fast path, balls, single points."""
    counts = multiplicities(ledger.event)
    if any(isinstance(event, NonPrivate) for event in counts):
        certify(ledger, epsilon=0)  # refuses what else is not supported
        return constant(1)
    if not counts:
        return constant(0)
    if sum(counts.values()) > 1 and all(map(gaussian.supports, counts)):
        return of_pairs(_one_gaussian(ledger))
    failed: PrecisionError | None = None
    for way in (_single, _fast, _fast_curves, _balls):
        try:
            return way(ledger, farthest)
        except UnsupportedEventError:
            continue
        except PrecisionError as error:
            failed = error
    try:
        return _by_points(ledger)
    except PrecisionError as error:
        raise failed or error from None


def _one_gaussian(ledger: Ledger[Any]) -> PairSet:
    """All answers together; what is attained may be less."""
    most, least = gaussian.gdp(ledger).value, gaussian.attained_gdp(ledger)
    one = gaussian_pair(most)
    if least == most:
        return PairSet(one, one, one, one)
    less = gaussian_pair(least) if least else None
    return PairSet(one, one, less, less)


def _single(ledger: Ledger[Any], _farthest: Fraction) -> Compositions:
    (event, count), *others = multiplicities(ledger.event).items()
    if others or count > 1:
        raise UnsupportedEventError("a composition")
    return of_pairs(pairs(event, ledger.adjacency))


def _fast(ledger: Ledger[Any], farthest: Fraction) -> Compositions:
    from dpref.privacy.fast.accountant import composed  # noqa: PLC0415 - slow to load
    from dpref.privacy.fast.side_measures import of_sides  # noqa: PLC0415 - as above

    found = composed(ledger, farthest)
    highs, lows = (tuple(ends[i] for ends in found.values()) for i in range(2))
    return of_sides(highs, lows)


def _fast_curves(ledger: Ledger[Any], farthest: Fraction) -> Compositions:
    from dpref.privacy.fast.curves import METHOD, composed  # noqa: PLC0415 - slow to load
    from dpref.privacy.fast.side_measures import of_sides  # noqa: PLC0415 - as above

    return of_sides(*composed(ledger, farthest), METHOD)


def _balls(ledger: Ledger[Any], farthest: Fraction) -> Compositions:
    from dpref.privacy.pld.accountant import pld_composed  # noqa: PLC0415 - slow to load

    return pld_composed(ledger, farthest)


@final
class _Points:
    """What accountants that know single points say: delta at a loss, of no test."""

    origin, step = Fraction(0), Fraction(1, 32)
    precision = DEFAULT_PRECISION

    def __init__(self, ledger: Ledger[Any], read: dict[Fraction, Interval], *, above: bool) -> None:
        self.ledger = ledger
        self.above = above
        self._read = read
        self.method = certify(ledger, epsilon=0).method

    def delta(self, loss: Fraction) -> float:
        """One end of what `certify` says."""
        if loss < 0:
            return 1.0 if self.above else 0.0
        if loss not in self._read:
            self._read[loss] = certify(self.ledger, epsilon=loss)
        return self._read[loss].upper if self.above else self._read[loss].lower

    def test(self, loss: Fraction) -> tuple[float, float]:
        """Roughly, above, where to look for a tangent; below, the test that always says yes."""
        if not self.above or loss < 0:
            return 1.0, 0.0
        after = loss + self.step
        fall = math.exp(float(after)) - math.exp(float(loss))
        return min(1.0, max(0.0, (self.delta(loss) - self.delta(after)) / fall)), 0.0


def _by_points(ledger: Ledger[Any]) -> Compositions:
    """Of two directions `certify` knows the worse one, so that only of one both ends hold."""
    read: dict[Fraction, Interval] = {}
    below = _Points(ledger, read, above=False) if ledger.adjacency is ReplaceOne else None
    both = Composition(_Points(ledger, read, above=True), below)
    return both, both
