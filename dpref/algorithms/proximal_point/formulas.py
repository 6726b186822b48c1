r"""The formulas of the proximal point method under the KL condition: what proofs read.

Notation: F satisfies $F(w)-F^*\le\gamma^\kappa\|\nabla F(w)\|^\kappa$ with $\kappa\ge2$; its losses are $L_0$-Lipschitz
(``bound``) and $\tilde L_1$-weakly convex (``weak_convexity``); $\Phi$ (``target``) bounds the excess risk before a
phase, $F_0$ (``gap``) that of the start.  A phase minimises $F+\lambda\|\cdot-w_{t-1}\|^2$ up to $\tau$; its
``weight`` is $\lambda$, and C (``accuracy``) is $\lambda\tau$.  P is the number of phases, T that of the iterates of
each, $\rho$ the budget of all in zCDP, n the number of records, d the dimension.

Units: $\gamma$ times a gradient, to the power $\kappa$, is a risk; $\lambda$ and $\tilde L_1$ are a gradient over a
length; C is the square of a gradient.

Source: Menart et al. 2024, Algorithm 2 and Theorem 2; the erratum E18 and the errata's 3.2s.
"""

from __future__ import annotations

from fractions import Fraction

from dpref.reals import Ops, T


def least_excess(o: Ops[T], gamma: T, bound: T, d: T, n: T, rho: T) -> T:
    r"""$q=\frac{\gamma L_0\sqrt d}{n\sqrt\rho}$: Theorem 2's rate, up to logarithms, is $q^\kappa$.

    >>> from dpref.reals import FLOAT
    >>> least_excess(FLOAT, 2.0, 1.0, 4.0, 10.0, 0.25)
    0.8
    """
    return gamma * bound * o.sqrt(d) / (n * o.sqrt(rho))


def printed_phases(o: Ops[T], gamma: T, kappa: T, weak_convexity: T, gap: T, least: T) -> T:
    r"""$T=\big(1+32F_0^{(\kappa-2)/\kappa}\gamma^2\tilde L_1\big)(\ln F_0-\kappa\ln q)$, a real number (line 1).

    ``least`` is q, from `least_excess`.

    >>> from dpref.reals import FLOAT
    >>> round(printed_phases(FLOAT, gamma=0.5, kappa=2.0, weak_convexity=0.125, gap=1.0, least=0.1), 6)  # 2 (2 ln 10)
    9.21034
    """
    hardness = weak_convexity / sharpness(o, gamma, kappa, gap)
    return (1 + 32 * hardness) * (o.log(gap) - kappa * o.log(least))


def sharpness(o: Ops[T], gamma: T, kappa: T, target: T) -> T:
    r"""$\Phi^{(2-\kappa)/\kappa}/\gamma^2$: the weight $\lambda$ with which a phase gains a constant share of $\Phi$.

    It grows as $\Phi$ falls where $\kappa>2$: the printed weight, $\tilde L_1$ in every phase, stays behind (E18).

    >>> from dpref.reals import FLOAT
    >>> round(sharpness(FLOAT, gamma=0.5, kappa=4.0, target=0.0625), 12)  # 4 / root of 1/16
    16.0
    """
    return o.exp((2 - kappa) / kappa * o.log(target)) / (gamma * gamma)


def decrease(o: Ops[T], share: T) -> T:
    r"""$1-\frac{3x}{44}$: what a phase leaves of its target (3.2s).

    Args:
        share: $x=\Phi^{(2-\kappa)/\kappa}/(\gamma^2\lambda)$, in (0, 1].

    >>> from dpref.reals import FLOAT
    >>> decrease(FLOAT, 0.0)
    1.0
    """
    return 1 - 3 * share / 44


def floor(o: Ops[T], gamma: T, kappa: T, accuracy: T) -> T:
    r"""$\big(\frac{22}3\gamma\sqrt C\big)^\kappa$: the least target, where $\tau=\frac9{484}x\Phi$ (3.2s).

    >>> from dpref.reals import FLOAT
    >>> round(floor(FLOAT, gamma=3.0, kappa=2.0, accuracy=0.25), 9)  # 11 squared
    121.0
    """
    return o.exp(kappa * o.log(o.number(Fraction(22, 3)) * gamma * o.sqrt(accuracy)))


def assumed_accuracy(o: Ops[T], constant: T, bound: T, d: T, phases: T, log_ratio: T, n: T, rho: T) -> T:
    r"""$a\frac{L_0^2dP\,\ell}{n^2\rho}$: $\lambda\tau$ as in Eq. (17), with a constant a that the print does not give.

    ``phases`` is P, and ``log_ratio`` $\ell$, the logarithm of Eq. (17).

    >>> from dpref.reals import FLOAT
    >>> assumed_accuracy(FLOAT, 0.5, 2.0, 3.0, 4.0, 5.0, 10.0, 1.0)
    1.2
    """
    return constant * bound * bound * d * phases * log_ratio / (n * n * rho)
