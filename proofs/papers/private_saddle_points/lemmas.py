"""Sections 2 and 3: the lemmas that are no formula of the library, and the integrals behind them."""

from __future__ import annotations

from collections.abc import Sequence

import sympy as sp

from dpref.algorithms.anytime_mirror_descent import utility as anytime_utility
from dpref.algorithms.bias_reduced_mirror_descent import formulas as biased_formulas
from dpref.mechanisms import sparsification
from dpref.terms import TERM
from proofs.papers.private_saddle_points import declare, obligation
from proofs.registry import Goal, derivative, goal, proven
from proofs.search import bisect, box, nonnegative, numbers, positive, taylor
from proofs.sums import loop_goal

B, BETA, C, D, G, K, L0, L1, P, S, T, TAU, U, V, X = sp.symbols("B beta C D g K L0 L1 p s T tau u v x")
_FILE = "property_tests/test_saddle_lemmas.py::"


@obligation("P2", item="Lemma 2.1")
def p2() -> Sequence[Goal]:
    r"""The telescope over hybrid points.

    $F(p_T)-F(p_0)=\sum_t(F(p_t)-F(p_{t-1}))$ for every T and every F: f is the value at the present hybrid point, s the
    sum so far; $p_t-p_{t-1}=\lambda_t(a^t-x^t)$, since the points differ in one summand.
    """
    f, f_0, f_00, lam, a, x = sp.symbols("f f_0 f_00 lambda a x")
    states = ((f, f_00, X), (S, sp.S.Zero, S + X - f))
    step = (S + lam * a) - (S + lam * x) - lam * (a - x)
    return [
        loop_goal(f - f_0 - S, "==", (*states, (f_0, f_00, f_0)), numbers("f", "f_0", "f_00", "s", "x")),
        goal(step, "==", numbers("s", "lambda", "a", "x"), note="one hybrid point to the next"),
    ]


@obligation(
    "P7",
    item="Lemma 2.8",
    theorems=(proven("AnyDialogues.said_azuma_symmetric", "Azuma's inequality, on any output space"),),
)
def p7() -> Sequence[Goal]:
    r"""Azuma's and Hoeffding's inequality at the deviation of Lemma 2.8.

    $P(\sum\alpha_t\ge s)\le e^{-s^2/(2\sum c_t^2)}$ for martingale differences with $|\alpha_t|\le c_t$; with
    $c_t=L_0D\lambda_t$ and $s=\beta\sqrt2L_0D\sqrt{\sum\lambda_t^2}$ the exponent is $-\beta^2$.
    """
    squares = sp.Symbol("w")
    deviation = BETA * sp.sqrt(2) * L0 * D * sp.sqrt(squares)
    return [goal(deviation**2 / (2 * L0**2 * D**2 * squares) - BETA**2, "==", positive("beta", "L0", "D", "w"))]


_SPARSE = "tests/test_sparsification.py::"


@obligation(
    "lemma-2.8",
    item="Lemma 2.8",
    about=("sparsification.deviation", "sparsification.value_bias"),
    premises=("P4", "P7"),
    tests=(_SPARSE + "test_lemma_2_8_bounds_the_tail_exactly", _SPARSE + "test_corollary_2_3_bounds_the_value_exactly"),
)
def lemma_2_8() -> Sequence[Goal]:
    r"""Values at averages of drawn vertices, on average and with high probability.

    With $\lambda_t=\frac1T$, $\sum\lambda_t^2=\frac1T$: the quadratic part is $\frac{L_1D^2}{2T}$, at D = 2 the
    $\frac{2L_1}T$ of Corollary 2.3, and the deviation $\beta\sqrt2L_0D\sqrt{1/T}$.
    """
    whole = sparsification.deviation(TERM, L0, L1, D, T, BETA)
    quadratic = L1 * D**2 / 2 * T * (1 / T) ** 2
    domain = positive("L0", "L1", "D", "T", "beta")
    return [
        goal(whole - quadratic - BETA * sp.sqrt(2) * L0 * D * sp.sqrt(1 / T), "==", domain),
        goal(quadratic.subs(D, 2) - sparsification.value_bias(TERM, L1, T), "==", positive("L1", "T")),
    ]


