r"""The formulas of noisy gradient descent for regularised Lipschitz losses: what proofs read.

Notation: f is $L_0$-Lipschitz and $\mu$-weakly convex, $\tilde f(w)=f(w)+\mu\|w-w_0\|^2$ ($\mu$ is the paper's
$\tilde L_1$); T iterates cost T - 1 gradients of n records in dimension d, the t-th is $w_t$, from one; $\rho$ is the
budget in zCDP, $\Delta$ the sensitivity of a mean gradient.  ``bound`` is $L_0$, ``weak_convexity`` $\mu$, ``steps`` T,
``answers`` K = T - 1, and ``log_ratio`` $\ell=\ln\frac2\beta$.

Units: $L_0$, sensitivities and noises are those of a gradient; $\mu$ is a gradient over a length.

Source: Menart et al. 2024, Algorithm 4 and Theorem 9; the errata E9 and E35.
"""

from __future__ import annotations

from dpref.reals import Ops, T


def iterations(o: Ops[T], n: T, rho: T, log_ratio: T, d: T) -> T:
    r"""$T=\frac{n^2\rho\,\ell^2}d$, a real number (Theorem 9).

    >>> from dpref.reals import FLOAT
    >>> iterations(FLOAT, 10.0, 0.5, 2.0, 4.0)
    50.0
    """
    return n * n * rho * log_ratio * log_ratio / d


def printed_variance(o: Ops[T], bound: T, steps: T, n: T, rho: T) -> T:
    r"""$\sigma^2=\frac{4L_0^2T}{n^2\rho}$ (Theorem 9): twice what T answers need (E9).

    >>> from dpref.reals import FLOAT
    >>> printed_variance(FLOAT, 1.0, 50.0, 10.0, 0.5)
    4.0
    """
    return 4 * bound * bound * steps / (n * n * rho)


def variance(o: Ops[T], sensitivity: T, answers: T, rho: T) -> T:
    r"""$\sigma^2=\frac{\Delta^2K}{2\rho}$: K answers of sensitivity $\Delta$ spend $\rho$ (the repaired form).

    >>> from dpref.reals import FLOAT
    >>> variance(FLOAT, 0.5, 4.0, 0.5)
    1.0
    """
    return sensitivity * sensitivity * answers / (2 * rho)


def radius(o: Ops[T], bound: T, weak_convexity: T) -> T:
    r"""$\frac{L_0}{2\mu}$: how far from $w_0$ the minimiser can be (without a ridge), and the iterates (line 3).

    >>> from dpref.reals import FLOAT
    >>> radius(FLOAT, 1.0, 0.25)
    2.0
    """
    return bound / (2 * weak_convexity)


def printed_step(o: Ops[T], weak_convexity: T, t: T) -> T:
    r"""$\eta_t=\frac1{\mu t}$ (Theorem 9), with which the weights $\propto t$ do not telescope (E35).

    >>> from dpref.reals import FLOAT
    >>> printed_step(FLOAT, 0.5, 4.0)
    0.5
    """
    return 1 / (weak_convexity * t)


def telescoping_step(o: Ops[T], weak_convexity: T, t: T) -> T:
    r"""$\eta_t=\frac2{\mu(t+1)}$, with which they do (the repaired form).

    >>> from dpref.reals import FLOAT
    >>> telescoping_step(FLOAT, 0.5, 3.0)
    1.0
    """
    return 2 / (weak_convexity * (t + 1))


def average(o: Ops[T], mean: T, point: T, t: T) -> T:
    r"""$\bar w_t=\bar w_{t-1}+\frac2{t+1}(w_t-\bar w_{t-1})$, the running form of $\frac2{T(T+1)}\sum_tt\,w_t$.

    >>> from dpref.reals import FLOAT
    >>> average(FLOAT, 3.0, 9.0, 2.0)  # (3 + 2 * 9) / 3
    7.0
    """
    return mean + 2 / (t + 1) * (point - mean)
