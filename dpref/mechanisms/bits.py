r"""Random bits, and the exact coins that are made of them: integers and rationals alone, no floating-point number.

A source hands out bits one after another; what is drawn is a function of them that another language can repeat:

* `BitSource.below`: a uniform integer below n is read from the next $\lceil\log_2n\rceil$ bits, the first of them the
  highest, again until it is below n.
* `BitSource.bernoulli`: a coin of probability a/b in lowest terms is "U below b is below a".
* `bernoulli_exp`: a coin of probability $e^{-\gamma}$.  For $0\le\gamma\le1$ let K be the first k = 1, 2, ... whose
  coin of probability $\gamma/k$ fails; K is odd with probability $1-\gamma+\frac{\gamma^2}2-\dots=e^{-\gamma}$.  For
  $\gamma>1$ all of $\lfloor\gamma\rfloor$ coins of probability $e^{-1}$ have to succeed, the first failure ends it, and
  then one of $e^{-(\gamma-\lfloor\gamma\rfloor)}$.

References:
    Canonne, Kamath and Steinke, "The discrete Gaussian for differential privacy", 2020, Algorithm 1.
    Forsythe, "Von Neumann's comparison method for random sampling", 1972 (the alternating series).
"""

from __future__ import annotations

import math
import secrets
from abc import ABC, abstractmethod
from fractions import Fraction
from typing import Final, final

import numpy as np

from dpref.checks import natural, rational
from dpref.errors import InvalidArgumentError

_BLOCK: Final = 64  # bytes that are asked for at once


class BitSource(ABC):
    """Independent fair bits, one after another."""

    @abstractmethod
    def take(self, count: int) -> int:
        """The next ``count`` bits as an integer, the first of them the highest; no bits are zero."""

    def below(self, n: int) -> int:
        """A uniform integer in ``range(n)``, n at least 1.

        >>> RecordedBits("11" "10").below(3)  # 3 is drawn again
        2
        """
        width = (n - 1).bit_length()
        while True:
            drawn = self.take(width)
            if drawn < n:
                return drawn

    def bernoulli(self, numerator: int, denominator: int) -> bool:
        """A coin that shows True with probability ``numerator / denominator``, natural numbers in lowest terms.

        >>> RecordedBits("0").bernoulli(1, 2), RecordedBits("").bernoulli(1, 1)
        (True, True)
        """
        return self.below(denominator) < numerator


@final
class SystemBits(BitSource):
    """Bits of the operating system's cryptographic generator: what a release should be made of.

    None are kept for later: a copy, a forked process or another thread would use them a second time.

    >>> SystemBits().below(6) in range(6)
    True
    """

    def take(self, count: int) -> int:
        """As of `BitSource.take`."""
        return secrets.randbits(count)


@final
class GeneratorBits(BitSource):
    """Bits of a numpy generator, for tests and audits: they can be repeated, so they protect nobody.

    Args:
        rng: The generator.

    >>> one, other = (GeneratorBits(np.random.default_rng(3)) for _ in range(2))
    >>> one.take(100) == other.take(100)
    True
    """

    def __init__(self, rng: np.random.Generator) -> None:
        self._rng = rng
        self._held, self._width = 0, 0

    def take(self, count: int) -> int:
        """As of `BitSource.take`."""
        while self._width < count:
            self._held = self._held << (8 * _BLOCK) | int.from_bytes(self._rng.bytes(_BLOCK), "big")
            self._width += 8 * _BLOCK
        self._width -= count
        drawn = self._held >> self._width
        self._held ^= drawn << self._width
        return drawn


@final
class RecordedBits(BitSource):
    """Bits that somebody wrote down: with them a draw is a known answer.

    Args:
        bits: A text of 0 and 1.

    >>> bits = RecordedBits("101")
    >>> bits.take(2), bits.used
    (2, 2)
    """

    def __init__(self, bits: str) -> None:
        given: object = bits
        if not isinstance(given, str) or set(given) - {"0", "1"}:
            raise InvalidArgumentError("bits", bits, "must be a text of 0 and 1")
        self._bits = bits
        self.used: int = 0

    def take(self, count: int) -> int:
        """As of `BitSource.take`; refused where the text ends."""
        if self.used + count > len(self._bits):
            raise InvalidArgumentError("bits", len(self._bits), "are too few for this draw; record more of them")
        drawn = self._bits[self.used : self.used + count]
        self.used += count
        return int(drawn, 2) if drawn else 0


def exponential_coin(source: BitSource, numerator: int, denominator: int) -> bool:
    r"""A coin of probability $e^{-\gamma}$, $\gamma$ = ``numerator / denominator``; unchecked, for inner loops.

    Args:
        source: Of the bits.
        numerator: At least 0.
        denominator: At least 1.

    >>> exponential_coin(RecordedBits("1"), 1, 1)  # the coin of 1 succeeds, that of 1/2 fails: K = 2
    False
    """
    whole, rest = divmod(numerator, denominator)
    for _ in range(whole):
        if not _small_coin(source, 1, 1):
            return False
    return _small_coin(source, rest, denominator)


def _small_coin(source: BitSource, numerator: int, denominator: int) -> bool:
    """The coin for an exponent of at most one."""
    k = 1
    while True:
        below = denominator * k
        common = math.gcd(numerator, below)
        if not source.bernoulli(numerator // common, below // common):
            return k % 2 == 1
        k += 1


def bernoulli_exp(exponent: Fraction, source: BitSource) -> bool:
    r"""A coin that shows True with probability exactly $e^{-\gamma}$.

    Args:
        exponent: $\gamma$, exact, at least 0.
        source: Of the bits.

    Raises:
        InvalidArgumentError: If the exponent is negative or a float, or recorded bits do not suffice.

    >>> bernoulli_exp(Fraction(1, 2), RecordedBits("1"))  # the first coin, of 1/2, fails: K = 1
    True
    """
    checked = rational("exponent", exponent)
    return exponential_coin(source, checked.numerator, checked.denominator)


def uniform(count: int, source: BitSource) -> int:
    """A uniform integer in ``range(count)``.

    Args:
        count: At least 1.
        source: Of the bits.

    >>> uniform(5, RecordedBits("100"))
    4
    """
    return source.below(natural("count", count))
