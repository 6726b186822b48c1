"""Section 3.2: Algorithms 2 and 3, the sensitivity of their scores, and the parameters of Theorem 3.14."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import sympy as sp

from dpref.algorithms.bias_reduced_mirror_descent import formulas as biased_formulas
from dpref.mechanisms import exponential, truncated_geometric
from dpref.terms import TERM
from proofs import induction
from proofs import kernel as k
from proofs.algebra import Sum
from proofs.papers.private_saddle_points import obligation
from proofs.registry import Goal, equal, goal, of_fact, read_as
from proofs.search import natural, nonnegative, numbers, positive
from proofs.sums import loop_goal

C, F, K, L, L0, M, N, P, S, U, V, W = sp.symbols("C f K L L0 M n p s U v w")
TAU, ALPHA, EPSILON, ELL, LEVEL = sp.symbols("tau alpha epsilon ell N")
_RANGE = "exponential-mechanism.selection_range"
_ZCDP = "exponential-mechanism.bounded_range_zcdp"
_MOVES = "bias-reduced-mirror-descent.gradient_range"
_LEVEL = "bias-reduced-mirror-descent.level_range"
_LOWEST = "bias-reduced-mirror-descent.lowest_level_range"
_STEP = "bias-reduced-mirror-descent.stopping_step"
NORMALISER = "truncated-geometric.normaliser"
_POWER = "truncated-geometric.expected_power"


# C_M for every M.
read_as(NORMALISER, lambda: [truncated_geometric.normaliser(TERM, M)])


# The mean of 2^N for every M.
read_as(_POWER, lambda: [truncated_geometric.expected_power(TERM, M)])


def _sum(term: sp.Expr, closed: sp.Expr) -> k.Fact:
    """``closed`` is the sum of ``term`` over k = 0, ..., M, for every M, by induction."""
    last = closed.subs(M, -1)
    base, step = k.identity(last, sp.S.Zero, ()), closed - closed.subs(M, M - 1) - term.subs(K, M)
    later = k.identity(step, sp.S.Zero, natural("M"))
    return induction.summation(term, K, 0, M, closed, "==", sp.S.One, base, later, natural("M", -1))


@obligation("P33", item="Section 3.2 (errata, E2)", about=(NORMALISER,))
def p33() -> Sequence[Goal]:
    r"""The normaliser of the truncated geometric law.

    $C_M=\sum_{k=0}^M2^{-k}=2-2^{-M}$ for every M: $C_0=1$, $C_{M+1}-C_M=2^{-(M+1)}$, and $1\le C_M<2$.
    """
    c = truncated_geometric.normaliser(TERM, M)
    sums = c - Sum(2**-K, K, sp.S.Zero, M)
    return [
        of_fact(lambda: _sum(2**-K, c), sums, "==", natural("M", -1), "the sum, by induction"),
        goal(truncated_geometric.normaliser(TERM, M + 1) - c - 2 ** -(M + 1), "==", natural("M"), note="one term more"),
        goal(c - 1, ">=", natural("M"), note="C_M >= 1"),
        goal(2 - c, ">", natural("M"), note="C_M < 2"),
    ]


@obligation("P34", item="Proof 3.19", about=(_POWER,), premises=("P33",))
def p34() -> Sequence[Goal]:
    r"""The mean of 2^N.

    $\sum_{k=0}^M\frac{2^{-k}}{C_M}2^k=\frac{M+1}{C_M}$ for every M: $C_M$ times the mean is the sum of $2^{-k}2^k=1$.
    """
    c, mean = truncated_geometric.normaliser(TERM, M), truncated_geometric.expected_power(TERM, M)
    ones = c * mean - Sum(2**-K * 2**K, K, sp.S.Zero, M)
    return [of_fact(lambda: _sum(2**-K * 2**K, c * mean), ones, "==", natural("M", -1), "C_M times the mean")]


@obligation("P35", item="Proof 3.16", premises=("P33",))
def p35() -> Sequence[Goal]:
    r"""The multilevel estimator telescopes.

    $\sum_{k=0}^MP(N=k)\,\frac C{q_k}(m_{k+1}-m_k)+m_0=m_{M+1}$ for $P(N=k)=\frac{q_k}C$, every M, every sequence m and
    all positive $C$, $q_k$; Algorithm 2 has $q_k=2^{-k}$ and $C=C_M$ (P33).
    """
    c, q, n, s, m, x, c_0, m_0 = sp.symbols("C q n s m x C_0 m_0")
    more = q / c * (c / q) * (x - m)
    # One more level at a time, of mass q / C: s is the sum so far, m the last value of the sequence, x the next.
    states = ((c, c_0, c), (n, sp.S.Zero, n + 1), (s, m_0, s + more), (m, m_0, x))
    domain = positive("C", "C_0", "q") + numbers("n", "s", "m", "x", "m_0")
    return [loop_goal(s - m, "==", states, domain)]


@obligation(
    "P36",
    item="Proof 3.18 (errata, S5)",
    about=(_LEVEL, _LOWEST),
    tests=("tests/test_mirror_descent_audit.py::test_the_d_3_witness_moves_one_score_by_the_whole_range",),
)
def p36() -> Sequence[Goal]:
    r"""The sensitivity of the bias-reduced gradient on one batch.

    A replaced record moves each coordinate of $C_M2^N(g_+-g_-)+g_1$, whose gradients lie in $[-L_0,L_0]$, by at most
    $2L_0(2C_M2^N+1)$, over a batch of at least $2^N/\alpha$: $\alpha L_0(4C_M+2\cdot2^{-N})$; at N = 0, where
    $g_-=g_1$, $2L_0(2C_M-1)$: $\alpha L_0(4C_M-2)$.
    """
    batch = P / ALPHA + S  # p = 2^N, s >= 0 what rounding up adds
    domain = positive("alpha", "L0", "C") + numbers("p", lo=1, ends="[)") + nonnegative("s")
    level = ALPHA * L0 * biased_formulas.level_range(TERM, C, P)
    lowest = ALPHA * L0 * biased_formulas.lowest_level_range(TERM, 1 + V)
    return [
        goal(level - 2 * L0 * (2 * C * P + 1) / batch, ">=", domain),
        goal(2 * (2 * C * P + 1) - _moved(C * P, -C * P, sp.S.One), ">=", _CORNERS + positive("C", "p")),
        goal(
            lowest - 2 * L0 * (2 * (1 + V) - 1) / (1 / ALPHA + S),
            ">=", positive("alpha", "L0") + nonnegative("v", "s"), note="C = 1 + v: coefficients C and 1 - C",
        ),
        goal(
            2 * (2 * (1 + V) - 1) - _moved(1 + V, sp.S.Zero, -V), ">=", _CORNERS + nonnegative("v"),
            note="at N = 0, where g_- is g_1",
        ),
    ]  # fmt: skip


_CORNERS: Final = numbers("p_1", "p_2", "p_3", "x_1", "x_2", "x_3", lo=-1, hi=1, ends="[]")


def _moved(*weights: sp.Expr) -> sp.Expr:
    """A coordinate of the weighted sum of three gradients, over L0, less that of the replaced record's."""
    return sum(w * (sp.Symbol(f"p_{i}") - sp.Symbol(f"x_{i}")) for i, w in enumerate(weights, 1))


