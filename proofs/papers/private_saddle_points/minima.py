"""Sums of two terms whose product does not depend on the parameter."""

from __future__ import annotations

import sympy as sp

from proofs.algebra import Domain
from proofs.registry import Goal, goal
from proofs.search import positive, sum_of_squares


def root_square(first: sp.Expr, second: sp.Expr) -> tuple[sp.Expr, sp.Expr]:
    """``first + second - 2 sqrt(first second)`` is one square."""
    return sp.S.One, sp.sqrt(first) - sp.sqrt(second)


def least(first: sp.Expr, second: sp.Expr, bound: sp.Expr, at: tuple[sp.Symbol, sp.Expr], domain: Domain) -> list[Goal]:
    """``first + second >= bound``, with equality at ``value``.

    At y times ``value`` the excess is ``bound (1 - y)^2 / (2 y)``: zero at y = 1 alone.
    """
    x, value = at
    y = sp.Symbol("y")
    rest = tuple(d for d in domain if d.symbol != x) + positive("y")
    excess = bound * (1 - y) ** 2 / (2 * y)
    return [
        goal(first + second - bound, ">=", domain, sum_of_squares(root_square(first, second))),
        goal((first + second - bound).subs(x, value * y) - excess, "==", rest, note="attained"),
    ]
