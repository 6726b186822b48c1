"""The fast path of accounting: grids that become coarser, chords that are lowered, and compositions in stages."""

from __future__ import annotations

from collections.abc import Sequence

import sympy as sp

from dpref.privacy.fast import blocks as fast_blocks
from dpref.privacy.fast import coarser as fast_coarser
from dpref.privacy.fast import exp as fast_exp
from proofs.registry import Goal, Paper, goal
from proofs.search import bisect, numbers, positive
from proofs.topics.fast_path import constant, per_unit, small

obligation = Paper("fast-path", "higham2002accuracy").obligation
A, C, H, P, Q, U, X, Y, W = sp.symbols("a c h p q u x y w")


@obligation("geometric-less", premises=("geometric-table",))
def geometric_less() -> Sequence[Goal]:
    r"""An entry of a geometric sequence, less a number.

    $e^{a+b(iB+j)}-d=(e^{a+biB}-d)+e^{a+biB}(e^{bj}-1)$ is a sum of two terms that are not negative; the larger error is
    that of the second one, a product of two table entries, with one rounding for the product and one for the sum:
    $(1+2.01u)^2(1+u)^2\le1+6.1u$.
    """
    entry = 1 + constant(fast_exp.TABLE_ERROR) * U
    slack = 1 + constant(fast_exp.LESS_ERROR) * U - entry**2 * (1 + U) ** 2
    split = sp.exp(A + X + Y) - W - ((sp.exp(A + X) - W) + sp.exp(A + X) * (sp.exp(Y) - 1))
    return [
        goal(split, "==", numbers("a", "x", "y", "w"), note="y = b j >= 0"),
        goal(per_unit(slack), ">", small(), bisect),
    ]


@obligation("lowered-chords", citation="doroshenko2022connect", premises=("dominating",))
def lowered_chords() -> Sequence[Goal]:
    r"""The amount by which a chord is lowered.

    In the cell $[A,A']$ a ratio r of mass q under Q raises the chord at $\alpha\le r$ above $q(r-\alpha)_+$ by
    $q\frac{(\alpha-A)(A'-r)}{A'-A}$, which is $a(\frac\alpha A-1)$ with the part $a=qA\frac{A'-r}{A'-A}$ of the lower
    end, and at most $b(1-\frac\alpha{A'})$ with that of the upper end; beyond r the other way round. So the gap is
    at most either line, and it is linear between ratios. A cell is covered if both ends are lowered by the largest gap;
    or the upper one by $a(\frac{A'}A-1)$; or the lower one by $b(1-\frac A{A'})$.
    """
    domain = positive("a", "x", "y", "w", "q")
    # A = a, alpha = a + x, r = a + x + y, A' = a + x + y + w
    top = A + X + Y + W
    left, right = Q * A * W / (top - A), Q * top * (X + Y) / (top - A)
    gap = Q * (X * W) / (top - A)
    t = X / (top - A)
    return [
        goal(gap - left * ((A + X) / A - 1), "==", domain, note="the slope at the lower end"),
        goal(right * (1 - (A + X) / top) - gap - Q * Y, "==", domain, note="the slope at the upper end, from below r"),
        goal(Q * Y, ">", domain),
        goal(t * left * (top / A - 1) - left * ((A + X) / A - 1), "==", domain, note="the upper end lowered alone"),
        goal((1 - t) * right * (1 - A / top) - right * (1 - (A + X) / top), "==", domain, note="the lower end alone"),
        goal((1 - t) * C + t * C - C, "==", domain + positive("c"), note="both ends lowered alike"),
    ]


