r"""What DP-POFW's theorems promise of the risk, with explicit constants, printed and for the repaired weights.

Notation: D (``diameter``), $\beta$ (``smoothness``) and L (``lipschitz``) as in the algorithm, G (``gradient_noise``)
how far an entry of a record's gradient is from its mean, V vertices, $\alpha_1,\alpha_2$ failure probabilities.

For the weights 1/t every entry of $d_t-\nabla F(\theta_t)$ is a sum of t martingale differences of at most
$\frac{2\beta D+G}t$ (PO-18), so that by Azuma's inequality and a union bound, with probability at least $1-\alpha_1$,

.. math:: \|d_t-\nabla F(\theta_t)\|_\infty\le(2\beta D+G)\sqrt{2l/t},\qquad l=\ln\tfrac{2d}{\alpha_1},

and the Laplace noise of V scores is at most $b_t\ln\frac V{\alpha_2}$ with probability at least $1-\alpha_2$ (PO-35).
The chosen vertex is then within $2b_t\ln\frac V{\alpha_2}$ of the best, and, with $e_t$ the error of the gradient,

.. math:: h_{t+1}\le\Big(1-\frac1{t+1}\Big)h_t+\frac{De_t+2b_tl_t}{t+1}+\frac{\beta D^2}{2(t+1)^2},\qquad h_1\le LD.

References:
    Han et al., "On private online convex optimization", Lemma A.2, Theorems 3.5 and 3.6.
"""

from __future__ import annotations

from dpref.reals import Ops, T


def gradient_error(o: Ops[T], smoothness_times_diameter: T, gradient_noise: T, length: T, t: T) -> T:
    r"""$(2\beta D+G)\sqrt{2l/t}$: the sampling error in the largest entry (Lemma A.2, repaired).

    >>> from dpref.reals import FLOAT
    >>> gradient_error(FLOAT, smoothness_times_diameter=1.0, gradient_noise=1.0, length=8.0, t=4.0)
    6.0
    """
    return (2 * smoothness_times_diameter + gradient_noise) * o.sqrt(2 * length / t)


def choice_error(o: Ops[T], scale: T, length: T) -> T:
    r"""$2b\,l$, $l=\ln\frac V{\alpha_2}$: how far the reported vertex is from the best one (A.18, A.19).

    >>> from dpref.reals import FLOAT
    >>> choice_error(FLOAT, scale=2.0, length=3.0)
    12.0
    """
    return 2 * scale * length


def printed_deviation(
    o: Ops[T], diameter: T, smoothness: T, lipschitz: T, gradient_noise: T, length: T, choice_length: T, rate: T
) -> T:
    r"""$A=8D(\beta D+G)\sqrt{l_1}+16D(\beta D+L)\,l_2\,r$ of Theorem 3.5.

    Here $l_1=\ln\frac{8dn}\alpha$ (``length``), $l_2=\ln\frac{4dn}\alpha$ (``choice_length``) and
    $r=\sqrt{\ln n\,\ln\frac1\delta}/\varepsilon$ (``rate``).

    >>> from dpref.reals import FLOAT
    >>> printed_deviation(FLOAT, 1.0, 1.0, 0.0, 0.0, length=4.0, choice_length=1.0, rate=1.0)
    32.0
    """
    sampling = 8 * diameter * (smoothness * diameter + gradient_noise) * o.sqrt(length)
    return sampling + 16 * diameter * (smoothness * diameter + lipschitz) * choice_length * rate


def convex_bound(o: Ops[T], size: T, t: T) -> T:
    r"""$\frac{3X}{\sqrt{t+1}}$, $X=\beta D^2+A$: Theorem 3.5.

    >>> from dpref.reals import FLOAT
    >>> convex_bound(FLOAT, size=2.0, t=8.0)
    2.0
    """
    return 3 * size / o.sqrt(t + 1)


def strongly_convex_bound(o: Ops[T], size: T, distance: T, convexity: T, t: T) -> T:
    r"""$\frac1{t+1}\cdot\frac{9X^2}{\gamma^2\mu}$: Theorem 3.6, $\gamma$ the distance of the minimiser to the boundary.

    >>> from dpref.reals import FLOAT
    >>> strongly_convex_bound(FLOAT, size=2.0, distance=1.0, convexity=3.0, t=3.0)
    3.0
    """
    return 9 * size * size / (distance * distance * convexity * (t + 1))


def risk_step(o: Ops[T], risk: T, curvature: T, error: T, t: T) -> T:
    r"""$(1-\frac1{t+1})h+\frac{e}{t+1}+\frac{\beta D^2}{2(t+1)^2}$: the risk after record t (A.20).

    Args:
        risk: h, before it.
        curvature: $\beta D^2$.
        error: e, the diameter times the error of the gradient, plus that of the choice.
        t: Records seen.

    >>> from dpref.reals import FLOAT
    >>> risk_step(FLOAT, risk=1.0, curvature=4.0, error=1.0, t=1.0)
    1.5
    """
    return risk + (error - risk) / (t + 1) + curvature / (2 * (t + 1) * (t + 1))
