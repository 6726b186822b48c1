"""Adaptive noisy gradient descent of Menart, Ullah, Arora, Bassily and Guzman: what it spends, and what it gains."""

from __future__ import annotations

from collections.abc import Sequence

import sympy as sp

from dpref.algorithms.adaptive_gradient_descent import formulas as adaptive_formulas
from dpref.terms import TERM
from proofs.papers.kl_condition import erratum, obligation
from proofs.papers.kl_condition.spider import (
    BOUND,
    DELTA,
    KAPPA,
    RHO,
    ROOT,
    E,
    G,
    L,
    N,
    S,
    V,
    W,
    X,
    Y,
    Z,
    cost,
)
from proofs.registry import Goal, equal, goal, refutation
from proofs.search import nonnegative, numbers, positive

_A = "adaptive-gradient-descent"


@obligation("PO-20", item="Lemma 12 (errata, E22)", about=(f"{_A}.descent",))
def po_20() -> Sequence[Goal]:
    r"""What a step of 1/(2 L) along g + e gains.

    $\frac1{2L_1}(\|g\|^2+\langle g,e\rangle)-\frac1{8L_1}(\|g\|^2+2\langle g,e\rangle+\|e\|^2)=\frac{3\|g\|^2+2\langle
    g,e\rangle-\|e\|^2}{8L_1}$.
    """
    whole = (G + X) / (2 * L) - (G + 2 * X + E) / (8 * L)
    return [goal(whole - adaptive_formulas.descent(TERM, G, X, E, L), "==", positive("L") + numbers("g", "x", "e"))]


@erratum(
    "E22",
    numbers=True,
    kind="proof does not show it",
    concerns="utility",
    item="Lemma 12",
    about=(f"{_A}.descent",),
    repaired_by="PO-21",
)
def e_22() -> Sequence[Goal]:
    r"""The printed lower bound on a step's gain.

    As printed (proof of Lemma 12): $\langle
    g,w_t-w_{t+1}\rangle-\frac{L_1}2\|w_{t+1}-w_t\|^2=\frac1{4L_1}\|g\|^2-\frac1{8L_1}\|e\|^2$, $e=\nabla_t-g$. The left
    side is that of PO-20; at $e=-\frac34g$, which the conditioning $\|e\|\le N_t$ allows, it is less than the right
    one.
    """
    gap = adaptive_formulas.descent(TERM, G, -S * G, S**2 * G, L) - (2 * G - S**2 * G) / (8 * L)
    return [refutation(gap, ">=", positive("L", "g", "s"), L=1, g=1, s="3/4")]


@obligation("PO-21", item="Lemma 12 (errata, 3.3s)", about=(f"{_A}.descent",))
def po_21() -> Sequence[Goal]:
    r"""With half the noise a step gains what it should.

    $\|e\|\le\frac12(\|g\|+\nu)$ gives $\|e\|^2\le\frac12(\|g\|^2+\nu^2)$ and, with $\langle
    g,e\rangle\ge-\frac12(\|g\|^2+\|e\|^2)$, a gain of at least $\frac{\|g\|^2-\nu^2}{8L_1}$ (slacks s and w).
    """
    error = (G + V) / 2 - S
    gain = adaptive_formulas.descent(TERM, G, -(G + error) / 2 + W, error, L)
    square = (X**2 + Y**2) / 2 - ((X + Y) / 2) ** 2 - ((X - Y) / 2) ** 2
    return [
        goal(square, "==", numbers("x", "y"), note="the square of a mean, with x = |g| and y = nu"),
        goal(gain - (G - V) / (8 * L), ">=", positive("L") + nonnegative("g", "v", "s", "w")),
    ]


@obligation("PO-23", item="Lemma 13 (errata, E26)")
def po_23() -> Sequence[Goal]:
    r"""The contraction of a phase.

    $1-\frac yc=\frac1c$ for $c=1+y$, and $\frac{g-\nu^2}8\ge\frac g{16}$ for $\nu^2=\frac{\theta g}2$ with
    $0\le\theta\le1$, where g stands for $\|g\|^2\ge2\nu^2$.
    """
    share = sp.Symbol("theta")
    return [
        goal(1 - Y / (1 + Y) - 1 / (1 + Y), "==", positive("y")),
        goal((G - share * G / 2) / 8 - G / 16, ">=", nonnegative("g") + numbers("theta", lo=0, hi=1, ends="[]")),
    ]


@obligation("PO-43", numbers=True, item="Theorem 4")
def po_43() -> Sequence[Goal]:
    r"""The third term is not the largest.

    $\frac\kappa{2-\kappa}\ge\frac\kappa2$ for $0\le\kappa<2$.
    """
    gap = KAPPA / (2 - KAPPA) - KAPPA / 2
    domain = numbers("kappa", lo=0, hi=2, ends="[)")
    return [goal(gap, ">=", domain)]