@obligation(
    "lemma-2.10",
    item="Lemma 2.10, safe form",
    about=("sparsification.maximum_moment", "sparsification.printed_maximum_moment"),
    premises=("P9", "P10", "P11", "P13"),
    tests=(_SPARSE + "test_the_printed_second_moment_of_a_maximum_fails_for_many_functions",),
)
def lemma_2_10() -> Sequence[Goal]:
    r"""The second moment of a maximum, as it holds, and how far the printed one is from it.

    With A and C of Lemma 2.8 the safe form is $2A^2+2C^2(1+\ln2M)$ (P9, P10); the printed $2A^2+(4+\ln M)C^2$ is
    smaller by $C^2(\ln M+2\ln2-2)$, which is positive from M = 2 on.
    """
    m = sp.Symbol("M")
    safe = sparsification.maximum_moment(TERM, L0, L1, D, T, m)
    printed = sparsification.printed_maximum_moment(TERM, L0, L1, D, T, m)
    linear = 2 * L0**2 * D**2 / T
    domain = positive("L0", "L1", "D", "T", "M")
    quadratic = 2 * (L1 * D**2 / (2 * T)) ** 2
    return [
        goal(safe - quadratic - 2 * linear * (1 + sp.log(2 * m)), "==", domain),
        goal(safe - printed - linear * (sp.log(m) + 2 * sp.log(2) - 2), "==", domain),
        goal(3 * sp.log(2) - 2, ">", box(idle=(0, 1)), bisect, note="at M = 2, and the logarithm increases"),
    ]


@obligation("P8", item="Lemma 2.10 (E5)", not_proved="That the antiderivatives vanish at infinity.")
def p8() -> Sequence[Goal]:
    r"""The layer cake has a factor 2.

    $\mathbb EX^2=\int_0^\infty2b\,P(X\ge b)\,db$, checked on the exponential law: $x^2e^{-x}$ and $2be^{-b}$ have the
    antiderivatives $-(x^2+2x+2)e^{-x}$ and $-2(b+1)e^{-b}$, both of the value $-2$ at 0.
    """
    moment, layers = -(X**2 + 2 * X + 2) * sp.exp(-X), -2 * (X + 1) * sp.exp(-X)
    domain = nonnegative("x")
    return [
        derivative(moment, X, X**2 * sp.exp(-X), domain),
        derivative(layers, X, 2 * X * sp.exp(-X), domain),
        goal(moment.subs(X, 0) - layers.subs(X, 0), "==", ()),
    ]


@obligation("P12", item="Proof 2.11", not_proved="That both sides vanish at infinity.")
def p12() -> Sequence[Goal]:
    r"""Mills' bound.

    $\int_x^\infty e^{-u^2}du\le\frac{e^{-x^2}}{2x}$ for $x>0$: the right side falls faster, at the rate
    $e^{-x^2}(1+\frac1{2x^2})$.
    """
    rate = -sp.exp(-(X**2)) * (1 + 1 / (2 * X**2))
    excess = -rate - sp.exp(-(X**2)) - sp.exp(-(X**2)) / (2 * X**2)
    return [
        derivative(sp.exp(-(X**2)) / (2 * X), X, rate, positive("x")),
        goal(excess, "==", positive("x"), note=r"faster by $e^{-x^2}/(2x^2)$, which is positive"),
        goal(sp.exp(-(X**2)) / (2 * X**2), ">", positive("x")),
    ]


@obligation("P43", item="Eq. (9)")
def p43() -> Sequence[Goal]:
    r"""Splitting the event of a large gap.

    $G<\frac AB$ for a gap $G\ge0$ and $k,B>0$ with $kG<A$ and $k>B$; here $k=B+v$ and $A=kG+s$ with $s,v>0$. So the
    event $G\ge\frac AB$ is in the union of $kG\ge A$ and $\frac1k\ge\frac1B$.
    """
    return [goal(((B + V) * G + S) / B - G, ">", positive("B", "v", "s") + nonnegative("g"))]


@obligation("P55", numbers=True, item="Proof 4.5")
def p55() -> Sequence[Goal]:
    r"""The exponential near zero.

    $e^u-1\le2u$ on $[0,1]$: on the lower half it grows more slowly from the same value, on the upper half it is below.
    """
    gap = 2 * U - sp.exp(U) + 1
    return [
        goal(gap, ">=", box(u=(0, "1/2")), lambda c: taylor(c.expr, U, c.domain, 1)),
        goal(gap, ">", box(u=("1/2", 1)), bisect),
    ]


@obligation("E41", item="Corollary 2.14", about=("anytime-mirror-descent.first_order_moment",), premises=("P5", "P66"))
def e41() -> Sequence[Goal]:
    r"""A second moment of the right order for first-order smooth functions.

    A strengthening, not an error of the print: McDiarmid's $\frac{2L_1^2}K\gamma$ (P66) and the bias
    $\frac{4L_1}{\sqrt K}$ (P5) give, by the triangle inequality in $L_2$,
    $\big(\frac{4L_1}{\sqrt K}+\sqrt{\frac{2L_1^2\gamma}K}\big)^2=(4+\sqrt{2\gamma})^2\frac{L_1^2}K$.
    """
    d = sp.Symbol("d")
    both = (4 * L1 / sp.sqrt(K) + sp.sqrt(2 * L1**2 * (1 + sp.log(2 * d)) / K)) ** 2
    moment = anytime_utility.first_order_moment(TERM, L1, d, K)
    return [goal(moment - both, "==", positive("L1", "K") + numbers("d", lo=1))]


