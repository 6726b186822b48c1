"""Wang, Ye and Xu, "Differentially Private Empirical Risk Minimization Revisited": the step sizes of Theorem 4.2."""

from __future__ import annotations

from collections.abc import Sequence

import sympy as sp

from dpref.algorithms.svrg import utility as svrg_utility
from dpref.terms import TERM
from proofs import latex
from proofs.papers.dp_erm_revisited import erratum, obligation
from proofs.papers.dp_erm_revisited.convex import third
from proofs.papers.dp_erm_revisited.strongly_convex import epoch
from proofs.registry import Goal, equal, goal, refutation
from proofs.search import numbers, positive, unit

L, M, B, KAPPA, T, V, P = sp.symbols("L m b kappa t v p")
HALF = sp.Rational(1, 2)
_CONTRACTION = "svrg.contraction"


def contraction(eta: sp.Expr) -> sp.Expr:
    """A of Eq. (4) with kappa = L / mu."""
    return svrg_utility.contraction(TERM, eta, L, L / KAPPA, M)


@obligation("P12", item="Theorem 4.2, Eq. (4)", about=(_CONTRACTION,))
def p12() -> Sequence[Goal]:
    r"""Eq. (4) needs a step size below 1/(24 L).

    For $0<8L\eta<1$, $\frac{8L\eta}{1-8L\eta}<\frac12$ exactly for $\eta<\frac1{24L}$; from there on the second term of
    A alone exceeds $\frac12$. At $\eta=\frac1{12L}$, $A=\frac{36\kappa}m+2+\frac2m$.
    """
    eta = (sp.Rational(1, 24) + B / 12) / L  # b in [0, 1)
    domain = positive("L", "kappa") + numbers("m", lo=0) + numbers("b", lo=0, hi=1, ends="[)")
    at = contraction(1 / (12 * L)) - (36 * KAPPA / M + 2 + 2 / M)
    short, long = B / (24 * L), eta

    def second(eta: sp.Expr) -> sp.Expr:
        return 8 * L * eta / (1 - 8 * L * eta)

    between = numbers("b", lo=0, hi=1, ends="[)")
    return [
        goal(contraction(eta) - HALF, ">", domain),
        goal(at, "==", positive("L", "kappa", "m")),
        goal(HALF - second(short), ">", positive("L") + unit("b"), note="below 1/(24 L)"),
        goal(second(long) - HALF, ">=", positive("L") + between, note="and no further"),
    ]


@obligation("P13", item="Theorem 4.2, Eq. (4)", about=(_CONTRACTION,))
def p13() -> Sequence[Goal]:
    r"""Step sizes and inner lengths with A below one half.

    $\eta=\frac1{48L}$: $A=\frac{288\kappa+m+1}{5m}$, below $\frac12$ exactly for $m>192\kappa+\frac23$;
    $\eta=\frac1{32L}$: $A=\frac{128\kappa+m+1}{3m}$, exactly for $m>256\kappa+2$; $\eta=\frac1{40L}$: exactly for
    $m>200\kappa+1$.
    """
    goals = [
        goal(contraction(1 / (48 * L)) - (288 * KAPPA + M + 1) / (5 * M), "==", positive("L", "kappa", "m")),
        goal(contraction(1 / (32 * L)) - (128 * KAPPA + M + 1) / (3 * M), "==", positive("L", "kappa", "m")),
    ]
    for divisor, least in ((48, 192 * KAPPA + sp.Rational(2, 3)), (32, 256 * KAPPA + 2), (40, 200 * KAPPA + 1)):
        goals += exactly(contraction(1 / (divisor * L)), least)
    return goals


def exactly(factor: sp.Expr, least: sp.Expr) -> list[Goal]:
    """A contraction is below one half for m above ``least``, and for no other m."""
    above = f"m above ${latex.formula(least)}$"
    return [
        goal(HALF - factor.subs(M, least + T), ">", positive("L", "kappa", "t"), note=above),
        goal(factor.subs(M, least * B) - HALF, ">=", positive("L", "kappa") + numbers("b", lo=0, hi=1, ends="(]"),
             note="and for no less"),
    ]  # fmt: skip