_MORE: Final = sp.Symbol("u")


@obligation("P37", item="Proof 3.18 (errata, E3)", about=(_MOVES, _LEVEL, _LOWEST), premises=("P36",))
def p37() -> Sequence[Goal]:
    r"""The worst level is N = 1, and its range is below 9.

    $4C_M+1\ge4C_M+2\cdot2^{-N}$ for $N\ge1$, equal at N = 1; $\ge4C_M-2$; $4C_M+1=9-4\cdot2^{-M}<9$.
    """
    moves = biased_formulas.gradient_range(TERM, C)
    higher = moves.subs(C, 1 + V) / biased_formulas.lowest_level_range(TERM, 1 + V)
    return [
        goal(
            moves - biased_formulas.level_range(TERM, C, 2 * _MORE),
            ">=",
            positive("C") + numbers("u", lo=1, ends="[)"),
            note="$2^N=2u$",
        ),
        goal(higher - 1, ">", nonnegative("v"), note="above the range at N = 0, C = 1 + v"),
        goal(9 - moves.subs(C, 2 - W), ">", numbers("w", lo=0, hi=1, ends="(]"), note="$C=2-w$, $w=2^{-M}$"),
    ]


@obligation("P38", item="Proof 3.18")
def p38() -> Sequence[Goal]:
    r"""Drawn vertices of one iteration.

    $2(2^{N+1}+1)\le6\cdot2^N$ for every $N\ge0$. The left side is what one iteration draws; P42 bounds the sum of all
    $2^N$ by U, so that all of them draw at most 6U.
    """
    return [goal(6 * 2**LEVEL - 2 * (2 ** (LEVEL + 1) + 1), ">=", natural("N"))]


