"""A third reading of kernel claims: at rational points, in exact fractions and in balls, sharing no code with proofs.

Heads are worked out from what they mean: a ``Sum`` is added up, ``total`` runs over a random finite sequence of points
of the box, a ``slope`` is sympy's derivative, a ``loop`` is run for a few steps, and a ``limit`` is the value very near
its end, to a few digits only (such claims are counted apart).
"""
# ruff: noqa: S311 - samples, not secrets

from __future__ import annotations

import random
from collections.abc import Mapping
from fractions import Fraction
from typing import Any, NamedTuple

import sympy as sp
from flint import arb, ctx, fmpq

from proofs import kernel as k
from proofs.terms import Claim, Interval, heads

POINTS = 200
PRECISIONS = (128, 512, 2048)
MOST_TERMS = 60
NEAR = Fraction(1, 10**80)
LIMIT_ERROR = arb("1e-12")

Number = Fraction | arb
Point = Mapping[sp.Symbol, Number]


class Undefined(Exception):
    """The expression has no value at the point."""


class Unclear(Exception):
    """More digits, or another evaluator, would be needed."""


class Verdict(NamedTuple):
    """What the points say of a claim."""

    kind: str
    why: str


def point_of(i: Interval, rng: random.Random) -> Fraction:
    """A rational number of an interval: an end where it is closed, next to an end, or anywhere."""
    if i.integer:
        return Fraction(int(i.lo) + rng.choice((0, 1, 2, rng.randint(0, 12))))
    lo = None if i.lo == -sp.oo else Fraction(int(i.lo.p), int(i.lo.q))
    hi = None if i.hi == sp.oo else Fraction(int(i.hi.p), int(i.hi.q))
    closed = [e for e, end in ((lo, i.ends[0]), (hi, i.ends[1])) if e is not None and end in "[]"]
    if closed and (lo == hi or rng.random() < 0.15):
        return rng.choice(closed)
    small = rng.choice((Fraction(1, 10**9), Fraction(1, 1000), Fraction(rng.randint(1, 99), 100)))
    if lo is not None and hi is not None:
        part = rng.choice((small, 1 - small)) * (hi - lo)
        return lo + part
    far = rng.choice((small, small * 10, Fraction(rng.randint(1, 40)), small * 10**3))
    if lo is None and hi is None:
        return far * rng.choice((-1, 1))
    return lo + far if lo is not None else hi - far  # type: ignore[operator]


def ball(v: Number) -> arb:
    """A number as a ball."""
    return arb(fmpq(v.numerator, v.denominator)) if isinstance(v, Fraction) else v


def sign(v: Number) -> int:
    """The sign of a number, where its ball tells."""
    if isinstance(v, Fraction):
        return (v > 0) - (v < 0)
    if v > 0 or v < 0:
        return 1 if v > 0 else -1
    raise Unclear


class Reader:
    """Values of the terms of one claim at one point; a sequence and the steps of a loop are drawn once."""

    def __init__(self, claim: Claim, rng: random.Random) -> None:
        self.domain = claim.domain
        self.seed = rng.random()
        draw = random.Random(self.seed)
        self.sequence = [self.somewhere(draw) for _ in range(draw.randint(1, 4))]

    def somewhere(self, rng: random.Random) -> dict[sp.Symbol, Number]:
        """A point of the box."""
        return {d.symbol: point_of(d, rng) for d in self.domain}

    def value(self, e: sp.Expr, at: Point) -> Number:  # noqa: PLR0911 - one return for each kind
        """The value of a term."""
        if e.is_Symbol:
            return at[e]
        if e.is_Rational:
            return Fraction(int(e.p), int(e.q))
        if e in (sp.pi, sp.E):
            return arb.pi() if e == sp.pi else arb.const_e()
        name = e.func.__name__
        if name in ("total", "Sum", "slope", "limit", "loop"):
            found: Number = getattr(self, name)(*e.args, at=at)
            return found
        if name == "Pow":
            return power(self.value(e.args[0], at), self.value(e.args[1], at))
        parts = [self.value(a, at) for a in e.args]
        if name in ("Add", "Mul"):
            exact = all(isinstance(v, Fraction) for v in parts)
            whole: Any = parts[0] if exact else ball(parts[0])
            for v in parts[1:]:
                other: Any = v if exact else ball(v)
                whole = whole + other if name == "Add" else whole * other
            return whole  # type: ignore[no-any-return]
        (v,) = parts
        if name == "log" and sign(v) <= 0:
            raise Undefined(e)
        if name == "exp" and v == 0:
            return Fraction(1)
        out: arb = getattr(ball(v), name)()
        if not out.is_finite():
            raise Unclear
        return out

    def total(self, body: sp.Expr, *, at: Point) -> Number:
        """The sum over the sequence."""
        return self._add([self.value(body, {**at, **p}) for p in self.sequence])

    def Sum(self, body: sp.Expr, t: sp.Symbol, first: sp.Expr, last: sp.Expr, *, at: Point) -> Number:
        """The sum, added up."""
        n = self.value(last, at)
        if not (isinstance(n, Fraction) and n.denominator == 1) or n - int(first) > MOST_TERMS:
            raise Unclear
        return self._add([self.value(body, {**at, t: Fraction(j)}) for j in range(int(first), int(n) + 1)])

    def _add(self, parts: list[Number]) -> Number:
        exact = [v for v in parts if isinstance(v, Fraction)]
        if len(exact) == len(parts):
            return sum(exact, Fraction(0))
        return sum((ball(v) for v in parts), arb(0))

    def slope(self, f: sp.Expr, x: sp.Symbol, *, at: Point) -> Number:
        """The derivative."""
        return self.value(sp.diff(f, x), at)

    def limit(self, f: sp.Expr, x: sp.Symbol, end: sp.Expr, side: sp.Expr, *, at: Point) -> Number:
        """The value very near the end, to a few digits."""
        near = Fraction(int(end.p), int(end.q)) + int(side) * NEAR
        return ball(self.value(f, {**at, x: near})) + LIMIT_ERROR * arb(0, 1)

    def loop(self, invariant: sp.Expr, *states: sp.Expr, at: Point) -> Number:
        """The invariant after a few steps."""
        rng = random.Random(f"{self.seed}{invariant}{states}")
        rows = list(zip(states[::3], states[1::3], states[2::3], strict=True))
        now = {x: self.value(x0, at) for x, x0, _ in rows}
        for _ in range(rng.randint(0, 4)):
            inputs = self.somewhere(rng)
            now = {x: self.value(u, {**at, **inputs, **now}) for x, _, u in rows}
        return self.value(invariant, {**at, **now})


