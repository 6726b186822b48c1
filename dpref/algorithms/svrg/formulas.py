r"""The noise of DP-SVRG as printed, and the ranges in which it is proved (Wang, Ye, Xu 2017, Eqs. 3 and 6).

Notation: G bounds the gradients, n is the number of records, b (``batch``) how many of them are sampled, K (``steps``)
the steps as the theorems count them, Tm or $2^Tm$, c and $c_1$ their open constants; ``log_inverse_delta`` is
$\ln\frac1\delta$, in Eq. (6) $\ln\frac2\delta$.
"""

from __future__ import annotations

from dpref.reals import Ops, T


def printed_variance(o: Ops[T], c: T, G: T, steps: T, log_inverse_delta: T, n: T, epsilon: T) -> T:
    r"""$\sigma^2=c\,\frac{G^2K\ln(1/\delta)}{n^2\varepsilon^2}$, c unspecified in the paper.

    Eq. (3) with $K=Tm$; Eq. (6) with $K=2^Tm$ and $\ln\frac2\delta$.

    >>> from fractions import Fraction
    >>> from dpref.reals import RATIONAL
    >>> printed_variance(RATIONAL, *map(Fraction, (8, 1, 50, 10, 100, 2)))
    Fraction(1, 10)
    """
    return c * G * G * steps * log_inverse_delta / (n * n * epsilon * epsilon)


def largest_epsilon(o: Ops[T], c1: T, batch: T, n: T, steps: T) -> T:
    r"""$c_1\frac{b^2K}{n^2}$: the end of the range of Theorems 4.1 and 4.3 (b = 1 in the print).

    >>> from fractions import Fraction
    >>> from dpref.reals import RATIONAL
    >>> largest_epsilon(RATIONAL, Fraction(7), Fraction(3), Fraction(100), Fraction(1000))
    Fraction(63, 10)
    """
    return c1 * batch * batch * steps / (n * n)


def logarithmic_range(o: Ops[T], log_inverse_delta: T) -> T:
    r"""$2\ln\frac1\delta$: the end of the range in which the proved constants hold (E9).

    >>> from fractions import Fraction
    >>> from dpref.reals import RATIONAL
    >>> logarithmic_range(RATIONAL, Fraction(3))
    Fraction(6, 1)
    """
    return 2 * log_inverse_delta
