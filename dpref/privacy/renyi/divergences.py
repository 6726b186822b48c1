r"""Rényi divergences with a closed form, as formulas over ``Ops[T]``, for every order $\alpha > 1$.

$D_\alpha(P\|Q) = \frac{1}{\alpha-1}\ln\mathbb E_{x\sim Q}\left(\frac{dP}{dQ}(x)\right)^\alpha$.  Each function is the
larger of the two directions of its pair, except `finite_renyi`, which is given a pair and a direction; for every other
pair of this file the two are equal by a symmetry that exchanges the distributions.  The Gaussian's divergence stands in
`dpref.privacy.closed_forms.divergences`.

References:
    Mironov, "Rényi differential privacy", 2017, Table II, Propositions 5, 6, 11.
    Bun and Steinke, "Concentrated differential privacy", 2016, Proposition 3.3.
"""

from __future__ import annotations

from collections.abc import Sequence

from dpref.reals import Ops, T


def laplace_renyi(o: Ops[T], alpha: T, shift: T) -> T:
    r"""$\frac1{\alpha-1}\ln\left(\frac\alpha{2\alpha-1}e^{(\alpha-1)s}+\frac{\alpha-1}{2\alpha-1}e^{-\alpha s}\right)$.

    The pair is $\mathrm{Lap}(s, 1)$ and $\mathrm{Lap}(0, 1)$: a query of l1 sensitivity Delta with noise of scale b has
    ``shift`` $s = \Delta/b$ (Mironov 2017, Proposition 6).  The weights add up to one, so one is taken off both
    exponentials and given to the logarithm: half of the digits that small shifts cancel are kept.

    >>> from dpref.reals import FLOAT
    >>> round(laplace_renyi(FLOAT, 2.0, 1.0), 9)
    0.61912363
    """
    up = alpha / (2 * alpha - 1) * o.expm1((alpha - 1) * shift)
    down = (alpha - 1) / (2 * alpha - 1) * o.expm1(-alpha * shift)
    return o.log1p(up + down) / (alpha - 1)


def randomised_response_renyi(o: Ops[T], alpha: T, epsilon: T, categories: int) -> T:
    r"""$\frac1{\alpha-1}\ln\frac{e^{\alpha\varepsilon}+e^{(1-\alpha)\varepsilon}+k-2}{e^\varepsilon+k-1}$.

    The truth among k answers is told with probability $e^\varepsilon/(e^\varepsilon+k-1)$, every other answer with
    $1/(e^\varepsilon+k-1)$; for two truths all answers but two are equally likely (Mironov 2017, Proposition 5, k = 2).
    The logarithm's argument is one plus $(e^{\alpha\varepsilon}-1)(1-e^{(1-\alpha)\varepsilon})$
    $/(e^\varepsilon+k-1)$, which does not cancel.

    >>> from dpref.reals import FLOAT
    >>> round(randomised_response_renyi(FLOAT, 2.0, 1.0, 2), 9)
    0.735325664
    """
    gain = o.expm1(alpha * epsilon) * -o.expm1((1 - alpha) * epsilon)
    return o.log1p(gain / (o.exp(epsilon) + (categories - 1))) / (alpha - 1)


def finite_renyi(o: Ops[T], alpha: T, atoms: Sequence[tuple[T, T]]) -> T:
    r"""$\frac1{\alpha-1}\ln\sum_ip_ie^{(\alpha-1)L_i}$ of finitely many outcomes, given as (loss, P-mass).

    >>> from dpref.reals import FLOAT
    >>> round(finite_renyi(FLOAT, 2.0, [(1.0, 0.7310585786300049), (-1.0, 0.2689414213699951)]), 9)
    0.735325664
    """
    return o.log(sum((p * o.exp((alpha - 1) * loss) for loss, p in atoms), atoms[0][1] * 0)) / (alpha - 1)