@obligation(
    "PO-46",
    item="Theorem 3 (errata, E5)",
    about=(
        *(f"{_A}.{name}" for name in ("printed_norm_noise", "printed_floor", "printed_charge", "norm_noise")),
        f"{_A}.gaussian_cost",
    ),
    premises=("gaussian/renyi", "sensitivity/replace-one", "sensitivity/zero-out"),
)
def po_46() -> Sequence[Goal]:
    r"""What the answers of adaptive noisy gradient descent cost.

    Under replace-one: a norm $\frac{2\sqrt\rho}n$; a gradient at the least noise $\frac\rho2$, where the print records
    $\frac\rho4$; above it exactly twice what is recorded. Under zero-out a quarter of each. Repaired: a norm costs
    $\frac{\sqrt\rho}n$.
    """
    norm = adaptive_formulas.printed_norm_noise(TERM, BOUND, N, RHO)
    floor = adaptive_formulas.printed_floor(TERM, BOUND, N, RHO)
    domain = positive("G", "n", "r", "z", "s", "Delta")
    replace, null = 2 * BOUND / N, BOUND / N
    repaired = adaptive_formulas.norm_noise(TERM, DELTA, N, RHO)

    def charge(size: sp.Expr) -> sp.Expr:
        return adaptive_formulas.printed_charge(TERM, BOUND, N, Z, size)

    return [
        *(goal(std, ">", domain, note="a length") for std in (norm, floor, repaired)),
        equal(cost(replace, norm), 2 * ROOT**2 / N, domain, "a norm"),
        equal(cost(null, norm), ROOT**2 / (2 * N), domain, "a norm, zero-out"),
        equal(cost(replace, floor), RHO / 2, domain, "a gradient at the least noise"),
        equal(cost(null, floor), RHO / 8, domain, "a gradient at the least noise, zero-out"),
        equal(charge(Z * floor), RHO / 4, domain, "what the print records"),
        equal(cost(replace, S / Z), 2 * charge(S), domain, "above it"),
        equal(cost(DELTA, repaired), ROOT**2 / N, domain, "the repaired norm"),
    ]


@erratum(
    "E4",
    kind="proof does not show it",
    concerns="privacy",
    item="Theorem 3, proof D.2",
    about=(f"{_A}.printed_charge", f"{_A}.printed_floor", f"{_A}.printed_norm_noise"),
    repaired_by="PO-46",
)
def e_4() -> Sequence[Goal]:
    r"""A round is rho_t-zCDP, also where the noisy norm is negative.

    As printed, read literally ($N_t$ a norm plus a normal number, R1): generating the norm and the gradient of round t
    is $\rho_t$-zCDP with
    $\rho_t=\frac{\sqrt\rho}n+\min\big\{\frac{L_0^2d\log(n\sqrt\rho/\beta)}{n^2N_t^2},\frac\rho2\big\}$. For $N_t\le0$
    the noise is the least one, and even with the sensitivity $\frac{L_0}n$ of the proof the two cost
    $\frac{\sqrt\rho}{2n}+\frac\rho8$; at $n=10^6$, $\rho=1$, $L_0=1$, $d\log(\cdot)=169$, $N_t=-\hat\sigma=-10^{-3}$
    the first argument of the minimum is $1.69\cdot10^{-4}$. With $N_t\ge0$ (R2, R3) the sentence holds for that
    sensitivity.
    """
    noises = (
        printed(TERM, BOUND, N, RHO)
        for printed in (adaptive_formulas.printed_norm_noise, adaptive_formulas.printed_floor)
    )
    true = sum(cost(BOUND / N, std) for std in noises)
    recorded = adaptive_formulas.printed_charge(TERM, BOUND, N, Z, -S) + ROOT**2 / N
    domain = positive("G", "n", "r", "z", "s")
    return [refutation(recorded - true, ">=", domain, G=1, n=10**6, r=1, z=13, s="1/1000")]


@erratum(
    "E5",
    kind="proof does not show it",
    concerns="utility",
    item="Lemma 10, proof D.1; Theorem 3, proof D.2",
    about=(f"{_A}.printed_floor", f"{_A}.printed_charge"),
    repaired_by="PO-46",
)
def e_5() -> Sequence[Goal]:
    r"""A round at the least noise is charged rho/2, which ends the loop.

    As printed (D.1): when $\sigma_t=\frac{2L_0}{n\sqrt\rho}$, $\rho_t\ge\frac\rho2$ and the stopping condition is
    triggered. At $N_t=\sigma_t\sqrt{d\log(n\sqrt\rho/\beta)}$ line 6 records $\frac\rho4+\frac{\sqrt\rho}n$. The
    equality of D.2, $(\frac{L_0}{n\sigma_t})^2=\min\{\dots,\frac\rho2\}$, fails in the same place, $\frac\rho4$ against
    $\frac\rho2$ for smaller $N_t\ge0$; with the sensitivity $\frac{L_0}n$ of the proof that error is on the safe side
    for privacy.
    """
    floor = adaptive_formulas.printed_floor(TERM, BOUND, N, RHO)
    recorded = adaptive_formulas.printed_charge(TERM, BOUND, N, Z, Z * floor) + ROOT**2 / N
    spent = (BOUND / (N * floor)) ** 2
    return [
        refutation(recorded - RHO / 2, ">=", positive("G", "n", "r", "z"), G=1, n=1000, r=1, z=13, note="D.1"),
        refutation(spent - RHO / 2, "==", positive("G", "n", "r"), G=1, n=1000, r=1, note="D.2"),
    ]


@obligation("PO-48", item="Theorem 4 (errata, E40)")
def po_48() -> Sequence[Goal]:
    r"""When the first term of the adaptive rate dominates.

    $d^{\kappa/(4-\kappa)}\ge m^{2\kappa/(4-\kappa)-\kappa/2}$ exactly for $d\ge m^{\kappa/2}$: on logarithms the
    difference is $\frac\kappa{4-\kappa}\big(\ln d-\frac\kappa2\ln m\big)$.
    """

    def gap(more: sp.Expr) -> sp.Expr:  # of the logarithms, with x = log m and log d = kappa / 2 x + more
        first = KAPPA / (4 - KAPPA) * (KAPPA / 2 * X + more)
        return first - (2 * KAPPA / (4 - KAPPA) - KAPPA / 2) * X

    domain = numbers("kappa", lo=0, hi=2, ends="(]") + numbers("x")
    return [
        goal(gap(S), ">=", domain + nonnegative("s"), note="for d >= m^(kappa/2)"),
        goal(-gap(-S), ">", domain + positive("s"), note="and for no less"),
    ]
