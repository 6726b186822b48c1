r"""The discrete Laplace law, $P(x)\propto e^{-|x|/b}$ on the integers, drawn exactly from bits.

With $b=t/s$ in lowest terms: U is uniform below t and is kept with probability $e^{-U/t}$, else everything begins
again; V counts coins of $e^{-1}$ until one fails.  Then $U+tV$ is geometric with ratio $e^{-1/t}$, and
$\lfloor(U+tV)/s\rfloor$ with ratio $e^{-s/t}$.  A fair coin gives the sign (True is negative), and a negative zero
begins again: kept, it would give zero twice its probability.

Added to an integer that moves by at most $\Delta$ it is $\Delta/b$-DP, exactly.

References:
    Canonne, Kamath and Steinke, "The discrete Gaussian for differential privacy", 2020, Algorithm 2.
    Ghosh, Roughgarden and Sundararajan, "Universally utility-maximizing privacy mechanisms", 2009 (the law).
"""

from __future__ import annotations

from fractions import Fraction

from dpref.checks import positive_rational
from dpref.mechanisms.bits import BitSource, exponential_coin


def discrete_laplace(scale: Fraction, source: BitSource) -> int:
    r"""One draw.

    Args:
        scale: b, exact and positive.
        source: Of the bits.

    Raises:
        InvalidArgumentError: If the scale is not positive or a float, or recorded bits do not suffice.

    >>> from dpref.mechanisms.bits import RecordedBits
    >>> discrete_laplace(Fraction(1), RecordedBits("001" "1" "0"))  # a coin, one that fails, the sign
    -1
    """
    checked = positive_rational("scale", scale)
    return laplace_draw(source, checked.numerator, checked.denominator)


def laplace_draw(source: BitSource, t: int, s: int) -> int:
    """One draw of scale t / s, natural numbers in lowest terms; unchecked, for inner loops.

    Args:
        source: Of the bits.
        t: The scale's numerator.
        s: Its denominator.

    >>> from dpref.mechanisms.bits import RecordedBits
    >>> laplace_draw(RecordedBits("11"), 1, 1)
    0
    """
    while True:
        small = source.below(t)
        if not exponential_coin(source, small, t):
            continue
        large = 0
        while exponential_coin(source, 1, 1):
            large += 1
        magnitude = (small + t * large) // s
        negative = source.bernoulli(1, 2)
        if not (negative and magnitude == 0):
            return -magnitude if negative else magnitude
