"""A small LCF-style kernel for real formulas; with ``algebra`` (normal forms) it is all that has to be trusted.

A `Fact` states ``expr relation 0`` at every point of a box.  It can only be made by the rules below, and each rule
re-checks its certificate with exact algebra over the rationals or with outward-rounded ball arithmetic; nothing here
searches, simplifies, evaluates text, or uses a float.  ``certificate`` is plain JSON and ``replay`` rebuilds the fact
from that JSON alone.  A fact also says that its expression, as sympy's automatic evaluation leaves it, is *defined* on
the whole box: no pole, no logarithm of a non-positive number, no root of a negative one; open and closed ends are told
apart everywhere.  docs/kernel-rules.md states each rule with the reason why it is sound.

Heads that only some rules can make, and that every other rule treats as unknown real numbers: ``Sum(a, t, m, n)`` is
a(m) + ... + a(n); ``total(a)`` is the sum of a over an arbitrary finite, non-empty sequence of points of the box;
``slope(f, x)`` is the partial derivative; ``limit(f, x, c, d)`` is the limit from above (d = 1) or from below (-1);
``loop(i, x, x0, u, ...)`` is any value that i takes while x starts at x0 and is again and again replaced by u (all at
once), the symbols without a start being chosen anew from the box at every step.  Where a head's definition gives no
number it stands for an arbitrary one, so that only what is true of every number can be proved of it.  No head stands
inside another.

Trusted besides: CPython, sympy's automatic evaluation, ``diff`` and ``Poly``, and FLINT.
"""

from __future__ import annotations

import inspect
import json
from collections.abc import Callable, Mapping
from dataclasses import InitVar, dataclass
from functools import lru_cache, reduce
from typing import Any, ParamSpec, get_args, get_origin, get_type_hints

import sympy as sp

from proofs.algebra import Ring

from proofs.terms import (  # isort: skip
    Claim, Domain, Interval, Rejected, bound, change, check_box, check_term, free, interval, is_rational, is_symbol,
    limit_of, read_number, read_symbol, read_term, slope, substitute, unevaluated, within, write_term,
)  # fmt: skip

P = ParamSpec("P")
_KEY = object()
ORDER = (">", ">=")


@dataclass(frozen=True, eq=False)
class Fact:
    """A claim that a rule has checked, with the rule's arguments as its certificate."""

    claim: Claim
    rule: str
    args: tuple[Any, ...]
    key: InitVar[object] = None  # not a field: `dataclasses.replace` cannot pass it on to another claim

    def __post_init__(self, key: object) -> None:
        if key is not _KEY:
            raise TypeError("a Fact is made by a rule, never by hand")

    def premises(self) -> list[Fact]:
        """The facts that the rule was given."""
        flat: list[Any] = [*self.args]
        for v in flat:
            flat.extend(v if isinstance(v, tuple) else ())
        return [v for v in flat if isinstance(v, Fact)]

    def rules(self) -> frozenset[str]:
        """Every rule that the fact rests on."""
        return reduce(frozenset.union, (p.rules() for p in self.premises()), frozenset({self.rule}))

    def assumptions(self) -> frozenset[str]:
        """The citations of every axiom that the fact rests on."""
        own = frozenset({str(self.args[-1])} if self.rule == "axiom" else ())
        return reduce(frozenset.union, (p.assumptions() for p in self.premises()), own)

    def certificate(self) -> dict[str, Any]:
        """Plain JSON from which `replay` rebuilds the fact."""
        return {"claim": encode(tuple(self.claim)), **encode(self)["fact"]}


Side = tuple[Fact, ...]

# ------------------------------------------------------------------------------------ certificates as plain JSON


def encode(v: Any) -> Any:
    """An argument of a rule as JSON."""
    if isinstance(v, Fact):
        return {"fact": {"rule": v.rule, "args": encode(v.args)}}
    if isinstance(v, Interval):
        return {"interval": [encode(x) for x in v]}
    if isinstance(v, tuple):
        return [encode(x) for x in v]
    return write_term(v) if isinstance(v, sp.Expr) else v


def decode(j: Any) -> Any:  # noqa: PLR0911 - one return for each kind of JSON
    """The inverse of `encode`; it never evaluates text as code, and rejects JSON that `encode` does not write."""
    if isinstance(j, list):
        return tuple(map(decode, j))
    if type(j) in (str, int, bool):
        return j
    require(type(j) is dict and len(j) == 1, f"neither text, a whole number, a list nor one head: {j!r:.80}")
    ((head, body),) = j.items()
    if head == "symbol":
        return read_symbol(body)
    if head == "number":
        return read_number(body)
    if head == "fact":
        require(isinstance(body, dict) and body.keys() == {"rule", "args"}, "a fact is a rule and its arguments")
        return _replay(json.dumps(body))
    require(isinstance(body, list), f"{head!r:.80} without a list of arguments")
    parts = tuple(map(decode, body))
    if head == "interval":
        require(len(parts) == len(Interval._fields), "an interval has five parts")
        return Interval(*parts)
    return read_term(head, parts)


