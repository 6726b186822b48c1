"""Rules of ball arithmetic: positivity on boxes, refutation at a point.  Trusted, like ``kernel`` and ``algebra``."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from fractions import Fraction
from functools import reduce
from typing import Any

import sympy as sp
from flint import arb, ctx, fmpq

from proofs.kernel import require, ring_of, rule
from proofs.terms import SMOOTH, Claim, Domain, Rejected, check_box, is_rational, substitute

PRECISIONS = range(2, 4097)


def ball(q: Any) -> arb:
    """The ball around a rational."""
    return arb(fmpq(int(q.numerator), int(q.denominator)))


def enclose(e: sp.Expr, env: Mapping[sp.Symbol, arb]) -> arb:  # noqa: PLR0911 - one return for each kind
    """A ball that contains the value of e at every point of env's balls; NaN where e may be undefined."""
    if e.is_Symbol:
        return env[e]
    if e.is_Rational:
        return ball(e)
    if e in (sp.pi, sp.E):
        return arb.pi() if e == sp.pi else arb.const_e()
    if isinstance(e, sp.Add | sp.Mul):
        return reduce(arb.__add__ if e.is_Add else arb.__mul__, (enclose(a, env) for a in e.args))
    if isinstance(e, sp.Pow):
        b, p = (enclose(e.args[0], env), e.args[1])
        if p.is_Integer:
            return b ** int(p)
        return b.sqrt() if p == sp.Rational(1, 2) else (b.log() * enclose(p, env)).exp()
    if e.func in SMOOTH:
        f: Callable[[arb], arb] = getattr(arb, e.func.__name__)
        return f(enclose(e.args[0], env))
    raise Rejected(f"no enclosure for {e.func}")


def evaluate(e: sp.Expr, box: Mapping[sp.Symbol, tuple[Fraction, Fraction]], prec: int) -> arb:
    """`enclose` on a box of rational intervals, at a working precision of ``prec`` bits."""
    old, ctx.prec = ctx.prec, prec
    try:
        unit = arb(0, 1)
        return enclose(
            e, {s: ball((lo + hi) / 2) + (ball((hi - lo) / 2) * unit if lo < hi else 0) for s, (lo, hi) in box.items()}
        )
    finally:
        ctx.prec = old


def fraction(x: sp.Expr) -> Fraction:
    """A rational as a Python fraction."""
    return Fraction(int(x.p), int(x.q))


@rule
def cover(expr: sp.Expr, domain: Domain, splits: str, prec: int) -> Claim:
    """``expr > 0`` on a closed box: ``splits`` is the preorder of a bisection tree, 0 a leaf, xk to halve symbol k."""
    require(all(d.ends == "[]" for d in check_box(domain)), "not a closed box")
    require(prec in PRECISIONS, "not a precision")
    names, stack = [d.symbol for d in domain], [tuple((fraction(d.lo), fraction(d.hi)) for d in domain)]
    for word in splits.split():
        require(bool(stack), "more leaves than boxes")
        b = stack.pop()
        require(re.fullmatch("0|x[0-9]{1,4}", word) is not None, "neither a leaf nor a side to halve")
        if word == "0":
            require(bool(evaluate(expr, dict(zip(names, b, strict=True)), prec) > 0), "a leaf is not positive")
        else:
            k = int(word[1:])
            require(k < len(b), "a side that the box has not")
            lo, hi = b[k]
            mid = (lo + hi) / 2
            stack += [(*b[:k], (mid, hi), *b[k + 1 :]), (*b[:k], (lo, mid), *b[k + 1 :])]
    require(not stack, "the leaves do not cover the box")
    return Claim(expr, ">", domain)


@rule
def refute(
    expr: sp.Expr, relation: str, domain: Domain, witness: tuple[tuple[sp.Symbol, sp.Expr], ...], prec: int
) -> Claim:
    """A point of the box at which ``expr relation 0`` is false."""
    ring, at = ring_of(()), dict(witness)
    require(prec in PRECISIONS, "not a precision")
    require(set(at) == {d.symbol for d in domain}, "not a point of the box")
    for s, lo, hi, ends, integer in check_box(domain):
        v = at[s]
        require(is_rational(v) and (not integer or v.is_Integer), "not a rational point")
        require(
            bool(lo < v or (lo == v and ends[0] == "[")) and bool(v < hi or (v == hi and ends[1] == "]")), "outside"
        )
    v = evaluate(expr, {s: (fraction(q), fraction(q)) for s, q in at.items()}, prec)
    zero = relation == ">" and v.is_finite() and ring.zero(ring.normal(substitute(expr, at)))
    false = {"==": bool(v > 0) or bool(v < 0), ">=": bool(v < 0), ">": bool(v < 0) or zero}[relation]
    require(false, "the witness does not refute the claim")
    return Claim(expr, f"not {relation}", domain)


@rule
def distinguish(
    p: tuple[sp.Expr, ...], q: tuple[sp.Expr, ...], event: tuple[int, ...], epsilon: sp.Expr, delta: sp.Expr, prec: int
) -> Claim:
    """Two finite output distributions and an event E: ``P(E) - exp(epsilon) Q(E) - delta > 0`` breaks the claim."""
    for masses in (p, q):
        require(all(is_rational(m) and m >= 0 for m in masses) and sum(masses) == 1, "not a distribution")
    require(prec in PRECISIONS, "not a precision")
    require(len(p) == len(q) and len(set(event)) == len(event) and all(0 <= i < len(p) for i in event), "not an event")
    expr = sum(p[i] for i in event) - sp.exp(epsilon) * sum(q[i] for i in event) - delta
    require(bool(evaluate(expr, {}, prec) > 0), "the event does not break the claim")
    return Claim(expr, ">", ())
