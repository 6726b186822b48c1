r"""The excess risk of gradient descent on random batches, with the variance that a batch has (T20).

Theorem 4.9 writes the error of a batch mean as $\sigma_g\xi_t/n$: its variance would fall as $1/n^2$.  It falls as
$1/n$, and adds to the noise of every step; the bounds here have it as it is.

Obligations: ``dynamic-privacy-budget/batch-variance``, ``dynamic-privacy-budget/theorem-4.9``, ``T20``.
"""

from __future__ import annotations

from collections.abc import Sequence

from dpref.reals import Ops, T


def fixed_batch_variance(o: Ops[T], spread: T, batch: T, records: T) -> T:
    r"""$\mathbb E\|\tilde\nabla-\nabla\|^2=\frac{N-n}{n(N-1)}V$ of a batch of fixed size, without replacement.

    Args:
        spread: $V=\frac1N\sum_i\|g_i-\nabla\|^2$, at most $G^2$.
        batch: n.
        records: N, at least 2.

    >>> from fractions import Fraction
    >>> from dpref.reals import RATIONAL
    >>> fixed_batch_variance(RATIONAL, Fraction(1), Fraction(2), Fraction(5))
    Fraction(3, 8)
    """
    return (records - batch) / (batch * (records - 1)) * spread


def poisson_batch_variance(o: Ops[T], square: T, batch: T, records: T) -> T:
    r"""$\mathbb E\|\tilde\nabla-\nabla\|^2=\frac{1-n/N}n\cdot\frac1N\sum_i\|g_i\|^2$ of a Poisson batch over n.

    Args:
        square: $\frac1N\sum_i\|g_i\|^2$, at most $G^2$.
        batch: n, the expected size, by which the sum is divided.
        records: N.

    >>> from fractions import Fraction
    >>> from dpref.reals import RATIONAL
    >>> poisson_batch_variance(RATIONAL, Fraction(1), Fraction(2), Fraction(5))
    Fraction(3, 10)
    """
    return (1 - batch / records) / batch * square


def batch_risk_bound(o: Ops[T], gap: T, gamma: T, M: T, dimension: T, variances: Sequence[T], sampled: T) -> T:
    r"""$\gamma^T\Delta_1+\frac1{2M}\sum_t\gamma^{T-t}(Ds_t^2+V_b)$: Theorem 4.9 with the batch's own variance (T20).

    Args:
        gap: $\Delta_1=f(\theta_1)-f^*$.
        gamma: $1-\mu/M$, for steps of 1/M.
        M: Smoothness.
        dimension: D.
        variances: $s_t^2$, the noise of each step per coordinate.
        sampled: $V_b$, `fixed_batch_variance` or `poisson_batch_variance` with $G^2$, or less.

    >>> from fractions import Fraction
    >>> from dpref.reals import RATIONAL
    >>> half, one = Fraction(1, 2), Fraction(1)
    >>> batch_risk_bound(RATIONAL, Fraction(4), half, one, one, [one, one], one)  # 4, to 2 + 1, to 3/2 + 1
    Fraction(5, 2)
    """
    risk = gap
    for variance in variances:
        risk = gamma * risk + (dimension * variance + sampled) / (2 * M)
    return risk
