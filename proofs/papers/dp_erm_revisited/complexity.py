"""How many gradients the theorems ask for together (P57, P58, P67; E2, E3, E5, E18, E27, E34)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import sympy as sp

from dpref.algorithms.gradient_descent import utility as descent_utility
from dpref.algorithms.svrg import formulas
from dpref.algorithms.svrg_plus_plus import plan
from dpref.algorithms.svrg_plus_plus import utility as plus_plus_utility
from dpref.terms import TERM
from proofs.coordinates import counted, every_step
from proofs.papers.dp_erm_revisited import erratum, obligation
from proofs.registry import Goal, equal, goal, refutation
from proofs.search import nonnegative, numbers, positive, unit
from proofs.sums import Series

B, C, D, J, M, N, P, Q, R, T, U, X, Y = sp.symbols("b c d j m n p q r t u x y")
G, L, K, C1, GAP, KAPPA, LAMBDA, EPSILON = sp.symbols("G L K c_1 gap kappa Lambda epsilon")
ONE = sp.S.One
_PRINTED: Final = "svrg.printed_variance"
_RANGE: Final = "svrg.largest_epsilon"
_BALANCED: Final = "svrg-plus-plus.balanced_risk"
_PUBLIC: Final = positive("c", "c_1", "G", "L", "p", "n", "Lambda", "r", "t")


def _excess(kappa: sp.Expr) -> sp.Expr:
    """The noise term of Eq. (41) at the largest epsilon of Theorem 4.1's range, m = r kappa, less 2 G^2 / mu."""
    steps = T * R * kappa
    epsilon = formulas.largest_epsilon(TERM, C1, ONE, N, steps)
    variance = formulas.printed_variance(TERM, C, G, steps, LAMBDA, N, epsilon)
    return variance * P / L - 2 * G**2 * kappa / L


@obligation("P57", item="Theorems 4.1 and 4.2 (errata, E2)", about=(_PRINTED, _RANGE))
def p57() -> Sequence[Goal]:
    r"""Theorems 4.1 and 4.2 are of use together for large condition numbers only.

    At the end of the range of Theorem 4.1, $\varepsilon=c_1\frac{Tm}{n^2}$, and with the $m=r\kappa$ of Theorem 4.2,
    the noise of Eq. (3) adds $\frac{\sigma^2p}L=c\frac{G^2Tmp\Lambda}{n^2\varepsilon^2L}$ to the risk,
    $\Lambda=\ln\frac1\delta$. This is below $\frac{2G^2}\mu$, the largest excess risk without any step, exactly for
    $\kappa^2>\frac{cpn^2\Lambda}{2c_1^2rT}$.
    """
    least = sp.sqrt(C * P * N**2 * LAMBDA / (2 * C1**2 * R * T))
    return [
        goal(-_excess(least * (1 + U)), ">", _PUBLIC + positive("u"), note="beyond it"),
        goal(_excess(least * B), ">=", _PUBLIC + numbers("b", lo=0, hi=1, ends="(]"), note="and no sooner"),
    ]


@erratum(
    "E2",
    item="Theorems 4.1 and 4.2, Table 1",
    about=(_PRINTED, _RANGE),
    premises=("P57",),
    repaired_by="P65",
)
def e2() -> Sequence[Goal]:
    r"""DP-SVRG is private and fast at once.

    As printed (Table 1), DP-SVRG makes the $Tm$ steps of Theorem 4.2, $m=r\kappa$ and T a logarithm, with the noise of
    Theorem 4.1. The range of Theorem 4.1 asks for $Tm\ge\frac{n^2\varepsilon}{c_1}$ steps. If both are met, the bound
    on the risk should be below $\frac{2G^2}\mu$, which holds without any step. It is not at $\kappa=10$, $n=10^4$,
    $p=1$, with the proved constants $(c,c_1)=(3080,7)$ and $r=193$, $T=20$, $\ln\frac1\delta=14$. By P57 it is for
    $\kappa$ of the order $n\sqrt p$ only. Batches restore the range (P65) for $2n\sqrt{\varepsilon K/c_1}$ gradients
    more, K the number of steps.
    """
    point: dict[str, Any] = {"c": 3080, "c_1": 7, "G": 1, "L": 1, "p": 1, "n": 10**4, "Lambda": 14, "r": 193, "t": 20}
    return [refutation(-_excess(KAPPA), ">", _PUBLIC + positive("kappa"), kappa=10, **point)]


def _slack_of_range(steps: sp.Expr) -> sp.Expr:
    return formulas.largest_epsilon(TERM, C1, ONE, N, steps) - EPSILON


def _best_steps() -> sp.Expr:
    """``2^T m`` of Theorem 4.4, m = r L."""
    return N * EPSILON / (G * sp.sqrt(P * LAMBDA)) * R * L


