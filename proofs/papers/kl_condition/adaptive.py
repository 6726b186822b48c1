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
    r"""The gain of a step of 1/(2 L) along g + e.

    $\frac1{2L_1}(\|g\|^2+\langle g,e\rangle)-\frac1{8L_1}(\|g\|^2+2\langle g,e\rangle+\|e\|^2)=\frac{3\|g\|^2+2\langle
    g,e\rangle-\|e\|^2}{8L_1}$.
    """
    whole = (G + X) / (2 * L) - (G + 2 * X + E) / (8 * L)
    return [goal(whole - adaptive_formulas.descent(TERM, G, X, E, L), "==", positive("L") + numbers("g", "x", "e"))]


@erratum(
    "E22",
    numbers=True,
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
    r"""A step with half the noise gains the required amount.

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

    For $c=1+y$: $1-\frac yc=\frac1c$. If $\nu^2=\frac\theta2\|g\|^2$ with $0\le\theta\le1$, which is
    $\|g\|^2\ge2\nu^2$, then $\frac{\|g\|^2-\nu^2}8\ge\frac{\|g\|^2}{16}$, whatever $L_1$ is. With
    $y=\frac1{16\gamma^2L_1}$ a phase contracts the excess risk by the factor $c=1+\frac1{16\gamma^2L_1}$.
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
    r"""The privacy loss of adaptive noisy gradient descent.

    If a record is replaced, a norm with the printed noise costs $\frac{2\sqrt\rho}n$, and a gradient with the least
    noise costs $\frac\rho2$, where line 6 records $\frac\rho4$. A gradient with more noise costs exactly twice what is
    recorded. If a record is nulled, each of these costs is a quarter as large. With the repaired noise a norm costs
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
    item="Theorem 3, proof D.2",
    about=(f"{_A}.printed_charge", f"{_A}.printed_floor", f"{_A}.printed_norm_noise"),
    repaired_by="E4-repaired",
)
def e_4() -> Sequence[Goal]:
    r"""A round is rho_t-zCDP, also where the noisy norm is negative.

    Appendix D.2 says that the norm and the gradient of round t cost
    $\rho_t=\frac{\sqrt\rho}n+\min\big\{\frac{L_0^2d\log(n\sqrt\rho/\beta)}{n^2N_t^2},\frac\rho2\big\}$. Line 3 read to
    the letter allows a negative $N_t$. The gradient then has the least noise. Even with the sensitivity
    $\frac{L_0}n$ of the proof, norm and gradient cost $\frac{\sqrt\rho}{2n}+\frac\rho8$. At $n=10^6$, $\rho=1$,
    $L_0=1$, $d\log(\cdot)=169$ and $N_t=-10^{-3}$, one standard deviation below zero, the recorded charge is
    $1.7\cdot10^{-4}$. For $N_t\ge0$ and that sensitivity the sentence holds.
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
    item="Lemma 10, proof D.1; Theorem 3, proof D.2",
    about=(f"{_A}.printed_floor", f"{_A}.printed_charge"),
    repaired_by="PO-46",
)
def e_5() -> Sequence[Goal]:
    r"""A round at the least noise is charged rho/2, which ends the loop.

    Appendix D.1 says that a round with $\sigma_t=\frac{2L_0}{n\sqrt\rho}$ records $\rho_t\ge\frac\rho2$ and ends the
    loop. At $N_t=\sigma_t\sqrt{d\log(n\sqrt\rho/\beta)}$ line 6 records $\frac\rho4+\frac{\sqrt\rho}n$. The equation
    $(\frac{L_0}{n\sigma_t})^2=\min\{\dots,\frac\rho2\}$ of Appendix D.2 fails in the same place: for smaller
    $N_t\ge0$ its left side is $\frac\rho4$ and its right side can be $\frac\rho2$. With the sensitivity $\frac{L_0}n$
    of the proof this error is on the safe side for privacy.
    """
    floor = adaptive_formulas.printed_floor(TERM, BOUND, N, RHO)
    recorded = adaptive_formulas.printed_charge(TERM, BOUND, N, Z, Z * floor) + ROOT**2 / N
    spent = (BOUND / (N * floor)) ** 2
    return [
        refutation(recorded - RHO / 2, ">=", positive("G", "n", "r", "z"), G=1, n=1000, r=1, z=13, note="D.1"),
        refutation(spent - RHO / 2, "==", positive("G", "n", "r"), G=1, n=1000, r=1, note="D.2"),
    ]


@obligation(
    "E4-repaired",
    item="Theorem 3 (errata, E4)",
    about=tuple(f"{_A}.{name}" for name in ("printed_norm_noise", "printed_floor", "printed_charge")),
    premises=("PO-46", "zcdp/composition"),
)
def e_4_repaired() -> Sequence[Goal]:
    r"""Theorem 3 holds for a nulled record if no noisy norm is negative.

    With $N_t\ge0$ a round whose gradient has the least noise records at least $\frac\rho4$. The charges that are
    recorded before the last norm are at most $\frac\rho2$ together. If a record is nulled, a round costs at most half
    of its charge, and the run at most $\frac\rho4+\frac{\sqrt\rho}{2n}$, the last norm included. That is below $\rho$
    where $n\sqrt\rho\ge1$. If a record is replaced, a round costs at most twice its charge, and the run at most
    $\rho+\frac{2\sqrt\rho}n$.
    """
    norm, floor = (
        f(TERM, BOUND, N, RHO) for f in (adaptive_formulas.printed_norm_noise, adaptive_formulas.printed_floor)
    )
    domain = positive("G", "n", "r", "z")
    part = numbers("x", lo=0, hi=1, ends="(]")
    least = adaptive_formulas.printed_charge(TERM, BOUND, N, Z, Z * floor * X)  # N_t is at most z times the least noise
    replace, null = 2 * BOUND / N, BOUND / N
    many = (1 + S) / ROOT**2  # n, with n sqrt(rho) = 1 + s
    return [
        goal(least - RHO / 4, ">=", domain + part, note="what is recorded at the least noise"),
        equal(cost(null, floor), RHO / 4 / 2, domain, "what it costs, a record nulled"),
        equal(cost(replace, floor), 2 * (RHO / 4), domain, "a record replaced"),
        equal(RHO / 2 / 2 + cost(null, norm), RHO / 4 + ROOT**2 / (2 * N), domain, "in all, a record nulled"),
        equal(2 * (RHO / 2) + cost(replace, norm), RHO + 2 * ROOT**2 / N, domain, "in all, a record replaced"),
        goal(RHO - (RHO / 4 + ROOT**2 / (2 * many)), ">", positive("r") + nonnegative("s"), note="below rho"),
    ]


@obligation("PO-48", item="Theorem 4 (errata, E40)")
def po_48() -> Sequence[Goal]:
    r"""The range in which the first term of the adaptive rate dominates.

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