@lru_cache(maxsize=4096)
def _replay(text: str) -> Fact:
    c = json.loads(text)
    require(isinstance(c["rule"], str) and c["rule"] in RULES, f"no rule is named {c['rule']!r:.80}")
    require(isinstance(c["args"], list), "the arguments of a rule are a list")
    return RULES[c["rule"]](*decode(c["args"]))


def replay(c: Mapping[str, Any]) -> Fact:
    """Rebuild a fact from its certificate alone by running its rule again; its claim must be the recorded one."""
    try:
        require(c.keys() == {"claim", "rule", "args"}, "a certificate is a claim, a rule and its arguments")
        fact = _replay(json.dumps({"rule": c["rule"], "args": c["args"]}))
        same = json.dumps(encode(tuple(fact.claim))) == json.dumps(c["claim"])
    except Rejected:
        raise
    except Exception as error:
        raise Rejected(f"not a certificate: {error!r}") from error
    if not same:
        raise Rejected("the certificate proves another claim than the one it records")
    return fact


RULES: dict[str, Callable[..., Fact]] = {}


def rule(check: Callable[P, Claim]) -> Callable[P, Fact]:
    """Make a rule of a function that returns what its arguments prove, or raises `Rejected`.

    Every argument must be what the function's signature says, so that no premise hides where `premises` does not look.
    """
    signature, types = inspect.signature(check), get_type_hints(check)

    def apply(*args: P.args, **kwargs: P.kwargs) -> Fact:
        call = signature.bind(*args, **kwargs)
        call.apply_defaults()
        for name, v in call.arguments.items():
            require(fits(v, types[name]), f"{check.__name__}: the argument {name} is not of its type")
        claim = check(*call.args, **call.kwargs)
        check_term(claim.expr)
        check_box(claim.domain)
        require(free(claim.expr) <= {d.symbol for d in claim.domain}, "a symbol without an interval")
        return Fact(claim, check.__name__, call.args, _KEY)

    RULES[check.__name__] = apply
    return apply


def fits(v: Any, kind: Any) -> bool:
    """Whether v is of a type as signatures write it; a term must also be one that the rules know."""
    if get_origin(kind) is tuple:
        inner = get_args(kind)
        each = inner[:1] * len(v) if type(v) is tuple and inner[-1] is Ellipsis else inner
        return type(v) is tuple and len(v) == len(each) and all(map(fits, v, each))
    if kind is sp.Symbol:
        return is_symbol(v)
    return isinstance(v, sp.Expr) and check_term(v) == v if kind is sp.Expr else type(v) is kind


def require(condition: object, message: str) -> None:
    """Reject unless the condition is ``True`` itself."""
    if condition is not True:
        raise Rejected(message)


def ring_of(domain: Domain, side: Side = (), *, smooth: bool = False, along: sp.Symbol | None = None) -> Ring:
    """Normal forms on a box, with facts as side conditions; ``along`` x what may jump in x is rejected."""
    return Ring(domain, tuple(f.claim for f in side), smooth=smooth, along=along)


def at_place(ring: Ring, f: sp.Expr, to: Mapping[sp.Symbol, sp.Expr]) -> sp.Expr:
    """F at a place, where every part of f must be defined: not only what automatic evaluation leaves of it."""
    placed = substitute(f, to)
    ring.normal(unevaluated(f, to))
    return placed


def known_on(fact: Fact, domain: Domain, relations: tuple[str, ...] = ORDER) -> sp.Expr:
    """The premise's expression, if the premise has one of the relations on the whole domain."""
    require(fact.claim.relation in relations, "a premise has the wrong relation")
    within(domain, fact.claim.domain)
    return fact.claim.expr


def lies_in(ring: Ring, e: sp.Expr, i: Interval) -> bool:
    """Whether the value of e certainly lies in the interval, wherever the ring's box lets it be."""
    low, high = (("+", "0+", "0") if end in "[]" else ("+",) for end in i.ends)
    ring.normal(e)
    above = i.lo == -sp.oo or ring.sign(ring.normal(e - i.lo)) in low
    return above and (i.hi == sp.oo or ring.sign(ring.normal(i.hi - e)) in high)


# ------------------------------------------------------------------------------------ rules of exact algebra


