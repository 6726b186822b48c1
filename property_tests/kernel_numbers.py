"""A second reading of kernel claims, in mpmath: shares no code with the kernel's normal forms or balls."""
# ruff: noqa: S311 - samples, not secrets

from __future__ import annotations

import random
from collections.abc import Mapping
from typing import Any

import mpmath as mp
import sympy as sp

from proofs.algebra import Claim, Interval

Point = dict[sp.Symbol, Any]
_UNARY = {"exp": mp.exp, "log": mp.log, "erfc": mp.erfc, "tanh": mp.tanh}


class Undefined(Exception):
    """The expression has no value at the point."""


def sample(i: Interval, rng: random.Random) -> Any:
    """A random number of an interval; closed ends are drawn now and then."""
    if i.integer:
        return mp.mpf(int(i.lo) + rng.randint(0, 5))
    lo = None if i.lo == -sp.oo else mp.mpf(int(i.lo.p)) / int(i.lo.q)
    hi = None if i.hi == sp.oo else mp.mpf(int(i.hi.p)) / int(i.hi.q)
    if lo is not None and i.ends[0] == "[" and rng.random() < 0.1:
        return lo
    if hi is not None and i.ends[1] == "]" and rng.random() < 0.1:
        return hi
    u = mp.mpf(rng.randint(1, 10**9 - 1)) / 10**9
    if lo is not None and hi is not None:
        return lo + (hi - lo) * u
    far = mp.mpf(10) ** rng.uniform(-3, 1) * u
    if lo is None and hi is None:
        return far * rng.choice((-1, 1))
    return lo + far if hi is None else hi - far


def value(e: sp.Expr, at: Mapping[sp.Symbol, Any], claim: Claim, rng: random.Random) -> Any:  # noqa: PLR0911
    """The number that e is at a point, or one of its possible values where e ranges over sequences or loops."""
    if e.is_Symbol:
        return at[e]
    if e.is_Rational:
        return mp.mpf(int(e.p)) / int(e.q)
    if e in (sp.pi, sp.E):
        return mp.pi if e == sp.pi else mp.e
    name = e.func.__name__
    if name in ("total", "Sum", "slope", "limit", "loop"):
        return _binder(name, e, at, claim, rng)
    v = [value(a, at, claim, rng) for a in e.args]
    if name == "Add":
        return mp.fsum(v)
    if name == "Mul":
        return mp.fprod(v)
    if name == "Pow":
        if (v[0] == 0 and v[1] < 0) or (v[0] < 0 and v[1] != int(v[1])):
            raise Undefined
        return v[0] ** int(v[1]) if v[1] == int(v[1]) else mp.power(v[0], v[1])
    if name == "log" and v[0] <= 0:
        raise Undefined
    return _UNARY[name](v[0])


def _binder(name: str, e: sp.Expr, at: Mapping[sp.Symbol, Any], claim: Claim, rng: random.Random) -> Any:
    if name == "total":
        length = random.Random(str(sorted(map(str, at.values())))).randint(1, 4)
        points = [
            {d.symbol: sample(d, random.Random(f"{j}{d.symbol}{at.get(d.symbol)}")) for d in claim.domain}
            for j in range(length)
        ]
        return mp.fsum(value(e.args[0], {**at, **p}, claim, rng) for p in points)
    if name == "Sum":
        term, t, first, last = e.args
        end = int(value(last, at, claim, rng))
        return mp.fsum(value(term, {**at, t: mp.mpf(j)}, claim, rng) for j in range(int(first), end + 1))
    if name == "slope":
        return mp.diff(lambda x: value(e.args[0], {**at, e.args[1]: x}, claim, rng), at[e.args[1]])
    if name == "limit":
        near = value(e.args[2], at, claim, rng) + int(e.args[3]) * mp.mpf(10) ** -18
        return mp.nint(10**12 * value(e.args[0], {**at, e.args[1]: near}, claim, rng)) / mp.mpf(10) ** 12
    states = [(x, x0, u) for x, x0, u in zip(e.args[1::3], e.args[2::3], e.args[3::3], strict=True)]
    now = {x: value(x0, at, claim, rng) for x, x0, _ in states}
    for _ in range(rng.randint(0, 5)):
        inputs = {d.symbol: sample(d, rng) for d in claim.domain}
        now = {x: value(u, {**inputs, **now}, claim, rng) for x, _, u in states}
    fresh = {d.symbol: sample(d, rng) for d in claim.domain}
    return value(e.args[0], {**fresh, **now}, claim, rng)


def counterexample(claim: Claim, rng: random.Random, samples: int = 10, digits: int = 40) -> Point | None:
    """A point of the box where the claim is false or undefined, if one of a few random points is."""
    for _ in range(samples):
        with mp.workdps(digits):
            at = {d.symbol: sample(d, rng) for d in claim.domain}
            try:
                terms = claim.expr.args if claim.expr.is_Add else ()
                largest = max((abs(value(t, at, claim, rng)) for t in terms), default=mp.mpf(1))
                # What cancels takes its digits along: as many more are computed with.
                spare = int(mp.log10(largest)) if mp.isfinite(largest) and largest > 1 else 0
                with mp.workdps(digits + min(spare, 10_000)):
                    v = value(claim.expr, at, claim, rng)
            except (Undefined, ZeroDivisionError):
                return at
            if not mp.isfinite(v):
                continue  # beyond mpmath's exponents
            scale = 1 + sum(abs(x) for x in at.values()) ** 4
            slack = mp.mpf(10) ** (-10 if {"slope", "limit"} & _names(claim.expr) else -25) * scale
            true = {"==": abs(v) <= slack, ">=": v >= -slack, ">": v > -slack}
            if claim.relation in true and not true[claim.relation]:
                return at
    return None


def is_witness(claim: Claim, witness: Any, digits: int = 60) -> bool:
    """Whether ``expr relation 0`` is false at the point, for a claim ``not relation``."""
    with mp.workdps(digits):
        v = value(claim.expr, {s: mp.mpf(int(q.p)) / int(q.q) for s, q in witness}, claim, random.Random(0))
        return bool(
            {"==": v != 0, ">=": v < 0, ">": v <= mp.mpf(10) ** (5 - digits)}[claim.relation.removeprefix("not ")]
        )


def _names(e: sp.Expr) -> set[str]:
    return {e.func.__name__}.union(*(_names(a) for a in e.args))
