r"""Curves of mixtures of normal laws against one normal law, and of a record that is drawn more than once.

$P=\sum_iw_iN(s_i)$ and $Q=N(0)$ on the line, $s_i\ge0$, in units of the noise: their ratio
$\sum_iw_ie^{s_iy-s_i^2/2}$ grows with y, so that every test that counts is a half-line.  Where the ratio crosses a
level is found by Newton's method and then enclosed: the ratio is below the level at one end of a ball and above it at
the other.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final, final

from flint import arb, ctx

from dpref.errors import PrecisionError
from dpref.privacy.closed_forms.divergences import normal_cdf
from dpref.reals import BALL

_SPARE_BITS: Final = 12
_STEPS: Final = 200
_WIDENINGS: Final = 60


@final
@dataclass(frozen=True)
class Mixture:
    r"""$\sum_iw_iN(s_i)$, in balls.

    Attributes:
        still: The weight of $N(0)$.
        parts: Weight and centre of each other part, centres positive.
    """

    still: arb
    parts: Sequence[tuple[arb, arb]]

    def log_ratio(self, y: arb) -> arb:
        """The loss at a point of the line."""
        return sum((w * (s * y - s * s / 2).exp() for w, s in self.parts), self.still).log()

    def crossing(self, level: arb) -> arb:
        """A ball that holds the point at which the loss is a level above that of the weight at zero.

        Raises:
            PrecisionError: If it is not found at the working precision.
        """

        def excess(y: arb) -> arb:
            return self.log_ratio(y) - level

        def slope(y: arb) -> arb:
            terms = [(w * (s * y - s * s / 2).exp(), s) for w, s in self.parts]
            return sum((t * s for t, s in terms), arb(0)) / sum((t for t, _ in terms), self.still)

        # One part alone reaches the level here, so all of them exceed it: Newton's steps from there never overshoot.
        start = min(((level - w.log() + s * s / 2) / s for w, s in self.parts), key=lambda y: float(y.mid()))
        return enclosed_root(excess, slope, start)

    def removed(self, x: arb) -> tuple[arb, arb]:
        r"""$h(x)$ and $q(x)$ of $(P,Q)$.

        >>> value, _ = Mixture(arb("0.9"), [(arb("0.1"), arb(1))]).removed(arb(1))
        >>> print(value.str(5, radius=False))
        0.00020712
        """
        least = -x.expm1()
        room = x.exp() - self.still
        if room <= 0:
            return least, arb(1)
        if not room > 0:
            return least.union(least + room.upper().nonnegative_part()), arb(0).union(arb(1))
        y = self.crossing(x)
        second = _above(y)
        first = sum((w * _above(y - s) for w, s in self.parts), self.still * second)
        return first - x.exp() * second, second

    def added(self, x: arb) -> tuple[arb, arb]:
        r"""The same of $(Q,P)$, whose losses are at most $-\ln w_0$."""
        room = 1 - x.exp() * self.still
        if room <= 0:
            return arb(0), arb(0)
        if not room > 0:
            return arb(0).union(room.upper()), arb(0).union(arb(1))
        y = self.crossing(-x)
        first = _above(-y)
        second = sum((w * _above(s - y) for w, s in self.parts), self.still * first)
        return first - x.exp() * second, second


def drawn_often(still: arb, parts: Sequence[tuple[arb, arb, arb]], x: arb) -> tuple[arb, arb]:
    r"""A bound on the curve of a record that is drawn a random number of times, for $x\ge0$.

    Not drawn, the answer has a law R on both data sets; drawn k times, laws $B_k$ and $C_k$ with $\|B_k-R\|\le a_k$ and
    $\|B_k-C_k\|\le c_k$.  With $R(S)=\Phi(r)$ and $B_k(S)=\Phi(v_k)$, $v_k\le r+a_k$ (Neyman and Pearson),

    $$P(S)-e^xQ(S)\le\sum_kw_k[\Phi(v_k)-e^x\Phi(v_k-c_k)]-(e^x-1)w_0\Phi(r).$$

    Each bracket is largest at $v_k=\frac{c_k}2-\frac x{c_k}$, if r allows it.  The whole is concave in $\Phi(r)$.

    Args:
        still: $w_0$, not negative.
        parts: $w_k$, $a_k$ and $c_k$, all positive.
        x: The loss.

    Returns:
        The bound, and the mass of Q where it is attained.

    >>> print(drawn_often(arb("0.9"), [(arb("0.1"), arb(1), arb(1))], arb("0.5"))[0].str(5, radius=False))
    0.0020325
    """
    e, gain = x.exp(), x.expm1()
    best = [c / 2 - x / c for _, _, c in parts]

    def value(places: Sequence[arb], missing: arb, none: arb) -> tuple[arb, arb]:
        drawn = list(zip(parts, places, strict=True))
        second = sum((w * _above(c - v) for (w, _, c), v in drawn), arb(0))
        first = sum((w * _above(-v) for (w, _, _), v in drawn), arb(0))
        return first - e * second - missing * still * none, second + still * none

    if not x > 0 or still.is_zero():
        high, mass = value(best, arb(0), arb(1))
        # The mass falls with x, and at once where x leaves zero: of a level that may be either, both ends count.
        least = still if still.is_zero() or not x.upper() > 0 else drawn_often(still, parts, x.upper())[1]
        return high.union(high - gain.upper().nonnegative_part() * still), mass.union(still).union(least)

    def rise(r: arb) -> arb:
        """The slope in R(S), less what r costs."""
        return sum((w * _density_gain(r, a, c, e) for w, a, c in parts), -gain * still)

    def fall(r: arb) -> arb:
        slopes = (w * _density_slope(r, a, c, e) for w, a, c in parts)
        return -sum(slopes, arb(0))

    top = max((v - a for v, (_, a, _) in zip(best, parts, strict=True)), key=lambda y: float(y.mid()))
    r = enclosed_root(lambda y: -rise(y), fall, _left_of(rise, top))
    return value([v.min(r + a) for v, (_, a, _) in zip(best, parts, strict=True)], gain, _above(-r))


def _densities(r: arb, a: arb, c: arb, e: arb) -> tuple[arb, arb]:
    r"""$\varphi(r+a)$ and $e^x\varphi(r+a-c)$, over $\varphi(r)$."""
    rest = a - c
    return (-r * a - a * a / 2).exp(), e * (-r * rest - rest * rest / 2).exp()


def _density_gain(r: arb, a: arb, c: arb, e: arb) -> arb:
    """Their difference where it is positive, else 0."""
    first, second = _densities(r, a, c, e)
    return (first - second).nonnegative_part()


def _density_slope(r: arb, a: arb, c: arb, e: arb) -> arb:
    first, second = _densities(r, a, c, e)
    return arb(0) if (first - second).mid() <= 0 else -a * first + (a - c) * second


def _left_of(rise: Callable[[arb], arb], top: arb) -> arb:
    """A point at which a decreasing function is positive, not far left of where it is."""
    low, high, stride = top.mid(), top.mid(), 1.0
    for _ in range(_STEPS):
        low = (top - stride).mid()
        if rise(low) > 0:
            break
        high, stride = low, 2 * stride
    for _ in range(_STEPS):
        middle = ((low + high) / 2).mid()
        if high - low < 1e-3:
            break
        low, high = (middle, high) if rise(middle) > 0 else (low, middle)
    return low


def enclosed_root(excess: Callable[[arb], arb], slope: Callable[[arb], arb], start: arb) -> arb:
    """A ball that holds the root of an increasing function: it is negative at one end and positive at the other.

    Args:
        excess: The function.
        slope: Roughly its derivative.
        start: Where Newton's method begins.

    Raises:
        PrecisionError: If no ball is found.

    >>> print(enclosed_root(lambda y: y * y - 2, lambda y: 2 * y, arb(2)).str(5, radius=False))
    1.4142
    """
    y = start.mid()
    unit = arb(2) ** (_SPARE_BITS - ctx.prec)
    for _ in range(_STEPS):
        step = (excess(y) / slope(y)).mid()
        if not step.is_finite():
            break
        y = (y - step).mid()
        if abs(step) <= unit * (1 + abs(y)):
            break
    radius = unit * (1 + abs(y))
    for _ in range(_WIDENINGS):
        low, high = (y - radius).lower(), (y + radius).upper()
        if excess(low) < 0 and excess(high) > 0:
            return low.union(high)
        radius *= 4
    raise PrecisionError("where a likelihood ratio crosses a level could not be enclosed")


def _above(y: arb) -> arb:
    """The mass of N(0) above y."""
    return normal_cdf(BALL, -y)
