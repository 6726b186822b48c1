"""Section 5: what DP-AccMD rests on, as printed (E1, E8) and repaired (P36 to P40)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import sympy as sp

from dpref.algorithms.accelerated_mirror_descent import formulas, utility
from dpref.algorithms.gradient_descent import formulas as gradient_descent_formulas
from dpref.problems import erm
from dpref.terms import TERM
from dpref.units import ReplaceOne
from proofs import balls
from proofs import kernel as k
from proofs.algebra import Claim
from proofs.papers.dp_erm_revisited import erratum, obligation
from proofs.registry import Goal, cited, equal, goal, refutation
from proofs.search import nonnegative, numbers, positive

A, B, G, H, K, L, M, N, R, S, T, U, V, W, X, Y, Z = sp.symbols("a b g h k L m n R s t u v w x y z")
BOUND, LAMBDA, EPSILON = sp.symbols("G Lambda epsilon")
ONE, ZERO, TWO, HALF = sp.S.One, sp.S.Zero, sp.Integer(2), sp.Rational(1, 2)
_A: Final = "accelerated-mirror-descent"
_DESCENT: Final = f"{_A}.descent_length"
_SMOOTH: Final = f"{_A}.smoothness_in_norm"
_WEIGHT: Final = f"{_A}.mirror_weight"
_COUPLING: Final = f"{_A}.coupling"
_BETWEEN: Final = f"{_A}.between"
_STEP: Final = numbers("k", lo=0, ends="[)")


@obligation("P36", item="Lemma 5.1")
def p36() -> Sequence[Goal]:
    r"""The Euclidean norm and that of a symmetric set.

    For a centrally symmetric bounded $\mathcal C$: $\|v\|_2\le\frac12\|\mathcal C\|_2\|v\|_{\mathcal C}\le\|\mathcal
    C\|_2\|v\|_{\mathcal C}$. For $v=tx$, $t=\|v\|_{\mathcal C}$, $x\in\mathcal C$: x and $-x$ are $2\|x\|_2$ apart.
    """
    diameter = 2 * X + S  # x = |x|_2, s: how much longer the diameter is
    domain = nonnegative("x", "s", "t")
    return [
        goal(diameter / 2 * T - T * X, ">=", domain, note="half of the diameter"),
        goal(diameter * T - diameter / 2 * T, ">=", domain, note="as printed"),
    ]


@obligation("P37", item="Section 5", about=(_SMOOTH,), premises=("P36",))
def p37() -> Sequence[Goal]:
    r"""Smoothness in the norm of the set.

    With $\|\nabla f(x)-\nabla f(y)\|_2\le L\|x-y\|_2$ and $h=\frac12\|\mathcal C\|_2$: $\|\nabla f(x)-\nabla
    f(y)\|_{\mathcal C*}\le hL\|x-y\|_2\le Lh^2\|x-y\|_{\mathcal C}$, a quarter of the printed constant.
    """
    # m = |x - y|_C, |x - y|_2 = h m - s, the gradients' difference L |x - y|_2 - t, its dual norm h times that less u
    near = H * M - S
    dual = H * (L * near - T) - U
    own = formulas.smoothness_in_norm(TERM, L, H)
    domain = positive("L") + nonnegative("h", "m", "s", "t", "u")
    return [
        goal(own * M - dual, ">=", domain, note="in the norm of C"),
        goal(formulas.smoothness_in_norm(TERM, L, 2 * H) - 4 * own, "==", domain, note="the printed constant"),
    ]


@obligation("P38", item="Lemma 5.2", about=(f"{_A}.spread",))
def p38() -> Sequence[Goal]:
    r"""The mean square of the noise in the dual norm.

    $\mathbb E(\sup_{w\in\mathcal C}\langle w,v\rangle)^2\le G_{\mathcal C}^2+\max_{\mathcal C}\|w\|_2^2$ for $v\sim
    N(0,I)$: the variance of the supremum is at most the mean square of its gradient, which is the maximiser.
    """
    variance = H**2 - S  # h = max |w|, s the slack of the cited inequality
    spread = utility.spread(TERM, W, H**2)
    return [
        cited("Var f(v) <= E |grad f(v)|^2 for Lipschitz f (Theorem 3.20)", "boucheron2013concentration"),
        goal(spread - (variance + W**2), ">=", nonnegative("h", "s", "w"), note="second moment, w the width"),
    ]


@obligation(
    "P39",
    item="Theorem 5.4, Eqs. (66) to (70), repaired",
    about=(_WEIGHT, _COUPLING, _BETWEEN),
    premises=("P27", "P28"),
)
def p39() -> Sequence[Goal]:
    r"""Line 6 can be replaced without a gradient, and the constants of Theorem 5.4 stay.

    Let $y_{k+1}=r_kz_{k+1}+(1-r_k)y_k=v$ in place of line 6. By smoothness $\langle\nabla F(x),x-v\rangle-
    \frac{L_C}2\|x-v\|_{\mathcal C}^2\le F(x)-F(v)$, and this times $2\alpha^2L_C$ is Eq. (70).
    """
    alpha, r = formulas.mirror_weight(TERM, L, K), formulas.coupling(TERM, K)
    factor = 2 * alpha**2 * L
    # g = <grad F(x), x - v>, m = |x - v|_C; F(v) = F(x) - g + L m^2 / 2 - s
    gained = G - L * M**2 / 2 + S
    x, v = (formulas.between(TERM, Y, at, r) for at in (Z, W))
    public = positive("L") + _STEP
    return [
        goal(x - v - r * (Z - W), "==", _STEP + numbers("y", "z", "w"), note="x - v = r (z - z+)"),
        goal(alpha / r - factor, "==", public, note="alpha / r"),
        goal(1 / (4 * r**2) - factor * L / 2, "==", public, note="1 / (4 r^2), Eq. (67)"),
        goal(factor * gained - factor * (G - L / 2 * M**2), ">=", public + numbers("g") + nonnegative("m", "s"),
             note="Eq. (70)"),
    ]  # fmt: skip


@obligation(
    "P40", item="Theorem 5.4, Eqs. (66) to (71), noisy line 6", about=(_WEIGHT, _COUPLING, _DESCENT), premises=("P27",)
)
def p40() -> Sequence[Goal]:
    r"""Line 6 along the noisy gradient keeps the constants.

    $y=\arg\min_{\mathcal C}L_C\|y-x\|_{\mathcal C}^2+\langle\tilde g,y-x\rangle$, $\tilde g=\nabla F(x)+b$. By
    smoothness and Young's inequality $F(y)\le F(x)+\langle\tilde g,y-x\rangle+L_C\|y-x\|^2+\frac{\|b\|_*^2}{2L_C}$; as
    y is the minimiser, $\alpha\langle\tilde g,z-z^+\rangle-\frac12\|z-z^+\|^2\le2\alpha^2L_C(F(x)-F(y))+
    \alpha^2\|b\|_*^2$, for $\frac\alpha r\cdot\frac1{2L_C}=\alpha^2$. On the Euclidean ball y is the projection of
    $x-\frac{R^2}{2L_C}\tilde g$.
    """
    alpha, r = formulas.mirror_weight(TERM, L, K), formulas.coupling(TERM, K)
    # a = <noisy g, x - y>, m = |y - x|, b = |b|_*, z = |z - z+|; slacks: s of smoothness, t of <b, y - x> >= -b m, u of
    # the minimality of y
    drop = A - B * M + T - L / 2 * M**2 + S
    along = L * (r * Z) ** 2 + A - L * M**2 - U
    domain = positive("L") + _STEP + numbers("a") + nonnegative("b", "m", "z", "s", "t", "u")
    whole = 2 * alpha**2 * L * drop + alpha**2 * B**2 - alpha / r * along + Z**2 / 2
    slack = 2 * alpha**2 * L * (S + T + U)

    def complete(c: Claim) -> k.Fact:
        return k.squares(c.expr, ((alpha**2, L * M - B), (slack, ONE)), c.domain)

    step = L * ((Y - X) / R) ** 2 + G * (Y - X)  # one dimension stands for all: |.|_C = |.|_2 / R
    at = X - G * formulas.descent_length(TERM, 2 * L, R)
    line = positive("L", "R") + numbers("x", "y", "g")

    def smallest(c: Claim) -> k.Fact:
        return k.minimum(step, Y, at, k.sign(2 * L / R**2, ">", c.domain), c.domain)

    young = B**2 / (2 * L) + L / 2 * M**2 - B * M
    return [
        goal(young, ">=", positive("L") + nonnegative("b", "m"),
             lambda c: k.squares(c.expr, ((1 / (2 * L), L * M - B),), c.domain), "Young's inequality"),
        equal(alpha / r / (2 * L), alpha**2, positive("L") + _STEP, "alpha / (2 r L_C)"),
        goal(whole, ">=", domain, complete, "Eq. (71)"),
        goal(step - step.subs(Y, at), ">=", line, smallest, "the y-step before the projection"),
    ]  # fmt: skip


@obligation(
    "theorem-5.3",
    item="Theorem 5.3, line 6 replaced",
    about=(f"{_A}.printed_variance", "gradient-descent.safe_variance"),
    premises=("P46", "P48"),
)
def theorem_5_3() -> Sequence[Goal]:
    r"""Theorem 5.3 holds with c = 16 if line 6 has no gradient of its own and epsilon is at most 2 ln(1/delta).

    With $y_{k+1}=r_kz_{k+1}+(1-r_k)y_k$ in place of line 6, or with the noisy gradient of line 7 in line 6, the output
    of Algorithm 3 is a function of T noisy mean gradients, each of sensitivity $\frac{2G}n$. The noise of Eq. (9) with
    $c=16$ is at least the $\frac{4G^2T(2\Lambda+\varepsilon)}{n^2\varepsilon^2}$, $\Lambda=\ln\frac1\delta$, that
    makes T such gradients $(\varepsilon,\delta)$-DP, if and only if $\varepsilon\le2\Lambda$.
    """
    moves = erm.mean_gradient_sensitivity(BOUND, N, ReplaceOne)
    safe = gradient_descent_formulas.safe_variance(TERM, moves, T, LAMBDA, EPSILON)
    gap = formulas.printed_variance(TERM, sp.Integer(16), BOUND, T, LAMBDA, N, EPSILON) - safe
    domain = positive("G", "n", "t", "Lambda")
    return [
        goal(gap.subs(EPSILON, 2 * LAMBDA * B), ">=", domain + numbers("b", lo=0, hi=1, ends="(]"), note="up to there"),
        goal(-gap.subs(EPSILON, 2 * LAMBDA * (1 + B)), ">", domain + positive("b"), note="and no further"),
    ]


# ------------------------------------------------------------------------------------ errata


def _printed_length() -> sp.Expr:
    """How far line 6 goes against a gradient in one dimension, where the diameter is 2 R."""
    value: sp.Expr = formulas.descent_length(TERM, formulas.smoothness_in_norm(TERM, L, 2 * R), R)
    return value


@erratum(
    "E1",
    item="Theorem 5.3, Algorithm 3",
    about=("erm.mean_gradient_sensitivity", _DESCENT, _SMOOTH),
    repaired_by="P39",
)
def e1() -> Sequence[Goal]:
    r"""The output of DP-AccMD is made from noisy gradients only.

    As printed, Algorithm 3 is $(\varepsilon,\delta)$-DP for all $\varepsilon,\delta>0$ with the noise of Eq. (9). Line
    6 makes $y_{k+1}$ from the gradient without noise, which proof B.3 takes to be noisy, and $y_T$ is returned. Take
    $T=1$, $f(x,z)=Gzx$ on $\mathcal C=[-R,R]$, $|z|\le1$, $x_0=0$. Then $y_1$ minimises $2Ly^2+gy$, g the mean
    gradient, so $y_1=-\frac g{4L}$, which lies inside for $G\le4LR$. Replacing one record moves it by $\frac G{2Ln}>0$
    with certainty. The claim is false at $(100,0.999)$, as for every $\delta<1$.
    """
    bound, moves = sp.Symbol("G"), erm.mean_gradient_sensitivity(sp.Symbol("G"), N, ReplaceOne)
    smooth = positive("L", "R")
    line_6 = formulas.smoothness_in_norm(TERM, L, 2 * R) / 2 * (Y / R) ** 2 + G * Y
    at, moved = -G * _printed_length(), -(G - moves) * _printed_length()

    def smallest(c: Claim) -> k.Fact:
        return k.minimum(line_6, Y, at, k.sign(4 * L, ">", c.domain), c.domain)

    one, zero = (ONE, ZERO), (ZERO, ONE)
    epsilon, delta = sp.Integer(100), sp.Rational(999, 1000)
    within = positive("L", "G") + numbers("a", lo=-1, hi=1, ends="[]") + nonnegative("w")
    end = (bound + W) / (4 * L) - bound * A / (4 * L)  # R = (G + w) / (4 L), g = a G
    return [
        goal(line_6 - line_6.subs(Y, at), ">=", smooth + numbers("y", "g"), smallest, "line 6: y_1 is the minimiser"),
        goal(at + G / (4 * L), "==", smooth + numbers("g"), note="y_1"),
        goal(end, ">=", within, note="y_1 lies in C where G <= 4 L R"),
        goal(moved - at - bound / (4 * L * N), ">", smooth + positive("G", "n") + numbers("g"), note="y_1 moves"),
        goal(ONE - delta, ">", (), lambda _: balls.distinguish(one, zero, (0,), epsilon, delta, 64),
             "one y_1 surely, another surely, at (100, 0.999)"),
        goal(ONE - sp.Symbol("delta"), ">", numbers("delta", lo=0, hi=1, ends="[)"), note="every delta below 1"),
    ]  # fmt: skip


@erratum(
    "E8", item="Algorithm 3, line 4",
    about=(_WEIGHT, _COUPLING, _BETWEEN, _DESCENT, _SMOOTH, f"{_A}.excess_bound"),
    repaired_by="P39",
)  # fmt: skip
def e8() -> Sequence[Goal]:
    r"""Line 4 of Algorithm 3 has the right smoothness constant.

    As printed, with $\alpha_{k+1}=\frac{k+2}{4L}$ in line 4 and $L\|\mathcal C\|_2^2$ in line 6, the bound
    $\frac{8L\|\mathcal C\|_2^2B_w}{(T+1)^2}$ holds without noise for every $\mathcal C$. It fails for $F=\frac
    L2(x-s)^2$ on $[-R,R]$ with $R=4$, $s=\frac14$, after two steps from 0, because the mirror step is too long. With
    $L\|\mathcal C\|_2^2$ in line 4 as well the bound holds there. Appendix B.7 has it so: its proof is for $\|\mathcal
    C\|_2=1$, and it says that L is to be replaced by $L\|\mathcal C\|_2^2$ in general.
    """

    def excess(smoothness: sp.Expr) -> sp.Expr:
        """Of y_2, nothing being cut off; s is the minimiser."""
        alpha = formulas.mirror_weight(TERM, smoothness, ZERO)
        z = alpha * R**2 * L * S  # against the gradient -L s
        y = L * S * _printed_length()
        x = formulas.between(TERM, y, z, formulas.coupling(TERM, ONE))
        last = x - L * (x - S) * _printed_length()
        return L / 2 * (last - S) ** 2

    whole = formulas.smoothness_in_norm(TERM, L, 2 * R)
    bound = utility.excess_bound(TERM, whole, S**2 / (2 * R**2), TWO, ZERO)
    domain = positive("L", "R", "s")
    first = formulas.mirror_weight(TERM, L, ZERO) * R**2 * L * S
    return [
        refutation(bound - excess(L), ">=", domain, L=1, R=4, s="1/4", note="L in line 4"),
        goal((R - first).subs({R: 4, S: sp.Rational(1, 4)}), ">", positive("L"), note="z_1 is not cut off there"),
        goal(bound - excess(whole), ">=", domain, note="the norm's own smoothness in line 4: for every L, R, s"),
    ]