@rule
def identity(lhs: sp.Expr, rhs: sp.Expr, domain: Domain, side: Side = ()) -> Claim:
    """Both sides have the same normal form."""
    ring = ring_of(domain, side)
    require(ring.zero(ring.normal(lhs) - ring.normal(rhs)), "not an identity")
    return Claim(lhs - rhs, "==", domain)


@rule
def sign(expr: sp.Expr, relation: str, domain: Domain, side: Side = ()) -> Claim:
    """No coefficient is negative once every range is mapped to non-negative numbers."""
    ring = ring_of(domain, side)
    require(ring.sign(ring.normal(expr)) in {">": ("+",), ">=": ("+", "0+", "0")}[relation], "the sign is not certain")
    return Claim(expr, relation, domain)


@rule
def squares(expr: sp.Expr, terms: tuple[tuple[sp.Expr, sp.Expr], ...], domain: Domain, side: Side = ()) -> Claim:
    """Expr is a sum of squares with non-negative weights: (weight, root), ..."""
    ring = ring_of(domain, side)
    parts = [(ring.normal(w), ring.normal(q)) for w, q in terms]
    require(all(ring.sign(w) in ("+", "0+", "0") for w, _ in parts), "a weight may be negative")
    require(ring.zero(ring.normal(expr) - sum(w * q**2 for w, q in parts)), "not that sum of squares")
    return Claim(expr, ">=", domain)


@rule
def combine(
    expr: sp.Expr, relation: str, terms: tuple[tuple[sp.Expr, Fact], ...], domain: Domain, side: Side = ()
) -> Claim:
    """Expr is a combination of facts; an inequality's multiplier is non-negative, an equality's is free."""
    ring, strict, rest = ring_of(domain, side), False, sp.S.Zero
    for m, fact in terms:
        rest += ring.normal(m) * ring.normal(known_on(fact, domain, ("==", *ORDER)))
        if fact.claim.relation != "==":
            s = ring.sign(ring.normal(m))
            require(relation in ORDER and s in ("+", "0+", "0"), "a multiplier may be negative")
            strict = strict or (fact.claim.relation == ">" and s == "+")
    require(relation in ("==", ">=") or (relation == ">" and strict), "not that relation")
    require(ring.zero(ring.normal(expr) - rest), "not that combination")
    return Claim(expr, relation, domain)


@rule
def instantiate(fact: Fact, to: tuple[tuple[sp.Symbol, sp.Expr], ...], domain: Domain, side: Side = ()) -> Claim:
    """A fact at points of its box that are given as functions of another box."""
    c, ring, images = fact.claim, ring_of(domain, side), dict(to)
    require(c.relation in ("==", *ORDER), "a refutation says nothing of other points")
    for o in c.domain:
        if o.symbol not in images:
            within(domain, (o,))
            continue
        e = images[o.symbol]
        shift = [d for d in domain if d.integer and (e - d.symbol).is_Integer]
        require(not o.integer or e.is_Integer or bool(shift), "an integer is needed")
        require(lies_in(ring, e, o), f"{e} may leave the interval of {o.symbol}")
    require(set(images) <= {d.symbol for d in c.domain}, "a substitution for a symbol without an interval")
    return Claim(substitute(c.expr, images, inside=True), c.relation, domain)


@rule
def congruence(
    f: sp.Expr, x: sp.Symbol, left: sp.Expr, right: sp.Expr, equal: Fact, domain: Domain, side: Side = ()
) -> Claim:
    """Equals for equals: ``left - right == 0`` gives ``f(left) - f(right) == 0``."""
    ring = ring_of(domain, side)
    ends = [at_place(ring, f, {x: e}) for e in (left, right)]
    known = ring.normal(known_on(equal, domain, ("==",)))
    require(ring.zero(ring.normal(left) - ring.normal(right) - known), "not about those two")
    return Claim(ends[0] - ends[1], "==", domain)


@rule
def join(left: Fact, right: Fact, x: sp.Symbol) -> Claim:
    """The same claim on two boxes that touch in x."""
    a, b = left.claim, right.claim
    i, j = interval(a.domain, x), interval(b.domain, x)
    require(a.expr == b.expr and {a.relation, b.relation} <= {*ORDER, "=="}, "two different claims")
    require(not bound(a.expr), "a claim about all points of a box at once")
    require(i.hi == j.lo and "[" in (j.ends[0], "[" if i.ends[1] == "]" else ""), "the boxes do not touch")
    both = change(a.domain, x, hi=j.hi, ends=i.ends[0] + j.ends[1])
    within(change(both, x), change(b.domain, x))
    require(a.relation == b.relation or "==" not in (a.relation, b.relation), "two different relations")
    require(not (i.integer or j.integer), "integers do not touch")
    return Claim(a.expr, a.relation if a.relation == b.relation else ">=", both)


