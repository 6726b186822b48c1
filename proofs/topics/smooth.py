"""Smooth and strongly convex functions: the inequalities that every utility proof starts from.

Vectors enter through Gram variables, ``d = |x-y|^2``, ``g = |grad f(x) - grad f(y)|^2``, ``p`` their inner product, so
that an identity holds in every dimension; hypotheses enter through their slacks.
"""

from __future__ import annotations

from collections.abc import Sequence

import sympy as sp

from dpref.algorithms.dynamic_gradient_descent import utility as risk_bounds
from dpref.terms import TERM
from proofs.registry import Goal, Paper, goal
from proofs.search import nonnegative, numbers, positive, sum_of_squares

obligation = Paper("smooth", "nesterov2018lectures").obligation
D, G, M, MU, S, U, Y, E, Q, V = sp.symbols("d g M mu s u y e q v")
_UP_TO_ONE = numbers("y", lo=0, hi=1, ends="(]")


@obligation("descent", item="Lemma 1.2.3")
def descent() -> Sequence[Goal]:
    r"""A gradient step goes down.

    For M-smooth f and $\eta\le\frac2M$, $f(x-\eta\nabla f(x))\le f(x)-\eta(1-\frac{M\eta}2)\|\nabla f(x)\|^2$; at
    $\eta=\frac1M$ the decrease is $\frac1{2M}\|\nabla f\|^2$, the largest that the bound gives.
    """
    eta = 2 * Y / M
    decrease = eta * (1 - M * eta / 2) * Q
    after = -eta * Q + M / 2 * eta**2 * Q  # <grad, step> + M/2 |step|^2
    domain = positive("M") + nonnegative("q") + _UP_TO_ONE
    gap = Q / (2 * M) - decrease
    return [
        goal(after + decrease, "==", domain),
        goal(decrease, ">=", domain),
        goal(gap, ">=", domain, sum_of_squares((Q / (2 * M), 1 - 2 * Y)), "1/M is the best step"),
    ]


@obligation("inexact-descent", item="Lemma 1.2.3")
def inexact_descent() -> Sequence[Goal]:
    r"""A gradient step with an error.

    For M-smooth f and the step $\frac1M(\nabla f+b)$: $f$ falls by at least $\frac1{2M}\|\nabla
    f\|^2-\frac1{2M}\|b\|^2$, with equality in the bound and without a mean.
    """
    p, b = sp.symbols("p b")  # <grad, error>, |error|^2
    after = -(Q + p) / M + (Q + 2 * p + b) / (2 * M)
    return [goal(after - (-Q / (2 * M) + b / (2 * M)), "==", positive("M") + nonnegative("q", "b") + numbers("p"))]


@obligation(
    "polyak-lojasiewicz-step", item="Theorem 1", about=("dynamic-gradient-descent.step_factor",), premises=("descent",)
)
def pl_step() -> Sequence[Goal]:
    r"""Linear convergence under PL.

    PL, $\|\nabla f\|^2\ge2\mu(f-f^*)$, turns the descent into $f(x^+)-f^*\le(1-2\mu\eta(1-\frac{M\eta}2))(f(x)-f^*)$
    for $\eta\le\frac2M$.
    """
    eta = 2 * Y / M
    factor = risk_bounds.step_factor(TERM, MU, M, eta)
    after = E - eta * (1 - M * eta / 2) * (2 * MU * E + S)
    domain = positive("M", "mu") + nonnegative("e", "s") + _UP_TO_ONE
    return [goal(factor * E - after, ">=", domain, note="|grad|^2 = 2 mu e + s")]


@obligation("co-coercivity", published="Theorem 2.1.5", item="Theorem 2.1.5")
def co_coercivity() -> Sequence[Goal]:
    r"""Gradients of convex smooth functions are co-coercive.

    $\langle x-y,\nabla f(x)-\nabla f(y)\rangle\ge\frac1M\|\nabla f(x)-\nabla f(y)\|^2$ for convex M-smooth f: at
    $z=y-\frac1M(\nabla f(y)-\nabla f(x))$ convexity at x and smoothness at y give $f(y)\ge f(x)+\langle\nabla
    f(x),y-x\rangle+\frac1{2M}\|\nabla f(x)-\nabla f(y)\|^2$; the same with x and y exchanged, added.
    """
    # a, b, c = <gx, gx>, <gx, gy>, <gy, gy>; p = <gx, y - x>, r = <gy, x - y>; slacks s (convexity), u (smoothness)
    fx, a, b, c, p = sp.symbols("f_x a b c p")

    def lower(left: sp.Expr, other: sp.Expr, own: sp.Expr, inner: sp.Expr) -> tuple[sp.Expr, sp.Expr]:
        """f(z) from below by convexity at the point, and f(other point) from f(z) by smoothness."""
        moved = (own - 2 * b + other) / (2 * M)
        below = left + inner - (b - own) / M  # f(x) + <gx, z - x>
        return below, below + S + (other - b) / M - moved + U

    g = a - 2 * b + c
    _, upper = lower(fx, c, a, p)
    one = upper - fx - p - g / (2 * M)
    domain = numbers("f_x", "a", "b", "c", "p") + nonnegative("s", "u") + positive("M")
    above = fx + p + g / (2 * M) + S  # f(y), and r = f(x) - f(y) - g / (2 M) - u
    return [
        goal(one - S - U, "==", domain, note="f(y) - f(x) - <gx, y - x> - |gx - gy|^2 / (2 M) is the two slacks"),
        goal(one, ">=", domain, note="so it is not negative"),
        goal(-p - (fx - above - g / (2 * M) - U) - g / M, ">=", domain, note="both, added: <x - y, gx - gy> = -p - r"),
    ]


