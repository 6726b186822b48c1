"""Equations of the form "exactly this noise spends exactly that", stated as two inequalities that meet.

Such an equation often cancels while its terms are being built, so that nothing would be left for the kernel to check.
With a factor u on the noise (or on any quantity that the answer depends on strictly) the kernel proves more: no less
than the budget for every u up to one, no more for every u from one on.  At u = 1 both hold, which is the equation.
"""

from __future__ import annotations

from collections.abc import Callable

import sympy as sp

from proofs.algebra import Domain
from proofs.registry import Goal, Tactic, goal
from proofs.search import auto, numbers

FACTOR = sp.Symbol("u")


def pinned(
    spent: Callable[[sp.Expr], sp.Expr], value: sp.Expr, domain: Domain, note: str = "", tactic: Tactic = auto
) -> list[Goal]:
    """``spent(1) == value``, where ``spent`` falls as its factor grows.

    Args:
        spent: What is spent at u times the noise.
        value: What is spent at the noise itself.
        domain: The box of all symbols but u.
        note: What the equation says.
        tactic: For both inequalities.

    Returns:
        ``spent(u) >= value`` for u in (0, 1] and ``spent(u) <= value`` for u >= 1.

    >>> n = sp.Symbol("n")
    >>> [g.claim.relation for g in pinned(lambda u: 1 / (n * u), 1 / n, numbers("n", lo=0))]
    ['>=', '>=']
    """
    return [
        goal(spent(FACTOR) - value, ">=", domain + numbers("u", lo=0, hi=1, ends="(]"), tactic, f"{note}: no less"),
        goal(value - spent(FACTOR), ">=", domain + numbers("u", lo=1, ends="[)"), tactic, f"{note}: no more"),
    ]