_PLUS: Final = positive("c_1", "G", "L", "p", "Lambda", "r", "epsilon")


@obligation("P58", item="Theorems 4.3 and 4.4 (errata, E3)", about=(_RANGE,))
def p58() -> Sequence[Goal]:
    r"""Theorems 4.3 and 4.4 are of use together for few records only.

    With the $2^T=\frac{n\varepsilon}{G\sqrt{p\Lambda}}$ and $m=rL$ of Theorem 4.4, $\Lambda=\ln\frac1\delta$, the range
    $\varepsilon\le c_1\frac{2^Tm}{n^2}$ of Theorem 4.3 is $n\le\frac{c_1rL}{G\sqrt{p\Lambda}}$, whatever $\varepsilon$
    is.
    """
    most = C1 * R * L / (G * sp.sqrt(P * LAMBDA))
    slack = _slack_of_range(_best_steps())
    return [
        goal(slack.subs(N, most * B), ">=", _PLUS + numbers("b", lo=0, hi=1, ends="(]"), note="up to it"),
        goal(-slack.subs(N, most * (1 + U)), ">", _PLUS + positive("u"), note="and no further"),
    ]


@erratum(
    "E3",
    numbers=True,
    item="Theorems 4.3 and 4.4, Table 2",
    about=(_RANGE,),
    premises=("P58",),
    repaired_by="P65",
)
def e3() -> Sequence[Goal]:
    r"""DP-SVRG++ is private and fast at once.

    As printed (Table 2), the $2^T=\frac{n\varepsilon}{G\sqrt{p\Lambda}}$ and $m=rL$ of Theorem 4.4 lie in the range
    $\varepsilon\le c_1\frac{2^Tm}{n^2}$ of Theorem 4.3, $\Lambda=\ln\frac1\delta$. With the proved constant $c_1=7$ and
    $r=L=G=p=1$, $\Lambda=14$ they do not at $n=10^4$, for any $\varepsilon$ (P58).
    """
    point: dict[str, Any] = {"c_1": 7, "G": 1, "L": 1, "p": 1, "Lambda": 14, "r": 1, "epsilon": 1}
    return [refutation(_slack_of_range(_best_steps()), ">=", _PLUS + positive("n"), n=10**4, **point)]


@erratum(
    "E5",
    item="Appendix A",
    about=(_RANGE,),
    repaired_by="P65",
)
def e5() -> Sequence[Goal]:
    r"""The experiments lie in the range of the theorems.

    Appendix A runs DP-SVRG ($T=15$, $m=5000$) and DP-SVRG++ ($T=15$, $m=10$) on $n=200000$ records at
    $\varepsilon\ge0.2$. The range of Theorems 4.1 and 4.3 is $\varepsilon\le c_1\frac K{n^2}$, K the number of steps
    that the theorem counts. The runs are outside of it with the proved constant $c_1=7$, and also with $c_1=10^5$
    (DP-SVRG) and $c_1=2\cdot10^4$ (DP-SVRG++).
    """
    domain = positive("c_1", "K", "n", "epsilon")
    longer = plan.counted_steps(15, 10)
    return [
        refutation(_slack_of_range(K), ">=", domain, c_1=c1, K=steps, n=200_000, epsilon="1/5", note=note)
        for c1, steps, note in (
            (7, 75_000, "DP-SVRG"),
            (10**5, 75_000, "DP-SVRG"),
            (7, longer, "DP-SVRG++"),
            (2 * 10**4, longer, "DP-SVRG++"),
        )
    ]  # fmt: skip


_COUNTER: Final = "tests/test_svrg.py::test_oracle_calls_are_the_stated_complexity"


@obligation("P67", item="Theorems 4.2, 4.4 and 6.1", tests=(_COUNTER,))
def p67() -> Sequence[Goal]:
    r"""The number of gradients of single records.

    DP-SVRG: $T(n+2m)$, that is $T(n+2r\kappa)$ for $m=r\kappa$. DP-SVRG++: $\sum_{s\le
    T}(n+2\cdot2^sm)=Tn+2(2^{T+1}-2)m$. DP-GD: $nT$. The runs of the first two are counted by the tests.
    """
    epochs = counted((T, ONE), (Q, N + 2 * M))
    longer = Series(X * N + 2 * (2 * 2**X - 2) * M, N + 2 * 2**J * M, J, X, positive("n", "m"))
    return [
        every_step(Q - T * (N + 2 * M), "==", epochs, positive("n", "m") + nonnegative("t", "q"), parameters=(N, M),
                   note="DP-SVRG"),
        longer.goal("DP-SVRG++"),
    ]  # fmt: skip


def _start(gap: sp.Expr, smoothness: sp.Expr, inner: sp.Expr) -> sp.Expr:
    """A of Eq. (58) at the step size 1 / (13 L)."""
    return 2 * gap + D / (sp.Rational(4, 39) / smoothness * inner)


