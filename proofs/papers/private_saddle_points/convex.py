"""Section 4: anytime mirror descent for convex optimisation on one simplex (Algorithm 5)."""

from __future__ import annotations

from collections.abc import Sequence

import sympy as sp

from dpref.algorithms.anytime_mirror_descent import formulas, utility
from dpref.mechanisms import exponential
from dpref.terms import TERM
from proofs import induction, kernel
from proofs.algebra import Claim, Sum
from proofs.papers.private_saddle_points import declare, erratum, obligation
from proofs.registry import Goal, equal, goal, refutation
from proofs.search import bisect, box, natural, nonnegative, numbers, positive

EPSILON, K, L, L0, L2, MOMENT, TAU, X = sp.symbols("epsilon K L L0 L2 m tau x")
B, D, ELL, J, L1, Q, S, T, U, W = sp.symbols("b Delta ell j L1 q s T u w")


@obligation("P50", item="Proposition 4.3 (E10)")
def p50() -> Sequence[Goal]:
    r"""A mixture keeps the ratio of its parts.

    $p_i\le b\,q_i$ for both parts gives $\lambda p_1+(1-\lambda)p_2\le b(\lambda q_1+(1-\lambda)q_2)$: each draw of
    Algorithm 5 is $\frac{4\tau L_0}B$-DP, as printed, though not by the printed argument.
    """
    # p_i = b q_i - s_i with slacks s, u >= 0; the mixture's weight is w.
    other = sp.Symbol("p")
    mixture = W * (B * Q - S) + (1 - W) * (B * other - U)
    domain = positive("b", "q", "p") + nonnegative("s", "u") + numbers("w", lo=0, hi=1, ends="[]")
    return [goal(B * (W * Q + (1 - W) * other) - mixture, ">=", domain)]


@erratum(
    "E10",
    item="Proposition 4.3, proof",
    repaired_by="P50",
    tests=("property_tests/test_saddle.py::test_e10",),
)
def e10() -> Sequence[Goal]:
    r"""The running average of Algorithm 5 is one exponential mechanism.

    As printed in the proof: $w_j^t\propto\sum_{i\le t}e^{-\tau G_{j,i}}$. The iterates have normalisers of their own:
    for t = 2 and two vertices, $x^1=(\frac12,\frac12)$ and $x^2=(\frac1{1+u},\frac u{1+u})$ average to
    $w_1=\frac14+\frac1{2(1+u)}$, not to $\frac2{3+u}$. False at u = 3; the conclusion holds by P50.
    """
    average = (sp.Rational(1, 2) + 1 / (1 + U)) / 2
    return [refutation(2 / (3 + U) - average, ">=", positive("u"), u=3)]


@obligation(
    "P52",
    item="Proposition 4.3, by zCDP (errata, Section 6)",
    tests=("property_tests/test_saddle.py::test_p52",),
    not_proved="Orders other than 2, and mixtures of more than two parts: tested.",
)
def p52() -> Sequence[Goal]:
    r"""Renyi divergence is jointly quasi-convex.

    $D_\alpha(\sum_i\lambda_ip_i\|\sum_i\lambda_iq_i)\le\max_iD_\alpha(p_i\|q_i)$: at $\alpha=2$ and one outcome,
    $\frac{(\lambda p_1+(1-\lambda)p_2)^2}{\lambda q_1+(1-\lambda)q_2}\le\lambda\frac{p_1^2}{q_1}+
    (1-\lambda)\frac{p_2^2}{q_2}$, by a square; summed over the outcomes the moments are convex.
    """
    p, q, r, t = sp.symbols("p_1 p_2 q_1 q_2")
    mean = W * r + (1 - W) * t
    gap = W * p**2 / r + (1 - W) * q**2 / t - (W * p + (1 - W) * q) ** 2 / mean
    square = W * (1 - W) * (p * t - q * r) ** 2 / (r * t * mean)
    domain = positive("p_1", "p_2", "q_1", "q_2") + numbers("w", lo=0, hi=1, ends="[]")
    return [equal(gap, square, domain, "one square, which is not negative")]


_DRAW = "exponential-mechanism.bounded_range_zcdp"
_MIXED = "anytime-mirror-descent.mixture_epsilon"


