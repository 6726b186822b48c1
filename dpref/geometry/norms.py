r"""The l_p norms, their duals, and the regularity of a dual norm.

A norm is *kappa-regular* with associated norm $\|\cdot\|_+$ if $\|\cdot\|_+^2$ is $\kappa_+$-smooth and
$\|x\|^2\le\|x\|_+^2\le\frac\kappa{\kappa_+}\|x\|^2$ (Juditsky and Nemirovski 2008).  Generalised Gaussian noise on the
associated norm is private for queries whose sensitivity is measured in the norm itself.

References:
    Juditsky and Nemirovski, "Large deviations of vector-valued martingales in 2-smooth normed spaces", 2008.
    Han et al., "On private online convex optimization" (the private-online-frank-wolfe paper), Lemmas 3.2, 3.3 (E-1).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from flint import arb

from dpref.checks import natural, rational
from dpref.errors import InvalidArgumentError
from dpref.reals import FloatArray, ball, evaluate, exact, float_up, upper

Index = Fraction | float


def check_index(p: Index) -> Index:
    """A norm index: an exact number at least 1, or infinity.

    Raises:
        InvalidArgumentError: If it is neither: below 1, or a finite double.

    >>> check_index(2), check_index(math.inf)
    (Fraction(2, 1), inf)
    """
    if p == math.inf:
        return math.inf
    index = rational("p", p)
    if index < 1:
        raise InvalidArgumentError("p", p, "must be at least 1")
    return index


def dual_index(p: Index) -> Index:
    """q with 1/p + 1/q = 1, exact.

    Raises:
        InvalidArgumentError: If p is no norm index.

    >>> dual_index(Fraction(3, 2)), dual_index(Fraction(1)), dual_index(math.inf)
    (Fraction(3, 1), inf, Fraction(1, 1))
    """
    p = check_index(p)
    if p == math.inf:
        return Fraction(1)
    return math.inf if p == 1 else Fraction(p) / (Fraction(p) - 1)


def lp_norm(x: FloatArray, p: Index) -> float:
    """The l_p norm of a vector of shape (d,), in doubles.

    Raises:
        InvalidArgumentError: If p is no norm index.

    >>> lp_norm(np.array([3.0, -4.0]), Fraction(2))
    5.0
    """
    return float(np.linalg.norm(x, ord=float(check_index(p))))


@dataclass(frozen=True)
class Regularity:
    """An associated norm ``scale * l_index`` of the l_q norm in dimension d.

    Attributes:
        kappa: Regularity constant, rounded up.
        index: rho, the index of the associated norm, at least 2.
        scale: The factor before it, rounded up.
        smoothness: kappa_plus of the squared associated norm.

    >>> regularity(Fraction(2), 50)  # the Euclidean norm is its own
    Regularity(kappa=1.0, index=Fraction(2, 1), scale=1.0, smoothness=Fraction(1, 1))
    """

    kappa: float
    index: Fraction
    scale: float
    smoothness: Fraction


def regularity(q: Index, dimension: int) -> Regularity:
    r"""An associated norm of $\|\cdot\|_q$, with a certified constant.

    For $q<2$: $d^{1/q-1/2}\|\cdot\|_2$ with $\kappa=d^{2/q-1}$ (Lemma 3.3).  For $q\ge2$: $\|\cdot\|_\rho$ with
    $\kappa=(\rho-1)d^{2/\rho-2/q}$, $\rho\in[2,q]$ near the best; the print has $\rho-1$ for the index (E-1).

    Args:
        q: Norm index, exact or infinity.
        dimension: d, at least 1.

    Raises:
        InvalidArgumentError: If q is no norm index, or d no positive integer.

    References:
        Juditsky and Nemirovski 2008; Han et al., Lemmas 3.2 and 3.3.

    >>> regularity(Fraction(3), 1000).index, regularity(math.inf, 1000).index
    (Fraction(3, 1), Fraction(25, 2))
    """
    q, d = check_index(q), natural("dimension", dimension)
    if q < 2:
        scale = _power_up(d, 1 / Fraction(q) - Fraction(1, 2))
        # Of the rounded scale, so that the associated norm's square is at most kappa times the norm's, exactly.
        return Regularity(_times_up(scale, Fraction(scale)), Fraction(2), scale, Fraction(1))
    top = 2 * max(1.0, math.log(d)) if q == math.inf else float(q)
    limit = Fraction(math.ceil(2 * top), 2) if q == math.inf else Fraction(q)
    candidates = {limit, Fraction(2), *(Fraction(k, 2) for k in range(4, math.ceil(2 * min(top, 60.0)) + 1))}
    usable = [rho for rho in candidates if 2 <= rho <= limit]
    inverse = Fraction(0) if q == math.inf else 1 / Fraction(q)
    rho = min(sorted(usable), key=lambda r: float(r - 1) * d ** float(2 / r - 2 * inverse))
    return Regularity(_times_up(_power_up(d, 2 / rho - 2 * inverse), rho - 1), rho, 1.0, rho - 1)


def to_euclidean(q: Index, dimension: int) -> Fraction:
    r"""$\|x\|_2\le d^{1/2-1/q}\|x\|_q$ for q above 2, and at most the norm itself below; rounded up.

    Args:
        q: Norm index.
        dimension: d.

    >>> to_euclidean(Fraction(1), 16), round(float(to_euclidean(math.inf, 16)), 9)
    (Fraction(1, 1), 4.0)
    """
    if q <= 2:
        return Fraction(1)
    return exact(_power_up(dimension, Fraction(1, 2) - (Fraction(0) if q == math.inf else 1 / Fraction(q))))


def _power_up(d: int, exponent: Fraction) -> float:
    """d ** exponent, rounded up to a double."""

    def value() -> arb:
        return (ball(d).log() * ball(exponent)).exp()

    return upper(evaluate(value))


def _times_up(x: float, factor: Fraction) -> float:
    return float_up(Fraction(x) * factor)
