"""Theorem 4.4 of DP-SVRG++: the bound on its excess risk (Eqs. 57 and 7)."""

from __future__ import annotations

from dpref.reals import Ops, T


def risk_bound(o: Ops[T], gap: T, distance: T, eta: T, L: T, variance: T, dimension: T, inner: T, epochs: int) -> T:
    r"""$\frac{\Delta_0}{2^{T-1}}+\frac{\|\tilde x_0-x_*\|^2}{2^T\cdot4\eta m/3}+\frac{\sigma^2p}{4L}$ (Eq. 57).

    Args:
        gap: $\Delta_0=F^r(\tilde x_0)-F^r(x_*)$.
        distance: $\|\tilde x_0-x_*\|^2$.
        eta: At most $1/(13L)$.
        L: Smoothness of the losses.
        variance: sigma squared.
        dimension: p, the number of parameters.
        inner: m; epoch s has $2^sm$ inner steps.
        epochs: T, the number of epochs.

    >>> from fractions import Fraction
    >>> from dpref.reals import RATIONAL
    >>> eta, inner = Fraction(1, 13), Fraction(3)
    >>> risk_bound(RATIONAL, Fraction(1), Fraction(4), eta, Fraction(1), Fraction(4), Fraction(1), inner, 2)
    Fraction(19, 4)
    """
    double = o.number(2) ** epochs
    return 2 * gap / double + 3 * distance / (double * 4 * eta * inner) + variance * dimension / (4 * L)


def balanced_risk(o: Ops[T], start: T, c: T, G: T, L: T, dimension: T, inner: T, log_ratio: T, n: T, epsilon: T) -> T:
    r"""$\frac G{n\varepsilon}\sqrt{\frac{Acpm\ln(2/\delta)}L}$: Eq. (57) with Eq. (6), at its best T (Eq. 7).

    Args:
        start: $A=2\Delta_0+\frac{\|\tilde x_0-x_*\|^2}{4\eta m/3}$.
        c: The constant of Eq. (6).
        G: Bound on the gradients.
        L: Smoothness of the losses.
        dimension: p, the number of parameters.
        inner: m; epoch s has $2^sm$ inner steps.
        log_ratio: $\ln\frac2\delta$.
        n: Number of records.
        epsilon: Privacy budget.

    >>> from dpref.reals import FLOAT
    >>> balanced_risk(FLOAT, 2.0, 8.0, 1.0, 1.0, 2.0, 2.0, 1.0, 4.0, 2.0)
    1.0
    """
    return G / (n * epsilon) * o.sqrt(start * c * dimension * inner * log_ratio / L)