@obligation(
    "proposition-4.3",
    item="Proposition 4.3",
    about=("anytime-mirror-descent.printed_step", "anytime-mirror-descent.zcdp_step", _MIXED, _DRAW),
    premises=("P20", "P50", "P52", "exponential-mechanism/zcdp", "zcdp/composition", "zcdp/to-dp"),
)
def proposition() -> Sequence[Goal]:
    r"""The printed step of Algorithm 5, by pure DP, and twice as long a step, by zCDP.

    $\tau=\frac{B\varepsilon}{8L_0\sqrt{2kL}}$ makes each of k draws
    $\frac{4L_0\tau}B=\frac\varepsilon{2\sqrt{2kL}}$-DP, which P20 asks for; at twice that step k draws of
    $\frac18(\frac{4L_0\tau}B)^2$ are
    $\rho=\frac{\varepsilon^2}{16L}$-zCDP, for every k.
    """
    domain = positive("b", "epsilon", "L0", "K", "L")
    printed = formulas.printed_step(TERM, B, EPSILON, L0, K, L)

    def rho() -> sp.Expr:
        tau = formulas.zcdp_step(TERM, B, EPSILON, L0, K, L)
        return K * exponential.bounded_range_zcdp(TERM, formulas.mixture_epsilon(TERM, tau, B, L0))

    return [
        equal(
            formulas.mixture_epsilon(TERM, printed, B, L0),
            EPSILON / (2 * sp.sqrt(2 * K * L)),
            domain,
            "a draw",
        ),
        equal(rho(), EPSILON**2 / (16 * L), domain, "k draws"),
        equal(formulas.zcdp_step(TERM, B, EPSILON, L0, K, L), 2 * printed, domain, "twice the printed step"),
    ]  # fmt: skip


declare(
    "P53",
    item="Algorithm 5",
    title="How many vertices Algorithm 5 draws",
    statement=r"At most $K(q+\lfloor T/q\rfloor)\le K(q+\frac Tq)$.",
    tests=("tests/test_anytime_mirror_descent.py::test_a_round_that_is_longer_than_the_run_draws_at_every_step",),
)


@obligation("E11", item="Proof 4.4", about=("anytime-mirror-descent.printed_draws",), premises=("P53",))
def e11() -> Sequence[Goal]:
    r"""The proof counts K draws too many, the statement counts right.

    $\frac{TK}q+qK\le\frac{TK}q+(q+1)K$: the step t = q is both among the first q and a multiple of q.
    """
    counted = formulas.printed_draws(TERM, T, Q, K)
    return [goal(T * K / Q + (Q + 1) * K - counted - K, "==", positive("T", "q", "K"))]


@obligation("P48", item="Proof 4.5", premises=("P3",))
def p48() -> Sequence[Goal]:
    r"""The distance that the running average moves in a step.

    $w^t=\frac{(t-1)w^{t-1}+x^t}t$ gives $w^t-w^{t-1}=\frac{x^t-w^{t-1}}t$ in every coordinate, of $\ell_1$-norm at most
    $\frac2t$ by P3.
    """
    new = ((T - 1) * W + X) / T
    return [goal(new - W - (X - W) / T, "==", positive("T") + numbers("w", "x"))]


@obligation(
    "excess-bound",
    item="Theorem 4.2, Eq. (11)",
    about=(
        "anytime-mirror-descent.excess_bound", "anytime-mirror-descent.regret_step",
        "anytime-mirror-descent.first_order_bias", "anytime-mirror-descent.second_order_bias",
        "anytime-mirror-descent.first_order_moment", "anytime-mirror-descent.second_order_moment",
    ),
    premises=("P23", "P47", "P57", "P58", "P54"),
    tests=(
        "tests/test_anytime_mirror_descent.py::test_theorem_4_2_bounds_the_excess_with_its_explicit_constants",
    ),
    not_proved="That the terms bound the excess risk: a statement about random sequences.",
)  # fmt: skip
def excess() -> Sequence[Goal]:
    r"""The explicit bound on the excess risk of Algorithm 5's output, and its best step.

    $\frac{2L_1}K+\frac{\ln d}{\tau T}+\frac{\tau L_0^2}2+2b_K+\frac{4L_1q(1+\ln(T/q))}T+\tau qm_K$; over $\tau$ it is
    least at $\tau=\sqrt{\frac{\ln d}{T(L_0^2/2+qm_K)}}$. $b_K$ are Corollaries 2.6 and 2.4, $m_K$ Corollary 2.12 in its
    safe form (P14) and E41: $(4+\sqrt{2\gamma})^2\frac{L_1^2}K=(\frac{4L_1}{\sqrt K}+L_1\sqrt{2\gamma/K})^2$.
    """
    bias, d = sp.symbols("b d")
    whole = utility.excess_bound(TERM, L0, L1, d, T, Q, K, TAU, bias, MOMENT)
    rest = 2 * L1 / K + 2 * bias + 4 * L1 * Q * (1 + sp.log(T / Q)) / T
    public = positive("L0", "L1", "T", "q", "K", "tau") + numbers("d", lo=1) + nonnegative("b", "m")
    at, weight = sp.log(d) / T, L0**2 / 2 + Q * MOMENT
    gamma = 1 + sp.log(2 * d)
    both = (utility.first_order_bias(TERM, L1, K) + L1 * sp.sqrt(2 * gamma / K)) ** 2
    sizes = positive("L1", "K") + numbers("d", lo=1)
    best = utility.regret_step(TERM, L0, d, T, Q, MOMENT)
    return [
        goal(whole - rest - at / TAU - TAU * weight, "==", public, note="the terms in tau"),
        goal(at * best**-2 - weight, "==", public[:1] + public[2:4] + public[6:7] + public[8:], note="the best tau"),
        goal(utility.first_order_moment(TERM, L1, d, K) - both, "==", sizes),
        equal(utility.second_order_bias(TERM, L2, K), 2 * L2 / K, positive("L2", "K"), "K vertices"),
        goal(
            utility.second_order_moment(TERM, L1, L2, d, K) - 8 * L2**2 / K**2 - 16 * L1**2 * gamma / K,
            "==", sizes + positive("L2"),
        ),
    ]  # fmt: skip


