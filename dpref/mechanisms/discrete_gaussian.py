r"""The discrete Gaussian law, $P(x)\propto e^{-x^2/(2\sigma^2)}$ on the integers, drawn exactly from bits.

With $t=\lfloor\sigma\rfloor+1$, Y discrete Laplace of scale t is kept with probability
$\exp\bigl(-\frac{(|Y|-\sigma^2/t)^2}{2\sigma^2}\bigr)$, else everything begins again: the
exponents of both add to $-\frac{Y^2}{2\sigma^2}-\frac{\sigma^2}{2t^2}$, whose last term does not depend on Y.
Any t is exact; this one keeps a draw with a probability that does not fall with $\sigma$.

With parameter $\sigma^2=p/q$ the exponent is $\frac{(|Y|tq-p)^2}{2pqt^2}$, taken in lowest terms.

References:
    Canonne, Kamath and Steinke, "The discrete Gaussian for differential privacy", 2020, Algorithm 3.
"""

from __future__ import annotations

import math
from fractions import Fraction

from dpref.checks import natural, positive_rational
from dpref.mechanisms.bits import BitSource, exponential_coin
from dpref.mechanisms.discrete_laplace import laplace_draw


def discrete_gaussian(variance: Fraction, source: BitSource) -> int:
    r"""One draw.

    Args:
        variance: $\sigma^2$, exact and positive: the parameter, which the law's own variance is close to above 1.
        source: Of the bits.

    Raises:
        InvalidArgumentError: If the variance is not positive or a float, or recorded bits do not suffice.

    >>> from dpref.mechanisms.bits import SystemBits
    >>> abs(discrete_gaussian(Fraction(1), SystemBits())) < 40  # fails once in 10^300
    True
    """
    (drawn,) = discrete_gaussians(variance, 1, source)
    return drawn


def discrete_gaussians(variance: Fraction, count: int, source: BitSource) -> list[int]:
    """Independent draws.

    Args:
        variance: As of `discrete_gaussian`.
        count: How many.
        source: Of the bits.

    >>> from dpref.mechanisms.bits import SystemBits
    >>> len(discrete_gaussians(Fraction(10), 3, SystemBits()))
    3
    """
    checked = positive_rational("variance", variance)
    p, q = checked.numerator, checked.denominator
    t = math.isqrt(p // q) + 1
    return [_draw(source, p, q, t) for _ in range(natural("count", count))]


def _draw(source: BitSource, p: int, q: int, t: int) -> int:
    step, divisor = t * q, 2 * p * q * t * t
    while True:
        proposed = laplace_draw(source, t, 1)
        gap = (abs(proposed) * step - p) ** 2
        common = math.gcd(gap, divisor)
        if exponential_coin(source, gap // common, divisor // common):
            return proposed
