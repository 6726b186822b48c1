r"""The truncated geometric law on $0,\dots,M$: $P(N=k)=2^{-k}/C_M$ with $C_M=2-2^{-M}$.

It is drawn independently of the data and may be published.

References:
    Gonzalez, Guzman and Paquette 2024, Section 3.2, where $p\le C_M\le1$ is asserted; the term k = 0 alone gives
    $C_M\ge1$ (errata, E2; obligation ``private-saddle-points/P33``).
"""

from __future__ import annotations

import numpy as np

from dpref.checks import natural
from dpref.reals import Ops, T


def normaliser(o: Ops[T], truncation: int) -> T:
    r"""$C_M=\sum_{k=0}^M2^{-k}=2-2^{-M}$.

    Args:
        truncation: M, at least 0.

    >>> from dpref.reals import RATIONAL
    >>> normaliser(RATIONAL, 2)
    Fraction(7, 4)
    """
    two = o.number(2)
    return two - two**-truncation


def expected_power(o: Ops[T], truncation: int) -> T:
    r"""$\mathbb E2^N=(M+1)/C_M$: every level adds $2^k\cdot2^{-k}/C_M$.

    Args:
        truncation: M, at least 0.

    >>> from dpref.reals import RATIONAL
    >>> expected_power(RATIONAL, 2)
    Fraction(12, 7)
    """
    return (truncation + 1) / normaliser(o, truncation)


def draw_levels(truncation: int, count: int, rng: np.random.Generator) -> tuple[int, ...]:
    r"""Independent levels, exactly of the law: i uniform on $1,\dots,2^{M+1}-1$, and $N=M-\lfloor\log_2i\rfloor$.

    Args:
        truncation: M, at most 60.
        count: How many.
        rng: The source of randomness.

    Raises:
        InvalidArgumentError: If the truncation or the count is no natural number.

    >>> draw_levels(0, 3, np.random.default_rng(0))
    (0, 0, 0)
    """
    top = natural("truncation", truncation, least=0)
    drawn = rng.integers(1, 2 ** (top + 1), size=natural("count", count))
    return tuple(top + 1 - int(i).bit_length() for i in drawn)
