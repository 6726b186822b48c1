"""Menart, Ullah, Arora, Bassily and Guzman, "Private Non-Convex Optimization under the KL Condition"."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import sympy as sp

from dpref.algorithms.adaptive_gradient_descent import formulas as adaptive_formulas
from dpref.algorithms.spider import formulas as spider
from dpref.terms import TERM
from proofs.papers.kl_condition import erratum, obligation
from proofs.registry import Goal, equal, goal, refutation
from proofs.search import bisect, box, grow, natural, nonnegative, numbers, positive

ROOT, L, N, D, Z, K, M, BOUND = sp.symbols("r L n d z K m G")
G, X, E, V, S, W, P, Y, F, KAPPA, H, THETA = sp.symbols("g x e v s w p y f kappa h theta")
PHI, GAMMA, DELTA = sp.symbols("phi gamma Delta")
RHO: Final = ROOT**4  # so that roots of rho and of sqrt(rho) are polynomials
HALF = sp.Rational(1, 2)
_S = "spider"
CITATION: Final = "menart2024kl"


def cost(sensitivity: sp.Expr, std: sp.Expr) -> sp.Expr:
    """What a Gaussian answer costs, as the library says."""
    return adaptive_formulas.gaussian_cost(TERM, sensitivity, std)


# ------------------------------------------------------------------------------------ KL Spider


@obligation("PO-1", numbers=True, item="Theorem 1, number of rounds")
def po_1() -> Sequence[Goal]:
    r"""The logarithm lies above x / (1 + x).

    $\log(1+x)\ge\frac x{1+x}$ for $x\ge0$.
    """
    f = sp.log(1 + X) - X / (1 + X)
    return [goal(f, ">=", nonnegative("x"), lambda c: grow(c.expr, X, c.domain))]


@obligation("PO-5", item="Theorem 1, Case B", about=(f"{_S}.step_length", f"{_S}.threshold"), premises=("PO-11",))
def po_5() -> Sequence[Goal]:
    r"""The gain of a step while the estimate is large.

    A step of length $\ell=\frac{\hat\Phi^{1/\kappa}}{4\gamma L_1}$ along $v$ with
    $\|v\|\ge\frac7{8\gamma}\hat\Phi^{1/\kappa}$ and $\|v-g\|\le\frac{\hat\Phi^{1/\kappa}}{8\gamma}$ gains, by Lemma 9,
    $\frac\ell4\|v\|-\frac1{4L_1}\|v-g\|^2\ge\frac{13}{256}\frac{\hat\Phi^{2/\kappa}}{\gamma^2L_1}$: the printed
    $\frac1{64}$ leaves room.
    """
    step = spider.step_length(TERM, PHI, GAMMA, KAPPA, L)
    long = spider.threshold(TERM, PHI, GAMMA, KAPPA) + S
    unit = 4 * L * step  # Phi^(1/kappa) / gamma
    gain = step * long / 4 - (THETA * unit / 8) ** 2 / (4 * L)
    domain = positive("phi", "gamma", "kappa", "L") + nonnegative("s") + numbers("theta", lo=0, hi=1, ends="[]")
    least = sp.Rational(13, 256) * unit**2 / L
    return [
        goal(gain - least, ">=", domain, note="theta: the error over the most that it may be"),
        goal(gain - unit**2 / (64 * L), ">", domain, note="the printed constant"),
    ]


@obligation("PO-6", item="Theorem 1, Case B", about=(f"{_S}.length",))
def po_6() -> Sequence[Goal]:
    r"""A round's length times a step's gain.

    $T_k\,\hat\Phi_k^{2/\kappa}=F_0^{(2-\kappa)/\kappa}\,\hat\Phi_k$ for the length
    $T_k=(F_0/\hat\Phi_k)^{(2-\kappa)/\kappa}$ of line 7.
    """
    length = spider.length(TERM, F, PHI, KAPPA)
    gained = length * spider.power(TERM, PHI, 2 / KAPPA)
    return [
        goal(gained - spider.power(TERM, F, (2 - KAPPA) / KAPPA) * PHI, "==", positive("f", "phi", "kappa")),
    ]


@obligation("PO-7", numbers=True, item="Theorem 1", about=(f"{_S}.contraction",))
def po_7() -> Sequence[Goal]:
    r"""The contraction closes the induction.

    $1-\frac1{64h\,c}=\frac1c$ for $c=1+\frac1{64h}$.
    """
    c = spider.contraction(TERM, H)
    return [goal(1 - 1 / (64 * H * c) - 1 / c, "==", positive("h"))]


@obligation("PO-11", item="Lemma 9", about=(f"{_S}.step_length", f"{_S}.threshold"))
def po_11() -> Sequence[Goal]:
    r"""The descent lemma along a noisy gradient.

    $\eta\langle g,v\rangle-\frac{L_1\eta^2}2\|v\|^2\ge\frac\eta4\|v\|^2-\frac1{4L_1}\|v-g\|^2$ for
    $\eta\le\frac1{2L_1}$, by $\langle g-v,v\rangle\ge-\frac12(\|v\|^2+\|v-g\|^2)$; with $p=\|v\|^2$, $e=\|v-g\|^2$,
    $\eta=\frac\theta{2L_1}$ and slack w. The step of Algorithm 1 has $\eta\|v\|=\ell$, so $\eta\le\frac2{7L_1}$ while
    $\|v\|$ is above the threshold of line 10.
    """
    eta = THETA / (2 * L)
    product = P - (P + E) / 2 + W
    gap = eta * product - L * eta**2 / 2 * P - eta / 4 * P + E / (4 * L)
    weights = eta * (1 - THETA) / 4 * P + (1 - THETA) * E / (4 * L) + eta * W
    domain = positive("L") + nonnegative("p", "e", "w") + numbers("theta", lo=0, hi=1, ends="[]")
    longest = spider.step_length(TERM, PHI, GAMMA, KAPPA, L) / (spider.threshold(TERM, PHI, GAMMA, KAPPA) + S)
    return [
        goal(gap - weights, "==", domain, note="the gap is a sum of terms that are not negative"),
        goal(
            HALF / L - longest,
            ">",
            positive("phi", "gamma", "kappa", "L") + nonnegative("s"),
            note="the longest step is short enough",
        ),
        goal(
            sp.Rational(2, 7) / L - longest,
            ">=",
            positive("phi", "gamma", "kappa", "L") + nonnegative("s"),
            note="at most 2 / (7 L1)",
        ),
    ]


@obligation(
    "PO-13",
    item="Theorem 1, Lemma 8 (errata, 3.1s)",
    about=(f"{_S}.shared_noise", f"{_S}.printed_outer_noise", f"{_S}.printed_inner_noise", f"{_S}.step_length"),
    premises=("gaussian/zcdp", "zcdp/composition", "sensitivity/replace-one", "sensitivity/zero-out"),
)
def po_13() -> Sequence[Goal]:
    r"""The privacy loss of KL Spider.

    Noise of size $\Delta\sqrt{K/\rho}$ lets K answers of sensitivity $\Delta$ cost $\frac\rho2$ together. The repaired
    form has this noise for the K gradients and, with $N_kK$ for K, for the differences of every round, and so it costs
    $\rho$. With the printed noise the K gradients cost $\frac\rho2$ if a record is nulled and $2\rho$ if a record is
    replaced. A difference of gradients costs $\frac\rho{8KT_k}$ if a record is replaced.
    """
    shared = spider.shared_noise(TERM, DELTA, K, RHO)
    outer = spider.printed_outer_noise(TERM, BOUND, K, N, RHO)
    inner = spider.printed_inner_noise(TERM, PHI, GAMMA, KAPPA, M, K, N, RHO)
    moved = 2 * L / N * spider.step_length(TERM, PHI, GAMMA, KAPPA, L)
    everything = positive("G", "n", "K", "r", "Delta")
    lengths = everything + positive("phi", "gamma", "m", "L", "kappa")
    replace, null = 2 * BOUND / N, BOUND / N
    return [
        *(goal(std, ">", lengths, note="a length") for std in (shared, outer, inner, moved)),
        equal(K * cost(DELTA, shared), RHO / 2, everything, "K answers of the shared noise"),
        equal(K * cost(replace, outer), 2 * RHO, everything, "replace-one"),
        equal(K * cost(null, outer), RHO / 2, everything, "zero-out"),
        equal(
            cost(moved, inner),
            RHO / (8 * K * M),
            positive("phi", "gamma", "kappa", "L", "n", "K", "m", "r"),
            "a difference, every kappa",
        ),
    ]


@erratum(
    "E1",
    item="Lemma 8, proof",
    about=(f"{_S}.printed_outer_noise",),
    repaired_by="PO-13",
)
def e_1() -> Sequence[Goal]:
    r"""A printed gradient of KL Spider costs rho over K.

    The proof of Lemma 8 says that each $\nabla_{k,0}$ costs $\frac\rho K$, so that K of them cost $\rho$. (It prints
    $\hat\rho=\frac1K$, and $\frac\rho K$ in the sum that follows.) The data sets of Definition 2 differ in one data
    point, so that the mean gradient moves by up to $\frac{2L_0}n$ and not by $\frac{L_0}n$. The cost is then
    $\frac{2\rho}K$. If a record is nulled, the cost is below $\frac\rho K$ (PO-13).
    """
    slack = RHO / K - cost(2 * BOUND / N, spider.printed_outer_noise(TERM, BOUND, K, N, RHO))
    return [refutation(slack, ">=", positive("G", "n", "K", "r"), G=1, n=100, K=4, r=1)]


@obligation("PO-14", item="Algorithm 1 (errata, 3.1s)", premises=("PO-5",))
def po_14() -> Sequence[Goal]:
    r"""The whole steps of a round gain enough.

    $N=\lfloor T\rfloor\ge1$ steps that gain $\frac{13}{256}$ each (PO-5) gain at least the $\frac T{64}$ that the
    induction needs, as $N\ge\frac T2$.
    """
    domain = natural("N", 1) + numbers("f", lo=0, hi=1, ends="[)")  # T = N + f
    whole = sp.Symbol("N")
    return [
        goal(whole - (whole + F) / 2, ">=", domain, note="floor(T) >= T / 2"),
        goal(sp.Rational(13, 256) * whole - (whole + F) / 64, ">", domain, note="what they gain"),
    ]


@obligation("PO-15", numbers=True, item="Algorithm 1, line 17 (errata, E11)")
def po_15() -> Sequence[Goal]:
    r"""The iterate before the last costs a constant.

    $(5/4)^\kappa<\frac{13}8$ for $\kappa\in[1,2]$.
    """
    value = sp.Rational(13, 8) - sp.exp(KAPPA * sp.log(sp.Rational(5, 4)))
    return [goal(value, ">", box(kappa=(1, 2)), bisect)]