@obligation("E39", item="Algorithm 2", about=("bias-reduced-mirror-descent.level_range",))
def e39() -> Sequence[Goal]:
    r"""The score's difference at one level.

    $C_M2^N(g_+-g_-)\le2C_M2^NL_0$ for gradients in $[-L_0,L_0]$, a bound that grows with the level; here p stands for
    $2^N$ and $p_1,p_2$ for gradients over $L_0$. The library's range of a level, which bounds how far a record moves
    the score (P36), is $4C_M+2\cdot2^{-N}$. A remark, not an error of the print.
    """
    plus, minus = sp.symbols("p_1 p_2")
    corners = numbers("p_1", "p_2", lo=-1, hi=1, ends="[]") + positive("C", "p")
    return [
        goal(2 * C * P - C * P * (plus - minus), ">=", corners, note="over L0"),
        goal(biased_formulas.level_range(TERM, C, P) - 4 * C - 2 / P, "==", positive("C", "p")),
    ]


_RANGE = ("property_tests/test_saddle.py::test_selections_are_of_bounded_range_and_zcdp",)
_TESTED = (
    (
        "P1", "Lemma 2.1", "Smoothness bounds the remainder of first order",
        r"$|F(u+v)-F(u)-\langle\nabla F(u),v\rangle|\le\frac{L_1}2\|v\|_1^2$ for $L_1$-smooth F.", (_FILE + "test_p1",),
    ),
    (
        "P17", "Theorem 3.4", "The ratio of an exponential mechanism's probabilities",
        r"Within $e^{\pm2\Delta}$ if the scores move by at most $\Delta$.", _RANGE,
    ),
    (
        "P18", "Section 6 of the errata", "The range of an exponential mechanism's log-ratios",
        r"At most $2\Delta$ if the scores move by at most $\Delta$.", _RANGE,
    ),
    (
        "P19", "Section 6 of the errata", "The zCDP of an exponential mechanism",
        r"$D_\alpha\le\frac{\alpha(2\Delta)^2}8$ for every $\alpha>1$.", _RANGE,
    ),
    (
        "P24", "Lemma 3.9", "The regret of a ghost sequence",
        (r"$\sum\langle\xi^t,w^t-w\rangle\le D_\psi(w,w^1)+\frac12\sum\|\xi^t\|_\infty^2$ for entropy, pathwise (with "
        r"the arguments of $D_\psi$ as they must be, E21)."), (_FILE + "test_p24",),
    ),
    (
        "P25", "Lemma 3.8", "The gap of the average of the iterates, path by path",
        (r"$T\,\mathrm{Gap}(\bar x,\bar y)\le\frac{2\ell}\tau+\tau\sum(\|g^t\|_\infty^2+\|\tilde D_t\|_\infty^2)+"
        r"\sum\langle\tilde D_t,(x^t,y^t)-(w^t,v^t)\rangle$ with the ghost sequence of P24."), (_FILE + "test_p25",),
    ),
    (
        "P27", "Lemma 3.11", "The range of the entropy", r"$0\le-\sum y\ln y\le\ln d$ on the simplex.",
        (_FILE + "test_p27",),
    ),
    (
        "P29", "Lemma 3.11", "The smoothed maximum is smooth",
        r"$x\mapsto A\,\sigma(A^\top x/\lambda)$ is $\frac{L_1^2}\lambda$-Lipschitz from $\ell_1$ to $\ell_\infty$.",
        (_FILE + "test_p29",),
    ),
    (
        "P56", "Proof 4.5", "How far an iterate moves from the fictitious one",
        (r"$(x-\tilde x)_j\le\tilde x_j(e^{2m}-1)$ and $(\tilde x-x)_j\le\tilde x_j(1-e^{-2m})$, m how far the scores "
        r"differ."), (_FILE + "test_p56",),
    ),
    (
        "P60", "Section 1.4", "Constants of the maximal loss",
        r"$\sum_iy_if_i(x)$ has the constants $\max(L_0,B)$, $\max(L_0,L_1)$ and $\max(L_1,L_2)$.",
        (_FILE + "test_p60",),
    ),
    (
        "P65", "Section 6 of the errata", "Bounded range costs an eighth of its square",
        r"$\mathrm{KL}\le\frac{\eta^2}8$ and $D_\alpha\le\alpha\frac{\eta^2}8$ for a log-ratio of range $\eta$.",
        _RANGE,
    ),
    (
        "P13", "Lemma 2.10 (E5)", "The printed second moment of a maximum fails for many functions",
        (r"For $10^4$ functions of the family of E5, $T=10^6$, the mean over their slopes exceeds "
        r"$2A^2+(4+\ln M)C^2$, and stays below $2A^2+2C^2(1+\ln2M)$."),
        ("tests/test_sparsification.py::test_the_printed_second_moment_of_a_maximum_fails_for_many_functions",),
    ),
)  # fmt: skip
for _name, _item, _title, _statement, _tests in _TESTED:
    declare(_name, item=_item, title=_title, statement=_statement, tests=_tests)
