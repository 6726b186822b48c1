"""Menart, Ullah, Arora, Bassily and Guzman, "Private Non-Convex Optimization under the KL Condition"."""

# ruff: noqa: D103 - the statement of an obligation is its documentation

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import sympy as sp

from dpref.algorithms.kl import adaptive_gradient_descent as adaptive
from dpref.algorithms.kl import spider_schedule as spider
from dpref.reals import TERM
from proofs.registry import Goal, goal, obligation, refutation
from proofs.search import bisect, box, grow, nonnegative, numbers, positive

ROOT, L, N, D, Z, K, M, BOUND = sp.symbols("r L n d z K m G")
G, X, E, V, S, W, P, Y, F, KAPPA, H, THETA = sp.symbols("g x e v s w p y f kappa h theta")
PHI, GAMMA, DELTA = sp.symbols("phi gamma Delta")
RHO: Final = ROOT**4  # so that roots of rho and of sqrt(rho) are polynomials
HALF = sp.Rational(1, 2)
_A = "dpref.algorithms.kl.adaptive_gradient_descent"
_S = "dpref.algorithms.kl.spider_schedule"
CITATION: Final = "menart2024kl"


def cost(sensitivity: sp.Expr, std: sp.Expr) -> sp.Expr:
    """What a Gaussian answer costs, as the library says."""
    return adaptive.gaussian_cost(TERM, sensitivity, std)


# ------------------------------------------------------------------------------------ KL Spider


@obligation(
    "kl-condition/PO-1",
    item="Theorem 1, number of rounds",
    title="The logarithm lies above x / (1 + x)",
    statement=r"$\log(1+x)\ge\frac x{1+x}$ for $x\ge0$.",
    citation=CITATION,
)
def po_1() -> Sequence[Goal]:
    f = sp.log(1 + X) - X / (1 + X)
    return [goal(f, ">=", nonnegative("x"), lambda c: grow(c.expr, X, c.domain))]


@obligation(
    "kl-condition/PO-5",
    item="Theorem 1, Case B",
    title="The constants of a step's gain",
    statement=r"$\frac1{16}\cdot\frac78-\frac14\cdot\frac1{64}=\frac{13}{256}\ge\frac1{32}-\frac1{256}\ge\frac1{64}$.",
    citation=CITATION,
)
def po_5() -> Sequence[Goal]:
    r = sp.Rational
    gain = r(1, 16) * r(7, 8) - r(1, 4) * r(1, 64)
    return [
        goal(gain - r(13, 256), "==", ()),
        goal(gain - (r(1, 32) - r(1, 256)), ">", ()),
        goal(r(1, 32) - r(1, 256) - r(1, 64), ">", ()),
    ]


@obligation(
    "kl-condition/PO-6",
    item="Theorem 1, Case B",
    title="A round's length times a step's gain",
    statement=r"$(F_0/\Phi)^{(2-\kappa)/\kappa}\,\Phi^{2/\kappa}=F_0^{(2-\kappa)/\kappa}\,\Phi$, on logarithms.",
    citation=CITATION,
)
def po_6() -> Sequence[Goal]:
    part = (2 - KAPPA) / KAPPA
    return [goal(part * (X - Y) + 2 / KAPPA * Y - (part * X + Y), "==", numbers("x", "y") + positive("kappa"))]


@obligation(
    "kl-condition/PO-7",
    item="Theorem 1",
    title="The contraction closes the induction",
    statement=r"$1-\frac1{64h\,c}=\frac1c$ for $c=1+\frac1{64h}$.",
    citation=CITATION,
    about=(f"{_S}.contraction",),
)
def po_7() -> Sequence[Goal]:
    c = spider.contraction(TERM, H)
    return [goal(1 - 1 / (64 * H * c) - 1 / c, "==", positive("h"))]


@obligation(
    "kl-condition/PO-11",
    item="Lemma 9",
    title="The descent lemma along a noisy gradient",
    statement=r"$\eta\langle g,v\rangle-\frac{L_1\eta^2}2\|v\|^2\ge\frac\eta4\|v\|^2-\frac1{4L_1}\|v-g\|^2$ for "
    r"$\eta\le\frac1{2L_1}$, by $\langle g-v,v\rangle\ge-\frac12(\|v\|^2+\|v-g\|^2)$; with $p=\|v\|^2$, $e=\|v-g\|^2$, "
    r"$\eta=\frac\theta{2L_1}$ and slack w. The step of Algorithm 1 has $\eta\le\frac2{7L_1}$.",
    citation=CITATION,
)
def po_11() -> Sequence[Goal]:
    eta = THETA / (2 * L)
    product = P - (P + E) / 2 + W
    gap = eta * product - L * eta**2 / 2 * P - eta / 4 * P + E / (4 * L)
    weights = eta * (1 - THETA) / 4 * P + (1 - THETA) * E / (4 * L) + eta * W
    domain = positive("L") + nonnegative("p", "e", "w") + numbers("theta", lo=0, hi=1, ends="[]")
    return [
        goal(gap - weights, "==", domain, note="the gap is a sum of terms that are not negative"),
        goal(HALF - sp.Rational(2, 7), ">", (), note="the longest step is short enough"),
    ]


