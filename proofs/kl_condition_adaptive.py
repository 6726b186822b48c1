"""Adaptive noisy gradient descent of Menart, Ullah, Arora, Bassily and Guzman: what it spends, and what it gains."""

# ruff: noqa: D103 - the statement of an obligation is its documentation

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import sympy as sp

from dpref.algorithms.kl import adaptive_gradient_descent as adaptive
from dpref.reals import TERM
from proofs.kl_condition import BOUND, CITATION, DELTA, KAPPA, RHO, ROOT, D, E, G, H, L, M, N, S, V, W, X, Y, Z, cost
from proofs.registry import Goal, declare, goal, obligation, refutation
from proofs.search import nonnegative, numbers, positive

_A = "dpref.algorithms.kl.adaptive_gradient_descent"


@obligation(
    "kl-condition/PO-20",
    item="Lemma 12 (errata, E22)",
    title="What a step of 1/(2 L) along g + e gains",
    statement=r"$\frac1{2L_1}(\|g\|^2+\langle g,e\rangle)-\frac1{8L_1}(\|g\|^2+2\langle g,e\rangle+\|e\|^2)"
    r"=\frac{3\|g\|^2+2\langle g,e\rangle-\|e\|^2}{8L_1}$.",
    citation=CITATION,
    about=(f"{_A}.descent",),
)
def po_20() -> Sequence[Goal]:
    whole = (G + X) / (2 * L) - (G + 2 * X + E) / (8 * L)
    return [goal(whole - adaptive.descent(TERM, G, X, E, L), "==", positive("L") + numbers("g", "x", "e"))]


@obligation(
    "kl-condition/E22",
    item="Lemma 12",
    title="The printed lower bound on a step's gain",
    statement=r"As printed: the gain is at least $\frac{2\|g\|^2-\|e\|^2}{8L_1}$. At $\langle "
    r"g,e\rangle=-s\|g\|^2$ with "
    r"$s=\frac34$ it is less.",
    citation=CITATION,
    about=(f"{_A}.descent",),
    refutes=True,
    repaired_by="kl-condition/PO-21",
)
def e_22() -> Sequence[Goal]:
    gap = adaptive.descent(TERM, G, -S * G, S**2 * G, L) - (2 * G - S**2 * G) / (8 * L)
    return [refutation(gap, ">=", positive("L", "g", "s"), L=1, g=1, s="3/4")]


@obligation(
    "kl-condition/PO-21",
    item="Lemma 12 (errata, 3.3s)",
    title="With half the noise a step gains what it should",
    statement=r"$\|e\|\le\frac12(\|g\|+\nu)$ gives $\|e\|^2\le\frac12(\|g\|^2+\nu^2)$ and, with "
    r"$\langle g,e\rangle\ge-\frac12(\|g\|^2+\|e\|^2)$, a gain of at least $\frac{\|g\|^2-\nu^2}{8L_1}$ (slacks "
    r"s and w).",
    citation=CITATION,
    about=(f"{_A}.descent",),
)
def po_21() -> Sequence[Goal]:
    error = (G + V) / 2 - S
    gain = adaptive.descent(TERM, G, -(G + error) / 2 + W, error, L)
    square = (X**2 + Y**2) / 2 - ((X + Y) / 2) ** 2 - ((X - Y) / 2) ** 2
    return [
        goal(square, "==", numbers("x", "y"), note="the square of a mean, with x = |g| and y = nu"),
        goal(gain - (G - V) / (8 * L), ">=", positive("L") + nonnegative("g", "v", "s", "w")),
    ]


@obligation(
    "kl-condition/PO-23",
    item="Lemma 13 (errata, E26)",
    title="The contraction of a phase",
    statement=r"$1-\frac yc=\frac1c$ for $c=1+y$, and $\frac{\|g\|^2-\nu^2}8\ge\frac{\|g\|^2}{16}$ where "
    r"$\|g\|^2=2\nu^2+s$.",
    citation=CITATION,
)
def po_23() -> Sequence[Goal]:
    size = 2 * V + S
    return [
        goal(1 - Y / (1 + Y) - 1 / (1 + Y), "==", positive("y")),
        goal((size - V) / 8 - size / 16, ">=", nonnegative("v", "s")),
    ]


@obligation(
    "kl-condition/PO-43",
    item="Theorem 4",
    title="The third term is not the largest",
    statement=r"$\frac\kappa{2-\kappa}\ge\frac\kappa2$ for $0\le\kappa<2$.",
    citation=CITATION,
)
def po_43() -> Sequence[Goal]:
    gap = KAPPA / (2 - KAPPA) - KAPPA / 2
    domain = numbers("kappa", lo=0, hi=2, ends="[)")
    return [goal(gap - KAPPA**2 / (2 * (2 - KAPPA)), "==", domain, note="a square over something positive")]


