"""Sums and loops of any length: what is claimed of them, with the induction that proves it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import sympy as sp

from proofs import induction
from proofs import kernel as k
from proofs.algebra import Domain, Sum
from proofs.registry import Goal, goal
from proofs.search import ZERO, States, loop_value, natural


@dataclass(frozen=True)
class Series:
    """``closed - Sum(term, index, 1, n) == 0`` for every n >= 0, by induction over n.

    Attributes:
        closed: The sum in closed form.
        term: Its terms.
        index: What runs in them.
        n: How many there are.
        rest: The box of all other symbols.
        ratio: What the old terms are multiplied by when n grows by one.
        start: The closed form without terms, where that is plainly zero; else it is an identity on ``rest``.

    >>> j, n = sp.symbols("j n")
    >>> Series(n * (n + 1) / 2, j, j, n, ()).fact().claim.relation
    '=='
    """

    closed: sp.Expr
    term: sp.Expr
    index: sp.Symbol
    n: sp.Symbol
    rest: Domain
    ratio: sp.Expr = sp.S.One
    start: k.Fact | None = None

    def fact(self) -> k.Fact:
        """The induction."""
        closed, n, rest = self.closed, self.n, self.rest
        start = self.start or k.identity(closed.subs(n, 0), sp.S.Zero, rest)
        grown = closed - self.ratio * closed.subs(n, n - 1) - self.term.subs(self.index, n)
        step = k.identity(grown, sp.S.Zero, rest + natural(n.name, 1))
        box = rest + natural(n.name)
        return induction.summation(self.term, self.index, 1, n, closed, "==", self.ratio, start, step, box)

    def goal(self, note: str = "by induction") -> Goal:
        """What `fact` proves."""
        expr = self.closed - Sum(self.term, self.index, sp.S.One, self.n)
        return goal(expr, "==", self.rest + natural(self.n.name), lambda _: self.fact(), note)


def equal_terms(term: sp.Expr, index: sp.Symbol, n: sp.Symbol, domain: Domain, note: str) -> Goal:
    """``n term`` is the sum of n equal terms; the box is of all symbols, n among them."""

    def added(_: object) -> k.Fact:
        return induction.summation(term, index, 1, n, n * term, "==", sp.S.One, ZERO, ZERO, domain)

    return goal(n * term - Sum(term, index, sp.S.One, n), "==", domain, added, note)


def after(invariant: sp.Expr, states: States) -> sp.Expr:
    """The invariant after one step of a loop."""
    return invariant.subs({x: e for x, _, e in states}, simultaneous=True)


def loop_goal(
    invariant: sp.Expr,
    relation: str,
    states: States,
    domain: Domain,
    note: str = "",
    *,
    step: Callable[[], k.Fact] = lambda: ZERO,
    ratio: sp.Expr = sp.S.One,
) -> Goal:
    """An invariant that vanishes at the start holds however often the states have moved.

    Args:
        invariant: What is ``== 0`` or ``>= 0``.
        relation: Which of them.
        states: Each symbol with its start and with what it becomes.
        domain: The box of all symbols, starts included.
        note: What the claim says.
        step: Makes the fact about the invariant after a step less ``ratio`` times the invariant.
        ratio: See ``step``.
    """

    def prove(_: object) -> k.Fact:
        base = ZERO if relation == "==" else k.sign(sp.S.Zero, relation, ())
        return induction.loop(invariant, relation, states, ratio, base, step(), domain)

    return goal(loop_value(invariant, states), relation, domain, prove, note)
