"""The fast path of accounting: the measures above and below a pair, cell by cell (``docs/fast-path.md``)."""

from __future__ import annotations

from collections.abc import Sequence

import sympy as sp

from dpref.privacy.fast import cells as fast_cells
from dpref.privacy.fast import lower as fast_lower
from dpref.terms import TERM
from proofs import kernel as k
from proofs.registry import Goal, Paper, cited, finite, goal, of_fact, proven
from proofs.search import bisect, box, grow, nonnegative, numbers, positive
from proofs.topics.fast_path import constant, exactly

obligation = Paper("fast-path", "higham2002accuracy").obligation
A, B, E, F, X, Y, W, P, Q = sp.symbols("a b e f x y w p q")


@obligation("quadrature")
def quadrature() -> Sequence[Goal]:
    r"""Eight Gauss-Legendre nodes on a narrow cell.

    Eight nodes integrate degree 15 exactly; a function bounded by M on a disc of radius R is off its Taylor polynomial
    by $M\frac{x^{16}}{1-x}$, $x=\frac w{2R}$, and so is the rule: $2M\frac{x^{16}}{1-x}$ together. On a cell with
    $w\le\frac1{16}$, $|c|w\le1$ the density is at least $e^{-0.502}$ times its middle's.
    """
    n = 16
    partial = sum((X**k for k in range(n)), sp.S.Zero)
    worst = sp.Rational(502, 1000) - (sp.Rational(1, 2) + W**2 / 8)
    return [
        goal(1 / (1 - X) - partial - X**n / (1 - X), "==", numbers("x", lo=0, hi=sp.Rational(1, 2), ends="()")),
        goal(worst, ">", box(w=(0, sp.Rational(1, 16))), bisect, "s (c + s/2) with |s| <= w/2"),
        cited("Gauss-Legendre rules of n nodes are exact to degree 2n - 1; Cauchy's estimates", "higham2002accuracy"),
    ]


@obligation(
    "monotone",
    item="Theorem 10",
    citation="zhu2022optimal",
    theorems=(
        finite("Dominance.dominating_pairs_compose", "dominating pairs compose (Theorem 10)", "zhu2022optimal"),
        proven("Dominance.dominated_times", "products of what is dominated are dominated by the products"),
    ),
)
def monotone() -> Sequence[Goal]:
    r"""Composition keeps a dominating loss above.

    If $\delta_1(\varepsilon)\le\delta_2(\varepsilon)$ for every real $\varepsilon$, then so it is after composition
    with any pair, adaptively too; more mass at any loss never lowers $\delta$.
    """
    domain = positive("p", "w")
    return [
        goal(P * (1 - sp.exp(-W)), ">", domain, note="mass p at a loss w above epsilon adds this"),
    ]


@obligation(
    "dominating",
    item="Section 3",
    citation="doroshenko2022connect",
    premises=("monotone",),
    theorems=(
        proven("EventCells.connect_the_dots_on", "the discrete pair dominates (Section 3), on any output space"),
        proven("EventCells.last_dot", "beyond the last point"),
        proven("EventCells.first_dot", "and below the first one"),
        proven("Cells.connect_the_dots", "on finite output spaces, outcome by outcome"),
        proven("Cells.merge_one_ratio", "outcomes with one ratio are one"),
    ),
)
def dominating() -> Sequence[Goal]:
    r"""Connecting the dots.

    The mass of a cell, split so that the masses under P and Q remain, interpolates $\delta$ linearly in
    $e^\varepsilon$; since $(r-\alpha)_+$ is convex in $\alpha$, the chord lies nowhere below: for $a\le\alpha\le r\le
    b$, $\frac{(b-\alpha)(r-a)}{b-a}-(r-\alpha)=\frac{(\alpha-a)(b-r)}{b-a}\ge0$.
    """
    # a = base, alpha = base + x, r = base + x + y, b = base + x + y + w
    gap = (Y + W) * (X + Y) / (X + Y + W) - Y
    whole, h = positive("p", "q", "a", "h"), sp.Symbol("h")
    left = (A * sp.exp(h) * Q - P) / (sp.exp(h) - 1)
    right = (P - A * Q) / (1 - sp.exp(-h))
    return [
        goal(gap - X * W / (X + Y + W), "==", positive("x", "y", "w"), note="the chord above the curve"),
        goal(X * W / (X + Y + W), ">", positive("x", "y", "w")),
        goal(left + right - P, "==", whole, note="the mass under P; a = exp of the left loss"),
        goal(left / A + right / (A * sp.exp(h)) - Q, "==", whole, note="the mass under Q"),
    ]


