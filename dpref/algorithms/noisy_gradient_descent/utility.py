r"""Theorem 9 of noisy gradient descent for regularised Lipschitz losses with constants: in expectation and in the tail.

Notation: that of ``formulas``; ``std`` is $\sigma$, ``noise`` $d\sigma^2$, and ``log_ratio`` an x > 0.
"""

from __future__ import annotations

from dpref.reals import Ops, T


def excess_bound(o: Ops[T], bound: T, weak_convexity: T, noise: T, steps: T) -> T:
    r"""$\mathbb E\tilde F(\bar w)-\tilde F(w^*)\le\frac{2(4L_0^2+d\sigma^2)}{\mu(T+1)}$, for the telescoping step.

    Theorem 9 in expectation, with its constant: the gradients of $\tilde F$ are at most $2L_0$ long within the ball.
    For losses without a ridge of their own, which is not Lipschitz: with one the minimiser can lie outside the ball.

    Args:
        bound: $L_0$.
        weak_convexity: $\mu$.
        noise: $d\sigma^2$.
        steps: T, the number of iterates.

    >>> from dpref.reals import FLOAT
    >>> excess_bound(FLOAT, 1.0, 0.5, 6.0, 9.0)
    4.0
    """
    return 2 * (4 * bound * bound + noise) / (weak_convexity * (steps + 1))


def tail_bound(o: Ops[T], bound: T, weak_convexity: T, std: T, d: T, steps: T, log_ratio: T) -> T:
    r"""$\frac2{\mu(T+1)}\Big[\Big(2L_0+\sigma\Big(\sqrt d+\sqrt{\tfrac{2x}T}\Big)\Big)^2+2\sigma^2x\Big]$.

    With probability at least $1-2e^{-x}$ the excess $\tilde F(\bar w)-\tilde F(w^*)$ is at most this, for the
    telescoping step and losses that are $\frac\mu2$-weakly convex, so that $\tilde F$ is $\frac32\mu$-strongly convex:
    what is left over of the strong convexity pays for the noise along $w_t-w^*$.  With T so large that $\sigma$
    outweighs $L_0$ that is $O\big(\frac{L_0^2(d+\ln(1/\beta))}{\mu n^2\rho}\big)$: Eq. (17) without its logarithm of
    T.  For losses without a ridge of their own.

    Args:
        bound: $L_0$.
        weak_convexity: $\mu$.
        std: $\sigma$.
        d: Dimension.
        steps: T, the number of iterates.
        log_ratio: x.

    >>> from dpref.reals import FLOAT
    >>> tail_bound(FLOAT, bound=1.0, weak_convexity=0.5, std=1.0, d=4.0, steps=3.0, log_ratio=1.5)  # 25 + 3
    28.0
    """
    length = 2 * bound + std * (o.sqrt(d) + o.sqrt(2 * log_ratio / steps))
    return 2 * (length * length + 2 * std * std * log_ratio) / (weak_convexity * (steps + 1))
