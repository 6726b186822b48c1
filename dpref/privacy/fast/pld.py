r"""The certified fast path: composition of privacy loss distributions in doubles, by tilting and a Fourier transform.

A measure $p$ on the grid $s + kh$ (`GridMeasure`) is composed T times as follows.

1. *Tilt.* $w_k = p_ke^{\alpha+\theta hk}$, with $\theta\ge0$ such that the sum of T draws from w lies typically at the
   wanted epsilon and $\alpha$ such that w sums to one. Then $p^{*T}_K = e^{-T\alpha-\theta hK}\,w^{*T}_K$.
2. *Power.* $w^{*T}$ modulo N, by `dpref.privacy.fast.fft`, every coefficient within a proved distance $E$.
3. *Aliasing.* What lies outside a window of N coefficients weighs at most what Chernoff's bound says, on either side
   $e^{-\lambda b}\bigl(\sum_kw_ke^{\lambda k}\bigr)^T$.
4. *Sum.* With $g_K = e^{-\theta h(K-c)}(1-e^{\varepsilon-L_K})$ and $L_K = Ts+hK$, $\delta(\varepsilon) =
   e^{-T\alpha-\theta hc}\sum_{L_K>\varepsilon}w^{*T}_K\,g_K$ plus the mass at infinity.

The sum in step 4 is of the order of the largest coefficient, and so is $E$: the error of delta is *relative*, however
small delta is.  Everything that is not a vector is evaluated in balls, and each bound is an obligation
``fast-path/...`` that is derived in ``docs/fast-path.md``.

References:
    Koskela, Jälkö and Honkela, "Computing tight differential privacy guarantees using FFT", 2020, Section 5.
    Alghamdi, Gomez, Asoodeh, Calmon, Kosut and Sankar, "The saddle-point method in differential privacy", 2023.
    Zhu, Dong and Wang, "Optimal accounting of differential privacy via characteristic function", 2022, Theorem 10.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from typing import Final, final

import numpy as np
from flint import arb

from dpref.checks import open_unit
from dpref.errors import InvalidArgumentError, PrecisionError
from dpref.privacy.fast.exp import GEOMETRIC_ERROR, UNIT, geometric
from dpref.privacy.fast.fft import BITS, LARGEST_LEVEL, convolution_power
from dpref.privacy.fast.measure import Cumulants, Factors, common_step
from dpref.reals import Exact, FloatArray, ball, exact, lower, precision, upper

TILT_ERROR: Final = GEOMETRIC_ERROR + 1.05  # units by which one tilted mass is off, relatively
NATS: Final = 30.0  # the window leaves out about exp(-30) on either side; what it really leaves out is bounded
ALWAYS: Final = (1.0, 0.0)  # the errors of the test that always says yes
_LEAST_WEIGHT: Final = 2.0**-1000
_FARTHEST: Final = 600.0  # nats by which a weight of the tail sums differs from one; beyond, none is used
_UNDERFLOW: Final = 2.0**-800  # more than what underflows, or has a weight below exp(-600), in a sum of 2**22 terms
_UNDERFLOWN: Final = 2.0**-1050  # more than what 2**22 products lose that underflow
_BISECTIONS: Final = 12  # within one step of the grid


@final
@dataclass(frozen=True)
class Curve:
    """The privacy curve of a composition, certified, near the losses for which it was tilted.

    Attributes:
        origin: Loss of index zero, exact.
        step: Distance of neighbouring losses, exact.
        first: Index of the first coefficient of the window.
        centre: Index at which the weights are one.
        theta: The tilt.
        usable: The first index of the window from which on the weights of the tail sums fit into doubles.
        tails: Sums of coefficients times exp(-theta h (K - centre)) from K on, shape (N,).
        steep_tails: The same with exp(-(theta + 1) h (K - centre)), shape (N,).
        error: Distance within which every coefficient lies.
        outside: Upper bounds on the tilted mass below and above the window.
        scale: exp(-T alpha - theta h centre), with the error of the tilted masses.
        infinity: Mass of the infinite loss.
    """

    origin: Fraction
    step: Fraction
    first: int
    centre: int
    theta: float
    usable: int
    tails: FloatArray
    steep_tails: FloatArray
    error: float
    outside: tuple[arb, arb]
    scale: arb
    infinity: arb

    @property
    def doubt(self) -> float:
        """The part of delta's relative error that no other tilt would make smaller: that of the masses themselves."""
        return upper(self.scale.rad() / self.scale.mid())

    def delta(self, epsilon: Exact) -> tuple[float, float]:
        r"""Lower and upper end of $\delta(\varepsilon)$.

        Args:
            epsilon: Any exact number.

        Returns:
            Doubles; the upper end is 1 if the window (or its usable part) does not reach down to epsilon.
        """
        e = Fraction(epsilon)
        k = math.floor((e - self.origin) / self.step) + 1 - self.first
        with precision(BITS):
            if k < self.usable:
                return max(0.0, lower(self.infinity)), 1.0
            value, error, high = self._sum(k, e)
            left_out = self._ratio(e) * _UNDERFLOW  # of the steep sum, which ends before the plain one
            low_end = value - error - high - left_out - self._alias(k)
            low_end = low_end.nonnegative_part() * self.scale + self.infinity
            high_end = (value + error + high) * self.scale + self.infinity
            return max(0.0, lower(low_end)), min(1.0, upper(high_end))

    def _sum(self, k: int, e: Fraction) -> tuple[arb, arb, arb]:
        """The tail sum from window index k on, its error, and a bound on the part above the window."""
        size = len(self.tails)
        h, theta = ball(self.step), arb(self.theta)
        shift = -theta * h * (min(k, size) + self.first - self.centre)
        largest = shift.exp()  # of all weights from k on
        above = self.outside[1] * largest
        if k >= size:
            return arb(0), arb(0), above
        plain, steep = arb(float(self.tails[k])), self._ratio(e) * float(self.steep_tails[k])
        rounding = (size + 16) * arb(UNIT) * (plain + steep) * (1 + arb(2) ** -20)
        reach = arb(size - k)
        beta = theta * h
        if beta > 2.0**-40:
            reach = reach.min(1 / -(-beta).expm1() - (-h).exp() / -(-beta - h).expm1())
        return plain - steep, rounding + arb(self.error) * largest * reach + _UNDERFLOW, above

    def test(self, loss: Exact) -> tuple[float, float]:
        r"""At most the errors of the test "above this loss", of type I and II, of a measure that bounds from below.

        Args:
            loss: Any exact number.

        Returns:
            Doubles; where the window does not reach down to the loss `ALWAYS`, of another test.
        """
        e = Fraction(loss)
        k = math.floor((e - self.origin) / self.step) + 1 - self.first
        if k < self.usable:
            return ALWAYS
        with precision(BITS):
            p = q = arb(0)
            largest = (-arb(self.theta) * ball(self.step) * (min(k, len(self.tails)) + self.first - self.centre)).exp()
            beyond = self.outside[1] * largest
            if k < len(self.tails):
                size = len(self.tails)
                beta = arb(self.theta) * ball(self.step)
                reach = arb(size - k).min(1 / -(-beta).expm1()) if beta > 2.0**-40 else arb(size - k)
                off = arb(self.error) * largest * reach + _UNDERFLOW  # a steep weight is at most the plain one
                p, q = arb(float(self.tails[k])), self._ratio(e) * float(self.steep_tails[k])
                off += (size + 16) * arb(UNIT) * (p + q) * (1 + arb(2) ** -20)
                p, q = p - off - self._alias(k), q + off
            p = p.nonnegative_part() * self.scale + self.infinity
            q = (q + beyond + self._ratio(e) * _UNDERFLOW) * self.scale * (-ball(e)).exp()
            return min(1.0, upper(q)), min(1.0, max(0.0, upper(1 - p)))

    def _ratio(self, e: Fraction) -> arb:
        """What the steep sum is multiplied with: e to the loss, over that at the centre."""
        return (ball(e - self.origin) - ball(self.step) * self.centre).exp()

    def _alias(self, k: int) -> arb:
        """A bound on what wrapped round into the tail sum."""
        return (self.outside[0] + self.outside[1]) * (
            -arb(self.theta) * ball(self.step) * (k + self.first - self.centre)
        ).exp()

    # -------------------------------------------------------------------------------- epsilon

    def epsilon(self, delta: Exact) -> tuple[float, float]:
        r"""Lower and upper end of $\varepsilon(\delta) = \inf\{\varepsilon\ge0:\delta(\varepsilon)\le\delta\}$.

        The lower end is a double at which delta is certainly exceeded (or zero), the upper end one at which it is
        certainly not (or infinity).

        Args:
            delta: The delta of (epsilon, delta)-DP, exact, in (0, 1).
        """
        d = open_unit("delta", delta)
        both = cache(self.delta)  # the two searches ask at the same losses but for the last few
        low = self._crossing(lambda e: both(e)[0] > d)[0]
        high = self._crossing(lambda e: both(e)[1] > d)[1]
        return low, high

    def _crossing(self, exceeded: Callable[[Fraction], bool]) -> tuple[float, float]:
        """Neighbouring points of a fine grid: exceeded at the left one (unless it is zero), not at the right one.

        The search starts at the loss that is typical under the tilt, where the bounds are tight: far from there a lower
        bound is trivial.
        """

        def at(index: int) -> float:
            return max(0.0, float(self.origin + self.step * (self.first + index)))

        size = len(self.tails)
        low = high = start = self.centre - self.first
        stride = 1
        while exceeded(exact(at(high))):
            if high >= size:
                return at(high), math.inf
            low, high, stride = high, min(high + stride, size), 2 * stride
        while low == high or not exceeded(exact(at(low))):
            if at(low) == 0.0 or low < 0:
                return 0.0, at(high if low == start else low)
            high, low, stride = low, low - stride, 2 * stride
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (middle, high) if exceeded(exact(at(middle))) else (low, middle)
        left, right = at(low), at(high)
        for _ in range(_BISECTIONS):
            e = (left + right) / 2
            left, right = (e, right) if exceeded(exact(e)) else (left, e)
        return left, right


