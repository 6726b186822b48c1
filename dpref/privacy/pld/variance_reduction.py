r"""The dominating pair of stochastic variance reduction, by its curve in balls.

The curve of `dpref.privacy.closed_forms.variance_reduction` bounds $H_{e^x}$ for $x\ge0$ and for both orders of two
data sets; below, $h(x)=1-e^x+e^xh'(-x)$ with the other order's bound $h'$.  Every adaptive step has a curve below it,
and so has what it interpolates between grid points: it composes.

Where a record is replaced the bound is the largest over $\tau=\|h-h'\|\in[0,2]$: of a few intervals, each with its
worst distances.  The maximum over the half-line is searched in doubles and enclosed in balls: on its rising side the
slope falls, so that slope times distance bounds what is left.

The lower end is a pair that gradients attain in every step where both points' are free, by one set of answers each:
two half-lines whose ends doubles choose.  Any choice is a valid lower bound.  At a snapshot itself they are equal: what
DP-SVRG's first step from it spends lies below.
"""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import pairwise
from typing import Final

from flint import arb, ctx

from dpref.errors import PrecisionError, UnsupportedEventError
from dpref.privacy.closed_forms.divergences import normal_cdf
from dpref.privacy.closed_forms.variance_reduction import (
    Distances,
    filled,
    gain,
    gain_rate,
    mass,
    nulled,
    peak,
    replaced,
    revealed,
    separate_until,
)
from dpref.privacy.events.ledger import VarianceReducedGaussian
from dpref.privacy.pld.pair import Curve, Pair, PairSet, extended
from dpref.privacy.time_limit import checkpoint
from dpref.reals import BALL, ball
from dpref.units import Adjacency, ReplaceOne, ZeroOut

_TAU: Final = tuple(Fraction(k, 20) for k in (0, 20, 30, 34, 37, 40))  # the maximum lies near 2, or not far below
_STEPS: Final = 120
_NEAR: Final = 2.0**-36  # relative distance of the two sides of a peak that doubles have found
_WIDER: Final = 2.0**12
_WIDEST: Final = 2.0**40
_SETTLED: Final = 2.0**-48
_FARTHEST: Final = 2.0**40


def variance_reduced_pairs(event: VarianceReducedGaussian, adjacency: type[Adjacency]) -> PairSet:
    """The dominating pairs of one variance-reduced answer, and the pairs that data sets attain.

    Args:
        event: The answer.
        adjacency: Replace-one or zero-out: a fixed number of records is sampled from.

    Raises:
        UnsupportedEventError: Under another adjacency.
        PrecisionError: If a number of the event is beyond the range of doubles.

    >>> event = VarianceReducedGaussian(Fraction(2), batch=1, records=10)
    >>> found = variance_reduced_pairs(event, ReplaceOne)
    >>> [round(float(pair.curve(arb(1))[0].mid()), 6) for pair in (found.remove, found.attained_remove)]
    [0.018686, 0.014775]
    """
    if adjacency not in {ReplaceOne, ZeroOut}:
        why = "a fixed number of records is sampled from; use replace-one or zero-out"
        raise UnsupportedEventError(f"{event} under {adjacency.name}: {why}")
    scales = _Scales(event)
    if adjacency is ReplaceOne:
        bound = Pair(str(event), extended(scales.replaced, scales.replaced), smooth=True)
        remove = add = bound
    else:
        remove = Pair(f"{event}, zeroed out", extended(scales.nulled, scales.filled), smooth=True)
        add = Pair(f"{event}, filled in", extended(scales.filled, scales.nulled), smooth=True)
    records = 2 if adjacency is ReplaceOne else 1
    forward, backward = scales.attained(records)
    attained = Pair(f"{event}, attained", forward, smooth=True)
    return PairSet(remove, add, attained, Pair(f"{event}, attained, reversed", backward, smooth=True))