@obligation(
    "kl-condition/PO-46",
    item="Theorem 3 (errata, E5)",
    title="What the answers of adaptive noisy gradient descent cost",
    statement=r"Under replace-one: a norm $\frac{2\sqrt\rho}n$; a gradient at the least noise $\frac\rho2$, where the "
    r"print records $\frac\rho4$; above it exactly twice what is recorded. Under zero-out a quarter of each. Repaired: "
    r"a norm costs $\frac{\sqrt\rho}n$.",
    citation=CITATION,
    about=tuple(
        f"{_A}.{name}"
        for name in ("printed_norm_noise", "printed_floor", "printed_charge", "norm_noise", "gaussian_cost")
    ),
    premises=("gaussian/renyi", "sensitivity/replace-one", "sensitivity/zero-out"),
)
def po_46() -> Sequence[Goal]:
    norm = adaptive.printed_norm_noise(TERM, BOUND, N, RHO)
    floor = adaptive.printed_floor(TERM, BOUND, N, RHO)
    domain = positive("G", "n", "r", "z", "s", "Delta")
    replace, null = 2 * BOUND / N, BOUND / N
    repaired = cost(DELTA, adaptive.norm_noise(TERM, DELTA, N, RHO))
    return [
        *(goal(std, ">", domain, note="a length") for std in (norm, floor, adaptive.norm_noise(TERM, DELTA, N, RHO))),
        goal(cost(replace, norm) - 2 * ROOT**2 / N, "==", domain, note="a norm"),
        goal(cost(null, norm) - ROOT**2 / (2 * N), "==", domain, note="a norm, zero-out"),
        goal(cost(replace, floor) - RHO / 2, "==", domain, note="a gradient at the least noise"),
        goal(cost(null, floor) - RHO / 8, "==", domain, note="a gradient at the least noise, zero-out"),
        goal(
            adaptive.printed_charge(TERM, BOUND, N, Z, Z * floor) - RHO / 4, "==", domain, note="what the print records"
        ),
        goal(cost(replace, S / Z) - 2 * adaptive.printed_charge(TERM, BOUND, N, Z, S), "==", domain, note="above it"),
        goal(repaired - ROOT**2 / N, "==", domain, note="the repaired norm"),
    ]


@obligation(
    "kl-condition/E4",
    item="Theorem 3, Algorithm 3",
    title="A round of the printed form costs at most twice what it records, also where the norm is negative",
    statement=r"As printed, read literally (R1): for every $N_t$ the gradient's cost is at most "
    r"$2\big(\frac{L_0^2d\log(n\sqrt\rho/\beta)}{n^2N_t^2}+\frac{\sqrt\rho}n\big)$. For $N_t\le0$ the noise is "
    r"the least "
    r"one and the cost $\frac\rho2$; at $n=10^6$, $\rho=1$, $L_0=1$, $d\log(\cdot)=169$, "
    r"$N_t=-\hat\sigma=-10^{-3}$ less "
    r"than $\frac1{1000}$ is recorded.",
    citation=CITATION,
    about=(f"{_A}.printed_charge", f"{_A}.printed_floor"),
    refutes=True,
    repaired_by="kl-condition/PO-46",
)
def e_4() -> Sequence[Goal]:
    true = cost(2 * BOUND / N, adaptive.printed_floor(TERM, BOUND, N, RHO))
    recorded = adaptive.printed_charge(TERM, BOUND, N, Z, -S) + ROOT**2 / N
    domain = positive("G", "n", "r", "z", "s")
    return [refutation(2 * recorded - true, ">=", domain, G=1, n=10**6, r=1, z=13, s="1/1000")]


@obligation(
    "kl-condition/E5",
    item="Theorem 3, proof D.2",
    title="At the least noise the print records rho/2",
    statement=r"As printed: $(\frac{L_0}{n\sigma_t})^2=\frac\rho2$ at $\sigma_t=\frac{2L_0}{n\sqrt\rho}$; it is "
    r"$\frac\rho4$, and under replace-one the true cost is $\frac\rho2$.",
    citation=CITATION,
    about=(f"{_A}.printed_floor",),
    refutes=True,
    repaired_by="kl-condition/PO-46",
)
def e_5() -> Sequence[Goal]:
    value = (BOUND / (N * adaptive.printed_floor(TERM, BOUND, N, RHO))) ** 2 - RHO / 2
    return [refutation(value, ">=", positive("G", "n", "r"), G=1, n=1000, r=1)]


@obligation(
    "kl-condition/PO-48",
    item="Theorem 4 (errata, E40)",
    title="When the first term of the adaptive rate dominates",
    statement=r"$\frac{2\kappa}{4-\kappa}-\frac\kappa2=\frac\kappa2\cdot\frac\kappa{4-\kappa}$, so that "
    r"$d^{\kappa/(4-\kappa)}\ge m^{2\kappa/(4-\kappa)-\kappa/2}$ exactly for $d\ge m^{\kappa/2}$.",
    citation=CITATION,
)
def po_48() -> Sequence[Goal]:
    gap = 2 * KAPPA / (4 - KAPPA) - KAPPA / 2 - KAPPA / 2 * KAPPA / (4 - KAPPA)
    return [goal(gap, "==", numbers("kappa", lo=0, hi=2, ends="(]"))]


