"""Gonzalez, Guzman and Paquette, private stochastic saddle points: errata with witnesses, and what else is claimed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import sympy as sp

from dpref.algorithms.bias_reduced_mirror_descent import formulas as biased_formulas
from dpref.algorithms.mirror_descent import utility as parameters_utility
from dpref.mechanisms import truncated_geometric
from dpref.terms import TERM
from proofs import kernel as k
from proofs.papers.private_saddle_points import declare, erratum, obligation
from proofs.papers.private_saddle_points.bias_reduced import NORMALISER
from proofs.registry import Goal, equal, goal, refutation
from proofs.search import bisect, box, grow, numbers, positive, unit
from proofs.sums import loop_goal

B, BETA, C, EPSILON, F, G, RUNS, J, L, L1, N, P, Q, S, T, TAU, W, X = sp.symbols(
    "B beta C epsilon f g I J L L1 n p q s T tau w x"
)
ALPHA, ELL, LAMBDA, M = sp.symbols("alpha ell lambda m")
_MOVES = "bias-reduced-mirror-descent.gradient_range"

# ------------------------------------------------------------------------------------ the y-step


def _after(tau: sp.Expr) -> sp.Expr:
    """The payoff of (1/2, 1/2) moved by e^tau towards the vertex that pays 1 and away from the one that pays 0."""
    return sp.exp(tau) / (sp.exp(tau) + 1)


@obligation("ascent", item="Algorithm 1, line 6 (errata, E1)")
def ascent() -> Sequence[Goal]:
    r"""The corrected y-step raises the payoff.

    $y\propto ye^{-\tau g_y}$ with $g_y=-\nabla_yF$: from $(\frac12,\frac12)$ and payoffs $(1,0)$ to
    $\frac{e^\tau}{e^\tau+1}>\frac12$.
    """
    raised = _after(TAU) - sp.Rational(1, 2)
    return [
        goal(
            raised, ">", positive("tau"),
            lambda c: k.combine(c.expr, ">", ((1 / (2 * (sp.exp(TAU) + 1)), grow(
                sp.exp(TAU) - 1, TAU, c.domain)),), c.domain),
        ),
    ]  # fmt: skip


@erratum(
    "E1",
    item="Algorithm 1, line 6; Algorithm 3, line 5",
    repaired_by="ascent",
    tests=("tests/test_mirror_descent_utility.py::test_the_printed_sign_does_not_solve_the_game",),
)
def e1() -> Sequence[Goal]:
    r"""The printed y-step raises the payoff of the maximising player.

    As printed: $y\propto ye^{+\tau g_y}$ with $g_y=-\nabla_yF$, a slip of sign (the privacy does not depend on it).
    From $(\frac12,\frac12)$ and payoffs $(1,0)$ the payoff becomes $\frac{e^{-\tau}}{e^{-\tau}+1}$, below $\frac12$:
    both players minimise. False at $\tau=1$.
    """
    return [refutation(_after(-TAU) - sp.Rational(1, 2), ">=", positive("tau"), tau=1)]


# ------------------------------------------------------------------------------------ the normaliser, the sensitivity


@erratum(
    "E2",
    item="Section 3.2",
    about=(NORMALISER,),
    repaired_by="P33",
)
def e2() -> Sequence[Goal]:
    r"""The normaliser of the truncated geometric law is at most 1.

    As printed: $p\le C_M\le1$. For the printed support $\{0,\dots,M\}$ and $p=\frac12$, $C_M=2-2^{-M}$, $\frac32$ at
    M = 1. (Proof 3.18 needs it for the sensitivity of the scores; Proposition 3.17 holds all the same.)
    """
    return [
        refutation(1 - (1 + P), ">=", unit("p"), p="1/2", note="M = 1: 1 + p, for every p"),
        *(refutation(1 - truncated_geometric.normaliser(TERM, m), ">=", (), note=f"M = {m}") for m in (1, 10)),
    ]


def _moved(c: sp.Expr) -> sp.Expr:
    """One coordinate of the estimate at N = 1, over alpha L0, on a batch of 2 / alpha: p, q, f, then x, s, g."""
    return ((2 * c * (P - Q) + F) - (2 * c * (X - S) + G)) / 2


_BOX = numbers("p", "q", "f", "x", "s", "g", lo=-1, hi=1, ends="[]") + numbers("w", lo=0, hi=1, ends="(]")
_CORNER: dict[str, Any] = {"p": 1, "q": -1, "f": 1, "x": -1, "s": 1, "g": -1}


@erratum(
    "E3",
    item="Proof 3.18",
    about=(_MOVES,),
    repaired_by="P37",
    tests=("tests/test_mirror_descent_audit.py::test_the_d_3_witness_moves_one_score_by_the_whole_range",),
)
def e3() -> Sequence[Goal]:
    r"""The scores of Algorithm 3 have sensitivity 4.5 tau alpha L0.

    As printed. A ramp record has gradients $L_0(1,-1,1)$ at $\bar x_+,\bar x_-,\hat x^1$, its replacement the
    negatives: the estimate moves by $(4C_M+1)\alpha L_0$. False at M = 1 (7) and M = 10 ($8.996$); with $C_M\le1$, as
    asserted, it would still be 5.
    """
    slack = sp.Rational(9, 2) - _moved(2 - W)
    corner = _moved(C).subs({sp.Symbol(name): value for name, value in _CORNER.items()})
    return [
        equal(
            corner,
            biased_formulas.gradient_range(TERM, C),
            positive("C"),
            "the witness, attains the whole range",
        ),
        refutation(slack, ">=", _BOX, w="1/2", **_CORNER),
        refutation(slack, ">=", _BOX, w="1/1024", **_CORNER),
        refutation(slack, ">=", _BOX, w=1, **_CORNER, note="C = 1"),
    ]


@erratum(
    "P64",
    item="Proof 3.18",
    about=(_MOVES,),
    repaired_by="S7",
    tests=(
        "tests/test_mirror_descent_audit.py::test_the_log_ratio_of_the_d_4_witness_approaches_twice_the_sensitivity",
    ),
)
def p64() -> Sequence[Goal]:
    r"""Every sampled vertex of Algorithm 3 is 9 tau alpha L0-DP.

    As printed. On the witness with d = 4 two scores move by $\Delta=(4C_M+1)\tau\alpha L_0$ in opposite directions:
    $P=\frac1{1+e^a}$ becomes $Q=\frac1{1+e^{a+2\Delta}}$, and $P\le e^{9\tau\alpha L_0}Q$ is false at $a=0$, M = 10,
    $\tau\alpha L_0=\frac14$.
    """
    moved = biased_formulas.gradient_range(TERM, 2 - W) * TAU
    slack = sp.exp(9 * TAU) / (1 + sp.exp(X + 2 * moved)) - 1 / (1 + sp.exp(X))
    box = positive("tau") + numbers("w", lo=0, hi=1, ends="(]") + numbers("x")
    return [refutation(slack, ">=", box, tau="1/4", w="1/1024", x=0)]


@obligation("E19", numbers=True, item="Algorithm 3, line 3")
def e19() -> Sequence[Goal]:
    r"""A batch that is rounded down is too small.

    $\frac{2^N}b>\alpha$ for $b=\frac{2^N}\alpha-f$ with $0<f<1$; here p stands for $2^N$. The privacy proof asks for
    $\frac{2^N}b\le\alpha$. This is a trap and not a claim of the paper, which takes the quotient for an integer. P41
    rounds up.
    """
    domain = numbers("alpha", lo=0, hi=1, ends="(]") + numbers("p", lo=1, ends="[)") + unit("f")
    return [goal(P / (P / ALPHA - F) - ALPHA, ">", domain)]


# ------------------------------------------------------------------------------------ utility


@erratum(
    "E8",
    item="Lemma 3.11, proof",
    about=("mirror-descent.sampled_gap",),
    repaired_by="P30",
)
def e8() -> Sequence[Goal]:
    r"""The constant 2 of the smoothed gap.

    As printed in the proof, the choice $\lambda=\frac{2L_1}{\sqrt{T\ell}}$ brings $\frac{4L_1^2}{\lambda
    T}+\lambda\ell$ to the $2L_1\sqrt{\ell/T}$ of the lemma. It is $4L_1\sqrt{\ell/T}$ there, and more elsewhere. (The
    lemma itself may hold with another proof, as it does for bilinear payoffs.)
    """
    slack = 2 * L1 * sp.sqrt(ELL / T) - 4 * L1**2 / (LAMBDA * T) - LAMBDA * ELL
    value = 2 * L1 * sp.sqrt(ELL / T) - (parameters_utility.sampled_gap(TERM, L1, ELL, T) - 4 * L1 / T)
    domain = positive("L1", "ell", "T")
    at = 2 * L1 / sp.sqrt(T * ELL)
    return [
        goal(slack.subs(LAMBDA, at) - value, "==", domain),
        refutation(
            slack, ">=", domain + positive("lambda"), **dict[str, Any]({"L1": 1, "ell": 1, "T": 4, "lambda": 1})
        ),
    ]


@obligation("E25", item="Proof 4.5")
def e25() -> Sequence[Goal]:
    r"""The sum is not below log(T/q) with the constant one.

    The print bounds $\sum_{t=q+1}^T\frac1{q\lfloor t/q\rfloor+1}$ by $\log\frac Tq$ up to a constant; the constant is
    not one: at T = 99, q = 50 the sum is $\frac{49}{51}>\ln\frac{99}{50}$. P58 has a bound with its constants.
    """
    terms = sum(1 / (Q * (t // 50) + 1) for t in range(51, 100)).subs(Q, 50)
    return [goal(terms - sp.log(sp.Rational(99, 50)), ">", box(idle=(0, 1)), bisect)]


@obligation("P45", item="Proof 3.25")
def p45() -> Sequence[Goal]:
    r"""The union bound of Algorithm 4.

    $2^{-I}\le\frac\beta4$, $\gamma\le\frac\beta4$, $\alpha\le\frac\beta{8IJ}$, $2^{-J}\le\frac\beta{8I}$:
    $2^{-I}+\gamma+2\alpha IJ+2I2^{-J}\le\beta$.
    """
    a, b, c, d = (sp.Symbol(f"a_{i}") for i in range(1, 5))  # each probability over the most that it may be
    total = (
        a * BETA / 4 + b * BETA / 4 + 2 * c * (BETA / (8 * RUNS * J)) * RUNS * J + 2 * RUNS * d * (BETA / (8 * RUNS))
    )
    parts = numbers("a_1", "a_2", "a_3", "a_4", lo=0, hi=1, ends="[]")
    return [goal(BETA - total, ">=", positive("beta", "I", "J") + parts)]


@obligation("P46", item="Algorithm 4, line 10")
def p46() -> Sequence[Goal]:
    r"""The score of Algorithm 4 has the sensitivity that its exponent assumes.

    With m records in the fourth part the score's sensitivity is $\frac{4B}m$ and the exponential mechanism's exponent
    $\frac{\varepsilon G}{2\cdot4B/m}=\frac{\varepsilon mG}{8B}$; at $m=\frac n4$ it is the printed $\frac{n\varepsilon
    G}{32B}$, and with fewer records less.
    """

    def exponent(records: sp.Expr) -> sp.Expr:
        return EPSILON * G / (2 * (4 * B / records))

    domain = positive("n", "epsilon", "B", "m", "g")
    return [
        equal(exponent(N / 4), N * EPSILON * G / (32 * B), domain, "n / 4 records"),
        equal(exponent(M), EPSILON * M * G / (8 * B), domain, "m records"),
    ]


@obligation("E31", numbers=True, item="Algorithm 4, line 10")
def e31() -> Sequence[Goal]:
    r"""The sensitivity of the score on fewer records than n/4.

    $\frac{4B}m>\frac{16B}n$ for $m<\frac n4$, that is $n=4m+s$. The left side is the score's sensitivity on m records,
    the right side what the printed exponent assumes. This is a trap and not a claim of the paper, which splits into
    four equal parts. P46 has m in the exponent.
    """
    return [goal((4 * B / M - 16 * B / N).subs(N, 4 * M + S), ">", positive("B", "m", "s"), note="n = 4 m + s")]


@obligation("P47", item="Lemma 4.1")
def p47() -> Sequence[Goal]:
    r"""The anytime average, one step.

    $w^t=\frac{sw^{t-1}+\beta x^t}{s+\beta}$ gives $\beta(x^t-w^t)=s(w^t-w^{t-1})$, s the weight so far.
    """
    new = (S * W + BETA * X) / (S + BETA)
    return [goal(BETA * (X - new) - S * (new - W), "==", positive("s", "beta") + numbers("w", "x"))]


@obligation("P61", item="Theorem 1.1 (errata, 3.7)")
def p61() -> Sequence[Goal]:
    r"""The reconstruction of Theorem 1.1 balances its two regrets.

    With $N=n\varepsilon$, $T=\frac{N\sqrt z}{q\sqrt L}$, $z=\ln|Z|$, $q=\ln|Q|$: $\sqrt{z/T}=\frac{q\sqrt{TL}}N$ and
    its fourth power is $\frac{Lzq^2}{N^2}$.
    """
    z = sp.Symbol("z")
    steps = N * sp.sqrt(z) / (Q * sp.sqrt(L))
    domain = positive("n", "z", "q", "L")
    return [
        equal((Q * sp.sqrt(steps * L) / N) ** 2, z / steps, domain, "the squares of the two regrets"),
        equal(L * z * Q**2 / N**2, (z / steps) ** 2, domain, "their fourth power"),
    ]


@obligation("P66", item="Corollary 2.14 (errata, E41)", premises=("P9",))
def p66() -> Sequence[Goal]:
    r"""The integral of McDiarmid's tail.

    $\int_0^\infty\min(1,2de^{-vT/(2L_1^2)})dv=\frac{2L_1^2}T(1+\ln2d)$: P9 at $C^2=\frac{2L_1^2}T$.
    """
    d, c2 = sp.Symbol("d"), 2 * L1**2 / T
    cut = c2 * sp.log(2 * d)
    value = cut + 2 * d * c2 * sp.exp(-cut / c2)
    return [goal(value - c2 * (1 + sp.log(2 * d)), "==", positive("d", "L1", "T"))]


@obligation("P67", item="Lemma 3.15 (errata, E41)", premises=("P33",))
def p67() -> Sequence[Goal]:
    r"""The sum of the levels in the second moment.

    $4C_M\sum_{k=0}^M2^k(2^{-(k+1)}+2^{-k})=6C_M(M+1)<12(M+1)$: every term is $\frac32$.
    """
    domain = numbers("w", lo=0, hi=1, ends="(]")
    # One more level at a time: n of them, s the sum; 4 C s == 6 C n.
    c, s, n = sp.symbols("C s n")
    states = ((c, sp.Symbol("C_0"), c), (n, sp.S.Zero, n + 1), (s, sp.S.Zero, s + (1 / W) * (W / 2 + W)))
    levels = positive("C", "C_0", "w") + numbers("n", "s")
    return [
        loop_goal(4 * c * s - 6 * c * n, "==", states, levels, "every M: $w=2^{-k}$ at level k"),
        goal(12 - 6 * (2 - W), ">", domain, note="C = 2 - w"),
    ]


# ------------------------------------------------------------------------------------ tested

_REGRET = r"$\sum\langle g^t,x^t-x\rangle\le\frac{\ln d}\tau+\frac\tau2\sum\|g^t\|_\infty^2$ for every sequence g."
_BUDGET = (
    r"$\sum2^{N_t}\le U$ over all iterations, one more than the last index with $\sum\le U-2^M$; the printed output "
    r"averages one iterate more (E4)."
)
_TESTED = (
    ("P3", "Corollary 2.3", "Two points of a simplex", r"$\|a-x\|_1\le2$; $\|e_i-x\|_1=2(1-x_i)$."),
    ("P23", "Lemma 3.8", "The regret of entropic mirror descent", _REGRET),
    ("P28", "Lemma 3.11", "The smoothed maximum", r"$\max c\le\lambda\ln\sum e^{c/\lambda}\le\max c+\lambda\ln d$."),
    ("P42", "Proof 3.19", "The stopping rule keeps the budget", _BUDGET),
    (
        "P49",
        "Proposition 4.3",
        "The log-sum-exp is Lipschitz",
        r"$|\mathrm{LSE}(u)-\mathrm{LSE}(v)|\le\|u-v\|_\infty$.",
    ),
    ("P54", "Proof 4.5 (E13)", "The softmax is Lipschitz", r"$\|\sigma(u)-\sigma(v)\|_1\le\|u-v\|_\infty$."),
    ("P58", "Proof 4.5 (E25)", "A sum", r"$\sum_{t=q+1}^T\frac1{q\lfloor t/q\rfloor+1}\le1+\ln\frac Tq$."),
    ("P62", "Algorithm 2 (S5')", "The averages are close", r"$\|\bar x_+-\bar x_-\|_1\le1$ for each player."),
    ("P63", "Eq. (2)", "The gap is bounded", r"$0\le\mathrm{Gap}\le4L_0$ on the product of the simplices."),
)
for _name, _item, _title, _statement in _TESTED:
    declare(
        _name, item=_item, title=_title, statement=_statement,
        tests=(f"property_tests/test_saddle.py::test_{_name.lower()}",),
    )  # fmt: skip
