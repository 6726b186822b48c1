"""Menart et al., Section 4 and Appendix C: the proximal point method (Algorithm 2, Theorem 2)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import sympy as sp

from dpref.algorithms.noisy_gradient_descent import formulas as solver
from dpref.algorithms.proximal_point import formulas, utility
from dpref.terms import TERM
from proofs.papers.kl_condition import erratum, obligation
from proofs.papers.kl_condition.growth import power
from proofs.papers.kl_condition.spider import BOUND, GAMMA, HALF, KAPPA, PHI, E, F, H, L, P, S, V, W, X, Z
from proofs.registry import Goal, goal, refutation
from proofs.search import grow, nonnegative, numbers, positive, sum_of_squares

_P: Final = "proximal-point"
_KL: Final = positive("phi", "gamma") + numbers("kappa", lo=2, ends="[)")


@obligation("PO-16", item="Theorem 2", about=(f"{_P}.sharpness",))
def po_16() -> Sequence[Goal]:
    r"""The printed contraction is the slowest at the start.

    $\frac{\Phi^{(2-\kappa)/\kappa}}{c^{2/\kappa}}\ge\frac{F_0^{(2-\kappa)/\kappa}}c$ for $c\ge1$, $\kappa\ge2$ and
    $0<\Phi\le F_0$: on logarithms, with $s=\ln\frac{F_0}\Phi$ and $l=\ln c$. For $\kappa>2$ the weight with which
    a phase gains a constant share is larger where the target is smaller, so that no weight does for all.
    """
    gap = (2 - KAPPA) / KAPPA * (-S) - 2 / KAPPA * L + L
    domain = numbers("kappa", lo=2, ends="[)") + nonnegative("s", "L")
    larger = formulas.sharpness(TERM, GAMMA, KAPPA, PHI)
    slope = -larger * (2 - KAPPA) / (KAPPA * PHI)
    falls = positive("phi", "gamma") + numbers("kappa", lo=2)
    return [
        goal(gap, ">=", domain),
        goal(slope, ">", falls, note="minus its derivative in the target"),
        goal(slope + sp.diff(larger, PHI), "==", falls, note="which this is"),
    ]


@obligation("PO-17", item="Theorem 2", about=(f"{_P}.printed_floor", f"{_P}.printed_error"))
def po_17() -> Sequence[Goal]:
    r"""Two occurrences of one constant.

    $\hat\Phi^{1/\kappa}\ge a\gamma X$ and $\tau\le\frac{aX^2}{\tilde L_1}$ with $a\ge32$ give
    $\frac{\hat\Phi^{2/\kappa}}{16\gamma^2\tilde L_1}-\tau\ge\frac{\hat\Phi^{2/\kappa}}{32\gamma^2\tilde L_1}$; with
    $\kappa=2$ that is a statement about $\hat\Phi$ itself.
    """
    a = 32 + H
    root = a * GAMMA * X + S
    error = utility.printed_error(TERM, a, L, X)
    domain = positive("gamma", "L", "x") + nonnegative("h", "s")
    least = utility.printed_floor(TERM, a, GAMMA, sp.Integer(2), X) + S
    return [
        goal(root**2 / (32 * GAMMA**2 * L) - error, ">=", domain, note="for every kappa, with the root's slack s"),
        goal(least / (32 * GAMMA**2 * L) - error, ">=", domain, note="kappa = 2, from the floor of Theorem 2"),
    ]


@erratum(
    "E18",
    item="Theorem 2, proof C.2",
    about=(f"{_P}.printed_floor", f"{_P}.printed_error"),
    repaired_by="PO-42",
)
def e_18() -> Sequence[Goal]:
    r"""The computed point is not the exact proximal point.

    From $F(w_t)-F^*>\hat\Phi_t$ the proof in Appendix C.2 goes on with $F(w_t^*)-F^*\ge\hat\Phi_t$, where $w_t^*$ is
    the exact proximal point. Take $F(w)=|w|^{4/3}$, which is convex, with $\kappa=4$ and $\gamma=\frac34$, and
    $w_{t-1}=0=w_t^*$. A solver that returns $w_t=s^3$ leaves the excess $\tau=s^4+\tilde L_1s^6$. Lemma 3 allows it
    where $aX^2=\tilde L_1\tau$. At $a=40$, $\tilde L_1=1$ and $s=\frac1{50}$ the bound $(a\gamma X)^4$ of the theorem
    is below $F(w_t)=s^4$. The excess of the solution falls like $X^2$, and the floor like $X^\kappa$. A test measures
    what noisy gradient descent does (``tests/test_proximal_point.py``). That some other solver reaches the rate is
    not refuted.
    """
    left = Z**4 + L * Z**6
    noise = sp.sqrt(L * left / F)  # tau = a X^2 / L is what the solver leaves
    floor = utility.printed_floor(TERM, F, sp.Rational(3, 4), sp.Integer(4), noise)
    domain = positive("f", "L", "z")
    return [
        goal(utility.printed_error(TERM, F, L, noise) - left, "==", domain, note="Lemma 3 allows it"),
        refutation(floor - Z**4, ">=", domain, f=40, L=1, z="1/50"),
    ]


@erratum(
    "E20",
    item="Section 4",
    about=(f"{_P}.printed_floor", f"{_P}.printed_error"),
    repaired_by="PO-42",
)
def e_20() -> Sequence[Goal]:
    r"""Convex losses.

    Section 4 says that convex losses, which are weakly convex with $\tilde L_1=0$, have the same rate. Every
    $\tilde L_1>0$ is then allowed. Lemma 3 has $\frac{aX^2}{\tilde L_1}$, which is within $(a\gamma X)^2$ of Theorem 2
    ($\kappa=2$) only if $a\gamma^2\tilde L_1\ge1$. At $\tilde L_1=10^{-6}$ it is not. The repaired form has a weight of
    at least $\Phi^{(2-\kappa)/\kappa}/\gamma^2$.
    """
    floor = utility.printed_floor(TERM, F, GAMMA, sp.Integer(2), X)
    gap = floor - utility.printed_error(TERM, F, L, X)
    return [refutation(gap, ">=", positive("f", "gamma", "L", "x"), f=40, gamma=1, L="1/1000000", x=1)]


@obligation("E19", item="Theorem 2, proof C.2 (errata, E19)")
def e_19() -> Sequence[Goal]:
    r"""The bound that the strong convexity of a subproblem gives.

    $F+\lambda\|\cdot-u\|^2$ of an $m\le\lambda$-weakly convex F is $(2\lambda-m)$-strongly convex, so that its
    minimiser $w^*$ has $F(w^*)+\lambda r^2+\frac{2\lambda-m}2r^2\le F(u)$ with $r=\|w^*-u\|$: at least
    $\frac32\lambda r^2$ is gained (the print has $F_t(w^*)=F(w^*)+\frac{\tilde L_1}2r^2$ and a gain of
    $\frac{\tilde L_1}4r^2$, which is less).
    """
    gained = (H + (2 * H - (H - V)) / 2) * P
    domain = positive("h") + nonnegative("p", "v")
    return [
        goal(gained - sp.Rational(3, 2) * H * P, ">=", domain, note="m = lambda - v, p = r^2"),
        goal(gained - H * P / 4, ">=", domain, note="the printed gain"),
    ]


@obligation("PO-42", item="Theorem 2 (errata, 3.2s)", about=(f"{_P}.sharpness", f"{_P}.decrease", f"{_P}.floor"))
def po_42() -> Sequence[Goal]:
    r"""The localised proximal step.

    For $\kappa\ge2$, $0<x\le1$ and $\lambda=\frac{\Phi^{(2-\kappa)/\kappa}}{\gamma^2x}$: if
    $\Psi+\frac32\lambda r^2\le\Phi$, $\Psi\le(2\gamma\lambda r)^\kappa$ and $\tau\le\frac9{484}x\Phi$ then
    $\Psi+2\lambda r\sqrt{2\tau/\lambda}+\tau\le(1-\frac{3x}{44})\Phi$, and $\tau=\frac C\lambda$ is that small where
    $\Phi\ge(\frac{22}3\gamma\sqrt C)^\kappa$.

    In steps, with $v^2=\lambda r^2$ and $2e^2=\tau$: (i) $4\gamma^2\lambda v^2\ge\Psi^{2/\kappa}$ and $\Psi\le\Phi$
    give $v^2\ge\frac x4\Psi$, as $\Psi^{2/\kappa}\Phi^{(\kappa-2)/\kappa}\ge\Psi$; (ii) the product is at most
    $\frac34v^2+\frac{16}3e^2$; (iii) the sum.
    """
    sharp = formulas.sharpness(TERM, GAMMA, KAPPA, PHI)
    logs = (1 - 2 / KAPPA) * S  # of Psi^(2/kappa) Phi^((kappa-2)/kappa) over Psi, with s = log(Phi / Psi)
    product = sp.Rational(3, 4) * V**2 + sp.Rational(16, 3) * E**2 - 4 * V * E
    square = sum_of_squares((sp.Rational(3, 4), V - sp.Rational(8, 3) * E))
    energy = X * P / 4 + W  # v^2, with slack w
    target = P + sp.Rational(3, 2) * energy + H  # Phi, with slack h
    tau = sp.Rational(9, 484) * X * target - Z
    end = P + sp.Rational(3, 4) * energy + sp.Rational(11, 3) * tau
    step = numbers("x", lo=0, hi=1, ends="(]") + nonnegative("p", "w", "h", "z")
    root = sp.Rational(22, 3) * GAMMA * F + S  # Phi^(1/kappa) where Phi is at least the floor; f^2 = C
    least = formulas.floor(TERM, GAMMA, KAPPA, F**2)
    return [
        goal(logs, ">=", numbers("kappa", lo=2, ends="[)") + nonnegative("s"), note="(i), on logarithms"),
        goal(product, ">=", numbers("v", "e"), square, note="(ii)"),
        goal(formulas.decrease(TERM, X) * target - end, ">=", step, note="(iii)"),
        goal(
            sharp / L * PHI - sp.exp(2 / KAPPA * sp.log(PHI)) / (GAMMA**2 * L), "==", _KL + positive("L"),
            note=r"$x\Phi$ is $\Phi^{2/\kappa}/(\gamma^2\lambda)$",
        ),
        goal(
            sp.Rational(9, 484) * root**2 / (GAMMA**2 * L) - F**2 / L, ">=",
            positive("gamma", "f", "L") + nonnegative("s"),
            note="so that C / lambda is at most 9/484 x Phi above the floor",
        ),
        goal(
            least - sp.exp(KAPPA * sp.log(sp.Rational(22, 3) * GAMMA * F)), "==",
            positive("gamma", "f") + numbers("kappa", lo=2, ends="[)"),
            note="whose root of order kappa that is",
        ),
    ]  # fmt: skip


@obligation("PO-51", item="Theorem 2 (errata, 3.2s), Lemmas 9 and 12")
def po_51() -> Sequence[Goal]:
    r"""Two forms of Young's inequality.

    $2\lambda rs\le\theta\lambda r^2+\frac{\lambda s^2}\theta$, and
    $\langle a,b\rangle\ge-\frac12(\|a\|^2+\|b\|^2)$, the latter coordinate by coordinate.
    """
    first = P * H * X**2 + H * S**2 / P - 2 * H * X * S
    second = X * S + (X**2 + S**2) / 2
    return [
        goal(
            first, ">=", positive("p", "h") + numbers("x", "s"), sum_of_squares((H / P, P * X - S)), note="theta is p"
        ),
        goal(second, ">=", numbers("x", "s"), sum_of_squares((HALF, X + S))),
    ]


@obligation("E21", item="Lemma 4 (errata, E21)", about=("noisy-gradient-descent.radius",))
def e_21() -> Sequence[Goal]:
    r"""The distance that a run can go, with probability one.

    Algorithm 4 projects on a ball of radius $\frac{L_0}{2\lambda_t}$ around $w_{t-1}$: after one more phase
    $\|w_t-w_0\|$ has grown by at most that, so that T phases of one weight stay within $\frac{TL_0}{2\tilde L_1}$ (the
    print's bound holds with high probability, and has the factor T on one of its terms only).
    """
    step = solver.radius(TERM, BOUND, L)
    domain = positive("G", "L") + nonnegative("p", "s")
    return [goal((P + 1) * step - (P * step + step - S), ">=", domain, note="one phase more, with slack s")]


@obligation("E36", item="Section 4 (errata, E36)")
def e_36() -> Sequence[Goal]:
    r"""A longer subgradient meets the condition where a shorter one does.

    $\big(\gamma(m+s)\big)^\kappa\ge(\gamma m)^\kappa$ for $\gamma,m,\kappa>0$ and $s\ge0$. Where F is not smooth the
    condition is needed for the one subgradient $-2\lambda(w_t^*-w_{t-1})$; if it holds for the shortest one, of norm m,
    it holds for each of norm $m+s$.
    """
    gap = power(GAMMA * (P + S), KAPPA) - power(GAMMA * P, KAPPA)
    domain = positive("kappa", "gamma", "p") + nonnegative("s")
    return [goal(gap, ">=", domain, lambda c: grow(c.expr, S, c.domain))]


@obligation("E37", item="Theorem 2, local assumptions (errata, E37)", about=("noisy-gradient-descent.radius",))
def e_37() -> Sequence[Goal]:
    r"""Outside the ball of a phase the regulariser's gradient is the longer one.

    $2\lambda(1+h)r>L_0$ for $h>0$, where $r=\frac{L_0}{2\lambda}$ is the library's radius. The left side is the length
    of the gradient of $\lambda\|w-w_{t-1}\|^2$ at the distance $(1+h)r$; if F is $L_0$-Lipschitz there, the regularised
    risk falls towards $w_{t-1}$, and no minimiser is that far away.
    """
    outside = (1 + H) * solver.radius(TERM, BOUND, L)
    return [goal(2 * L * outside - BOUND, ">", positive("G", "L", "h"))]
