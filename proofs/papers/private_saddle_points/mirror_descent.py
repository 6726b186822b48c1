"""Section 3.1: Algorithm 1, its privacy and its gap."""

from __future__ import annotations

from collections.abc import Sequence

import sympy as sp

from dpref.algorithms.mirror_descent import formulas as mirror_descent_formulas
from dpref.algorithms.mirror_descent import utility as parameters_utility
from dpref.mechanisms import exponential
from dpref.privacy.closed_forms import conversions
from dpref.terms import TERM
from proofs import kernel as k
from proofs.algebra import Claim
from proofs.papers.private_saddle_points import obligation
from proofs.papers.private_saddle_points.minima import least, root_square
from proofs.registry import Goal, cited, equal, goal
from proofs.search import nonnegative, numbers, positive, sum_of_squares

A, B, K, L, L0, L1, S, T = sp.symbols("a B K L L0 L1 s T")
TAU, EPSILON, ELL, LAMBDA = sp.symbols("tau epsilon ell lambda")
_SENSITIVITY = "mirror-descent.score_sensitivity"
_RANGE = "exponential-mechanism.selection_range"
_ZCDP = "exponential-mechanism.bounded_range_zcdp"
_GAP = "mirror-descent.gap_bound"


@obligation("P20", item="Corollary 3.6", about=("composition.concentrated_epsilon",))
def p20() -> Sequence[Goal]:
    r"""Advanced composition of pure DP, and where its range of epsilon comes from.

    $\varepsilon'=\frac\varepsilon{2\sqrt{2TL}}$, $L=\ln\frac1\delta$:
    $\varepsilon'\sqrt{2TL}+\frac{T\varepsilon'^2}2=\frac\varepsilon2+\frac{\varepsilon^2}{16L}$, at most $\varepsilon$
    for $\varepsilon\le8L$, and above it beyond.
    """
    from dpref.privacy.closed_forms.composition import concentrated_epsilon  # noqa: PLC0415

    one = EPSILON / (2 * sp.sqrt(2 * T * L))
    spent = concentrated_epsilon(TERM, T * one**2 / 2, T * one**2, L)
    value = EPSILON / 2 + EPSILON**2 / (16 * L)
    inside = positive("L") + numbers("a", lo=0, hi=1, ends="(]")
    return [
        goal(spent - value, "==", positive("epsilon", "T", "L")),
        goal((EPSILON - value).subs(EPSILON, 8 * L * A), ">=", inside, note="epsilon = 8 L a, a in (0, 1]"),
        goal((value - EPSILON).subs(EPSILON, 8 * L * (1 + S)), ">", positive("L", "s"), note="epsilon = 8 L (1 + s)"),
    ]


def _per_draw(tau: sp.Expr) -> sp.Expr:
    return exponential.selection_range(TERM, mirror_descent_formulas.score_sensitivity(TERM, tau, B, L0), sp.S.One)


_FIRST = positive("B", "epsilon", "L0", "T", "K", "L")


@obligation(
    "P21",
    item="Proposition 3.3",
    about=("mirror-descent.printed_step", _SENSITIVITY, _RANGE),
    premises=("P20", "exponential-mechanism/pure-dp"),
)
def p21() -> Sequence[Goal]:
    r"""The printed step of Algorithm 1, by pure DP.

    $\tau=\frac{B\varepsilon}{16L_0\sqrt{T(K+1)L}}$ makes each of $2T(K+1)$ draws
    $\frac{4L_0\tau}B=\frac\varepsilon{2\sqrt{2\cdot2T(K+1)L}}$-DP.
    """
    tau = mirror_descent_formulas.printed_step(TERM, B, EPSILON, L0, T, K, L)
    return [
        equal(_per_draw(tau), EPSILON / (2 * sp.sqrt(2 * 2 * T * (K + 1) * L)), _FIRST, "a draw"),
        equal(_per_draw(TAU), 4 * L0 * TAU / B, positive("tau", "B", "L0"), "at any step tau"),
    ]


