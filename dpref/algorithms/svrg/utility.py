r"""Theorem 4.2 of DP-SVRG: its contraction, its noise, its bound and its hypotheses.

Notation: $\eta$ is the step size, L the smoothness of the losses, $\mu$ the strong convexity of the objective, m
(``inner``) the steps of an epoch, T ``epochs``, p the dimension, $\sigma^2$ (``variance``) the noise of an answer per
coordinate, A the `contraction` of an epoch, below 1, N (``noise``) the `noise_per_epoch`, $\Delta_0$ (``gap``) the risk
of $\tilde x_0$.
"""

from __future__ import annotations

from fractions import Fraction

from dpref.algorithms.hypotheses import Hypothesis
from dpref.reals import RATIONAL, Ops, T


def contraction(o: Ops[T], eta: T, L: T, mu: T, inner: T) -> T:
    r"""$A=\frac1{\eta(1-8\eta L)\mu m}+\frac{8L\eta(m+1)}{m(1-8L\eta)}$ (Eq. 4), for $\eta<1/(8L)$.

    >>> contraction(RATIONAL, Fraction(1, 48), Fraction(1), Fraction(1), Fraction(193)) < Fraction(1, 2)
    True
    """
    slack = 1 - 8 * eta * L
    return 1 / (eta * slack * mu * inner) + 8 * L * eta * (inner + 1) / (inner * slack)


def noise_per_epoch(o: Ops[T], eta: T, L: T, variance: T, dimension: T) -> T:
    r"""$\frac{2\eta}{1-8L\eta}\sigma^2p$: what one epoch adds to the risk (Eq. 39).

    >>> noise_per_epoch(RATIONAL, Fraction(1, 48), Fraction(1), Fraction(1), Fraction(1))
    Fraction(1, 20)
    """
    return 2 * eta / (1 - 8 * L * eta) * variance * dimension


def two_part_noise(o: Ops[T], A: T, noise: T, mu: T, epoch_variance: T, dimension: T) -> T:
    r"""$2N+(1+A)\frac{\sigma_2^2p}\mu$: what an epoch adds to the risk with noise in two parts (errata 3.6.4).

    N is that of $\sigma_1^2$.  An epoch then multiplies the risk by 2A, so that `risk_bound` is to be asked with 2A.

    Args:
        A: The `contraction` of an epoch, below 1/2.
        noise: N, the `noise_per_epoch` of $\sigma_1^2$.
        mu: Strong convexity of the objective.
        epoch_variance: $\sigma_2^2$, of an epoch's full gradient.
        dimension: p.

    >>> two_part_noise(RATIONAL, *map(Fraction, (0, 1, 2, 3, 4)))
    Fraction(8, 1)
    """
    return 2 * noise + (1 + A) * epoch_variance * dimension / mu


def risk_bound(o: Ops[T], A: T, noise: T, gap: T, epochs: int) -> T:
    r"""$A^T\Delta_0+N\frac{1-A^T}{1-A}$: Eq. (39) unrolled T times (Eq. 41).

    >>> risk_bound(RATIONAL, Fraction(1, 2), Fraction(1, 20), Fraction(1), 2)
    Fraction(13, 40)
    """
    return A**epochs * gap + noise * (1 - A**epochs) / (1 - A)


def theorem_4_2(eta: Fraction, L: Fraction, mu: Fraction, inner: int) -> tuple[Hypothesis, ...]:
    """The conditions of Theorem 4.2 on the step size and the inner length, decided in exact arithmetic.

    >>> [h.holds for h in theorem_4_2(Fraction(1, 12), Fraction(1), Fraction(1), 1000)]  # as printed: E7
    [True, False, False]
    """
    short = eta * L < Fraction(1, 8) and mu > 0
    return (
        Hypothesis("theorem-4.2/strong-convexity", "F + r is mu-strongly convex, mu > 0", mu > 0),
        Hypothesis("theorem-4.2/step-size", "eta < 1/(24 L) (printed: 1/(12 L); E7)", eta * L < Fraction(1, 24)),
        Hypothesis(
            "theorem-4.2/contraction",
            "A < 1/2 (Eq. 4)",
            short and contraction(RATIONAL, eta, L, mu, Fraction(inner)) < Fraction(1, 2),
        ),
    )