def _mixtures(shift: sp.Expr) -> list[sp.Expr]:
    """The average of two softmaxes whose scores are moved by (-shift, shift, shift, -shift)."""
    parts = []
    for scores in ((-6, -20, 0, -20), (-20, -6, -20, 0)):
        weights = [sp.exp(s + sign * shift) for s, sign in zip(scores, (-1, 1, 1, -1), strict=True)]
        parts.append([w / sum(weights) for w in weights])
    return [(a + b) / 2 for a, b in zip(*parts, strict=True)]


@obligation("P51", item="Proposition 4.3 (E10)")
def p51() -> Sequence[Goal]:
    r"""A mixture does not keep the bounded range of its parts.

    A trap, not a claim of the paper: the average of two exponential mechanisms, each of range $2\Delta$, may have a
    range above $2\Delta$. For the scores $(-6,-20,0,-20)$ and $(-20,-6,-20,0)$, moved by $\Delta(-1,1,1,-1)$, it has at
    every $\frac14\le\Delta\le1$ (nearly $4\Delta$). Bounded-range composition must not be used for Algorithm 5; P50
    may.
    """
    before, after = _mixtures(sp.S.Zero), _mixtures(D)
    gap = (after[1] / before[1]) * (before[0] / after[0]) - sp.exp(2 * D)
    return [goal(gap, ">", box(Delta=("1/4", 1)), bisect, "the ratio of two outputs' ratios, above exp(2 Delta)")]


@obligation("P57", item="Proof 4.5")
def p57() -> Sequence[Goal]:
    r"""The distance that the running average moves between refreshes.

    $2L_1\sum_{k=t_0}^{t-1}\frac2{k+1}\le\frac{4L_1q}{t_0+1}$ for $t-t_0\le q$: by induction over the number of terms,
    each of which is at most the first.
    """
    n = sp.Symbol("n")
    term, first = 4 * L1 / (T + J), 4 * L1 / (T + 1)  # k = t0 + j - 1
    rest = positive("L1") + nonnegative("T")

    def induct(_: Claim) -> kernel.Fact:
        step = kernel.sign(first - term.subs(J, n), ">=", rest + natural("n", 1))
        base = kernel.sign(sp.S.Zero, ">=", ())
        return induction.summation(term, J, 1, n, n * first, ">=", sp.S.One, base, step, rest + natural("n"))

    return [
        goal(n * first - Sum(term, J, sp.S.One, n), ">=", rest + natural("n"), induct, "n = t - t0 terms"),
        goal((4 * L1 * Q / (T + 1) - n * first).subs(Q, n + S), ">=", rest + natural("n") + nonnegative("s"),
             note="q = n + s"),
    ]  # fmt: skip


@obligation("P59", item="Theorem 4.2")
def p59() -> Sequence[Goal]:
    r"""The parameters of Theorem 4.2 balance its terms.

    Second-order: $q=\sqrt{T/\ell}$, $K=\sqrt{T\ell}$ give $\frac{q\ell}K=1$, $\frac{TK}q=T\ell$; first-order:
    $q=\frac{\sqrt T}\ell$, $K=\frac T\ell$ give $q\sqrt{\ell/K}=1$, $\frac{TK}q=T^{3/2}$.
    """
    goals = []
    for q, k, root, draws in (
        (sp.sqrt(T / ELL), sp.sqrt(T * ELL), False, T * ELL),
        (sp.sqrt(T) / ELL, T / ELL, True, T * sp.sqrt(T)),
    ):
        balance = q * sp.sqrt(ELL / k) if root else q * ELL / k
        goals.append(goal(balance - 1, "==", positive("T", "ell")))
        goals.append(equal(T * k / q, draws, positive("T", "ell"), "the draws"))
    return goals