def compose(factors: Factors, *, theta: float) -> Curve:
    r"""The certified privacy curve of a composition near the losses that are typical under a tilt.

    Args:
        factors: Measures on grids of one step, each with how often it is composed.
        theta: The tilt, a finite double of at least zero; any is valid, the right one makes the errors small.

    Returns:
        The curve.

    Raises:
        InvalidArgumentError: If the factors do not fit together.
        PrecisionError: If the window would be too long, or a number leaves the range of doubles.

    >>> from dpref.privacy.fast.measure import GridMeasure
    >>> coin = GridMeasure(Fraction(-1, 8), Fraction(1, 4), np.array([0.46875, 0.53125]))
    >>> low, high = compose([(coin, 100)], theta=2.0).delta(2)
    >>> bool(0 < low < high < 1.000001 * low)
    True
    """
    step, cumulants = common_step(factors), Cumulants.of(factors)
    if not (math.isfinite(theta) and theta >= 0):
        raise InvalidArgumentError("theta", theta, "must be finite and not negative")
    origin = sum((measure.start * count for measure, count in factors), Fraction(0))
    support = sum(count * (len(measure.masses) - 1) for measure, count in factors)
    edges = [cumulants.edge(theta, NATS, sign) for sign in (-1, 1)]
    ends = [(cumulants.at(edge)[1] - float(origin)) / float(step) for edge in edges]
    longest = max(len(measure.masses) for measure, _ in factors)
    needed = max(longest, min(support + 1, math.ceil(ends[1]) - math.floor(ends[0]) + 2))
    levels = (needed - 1).bit_length()
    if levels > LARGEST_LEVEL:
        raise PrecisionError(f"a window of {needed} grid points is too long; use a coarser grid")
    size = 1 << levels
    first = max(0, min(round((ends[0] + ends[1]) / 2) - size // 2, support + 1 - size))
    with precision(BITS):
        tilt = arb(theta) * ball(step)
        tilted, alpha = tilted_masses(factors, tilt)
        power = convolution_power([(w, count) for w, (_, count) in zip(tilted, factors, strict=True)], levels)
        outside = (
            arb(0)
            if first == 0
            else chernoff(tilted, factors, (edges[0] - theta) * float(step), first - 1, above=False),
            arb(0)
            if first + size > support
            else chernoff(tilted, factors, (edges[1] - theta) * float(step), first + size, above=True),
        )
        centre = min(max(round((cumulants.at(theta)[1] - float(origin)) / float(step)), first), first + size - 1)
        spread = sum((count * (arb(TILT_ERROR * UNIT) + arb(m.relative)) for m, count in factors), arb(0))
        scale = (-alpha - tilt * centre + arb(0, spread * (1 + arb(2) ** -9))).exp()
        values = np.roll(power.values, -(first % size))
        steep = tilt + ball(step)
        usable = max(0, centre - first - _reach(steep))
        tails, steep_tails = (
            _suffix_sums(values, centre - first, slice(usable, centre - first + _reach(rate) + 1), rate)
            for rate in (tilt, steep)
        )
        infinity = mass_at_infinity(factors)
    return Curve(origin, step, first, centre, theta, usable, tails, steep_tails, power.error, outside, scale, infinity)


def tilted_masses(factors: Factors, tilt: arb) -> tuple[list[FloatArray], arb]:
    """The tilted masses of every factor, and the sum of all the alphas."""
    tilted, total = [], arb(0)
    for measure, count in factors:
        k = np.flatnonzero(measure.masses)
        exponents = np.log(measure.masses[k]) + float(tilt.mid()) * k
        top = float(exponents.max())
        alpha = -top - math.log(float(np.exp(exponents - top).sum()))
        w = measure.masses * geometric(arb(alpha), tilt, len(measure.masses))
        if not np.all(w[k] >= _LEAST_WEIGHT):
            raise PrecisionError("a tilted mass leaves the range of doubles")
        tilted.append(w)
        total += count * arb(alpha)
    return tilted, total


def chernoff(tilted: list[FloatArray], factors: Factors, slope: float, index: int, *, above: bool) -> arb:
    r"""$e^{-\lambda b}\prod_i(\sum_kw_{i,k}e^{\lambda k})^{T_i}$: at least the mass from b on, or up to b.

    Args:
        tilted: Masses of every factor.
        factors: How often each is composed.
        slope: $\lambda$, as a search in floats found it.  One of the wrong sign would bound the mass on the other side:
            it counts as zero, which bounds by the whole mass.
        index: b.
        above: Whether from b on.
    """
    slope = max(slope, 0.0) if above else min(slope, 0.0)
    exponent, powers = -arb(slope) * index, geometric(arb(0), arb(slope), max(map(len, tilted)))
    for w, (_, count) in zip(tilted, factors, strict=True):
        size = len(w)
        total = float(np.sum(w * powers[:size]))
        exponent += count * (arb(total) * (1 + arb(size + 16) * UNIT) + _UNDERFLOWN).log()
    return exponent.exp().min(arb(2))


def _reach(rate: arb) -> int:
    """How many indices from the centre a weight keeps within its range: each of the two sums has its own rate."""
    return math.floor(_FARTHEST / max(float(rate.mid()), 2.0**-60))


def _suffix_sums(values: FloatArray, centre: int, used: slice, rate: arb) -> FloatArray:
    """Sums from every index on of the values times exp(-rate (k - centre)), without weights out of the range used."""
    weights, stop = np.zeros_like(values), min(used.stop, len(values))
    weights[used] = geometric(rate * (centre - used.start), -rate, stop - used.start)
    return np.asarray(np.cumsum((values * weights)[::-1])[::-1])


def mass_at_infinity(factors: Factors) -> arb:
    r"""$\prod_i(m_i+p_i)^{T_i}-\prod_im_i^{T_i}$, with m the finite mass and p the infinite one of each factor."""
    finite, growth = arb(1), arb(0)
    for measure, count in factors:
        mass = arb(math.fsum(measure.masses)) * arb(1, measure.relative + 2 * UNIT)
        growth += count * (arb(measure.infinity) / mass).log1p()
        finite *= mass**count
    return growth.expm1() * finite if growth > 0 else arb(0)
