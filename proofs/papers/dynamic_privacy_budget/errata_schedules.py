"""Section 9 of the specification: errata of schedules, of momentum, and of notation."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import sympy as sp

from dpref.algorithms.dynamic_gradient_descent import formulas as schedules
from dpref.algorithms.dynamic_gradient_descent import utility as risk_bounds
from dpref.terms import TERM
from proofs.papers.dynamic_privacy_budget import erratum, obligation
from proofs.papers.dynamic_privacy_budget.momentum import arithmetic_geometric
from proofs.registry import Goal, derivative, equal, goal, refutation
from proofs.search import bisect, box, numbers, positive, unit

_D = "dynamic-gradient-descent."
A, BETA, GAMMA, ALPHA, KAPPA, R, T, T_, SIGMA, X, Y, J, S = sp.symbols("a beta gamma alpha kappa R T t sigma x y j s")
ONE = sp.S.One
_KAPPA = numbers("kappa", lo=1)
RATIO, C = sp.symbols("b c")
_BOTH = unit("beta", "gamma")


@erratum(
    "T4f",
    item="after Theorem 4.6",
    about=(_D + "momentum_step_limit_as_printed", _D + "momentum_amplification"),
    repaired_by="PO-30",
)
def t4f() -> Sequence[Goal]:
    r"""The example of an admissible step size.

    The paper says that $\beta=0.9$ and $\gamma=0.99$ admit $\eta_0\le0.98/M$. The theorem's own formula contains no M
    and gives 0.00301. Here $M=1$, as in Table 1.
    """
    limit = risk_bounds.momentum_step_limit_as_printed(TERM, risk_bounds.momentum_amplification(TERM, BETA, GAMMA))
    at: dict[str, Any] = {"beta": "9/10", "gamma": "99/100"}
    return [
        refutation(limit - sp.Rational(98, 100), ">=", _BOTH, **at),
        refutation(limit - sp.Rational(302, 100000), ">=", _BOTH, **at),
    ]


@erratum("T11", numbers=True, item="Lemma C.7", repaired_by="PO-25")
def t11() -> Sequence[Goal]:
    r"""An equality and a factor two inside the proof of Lemma C.7.

    The proof says that $\sum_{k=j}^{t-1}k\beta^k=\frac1{1-\beta}[j\beta^j+\frac{\beta^{j+1}-\beta}{1-\beta}]$, and
    leaves out a factor 2 in the next line. At $t=6$, $j=3$ and $\beta=\frac12$ the left side is 0.78125 and the right
    side is $-1$.
    """
    exact = sum(i * BETA**i for i in range(3, 6))
    printed = (3 * BETA**3 + (BETA**4 - BETA) / (1 - BETA)) / (1 - BETA)
    gamma = sp.Symbol("gamma")
    weight = A * gamma / (1 - A * gamma)
    summed = arithmetic_geometric(A) + weight * A * (1 - A**J) / (1 - A)
    return [
        refutation(exact - printed, "==", unit("beta"), beta="1/2"),
        refutation(
            A / (1 - A) ** 2 - summed, ">=", unit("a", "gamma") + positive("j"), a="9/10", gamma="999/1000", j=200
        ),
    ]


@erratum(
    "T12",
    item="Theorem 4.8",
    about=(_D + "momentum_influence_as_printed", _D + "momentum_influence_split"),
    repaired_by="PO-43",
)
def t12() -> Sequence[Goal]:
    r"""The indicators of Theorem 4.8 are in T instead of t.

    The theorem has $q_t=c_1\gamma^{T+t}\mathbf 1_{T\le\hat T}+c_2\gamma^{\hat T-1}\gamma^{T-t}\mathbf 1_{T>\hat T}$.
    Its proof splits the sum at $t=\hat T$. At $T=10$, $\hat T=7$ and $t=1$ the two forms differ.
    """
    printed = schedules.momentum_influence_as_printed(TERM, BETA, GAMMA, 10, 7, 1)
    split = schedules.momentum_influence_split(TERM, BETA, GAMMA, 10, 7, 1)
    return [refutation(printed - split, "==", _BOTH, beta="1/2", gamma="9/10")]


@erratum(
    "T13",
    item="proof of Theorem 4.8",
    about=(_D + "momentum_influence_as_printed", _D + "momentum_influences"),
    repaired_by="PO-43",
)
def t13() -> Sequence[Goal]:
    r"""The constant c2 is too small.

    The proof says that the weights with $c_2=\frac{\gamma^{2\hat T}}{\gamma-\beta^2}$ bound the exact weights. At
    $\beta=\frac12$, $\gamma=\frac9{10}$ (so that $\hat T=7$) and $T=i=8$ the exact weight is 0.252, and the printed
    bound is 0.187.
    """
    printed = schedules.momentum_influence_as_printed(TERM, BETA, GAMMA, 8, 7, 8)
    exact = schedules.momentum_influences(TERM, BETA, GAMMA, 8)[7]
    split = schedules.momentum_influence_split
    below = RATIO * GAMMA
    late = schedules.momentum_influence_as_printed(TERM, below, GAMMA, 8, 7, 8)
    later = schedules.momentum_influence_as_printed(TERM, below, GAMMA, 10, 7, 8)
    early = schedules.momentum_influence_as_printed(TERM, below, GAMMA, 5, 7, 2)
    return [
        refutation(printed - exact, ">=", _BOTH, beta="1/2", gamma="9/10"),
        equal(late, GAMMA**7 * split(TERM, below, GAMMA, 8, 7, 8), unit("gamma", "b"), "what c2 lacks"),
        equal(later, GAMMA**7 * split(TERM, below, GAMMA, 10, 7, 8), unit("gamma", "b"), "at T = 10"),
        equal(early, split(TERM, below, GAMMA, 5, 7, 2), unit("gamma", "b"), "for T <= That they agree"),
    ]


@obligation(
    "T14",
    item="Theorem 4.8",
    about=(_D + "momentum_influence_split", _D + "momentum_influences", _D + "optimal_variances"),
    premises=("PO-11",),
)
def t14() -> Sequence[Goal]:
    r"""The split schedule can be worse than uniform.

    A remark, not a claim of the paper, which compares bounds: with the weights that the proof of Theorem 4.8 splits at
    $\hat T$ (T12, T13), the noise term $R\sum_iQ_i\sigma_i^2$ at $\beta=0.6$, $\gamma=0.9$ ($\hat T=9$), $T=11$ is
    25.2, with uniform noise 24.7. With the exact weights it is never worse (PO-11).
    """
    beta, gamma, steps, turn = sp.Rational(3, 5), sp.Rational(9, 10), 11, 9
    exact = schedules.momentum_influences(TERM, beta, gamma, steps)
    split = [schedules.momentum_influence_split(TERM, beta, gamma, steps, turn, t) for t in range(1, steps + 1)]
    chosen = schedules.optimal_variances(TERM, split, ONE)
    uniform = [schedules.uniform_variance(TERM, ONE, sp.Integer(steps))] * steps
    least, most = (sp.Rational(i, 20) for i in (503, 495))  # 25.15 and 24.75: what rounds to 25.2 and to 24.7
    dear, cheap = (sum(q * v for q, v in zip(exact, noise, strict=True)) for noise in (chosen, uniform))
    idle, digit = box(idle=(0, 1)), sp.Rational(1, 10)
    return [
        goal(dear - least, ">", idle, bisect, "the split schedule: 25.2, no less"),
        goal(least + digit - dear, ">", idle, bisect, "no more"),
        goal(most - cheap, ">", idle, bisect, "uniform noise: 24.7, no more"),
        goal(cheap - most + digit, ">", idle, bisect, "no less"),
    ]


@erratum(
    "T15",
    item="Theorem 4.7",
    about=(_D + "momentum_noise_bound",),
    repaired_by="PO-37",
)
def t15() -> Sequence[Goal]:
    r"""A term that is absorbed although it may not be.

    The proof says, for $T>\hat T$, that $\hat T+\frac{\gamma^{\hat T-T}-1}{1-\gamma}$ is at most a constant times its
    second term. At $\gamma=0.9$, $\hat T=7$ and $T=8$ the first term is 7 and the second is 1.11. At $T=\hat T+1$ the
    second term is $\frac1\gamma$ for every $\hat T$, so every constant c fails for $\hat T>\frac c\gamma$. For
    $T\le\hat T$ the bound never falls below $\gamma(1-\beta)$ (PO-60).
    """
    turn = sp.Symbol("h")
    part = (GAMMA ** (turn - T) - 1) / (1 - GAMMA)
    whole = risk_bounds.momentum_noise_bound(TERM, GAMMA, ONE, T, turn) / (T * GAMMA ** (T - 1))
    domain = unit("gamma") + positive("h", "T")
    return [
        refutation(6 * part - turn, ">=", domain, gamma="9/10", h=7, T=8, note="not even with a constant 6"),
        goal(whole - turn - part, "==", domain, note="the two parts of the bound"),
        goal(
            (turn - C * part.subs(T, turn + 1)).subs(turn, C / GAMMA + S),
            ">",
            unit("gamma") + positive("c", "s"),
            note="T = That + 1, That = c / gamma + s: no constant c",
        ),
    ]


@erratum(
    "T22",
    numbers=True,
    item="Eq. (26), proof of Theorem 3.5",
    repaired_by="PO-11",
)
def t22() -> Sequence[Goal]:
    r"""Two slips, in Eq. (26) and in the proof of Theorem 3.5.

    Eq. (26) says that $T\sum q_t-(\sum\sqrt{q_t})^2=T^2\,\mathrm{Var}[q_t]$, which is false at $q=(1,4)$. The middle of
    the same line and the text after Lemma 4.4 have the variance of $\sqrt{q_t}$. The proof of Theorem 3.5 says that
    $v_2=g_1$. Eq. (13) gives $v_2=(1-\beta)g_1$; it is $m_2$ that equals $g_1$.
    """
    gap = 2 * (X + Y) - (sp.sqrt(X) + sp.sqrt(Y)) ** 2
    variance = (X**2 + Y**2) / 2 - ((X + Y) / 2) ** 2
    return [
        refutation(gap - 4 * variance, "==", positive("x", "y"), x=1, y=4),
        refutation((1 - BETA) * X - X, "==", unit("beta") + numbers("x"), beta="1/2", x=1),
    ]


@erratum(
    "T24",
    numbers=True,
    item="Section 4, Eq. (7)",
    about=(_D + "erub", _D + "influence"),
    repaired_by="influence",
)
def t24() -> Sequence[Goal]:
    r"""The definition of influence.

    The paper says that $q_t=\frac{\partial\mathrm{ERUB}}{\partial\sigma_t}=\gamma^{T-t}\alpha$. That derivative is
    $2R\gamma^{T-t}\alpha\sigma_t$. The text says that it ignores R, and does not speak of $2\sigma_t$.
    """
    bound = risk_bounds.erub(TERM, [SIGMA**2, X], GAMMA, ALPHA, R)
    q = schedules.influence(TERM, GAMMA, ALPHA, 2, 1)
    domain = unit("gamma") + positive("alpha", "R", "sigma", "x")
    rate = 2 * R * q * SIGMA
    return [
        derivative(bound, SIGMA, rate, domain),
        refutation(rate - q, "==", domain, gamma="1/2", alpha=1, R=1, sigma=1, x=1),
    ]


@obligation("influence", item="Eq. (7), repaired", about=(_D + "erub", _D + "influence"))
def influence() -> Sequence[Goal]:
    r"""Influence is the derivative in the variance.

    The influence of Eq. (7) is $q_t=\gamma^{T-t}\alpha=\frac1R\frac{\partial\mathrm{ERUB}}{\partial(\sigma_t^2)}$.
    """
    v = sp.symbols("v1:4")
    bound = risk_bounds.erub(TERM, v, GAMMA, ALPHA, R)
    domain = unit("gamma") + positive("alpha", "R", *map(str, v))
    term, every = R * schedules.influence(TERM, GAMMA, ALPHA, T, T_), domain[:3] + numbers("T", "t", "x", "y")
    goals = [
        derivative(
            term * X + Y, X, term, every,
            "every T and t: the bound is its own term in the variance, and a rest without it",
        )
    ]  # fmt: skip
    for t, variance in enumerate(v, 1):
        rate = R * schedules.influence(TERM, GAMMA, ALPHA, 3, t)
        goals.append(derivative(bound, variance, rate, domain, f"T = 3, t = {t}"))
    return goals


@erratum(
    "T25",
    item="Table 1",
    about=(_D + "optimal_variances",),
    repaired_by="PO-10",
)
def t25() -> Sequence[Goal]:
    r"""The momentum schedule of Table 1.

    Table 1 says that $R\sigma_t^2$ is of order $c_1\gamma^{T+t}$ for $q_t=c_1\gamma^{T+t}$. By Lemma 4.4,
    $\sigma_t^2\sqrt{q_t}$ is constant in t, so $R\sigma_t^2$ is of order $\gamma^{-(T+t)/2}$.
    """
    q = [GAMMA ** (3 + t) for t in (1, 2)]
    v = schedules.optimal_variances(TERM, q, R)
    domain = unit("gamma") + positive("R")
    return [
        refutation(
            q[1] * sp.sqrt(q[1]) - q[0] * sp.sqrt(q[0]), "==", domain, gamma="1/2", R=1, note="the printed schedule"
        ),
        equal(v[1] * sp.sqrt(q[1]), v[0] * sp.sqrt(q[0]), domain, "Lemma 4.4"),
    ]


@erratum(
    "T27",
    numbers=True,
    item="Lemma 4.4, Theorem 4.5",
    about=(_D + "influence", _D + "contraction"),
    repaired_by="influence-positive",
)
def t27() -> Sequence[Goal]:
    r"""The edge kappa = 1.

    For $\kappa\ge1$ the paper uses Lemma 4.4 with $q_t=\gamma^{T-t}\alpha$, and that lemma asks for a positive
    sequence. At $\kappa=1$ the rate is $\gamma=0$, and $q_1=0$ for $T=2$.
    """
    gamma = schedules.contraction(TERM, KAPPA)
    q = schedules.influence(TERM, gamma, ALPHA, 2, 1)
    domain = numbers("kappa", lo=1, ends="[)") + positive("alpha")
    return [refutation(q, ">", domain, kappa=1, alpha=1)]


@obligation(
    "influence-positive", numbers=True, item="Lemma 4.4, repaired", about=(_D + "influence", _D + "contraction")
)
def influence_positive() -> Sequence[Goal]:
    r"""Influences are positive for kappa above one.

    $q_t=\gamma^{T-t}\alpha>0$ for $\kappa>1$.
    """
    gamma = schedules.contraction(TERM, KAPPA)
    q = schedules.influence(TERM, gamma, ALPHA, T, T_)
    return [goal(q, ">", _KAPPA + positive("alpha") + numbers("T", "t"))]