@obligation("gap", premises=("lowered-chords",))
def gap() -> Sequence[Goal]:
    r"""A gap from a density, and from two slopes.

    With $x=\alpha-A$ and $y=A'-\alpha$ the ratios below $\alpha$ raise the chord by $\int_0^x\frac{sy}{x+y}\,ds$, those
    above by $\int_0^y\frac{xs}{x+y}\,ds$, together $\frac{xy}2\le\frac{(x+y)^2}8$, times the largest density. The lines
    $a(\frac\alpha A-1)$ and $b(1-\frac\alpha{A'})$ meet at $\frac{ab(1-e^{-h})}{a+be^{-h}}$. The logarithm of
    $\varphi(z)/r(z)$ is $-\frac{z^2}2-\mu z$ up to a constant: in the middle of a cell of width w it exceeds the mean
    of the ends' by $\frac{w^2}8$, and nowhere the larger by more.
    """
    domain = positive("x", "y")
    s, mu = sp.symbols("s mu")
    meet = (1 - sp.exp(-H)) * P * Q / (P + Q * sp.exp(-H))  # p at the lower end, q at the upper one
    place = meet / P  # alpha / A - 1
    log = -(X**2) / 2 - mu * X
    ends = [log.subs(X, X + sign * W / 2, simultaneous=True) for sign in (-1, 1)]
    return [
        goal(sp.diff(s**2 * Y / (2 * (X + Y)), s) - s * Y / (X + Y), "==", domain + positive("s"), note="below"),
        goal(X**2 * Y / (2 * (X + Y)) + Y**2 * X / (2 * (X + Y)) - X * Y / 2, "==", domain, note="both integrals"),
        goal((X + Y) ** 2 / 8 - X * Y / 2 - (X - Y) ** 2 / 8, "==", domain),
        goal(Q * (1 - (1 + place) * sp.exp(-H)) - meet, "==", positive("p", "q", "h"), note="where the lines meet"),
        goal(log - sum(ends) / 2 - W**2 / 8, "==", numbers("x", "w", "mu"), note="x is the middle of the cell"),
    ]


@obligation(
    "lowered-masses",
    premises=("rounding", "lowered-chords", "dominated"),
    not_proved="That a mass is the sum of at most SPARE/2 + m rounded terms, which dpref.privacy.fast.coarser lists.",
)
def lowered_masses() -> Sequence[Goal]:
    r"""The masses of what is left.

    A mass m at $A_j$ bends $\delta$ there by $\frac m{A_j}$. If the interpolation is lowered by $C_j$ at $A_j$, its
    slope right of $A_j$ changes by $-\frac{C_{j+1}-C_j}{A_{j+1}-A_j}$, so that m changes by
    $C_j(\frac1{e^H-1}+\frac1{1-e^{-H}})-\frac{C_{j+1}}{e^H-1}-\frac{C_{j-1}}{1-e^{-H}}$; left of the first point all is
    lowered alike. With a last $C=0$ and masses that are not negative, what is left is a measure. A sum of m positive
    products of rounded numbers and m + 8 roundings in all is off by at most $(m+16)u$ relatively, for m up to 64.
    """
    c0, c1, c2 = sp.symbols("c0 c1 c2")
    a = (A * sp.exp(-H), A, A * sp.exp(H))
    bend = -(c2 - c1) / (a[2] - a[1]) + (c1 - c0) / (a[1] - a[0])
    up, down = 1 / (sp.exp(H) - 1), 1 / (1 - sp.exp(-H))
    domain = positive("a", "h", "c0", "c1", "c2")
    roundings = fast_coarser.SPARE // 2
    slack = 1 + (fast_coarser.MOST_TIMES + fast_coarser.SPARE) * U - (1 + U) ** (fast_coarser.MOST_TIMES + roundings)
    least = 1 + (1 + fast_coarser.SPARE) * U - (1 + U) ** (1 + roundings)
    return [
        goal(A * bend - (c1 * (up + down) - c2 * up - c0 * down), "==", domain),
        goal(per_unit(slack), ">", small(), bisect, "m = 64"),
        goal(per_unit(least), ">", small(), bisect, "m = 1"),
    ]


@obligation("block", premises=("transform", "powers", "inverse", "tilt", "aliasing", "monotone"))
def block() -> Sequence[Goal]:
    r"""The masses of a composition.

    A coefficient lies within E of its value, and E with what may have wrapped round is added or subtracted; the tilt is
    undone by a table entry, a sum and a product, with one rounding to spare: $(1+5.1u)(1+u)^3\le1+8.15u$. Moving mass
    to a higher loss raises $\delta$, leaving it out lowers it.
    """
    slack = 1 + constant(fast_blocks.UNDO_ERROR) * U - (1 + constant(fast_exp.GEOMETRIC_ERROR) * U) * (1 + U) ** 3
    higher = P * (1 - sp.exp(-X - W)) - P * (1 - sp.exp(-X))
    return [
        goal(per_unit(slack), ">", small(), bisect),
        goal(higher - P * sp.exp(-X) * (1 - sp.exp(-W)), "==", positive("p", "x", "w"), note="moved up by w"),
        goal(P * sp.exp(-X) * (1 - sp.exp(-W)), ">", positive("p", "x", "w")),
    ]