@obligation(
    "kl-condition/PO-34",
    item="Theorem 7",
    title="The hard instance's risk is an exact square",
    statement=r"$\langle w-w^*,-2\lambda w^*\rangle+\lambda(\|w\|^2-\|w^*\|^2)=\lambda\|w-w^*\|^2$, coordinate by "
    r"coordinate.",
    citation=CITATION,
)
def po_34() -> Sequence[Goal]:
    expr = (X - Y) * (-2 * H * Y) + H * (X**2 - Y**2) - H * (X - Y) ** 2
    return [goal(expr, "==", numbers("x", "y") + positive("h"))]


@obligation(
    "kl-condition/PO-35",
    item="Theorem 7",
    title="Outside the ball the hard instance is no better",
    statement=r"$\lambda=\frac{NL_0}{2nD}$: $15\lambda D^2-\frac{5L_0DN}n=\frac52\frac{NL_0D}n$, $8\lambda "
    r"D=\frac{4NL_0}n$.",
    citation=CITATION,
)
def po_35() -> Sequence[Goal]:
    weight = M * L / (2 * N * D)
    domain = positive("m", "L", "n", "d")
    return [
        goal(15 * weight * D**2 - 5 * L * D * M / N - sp.Rational(5, 2) * M * L * D / N, "==", domain),
        goal(8 * weight * D - 4 * M * L / N, "==", domain),
    ]


_NOT_BUILT: Final = "it belongs to an algorithm of the paper that the library does not have"
_ANALYSIS: Final = "a step of the utility analysis that is not stated in the kernel's language yet"
_OPEN: Final[tuple[tuple[int, str, str, str, str], ...]] = (  # number, item, title, statement, why
    (2, "Lemma 2", "Norm of a Gaussian vector", r"$P(\|\sigma Z\|\ge\tau)\le2e^{-\tau^2/(2d\sigma^2)}$", _ANALYSIS),
    (
        3,
        "Lemma 2",
        "The chain for the estimate's error",
        r"$2X+\dots\le4X\le\frac{\hat\Phi^{1/\kappa}}{8\gamma}$",
        _ANALYSIS,
    ),
    (4, "Lemma 2", "Two roots", r"$\sqrt{2\log(2/\beta')(a+b)}\le2\sqrt{\log(1/\beta')}(\sqrt a+\sqrt b)$", _ANALYSIS),
    (10, "Lemma 2", "Sum of the lengths", r"$\sum_kT_k\le\beta/\beta'$", _ANALYSIS),
    (17, "Theorem 2", "Two occurrences of one constant", r"$a\ge32$ closes the step of Theorem 2", _NOT_BUILT),
    (19, "Theorem 9", "Substitutions of Algorithm 4", r"$\sigma^2d=4L_0^2\ell^2$ and the rest", _NOT_BUILT),
    (24, "Theorem 4", "Budget of the phases", r"$\Phi\le(\sqrt M/(n\sqrt\rho))^{2\kappa/(4-\kappa)}$", _ANALYSIS),
    (25, "Theorem 4", "Number of the phases", r"$\Phi\le(2p/m)^{\kappa/(2-\kappa)}$", _ANALYSIS),
    (
        28,
        "Lemma 7",
        "Growth from the KL condition",
        r"$E\ge[\frac{\kappa-1}{\kappa\gamma}D]^{\kappa/(\kappa-1)}$",
        _ANALYSIS,
    ),
    (39, "Theorem 5", "The selection's exponential mechanism", r"it costs $\frac\rho2$ under replace-one", _NOT_BUILT),
    (
        42,
        "Theorem 2 (errata, 3.2s)",
        "The localised prox step",
        r"$\hat\Phi_t\le(1-\frac{3x}{44})\hat\Phi_{t-1}$",
        _NOT_BUILT,
    ),
    (
        47,
        "Theorem 8",
        "Group privacy on two points",
        r"average excess at least $2a\rho\frac{1-\delta_m}{1+e^{m\varepsilon}}$",
        _NOT_BUILT,
    ),
    (
        52,
        "Algorithm 3 (errata, 3.3s)",
        "Tails of the noise",
        r"$P(\|\sigma Z\|>\sigma(\sqrt d+\sqrt{2x}))\le e^{-x}$",
        _ANALYSIS,
    ),
)

for _number, _item, _title, _statement, _why in _OPEN:
    declare(
        f"kl-condition/PO-{_number}",
        item=_item,
        title=_title,
        statement=_statement + ".",
        citation=CITATION,
        open_because=_why,
    )

declare(
    "kl-condition/PO-57",
    item="Algorithm 1",
    title="The targets in closed form",
    statement=r"$\hat\Phi_k=\max\{c^{-k}F_0,m\}$ solves $\hat\Phi_k=\max\{\hat\Phi_{k-1}/c,m\}$, "
    r"$\hat\Phi_0=F_0\ge m$.",
    citation=CITATION,
    tests=("tests/test_spider.py::test_the_targets_solve_their_recursion",),
)
