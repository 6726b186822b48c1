"""Rules of induction: finite enumeration, sums and sequences of any length, loops.  Trusted, like ``kernel``."""

from __future__ import annotations

import sympy as sp

from proofs.kernel import ORDER, Fact, Side, at_place, known_on, lies_in, require, ring_of, rule
from proofs.terms import Claim, Domain, Interval, Sum, change, heads, interval, loop_of, substitute, total


@rule
def cases(expr: sp.Expr, relation: str, n: sp.Symbol, each: tuple[Fact, ...], beyond: Fact, domain: Domain) -> Claim:
    """An integer n >= lo: a fact for each of n = lo, lo + 1, ... in turn, and one for all n beyond them."""
    i, rest = interval(domain, n), change(domain, n)
    require(i.integer and relation in ("==", *ORDER), "not a claim about an integer")
    known = (relation,) if relation in ("==", ">") else (*ORDER, "==")
    for j, fact in enumerate(each):
        at = ring_of(rest)
        here = at.normal(at_place(at, expr, {n: i.lo + j}))
        require(at.zero(here - at.normal(known_on(fact, rest, known))), "not about that number")
    later = change(domain, n, lo=i.lo + len(each))
    ring = ring_of(later)
    require(ring.zero(ring.normal(expr) - ring.normal(known_on(beyond, later, known))), "not about the rest")
    return Claim(expr, relation, domain)


@rule
def summation(
    term: sp.Expr, t: sp.Symbol, first: int, n: sp.Symbol, closed: sp.Expr, relation: str, ratio: sp.Expr,
    base: Fact, step: Fact, domain: Domain, side: Side = (),
) -> Claim:  # fmt: skip
    """Induction on n for ``closed - Sum(term, t, first, n)``; old terms are multiplied by ``ratio`` at every step.

    base: closed at ``first - 1``;  step: ``closed(n) - ratio closed(n-1) - term(t=n)``, both with the relation.
    """
    require(interval(domain, n) == Interval(n, sp.Integer(first - 1), sp.oo, "[)", integer=True), "not n >= first - 1")
    rest, later = change(domain, n), change(domain, n, lo=sp.Integer(first))
    known, at, ring = (relation,) if relation == "==" else ORDER, ring_of(rest), ring_of(later, side)
    require(relation in ("==", ">="), "not a relation of sums")
    require(
        at.zero(at.normal(at_place(at, closed, {n: sp.Integer(first - 1)})) - at.normal(known_on(base, rest, known))),
        "base",
    )
    last = ring.normal(at_place(ring, closed, {n: n - 1}))
    grown = ring.normal(closed) - ring.normal(ratio) * last - ring.normal(substitute(term, {t: n}))
    require(ring.zero(grown - ring.normal(known_on(step, later, known))), "step")
    require(relation == "==" or ring.sign(ring.normal(ratio)) in ("+", "0+", "0"), "a ratio may be negative")
    earlier = ring_of((*later, Interval(t, sp.Integer(first), sp.oo, "[)")), side)
    old = earlier.normal(ratio) * earlier.normal(substitute(term, {n: n - 1}))
    require(earlier.zero(earlier.normal(term) - old), "not the ratio")
    return Claim(closed - Sum(term, t, sp.Integer(first), n), relation, domain)


@rule
def accumulate(fact: Fact, terms: tuple[tuple[sp.Expr, sp.Expr], ...]) -> Claim:
    """Add up a fact ``sum of c * phi`` over a sequence: c are parameters, phi (or 1) depends on the running symbols."""
    c = fact.claim
    require(c.relation in ("==", *ORDER) and not heads(c.expr), "not to be added up")
    running = set().union(*(phi.free_symbols for _, phi in terms))
    require(not any(m.free_symbols & running for m, _ in terms), "a parameter that runs")
    ring = ring_of(c.domain)
    require(
        ring.zero(ring.normal(c.expr) - sum(ring.normal(m) * ring.normal(phi) for m, phi in terms)), "not those terms"
    )
    return Claim(sum((m * total(phi) for m, phi in terms), sp.S.Zero), c.relation, c.domain)


@rule
def loop(
    invariant: sp.Expr, relation: str, states: tuple[tuple[sp.Symbol, sp.Expr, sp.Expr], ...], ratio: sp.Expr,
    base: Fact, step: Fact, domain: Domain, side: Side = (),
) -> Claim:  # fmt: skip
    """The invariant holds at the start (base), and after a step it is ratio * itself plus something known (step)."""
    rest, ring, known = domain, ring_of(domain, side), ("==",) if relation == "==" else ORDER
    own = [x for x, _, _ in states]
    require(len({*own}) == len(own) and invariant.free_symbols <= {*own}, "not an invariant of these states")
    for x, _, _ in states:
        rest = change(rest, x)
    at = ring_of(rest)
    for x, x0, u in states:
        i = interval(domain, x)
        require(lies_in(at, x0, i) and lies_in(ring, u, i), f"{x} leaves its interval")
        require(not i.integer or ((x0.is_Integer and (u - x).is_Integer) is True), "an integer is needed")
    first = substitute(invariant, {x: x0 for x, x0, _ in states})
    after = substitute(invariant, {x: u for x, _, u in states})
    require(relation in ("==", ">="), "not a relation of loops")
    require(at.zero(at.normal(first) - at.normal(known_on(base, rest, known))), "base")
    require(relation == "==" or ring.sign(ring.normal(ratio)) in ("+", "0+", "0"), "a ratio may be negative")
    change_ = ring.normal(after) - ring.normal(ratio) * ring.normal(invariant)
    require(ring.zero(change_ - ring.normal(known_on(step, domain, known))), "step")
    return Claim(loop_of(invariant, *(v for state in states for v in state)), relation, domain)
