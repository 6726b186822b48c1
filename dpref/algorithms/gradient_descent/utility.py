r"""Theorems 6.2 and 6.3 of DP-GD with their explicit constants: the steps 1/L, with and without the PL inequality.

Notation (Wang, Ye, Xu 2017): L is the objective's smoothness, ``mu`` its PL constant $\mu<L$, ``variance`` $\sigma^2$
per coordinate, ``dimension`` p, ``gap`` $\Delta_0=F(x_0)-F^*$, ``steps`` T, G bounds the gradients, n is the number of
records, ``epsilon`` the budget, ``log_inverse_delta`` $\ln\frac1\delta$, and c the constant that Eq. (11) leaves open.
"""

from __future__ import annotations

from dpref.reals import Ops, T


def step_noise(o: Ops[T], L: T, variance: T, dimension: T) -> T:
    r"""$\frac{p\sigma^2}{2L}$: what the noise of one step of length 1/L adds to the risk (Eqs. 79 and 84).

    >>> from dpref.reals import FLOAT
    >>> step_noise(FLOAT, 2.0, 3.0, 4.0)
    3.0
    """
    return dimension * variance / (2 * L)


def risk_bound_as_printed(o: Ops[T], L: T, mu: T, variance: T, dimension: T, gap: T, steps: int) -> T:
    r"""$(1-\frac\mu L)^T\Delta_0+T\frac{p\sigma^2}{2L}$ (Eq. 81): true, and loose (E12).

    >>> from dpref.reals import FLOAT
    >>> risk_bound_as_printed(FLOAT, 2.0, 1.0, 1.0, 4.0, 8.0, 3)
    4.0
    """
    return (1 - mu / L) ** steps * gap + step_noise(o, L, variance, dimension) * steps


def risk_bound(o: Ops[T], L: T, mu: T, variance: T, dimension: T, gap: T, steps: int) -> T:
    r"""$(1-\frac\mu L)^T\Delta_0+\frac{p\sigma^2}{2\mu}\big(1-(1-\frac\mu L)^T\big)$: Eq. (80) unrolled (E12).

    >>> from dpref.reals import FLOAT
    >>> risk_bound(FLOAT, 2.0, 1.0, 1.0, 4.0, 8.0, 3)
    2.75
    """
    left = (1 - mu / L) ** steps
    return left * gap + dimension * variance / (2 * mu) * (1 - left)


def gradient_bound(o: Ops[T], L: T, variance: T, dimension: T, gap: T, steps: T) -> T:
    r"""$\frac{2L\Delta_0}T+p\sigma^2$: the mean squared gradient norm at a random iterate (Eqs. 86 and 87).

    >>> from dpref.reals import FLOAT
    >>> gradient_bound(FLOAT, 2.0, 0.5, 4.0, 3.0, 6.0)
    4.0
    """
    return 2 * L * gap / steps + dimension * variance


def balanced_gradient(o: Ops[T], c: T, G: T, L: T, dimension: T, gap: T, log_inverse_delta: T, n: T, epsilon: T) -> T:
    r"""$\frac{2G}{n\varepsilon}\sqrt{2cL\Delta_0p\ln(1/\delta)}$: Eq. (87) with Eq. (11), at its best T (Eq. 14).

    >>> from dpref.reals import FLOAT
    >>> balanced_gradient(FLOAT, 8.0, 1.0, 1.0, 2.0, 2.0, 1.0, 4.0, 2.0)
    2.0
    """
    return 2 * G / (n * epsilon) * o.sqrt(2 * c * L * gap * dimension * log_inverse_delta)
