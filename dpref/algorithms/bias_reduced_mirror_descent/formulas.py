r"""The ranges and the step of bias-reduced mirror descent over any number system: what proofs read.

Notation: C is $C_M$, at least 1, ``power`` $2^N$, at least 2, $\alpha$ the batch parameter, U the budget of the
stopping rule, ``width`` w; L0 bounds every entry of a record's gradient, and is half of that if a record is nulled
instead of replaced; ``log_inverse_delta`` is $\ln\frac1\delta$.
"""

from __future__ import annotations

from dpref.reals import Ops, T


def gradient_range(o: Ops[T], C: T) -> T:
    r"""$4C_M+1$: how far an estimate on one batch moves, in units of $\alpha L_0$, at the worst level, N = 1.

    Twice the sum of the coefficients' sizes, over the batch's $2^N/\alpha$ records (E3; 4.5 in Proof 3.18).

    >>> from dpref.reals import RATIONAL
    >>> from dpref.mechanisms.truncated_geometric import normaliser
    >>> gradient_range(RATIONAL, normaliser(RATIONAL, 10))
    Fraction(2303, 256)
    """
    return 4 * C + 1


def level_range(o: Ops[T], C: T, power: T) -> T:
    r"""$4C_M+2\cdot2^{-N}$ for $N\ge1$, as a function of $2^N$: twice the coefficients $2C_M2^N+1$, over $2^N$.

    How far an estimate of that level moves, in units of $\alpha L_0$ (E3).

    >>> from fractions import Fraction
    >>> from dpref.reals import RATIONAL
    >>> from dpref.mechanisms.truncated_geometric import normaliser
    >>> level_range(RATIONAL, normaliser(RATIONAL, 1), Fraction(2)), gradient_range(RATIONAL, normaliser(RATIONAL, 1))
    (Fraction(7, 1), Fraction(7, 1))
    """
    return 4 * C + 2 / power


def lowest_level_range(o: Ops[T], C: T) -> T:
    r"""$4C_M-2$ at N = 0, where the half average is the first vertex: coefficients $C_M$ and $1-C_M$ (E3).

    >>> from dpref.reals import RATIONAL
    >>> from dpref.mechanisms.truncated_geometric import normaliser
    >>> lowest_level_range(RATIONAL, normaliser(RATIONAL, 1))
    Fraction(4, 1)
    """
    return 4 * C - 2


def stopping_step(o: Ops[T], width: T, epsilon: T, alpha: T, L0: T, U: T, log_inverse_delta: T) -> T:
    r"""$\tau=\frac\varepsilon{w\,\alpha L_0\sqrt{48U\ln(1/\delta)}}$.

    This is $U=\frac{\varepsilon^2}{48\ln(1/\delta)(w\tau\alpha L_0)^2}$ (Proposition 3.17 with w = 9).

    >>> from dpref.reals import FLOAT
    >>> stopping_step(FLOAT, 8.0, 3.0, 0.5, 1.0, 3.0, 1.0)
    0.0625
    """
    return epsilon / (width * alpha * L0 * o.sqrt(48 * U * log_inverse_delta))
