"""What Theorem 4 promises of adaptive noisy gradient descent when it stops."""

from __future__ import annotations

from dpref.reals import Ops, T


def stopping_bound(o: Ops[T], gamma: T, kappa: T, radius: T, floor: T, nu: T) -> T:
    r"""$\gamma^\kappa(2G\sigma_{\min}+\nu)^\kappa$: the excess risk where the run stops at a small gradient.

    Args:
        gamma: Scale of the KL condition.
        kappa: Exponent of the KL condition.
        radius: G, from `noise_radius`.
        floor: $\sigma_{\min}$, the least noise.
        nu: $\nu$, from `norm_error`.

    >>> from dpref.reals import FLOAT
    >>> round(stopping_bound(FLOAT, gamma=2.0, kappa=2.0, radius=1.0, floor=0.5, nu=1.0), 12)  # (2 * 2)**2
    16.0
    """
    return o.exp(kappa * o.log(gamma * (2 * radius * floor + nu)))
