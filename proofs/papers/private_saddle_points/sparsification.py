"""Section 2: values and gradients at averages of drawn vertices."""

from __future__ import annotations

from collections.abc import Sequence

import sympy as sp

from dpref.algorithms.mirror_descent import utility as parameters_utility
from dpref.terms import TERM
from proofs import balls
from proofs import kernel as k
from proofs.algebra import Claim
from proofs.papers.private_saddle_points import obligation
from proofs.papers.private_saddle_points.minima import least
from proofs.registry import Goal, derivative, equal, goal
from proofs.search import natural, nonnegative, positive, sum_of_squares
from proofs.sums import equal_terms

A, C, G, K, L0, L1, L2, M, N, R, S, T, V = sp.symbols("a C g K L0 L1 L2 M n r s T v")


@obligation("P4", item="Corollary 2.3")
def p4() -> Sequence[Goal]:
    r"""The value at an average of T vertices.

    $\frac{L_1}2\sum_t\frac1{T^2}\cdot4=\frac{2L_1}T$; over 2K martingale steps of weight $\frac1K$ and size 2, the
    product of two simplices, $\frac{4L_1}K$.
    """
    one, product = L1 / 2 * (1 / T) ** 2 * 4, L1 / 2 * (1 / K) ** 2 * 4  # one step: weight 1/T or 1/K, size 2
    return [
        equal_terms(one, sp.Symbol("j"), N, positive("L1", "T") + natural("n"), "n equal terms"),
        goal((2 * L1 / T - N * one).subs(T, N + S), ">=", _STEPS, note="n <= T steps, equal at n = T"),
        equal_terms(product, sp.Symbol("j"), N, positive("L1", "K") + natural("n"), "n equal terms"),
        goal((4 * L1 / K - N * product).subs(K, (N + S) / 2), ">=", _STEPS, note="n <= 2 K steps, equal at n = 2 K"),
    ]


_STEPS = positive("L1") + nonnegative("s") + natural("n", 1)


@obligation("P5", item="Corollary 2.6")
def p5() -> Sequence[Goal]:
    r"""The best radius for the bias of a gradient, first-order smooth.

    $\min_{r>0}\frac{4L_1}{rT}+L_1r=\frac{4L_1}{\sqrt T}$, at $r=\frac2{\sqrt T}$. (That the two terms bound the bias
    asks for smoothness at points r away from the simplex: E20, not stated here.)
    """
    return least(4 * L1 / (R * T), L1 * R, 4 * L1 / sp.sqrt(T), (R, 2 / sp.sqrt(T)), positive("L1", "T", "r"))


@obligation("P6", item="Corollary 2.6, product form (E6)", about=("mirror-descent.first_order_bias",))
def p6() -> Sequence[Goal]:
    r"""The best radius for the bias on a product of two simplices.

    $\min_{r>0}\frac{8L_1}{rK}+L_1r=\frac{4\sqrt2L_1}{\sqrt K}$, at $r=\sqrt{8/K}$. (That the two terms bound the bias
    asks for smoothness at points r away from the simplices: E20, not stated here.)
    """
    bound = parameters_utility.first_order_bias(TERM, L1, K)
    return least(8 * L1 / (R * K), L1 * R, bound, (R, sp.sqrt(8 / K)), positive("L1", "K", "r"))


@obligation(
    "P9",
    item="Lemma 2.10, safe form",
    not_proved="The integral as such: the antiderivative and the value at the end that it gives.",
)
def p9() -> Sequence[Goal]:
    r"""The integral of the layer cake.

    $\int_0^\infty\min(1,2Me^{-v/C^2})\,dv=C^2(1+\ln2M)$: the two parts meet at $v=C^2\ln2M$, and the tail's
    antiderivative is $-2MC^2e^{-v/C^2}$.
    """
    tail = 2 * M * C**2 * sp.exp(-V / C**2)
    cut = C**2 * sp.log(2 * M)
    domain = positive("C", "M", "v")
    return [
        derivative(-tail, V, 2 * M * sp.exp(-V / C**2), domain),
        goal(cut + tail.subs(V, cut) - C**2 * (1 + sp.log(2 * M)), "==", positive("C", "M")),
    ]  # fmt: skip