def power(b: Number, p: Number) -> Number:
    """A power: of any number for a whole exponent, else of a non-negative one."""
    if isinstance(p, Fraction) and p.denominator == 1:
        if p < 0 and sign(b) == 0:
            raise Undefined
        if isinstance(b, Fraction) and abs(p) <= 10**4:
            return b ** int(p)
        found = ball(b) ** int(p)
    else:
        s = sign(b)
        if s < 0 or (s == 0 and not (isinstance(p, Fraction) and p > 0)):
            raise Undefined
        if s == 0:
            return Fraction(0)
        found = ball(b).sqrt() if p == Fraction(1, 2) else (ball(b).log() * ball(p)).exp()
    if not found.is_finite():
        raise Unclear
    return found


def holds(relation: str, v: Number) -> bool:
    """Whether ``v relation 0`` is true, or may be."""
    if isinstance(v, Fraction):
        return {"==": v == 0, ">": v > 0, ">=": v >= 0}[relation]
    return not {"==": bool(v > 0) or bool(v < 0), ">": bool(v <= 0), ">=": bool(v < 0)}[relation]


def certainly_not(relation: str, v: Number) -> bool:
    """Whether ``v relation 0`` is false."""
    return not holds(relation, v)


def settled(relation: str, v: Number) -> bool:
    """Whether more digits could change nothing: an equality to 30 digits, or a ball off zero."""
    if isinstance(v, Fraction) or relation == "==":
        return isinstance(v, Fraction) or bool(v.rad() < arb("1e-30")) or bool(v > 0) or bool(v < 0)
    return bool(v > 0) or bool(v < 0)


def at_point(claim: Claim, relation: str, reader: Reader, at: Point) -> str:
    """``true``, ``false``, ``undefined`` or ``unclear`` at one point."""
    old = ctx.prec
    try:
        for precision in PRECISIONS:
            ctx.prec = precision
            try:
                v = reader.value(claim.expr, at)
            except Unclear:
                continue
            except Undefined:
                return "undefined"
            if certainly_not(relation, v):
                return "false"
            if settled(relation, v):
                return "true"
        return "unclear"
    finally:
        ctx.prec = old


def verdict(fact: k.Fact, rng: random.Random, points: int = POINTS) -> Verdict:
    """What so many points of its box say of a fact; of a refutation, what its witness says."""
    claim = fact.claim
    if fact.rule == "refute":
        at = {s: Fraction(int(q.p), int(q.q)) for s, q in fact.args[3]}
        said = at_point(claim, claim.relation.removeprefix("not "), Reader(claim, rng), at)
        return Verdict({"false": "true", "true": "false"}.get(said, said), f"at {at}" if said == "true" else "")
    rough = any(n in str(claim.expr) for n in ("limit(",))
    seen = set[str]()
    for _ in range(points if claim.domain or heads(claim.expr) else 1):
        reader = Reader(claim, rng)
        at = {s: v for s, v in reader.somewhere(rng).items() if isinstance(v, Fraction)}
        said = at_point(claim, claim.relation, reader, at)
        if said in ("false", "undefined"):
            return Verdict(said, f"at {at}")
        seen.add(said)
    if "true" not in seen:
        return Verdict("not evaluated at any point", "")
    return Verdict("true to a few digits (a limit)" if rough else "true", "")
