"""Noise in two parts, one of them shared by the steps of an epoch: its risk, and how far an answer moves (3.6.4)."""

from __future__ import annotations

from collections.abc import Sequence

import sympy as sp

from dpref.algorithms.svrg import utility
from dpref.mechanisms import variance_reduced
from dpref.terms import TERM
from proofs.algebra import total
from proofs.coordinates import every_step, in_coordinates
from proofs.papers.dp_erm_revisited import obligation
from proofs.registry import Goal, equal, goal
from proofs.search import nonnegative, numbers, positive

A, D, E, N, P, S, T, U, V, W = sp.symbols("a d e n p s t u v w")
B, C, G, MU, GAP, RISK, BEFORE = sp.symbols("b c G mu gap A q")
ONE, ZERO = sp.S.One, sp.S.Zero
_NOISE = "svrg.two_part_noise"


@obligation(
    "3.6.4",
    item="Algorithm 1 with noise in two parts (errata, 3.6.4)",
    about=(_NOISE, "svrg.risk_bound"),
    premises=("P7", "P10"),
    tests=("tests/test_svrg_two_part.py::test_the_derived_bound_holds_where_the_optimum_is_known",),
)
def two_part() -> Sequence[Goal]:
    r"""The risk when the steps of an epoch share a noise.

    u is the noise of $\nabla F(\tilde x_{s-1})$, a the risk of F + r, $\mu$-strongly convex with minimiser $x_*$, and
    $a_u$ that of $F+r+\langle u,\cdot\rangle$ with minimiser $x_u$; the steps of an epoch are those of Algorithm 1 on
    the latter. Then $a_u(x)\le a(x)+\langle u,x-x_*\rangle+\frac{\|u\|^2}{2\mu}$ and $a(x)\le2a_u(x)+\frac{\|u\|^2}\mu$
    in every dimension. With Eq. (39) for $a_u$, $\mathbb E u=0$ and $\mathbb E\|u\|^2=\sigma_2^2p$ (u is independent
    of $\tilde x_{s-1}$), $\mathbb Ea_s\le2A\,\mathbb Ea_{s-1}+2N+(1+A)\frac{\sigma_2^2p}\mu$, N with $\sigma_1^2$; so,
    if $A<\frac12$, $\mathbb Ea_T\le(2A)^T\Delta_0+\big(2N+(1+A)\frac{\sigma_2^2p}\mu\big)\frac{1-(2A)^T}{1-2A}$.
    """
    # coordinates: d of x - x_*, e of x_* - x_u, w of x - x_u, u of u / mu; s, t the slacks of strong convexity
    half = MU / 2
    square = half * total(U**2)  # |u|^2 / (2 mu)
    least = MU * total(U * D) + half * total(D**2)  # F_u(y) - F_u(x_*) - slack, for y - x_* = d
    near = MU * total(U * E) - half * total(E**2) - S  # F(x_u) - F_*, as -u is a subgradient of F + r at x_u
    own = half * total(W**2) + T  # a_u(x)
    risk = own - MU * total(U * W) + near  # a(x)
    convex = positive("mu") + numbers("u")
    # means: q = E a_(s-1), v = sigma_2^2, p the dimension, n = N; w the slack of Eq. (39), t of the last inequality
    inner = RISK * (BEFORE + V * P / (2 * MU)) + N - W
    after = 2 * inner + V * P / MU - T
    noise = utility.two_part_noise(TERM, RISK, N, MU, V, P)
    halves = numbers("A", lo=0, hi=sp.Rational(1, 2))
    means = positive("mu") + nonnegative("v", "p", "n", "q", "w", "t")
    bound = utility.risk_bound(TERM, 2 * RISK, noise, GAP, T)
    states = ((A, sp.Symbol("gap_0"), 2 * RISK * A + noise - S), (T, ZERO, T + 1))
    return [
        goal(least + square, ">=", convex + numbers("d"), in_coordinates((half, D + U)), "a_u from a"),
        goal(
            square - near, ">=", convex + numbers("e") + nonnegative("s"),
            in_coordinates((half, E - U), rest=S), "F(x_u) - F_*",
        ),
        goal(
            2 * own + 2 * square - risk, ">=", convex + numbers("e", "w") + nonnegative("s", "t"),
            in_coordinates((half, E - U), (half, W + U), rest=S + T), "a from a_u",
        ),
        goal(2 * RISK * BEFORE + noise - after, ">=", halves + means, note="an epoch"),
        every_step(
            bound - A, ">=", states,
            halves + positive("mu") + nonnegative("n", "v", "p", "gap", "s", "t") + numbers("a"),
            parameters=(RISK, N, GAP, MU, V, P), ratio=2 * RISK, note="every T",
        ),
    ]  # fmt: skip


@obligation(
    "S6", item="Section 5 (errata, 3.6.3 and 3.6.4)", about=("variance-reduced.largest_difference",), premises=("P68",)
)
def s6() -> Sequence[Goal]:
    r"""The sensitivity of a sampled difference alone.

    $\frac1b\|(g-h)-(g'-h')\|\le\frac{4G}b$ for gradients of norm at most G, in every dimension: P68 where the record is
    in the batch, without the full gradient ($n\to\infty$); a record that contributes nothing moves it by half of that.
    The bound is attained: $g=h'=G$, $h=g'=-G$ on a line.
    """
    public = positive("G", "b")

    def moved(differing: sp.Expr) -> sp.Expr:
        return variance_reduced.largest_difference(TERM, G, B, differing)

    both, full = sp.Integer(2), variance_reduced.largest_move(TERM, G, B, C, sp.Integer(2))
    on_a_line = ((G - -G) - (-G - G)) / B
    return [
        equal(moved(both) - full, 2 * G / C, public + positive("c"), "P68 and what the full gradient takes off"),
        equal(moved(both), on_a_line, public, "attained"),
        equal(2 * moved(ONE), moved(both), public, "a record that contributes nothing"),
    ]
