r"""The formulas of accelerated mirror descent over any number system: what proofs read.

Notation: L is the smoothness of F in the Euclidean norm, $L_C$ in the norm $\|\cdot\|_C$ of the constraint set, whose
Euclidean diameter is $\|C\|_2$.

Source: Wang, Ye and Xu 2017, Algorithm 3, Eqs. (9) and (77); the errata E1, E8 and E28.
"""

from __future__ import annotations

from dpref.reals import Ops, T


def printed_variance(o: Ops[T], c: T, G: T, steps: T, log_inverse_delta: T, n: T, epsilon: T) -> T:
    r"""$\sigma^2=c\,\frac{G^2T\ln(1/\delta)}{n^2\varepsilon^2}$ (Eq. 9), c unspecified in the paper.

    Args:
        c: The open constant.
        G: Bound on the gradients.
        steps: T, the number of noisy gradients.
        log_inverse_delta: $\ln\frac1\delta$.
        n: Number of records.
        epsilon: Privacy budget.

    >>> from dpref.reals import FLOAT
    >>> printed_variance(FLOAT, 16.0, 1.0, 4.0, 2.0, 8.0, 1.0)
    2.0
    """
    return c * G * G * steps * log_inverse_delta / (n * n * epsilon * epsilon)


def smoothness_in_norm(o: Ops[T], L: T, length: T) -> T:
    r"""$L_C=L\,\ell^2$: with $\ell=\|C\|_2$ as printed, with half of it for a set that is centrally symmetric (E28).

    Args:
        L: Smoothness in the Euclidean norm.
        length: $\ell$, with $\|v\|_2\le\ell\,\|v\|_C$.

    >>> from dpref.reals import FLOAT
    >>> smoothness_in_norm(FLOAT, 0.25, 4.0)
    4.0
    """
    return L * length * length


def mirror_weight(o: Ops[T], smoothness: T, k: T) -> T:
    r"""$\alpha_{k+1}=\frac{k+2}{4L_C}$ (line 4, which prints L; E8).

    Args:
        smoothness: $L_C$, or L as printed.
        k: Number of the step, from zero.

    >>> from dpref.reals import FLOAT
    >>> mirror_weight(FLOAT, 0.5, 4.0)
    3.0
    """
    return (k + 2) / (4 * smoothness)


def coupling(o: Ops[T], k: T) -> T:
    r"""$r_k=\frac1{2\alpha_{k+1}L_C}=\frac2{k+2}$ (line 4).

    Args:
        k: Number of the step, from zero.

    >>> from dpref.reals import FLOAT
    >>> coupling(FLOAT, 0.0), coupling(FLOAT, 2.0)
    (1.0, 0.5)
    """
    return 2 / (k + 2)


def between(o: Ops[T], y: T, z: T, r: T) -> T:
    """$rz+(1-r)y$: the query point of line 5, and with the new z the coupled y of the repaired form.

    Args:
        y: Shape (d,).
        z: Shape (d,).
        r: In (0, 1].

    >>> from dpref.reals import FLOAT
    >>> between(FLOAT, 1.0, 5.0, 0.25)
    2.0
    """
    return y + r * (z - y)


def descent_length(o: Ops[T], curvature: T, radius: T) -> T:
    r"""$\frac{R^2}K$: on the Euclidean ball $\arg\min\frac K2\|y-x\|_C^2+\langle g,y-x\rangle$ goes so far against g.

    Args:
        curvature: K; $L\|C\|_2^2$ as printed (line 6), $2L_C$ with a noisy gradient.
        radius: R.

    >>> from dpref.reals import FLOAT
    >>> descent_length(FLOAT, 8.0, 2.0)
    0.5
    """
    return radius * radius / curvature


def iterations(o: Ops[T], smoothness: T, divergence: T, variance_per_step: T, spread: T) -> T:
    r"""$T$ with $T^2=4L_C\sqrt{\frac B{aW}}$, $\sigma^2=aT$: balances both terms of Theorem 5.4 (Eq. 77).

    Args:
        smoothness: $L_C$.
        divergence: B, a bound on $B_w(x_*,x_0)$.
        variance_per_step: $a=\sigma^2/T$, which does not depend on T.
        spread: $W\ge\mathbb E\|b\|_{C*}^2/\sigma^2$.

    >>> from dpref.reals import FLOAT
    >>> iterations(FLOAT, 2.0, 1.0, 0.25, 1.0)
    4.0
    """
    return o.sqrt(4 * smoothness * o.sqrt(divergence / (variance_per_step * spread)))
