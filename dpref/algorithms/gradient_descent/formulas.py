r"""The formulas of DP-GD over any number system: what proofs read (Wang, Ye, Xu 2017, Eq. 11 and Section 6).

Notation: G bounds the gradients, ``steps`` is T, $\Delta$ the sensitivity of one query, in the gradient's units, n the
number of records, ``log_inverse_delta`` $L=\ln\frac1\delta$, and c the constant that Eq. (11) leaves open.
"""

from __future__ import annotations

from dpref.privacy.closed_forms.conversions import zcdp_rho
from dpref.reals import Ops, T


def printed_variance(o: Ops[T], c: T, G: T, steps: T, log_inverse_delta: T, n: T, epsilon: T) -> T:
    r"""$\sigma^2 = c\,\frac{G^2T\ln(1/\delta)}{n^2\varepsilon^2}$ (Eq. 11), c unspecified in the paper.

    >>> from fractions import Fraction
    >>> from dpref.reals import RATIONAL
    >>> printed_variance(RATIONAL, *map(Fraction, (8, 1, 50, 10, 100, 2)))
    Fraction(1, 10)
    """
    return c * G * G * steps * log_inverse_delta / (n * n * epsilon * epsilon)


def safe_variance(o: Ops[T], sensitivity: T, steps: T, log_inverse_delta: T, epsilon: T) -> T:
    r"""$\sigma^2 = \Delta^2T\frac{2\ln(1/\delta)+\varepsilon}{\varepsilon^2}$ (the proof of Theorem 6.1; E9).

    >>> from fractions import Fraction
    >>> from dpref.reals import RATIONAL
    >>> safe_variance(RATIONAL, *map(Fraction, (3, 4, 1, 2)))  # 9 * 4 * (2 + 2) / 4
    Fraction(36, 1)
    """
    return sensitivity * sensitivity * steps * (2 * log_inverse_delta + epsilon) / (epsilon * epsilon)


def zcdp_variance(o: Ops[T], sensitivity: T, steps: T, log_inverse_delta: T, epsilon: T) -> T:
    r"""$\sigma^2 = \frac{\Delta^2T}{2\rho}$ with $\rho=(\sqrt{L+\varepsilon}-\sqrt L)^2$, $L=\ln(1/\delta)$.

    >>> from dpref.reals import FLOAT
    >>> zcdp_variance(FLOAT, 0.5, 8.0, 1.0, 3.0)  # rho = (2 - 1)^2
    1.0
    """
    return sensitivity * sensitivity * steps / (2 * zcdp_rho(o, epsilon, log_inverse_delta))


def steps_polyak_lojasiewicz(o: Ops[T], kappa: T, signal: T) -> T:
    r"""$T=\kappa\ln\frac{n^2\varepsilon^2}{pG^2\ln(1/\delta)}$ (Theorem 6.2, whose print hides $\kappa$; E17).

    Args:
        kappa: Condition number $L/\mu$.
        signal: The fraction in the logarithm.

    >>> from dpref.reals import FLOAT
    >>> round(steps_polyak_lojasiewicz(FLOAT, 10.0, 1e4), 3)  # 10 * 4 ln 10
    92.103
    """
    return kappa * o.log(signal)


def steps_nonconvex(o: Ops[T], L: T, gap: T, variance_per_step: T, dimension: T) -> T:
    r"""$T=\sqrt{2L\Delta_0/(p\,\sigma^2/T)}$: balances the two terms of Eq. (87) (Theorem 6.3, P45).

    Args:
        L: Smoothness of the objective.
        gap: $\Delta_0=F(x_0)-F^*$.
        variance_per_step: $\sigma^2/T$, which does not depend on T.
        dimension: p, the number of parameters.

    >>> from dpref.reals import FLOAT
    >>> steps_nonconvex(FLOAT, 2.0, 1.0, 0.25, 4.0)
    2.0
    """
    return o.sqrt(2 * L * gap / (dimension * variance_per_step))
