"""Untrusted search: finds the certificates that the kernel checks.  A wrong answer here is rejected there."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction

import sympy as sp

from proofs import balls
from proofs import kernel as k
from proofs.algebra import Claim, Domain, Interval, Rejected, interval, loop_of, total

LIMIT = 60_000


def numbers(*names: str, lo: object = "-oo", hi: object = "oo", ends: str = "()", integer: bool = False) -> Domain:
    """Intervals of equal shape for several symbols.

    >>> numbers("kappa", lo=1)[0].lo
    1
    """
    low, high = (sp.Rational(e) if isinstance(e, Fraction) else sp.sympify(e) for e in (lo, hi))
    return tuple(Interval(sp.Symbol(n), low, high, ends, integer) for n in names)


def positive(*names: str) -> Domain:
    """Symbols in (0, oo)."""
    return numbers(*names, lo=0)


def nonnegative(*names: str) -> Domain:
    """Symbols in [0, oo)."""
    return numbers(*names, lo=0, ends="[)")


def unit(*names: str) -> Domain:
    """Symbols in (0, 1)."""
    return numbers(*names, lo=0, hi=1)


def natural(name: str, least: int = 0) -> Domain:
    """An integer symbol."""
    return numbers(name, lo=least, ends="[)", integer=True)


def box(**sides: tuple[object, object]) -> Domain:
    """A closed box."""
    return tuple(d for n, (lo, hi) in sides.items() for d in numbers(n, lo=lo, hi=hi, ends="[]"))


def symbols(domain: Domain) -> tuple[sp.Symbol, ...]:
    """The symbols of a box, in order."""
    return tuple(d.symbol for d in domain)


ZERO = k.identity(sp.S.Zero, sp.S.Zero, ())


def auto(claim: Claim, side: tuple[k.Fact, ...] = ()) -> k.Fact:
    """The plain tactic: an identity where the relation is ``==``, a sign otherwise."""
    if claim.relation == "==":
        return k.identity(claim.expr, sp.S.Zero, claim.domain, side)
    return k.sign(claim.expr, claim.relation, claim.domain, side)


def grow(
    f: sp.Expr,
    x: sp.Symbol,
    domain: Domain,
    *,
    anchor: str = "lo",
    growth: k.Fact | None = None,
    start: k.Fact | None = None,
    side: tuple[k.Fact, ...] = (),
) -> k.Fact:
    """`kernel.monotone`, with the slope's sign and the value at the end found where they are easy."""
    i = interval(domain, x)
    inside = tuple(d._replace(ends="()") if d.symbol == x else d for d in domain)
    rest = tuple(d for d in domain if d.symbol != x)
    rise = sp.diff(f, x) if anchor == "lo" else -sp.diff(f, x)
    growth = growth or strongest(rise, inside, side)
    start = start or strongest(f.subs(x, i.lo if anchor == "lo" else i.hi), rest, ())
    return k.monotone(f, x, anchor, growth, start, domain, side)


def sum_of_squares(*terms: tuple[sp.Expr, sp.Expr]) -> Callable[[Claim], k.Fact]:
    """The tactic that shows a claim to be a sum of squares: (weight, root), ..."""
    return lambda c: k.squares(c.expr, terms, c.domain)


def strongest(e: sp.Expr, domain: Domain, side: tuple[k.Fact, ...]) -> k.Fact:
    """``e == 0``, ``e > 0`` or ``e >= 0``: the first of them that a plain tactic proves."""
    for relation in ("==", ">", ">="):
        try:
            return auto(Claim(sp.sympify(e), relation, domain), side)
        except Rejected:
            continue
    raise Rejected(f"no plain proof that {e} is not negative")


def bisect(claim: Claim, *, prec: int = 64, limit: int = LIMIT) -> k.Fact:
    """Prove ``expr > 0`` on a closed box by halving the side of the largest relative width, or refute it."""
    names = symbols(claim.domain)
    whole = tuple((balls.fraction(d.lo), balls.fraction(d.hi)) for d in claim.domain)
    width, stack, tokens = [hi - lo for lo, hi in whole], [whole], list[str]()
    while stack:
        b = stack.pop()
        if balls.evaluate(claim.expr, dict(zip(names, b, strict=True)), prec) > 0:
            tokens.append("0")
            continue
        middle = {s: ((lo + hi) / 2,) * 2 for s, (lo, hi) in zip(names, b, strict=True)}
        if balls.evaluate(claim.expr, middle, prec) < 0:
            point = tuple((s, sp.Rational(v.numerator, v.denominator)) for s, (v, _) in middle.items())
            return balls.refute(claim.expr, ">", claim.domain, point, 128)
        if len(tokens) > limit:
            raise Rejected(f"no cover with {limit} boxes; stuck at {b}")
        j = max(range(len(b)), key=lambda i: (b[i][1] - b[i][0]) / width[i] if width[i] else Fraction(0))
        lo, hi = b[j]
        tokens.append(f"x{j}")
        stack += [(*b[:j], ((lo + hi) / 2, hi), *b[j + 1 :]), (*b[:j], (lo, (lo + hi) / 2), *b[j + 1 :])]
    return balls.cover(claim.expr, claim.domain, " ".join(tokens), prec)


def taylor(f: sp.Expr, x: sp.Symbol, domain: Domain, order: int, *, prec: int = 64) -> k.Fact:
    """``f >= 0`` on [a, b] where f vanishes at a to an order and that derivative is positive: monotone, order times."""
    (i,) = domain
    rise = bisect(Claim(sp.diff(f, x, order), ">", domain), prec=prec)
    for j in range(order - 1, -1, -1):
        rise = grow(sp.diff(f, x, j), x, (i,), growth=rise)
    return rise


def total_of(*terms: tuple[sp.Expr, sp.Expr]) -> sp.Expr:
    """``sum of c * total(phi)``, the shape that `kernel.accumulate` concludes with."""
    return sum((c * total(phi) for c, phi in terms), sp.S.Zero)


States = tuple[tuple[sp.Symbol, sp.Expr, sp.Expr], ...]


def loop_value(invariant: sp.Expr, states: States) -> sp.Expr:
    """Any value of the invariant, the shape that `induction.loop` concludes with."""
    value: sp.Expr = loop_of(invariant, *(part for state in states for part in state))
    return value


def fixed(*symbols: sp.Symbol) -> States:
    """States that start at a number of their own (``x_0``) and stay there: the parameters of a loop."""
    return tuple((x, sp.Symbol(f"{x.name}_0"), x) for x in symbols)


def rational_point(**at: object) -> tuple[tuple[sp.Symbol, sp.Expr], ...]:
    """A witness: names and exact values."""
    return tuple((sp.Symbol(n), sp.Rational(str(v))) for n, v in at.items())


def sides(*facts: k.Fact) -> Sequence[k.Fact]:
    """A tuple of side conditions."""
    return tuple(facts)
