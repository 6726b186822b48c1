"""Sums of any length: claims about inner products, coordinate by coordinate, and about recursions, step by step.

Untrusted, like ``search``: what is found here is checked by `proofs.induction`.
"""

from __future__ import annotations

from collections.abc import Sequence

import sympy as sp

from proofs import induction
from proofs import kernel as k
from proofs.algebra import Claim, Domain, interval, total
from proofs.registry import Goal, Tactic, goal
from proofs.search import States, auto, fixed, loop_value
from proofs.terms import heads


def every_step(
    invariant: sp.Expr,
    relation: str,
    states: States,
    domain: Domain,
    *,
    parameters: Sequence[sp.Symbol] = (),
    ratio: sp.Expr = sp.S.One,
    step: Tactic = auto,
    note: str = "",
) -> Goal:
    """The invariant holds at the start and after any number of steps; base and step are worked out here.

    Args:
        invariant: A term of the states and parameters.
        relation: ``==`` or ``>=``.
        states: (symbol, start, what it becomes).
        domain: The box of the states, parameters and inputs.
        parameters: Symbols of the box that never change; each starts at a number of its own, ``x_0``.
        ratio: What a step multiplies the invariant by.
        step: Proves what a step adds to the invariant beside that.
        note: What the claim says.

    >>> from proofs.search import nonnegative
    >>> s, u = sp.symbols("s u")
    >>> every_step(s, ">=", ((s, sp.S.Zero, s + u),), nonnegative("s", "u")).claim.expr
    loop(s, s, 0, s + u)
    """
    every = (*fixed(*parameters), *states)
    own = {x for x, _, _ in every}
    starts = tuple(interval(domain, x)._replace(symbol=sp.Symbol(f"{x}_0")) for x in parameters)

    def prove(c: Claim) -> k.Fact:
        first = invariant.xreplace({x: start for x, start, _ in every})
        after = invariant.xreplace({x: new for x, _, new in every})
        base = auto(Claim(first, relation, tuple(d for d in c.domain if d.symbol not in own)))
        added = step(Claim(after - ratio * invariant, relation, c.domain))
        return induction.loop(invariant, relation, every, ratio, base, added, c.domain)

    return goal(loop_value(invariant, every), relation, domain + starts, prove, note)


def counted(*sums: tuple[sp.Symbol, sp.Expr]) -> States:
    """Sums that start at zero, each with what a step adds to it.

    >>> counted((sp.Symbol("s"), sp.Symbol("u")))
    ((s, 0, s + u),)
    """
    return tuple((s, sp.S.Zero, s + u) for s, u in sums)


def multiplied_out(head: sp.Expr, domain: Domain) -> k.Fact | None:
    """``total(phi)`` as a sum of totals of monomials; None where it is one."""
    (phi,) = head.args
    terms = sp.Poly(sp.expand(phi), *sorted(phi.free_symbols, key=str)).terms()
    gens = sorted(phi.free_symbols, key=str)
    parts = [(c, sp.Mul(*(g**i for g, i in zip(gens, powers, strict=True)))) for powers, c in terms]
    if parts == [(1, phi)]:
        return None
    box = tuple(d for d in domain if d.symbol in phi.free_symbols)
    same = k.identity(phi, sum((c * m for c, m in parts), sp.S.Zero), box)
    return induction.accumulate(same, ((sp.S.One, phi), *((-c, m) for c, m in parts)))


def in_coordinates(*squares: tuple[sp.Expr, sp.Expr], rest: sp.Expr = sp.S.Zero) -> Tactic:
    """A tactic for claims that are linear in totals (inner products, coordinate by coordinate).

    Every total is multiplied out; what is left over is the sum of weight * total(root^2) and of ``rest``.

    Args:
        squares: (weight, root), weights that are not negative.
        rest: What else is left; not negative.
    """
    over = sum((w * total(q**2) for w, q in squares), rest)

    def prove(c: Claim) -> k.Fact:
        gap = c.expr - over
        names = {h: sp.Dummy() for h in sorted(heads(gap), key=str)}
        linear = gap.xreplace(names)
        facts = [(sp.diff(linear, x), multiplied_out(h, c.domain)) for h, x in names.items()]
        terms = [(m, fact) for m, fact in facts if fact is not None]
        if over != 0:
            terms.append((sp.S.One, k.sign(over, ">=", c.domain)))
        return k.combine(c.expr, c.relation, tuple(terms), c.domain)

    return prove


def summed(terms: tuple[tuple[sp.Expr, sp.Expr], ...], one: Tactic) -> Tactic:
    """A tactic for ``sum of c * total(phi)``: the same for one coordinate, proved by ``one``, added up."""

    def prove(c: Claim) -> k.Fact:
        coordinate = sum((m * phi for m, phi in terms), sp.S.Zero)
        return induction.accumulate(one(Claim(coordinate, c.relation, c.domain)), terms)

    return prove