@obligation("P10", item="Lemma 2.10, safe form")
def p10() -> Sequence[Goal]:
    r"""The safe second moment, expanded.

    $(A+C\sqrt{1+\ln2M})^2\le2A^2+2C^2(1+\ln2M)$.
    """
    gap = 2 * A**2 + 2 * C**2 * S**2 - (A + C * S) ** 2
    return [
        goal(gap, ">=", nonnegative("a", "C", "s"), sum_of_squares((sp.S.One, A - C * S))),
    ]


@obligation("P11", numbers=True, item="Lemma 2.10")
def p11() -> Sequence[Goal]:
    r"""The safe bound never exceeds twice the printed one.

    $2(1+\ln2M)\le2(4+\ln M)$ for every $M\ge1$.
    """
    gap = 2 * (4 + sp.log(M)) - 2 * (1 + sp.log(2 * M))

    def prove(c: Claim) -> k.Fact:
        constant = balls.cover(6 - 2 * sp.log(2), (), "0", 64)
        return k.combine(c.expr, ">", ((sp.S.One, constant),), c.domain)

    return [goal(gap, ">", positive("M"), prove)]


@obligation("P14", item="Corollary 2.12")
def p14() -> Sequence[Goal]:
    r"""The second moment of a gradient, second-order smooth.

    $A=\frac{2L_2}T$, $C^2=\frac{8L_1^2}T$: $2A^2+2C^2\gamma=\frac{8L_2^2}{T^2}+\frac{16L_1^2\gamma}T$,
    $\gamma=1+\ln2d$.
    """
    return [
        equal(
            2 * (2 * L2 / T) ** 2 + 2 * 8 * L1**2 / T * G,
            8 * L2**2 / T**2 + 16 * L1**2 * G / T,
            positive("L1", "L2", "T", "g"),
            "T vertices",
        )
    ]


@obligation("P15", item="Corollary 2.14")
def p15() -> Sequence[Goal]:
    r"""The printed second moment, first-order smooth.

    With $r^2=\sqrt{32\gamma/T}$, $\gamma=4+\ln d$:
    $\frac{64L_1^2}{T^2r^2}+\frac{64L_0^2\gamma}{Tr^2}+2L_1^2r^2=\frac{8\sqrt2L_1^2}{T^{3/2}\
    \sqrt\gamma}+8\sqrt2(L_0^2+L_1^2)\sqrt{\gamma/T}$.
    """
    r2 = sp.sqrt(32 * G / T)
    left = 64 * L1**2 / (T**2 * r2) + 64 * L0**2 * G / (T * r2) + 2 * L1**2 * r2
    right = 8 * sp.sqrt(2) * L1**2 / (T * sp.sqrt(T * G)) + 8 * sp.sqrt(2) * (L0**2 + L1**2) * sp.sqrt(G / T)
    return [goal(left - right, "==", positive("L0", "L1", "T", "g"))]


@obligation("P16", item="Corollary 2.14, safe form")
def p16() -> Sequence[Goal]:
    r"""The safe second moment, first-order smooth.

    With $r^2=8\sqrt{\gamma/T}$, $\gamma=1+\ln2d$:
    $\frac{64L_1^2}{T^2r^2}+\frac{128L_0^2\gamma}{Tr^2}+2L_1^2r^2=\frac{8L_1^2}{T^{3/2}\
    \sqrt\gamma}+16(L_0^2+L_1^2)\sqrt{\gamma/T}$.
    """
    r2 = 8 * sp.sqrt(G / T)
    left = 64 * L1**2 / (T**2 * r2) + 128 * L0**2 * G / (T * r2) + 2 * L1**2 * r2
    right = 8 * L1**2 / (T * sp.sqrt(T * G)) + 16 * (L0**2 + L1**2) * sp.sqrt(G / T)
    return [goal(left - right, "==", positive("L0", "L1", "T", "g"))]