def pure_renyi(o: Ops[T], alpha: T, epsilon: T) -> T:
    r"""The largest $D_\alpha$ of an epsilon-DP mechanism: randomised response on one bit attains it.

    Bun and Steinke 2016, Proposition 3.3:
    $\frac1{\alpha-1}\ln\frac{\sinh(\alpha\varepsilon)-\sinh((\alpha-1)\varepsilon)}{\sinh\varepsilon}$, the same.

    >>> from dpref.reals import FLOAT
    >>> round(pure_renyi(FLOAT, 8.0, 0.1), 9)
    0.03671666
    """
    return randomised_response_renyi(o, alpha, epsilon, 2)


def weak_triangle(o: Ops[T], alpha: T, first: T, second: T) -> T:
    r"""$D_\alpha(P\|Q) \le \frac{\alpha-1/2}{\alpha-1}D_{2\alpha}(P\|R) + D_{2\alpha-1}(R\|Q)$ for every R.

    Args:
        alpha: The order.
        first: $D_{2\alpha}(P\|R)$.
        second: $D_{2\alpha-1}(R\|Q)$.

    References:
        Mironov 2017, Proposition 11, with both Hölder exponents 2.
    """
    return (2 * alpha - 1) / (2 * (alpha - 1)) * first + second


def bounded_range_renyi(o: Ops[T], alpha: T, epsilon: T) -> T:
    r"""The largest $D_\alpha$ of an epsilon-bounded-range mechanism; the exponential mechanism attains it.

    The likelihood ratio r lies in some $[e^{-t}, e^{\varepsilon-t}]$ and has mean one, and $r^\alpha$ is convex, so two
    points of masses q and 1 - q are the worst case.  With $A = e^{\alpha\varepsilon}-1$ and $B = e^\varepsilon-1$ the
    moment $(1+qA)/(1+qB)^\alpha$ is largest at $q = (A-\alpha B)/((\alpha-1)AB)$, which gives
    $\frac1{\alpha-1}\left(\ln\frac{A-B}{(\alpha-1)B} - \alpha\ln\frac{\alpha(A-B)}{(\alpha-1)A}\right)$.

    References:
        Durfee and Rogers, "Practical differentially private top-k selection with pay-what-you-get composition", 2019
        (bounded range); Rogers and Steinke, "A better privacy analysis of the exponential mechanism", 2021
        ($\alpha\varepsilon^2/8$, which this refines).

    >>> from dpref.reals import FLOAT
    >>> 0.99 < bounded_range_renyi(FLOAT, 2.0, 0.1) / (2 * 0.1**2 / 8) < 1
    True
    """
    many, one = o.expm1(alpha * epsilon), o.expm1(epsilon)
    gap = many - one
    first = o.log(gap / ((alpha - 1) * one))
    return (first - alpha * o.log(alpha * gap / ((alpha - 1) * many))) / (alpha - 1)


def discrete_laplace_renyi(o: Ops[T], alpha: T, scale: T, sensitivity: int) -> T:
    r"""$D_\alpha$ of discrete Laplace noise ($\propto p^{|x|}$, $p = e^{-1/t}$) moved by an integer $\Delta \ge 1$.

    The moment is $\frac{p^{\alpha\Delta}+p^{(1-\alpha)\Delta}}{1+p}$, from outside the two centres, plus
    $\frac{1-p}{1+p}\sum_{x=1}^{\Delta-1}p^{\alpha\Delta+(1-2\alpha)x}$ from between them, a geometric sum.
    """
    p = o.exp(-1 / scale)
    far = o.exp(-alpha * sensitivity / scale)
    moment = far + o.exp((alpha - 1) * sensitivity / scale)
    if sensitivity > 1:
        rate = (2 * alpha - 1) / scale
        between = o.exp(rate) * o.expm1(rate * (sensitivity - 1)) / o.expm1(rate)
        moment = moment + (1 - p) * far * between
    return o.log(moment / (1 + p)) / (alpha - 1)
