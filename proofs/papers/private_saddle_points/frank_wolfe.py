"""Variance-reduced Frank-Wolfe, for which Algorithm 4 asks: who moves what, the noise, the excess risk."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import sympy as sp

from dpref.algorithms.variance_reduced_frank_wolfe import formulas, utility
from dpref.mechanisms import exponential
from dpref.terms import TERM
from proofs.papers.private_saddle_points import obligation
from proofs.pinned import pinned
from proofs.registry import Goal, equal, goal
from proofs.search import nonnegative, numbers, positive, unit

A, B, C, D, E, ETA, G, H, LAMBDA, L0, L1, M, N, P, Q, R, RHO, S, T, U, V, W, X, Y, Z = sp.symbols(
    "a b c d e eta g h lambda L0 L1 m N p q r rho s t u v w x y z"
)
_FOLDER, _TESTS = "variance-reduced-frank-wolfe.", "tests/test_variance_reduced_frank_wolfe.py"
# The smaller of two numbers is the one or the other: what holds of both holds of it.
_FIRST, _SECOND = replace(TERM, minimum=lambda a, b: a), replace(TERM, minimum=lambda a, b: b)


@obligation(
    "tree-distance",
    item="Algorithm 4, lines 7 and 8 (the tree)",
    about=tuple(_FOLDER + name for name in ("step_size", "kept", "away")),
    premises=("P3",),
)
def tree_distance() -> Sequence[Goal]:
    r"""How far N steps of a phase lead.

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
    r"""How far a record moves the scores at the leaves below its node, and no others.

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
    r"""What a record costs, and the noise that makes it the budget.

    A record of a node with N leaves is in N choices, each of range (or size) $\frac\Delta\lambda$, of cost w times its
    square: $\frac18$ for Gumbel noise, $\frac12$ for what is only pure DP. At $\lambda=\Delta\sqrt{Nw/\rho}$ that is
    $\rho$; records of other nodes are in other parts, and what parts spend is not added up.
    """
    sizes = positive("d", "N", "rho", "w", "lambda")
    epsilon = exponential.noisy_max_epsilon(TERM, D, LAMBDA)

    def spent(u: sp.Expr) -> sp.Expr:
        scale = formulas.choice_scale(TERM, D, N, RHO, W) * u
        return formulas.node_rho(TERM, D, scale, N, W)

    return [
        *pinned(spent, RHO, sizes[:4], "the record of a node, at u times the scale"),
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
    not_proved="Eq. (10) itself, which the paper quotes without hypotheses or constants. Hoeffding's lemma and the"
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
        *pinned(lambda u: utility.gumbel_error(TERM, LAMBDA / u, D), LAMBDA * sp.log(D),
                positive("lambda") + numbers("d", lo=1, ends="[)"), "the entropy of a choice"),
    ]  # fmt: skip