@obligation("non-expansive", item="Theorem 2.1.5", premises=("co-coercivity",))
def non_expansive() -> Sequence[Goal]:
    r"""A gradient step of a convex function does not expand.

    $\|x-y-\eta(\nabla f(x)-\nabla f(y))\|\le\|x-y\|$ for convex M-smooth f and $\eta\le\frac2M$, from co-coercivity
    $\langle x-y,\nabla f(x)-\nabla f(y)\rangle\ge\frac1M\|\nabla f(x)-\nabla f(y)\|^2$.
    """
    eta, p = 2 * Y / M, G / M + S
    domain = nonnegative("d", "g", "s") + positive("M") + _UP_TO_ONE
    return [goal(D - (D - 2 * eta * p + eta**2 * G), ">=", domain, note="inner product = g / M + s")]


@obligation(
    "strongly-convex-interpolation", published="Theorem 2.1.12", item="Theorem 2.1.12", premises=("co-coercivity",)
)
def interpolation() -> Sequence[Goal]:
    r"""Strongly convex smooth functions interpolate.

    $\langle x-y,\nabla f(x)-\nabla f(y)\rangle\ge\frac{\mu M}{\mu+M}\|x-y\|^2+\frac1{\mu+M}\|\nabla f(x)-\nabla
    f(y)\|^2$ for $\mu$-strongly convex, M-smooth f: for $M>\mu$ co-coercivity of $f-\frac\mu2\|\cdot\|^2$, which is
    convex and $(M-\mu)$-smooth; for $M=\mu$ the mean of strong convexity and co-coercivity.
    """
    p, x, y = sp.symbols("p x y")
    # p mu-shifted: <d, g - mu d> = |g - mu d|^2 / (M - mu) + s, so p = (g + mu M d + (M - mu) s) / (M + mu)
    m = MU + U
    shifted = (p - MU * D) - (G - 2 * MU * p + MU**2 * D) / U
    bound = p - (MU * m * D + G) / (MU + m)
    domain = nonnegative("d", "g") + numbers("p") + positive("mu", "u")
    same = p - (MU * MU * D + G) / (2 * MU)
    norm = y**2 - x**2 - 2 * x * (y - x) - (y - x) ** 2
    return [
        goal(norm, "==", numbers("x", "y"), note="|y|^2 - |x|^2 - 2 <x, y - x> = |y - x|^2, by coordinates: the shift"),
        goal(bound - U / (MU + m) * shifted, "==", domain, note="M > mu, u = M - mu"),
        goal(same - ((p - MU * D) + (p - G / MU)) / 2, "==", domain, note="M = mu"),
    ]


@obligation("strongly-convex-contraction", item="Theorem 2.1.12", premises=("strongly-convex-interpolation",))
def contraction() -> Sequence[Goal]:
    r"""A gradient step of a strongly convex function contracts.

    $\|x-y-\eta(\nabla f(x)-\nabla f(y))\|\le(1-\eta\mu)\|x-y\|$ for $\mu$-strongly convex, M-smooth f and
    $\eta\le\frac2{M+\mu}$, from $\langle\cdot\rangle\ge\frac{\mu M}{\mu+M}\|x-y\|^2+\frac1{\mu+M}\|\nabla f(x)-\nabla
    f(y)\|^2$; at $\eta=\frac1M$ the factor is $1-\frac1\kappa$.
    """
    m = MU + U  # M >= mu
    g = MU**2 * D + V  # strong convexity: |grad difference| >= mu |x - y|
    eta = 2 * Y / (m + MU)
    p = MU * m / (MU + m) * D + g / (MU + m) + S
    kappa = m / MU
    left = (1 - eta * MU) ** 2 * D - (D - 2 * eta * p + eta**2 * g)
    domain = nonnegative("d", "v", "s", "u") + positive("mu") + _UP_TO_ONE
    return [
        goal(left, ">=", domain),
        goal(
            (1 - 1 / kappa) ** 2 * D - (D - 2 * p / m + g / m**2), ">=",
            nonnegative("d", "v", "s", "u") + positive("mu"), note="the step 1/M",
        ),
    ]  # fmt: skip


@obligation("strong-convexity-gives-pl", item="Theorem 2.1.10")
def strong_gives_pl() -> Sequence[Goal]:
    r"""Strong convexity gives PL.

    $f(x)-f^*\le\frac1{2\mu}\|\nabla f(x)\|^2$ for $\mu$-strongly convex f: $f^*\ge f(x)+\langle\nabla
    f,x^*-x\rangle+\frac\mu2\|x^*-x\|^2$ and a square is left.
    """
    # one coordinate of a = grad f(x), w = x* - x: f - f* = -(a w + mu/2 w^2) - s
    a, w = sp.symbols("a w")
    gap = a**2 / (2 * MU) - (-(a * w + MU / 2 * w**2))
    domain = positive("mu") + numbers("a", "w")

    return [goal(gap, ">=", domain, sum_of_squares((MU / 2, w + a / MU)), "coordinate by coordinate")]
