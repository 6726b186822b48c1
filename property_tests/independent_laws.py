r"""The laws of a mechanism's outputs on neighbouring data sets, written from its definition, and their hockey stick.

Nothing here is the library's: a law is its density, or its list of probabilities, and for laws P and Q
$h(x)=\sup_SP(S)-e^xQ(S)$ is found from the set $S=\{p>e^xq\}$.  On a line that set is a half-line wherever
$p-e^xq$ changes its sign once, from below to above: its end is found by halving, and P and Q of it are sums of tails.
An end that is off by d changes the result by the order of $d^2$, and halving goes on until that is below $10^{-50}$.

Everything is a ball of python-flint at the precision of the context, so that cancellation shows.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Final, TypeAlias

from flint import arb, ctx, fmpq

HALVINGS: Final = 170
_FARTHEST: Final = 80  # standard deviations of integers: the rest is below e^-3000
_FEW: Final = 200  # integers, however small the noise is: more than four of the largest shifts
_FAR_OUT: Final = 1000  # standard deviations, from where on the normal law is evaluated at exact numbers
_FAR: Final = 60  # an end beyond 2^60 standard deviations cuts off nothing that a double shows

Curve: TypeAlias = Callable[[arb], arb]
Weighted: TypeAlias = Sequence[tuple[Fraction, "Fraction | Root"]]
Masses: TypeAlias = Sequence[tuple[arb, arb]]


@dataclass(frozen=True)
class Root:
    """The square root of an exact number."""

    square: Fraction
    negative: bool = False

    def __neg__(self) -> Root:
        return Root(self.square, not self.negative)


def real(number: Fraction | Root) -> arb:
    """A ball that holds a number, at the precision of the context."""
    if isinstance(number, Root):
        root = real(number.square).sqrt()
        return -root if number.negative else root
    return arb(fmpq(number.numerator, number.denominator))


def middle(low: arb, high: arb) -> arb:
    """The point half way, without its radius."""
    return ((low + high) / 2).mid()


# ------------------------------------------------------------------------------------ noise on a line


@dataclass(frozen=True)
class Noise:
    """A law that is symmetric about zero.

    Attributes:
        density: Of a point, up to a factor.
        above: The probability of what lies above a point.
    """

    density: Curve
    above: Curve


def _laplace_above(y: arb) -> arb:
    return (-y).exp() / 2 if y >= 0 else 1 - y.exp() / 2


def _normal_above(y: arb) -> arb:
    """At both ends of a ball far out: FLINT bounds what a radius does there far too widely."""
    z = y / arb(2).sqrt()
    return (z.erfc() if z < _FAR_OUT else z.lower().erfc().union(z.upper().erfc())) / 2


NORMAL: Final = Noise(lambda y: (-y * y / 2).exp(), _normal_above)
LAPLACE: Final = Noise(lambda y: (-abs(y)).exp(), _laplace_above)


def on_a_line(noise: Noise, first: Weighted, second: Weighted) -> Curve:
    """h of two mixtures of shifted copies of one noise, whose ratio rises from left to right.

    Args:
        noise: The law of the noise, in its own unit.
        first: Weights and centres of P, the weights positive.
        second: Those of Q.
    """

    def curve(x: arb) -> arb:
        alpha = x.exp()
        p, q = ([(real(weight), real(centre)) for weight, centre in side] for side in (first, second))

        def excess(y: arb) -> arb:
            mine, other = (sum((w * noise.density(y - c) for w, c in side), arb(0)) for side in (p, q))
            return mine - alpha * other

        end = half_line(excess)
        if end is None:
            return arb(0)
        return sum((w * noise.above(end - c) for w, c in p), arb(0)) - alpha * sum(
            (w * noise.above(end - c) for w, c in q), arb(0)
        )

    return curve


def half_line(excess: Curve) -> arb | None:
    """Where a function passes from below zero to above it; None if it is positive nowhere near."""
    step = arb(1)
    for _ in range(_FAR):
        if excess(step) > 0:
            break
        step *= 2
    else:
        return None
    low = arb(-1)
    for _ in range(_FAR):
        if not excess(low) > 0:
            break
        low *= 2
    high = step
    for _ in range(HALVINGS):
        y = middle(low, high)
        if excess(y) > 0:
            high = y
        else:
            low = y
    return high


def reflected(side: Weighted) -> Weighted:
    """A mixture seen from the other end of the line."""
    return [(weight, -centre) for weight, centre in side]


def either_way(noise: Noise, first: Weighted, second: Weighted) -> Curve:
    """The larger h of (P, Q) and (Q, P), P's ratio to Q rising from left to right."""
    forward, back = on_a_line(noise, first, second), on_a_line(noise, reflected(second), reflected(first))
    return largest(forward, back)


