"""Sensitivity of the mean gradient under each adjacency, and of a clipped one."""

# ruff: noqa: D103 - the statement of an obligation is its documentation

from __future__ import annotations

from collections.abc import Sequence

import sympy as sp

from dpref.problems import erm
from dpref.units import AddOrRemoveOne, ReplaceOne, ZeroOut
from proofs import induction
from proofs import kernel as k
from proofs.registry import Goal, goal, obligation, of_fact, reader, refutation
from proofs.search import box, nonnegative, numbers, positive

G, N, A, B, W, C, S, X, Y = sp.symbols("G n a b w C s x y")
_SENSITIVITY = "dpref.problems.erm.mean_gradient_sensitivity"


@reader(_SENSITIVITY)
def read_sensitivity() -> Sequence[sp.Expr]:
    """The declared sensitivity under every adjacency."""
    return [erm.mean_gradient_sensitivity(G, N, adjacency) for adjacency in (ReplaceOne, AddOrRemoveOne, ZeroOut)]


def declared(adjacency: type) -> sp.Expr:
    """What the library declares for gradients of norm at most G and a public n."""
    return erm.mean_gradient_sensitivity(G, N, adjacency)


def parallelogram() -> k.Fact:
    """``|x-y|^2 + |x+y|^2 - 2|x|^2 - 2|y|^2 == 0`` in every dimension: coordinate by coordinate."""
    domain = numbers("x", "y")
    coordinate = k.identity((X - Y) ** 2 + (X + Y) ** 2 - 2 * X**2 - 2 * Y**2, sp.S.Zero, domain)
    one, two = sp.S.One, sp.Integer(2)
    return induction.accumulate(coordinate, ((one, (X - Y) ** 2), (one, (X + Y) ** 2), (-two, X**2), (-two, Y**2)))


@obligation(
    "sensitivity/replace-one",
    title="Replacing one record moves the mean gradient by at most 2G/n",
    statement=r"$\|\frac{g-g'}n\|\le\frac{2G}n$ for $\|g\|,\|g'\|\le G$: with slacks $a=G^2-\|g\|^2$, "
    r"$b=G^2-\|g'\|^2$ and "
    r"$w=\|g+g'\|^2$, $4G^2-\|g-g'\|^2=2a+2b+w\ge0$; no smaller constant will do ($g'=-g$, $\|g\|=G$).",
    citation="hong2022dynamic",
    item="Definition C.2",
    about=(_SENSITIVITY,),
)
def replace_one() -> Sequence[Goal]:
    moved = 2 * (G**2 - A) + 2 * (G**2 - B) - W
    law = parallelogram()
    gap = declared(ReplaceOne) ** 2 - moved / N**2
    smaller = (declared(ReplaceOne) * sp.Rational(999, 1000)) ** 2 - moved / N**2
    return [
        of_fact(parallelogram, law.claim.expr, "==", law.claim.domain, "the parallelogram law"),
        goal(gap, ">=", positive("G", "n") + nonnegative("a", "b", "w")),
        goal(gap.subs({A: 0, B: 0, W: 0}), "==", positive("G", "n"), note="attained by opposite gradients of norm G"),
        refutation(smaller, ">=", positive("G", "n") + nonnegative("a", "b", "w"), G=1, n=1, a=0, b=0, w=0),
    ]


@obligation(
    "sensitivity/zero-out",
    title="A record that contributes nothing moves the mean gradient by at most G/n",
    statement=r"$\frac1n\sum_{j\ne i}g_j-\frac1n\sum_jg_j=-\frac{g_i}n$, of norm at most $\frac Gn$, attained; the "
    r"divisor n "
    r"is public and stays (zero-out, and add-or-remove-one with a public n).",
    citation="hong2022dynamic",
    item="Definition C.2",
    about=(_SENSITIVITY,),
)
def zero_out() -> Sequence[Goal]:
    goals = []
    for adjacency in (ZeroOut, AddOrRemoveOne):
        gap = declared(adjacency) ** 2 - (G**2 - A) / N**2
        goals += [
            goal(gap, ">=", positive("G", "n") + nonnegative("a"), note=adjacency.name),
            goal(gap.subs(A, 0), "==", positive("G", "n"), note="attained"),
        ]
    smaller = (declared(ZeroOut) * sp.Rational(999, 1000)) ** 2 - (G**2 - A) / N**2
    return [
        goal((X - Y) / N - X / N + Y / N, "==", numbers("x", "y") + positive("n"), note="leave one out"),
        *goals,
        refutation(smaller, ">=", positive("G", "n") + nonnegative("a"), G=1, n=1, a=0),
    ]


@obligation(
    "sensitivity/clipping",
    title="A clipped vector is no longer than the threshold",
    statement=r"$\|g\min(1,C/\|g\|)\|\le C$: the factor is 1 for $\|g\|\le C$ and $C/\|g\|$ beyond.",
    citation="hong2022dynamic",
    item="Section 3",
    not_proved="The rounding of the clipping factor; `dpref.geometry.sets.shrink` is tested in ball arithmetic.",
)
def clipping() -> Sequence[Goal]:
    inside = positive("C") + box(b=(0, 1))
    return [
        goal(C - C * B, ">=", inside, note="norm s = b C with b in [0, 1]: factor 1"),
        goal(C - S * (C / S), "==", positive("C", "s"), note="norm s above C: factor C / s"),
    ]