@obligation(
    "kl-condition/PO-13",
    item="Theorem 1, Lemma 8 (errata, 3.1s)",
    title="What KL Spider spends",
    statement=r"Repaired: K answers of noise $\Delta\sqrt{K/\rho}$ cost $\frac\rho2$, and so do $N_kK$ differences. "
    r"Printed, under replace-one: the K gradients cost $2\rho$ (a quarter of that under zero-out), a difference "
    r"$\frac\rho{8KT_k}$.",
    citation=CITATION,
    about=(f"{_S}.shared_noise", f"{_S}.printed_outer_noise", f"{_S}.printed_inner_noise", f"{_S}.step_length"),
    premises=("gaussian/renyi", "zcdp/composition", "sensitivity/replace-one", "sensitivity/zero-out"),
)
def po_13() -> Sequence[Goal]:
    shared = K * cost(DELTA, spider.shared_noise(TERM, DELTA, K, RHO))
    outer = spider.printed_outer_noise(TERM, BOUND, K, N, RHO)
    inner = spider.printed_inner_noise(TERM, PHI, GAMMA, sp.Integer(2), M, K, N, RHO)
    moved = 2 * L / N * spider.step_length(TERM, PHI, GAMMA, sp.Integer(2), L)
    everything = positive("G", "n", "K", "r", "Delta")
    return [
        *(
            goal(std, ">", positive("G", "n", "K", "r", "Delta", "phi", "gamma", "m", "L"), note="a length")
            for std in (
                spider.shared_noise(TERM, DELTA, K, RHO),
                outer,
                inner,
                moved,
            )
        ),
        goal(shared - RHO / 2, "==", everything),
        goal(K * cost(2 * BOUND / N, outer) - 2 * RHO, "==", everything, note="replace-one"),
        goal(K * cost(BOUND / N, outer) - RHO / 2, "==", everything, note="zero-out"),
        goal(
            cost(moved, inner) - RHO / (8 * K * M),
            "==",
            positive("phi", "gamma", "L", "n", "K", "m", "r"),
            note="kappa = 2; the power of the target cancels for every kappa",
        ),
    ]


@obligation(
    "kl-condition/E1",
    item="Theorem 1",
    title="The printed gradients of KL Spider cost at most rho under replace-one",
    statement=r"As printed: $K\cdot\frac{(2L_0/n)^2}{2\hat\sigma^2}\le\rho$; it is $2\rho$.",
    citation=CITATION,
    about=(f"{_S}.printed_outer_noise",),
    refutes=True,
    repaired_by="kl-condition/PO-13",
)
def e_1() -> Sequence[Goal]:
    slack = RHO - K * cost(2 * BOUND / N, spider.printed_outer_noise(TERM, BOUND, K, N, RHO))
    return [refutation(slack, ">=", positive("G", "n", "K", "r"), G=1, n=100, K=4, r=1)]


@obligation(
    "kl-condition/PO-14",
    item="Algorithm 1 (errata, 3.1s)",
    title="Half of a round's length is enough",
    statement=r"$\lfloor T\rfloor\ge\frac T2$ for $T\ge1$, and $\frac{13}{256}\cdot\frac12\ge\frac1{64}$.",
    citation=CITATION,
)
def po_14() -> Sequence[Goal]:
    whole = 1 + Y  # T = 1 + y + f with f in [0, 1)
    domain = nonnegative("y") + numbers("f", lo=0, hi=1, ends="[)")
    return [
        goal(whole - (whole + F) / 2, ">=", domain),
        goal(sp.Rational(13, 512) - sp.Rational(1, 64), ">", ()),
    ]


@obligation(
    "kl-condition/PO-15",
    item="Algorithm 1, line 17 (errata, E11)",
    title="The iterate before the last costs a constant",
    statement=r"$(5/4)^\kappa<\frac{13}8$ for $\kappa\in[1,2]$.",
    citation=CITATION,
)
def po_15() -> Sequence[Goal]:
    value = sp.Rational(13, 8) - sp.exp(KAPPA * sp.log(sp.Rational(5, 4)))
    return [goal(value, ">", box(kappa=(1, 2)), bisect)]
