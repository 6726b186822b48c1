"""A dominating pair that is known by its curve in balls, read at any loss: a single answer needs no grid."""

from __future__ import annotations

from fractions import Fraction
from typing import Final, final

from flint import arb, ctx

from dpref.privacy.composed import Composition, Compositions
from dpref.privacy.pld.pair import Pair, PairSet
from dpref.privacy.time_limit import checkpoint
from dpref.reals import DEFAULT_PRECISION, ball, lower, precision, upper

METHOD: Final = "curve of a single answer"
_FINEST: Final = 512  # bits
_ACCURATE: Final = 2.0**-46
_STEP: Final = Fraction(1, 1 << 32)


@final
class PairMeasure:
    """A pair as a `dpref.privacy.composed.Measure`.

    Args:
        pair: By its curve.
        above: Whether it bounds from above.

    >>> from dpref.privacy.pld.pairs import gaussian_pair
    >>> errors = PairMeasure(gaussian_pair(Fraction(1)), above=True).test(Fraction(1, 2))
    >>> [round(error, 12) for error in errors]
    [0.158655253931, 0.5]
    """

    origin: Fraction = Fraction(0)
    method = METHOD

    def __init__(self, pair: Pair, *, above: bool) -> None:
        self.pair = pair
        self.above = above
        self.precision: int = DEFAULT_PRECISION
        bends = pair.split.lattice if pair.split is not None else pair.kinks
        self.step: Fraction = bends / max(1, round(bends / _STEP)) if bends else _STEP
        self._read: dict[Fraction, tuple[float, float, float]] = {}

    def _at(self, loss: Fraction) -> tuple[float, float, float]:
        """h in its direction, and both errors of the test, rounded up."""
        if loss not in self._read:
            checkpoint(METHOD)
            bits = DEFAULT_PRECISION
            while True:
                with precision(bits):
                    x = ball(loss)
                    value, q = self.pair.curve(x)
                    ends = lower(value), upper(value)
                    tests = upper(q), upper(1 - value - x.exp() * q)
                if ends[1] - ends[0] <= _ACCURATE * ends[1] or bits >= _FINEST:
                    break
                bits *= 2
            self.precision = max(self.precision, bits)
            h = min(1.0, max(0.0, ends[1] if self.above else ends[0]))
            first, second = (min(1.0, max(0.0, error)) for error in tests)
            self._read[loss] = h, first, second
        return self._read[loss]

    def delta(self, loss: Fraction) -> float:
        """h at a loss, rounded up if the pair bounds from above, else down."""
        return self._at(loss)[0]

    def test(self, loss: Fraction) -> tuple[float, float]:
        """The errors of the test "above this loss", rounded up."""
        return self._at(loss)[1:]


def of_pairs(found: PairSet) -> Compositions:
    """The pairs of one answer.

    >>> from dpref.privacy.pld.pairs import gaussian_pair
    >>> one = gaussian_pair(Fraction(1))
    >>> remove, add = of_pairs(PairSet(one, one, one, None))
    >>> remove.above is add.above, add.below
    (True, None)
    """
    made: dict[tuple[int, bool], PairMeasure] = {}

    def measure(pair: Pair, *, above: bool) -> PairMeasure:
        return made.setdefault((id(pair), above), PairMeasure(pair, above=above))

    def composition(bound: Pair, attained: Pair | None) -> Composition:
        return Composition(measure(bound, above=True), None if attained is None else measure(attained, above=False))

    return composition(found.remove, found.attained_remove), composition(found.add, found.attained_add)


def constant(value: int) -> Compositions:
    """The curve of answers that say nothing (0) or everything (1).

    >>> constant(1)[0].above.delta(Fraction(3))
    1.0
    """

    def curve(x: arb) -> tuple[arb, arb]:
        with precision(ctx.prec):
            inside = (-x.expm1()).max(arb(0))
        return (arb(1), arb(0)) if value else (inside, arb(1) if x < 0 else arb(0))

    name = "no noise" if value else "no answers"
    pair = Pair(name, curve)
    return of_pairs(PairSet(pair, pair, pair, pair))
