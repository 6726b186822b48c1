"""Terms and boxes: what can stand in a claim, how it is written as JSON, and how a place is put into it.

A term is built from symbols, rational numbers, pi, E, sums, products, powers, exp, log, erfc, tanh, and from the heads
that only some rules can make.  sympy evaluates a term when it is built (``x/x`` becomes 1), and what it leaves is what
a claim speaks of.  So where a rule puts a place into a term, it looks at `unevaluated` first: a part that is undefined
there must not cancel unseen.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Any, NamedTuple

import sympy as sp

total, Sum, slope, limit_of, loop_of = map(sp.Function, ("total", "Sum", "slope", "limit", "loop"))
BINDERS = (total, Sum, slope, limit_of, loop_of)
SMOOTH = (sp.exp, sp.log, sp.erfc, sp.tanh)
NAMED = {"pi": sp.pi, "E": sp.E, "oo": sp.oo, "-oo": -sp.oo}
HEADS: dict[str, Any] = {f.__name__: f for f in (sp.Add, sp.Mul, sp.Pow, *SMOOTH, *BINDERS)}
NUMERAL = "-?[0-9]{1,1000}(/[1-9][0-9]{0,999})?"
LARGEST_EXPONENT = 10_000


class Rejected(Exception):
    """The certificate does not prove the statement."""


class Interval(NamedTuple):
    """The values of one symbol; ``ends`` is one of ``[] [) (] ()``, infinite ends are open."""

    symbol: sp.Symbol
    lo: sp.Expr
    hi: sp.Expr
    ends: str
    integer: bool = False


Domain = tuple[Interval, ...]


class Claim(NamedTuple):
    """``expr relation 0`` at every point of the domain; a relation is ``==``, ``>``, ``>=`` or ``not`` one of them."""

    expr: sp.Expr
    relation: str
    domain: Domain


def is_rational(x: Any) -> bool:
    """Whether x is a number of sympy, p / q with q positive (sympy also makes an object -3/0)."""
    return isinstance(x, sp.Rational) and x.q > 0


def is_symbol(x: Any) -> bool:
    """Whether x is a symbol by its name alone: no assumption, and not named like a number."""
    plain = type(x) is sp.Symbol and x == sp.Symbol(x.name) and re.fullmatch("[A-Za-z][A-Za-z0-9_]*", x.name)
    return bool(plain) and x.name not in (*NAMED, "zoo", "nan")


@lru_cache(maxsize=65536)
def check_term(e: sp.Expr) -> sp.Expr:
    """The term itself, if every part of it is one that the rules know; no head stands inside another."""
    if is_symbol(e) or is_rational(e) or e in (sp.pi, sp.E):
        return e
    n, a = len(e.args), e.args
    ok = {
        sp.Add: n > 1,
        sp.Mul: n > 1,
        sp.Pow: n == 2 and not (is_rational(a[1]) and max(abs(a[1].p), a[1].q) > LARGEST_EXPONENT),
        total: n == 1,
        Sum: n == 4 and is_symbol(a[1]) and isinstance(a[2], sp.Integer) and a[1] not in a[3].free_symbols,
        slope: n == 2 and is_symbol(a[1]),
        limit_of: n == 4 and is_symbol(a[1]) and is_rational(a[2]) and a[3] in (1, -1),
        loop_of: n > 3 and n % 3 == 1 and all(map(is_symbol, a[1::3])) and len({*a[1::3]}) == n // 3,
    }
    if not ok.get(e.func, e.func in SMOOTH and n == 1):
        raise Rejected(f"{e} is not a term")
    if e.func in BINDERS and any(map(heads, a)):
        raise Rejected(f"a head inside another: {e}")
    for x in a:
        check_term(x)
    return e


def heads(e: sp.Expr) -> set[sp.Expr]:
    """The outermost terms in e that only some rules know."""
    return {e} if e.func in BINDERS else set[sp.Expr]().union(*map(heads, e.args))


def check_box(domain: Domain) -> Domain:
    """The box itself, if every interval is one and no symbol has two."""
    for s, lo, hi, ends, integer in map(tuple[Any, ...], domain):
        ok = is_symbol(s) and type(integer) is bool and all(is_rational(x) or x in (sp.oo, -sp.oo) for x in (lo, hi))
        ok = ok and ends in ("[]", "[)", "(]", "()") and bool(lo < hi or (lo == hi and ends == "[]"))
        ok = ok and (lo.is_Rational or (lo < 0 and ends[0] == "(")) and (hi.is_Rational or (hi > 0 and ends[1] == ")"))
        if not ok or (integer and not (lo.is_Integer and hi == sp.oo and ends[0] == "[")):
            raise Rejected(f"{s}: not an interval")
    if len({d.symbol for d in domain}) < len(domain):
        raise Rejected("a symbol with two intervals")
    return domain


def interval(domain: Domain, x: sp.Symbol) -> Interval:
    """The interval of one symbol."""
    return {d.symbol: d for d in check_box(domain)}[x]


def change(domain: Domain, x: sp.Symbol, **changes: Any) -> Domain:
    """The box with another interval for x, or without x."""
    changed = (d._replace(**changes) if d.symbol == x else d for d in domain)
    return check_box(tuple(d for d in changed if changes or d.symbol != x))


def within(inner: Domain, outer: Domain) -> None:
    """Every point of the box ``inner`` gives a point of the box ``outer``, or the certificate is rejected."""
    own = {d.symbol: d for d in check_box(inner)}
    for o in outer:
        i = own.get(o.symbol)
        low = i is not None and (i.lo > o.lo or (i.lo == o.lo and (o.ends[0] == "[" or i.ends[0] == "(")))
        high = i is not None and (i.hi < o.hi or (i.hi == o.hi and (o.ends[1] == "]" or i.ends[1] == ")")))
        if not (i and low and high) or (o.integer and not i.integer):
            raise Rejected(f"a premise is not known for all values of {o.symbol}")


def bound(e: sp.Expr) -> set[sp.Symbol]:
    """Symbols that stand for no single number in e."""
    own = (set(h.free_symbols) if h.func in (total, loop_of) else {h.args[1]} for h in heads(e))
    return set[sp.Symbol]().union(*own)


def free(e: sp.Expr) -> set[sp.Symbol]:
    """Symbols on whose values e depends, or on whose intervals (those that run in a total or in a loop)."""
    if e.is_Symbol:
        return {e}
    inner = [free(a) for a in e.args]
    if e.func in (Sum, limit_of):
        inner[:2] = [inner[0] - {e.args[1]}]
    return set[sp.Symbol]().union(*inner)


def substitute(e: sp.Expr, to: Mapping[sp.Symbol, sp.Expr], *, inside: bool = False) -> sp.Expr:
    """Simultaneous substitution that neither replaces nor captures a bound symbol; into heads only if ``inside``."""
    new = set(to).union(*(v.free_symbols for v in to.values()))
    for h in heads(e):
        if h.free_symbols & set(to):
            if not inside:
                raise Rejected(f"a substitution inside a head: {h}")
            if bound(h) & new:
                raise Rejected(f"a bound symbol would be replaced or captured in {h}")
    return e.xreplace(dict(to))


def unevaluated(e: sp.Expr, to: Mapping[sp.Symbol, sp.Expr]) -> sp.Expr:
    """The same substitution without automatic evaluation, so that no part of e cancels before it is looked at."""
    if e in to or not e.free_symbols & set(to):
        return to.get(e, e)
    return e.func(*(unevaluated(a, to) for a in e.args), evaluate=False)


# ------------------------------------------------------------------------------------ terms as plain JSON


def write_term(e: sp.Expr) -> dict[str, Any]:
    """A term as JSON."""
    if isinstance(e, sp.Symbol):
        return {"symbol": e.name}
    numeral = e.is_Rational or e in NAMED.values()
    return {"number": str(e)} if numeral else {e.func.__name__: [write_term(x) for x in e.args]}


def read_symbol(name: Any) -> sp.Symbol:
    """A symbol of that name."""
    if not (isinstance(name, str) and is_symbol(sp.Symbol(name))):
        raise Rejected(f"not the name of a symbol: {name!r:.80}")
    return sp.Symbol(name)


def read_number(text: Any) -> sp.Expr:
    """A rational number in lowest terms, or a number that has a name."""
    known = isinstance(text, str) and (text in NAMED or re.fullmatch(NUMERAL, text) is not None)
    found = NAMED.get(text) or sp.Rational(text) if known else None
    if found is None or str(found) != text:
        raise Rejected(f"not a numeral in lowest terms: {text!r:.80}")
    return found


def read_term(head: str, parts: tuple[Any, ...]) -> sp.Expr:
    """A head with its arguments, which are looked at before sympy evaluates anything."""
    if head not in HEADS or not all(isinstance(x, sp.Expr) and check_term(x) == x for x in parts):
        raise Rejected(f"{head!r:.80}: no head of that name, or an argument that is not a term")
    several = head in ("Add", "Mul") or HEADS[head] in BINDERS
    if len(parts) == 0 or (not several and len(parts) != (2 if head == "Pow" else 1)):
        raise Rejected(f"a wrong number of arguments of {head}")
    power = head in ("Pow", "exp") and (parts[-1].is_Rational or parts[-1].has(sp.log))
    if power and any(max(abs(q.p), q.q) > LARGEST_EXPONENT for q in parts[-1].atoms(sp.Rational)):
        raise Rejected("an exponent is too large")
    return check_term(HEADS[head](*parts))