def largest(*curves: Curve) -> Curve:
    """The largest of several curves at each x."""

    def curve(x: arb) -> arb:
        found = arb(0)
        for each in curves:
            found = found.max(each(x))
        return found

    return curve


# ------------------------------------------------------------------------------------ noise on the integers


@dataclass(frozen=True)
class Steps:
    """Probabilities of integers, symmetric about zero and falling away from it.

    Attributes:
        mass: Of an integer.
        above: The probability of all integers from one on.
        reach: Up to where they are known.
        geometric: Whether they fall by one factor from each integer to the next, so that no ratio of mixtures changes
            beyond their centres.
    """

    mass: Callable[[int], arb]
    above: Callable[[int], arb]
    reach: int
    geometric: bool = False


Lattice: TypeAlias = Callable[[int], Steps]


def discrete_laplace(scale: Fraction) -> Lattice:
    """Probabilities proportional to the powers of $e^{-1/b}$, whose tails are geometric series."""

    def law(reach: int) -> Steps:
        ratio = (-1 / real(scale)).exp()

        def above(k: int) -> arb:
            return ratio ** arb(k) / (1 + ratio) if k > 0 else 1 - ratio ** arb(1 - k) / (1 + ratio)

        def mass(k: int) -> arb:
            return ratio ** arb(abs(k)) * (1 - ratio) / (1 + ratio)

        return Steps(mass, above, reach, geometric=True)

    return law


def discrete_gaussian(sigma: Fraction) -> Lattice:
    r"""Probabilities proportional to $e^{-k^2/(2\sigma^2)}$; both tails are summed."""

    def law(reach: int) -> Steps:
        most = min(reach, int(_FARTHEST * float(sigma)) + _FEW) + int(2 * float(sigma) * ctx.prec**0.5) + 2
        masses, tails = _gaussian_tails(sigma, 1 << most.bit_length(), ctx.prec)

        def above(k: int) -> arb:
            return tails[k] if k > 0 else 1 - tails[1 - k]

        return Steps(lambda k: masses[abs(k)], above, most)

    return law


@lru_cache(maxsize=64)
def _gaussian_tails(sigma: Fraction, reach: int, bits: int) -> tuple[tuple[arb, ...], tuple[arb, ...]]:
    """The masses of 0, 1, 2, ... and their sums from each on, at a precision of the context."""
    assert bits == ctx.prec
    unit = (-1 / (2 * real(sigma) ** 2)).exp()
    mass, masses, odd, square = arb(1), [], unit, unit * unit
    for _ in range(2 * reach + 1):
        masses.append(mass)
        mass, odd = mass * odd, odd * square
    # What is left out: neighbours there have at most the ratio of the first two.
    tails = [arb(0).union(mass / (1 - odd))]
    for mass in reversed(masses):
        tails.append(tails[-1] + mass)
    tails.reverse()
    whole = 2 * tails[0] - masses[0]
    return tuple(m / whole for m in masses), tuple(t / whole for t in tails)