# ------------------------------------------------------------------------------------ rules of analysis


@rule
def derivative(f: sp.Expr, x: sp.Symbol, g: sp.Expr, domain: Domain, side: Side = ()) -> Claim:
    """F is smooth on the box and g is its partial derivative in x."""
    ring = ring_of(domain, side, smooth=True, along=x)
    ring.normal(f)
    require(ring.zero(ring.normal(sp.diff(f, x)) - ring.normal(g)), "not the derivative")
    return Claim(slope(f, x) - g, "==", domain)


@rule
def monotone(
    f: sp.Expr, x: sp.Symbol, anchor: str, growth: Fact, start: Fact, domain: Domain, side: Side = ()
) -> Claim:
    """F is continuous up to its end ``anchor`` (lo or hi), not negative there, and does not fall on the way inside."""
    require(anchor in ("lo", "hi"), "an anchor is lo or hi")
    i = interval(domain, x)
    end, closed = (i.lo, "[" + i.ends[1]) if anchor == "lo" else (i.hi, i.ends[0] + "]")
    full = change(domain, x, ends=closed)
    ring_of(full, side, along=x).normal(f)
    inside = change(domain, x, ends="()")
    ring = ring_of(inside, side, smooth=True, along=x)
    ring.normal(f)
    rise = sp.diff(f, x) if anchor == "lo" else -sp.diff(f, x)
    require(ring.zero(ring.normal(rise) - ring.normal(known_on(growth, inside))), "not about the derivative")
    rest = change(domain, x)
    at = ring_of(rest)
    known = known_on(start, rest, ("==", *ORDER))
    require(at.zero(at.normal(substitute(f, {x: end})) - at.normal(known)), "not about the value at the end")
    moved = i.ends == "()" or (i.ends[0] if anchor == "lo" else i.ends[1]) in "()"
    strict = start.claim.relation == ">" or (growth.claim.relation == ">" and moved)
    return Claim(f, ">" if strict else ">=", domain)


@rule
def minimum(f: sp.Expr, x: sp.Symbol, at: sp.Expr, convex: Fact, domain: Domain, side: Side = ()) -> Claim:
    """F is smooth, its second derivative is not negative and its first vanishes at ``at``: f >= f(at)."""
    ring, i = ring_of(domain, side, smooth=True, along=x), interval(domain, x)
    ring.normal(f)
    require(x not in at.free_symbols and not i.integer, "the minimiser may not depend on x")
    require(lies_in(ring, at, i), "the minimiser may lie outside")
    slope_ = sp.diff(f, x)
    ring.normal(slope_)
    require(
        ring.zero(ring.normal(sp.diff(slope_, x)) - ring.normal(known_on(convex, domain))), "not the second derivative"
    )
    require(ring.zero(ring.normal(substitute(slope_, {x: at}))), "not a stationary point")
    return Claim(f - substitute(f, {x: at}), ">=", domain)


@rule
def limit(
    f: sp.Expr, x: sp.Symbol, end: sp.Expr, value: sp.Expr, below: Fact, above: Fact, domain: Domain, side: Side = ()
) -> Claim:
    """``f - lower >= 0`` and ``upper - f >= 0``, where lower and upper are continuous in x up to the open end.

    ``limit(f, x, end, d)`` is the number that f tends to as x tends to ``end`` from that side, the other symbols held;
    where there is none it stands for an arbitrary number.  Here there is one: f is squeezed between two bounds that
    have the same value at the end.  Continuity is known of terms without heads, so a bound has no head that involves x.
    """
    i = interval(domain, x)
    require(is_rational(end) and end in (i.lo, i.hi), "not an end of the box")
    which = 0 if end == i.lo else 1
    require(i.ends[which] in "()", "the end is not open")
    full = change(domain, x, ends="[" + i.ends[1] if which == 0 else i.ends[0] + "]")
    ring, rest = ring_of(full, side, along=x), change(domain, x)
    at = ring_of(rest)
    for bound_ in (f - known_on(below, domain), f + known_on(above, domain)):
        ring.normal(bound_)
        require(at.zero(at.normal(substitute(bound_, {x: end})) - at.normal(value)), "a bound has another value there")
    return Claim(limit_of(f, x, end, sp.S.One if which == 0 else sp.S.NegativeOne) - value, "==", rest)


# ------------------------------------------------------------------------------------ what is not proved here


@rule
def axiom(expr: sp.Expr, relation: str, domain: Domain, cite: str) -> Claim:
    """Taken from the literature, unproved; ``0 == 0`` where the citation itself is the statement."""
    require(relation in ("==", *ORDER), "not a relation")
    return Claim(expr, relation, domain)
