"""Menart et al., Theorem 5 and Appendix D.6: the selection of an approximate stationary point."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import sympy as sp

from dpref.algorithms.stationary_point import formulas
from dpref.mechanisms import exponential
from dpref.privacy.closed_forms import conversions
from dpref.terms import TERM
from proofs.papers.kl_condition import erratum, obligation
from proofs.papers.kl_condition.spider import BOUND, HALF, RHO, ROOT, E, H, L, N, P, S, V, W, X, Y, Z
from proofs.registry import Goal, equal, goal, refutation
from proofs.search import nonnegative, numbers, positive

_S: Final = "stationary-point"
_DOMAIN: Final = positive("G", "n", "r")


def _range(sensitivity: sp.Expr) -> sp.Expr:
    """Return the epsilon of the selection."""
    return exponential.selection_range(TERM, sensitivity, formulas.selection_scale(TERM, BOUND, N, RHO))


@obligation(
    "PO-39",
    item="Theorem 5 (errata, E8)",
    about=(f"{_S}.selection_scale", f"{_S}.selection_error", f"{_S}.free_error"),
    premises=("exponential-mechanism/zcdp", "exponential-mechanism/pure-dp"),
    not_proved="That the weights sum to at most R times the weight of a candidate at the threshold, and that the best "
    "candidate's own weight is in the denominator: a sum over candidates, which the tests take exactly.",
)
def po_39() -> Sequence[Goal]:
    r"""The selection's exponential mechanism.

    With weights $e^{-u/\lambda}$ and $\lambda=\frac{2L_0}{n\sqrt\rho}$: norms that move by $\frac{2L_0}n$ give the
    range $2\sqrt\rho$ and $\frac\rho2$-zCDP, norms that move by $\frac{L_0}n$ give $\sqrt\rho$ and $\frac\rho8$. Of
    R candidates those whose norm exceeds the least by more than $\lambda\ln\frac R\beta$ have together a
    probability of at most $Re^{-\ln(R/\beta)}=\beta$.

    Of the least noisy norm (3.4): if every noisy norm is within $\nu$ of the exact one, clamped or not, then
    $\|\nabla F(w_{t^*})\|\le N_{t^*}+\nu\le N_t+\nu\le\|\nabla F(w_t)\|+2\nu$ for every t.
    """
    replace, null = 2 * BOUND / N, BOUND / N
    error = formulas.selection_error(TERM, L, X, Y)
    return [
        equal(_range(replace), 2 * ROOT**2, _DOMAIN, "replace-one"),
        equal(_range(null), ROOT**2, _DOMAIN, "zero-out"),
        equal(conversions.bounded_range_zcdp(TERM, _range(replace)), RHO / 2, _DOMAIN, "replace-one, rho"),
        equal(conversions.bounded_range_zcdp(TERM, _range(null)), RHO / 8, _DOMAIN, "zero-out, rho"),
        goal(P + formulas.free_error(TERM, V) - (P + V - S - W + V), ">=", nonnegative("p", "v", "s", "w"), note="3.4"),
        goal(X * sp.exp(-error / L) - Y, "==", positive("L", "x", "y"), note="R e^(-error / lambda) = beta"),
    ]


@erratum(
    "E8",
    item="Theorem 5, proof D.6",
    about=(f"{_S}.selection_scale",),
    repaired_by="PO-39",
)
def e_8() -> Sequence[Goal]:
    r"""The selection is sqrt(rho)-DP, hence half rho.

    Appendix D.6 says by Lemma 14 that the selection is $\sqrt\rho$-DP and therefore $\frac\rho2$-zCDP. If a record is
    replaced, a norm moves by up to $\frac{2L_0}n$, and the mechanism is $2\sqrt\rho$-DP. Lemma 14 then gives $2\rho$
    for the selection and $3\rho$ with the descent, not $2\rho$. The bounded range of the mechanism gives
    $\frac\rho2$ all the same (PO-39), so that the number of the theorem stands.
    """
    moved = _range(2 * BOUND / N)
    by_pure_dp = conversions.pure_zcdp(TERM, moved)
    return [
        refutation(ROOT**2 - moved, ">=", _DOMAIN, G=1, n=100, r=1, note="sqrt(rho)-DP"),
        refutation(2 * RHO - (RHO + by_pure_dp), ">=", _DOMAIN, G=1, n=100, r=1, note="2 rho in all, by Lemma 14"),
    ]


@obligation("PO-22", item="Theorem 5")
def po_22() -> Sequence[Goal]:
    r"""A number that is bounded by its own inverse.

    $N\ge0$ and $N\le\frac AN+b$ give $N\le\sqrt A+b\le\sqrt{2A}+2b$: if $N=\sqrt A+b+s$ with $s>0$ then
    $N^2-bN-A=(\sqrt A+b+s)(\sqrt A+s)-A>0$.
    """
    size = P + H + S  # p^2 = A, h = b
    return [
        goal(size**2 - H * size - P**2, ">", positive("s") + nonnegative("p", "h"), note="beyond, the bound fails"),
        goal(sp.sqrt(2) * P + 2 * H - (P + H), ">=", nonnegative("p", "h"), note="the printed form"),
    ]


@obligation("PO-44", item="Theorem 5 (errata, E30)")
def po_44() -> Sequence[Goal]:
    r"""The least length of a run.

    $T(A+B)\ge\frac\rho2$ gives $T\ge\frac\rho4\min\{\frac1A,\frac1B\}$; with $A=\frac{L_0^2d\ell}{n^2N^2}$ and
    $B=\frac{\sqrt\rho}{2n}$ that is $\frac12\min\{\frac{n^2N^2\rho}{2L_0^2d\ell},n\sqrt\rho\}$ (the print has
    $\frac{n^2N^2\rho}{L_0^2d\ell}$).
    """
    larger = Y + S  # A, where B = y is the smaller
    by_larger = H / (2 * (larger + Y)) - H / (4 * larger)
    pure = H**2 / 4 / (H / (2 * N))  # rho = h^2, over B
    return [
        goal(by_larger, ">=", positive("h", "y") + nonnegative("s"), note="B at most A; else they change places"),
        goal(pure - HALF * N * H, "==", positive("h", "n"), note="rho / (4 B) is half of n sqrt(rho)"),
        goal(
            H**2 / 4 / (BOUND**2 * L / (N**2 * Z**2)) - HALF * N**2 * Z**2 * H**2 / (2 * BOUND**2 * L), "==",
            positive("h", "n", "z", "G", "L"), note="rho / (4 A), with L = d l and z the least norm",
        ),
    ]  # fmt: skip


@obligation("PO-53", item="Theorem 5, Eq. (16)")
def po_53() -> Sequence[Goal]:
    r"""The mean is at most the root of the mean square.

    $\big(\frac{x+y}2\big)^2\le\frac{x^2+y^2}2$, with weights $\theta$ and $1-\theta$ as Jensen's inequality adds
    terms one by one, and $\sqrt{A+b}\le\sqrt A+\sqrt b$.
    """
    theta = numbers("theta", lo=0, hi=1, ends="[]")
    t = sp.Symbol("theta")
    gap = t * X**2 + (1 - t) * Y**2 - (t * X + (1 - t) * Y) ** 2
    return [
        goal(gap - t * (1 - t) * (X - Y) ** 2, "==", theta + numbers("x", "y"), note="what is lost is not negative"),
        goal((P + E) ** 2 - (P**2 + E**2), ">=", nonnegative("p", "e"), note="squared: p^2 = A, e^2 = b"),
    ]


@erratum("E30", item="Theorem 5", repaired_by="PO-44")
def e_30() -> Sequence[Goal]:
    r"""The terms that the stopping rule and the worst case of Theorem 5 drop.

    (e) The proof derives $T\ge\frac12\min\{\frac{n^2N^2\rho}{L_0^2d\ell},n\sqrt\rho\}$ from $T(A+B)\ge\frac\rho2$. With
    $A=\frac{L_0^2d\ell}{n^2N^2}=B=1$ and $\rho=4$ the run may end at $T=1$, and half of the first argument is 2.

    (b) Where the minimum is $n\sqrt\rho$, the proof gives $\sqrt{8F_0L_1/T}$, which is up to
    $4\sqrt{F_0L_1}/\sqrt{n\sqrt\rho}$. The two terms of the statement do not cover it: at $F_0L_1=6.25\cdot10^{10}$,
    $L_0=d=1$ and $n\sqrt\rho=10^{12}$ it is $L_0$, and above a hundred times their sum.
    """
    steps, first = H / (2 * (X + Y)), HALF * H / X
    dropped = 4 * sp.sqrt(W) / sp.sqrt(N)  # w = F_0 L_1, n stands for n sqrt(rho)
    stated = sp.sqrt(BOUND * sp.sqrt(W * V) / N) + BOUND * sp.sqrt(L) / sp.sqrt(N)
    return [
        refutation(steps - first, ">=", positive("h", "x", "y"), h=4, x=1, y=1, note="(e)"),
        refutation(
            100 * stated - dropped,
            ">=",
            positive("G", "w", "v", "n", "L"),
            G=1,
            w=625 * 10**8,
            v=1,
            n=10**12,
            L=10,
            note="(b)",
        ),
    ]