def _rho(moved: sp.Expr, width: sp.Expr) -> sp.Expr:
    tau = biased_formulas.stopping_step(TERM, width, EPSILON, ALPHA, L0, U, L)
    one = exponential.selection_range(TERM, moved * tau * ALPHA * L0, sp.S.One)
    return 6 * U * exponential.bounded_range_zcdp(TERM, one)


@obligation(
    "P39",
    item="Proposition 3.17",
    about=(_STEP, _RANGE, _ZCDP),
    premises=("P20", "P37", "P38", "exponential-mechanism/zcdp", "zcdp/composition", "zcdp/to-dp"),
)
def p39() -> Sequence[Goal]:
    r"""Proposition 3.17 holds as printed, by zCDP.

    $U=\frac{\varepsilon^2}{48L(w\tau\alpha L_0)^2}$ and 6U draws of scores that move by $m\tau\alpha L_0$, $m\le w$:
    $\rho=\frac{\varepsilon^2}{16L}\frac{m^2}{w^2}$. With $w=9$ as printed and $m=4C_M+1<9$ (P37), and with $w=4C_M+1$,
    it is at most $\frac{\varepsilon^2}{16L}$, hence $(\varepsilon,\delta)$-DP for $\varepsilon\le8L$.
    """
    domain = positive("epsilon", "alpha", "L0", "U", "L")
    printed = biased_formulas.stopping_step(TERM, sp.Integer(9), EPSILON, ALPHA, L0, U, L)
    m = biased_formulas.gradient_range(TERM, 2 - W)
    rest = domain + numbers("w", lo=0, hi=1, ends="(]")
    return [
        goal(
            EPSILON**2 / (16 * L) - _rho(S / _MORE, S),
            ">=",
            domain + positive("s") + numbers("u", lo=1, ends="[)"),
            note="m = s / u, w = s",
        ),
        equal(
            EPSILON**2 / (48 * L * (9 * printed * ALPHA * L0) ** 2),
            U,
            domain,
            "Proposition 3.17's U",
        ),
        goal(EPSILON**2 / (16 * L) - _rho(m, sp.Integer(9)), ">", rest, note="w = 9, as printed"),
    ]


@obligation("rescue-2", item="Proposition 3.17, by pure DP", about=(_STEP, _RANGE), premises=("P20", "S7", "P38"))
def rescue() -> Sequence[Goal]:
    r"""Pure DP alone halves the step.

    $w=2(4C_M+1)$: a draw is $2(4C_M+1)\tau\alpha L_0=\frac\varepsilon{2\sqrt{2\cdot6U\,L}}$-DP, which P20 asks for.
    """
    tau = biased_formulas.stopping_step(TERM, 2 * S, EPSILON, ALPHA, L0, U, L)
    domain = positive("epsilon", "alpha", "L0", "U", "L", "s")
    return [equal(
        exponential.selection_range(TERM, S * tau * ALPHA * L0, sp.S.One),
        EPSILON / (2 * sp.sqrt(2 * 6 * U * L)),
        domain,
        "a draw",
    )]  # fmt: skip