def _scaled(by: sp.Expr, inner: sp.Expr) -> sp.Expr:
    """The bound of Eq. (7) for ``by`` times the losses; d the squared distance."""
    start = _start(by * GAP, by * L, inner)
    return plus_plus_utility.balanced_risk(TERM, start, C, by * G, by * L, P, inner, LAMBDA, N, EPSILON)


_CONVEX: Final = positive("gap", "d", "c", "G", "L", "p", "Lambda", "n", "epsilon")


@obligation("theorem-4.4", item="Theorem 4.4, Eq. (7)", about=(_BALANCED,), premises=("P22", "P24"))
def theorem_4_4() -> Sequence[Goal]:
    r"""Theorem 4.4 with its constants.

    With $m=\frac{L\|\tilde x_0-x_*\|^2}{\Delta_0}$, $\eta=\frac1{13L}$ and the best T, the bound is $\frac{G\|\tilde
    x_0-x_*\|}{n\varepsilon}\sqrt{\frac{47}4cp\ln\frac2\delta}$, where c is that of Eq. (6): it scales with the losses,
    as the risk does. (T and m rounded to whole numbers cost another constant.)
    """
    stated = G * sp.sqrt(D) / (N * EPSILON) * sp.sqrt(sp.Rational(47, 4) * C * P * LAMBDA)
    return [goal(_scaled(X, L * D / GAP) - X * stated, "==", _CONVEX + positive("x"), note="x times the losses")]


@erratum(
    "E18",
    item="Theorem 4.4",
    about=(_BALANCED,),
    repaired_by="theorem-4.4",
)
def e18() -> Sequence[Goal]:
    r"""Theorem 4.4 holds with absolute constants in m = Theta(L).

    As printed, $m=\Theta(L)$, that is $m=rL$, gives Eq. (7). If the losses are multiplied by x, then the risk, G, L and
    $\Delta_0$ are multiplied by x. The best bound of Eq. (57) at $m=rL$, $\eta=\frac1{13L}$ is not, here for $x=4$. So
    Eq. (7) does not follow with a constant that is free of the problem. Proof B.5 has a constant of the problem, its A,
    inside the O, and read like that the theorem stands.
    """
    gap = _scaled(X, R * X * L) - X * _scaled(ONE, R * L)
    point: dict[str, Any] = {
        "gap": 1,
        "d": 1,
        "c": 1,
        "G": 1,
        "L": 1,
        "p": 1,
        "Lambda": 1,
        "n": 1,
        "epsilon": 1,
        "r": 1,
        "x": 4,
    }
    return [refutation(gap, "==", _CONVEX + positive("r", "x"), **point)]


@obligation(
    "E27", item="Tables 2 and 3", not_proved="What the authors of [29] count; d stands for p in Table 2's [34]."
)
def e27() -> Sequence[Goal]:
    r"""A number of iterations in a column of gradients.

    Table 3's entry for [29], $(n\varepsilon)^{2/3}/G_{\mathcal C}^{2/3}$, is below n, the gradients of one pass, for
    $\varepsilon<\sqrt n$ and $G_{\mathcal C}\ge1$; and below the $n^{1.5}$ that the text calls the least. It is the
    number of Frank-Wolfe iterations, each of them a full gradient.
    """
    entry = (N * B * sp.sqrt(N)) ** sp.Rational(2, 3) / (1 + Y) ** sp.Rational(2, 3)  # epsilon = b sqrt n, G_C = 1 + y
    return [goal(N - entry, ">", positive("n") + unit("b") + nonnegative("y"))]


@obligation(
    "E34",
    item="Eqs. (5), (7), (13) and (14)",
    about=("gradient-descent.balanced_gradient",),
    premises=("theorem-4.2", "theorem-4.4", "theorem-6.2"),
)
def e34() -> Sequence[Goal]:
    r"""The constants that the big-O of the utility theorems hides.

    (14) hides $2\sqrt{2c\Delta_0}$, $\Delta_0$ the risk of the start; (5) hides the r of $m=r\kappa$ times c
    (`theorem-4.2`), (7) $\|\tilde x_0-x_*\|$ (`theorem-4.4`), and (13) $\frac L{\mu^2}$ (`theorem-6.2`).
    """
    domain = positive("c", "G", "L", "p", "gap", "Lambda", "n", "epsilon")
    rate = sp.sqrt(L) * G * sp.sqrt(P * LAMBDA) / (N * EPSILON)

    return [
        equal(
            descent_utility.balanced_gradient(TERM, C, G, L, P, GAP, LAMBDA, N, EPSILON),
            2 * sp.sqrt(2 * C * GAP) * rate,
            domain,
            "(14)",
        )
    ]
