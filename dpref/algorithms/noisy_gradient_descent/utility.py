"""Theorem 9 of noisy gradient descent for regularised Lipschitz losses, in expectation and with its constant."""

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
