r"""A dominating pair as the accountants know it: two distributions by their privacy curve, or by atoms on a lattice.

A pair (P, Q) is known by its curve at every $x \in \mathbb R$, with $L = \ln\frac{dP}{dQ}$,

$$h(x) = \sup_S P(S) - e^x Q(S) = P(L>x) - e^x Q(L>x), \qquad q(x) = Q(L>x),$$

and $-q$ is a slope of h as a convex function of $e^x$.

References:
    Zhu, Dong and Wang, "Optimal accounting of differential privacy via characteristic function", 2022, Definition 7.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import TypeAlias, final

from flint import arb

Curve: TypeAlias = Callable[[arb], tuple[arb, arb]]


@final
@dataclass(frozen=True)
class Split:
    """A pair whose atoms lie on a lattice: a grid that contains it puts them where they are.

    Attributes:
        lattice: The loss of every atom is a multiple of this number.
        atoms: (multiple, P-mass), increasing multiples, at the working precision.
        rest: The curve of what is not in the atoms, or None if nothing is left.
        rest_total: P-mass and Q-mass of the rest.
        above: P-mass of losses above the atoms listed (it counts as infinite loss in an upper bound).
        below: P-mass of losses below the atoms listed (moved up to the first of them in an upper bound).
    """

    lattice: Fraction
    atoms: Callable[[], list[tuple[int, arb]]]
    rest: Curve | None = None
    rest_total: Callable[[], tuple[arb, arb]] = lambda: (arb(0), arb(0))
    above: Callable[[], arb] = lambda: arb(0)
    below: Callable[[], arb] = lambda: arb(0)


@final
@dataclass(frozen=True)
class Pair:
    """Two distributions, known by their curve.

    Attributes:
        name: For messages and methods.
        curve: x, as a ball, to balls that hold h(x) and q(x).
        split: The same pair as atoms on a lattice and a rest, where it has atoms.
        finite: P-mass and Q-mass of finite losses, where that is not all of both.
        kinks: Where the curve bends sharply, which no rational grid holds exactly: very nearly at multiples of this
            number, or zero if there is none; None for a smooth curve.
        smooth: Whether no loss but perhaps zero has a mass of its own, so that any fine grid holds the pair closely.
    """

    name: str
    curve: Curve
    split: Split | None = None
    finite: Callable[[], tuple[arb, arb]] | None = None
    kinks: Fraction | None = None
    smooth: bool = False


@final
@dataclass(frozen=True)
class PairSet:
    """The pairs of one event under one adjacency.

    Attributes:
        remove: Dominates when the first data set has the record.
        add: Dominates when the second data set has it (the same object where direction does not matter).
        attained_remove: A pair that some query attains in that direction, or None: a lower bound must not use more.
        attained_add: Likewise.
        pointwise: Whether at each single loss some query attains what ``remove`` and ``add`` say there, a different one
            at another loss: then one answer's lower end rests on them, and a composition's does not.
    """

    remove: Pair
    add: Pair
    attained_remove: Pair | None
    attained_add: Pair | None
    pointwise: bool = False

    @property
    def smooth(self) -> bool:
        """Whether all its pairs are."""
        known = (self.remove, self.add, self.attained_remove, self.attained_add)
        return all(pair.smooth for pair in known if pair is not None)


def common_lattice(a: Fraction, b: Fraction) -> Fraction:
    """The largest number of which both are multiples.

    >>> common_lattice(Fraction(1, 2), Fraction(1, 3))
    Fraction(1, 6)
    """
    return Fraction(math.gcd(a.numerator * b.denominator, b.numerator * a.denominator), a.denominator * b.denominator)


def on_lattice(step: Fraction, lattice: Fraction | None) -> Fraction:
    """A step near the wanted one: a multiple of the lattice or a fraction of it, or else a short binary fraction.

    >>> on_lattice(Fraction(1, 3), None), on_lattice(Fraction(1, 3), Fraction(1))
    (Fraction(21, 64), Fraction(1, 3))
    """
    if lattice is not None:
        ratio = step / lattice
        return math.floor(ratio) * lattice if ratio >= 1 else lattice / math.ceil(1 / ratio)
    exponent = math.floor(binary_log(step)) - 5
    unit = Fraction(2) ** exponent
    return math.floor(step / unit) * unit


def binary_log(x: Fraction) -> float:
    """Roughly the logarithm to base two, of numbers far outside the doubles too.

    >>> binary_log(Fraction(2) ** 2000)
    2000.0
    """
    return math.log2(x.numerator) - math.log2(x.denominator)


def extended(curve: Curve, other: Curve) -> Curve:
    """A curve for all losses, of one for those that are not negative and that of the other order.

    Args:
        curve: Of (P, Q), asked at x >= 0.
        other: Of (Q, P), or what bounds it, asked at x > 0.

    >>> value, mass = extended(lambda x: (arb(0), arb(0)), lambda x: (arb(0), arb(0)))(arb(-1))
    >>> print(mass, value.str(5, radius=False))
    1.00000000000000 0.63212
    """

    def below(x: arb) -> tuple[arb, arb]:
        value, q = other(-x)
        return -x.expm1() + x.exp() * value, 1 - value - (-x).exp() * q

    def extended(x: arb) -> tuple[arb, arb]:
        if x >= 0:
            return curve(x)
        if x < 0:
            return below(x)
        (a, p), (b, q) = curve(x), below(x)
        return a.union(b), p.union(q)

    return extended


def worse(name: str, one: Pair, other: Pair) -> Pair:
    """What lies above two pairs: the larger of their curves.

    >>> flat = Pair("flat", lambda x: (arb("0.5"), arb(0)))
    >>> worse("both", flat, flat).curve(arb(1))[0] == arb("0.5")
    True
    """

    def curve(x: arb) -> tuple[arb, arb]:
        (a, p), (b, q) = one.curve(x), other.curve(x)
        if a > b:
            return a, p
        if a < b:
            return b, q
        return a.max(b), p.union(q)

    def finite() -> tuple[arb, arb]:
        (p, q), (u, v) = ((arb(1), arb(1)) if pair.finite is None else pair.finite() for pair in (one, other))
        return p.min(u), q.min(v)

    return Pair(name, curve, finite=None if one.finite is None and other.finite is None else finite)
