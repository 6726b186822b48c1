"""Compositions of the fast path read at every loss: tilted anew wherever the tilts so far do not tell delta."""

from __future__ import annotations

from fractions import Fraction
from typing import Final, final

from dpref.errors import PrecisionError
from dpref.privacy.composed import Composition, Compositions
from dpref.privacy.fast.accountant import Side
from dpref.privacy.fast.doubles import in_doubles
from dpref.privacy.fast.fft import BITS
from dpref.privacy.fast.grids import METHOD
from dpref.privacy.fast.measure import Cumulants, Factors, common_step
from dpref.privacy.fast.pld import ALWAYS, Curve, compose
from dpref.privacy.time_limit import checkpoint

_GOOD: Final = 1e-6  # relative error of delta up to which a curve tilted for another loss is used
_SAME: Final = 0.02  # a tilt that is relatively so near to one that was tried is not tried again


@final
class SideMeasure:
    """A composition as a `dpref.privacy.composed.Measure`.

    Args:
        factors: Measures and how often each is composed.
        above: Whether they bound from above.
        method: What computed it.
    """

    precision = BITS

    def __init__(self, factors: Factors, *, above: bool, method: str = METHOD) -> None:
        self.factors = factors
        self.above = above
        self.method = method
        self.step: Fraction = common_step(factors)
        self.origin: Fraction = sum((measure.start * count for measure, count in factors), Fraction(0))
        self._cumulants = Cumulants.of(factors)
        self._curves: list[Curve] = []
        self._tried: list[float] = []
        self._chosen: dict[Fraction, tuple[Curve, ...]] = {}

    def _near(self, loss: Fraction) -> tuple[Curve, ...]:
        """The composition tilted for about this loss; all that there are where none tells delta accurately."""
        if loss not in self._chosen:
            nearest = self._nearest(loss)
            if nearest is None or not _accurate(nearest, loss):
                self._tilt(loss)
                nearest = self._nearest(loss)
            good = nearest is not None and _accurate(nearest, loss)
            self._chosen[loss] = (nearest,) if nearest is not None and good else tuple(self._curves)
        return self._chosen[loss]

    def _nearest(self, loss: Fraction) -> Curve | None:
        return min(self._curves, key=lambda c: abs(c.origin + c.step * c.centre - loss), default=None)

    def _tilt(self, loss: Fraction) -> None:
        """Compose once more, with the tilt for a loss, unless one like it was tried."""
        checkpoint(METHOD)
        try:
            with in_doubles():
                theta = self._cumulants.tilt_for_loss(float(loss))
                if any(abs(theta - other) <= _SAME * other for other in self._tried):
                    return
                self._tried.append(theta)
                self._curves.append(compose(self.factors, theta=theta))
        except PrecisionError:  # this tilt says nothing: what the others say holds
            return

    def delta(self, loss: Fraction) -> float:
        """h at a loss, in the direction of the bound."""
        found = [curve.delta(loss) for curve in self._near(loss)]
        if self.above:
            return min((high for _, high in found), default=1.0)
        return max((low for low, _ in found), default=0.0)

    def test(self, loss: Fraction) -> tuple[float, float]:
        """The errors of the test "above this loss": at most these, of a measure that bounds from below.

        Of two curves that both tell them the lesser bound of each error holds.  A curve that does not reach down to the
        loss tells those of another test, which always says yes: with one of them it would be a test that nothing is.
        """
        found = [errors for curve in self._near(loss) if (errors := curve.test(loss)) != ALWAYS]
        if not found:
            return ALWAYS
        return min(first for first, _ in found), min(second for _, second in found)


def _accurate(curve: Curve, loss: Fraction) -> bool:
    """Whether another tilt would not make a relative error much smaller."""
    low, high = curve.delta(loss)
    return high - low <= (_GOOD + 4 * curve.doubt) * low


def of_sides(above: tuple[Side, ...], below: tuple[Side, ...], method: str = METHOD) -> Compositions:
    """The two directions of what was composed; where there is one for both, it is both.

    Args:
        above: One side or two, which bound from above.
        below: Likewise, from below; a side without factors says nothing.
        method: What computed them.
    """
    highs = [SideMeasure(side.factors, above=True, method=method) for side in above]
    lows = [SideMeasure(side.factors, above=False, method=method) if side.factors else None for side in below]
    return (Composition(highs[0], lows[0]), Composition(highs[-1], lows[-1]))