@obligation(
    "dominated",
    citation="zhu2022optimal",
    premises=("monotone",),
    theorems=(
        proven("Dominance.dominated_post", "post-processing never increases a hockey-stick divergence"),
        proven("PostProcessing.close_on_post", "on any output space, of every measurable randomised map"),
        proven("Dominance.dominated_monotone", "mass left out, or moved to smaller losses, is dominated"),
    ),
)
def dominated() -> Sequence[Goal]:
    r"""Merging, leaving out and moving down.

    A cell's masses merged to one point are a post-processing, mass left out only lowers $\delta$, and so does a loss
    that is moved down: $1-e^{\varepsilon-x}$ grows with x.
    """
    drop = (1 - sp.exp(-X - W)) - (1 - sp.exp(-X))
    return [
        goal(drop - sp.exp(-X) * (1 - sp.exp(-W)), "==", positive("x", "w")),
        goal(sp.exp(-X) * (1 - sp.exp(-W)), ">", positive("x", "w"), note="a loss moved down by w"),
    ]


@obligation(
    "sliver",
    about=("fast-path.sliver_surplus", "fast-path.left_out_surplus"),
    premises=("rounding", "quadrature", "dominated"),
    not_proved="That the doubt of a cell's moment and the blur of the distance b count every rounding, which "
    "docs/fast-path.md does.",
)
def sliver() -> Sequence[Goal]:
    r"""The sliver of a cell that is left out.

    On a narrow cell the normal density varies by at most $D=e^{1+1/512}$. A sliver at its lower end whose mass is S, at
    most one part in 64 of the cell's, takes at most $\kappa=\frac D{64}$ of its width. The ratio r is convex there, so
    on the sliver it rises by at most $\kappa$ of its rise on the cell, which is at most 3.9 times the distance b of its
    value at the end from the grid point's; b is known up to a quarter of itself, masses up to $\rho\le\frac1{1024}$. If
    the moment lacks d, then $S=2d/b$ restores it: $2(1-\rho)(1-\frac14-\kappa(1+\rho)^2(3.9+\frac24))\ge1$. At the
    upper end r falls by at most $\kappa\mu w r$, for which the same bound holds. What is left out, twice the sliver's
    mass, is more than it takes after all roundings: $2(1-\rho)>1+\rho$.
    """
    narrow, settled = constant(fast_cells.NARROW), sp.Rational(1, fast_lower.SETTLED)
    roughest, share = exactly(fast_lower.ROUGHEST), fast_lower.SHARE
    s, t = sp.symbols("s t")
    most = 1 + sp.Rational(1, 512)
    half = sp.Rational(1, 2)
    # The exponent -z^2/2 at c + t w, less that at c + s w; x = c w.
    varies = X * (s - t) + W**2 * (s**2 - t**2) / 2
    surplus = fast_lower.sliver_surplus(TERM, A, B, E)
    # With b = 1: the sliver has mass S = SLIVER d, and every unit of it adds at least 1 - blur - rise.
    rise = A * (1 + E) ** 2 / share * (exactly(fast_lower.RISE) + 2 * B)
    restored = fast_lower.SLIVER * F * (1 - E) * (1 - B - rise) - F
    errors = box(b=(0, settled), e=(0, roughest))
    left_out = fast_lower.left_out_surplus(TERM, E)
    return [
        goal(
            most - varies, ">", box(x=(-1, 1), s=(-half, half), t=(-half, half), w=(0, narrow)), bisect, "the density"
        ),
        of_fact(
            _below_the_chord, *CHORD, "exp is convex: r rises by at most the sliver's part of its rise on the cell"
        ),
        goal(X - 1 + sp.exp(-X), ">=", nonnegative("x"), lambda c: grow(c.expr, X, c.domain), "at the upper end"),
        goal(
            restored - F * surplus, "==", positive("a", "b", "e", "f"), note="what a sliver adds, less what is missing"
        ),
        goal(surplus.subs(A, sp.exp(most)), ">", errors, bisect, "a sliver suffices"),
        goal(left_out - (fast_lower.LEFT_OUT * (1 - E) - (1 + E)), "==", positive("e")),
        goal(left_out, ">", box(e=(0, roughest)), bisect, "what is left out suffices"),
    ]


# x and w are mu times the widths of the sliver and of the rest: (x + w) times the chord's excess over exp - 1.
CHORD = (X * (sp.exp(X + W) - 1) - (X + W) * (sp.exp(X) - 1), ">=", nonnegative("x", "w"))


def _below_the_chord() -> k.Fact:
    """CHORD grows with w from nothing: so does its slope, which is x e^x - e^x + 1 at w = 0, and that grows with x."""
    expr, _, domain = CHORD
    slope = sp.diff(expr, W)
    least = grow(slope.subs(W, 0), X, nonnegative("x"))
    rise = grow(slope, W, domain, start=least)
    inside = nonnegative("x") + positive("w")
    return grow(expr, W, domain, growth=k.instantiate(rise, (), inside))