def on_integers(noise: Lattice, first: Weighted, second: Weighted) -> Curve:
    """As `on_a_line`, the centres being integers."""

    def curve(x: arb) -> arb:
        alpha = x.exp()
        p, q = ([(real(weight), _whole(centre)) for weight, centre in side] for side in (first, second))
        left, right = min(c for _, c in p + q), max(c for _, c in p + q)

        def excess(law: Steps, k: int) -> arb:
            mine, other = (sum((w * law.mass(k - c) for w, c in side), arb(0)) for side in (p, q))
            return mine - alpha * other

        high = 2 * (right - left) + 1
        law = noise(2 * high)
        while not excess(law, left + high) > 0:
            if law.geometric:
                return arb(0)
            high *= 2
            law = noise(2 * high)
            if law.reach < high + right - left:
                return arb(0).union(law.above(law.reach + left - right))
        low, high = left - 1, left + high
        while excess(law, low) > 0:
            low = 2 * low - left
        while high - low > 1:
            k = (low + high) // 2
            low, high = (low, k) if excess(law, k) > 0 else (k, high)
        mine, other = (sum((w * law.above(high - c) for w, c in side), arb(0)) for side in (p, q))
        return mine - alpha * other

    return curve


def _whole(centre: Fraction | Root) -> int:
    assert isinstance(centre, Fraction)
    assert centre.denominator == 1
    return centre.numerator


# ------------------------------------------------------------------------------------ finitely many outcomes


def on_outcomes(outcomes: Callable[[], Masses]) -> Curve:
    """h of two lists of probabilities."""

    def curve(x: arb) -> arb:
        alpha, total = x.exp(), arb(0)
        for p, q in outcomes():
            total += (p - alpha * q).max(arb(0))
        return total

    return curve


def swapped(outcomes: Callable[[], Masses]) -> Callable[[], Masses]:
    """The same outcomes of (Q, P)."""
    return lambda: [(q, p) for p, q in outcomes()]


def diluted(outcomes: Callable[[], Masses], rate: Fraction) -> Callable[[], Masses]:
    """P with probability `rate`, else Q, against Q: a record that takes part now and then."""
    return lambda: [(real(1 - rate) * q + real(rate) * p, q) for p, q in outcomes()]


def outcomes_either_way(outcomes: Callable[[], Masses]) -> Curve:
    """The larger h of (P, Q) and (Q, P)."""
    return largest(on_outcomes(outcomes), on_outcomes(swapped(outcomes)))


def response(epsilon: Fraction, categories: int, category: int | None) -> Callable[[], list[arb]]:
    """The answers to one category, or uniform ones."""

    def law() -> list[arb]:
        if category is None:
            return [arb(1) / categories] * categories
        odds = real(epsilon).exp()
        whole = odds + categories - 1
        return [(odds if k == category else arb(1)) / whole for k in range(categories)]

    return law


def two_candidates(epsilon: Fraction, rate: Fraction, *, back: bool) -> Curve:
    r"""h of the exponential mechanism on a sample, for the worst pair of candidates.

    Scores of two candidates move apart by twice the sensitivity: odds of $e^s$ against one become $e^{s+\varepsilon}$
    against one.  Which s is worst depends on x; h rises with s to one top, falls and is zero from some s on.

    Args:
        epsilon: Of the mechanism.
        rate: With which the record takes part.
        back: Whether the second data set has the record, not the first.
    """

    def at(odds: arb, x: arb) -> arb:
        outcomes = diluted(_candidates(epsilon, -odds - real(epsilon) if back else odds), rate)
        return on_outcomes(swapped(outcomes) if back else outcomes)(x)

    return lambda x: highest(lambda odds: at(odds, x), -2 * real(epsilon) - 400, arb(400))


def _candidates(epsilon: Fraction, odds: arb) -> Callable[[], Masses]:
    def masses() -> Masses:
        weight, moved = odds.exp(), (odds + real(epsilon)).exp()
        return [(moved / (1 + moved), weight / (1 + weight)), (1 / (1 + moved), 1 / (1 + weight))]

    return masses


def highest(value: Curve, low: arb, high: arb) -> arb:
    """The largest value of a function that rises to one top, falls, and may be constant beyond it."""
    edges = [(low + (high - low) * k / 48).mid() for k in range(49)]
    best = max(range(len(edges)), key=lambda k: value(edges[k]).mid())
    low, high = edges[max(best - 1, 0)], edges[min(best + 1, len(edges) - 1)]
    for _ in range(HALVINGS):
        third = (high - low) / 3
        a, b = (low + third).mid(), (high - third).mid()
        if value(a) < value(b):
            low = a
        else:
            high = b
    return value(middle(low, high))
