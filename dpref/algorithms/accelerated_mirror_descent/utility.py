r"""Theorem 5.4 with explicit constants, for both repaired forms (Wang, Ye and Xu 2017, Eq. 76).

With $\alpha_k=\frac{k+1}{4L_C}$ and noise b that is drawn anew for every gradient,

.. math:: \mathbb E F(y_T)-F^*\le\frac{8L_C}{(T+1)^2}B_w(x_*,x_0)+\frac{N_T}{L_C}\,\mathbb E\|b\|_{C*}^2,\qquad
    N_T=\frac{T(2T^2+9T+13)}{12(T+1)^2}\le\frac T2,

and $\mathbb E\|b\|_{C*}^2\le\sigma^2(G_C^2+\frac14\|C\|_2^2)$ (the Gaussian Poincare inequality).
"""

from __future__ import annotations

from dpref.reals import Ops, T


def noise_steps(o: Ops[T], steps: T) -> T:
    r"""$N_T=\frac{T(2T^2+9T+13)}{12(T+1)^2}$, between $\frac T6$ and $\frac T2$.

    Args:
        steps: T.

    >>> from dpref.reals import FLOAT
    >>> noise_steps(FLOAT, 1.0)
    0.5
    """
    return steps * (2 * steps * steps + 9 * steps + 13) / (12 * (steps + 1) * (steps + 1))


def spread(o: Ops[T], width: T, half_diameter_squared: T) -> T:
    r"""$W=G_C^2+\frac14\|C\|_2^2\ge\mathbb E\|b\|_{C*}^2$ for $b\sim N(0,I)$ (Lemma 5.2, printed without constants).

    Args:
        width: $G_C$.
        half_diameter_squared: $\frac14\|C\|_2^2$.

    >>> from dpref.reals import FLOAT
    >>> spread(FLOAT, 2.0, 1.0)
    5.0
    """
    return width * width + half_diameter_squared


def excess_bound(o: Ops[T], smoothness: T, divergence: T, steps: T, dual_noise: T) -> T:
    r"""$\frac{8L_CB}{(T+1)^2}+\frac{N_T}{L_C}\,\mathbb E\|b\|_{C*}^2$, in the units of the objective.

    Args:
        smoothness: $L_C$.
        divergence: $B\ge B_w(x_*,x_0)$.
        steps: T.
        dual_noise: $\mathbb E\|b\|_{C*}^2$.

    >>> from dpref.reals import FLOAT
    >>> excess_bound(FLOAT, 2.0, 1.0, 1.0, 1.0)  # 16 / 4 + 1 / 4
    4.25
    """
    start = 8 * smoothness * divergence / ((steps + 1) * (steps + 1))
    return start + noise_steps(o, steps) * dual_noise / smoothness