@erratum("E7", item="Theorem 4.2", about=(_CONTRACTION,), repaired_by="P13")
def e7() -> Sequence[Goal]:
    r"""Every printed step size meets Eq. (4) if m is large.

    Suppose that the theorem said: every $\eta\le\frac1{12L}$ and an m large enough make $A<\frac12$. At
    $\eta=\frac1{12L}$, $A>2$ for every m (P12). The theorem asks for Eq. (4) itself as well, and so it stands, for
    $\eta<\frac1{24L}$ only (P13).
    """
    slack = HALF - contraction(1 / (12 * L))
    return [refutation(slack, ">", positive("L", "kappa", "m"), L=1, kappa=1, m=10**6)]


_NOISE = "svrg.noise_per_epoch"


def _sharp(eta: sp.Expr) -> sp.Expr:
    """A' of half the variance: the A of half the smoothness."""
    return svrg_utility.contraction(TERM, eta, L / 2, L / KAPPA, M)


def _sharp_noise(eta: sp.Expr, variance: sp.Expr) -> sp.Expr:
    return svrg_utility.noise_per_epoch(TERM, eta, L / 2, variance / 2, P)


@obligation("P62", item="Theorems 4.2 and 4.4 (errata, E13)", about=(_CONTRACTION, _NOISE))
def p62() -> Sequence[Goal]:
    r"""Step sizes without the factor of two in Eq. (35).

    $\eta=\frac1{24L}$: $A'=\frac{144\kappa+m+1}{5m}$, below $\frac12$ exactly for $m>96\kappa+\frac23$, with the noise
    $\frac{\sigma^2p}{20L}$ an epoch. DP-SVRG++: $\frac{2\eta L}{1-\eta L}\le\frac13$ and $\frac\eta{2(1-\eta L)}\le
    \frac1{12L}$ exactly up to $\eta=\frac1{7L}$, with equality there.
    """
    eta = 1 / (24 * L)

    return [
        goal(_sharp(eta) - (144 * KAPPA + M + 1) / (5 * M), "==", positive("L", "kappa", "m")),
        *exactly(_sharp(eta), 96 * KAPPA + sp.Rational(2, 3)),
        equal(_sharp_noise(eta, V), V * P / (20 * L), positive("L", "v", "p"), "the noise"),
        *third(1),
    ]


@obligation(
    "E13",
    item="Theorem 4.2, Eqs. (35) and (39)",
    about=(_CONTRACTION, _NOISE),
    premises=("P7", "P7a", "P69"),
)
def e13() -> Sequence[Goal]:
    r"""The factor of two in Eq. (35) is not needed.

    $\mathbb E\|v_t-\nabla F\|^2\le4L[F^r(x_{t-1})-F^r_*+F^r(\tilde x)-F^r_*]+\sigma^2p$, half of the printed bound, as
    u is independent with mean zero (P7). So Eq. (38) holds with $8L\eta^2$ and $2\eta^2$ in place of $16L\eta^2$ and
    $4\eta^2$, and Eq. (39) with $A'=\frac1{\eta(1-4\eta L)\mu m}+\frac{4L\eta(m+1)}{m(1-4L\eta)}$ and the noise
    $\frac{\eta\sigma^2p}{1-4L\eta}$, neither more than printed.
    """
    eta = B / (8 * L)
    divisor = 2 * M * eta * (1 - 4 * L * eta)
    short = positive("L", "kappa", "m") + unit("b")
    noise = _sharp_noise(eta, V)
    printed = svrg_utility.noise_per_epoch(TERM, eta, L, V, P)
    return [
        epoch(1, "Eq. (38) with half of the variance"),
        goal((2 * KAPPA / L + 8 * L * eta**2 * (M + 1)) / divisor - _sharp(eta), "==", short, note="A'"),
        equal(2 * M * eta**2 * V * P / divisor, noise, short + positive("v", "p"), "the noise"),
        goal(contraction(eta) - _sharp(eta), ">=", short, note="no more than printed"),
        goal(printed - noise, ">=", short + positive("v", "p"), note="and no more noise"),
    ]