@obligation(
    "S7", item="Proof 3.18 (errata, S7)", about=(_MOVES, _RANGE), premises=("P37", "exponential-mechanism/pure-dp")
)
def s7() -> Sequence[Goal]:
    r"""One vertex of Algorithm 3 is 2 (4 C_M + 1) tau alpha L0-DP, and no less.

    $\varepsilon=2\Delta$ with $\Delta=(4C_M+1)\tau\alpha L_0$. When two scores move by $\Delta$ in opposite directions,
    $P=\frac1{1+e^a}$ becomes $Q=\frac1{1+e^{a+2\Delta}}$: $P\le e^{2\Delta}Q$, and $P>\frac{e^{2\Delta}Q}{1+\eta}$ once
    $e^a>\frac1\eta$.
    """
    # y = e^a > 0 and x = e^(2 Delta) = 1 + s.
    y, x, eta = sp.Symbol("y"), 1 + S, sp.Symbol("eta")
    before, after = 1 / (1 + y), 1 / (1 + y * x)
    far = (before - x * after / (1 + eta)).subs(y, 1 / eta + V)
    width = exponential.selection_range(TERM, biased_formulas.gradient_range(TERM, C) * TAU, sp.S.One)
    return [
        goal(width - 2 * (4 * C + 1) * TAU, "==", positive("C", "tau")),
        goal(x * after - before, ">=", positive("y") + nonnegative("s")),
        goal(far, ">", positive("eta", "v") + nonnegative("s"), note="approached"),
    ]


@obligation("P40", item="Theorem 3.14")
def p40() -> Sequence[Goal]:
    r"""The parameters of Theorem 3.14 fit together.

    With $U_0=\frac{n\varepsilon\sqrt C}{\sqrt{4\cdot48\cdot81\,\ell L}\,L_0}$, $\tau^2=\frac\ell{CU}$,
    $\alpha^3=\frac{2\varepsilon^2}{48\cdot81\,L(\tau L_0)^2n}$:
    $\frac{\varepsilon^2}{48\cdot81\,L\,\tau^2\alpha^2L_0^2}=\frac{n\alpha}2$ and $(\frac{n\alpha}2)^3=U_0^2U$.
    """

    def cube(square: sp.Expr) -> sp.Expr:  # alpha^3 at tau^2 = square
        return 2 * EPSILON**2 / (48 * 81 * L * square * L0**2 * N)

    allowed = EPSILON**2 / (48 * 81 * L * TAU**2 * L0**2)  # over alpha^2
    start = (N * EPSILON) ** 2 * C / (4 * 48 * 81 * ELL * L * L0**2)
    free = positive("epsilon", "L", "L0", "n")
    return [
        equal(
            N * cube(TAU**2) / 2,
            allowed,
            free + positive("tau"),
            r"$n\alpha^3/2$ is what Proposition 3.17 allows, over $\alpha^2$",
        ),
        equal(
            N**3 / 8 * cube(ELL / (C * U)),
            start * U,
            free + positive("ell", "C", "U"),
            r"$(n\alpha/2)^3$ is $U_0^2U$ at the step's square $\ell/(CU)$",
        ),
    ]


@obligation("P41", item="Theorem 3.14, Algorithm 3 line 3", premises=("P40",))
def p41() -> Sequence[Goal]:
    r"""The batches fit, rounded up.

    $U\le U_0$ gives $(\frac{n\alpha}2)^3=U_0^2U\ge U^3$; $\max(1,\lceil u\rceil)\le1+u$, and a batch of
    $\lceil2^N/\alpha\rceil$ has $2^N/b\le\alpha$.
    """
    batch = P / ALPHA + F
    return [
        goal((U + S) ** 2 * U - U**3, ">=", positive("U") + nonnegative("s"), note="U0 = U + s"),
        goal(1 + U - (U + F), ">", positive("U") + numbers("f", lo=0, hi=1, ends="[)"), note="ceil(u) = u + f"),
        goal(ALPHA - P / batch, ">=", positive("alpha", "p") + numbers("f", lo=0, hi=1, ends="[)")),
    ]


@obligation("P44", numbers=True, item="Proof 3.19")
def p44() -> Sequence[Goal]:
    r"""The share of the budget that the truncation costs.

    $U-\sqrt U\ge\frac U2$ for $U=(2+s)^2\ge4$.
    """
    return [goal((U / 2 - sp.sqrt(U)).subs(U, (2 + S) ** 2), ">=", nonnegative("s"))]
