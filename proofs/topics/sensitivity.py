"""Sensitivity of the mean gradient under each adjacency, and of a clipped one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import sympy as sp

from dpref.geometry import sets
from dpref.problems import erm
from dpref.terms import TERM
from dpref.units import AddOrRemoveOne, ReplaceOne, ZeroOut
from proofs import induction
from proofs import kernel as k
from proofs.algebra import total
from proofs.registry import Goal, Paper, goal, of_fact, read_as, refutation
from proofs.search import box, nonnegative, numbers, positive

obligation = Paper("sensitivity", "hong2022dynamic").obligation
G, N, A, B, W, C, S, X, Y = sp.symbols("G n a b w C s x y")
_SENSITIVITY = "erm.mean_gradient_sensitivity"
_FACTOR = "projection.shrink_factor"
# Which of two numbers is the larger is no matter of algebra: the two cases are read apart.
_SHORT, _LONG = (replace(TERM, maximum=larger) for larger in (lambda a, _: a, lambda _, b: b))


def declared(adjacency: type) -> sp.Expr:
    """What the library declares for gradients of norm at most G and a public n."""
    return erm.mean_gradient_sensitivity(G, N, adjacency)


def shrink_factors() -> list[sp.Expr]:
    """The factor of a vector of norm s that is shorter than C, and of one that is longer."""
    return [sets.shrink_factor(case, C, S) for case in (_SHORT, _LONG)]


read_as(_FACTOR, shrink_factors)
read_as(_SENSITIVITY, lambda: [declared(adjacency) for adjacency in (ReplaceOne, AddOrRemoveOne, ZeroOut)])


def parallelogram() -> k.Fact:
    """``|x-y|^2 + |x+y|^2 - 2|x|^2 - 2|y|^2 == 0`` in every dimension: coordinate by coordinate."""
    domain = numbers("x", "y")
    coordinate = k.identity((X - Y) ** 2 + (X + Y) ** 2 - 2 * X**2 - 2 * Y**2, sp.S.Zero, domain)
    one, two = sp.S.One, sp.Integer(2)
    return induction.accumulate(coordinate, ((one, (X - Y) ** 2), (one, (X + Y) ** 2), (-two, X**2), (-two, Y**2)))


def slacks(*vectors: sp.Expr) -> sp.Expr:
    """How much shorter than G each vector is, squared: ``G^2 - |g|^2``."""
    return sum((G**2 - total(v**2) for v in vectors), sp.S.Zero)


@obligation("replace-one", item="Definition C.2", about=(_SENSITIVITY,))
def replace_one() -> Sequence[Goal]:
    r"""Replacing one record moves the mean gradient by at most 2G/n.

    Gradients $g,g'$ of the record and of its replacement, in any dimension (coordinates x, y): the means $\frac{r+g}n$
    and $\frac{r+g'}n$, r the sum of the others, differ by $\frac{g-g'}n$, and
    $\frac{4G^2}{n^2}-\|\frac{g-g'}n\|^2=\frac{2(G^2-\|g\|^2)+2(G^2-\|g'\|^2)+\|g+g'\|^2}{n^2}$ (the parallelogram law),
    not negative for $\|g\|,\|g'\|\le G$; no smaller constant will do ($g'=-g$, $\|g\|=G$).
    """
    law, public = parallelogram(), positive("G", "n")
    moved = declared(ReplaceOne) ** 2 - total((X - Y) ** 2) / N**2
    rest = 2 * slacks(X, Y) + total((X + Y) ** 2)
    gap = declared(ReplaceOne) ** 2 - (4 * G**2 - 2 * A - 2 * B - W) / N**2
    smaller = gap - declared(ReplaceOne) ** 2 * (1 - sp.Rational(999, 1000) ** 2)
    both = public + numbers("x", "y")
    return [
        of_fact(parallelogram, law.claim.expr, "==", law.claim.domain, "the parallelogram law"),
        goal((S + X) / N - (S + Y) / N - (X - Y) / N, "==", both + numbers("s"), note="a coordinate of the mean"),
        goal(
            moved - rest / N**2, "==", both, lambda c: k.combine(c.expr, "==", ((-1 / N**2, law),), c.domain),
            "the declared sensitivity, less how far the mean moves",
        ),
        goal(gap, ">=", public + nonnegative("a", "b", "w"), note="a, b, w: the slacks and |g + g'|^2"),
        refutation(smaller, ">=", public + nonnegative("a", "b", "w"), G=1, n=1, a=0, b=0, w=0),
    ]  # fmt: skip


@obligation("zero-out", item="Definition C.2", about=(_SENSITIVITY,))
def zero_out() -> Sequence[Goal]:
    r"""A record that contributes nothing moves the mean gradient by at most G/n.

    $\frac1n\sum_{j\ne i}g_j-\frac1n\sum_jg_j=-\frac{g_i}n$, and
    $\frac{G^2}{n^2}-\|\frac{g_i}n\|^2=\frac{G^2-\|g_i\|^2}{n^2}$, not negative and no less than that; the divisor n is
    public and stays (zero-out, and add-or-remove-one with a public n).
    """
    public = positive("G", "n")
    goals = []
    for adjacency in (ZeroOut, AddOrRemoveOne):
        moved = declared(adjacency) ** 2 - total(X**2) / N**2
        goals += [
            goal(moved - slacks(X) / N**2, "==", public + numbers("x"), note=f"{adjacency.name}: what is left"),
            goal(declared(adjacency) ** 2 - (G**2 - A) / N**2, ">=", public + nonnegative("a"), note=adjacency.name),
        ]
    smaller = (declared(ZeroOut) * sp.Rational(999, 1000)) ** 2 - (G**2 - A) / N**2
    return [
        goal((X - Y) / N - X / N + Y / N, "==", numbers("x", "y") + positive("n"), note="leave one out"),
        *goals,
        refutation(smaller, ">=", public + nonnegative("a"), G=1, n=1, a=0),
    ]


@obligation(
    "clipping",
    item="Section 3",
    about=(_FACTOR,),
    not_proved="The rounding of the clipping factor; `dpref.geometry.sets.shrink` is tested in ball arithmetic.",
)
def clipping() -> Sequence[Goal]:
    r"""A clipped vector is no longer than the threshold.

    $\|g\min(1,C/\|g\|)\|\le C$ in any dimension: the factor is 1 for $s=\|g\|\le C$ and $C/s$ beyond, where $\sum(\frac
    Csg_j)^2=C^2$ as $\sum g_j^2=s^2$.
    """
    short, long = shrink_factors()

    return [
        goal(C - short.subs(S, C * B) * C * B, ">=", positive("C") + box(b=(0, 1)), note="norm b C, b in [0, 1]"),
        goal(
            C**2 - long**2 * total(X**2) - C**2 * (S**2 - total(X**2)) / S**2, "==",
            positive("C", "s") + numbers("x"), note="norm s beyond C: C^2, as |g|^2 = s^2",
        ),
    ]  # fmt: skip