@obligation(
    "P22",
    item="Proposition 3.3, by zCDP",
    about=("mirror-descent.zcdp_step", _SENSITIVITY, _RANGE, _ZCDP),
    premises=("P20", "exponential-mechanism/zcdp", "zcdp/composition", "zcdp/to-dp"),
)
def p22() -> Sequence[Goal]:
    r"""Twice the printed step of Algorithm 1.

    $\tau=\frac{B\varepsilon}{8L_0\sqrt{T(K+1)L}}$: $2T(K+1)$ draws are $\rho=\frac{\varepsilon^2}{16L}$-zCDP, and
    $\rho+2\sqrt{\rho L}=\frac\varepsilon2+\frac{\varepsilon^2}{16L}\le\varepsilon$ for $\varepsilon\le8L$ (P20).
    """

    def tau(bound: sp.Expr) -> sp.Expr:
        return mirror_descent_formulas.zcdp_step(TERM, B, EPSILON, bound, T, K, L)

    return [
        equal(
            2 * T * (K + 1) * exponential.bounded_range_zcdp(TERM, _per_draw(tau(L0))),
            EPSILON**2 / (16 * L),
            _FIRST,
            "all draws",
        ),
        equal(
            tau(L0),
            2 * mirror_descent_formulas.printed_step(TERM, B, EPSILON, L0, T, K, L),
            _FIRST,
            "twice the printed step",
        ),
        goal(
            conversions.zcdp_epsilon(TERM, EPSILON**2 / (16 * L), L) - EPSILON / 2 - EPSILON**2 / (16 * L),
            "==", positive("epsilon", "L"),
        ),
    ]  # fmt: skip


@obligation("P26", item="Proof 3.13")
def p26() -> Sequence[Goal]:
    r"""Two gradients in the box of radius L0.

    $g^2+(\phi-g)^2\le5L_0^2$ for $|g|,|\phi|\le L_0$.
    """
    g, phi = (1 - 2 * x for x in sp.symbols("a p"))
    return [goal(5 - g**2 - (phi - g) ** 2, ">=", numbers("a", "p", lo=0, hi=1, ends="[]"), _two_factors)]


def _two_factors(claim: Claim) -> k.Fact:
    """``(1 - g) (1 + g) + (2 - (phi - g)) (2 + (phi - g))``, every factor at least zero."""
    p, one = sp.Symbol("p"), sp.S.One
    parts = (4 * A * (1 - A), 4 * ((1 - A) + p) * (A + (1 - p)))
    facts = [(one, k.sign(part, ">=", claim.domain)) for part in parts]
    return k.combine(claim.expr, ">=", tuple(facts), claim.domain)


@obligation("P30", item="Lemma 3.11", about=("mirror-descent.sampled_gap",))
def p30() -> Sequence[Goal]:
    r"""The smoothed gap's best parameter.

    $\min_{\lambda>0}\frac{4L_1^2}{\lambda T}+\lambda\ell=4L_1\sqrt{\ell/T}$, at the paper's
    $\lambda=\frac{2L_1}{\sqrt{T\ell}}$ (the paper prints 2).
    """
    bound = parameters_utility.sampled_gap(TERM, L1, ELL, T) - 4 * L1 / T
    at = (LAMBDA, 2 * L1 / sp.sqrt(T * ELL))
    return least(4 * L1**2 / (LAMBDA * T), LAMBDA * ELL, bound, at, positive("L1", "T", "ell", "lambda"))


@obligation("P31", item="Proof 3.13")
def p31() -> Sequence[Goal]:
    r"""The smaller of the two terms.

    $\frac{4L_1}T\le4L_1\sqrt{\ell/T}$ for $T\ell\ge1$.
    """
    gap = 4 * L1 * sp.sqrt(ELL / T) - 4 * L1 / T
    domain = positive("L1", "T") + nonnegative("s")
    changed = gap.subs(ELL, (1 + S) ** 2 / T)
    return [goal(changed - 4 * L1 * S / T, "==", domain, note="T ell = (1 + s)^2")]