class _Scales:
    """One event's curves: its rate, and how long a gradient is in units of the noise, in a batch and among all."""

    def __init__(self, event: VarianceReducedGaussian) -> None:
        z = event.noise_multiplier
        if max(z, 1 / z, Fraction(event.records)) > Fraction(_FARTHEST):
            raise PrecisionError(f"{event}: beyond what the search in doubles can square")
        self._rate = Fraction(event.batch, event.records)
        self._c = 1 / (event.batch * event.noise_multiplier)
        self._f = 1 / (event.records * event.noise_multiplier)
        self._known: dict[tuple[tuple[int, ...], int], tuple[arb, arb]] = {}

    def replaced(self, x: arb) -> tuple[arb, arb]:
        """The largest bound over the intervals of tau; both sides of zero ask for the same losses."""
        key = (tuple(map(int, x.man_exp())), ctx.prec) if x.is_exact() else None
        if key is not None and key in self._known:
            return self._known[key]
        checkpoint()
        c, f = ball(self._c), ball(self._f)
        bounds = [self._bound(replaced(BALL, c, f, ball(low), ball(high)), x) for low, high in pairwise(_TAU)]
        found = max(bounds, key=lambda bound: bound[0].upper())
        if key is not None:
            self._known[key] = found
        return found

    def nulled(self, x: arb) -> tuple[arb, arb]:
        """The bound if the second record is null."""
        return self._bound(nulled(BALL, ball(self._c), ball(self._f)), x)

    def filled(self, x: arb) -> tuple[arb, arb]:
        """The bound if the first record is null."""
        return self._bound(filled(BALL, ball(self._c), ball(self._f)), x)

    def _bound(self, d: Distances[arb], x: arb) -> tuple[arb, arb]:
        """The bound at a loss that is not negative."""
        rate = ball(self._rate)
        if not x > separate_until(BALL, d):
            return revealed(BALL, rate, d, x), mass(BALL, rate, d, peak(BALL, d.rest, x), peak(BALL, d.drawn, x))
        low, high, over = self._peak(rate, d, x)
        value = gain(BALL, rate, d, x, low)
        density = (-(v := low.union(high)) * v / 2).exp()
        rest = over.nonnegative_part() * (high - low) * density
        return value + rest.union(arb(0)), mass(BALL, rate, d, v - d.across + d.rest, v)

    def _peak(self, rate: arb, d: Distances[arb], x: arb) -> tuple[arb, arb, arb]:
        """Both sides of the maximum over v, and the rate of the lower one, from which on rates fall."""
        first = peak(BALL, d.rest, x) + d.across - d.rest
        last = peak(BALL, d.drawn, x)
        guess = _searched(float(rate.mid()), Distances(*(float(e.mid()) for e in d)), float(x.mid()))
        near = _NEAR * (1 + abs(guess))
        while math.isfinite(near) and near < _WIDEST:
            low, high = arb(guess - near), arb(guess + near)
            if not low > first:
                low = first
            if not high < last:
                high = last
            over = gain_rate(BALL, rate, d, x, low)
            if over > 0 and (high is last or gain_rate(BALL, rate, d, x, high) < 0):
                return low, high, over
            near *= _WIDER
        return first, last, gain_rate(BALL, rate, d, x, first)

    def attained(self, records: int) -> tuple[Curve, Curve]:
        """The curves of a pair that data sets attain, and of its reverse."""
        back, far = records * self._f, records * (2 * self._c - self._f)

        def tails(x: arb) -> tuple[arb, arb] | None:
            """About the two ends between which the loss is at most x."""
            return _ends(float(self._rate), float(back), float(far), float(x.mid()))

        def laws(ends: tuple[arb, arb] | None) -> tuple[arb, arb]:
            """What P and Q give to what lies outside of the two ends; all, without ends."""
            if ends is None:
                return arb(1), arb(1)
            rate, left, right = ball(self._rate), *ends
            p = (1 - rate) * (normal_cdf(BALL, left + ball(back)) + normal_cdf(BALL, -right - ball(back)))
            p += rate * (normal_cdf(BALL, left - ball(far)) + normal_cdf(BALL, ball(far) - right))
            return p, normal_cdf(BALL, left) + normal_cdf(BALL, -right)

        def forward(x: arb) -> tuple[arb, arb]:
            p, q = laws(tails(x))
            return p - x.exp() * q, q

        def backward(x: arb) -> tuple[arb, arb]:
            p, q = laws(tails(-x))
            return (1 - q) - x.exp() * (1 - p), 1 - p

        return forward, backward


def _searched(rate: float, d: Distances[float], x: float) -> float:
    """About where the rate of the gain is zero; any number is safe."""
    near = d.across - d.rest
    gained, lost = math.log(rate), math.log1p(-rate)

    def excess(v: float) -> tuple[float, float]:
        """The logarithm of the rate's positive part over its negative one, and its slope."""
        a, b = gained, lost + near * v - near * near / 2
        c, e = gained + d.drawn * v - d.drawn**2 / 2, lost + d.across * v - d.across**2 / 2
        up, share = _log_sum(a, b)
        down, part = _log_sum(c, e)
        return up - down - x, share * near - (d.drawn + part * (d.across - d.drawn))

    low, high = d.rest / 2 - x / d.rest + near, d.drawn / 2 - x / d.drawn
    v, moved = high, high - low
    for _ in range(_STEPS):
        value, slope = excess(v)
        low, high = (v, high) if value > 0 else (low, v)
        step = v - value / slope if slope < 0 else math.nan
        # A tangent that does not come near quickly is not followed: the bracket is halved instead.
        quick = low <= step <= high and abs(step - v) <= moved / 2
        following = step if quick else (low + high) / 2
        moved, v = abs(following - v), following
        if moved <= _SETTLED * (1 + abs(v)):
            break
    return v


def _log_sum(a: float, b: float) -> tuple[float, float]:
    """ln(e^a + e^b), and the second one's share."""
    top = max(a, b)
    total = math.exp(a - top) + math.exp(b - top)
    return top + math.log(total), math.exp(b - top) / total


def _ends(rate: float, back: float, far: float, x: float) -> tuple[arb, arb] | None:
    """Doubles near the two answers at which the attained loss is x; None if it is everywhere larger."""
    gained, lost = math.log(rate), math.log1p(-rate)

    def loss(z: float) -> tuple[float, float]:
        value, share = _log_sum(lost - back * z - back * back / 2, gained + far * z - far * far / 2)
        return value - x, share * far - (1 - share) * back

    # The loss is convex: least where the shares of the slopes balance.
    least = (lost - gained + math.log(back / far) + (far * far - back * back) / 2) / (far + back)
    if loss(least)[0] >= 0:
        return None
    found = []
    for outward in (-1.0, 1.0):
        reach = 1.0
        while loss(least + outward * reach)[0] < 0 and reach < _FARTHEST:
            reach *= 2
        inner, outer = least, least + outward * reach
        for _ in range(_STEPS):
            value, slope = loss(outer)
            step = outer - value / slope
            if not min(inner, outer) < step < max(inner, outer) or step == outer:
                break
            outer = step  # a convex function's tangents meet its level from outside
        found.append(arb(outer))
    return found[0], found[1]
