"""Variance-reduced Frank-Wolfe, for which Algorithm 4 asks: who moves what, the noise, the excess risk."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import sympy as sp

from dpref.algorithms.variance_reduced_frank_wolfe import formulas, utility
from dpref.mechanisms import exponential
from dpref.terms import TERM
from proofs import balls
from proofs.papers.private_saddle_points import erratum, obligation
from proofs.registry import Goal, equal, goal, refutation
from proofs.search import nonnegative, numbers, positive, unit

A, B, C, D, E, ETA, G, H, LAMBDA, L0, L1, M, N, P, Q, R, RHO, S, T, U, V, W, X, Y, Z = sp.symbols(
    "a b c d e eta g h lambda L0 L1 m N p q r rho s t u v w x y z"
)
_FOLDER, _TESTS = "variance-reduced-frank-wolfe.", "tests/test_variance_reduced_frank_wolfe.py"
# The smaller of two numbers is the one or the other: what holds of both holds of it.
_FIRST, _SECOND = replace(TERM, minimum=lambda a, b: a), replace(TERM, minimum=lambda a, b: b)
_LARGER = replace(TERM, maximum=lambda a, b: G)  # G, the larger of two: all that is used is that it is at least both


@obligation(
    "tree-distance",
    item="Algorithm 4, lines 7 and 8 (the tree)",
    about=tuple(_FOLDER + name for name in ("step_size", "kept", "away")),
    premises=("P3",),
)
def tree_distance() -> Sequence[Goal]:
    r"""The distance that N steps of a phase lead.

    From leaf a on they keep $\frac{(m-1+a)(m+a)}{(m+a+N-1)(m+a+N)}$ of the point where they began: all of it for
    N = 0, and after one more step $1-\eta_{a+N}$ times as much. That is least from leaf 0 on. The rest is an average
    of vertices, at most 2 from that point (P3).
    """

    def kept(first: sp.Expr, steps: sp.Expr) -> sp.Expr:
        return formulas.kept(TERM, M, first, steps)

    one_more = kept(A, N) * (1 - formulas.step_size(TERM, M, A + N))
    walk = numbers("m", lo=2, ends="[)") + nonnegative("a", "N")
    shifted = (kept(A, N) - kept(sp.S.Zero, N)).subs(M, 2 + U)
    return [
        equal(kept(A, sp.S.Zero), sp.S.One, walk[:2], "no step"),
        equal(kept(A, N + 1), one_more, walk, "one more step"),
        goal(shifted, ">=", nonnegative("u", "a", "N"), note="leaf 0 is the farthest, m = 2 + u"),
        equal(formulas.away(TERM, M, N), 2 * (1 - kept(sp.S.Zero, N)), walk[:1] + walk[2:], "the distance"),
    ]


@obligation(
    "tree-moves",
    item="Algorithm 4, lines 7 and 8 (the tree)",
    about=tuple(_FOLDER + name for name in ("change", "span")),
    premises=("tree-distance",),
    tests=(f"{_TESTS}::test_a_record_moves_the_choices_below_its_node_alone_and_no_further_than_its_depth_says",),
)
def tree_moves() -> Sequence[Goal]:
    r"""A record moves the scores at the leaves below its node, and no others.

    An entry of a gradient is within $\pm L_0$: the difference of two is at most $2L_0$, and by smoothness at most $L_1$
    times the distance. Of a mean of b terms one changes from entries $u_1,u_2\in[-B,B]$ to $v_1,v_2$: the difference of
    two scores moves by $\frac{(v_1-u_1)-(v_2-u_2)}b\le\frac{4B}b$, and by $\frac{2B}b$ if the term is nulled.
    """
    entries = positive("L0") + nonnegative("p", "q")
    mean = positive("B", "b") + nonnegative("p", "q", "r", "s")
    bound, batch = sp.Symbol("B"), B
    replaced = ((bound - P) - (-bound + Q)) - ((-bound + R) - (bound - S))
    nulled = (bound - P) - (-bound + Q)
    smooth = positive("L1") + nonnegative("d", "s")
    return [
        goal(formulas.change(_FIRST, L0, L1, D) - ((L0 - P) - (-L0 + Q)), ">=", entries, note="two gradients"),
        goal(formulas.change(_SECOND, L0, L1, D + S) - L1 * D, ">=", smooth, note="smoothness, at distance d"),
        goal(formulas.span(TERM, bound, batch, sp.Integer(2)) - replaced / batch, ">=", mean, note="replaced"),
        goal(formulas.span(TERM, bound, batch, sp.S.One) - nulled / batch, ">=", mean[:4], note="nulled"),
    ]


@obligation(
    "tree-noise",
    item="Algorithm 4, lines 7 and 8 (the tree)",
    about=(
        _FOLDER + "choice_scale", _FOLDER + "node_rho",
        "exponential-mechanism.bounded_range_zcdp", "exponential-mechanism.noisy_max_epsilon",
    ),
    premises=(
        "tree-moves", "parallel", "exponential-mechanism/zcdp", "private-online-frank-wolfe/PO-32", "zcdp/composition",
        "zcdp/to-dp",
    ),
)  # fmt: skip
def tree_noise() -> Sequence[Goal]:
    r"""The privacy loss of a record, and the noise that meets the budget.

    A record of a node with N leaves is in N choices, each of range (or size) $\frac\Delta\lambda$, of cost w times its
    square: $\frac18$ for Gumbel noise, $\frac12$ for what is only pure DP. At $\lambda=\Delta\sqrt{Nw/\rho}$ that is
    $\rho$; records of other nodes are in other parts, and what parts spend is not added up.
    """
    sizes = positive("d", "N", "rho", "w", "lambda")
    epsilon = exponential.noisy_max_epsilon(TERM, D, LAMBDA)

    def spent() -> sp.Expr:
        scale = formulas.choice_scale(TERM, D, N, RHO, W)
        return formulas.node_rho(TERM, D, scale, N, W)

    return [
        equal(spent(), RHO, sizes[:4], "the record of a node"),
        equal(formulas.node_rho(TERM, D, LAMBDA, N, W), N * W * epsilon**2, sizes, "N choices"),
        equal(
            formulas.node_rho(TERM, D, LAMBDA, N, sp.Rational(1, 8)),
            N * exponential.bounded_range_zcdp(TERM, epsilon),
            sizes[:2] + sizes[4:],
            "with Gumbel noise",
        ),
    ]


@obligation(
    "E32",
    item="Theorem 3.22",
    about=tuple(
        _FOLDER + name for name in ("node_variance", "gradient_error", "gumbel_error", "laplace_error", "risk_step")
    ),
    premises=("tree-distance",),
    tests=(
        f"{_TESTS}::test_the_bound_holds_at_a_known_optimum_over_thirty_seeds",
        f"{_TESTS}::test_a_choice_loses_no_more_on_average_than_is_said",
    ),
    not_proved="Hoeffding's lemma and the"
    r" maximal inequality ($\mathbb E\max_j|X_j|\le\sqrt{2V\ln2d}$ for sub-Gaussian $X_j$ of variance proxy V), and the"
    " means of the two choices' losses.",
)
def e32() -> Sequence[Goal]:
    r"""The excess risk of variance-reduced Frank-Wolfe, with explicit constants instead of the quoted rate.

    With g the gradient at x, v its estimate and $x^*$ a minimiser,
    $\langle g,w-x\rangle=\langle g,x^*-x\rangle+\langle v,w-x^*\rangle+\langle g-v,w-x^*\rangle\le-h+c+2e$: convexity,
    the loss of the choice, and points at most 2 apart. Smoothness adds $\frac{L_1}2(2\eta)^2$. A step therefore leaves
    $h'\le(1-\eta)h+\eta(2e+c)+2L_1\eta^2$.
    """
    step = H + ETA * (-H + 2 * E + C) + L1 / 2 * (2 * ETA) ** 2
    public = positive("h", "e", "c", "L1") + unit("eta")
    sizes = positive("B", "b", "v") + numbers("d", lo=1)
    bound = sp.Symbol("B")
    error = utility.gradient_error(TERM, V, D)
    return [
        equal(
            G * (W - X), G * (Y - X) + V * (W - Y) + (G - V) * (W - Y), numbers("g", "v", "w", "x", "y"), "the split"
        ),
        equal(utility.risk_step(TERM, H, 2 * E + C, ETA, L1), step, public, "a step"),
        equal(utility.node_variance(TERM, bound, B), bound**2 / B, sizes[:2], "a node: b terms of bound B over b"),
        equal(error**2, 2 * V * sp.log(2 * D), sizes[2:], "the gradient's error, squared"),
        equal(
            utility.laplace_error(TERM, LAMBDA, D) - utility.gumbel_error(TERM, LAMBDA, D), LAMBDA,
            positive("lambda") + numbers("d", lo=1), "the two choices' losses",
        ),
        equal(
            utility.gumbel_error(TERM, LAMBDA, D),
            LAMBDA * sp.log(D),
            positive("lambda") + numbers("d", lo=1, ends="[)"),
            "the entropy of a choice",
        ),
    ]  # fmt: skip


@obligation(
    "equation-10",
    item="Theorem 3.22, Eq. (10), repaired",
    about=tuple(
        _FOLDER + name for name in ("closed_bound", "balance", "equation_10", "away", "change", "choice_scale")
    ),
    premises=("tree-distance", "tree-moves", "tree-noise", "E32"),
    tests=("tests/test_equation_10.py::test_the_recursion_is_below_the_closed_bound_and_that_below_equation_10",),
)
def equation_10() -> Sequence[Goal]:
    r"""The two terms of Eq. (10), with constants, b for n, and $G=\max(L_0,\sqrt{8L_0L_1})$ for the second $L_0$.

    A walk of N of $m=2^t$ steps leads no farther than $\frac{4N}m$, so that at depth k, $q=2^{-k}$, $B_k\le4L_1q$ and
    $B_k^2\le2L_0\cdot4L_1q$. Hence $V\le\frac{(L_0+4L_1)^2}b$, and every record of a phase asks for
    $\lambda^2\le\frac{2G^2m}{b^2\rho}$. A phase keeps at most a quarter of the risk and adds $2e+c_t+\frac{8L_1}m$:
    phase by phase the risk is at most $\frac83e+\frac54c_t+\frac{16L_1}{2^t}+\frac{2L_0}{4^t}$, as $c_t$ grows by
    $\sqrt2$. With $2^T=v^2R^{2/3}$, $1\le v\le\sqrt2$, the last terms are at most $\frac72(L_0+16L_1)R^{-2/3}$.
    """
    walk, sizes = positive("m") + nonnegative("u"), positive("L0", "L1", "q")
    scales = positive("B", "b", "m", "q", "rho")
    bound = sp.Symbol("B")

    def noise(moved: sp.Expr, batch: sp.Expr, below: sp.Expr) -> sp.Expr:
        span = formulas.span(TERM, moved, batch, sp.Integer(2))
        return formulas.choice_scale(TERM, span, below, RHO, sp.Rational(1, 8)) ** 2

    quarter = sp.Rational(1, 4)
    grown = sp.Rational(5, 4) - (1 + sp.Rational(5, 16) / sp.sqrt(2))
    public = positive("L0", "L1", "g", "b", "rho", "m") + numbers("d", lo=1)
    three = (L0 + 4 * L1) * sp.sqrt(sp.log(2 * D) / B) * 8 * sp.sqrt(2) / 3
    large = L0 + 16 * L1
    return [
        goal(4 * (1 + U) / M - formulas.away(TERM, M, 1 + U), ">=", walk, note="N = 1 + u steps"),
        equal(
            formulas.change(_FIRST, L0, L1, 4 * Q) * formulas.change(_SECOND, L0, L1, 4 * Q), 8 * L0 * L1 * Q, sizes,
            "the square of the smaller of two is at most their product",
        ),
        equal(16 * L1**2 * (1 - Q) + 16 * L1**2 * Q / 2, 16 * L1**2 * (1 - Q / 2), sizes[1:], "one more node's share"),
        goal((L0 + 4 * L1) ** 2 - L0**2 - 16 * L1**2, ">=", sizes[:2], note="all of them"),
        equal(noise(L0, B, M), 2 * L0**2 * M / (B**2 * RHO), positive("L0", "b", "m", "rho"), "a root's record"),
        equal(noise(bound, B * Q, M * Q), 2 * bound**2 * M / (B**2 * Q * RHO), scales, "a record at depth k"),
        goal((quarter - formulas.kept(TERM, M, sp.S.Zero, M)).subs(M, 1 + U), ">=", nonnegative("u"), note="is kept"),
        goal(4 / M - M * formulas.step_size(TERM, M, sp.S.Zero) ** 2, ">=", positive("m"), note="squares of the steps"),
        equal(8 * E / 3 / 4 + 2 * E, 8 * E / 3, positive("e"), "phase by phase: the gradients"),
        goal(grown, ">", (), lambda c: balls.cover(c.expr, (), "0", 64), "the choices"),
        equal(32 * L1 / 4 + 8 * L1, 16 * L1, positive("L1"), "the curvature"),
        goal(large / (2 + U) - 16 * L1 / (2 + U) - 2 * L0 / (2 + U) ** 2, ">=", sizes[:2] + walk[1:], note="the start"),
        equal(
            utility.closed_bound(_LARGER, L0, L1, D, B, RHO, M) - three,
            5 * sp.sqrt(2 * M) / 4 * G * sp.log(D) / (B * sp.sqrt(RHO)) + large / M, public, "the library's bound",
        ),
        goal(1 - 1 / (1 + U) ** 2, ">=", walk[1:], note="from R^(2/3) leaves on"),
        goal(
            sp.Rational(5, 2) - 5 * sp.sqrt(2) / 4 * (sp.sqrt(2) - S), ">=", nonnegative("s"), note="to twice as many"
        ),
        equal(
            utility.equation_10(_LARGER, L0, L1, D, B, RHO) - three,
            sp.Rational(7, 2) * large / utility.balance(_LARGER, L0, L1, D, B, RHO), public[:5] + public[6:],
            "Eq. (10)",
        ),
    ]  # fmt: skip


@erratum(
    "theorem-3.22",
    item="Theorem 3.22, Eq. (10)",
    repaired_by="equation-10",
    premises=("kl-condition/PO-47",),
    tests=("tests/test_equation_10.py::test_no_private_answer_keeps_the_printed_equation_10_on_two_linear_problems",),
)
def theorem_3_22() -> Sequence[Goal]:
    r"""The excess risk falls with the records, at any privacy, if the losses are nearly linear.

    As quoted, $\mathbb E[\text{excess}]\lesssim C(d,n)$ in the l1 setting, without further hypotheses. Linear losses
    are $L_1$-smooth with every $L_1>0$, and the second term of C, the only one with $\varepsilon$, vanishes with $L_1$.
    On records that all have the loss $L_0(x_1-x_2)$, or all $L_0(x_2-x_1)$, the excess is $2L_0x_1$, or $2L_0(1-x_1)$:
    of any $(\frac1n,\delta)$-DP answer, by group privacy for n records (PO-47), one of both means is at least
    $L_0\frac{2(1-\delta_n)}{e+1}$, $\delta_n\le(e-1)n\delta$. False at $n=10^8$, $\delta=10^{-16}$, $d=2$, $L_0=1$,
    $L_1=10^{-18}$ even with a hidden constant of 10.
    """
    least = L0 * 2 * (1 - (sp.E - 1) * N * D) / (sp.E + 1)
    inner = sp.sqrt(L1) * L0 * sp.log(1 / D) * sp.log(2) * sp.log(N) ** 2
    printed = (L0 + L1) * sp.sqrt(sp.log(2)) * sp.log(N) / sp.sqrt(N) + sp.exp(sp.Rational(2, 3) * sp.log(inner))
    return [
        equal(2 * L0 * X + 2 * L0 * (1 - X), 2 * L0, positive("L0") + unit("x"), "both excesses of one answer"),
        equal(1 - (sp.E - 1 + 2 * D) / (sp.E + 1), 2 * (1 - D) / (sp.E + 1), positive("d"), "what PO-47's gap leaves"),
        refutation(
            C * printed - least, ">=", positive("c", "L0", "L1", "N", "d"),
            c=10, L0=1, L1="1/1000000000000000000", N=10**8, d="1/10000000000000000", note="N epsilon = 1, d for delta",
        ),
    ]  # fmt: skip