@obligation(
    "gap-bound",
    item="Theorem 3.1, Eq. (8)",
    about=(_GAP, "mirror-descent.sampled_gap", "mirror-descent.regret_step"),
    premises=("P23", "P26", "P30"),
)
def gap() -> Sequence[Goal]:
    r"""The explicit bound on the gap of Algorithm 1's output.

    $\frac{4L_1}T+4L_1\sqrt{\ell/T}+\frac{2\ell}{\tau T}+5\tau L_0^2+4b_K$ is what Lemmas 3.8 and 3.11 give:
    $\frac{2\ell}{\tau T}+\tau(g^2+(\phi-g)^2)$ for two gradients in the box of radius $L_0$ (P26), attained at
    $g=-\phi$, $|\phi|=L_0$; a bias of at most $b_K$ over the $\ell_1$-diameter 4; and the sampling of the output.
    Without sampling and bias the step $\tau=\frac1{L_0}\sqrt{\frac{2\ell}{5T}}$ is the best.
    """
    bias, p = sp.symbols("b p")
    g, phi = L0 * (1 - 2 * A), L0 * (1 - 2 * p)
    bound = parameters_utility.gap_bound(TERM, L0, L1, ELL, T, TAU, bias)
    regret = 2 * ELL / (TAU * T) + TAU * (g**2 + (phi - g) ** 2)
    public = positive("L0", "L1", "ell", "T", "tau") + nonnegative("b")
    gradients = numbers("a", "p", lo=0, hi=1, ends="[]")
    slack = bound - (parameters_utility.sampled_gap(TERM, L1, ELL, T) + regret + 4 * bias)
    alone = parameters_utility.gap_bound(TERM, L0, sp.S.Zero, ELL, T, TAU, sp.S.Zero)
    best = parameters_utility.regret_step(TERM, L0, ELL, T)
    (box_fact,) = p26()

    def prove(claim: Claim) -> k.Fact:
        known = k.instantiate(box_fact.tactic(box_fact.claim), (), gradients)
        return k.combine(claim.expr, ">=", ((TAU * L0**2, known),), claim.domain)

    return [
        equal(
            parameters_utility.sampled_gap(TERM, L1, ELL, T), 4 * L1 / T + 4 * L1 * sp.sqrt(ELL / T),
            positive("L1", "ell", "T"), "the sampling of the output",
        ),
        goal(slack, ">=", public + gradients, prove, "at most the bound"),
        goal(
            slack.subs(p, 1 - A) - 20 * TAU * L0**2 * A * (1 - A), "==", public + gradients[:1],
            note="attained by opposite gradients of norm L0, a = 0 and a = 1",
        ),
        goal(
            alone - 2 * L0 * sp.sqrt(10 * ELL / T), ">=", positive("L0", "ell", "T", "tau"),
            sum_of_squares(root_square(2 * ELL / (TAU * T), 5 * TAU * L0**2)),
        ),
        goal(alone.subs(TAU, best) - 2 * L0 * sp.sqrt(10 * ELL / T), "==", positive("L0", "ell", "T"), note="attained"),
        cited("Lemma 3.8: the gap is at most the regrets and the bias, by a ghost sequence", "gonzalez2024mirror"),
    ]  # fmt: skip


@obligation("P32", item="Theorem 3.1, Eqs. (5) to (7)")
def p32() -> Sequence[Goal]:
    r"""The three pairs of T and K balance their terms.

    With $N=n\varepsilon$: $\sqrt{\ell/T}=\frac{\ell\sqrt{TKL}}N$ for $T=\frac{N^{2/3}}{L^{1/3}},K=\frac T\ell$;
    $T=\frac{N^{4/5}}{\ell^{1/5}L^{2/5}},K=\sqrt{T/\ell}$; $T=\frac N{\sqrt{\ell L}},K=1$; cubed, to the fifth, squared:
    $\frac{\ell^{3/2}\sqrt L}N$.
    """
    # N^2 = T^3 L, T^(5/2) sqrt(ell) L and T^2 ell L in the three cases: the free variable is T.
    rate = ELL * sp.sqrt(ELL * L)
    cases = ((T / ELL, T * sp.sqrt(T * L), 3), (sp.sqrt(T / ELL), None, 5), (sp.S.One, T * sp.sqrt(ELL * L), 2))
    goals = []
    for samples, size, power in cases:
        n = sp.sqrt(T**2 * sp.sqrt(T * ELL) * L) if size is None else size
        base = sp.sqrt(ELL / T)
        power_of_n = 2 if power == 5 else 1
        domain = positive("T", "ell", "L")
        goals.append(goal(base - ELL * sp.sqrt(T * samples * L) / n, "==", domain))
        goals.append(equal((rate / n) ** power_of_n, base**power, domain, f"to the power {power}"))
    return goals
