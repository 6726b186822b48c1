"""Wang, Ye and Xu, "Differentially Private Empirical Risk Minimization Revisited": the step sizes of Theorem 4.2."""

from __future__ import annotations

from collections.abc import Sequence

import sympy as sp

from dpref.algorithms.svrg import utility as svrg_utility
from dpref.terms import TERM
from proofs.papers.dp_erm_revisited import erratum, obligation
from proofs.registry import Goal, goal, refutation
from proofs.search import numbers, positive

L, M, B, KAPPA, T = sp.symbols("L m b kappa t")
HALF = sp.Rational(1, 2)
_CONTRACTION = "svrg.contraction"


def contraction(eta: sp.Expr) -> sp.Expr:
    """A of Eq. (4) with kappa = L / mu."""
    return svrg_utility.contraction(TERM, eta, L, L / KAPPA, M)


@obligation("P12", item="Theorem 4.2, Eq. (4)", about=(_CONTRACTION,))
def p12() -> Sequence[Goal]:
    r"""Eq. (4) needs a step size below 1/(24 L).

    For $\frac1{24}\le\eta L<\frac18$ the second term of A alone exceeds $\frac12$; at $\eta=\frac1{12L}$,
    $A=\frac{36\kappa}m+2+\frac2m$.
    """
    eta = (sp.Rational(1, 24) + B / 12) / L  # b in [0, 1)
    domain = positive("L", "kappa") + numbers("m", lo=0) + numbers("b", lo=0, hi=1, ends="[)")
    at = contraction(1 / (12 * L)) - (36 * KAPPA / M + 2 + 2 / M)
    return [
        goal(contraction(eta) - HALF, ">", domain),
        goal(at, "==", positive("L", "kappa", "m")),
    ]


@obligation("P13", item="Theorem 4.2, Eq. (4)", about=(_CONTRACTION,))
def p13() -> Sequence[Goal]:
    r"""Step sizes and inner lengths with A below one half.

    $\eta=\frac1{48L}$: $A=\frac{288\kappa+m+1}{5m}$, below $\frac12$ for $m>192\kappa+\frac23$; $\eta=\frac1{32L}$:
    $A=\frac{128\kappa+m+1}{3m}$, for $m>256\kappa+2$; $\eta=\frac1{40L}$: for $m>200\kappa+1$.
    """
    domain = positive("L", "kappa", "t")
    goals = [
        goal(contraction(1 / (48 * L)) - (288 * KAPPA + M + 1) / (5 * M), "==", positive("L", "kappa", "m")),
        goal(contraction(1 / (32 * L)) - (128 * KAPPA + M + 1) / (3 * M), "==", positive("L", "kappa", "m")),
    ]
    for divisor, least in ((48, 192 * KAPPA + sp.Rational(2, 3)), (32, 256 * KAPPA + 2), (40, 200 * KAPPA + 1)):
        goals.append(goal(HALF - contraction(1 / (divisor * L)).subs(M, least + T), ">", domain))
    return goals


@erratum("E7", item="Theorem 4.2", about=(_CONTRACTION,), repaired_by="P13")
def e7() -> Sequence[Goal]:
    r"""Every printed step size meets Eq. (4) if m is large.

    As printed, read so that every $\eta\le\frac1{12L}$ and an m large enough make $A<\frac12$: at $\eta=\frac1{12L}$,
    $A>2$ for every m (P12). The theorem asks for Eq. (4) itself as well, and so it stands, for $\eta<\frac1{24L}$ only
    (P13).
    """
    slack = HALF - contraction(1 / (12 * L))
    return [refutation(slack, ">", positive("L", "kappa", "m"), L=1, kappa=1, m=10**6)]
