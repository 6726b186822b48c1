"""For each side condition of the kernel's rules a certificate that it alone refuses, or the reason why there is none.

`ALONE` has certificates of what is false, or of what nothing justifies, which pass without that condition.  `COVERED`
has conditions that others repeat: without all of them the certificate passes.  The others are in
`property_tests.harmless_conditions`.
"""

from __future__ import annotations

import json
from typing import Any, Final, NamedTuple

import sympy as sp

from proofs import kernel as k
from proofs.search import box, natural, nonnegative, numbers, positive, unit
from proofs.terms import Domain, Interval, Sum, limit_of, loop_of, slope, total
from property_tests.false_theorems import (
    CAPTURE,
    FOUND,
    INSIDE,
    JUMPS,
    NESTED,
    Step,
    at,
    combine,
    same,
    sign,
    step,
)

X, Y, Z, N, T, A, M = sp.symbols("x y z n t a m")
ZERO, ONE, HALF, TWO = sp.S.Zero, sp.S.One, sp.Rational(1, 2), sp.Integer(2)
Certificate = dict[str, Any]


class Covered(NamedTuple):
    """A condition that others repeat: their names, and a certificate that passes when all of them are gone."""

    others: tuple[str, ...]
    certificate: Certificate


ALONE: Final[dict[str, Certificate]] = {}
COVERED: Final[dict[str, Covered]] = {}
UNJUSTIFIED: Final[set[str]] = set()  # the claim holds, or has no value; it is what it stands for that is wrong
for _f in FOUND:
    if len(_f.without) == 1:
        ALONE.setdefault(_f.without[0], _f.certificate)


def written(expr: sp.Expr, relation: str, domain: Domain, proof: Step) -> Certificate:
    claim = {"claim": k.encode((sp.sympify(expr), relation, domain)), **proof["fact"]}
    return dict(json.loads(json.dumps(claim)))


def _alone(name: str, expr: Any, relation: str, domain: Domain, proof: Step, *, unjustified: bool = False) -> None:
    ALONE.setdefault(name, written(expr, relation, domain, proof))
    if unjustified:
        UNJUSTIFIED.add(name)


def _covered(names: tuple[str, ...], others: tuple[str, ...], *claim: Any) -> None:
    for name in names:
        COVERED[name] = Covered((*(n for n in names if n != name), *others), written(*claim))


def _refute(expr: Any, relation: str, domain: Domain, *witness: Any) -> Step:
    return step("refute", sp.sympify(expr), relation, domain, [list(w) for w in witness], 64)


_all, _unit, _closed = numbers("x"), unit("x"), numbers("x", lo=0, hi=1, ends="[]")
_y, _n = box(y=(0, 1)), natural("n")
_whole = N**2 - N
_integers = step("cases", _whole, ">=", N, [sign(ZERO, ">=")], sign(_whole, ">=", natural("n", 1)), _n)
_nothing = sign(ZERO, ">=")

# ------------------------------------------------------------------------------------ terms and boxes

_void = (Interval(X, sp.Integer(5), sp.Integer(-5), "()"),)
_below = combine(
    sp.Integer(-7), ">=",
    [(sp.Rational(7, 2), sign(X - 1, ">", numbers("x", lo=1))),
     (sp.Rational(7, 2), sign(-X - 1, ">", numbers("x", hi=-1)))],
    _void,
)  # fmt: skip
_seven = step("limit", ZERO, X, sp.Integer(5), sp.Integer(7), _below, sign(sp.Integer(7), ">=", _void), _void, [])
_none = step("limit", ZERO, X, sp.Integer(5), ZERO, sign(ZERO, ">=", numbers("x", lo=5)),
             sign(ZERO, ">=", numbers("x", lo=5)), numbers("x", lo=5), [])  # fmt: skip
for _name in ("ok", "bool(lo < hi or (lo == hi and ends == '[]'))"):
    _alone(f"check_box: {_name}", 7, "==", (), combine(sp.Integer(7), "==", [(ONE, _none), (-ONE, _seven)]))
_pi = (Interval(X, -sp.pi, ONE, "()"),)
_alone("check_box: is_rational(x) or x in (sp.oo, -sp.oo)", -1, ">", (), at(sign(X, ">", _pi), X, -ONE))
_odd = (Interval(X, ZERO, ONE, "]]"),)
_alone("check_box: ends in ('[]', '[)', '(]', '()')", 0, ">", (), at(sign(X, ">", _odd), X, ZERO))
# sympy gives oo**0 the value 1: a power that is 1/e everywhere has another value at infinity.
_flat = sp.exp(-X) ** (1 / X)
_far = (Interval(X, -sp.oo, -ONE, "()"),)
_rise = step("monotone", _flat - 1, X, "lo", sign(ZERO, ">=", _far), same(ZERO), _far, [])
_alone("check_box: lo.is_Rational or (lo < 0 and ends[0] == '(')", _flat - 1, ">=", _far, _rise)
_alone("check_box: ends[0] == '('", _flat - 1, ">=", _far, _rise)
_tall, _up = sp.exp(X) ** (1 / X), (Interval(X, ONE, sp.oo, "()"),)
_fall = step("monotone", 2 - _tall, X, "hi", sign(ZERO, ">=", _up), sign(ONE, ">"), _up, [])
_alone("check_box: hi.is_Rational or (hi > 0 and ends[1] == ')')", 2 - _tall, ">", _up, _fall)
_alone("check_box: ends[1] == ')'", 2 - _tall, ">", _up, _fall)
for _part, _set, _first in (
    ("integer and (not (lo.is_Integer and hi == sp.oo and (ends[0] == '[')))", (HALF, "[)"), HALF),
    ("lo.is_Integer", (HALF, "[)"), HALF),
    ("ends[0] == '['", (ZERO, "()"), ONE),
):
    _some = (Interval(N, _set[0], sp.oo, _set[1], integer=True),)
    _later = (Interval(N, _set[0] + 1, sp.oo, _set[1], integer=True),)
    _alone(f"check_box: {_part}", (N - 1) ** 2, ">", _some,
           step("cases", (N - 1) ** 2, ">", N, [sign((_set[0] - 1) ** 2, ">")],
                sign((N - 1) ** 2, ">", _later), _some))  # fmt: skip
_alone("check_box: len({d.symbol for d in domain}) < len(domain)", X, ">", numbers("x", hi=0) + positive("x"),
       sign(X, ">", numbers("x", hi=0) + positive("x")), unjustified=True)  # fmt: skip
_alone("check_term: check_term(x)", Sum(T * sp.zoo, T, ONE, N) ** 2, ">=", _n,
       at(step("squares", Sum(T / Y, T, ONE, N) ** 2, [[ONE, Sum(T / Y, T, ONE, N)]], numbers("y") + _n, []),
          Y, ZERO, _n),
       unjustified=True)  # fmt: skip
_upper = at(sign(-X, ">", numbers("x", hi=0)), X, ONE)
_alone("lies_in: i.hi == sp.oo or ring.sign(ring.normal(i.hi - e)) in high", -1, ">", (), _upper)
_alone(
    "lies_in: i.lo == -sp.oo or ring.sign(ring.normal(e - i.lo)) in low",
    -1,
    ">",
    (),
    at(sign(X, ">", positive("x")), X, -ONE),
)
_alone("lies_in: ring.normal(e)", Y**-2, ">=", _y,
       at(step("squares", X**2, [[ONE, X]], _all, []), X, 1 / Y, _y))  # fmt: skip
_wider = combine(-X, ">", [(ONE, sign(-X, ">", numbers("x", hi=0)))], _all)
for _part in ("high", "i.hi < o.hi or (i.hi == o.hi and (o.ends[1] == ']' or i.ends[1] == ')'))", "i.hi == o.hi"):
    _alone(f"within: {_part}", -X, ">", _all, _wider)
_lower = combine(X, ">", [(ONE, sign(X, ">", positive("x")))], _all)
for _part in ("i.lo > o.lo or (i.lo == o.lo and (o.ends[0] == '[' or i.ends[0] == '('))", "i.lo == o.lo"):
    _alone(f"within: {_part}", X, ">", _all, _lower)
_alone("within: o.ends[0] == '[' or i.ends[0] == '('", X, ">", nonnegative("x"),
       combine(X, ">", [(ONE, sign(X, ">", positive("x")))], nonnegative("x")))  # fmt: skip
_end = numbers("x", hi=0, ends="(]")
_alone("within: o.ends[1] == ']' or i.ends[1] == ')'", -X, ">", _end,
       combine(-X, ">", [(ONE, sign(-X, ">", numbers("x", hi=0)))], _end))  # fmt: skip
_alone("within: o.integer and (not i.integer)", _whole, ">=", nonnegative("n"),
       combine(_whole, ">=", [(ONE, _integers)], nonnegative("n")))  # fmt: skip
SHAPE: Final = "check_term: ok.get(e.func, e.func in SMOOTH and n == 1)"
FREE: Final = "rule: free(claim.expr) <= {d.symbol for d in claim.domain}"
_covered(
    ("within: i",), ("within: low", "within: high", FREE),
    X, ">", (), step("instantiate", sign(X, ">", positive("x")), [], (), []),
)  # fmt: skip
_alone("rule: check_box(claim.domain)", -1, ">", _void, step("axiom", -ONE, ">", _void, "nobody"), unjustified=True)
_alone(FREE, X, ">", (), step("axiom", X, ">", (), "nobody"), unjustified=True)
# A slope inside a sum: that y becomes x in it is not seen, since the sum does not bind x.
_added = step("summation", -Z, T, 1, N, ZERO, ">=", ONE, sign(ZERO, ">=", nonnegative("z")),
              sign(Z, ">=", natural("n", 1) + nonnegative("z")), _n + nonnegative("z"), [])  # fmt: skip
_plane, _tilt = numbers("x", "y"), slope(X * Y, X) - Y
_even_slope = combine(_tilt, ">=", [(ONE, step("derivative", X * Y, X, Y, _plane, []))], _plane)
_inside = step("instantiate", _added, [[Z, _tilt]], _plane + _n, [_even_slope])
for _name in ("rule: check_term(claim.expr)", NESTED):
    _alone(_name, -Sum(X - slope(X**2, X), T, ONE, N), ">=", _all + _n, at(_inside, Y, X, _all + _n))
# A sum that begins at one half: sympy's Integer begins it at 0, and its base too.
_begun = step("summation", ONE, T, HALF, N, N, "==", ONE, same(ZERO), same(ZERO, _n), _n, [])
_alone("rule: fits(v, types[name])", N - Sum(ONE, T, ZERO, N), "==", _n, _begun)
_jump = next(f.certificate for f in FOUND if f.name == "a bound that jumps")
for _name in ("_normal: self.along in e.free_symbols", JUMPS):
    COVERED[_name] = Covered((INSIDE,), _jump)

# ------------------------------------------------------------------------------------ normal forms

_refuted = _refute(X - 1, ">=", positive("x"), (X, HALF))
_alone(
    "__init__: f.relation not in ('>', '>=')",
    X - 1,
    ">=",
    positive("x"),
    step("sign", X - 1, ">=", positive("x"), [_refuted]),
)
_alone("__init__: within(domain, f.domain)", X, ">", _all, step("sign", X, ">", _all, [sign(X, ">", positive("x"))]))
_alone(
    "_normal: p < 0 and self.sign(b) not in ('+', '-')", sp.exp(1 / X), ">", _closed, sign(sp.exp(1 / X), ">", _closed)
)
_left = numbers("x", lo=-1, hi=0, ends="[]")
_alone("split: out and out[0][2] not in ('+', '0+')", sp.sqrt(X), ">=", _left, sign(sp.sqrt(X), ">=", _left))
for _part in ("s != '+' and (e * p < 0 or self.smooth)", "e * p < 0"):
    _alone(f"power: {_part}", X**-HALF, ">=", _closed, sign(X**-HALF, ">=", _closed))
_steep = slope(X ** sp.Rational(3, 2), X) - sp.Rational(3, 2) * sp.sqrt(X)
for _name in ("power: self.smooth", "derivative: smooth=True"):  # at x = 0 there is no derivative
    _alone(_name, _steep, "==", nonnegative("x"),
           step("derivative", X ** sp.Rational(3, 2), X, sp.Rational(3, 2) * sp.sqrt(X), nonnegative("x"), []),
           unjustified=True)  # fmt: skip
_alone(
    "logarithm: s != '+'",
    sp.log(X) ** 2,
    ">=",
    _closed,
    step("squares", sp.log(X) ** 2, [[ONE, sp.log(X)]], _closed, []),
)
_null = (Z + 1) ** 2 - Z**2 - 2 * Z - 1  # zero, but sympy does not see it
_covered(("_polynomials: n == 0 and e.exp < 0",), ("_normal: p < 0 and self.sign(b) not in ('+', '-')",),
         1 / _null, ">=", numbers("z"), sign(1 / _null, ">=", numbers("z")))  # fmt: skip

# ------------------------------------------------------------------------------------ rules of exact algebra

_alone("replay: same", -1, ">", (), sign(ONE, ">"))
_alone("known_on: within(domain, fact.claim.domain)", X, ">", _all, _lower)
_alone("identity: ring.zero(ring.normal(lhs) - ring.normal(rhs))", 1, "==", (), step("identity", ONE, ZERO, (), []))
_alone("squares: ring.zero(ring.normal(expr) - sum((w * q ** 2 for w, q in parts)))", -1, ">=", (),
       step("squares", -ONE, [[ONE, ONE]], (), []))  # fmt: skip
_weak = combine(X, ">", [(ONE, sign(X, ">=", nonnegative("x")))], nonnegative("x"))
for _part in (
    "relation in ('==', '>=') or (relation == '>' and strict)", "strict",
    "strict or (fact.claim.relation == '>' and s == '+')",
):  # fmt: skip
    _alone(f"combine: {_part}", X, ">", nonnegative("x"), _weak)
_alone("combine: s == '+'", X, ">", nonnegative("x"), combine(X, ">", [(X, sign(ONE, ">"))], nonnegative("x")))
_covered(
    ("combine: relation == '>'",),
    ("combine: relation in ORDER",),
    1,
    "not >",
    (),
    combine(ONE, "not >", [(ONE, sign(ONE, ">"))]),
)
_alone("combine: ring.zero(ring.normal(expr) - rest)", -1, ">=", (), combine(-ONE, ">=", [(ONE, sign(ONE, ">"))]))
_alone("combine: known_on(fact, domain, ('==', *ORDER))", X, ">", _all, _lower)
_alone("instantiate: c.relation in ('==', *ORDER)", 4, "not >=", (), at(_refuted, X, sp.Integer(5)))
_summed = step("summation", T * Y, T, 1, N, Y * N * (N + 1) / 2, "==", ONE, same(ZERO, numbers("y")),
               same(ZERO, natural("n", 1) + numbers("y")), _n + numbers("y"), [])  # fmt: skip
_covered(
    ("instantiate: set(images) <= {d.symbol for d in c.domain}",), (CAPTURE,),
    Y * N * (N + 1) / 2 - Sum(Y**2, Y, ONE, N), "==", _n + numbers("y"), at(_summed, T, Y, _n + numbers("y")),
)  # fmt: skip
_alone(
    "instantiate: within(domain, (o,))", X, ">", _all, step("instantiate", sign(X, ">", positive("x")), [], _all, [])
)
_alone("instantiate: o.integer", -HALF / 2, ">=", (), at(_integers, N, HALF))
_alone("congruence: ring.zero(ring.normal(left) - ring.normal(right) - known)", 1, "==", (),
       step("congruence", A, A, ONE, ZERO, same(ZERO), (), []))  # fmt: skip
_alone("congruence: known_on(equal, domain, ('==',))", 1, "==", (),
       step("congruence", A, A, ONE, ZERO, sign(ONE, ">"), (), []))  # fmt: skip
_pole = next(f.certificate for f in FOUND if f.name == "equals at a pole")
ALONE["congruence: at_place(ring, f, {x: e})"] = _pole
_near, _next = box(x=(0, 1)), box(x=(1, 2))
_alone(
    "join: a.expr == b.expr",
    1 - X,
    ">=",
    box(x=(0, 2)),
    step("join", sign(1 - X, ">=", _near), sign(ONE, ">=", _next), X),
)
_alone("join: {a.relation, b.relation} <= {*ORDER, '=='}", X - 1, ">=", box(x=(0, 2)),
       step("join", _refute(X - 1, ">=", _near, (X, ZERO)), sign(X - 1, ">=", _next), X))  # fmt: skip
_apart = (X - 1) * (X - 2)
_alone("join: i.hi == j.lo", _apart, ">=", box(x=(0, 3)),
       step("join", sign(_apart, ">=", _near), sign(_apart, ">=", box(x=(2, 3))), X))  # fmt: skip
_alone("join: j.integer", _whole, ">=", numbers("n", lo=-1, ends="[)"),
       step("join", sign(_whole, ">=", box(n=(-1, 0))), _integers, N))  # fmt: skip
_alone("join: a.relation == b.relation", (X - 1) ** 2, ">", box(x=(0, 2)),
       step("join", sign((X - 1) ** 2, ">", box(x=(0, HALF))),
            step("squares", (X - 1) ** 2, [[ONE, X - 1]], box(x=(HALF, 2)), []), X))  # fmt: skip
_alone("join: within(change(both, x), change(b.domain, x))", 1 + X * Y, ">=", box(x=(0, 2), y=(-1, 1)),
       step("join", sign(1 + X * Y, ">=", box(x=(0, 1), y=(-1, 1))),
            sign(1 + X * Y, ">=", box(x=(1, 2), y=(0, 1))), X))  # fmt: skip

# ------------------------------------------------------------------------------------ rules of analysis

_log = numbers("x") + numbers("y", lo=-1, hi=1, ends="[]")
_alone("derivative: ring.normal(f)", slope(X + sp.log(Y), X) - 1, "==", _log,
       step("derivative", X + sp.log(Y), X, ONE, _log, []), unjustified=True)  # fmt: skip
# At n = 0 the function is -1; its value at x = 0 is read off where n / n is 1.
_ratio = (-X + N * (1 + 2 * X)) / (X + N)
_grows = sp.diff(_ratio, X)
_growth = step("cases", _grows, ">=", N, [same(ZERO, _unit)], sign(_grows, ">=", _unit + natural("n", 1)), _unit + _n)
_alone("monotone: ring_of(full, side, along=x).normal(f)", _ratio, ">", _unit + _n,
       step("monotone", _ratio, X, "lo", _growth, sign(ONE, ">", _n), _unit + _n, []))  # fmt: skip
_hidden = sp.log(Y * (1 + X)) - sp.log(1 + X) - sp.log(Y)  # zero where y > 0; it has no value elsewhere
_strip = _unit + numbers("y", lo=-1, hi=1, ends="[]")
_covered(
    ("monotone: ring.normal(f)",), ("monotone: ring_of(full, side, along=x).normal(f)",),
    X + _hidden, ">", _strip,
    step("monotone", X + _hidden, X, "lo", sign(ONE, ">", _strip), same(ZERO, _strip[1:]), _strip, []),
)  # fmt: skip
_flatly = step("monotone", ZERO, X, "lo", sign(ZERO, ">=", _unit), same(ZERO), _unit, [])
for _part in (
    "strict", "start.claim.relation == '>' or (growth.claim.relation == '>' and moved)", "growth.claim.relation == '>'",
):  # fmt: skip
    _alone(f"monotone: {_part}", 0, ">", _unit, _flatly)
_still = numbers("x", lo=0, hi=1, ends="[)")
_alone("monotone: i.ends == '()' or (i.ends[0] if anchor == 'lo' else i.ends[1]) in '()'", X, ">", _still,
       step("monotone", X, X, "lo", sign(ONE, ">", _unit), same(ZERO), _still, []))  # fmt: skip
_alone("monotone: known_on(growth, inside)", -X, ">=", _unit,
       step("monotone", -X, X, "lo", _refute(-1, ">", _unit, (X, HALF)), same(ZERO), _unit, []))  # fmt: skip
_alone("monotone: known_on(start, rest, ('==', *ORDER))", X - 5, ">", _unit,
       step("monotone", X - 5, X, "lo", sign(ONE, ">", _unit), _refute(-5, ">", ()), _unit, []))  # fmt: skip
_bent = X**2 + sp.log(Y * (1 + X**2)) - sp.log(1 + X**2) - sp.log(Y)
_alone("minimum: ring.normal(f)", _bent, ">=", _log,
       step("minimum", _bent, X, ZERO, sign(TWO, ">", _log), _log, []))  # fmt: skip
_dent = N**4 / 12 - N**3 / 6 + N / 6  # convex at whole numbers alone
_alone("minimum: i.integer", _dent - sp.Rational(1, 12), ">=", _n, step("minimum", _dent, N, ONE, _integers, _n, []))
_alone("minimum: known_on(convex, domain)", -(X**2), ">=", _all,
       step("minimum", -(X**2), X, ZERO, _refute(-2, ">", _all, (X, ZERO)), _all, []))  # fmt: skip
_line = [step("limit", X, X, sp.Integer(5), sp.Integer(v), *known, d, []) for v, known, d in (
    (9, (sign(1 - X, ">=", _unit), sign(4 * X / 5, ">=", _unit)), _unit),
    (5, (sign(ZERO, ">=", numbers("x", lo=4, hi=5)),) * 2, numbers("x", lo=4, hi=5)),
)]  # fmt: skip
_alone("limit: end in (i.lo, i.hi)", 4, "==", (), combine(sp.Integer(4), "==", [(ONE, _line[1]), (-ONE, _line[0])]))
_root, _spot = sp.sqrt(Y - X), box(x=(0, 0)) + nonnegative("y")
_alone("limit: i.ends[which] in '()'", limit_of(_root, X, ZERO, ONE) - sp.sqrt(Y), "==", nonnegative("y"),
       step("limit", _root, X, ZERO, sp.sqrt(Y), sign(ZERO, ">=", _spot), sign(ZERO, ">=", _spot), _spot, []),
       unjustified=True)  # fmt: skip
_bulge = (X + 2 * Y) / (X + Y)  # 2 at x = 0 for y > 0, but 1 for y = 0
_ends = [step("limit", f, X, ZERO, sp.Integer(v), sign(ZERO, ">=", d), sign(ZERO, ">=", d), d, [])
         for f, v, d in ((_bulge, 2, _unit + _y), (ONE, 1, _unit))]  # fmt: skip
_alone("limit: ring.normal(bound_)", 1, "==", (), combine(ONE, "==", [(ONE, _ends[1]), (-ONE, at(_ends[0], Y, ZERO))]))
_limit = [step("limit", ZERO, X, ZERO, sp.Integer(v), *known, _unit, []) for v, known in (
    (7, (_refute(-7, ">", _unit, (X, HALF)), sign(sp.Integer(7), ">=", _unit))),
    (-7, (sign(sp.Integer(7), ">=", _unit), _refute(-7, ">", _unit, (X, HALF)))),
    (0, (sign(ZERO, ">=", _unit),) * 2),
)]  # fmt: skip
for _i, _part in enumerate(("below", "above")):
    _alone(f"limit: known_on({_part}, domain)", (7, -7)[_i], "==", (),
           combine(sp.Integer((7, -7)[_i]), "==", [(ONE, _limit[2]), (-ONE, _limit[_i])]))  # fmt: skip
_alone("axiom: relation in ('==', *ORDER)", 1, "not >", (), step("axiom", ONE, "not >", (), "nobody"))

# ------------------------------------------------------------------------------------ balls

_alone(
    "cover: bool(evaluate(expr, dict(zip(names, b, strict=True)), prec) > 0)",
    -1,
    ">",
    (),
    step("cover", -ONE, (), "0", 64),
)
_covered(
    ("refute: set(at) == {d.symbol for d in domain}",), (FREE,),
    X - 1, "not >=", (), _refute(X - 1, ">=", (), (X, HALF)),
)  # fmt: skip
_alone("refute: false", 1, "not >", (), _refute(1, ">", ()))
for _part in ("zero", "ring.zero(ring.normal(substitute(expr, at)))"):
    _alone(f"refute: {_part}", 1, "not >", (), _refute(1, ">", ()))
_nowhere = box(x=(0, 2), y=(-1, 1))
_alone("refute: v.is_finite()", (X - 1) ** 2 * sp.log(Y) ** 2 + 1 - 1, "not >", _nowhere,
       _refute((X - 1) ** 2 * sp.log(Y) ** 2, ">", _nowhere, (X, ONE), (Y, -ONE)), unjustified=True)  # fmt: skip
_even = (N - HALF) ** 2
for _part in ("not integer or v.is_Integer", "integer"):
    _alone(f"refute: {_part}", _even, "not >", _n, _refute(_even, ">", _n, (N, HALF)))
_alone("refute: bool(lo < v or (lo == v and ends[0] == '['))", X, "not >", _unit, _refute(X, ">", _unit, (X, -ONE)))
_alone(
    "refute: bool(v < hi or (v == hi and ends[1] == ']'))", 1 - X, "not >", _unit, _refute(1 - X, ">", _unit, (X, TWO))
)
_alone(
    "distinguish: bool(evaluate(expr, {}, prec) > 0)",
    0,
    ">",
    (),
    step("distinguish", [ONE], [ONE], [0], ZERO, ZERO, 64),
)
_third, _halves, _quarters = sp.Rational(1, 3), [HALF, HALF], [sp.Rational(1, 4), sp.Rational(3, 4)]
for _part, _p, _q, _event, _delta, _value in (
    ("len(p) == len(q)", _halves, [HALF / 2, HALF / 2, HALF], [0], ZERO, HALF / 2),
    ("len(set(event)) == len(event)", _halves, _quarters, [0, 0], _third, HALF - _third),
    ("0 <= i < len(p)", _halves, _quarters, [0, -2], _third, HALF - _third),
    ("m >= 0", [-ONE, TWO], _halves, [1], ZERO, sp.Rational(3, 2)),
    ("sum(masses) == 1", [ONE, ONE], _halves, [0], ZERO, HALF),
):
    _alone(
        f"distinguish: {_part}",
        _value,
        ">",
        (),
        step("distinguish", _p, _q, _event, ZERO, _delta, 64),
        unjustified=True,
    )

# ------------------------------------------------------------------------------------ induction

_real = nonnegative("n")
_alone("cases: i.integer", _whole, ">=", _real,
       step("cases", _whole, ">=", N, [_nothing],
            sign(_whole, ">=", numbers("n", lo=1, ends="[)")), _real))  # fmt: skip
_alone("cases: relation in ('==', *ORDER)", 1, "not >", _n, step("cases", ONE, "not >", N, [], sign(ONE, ">", _n), _n))
_alone("cases: at.zero(here - at.normal(known_on(fact, rest, known)))", N, ">", _n,
       step("cases", N, ">", N, [sign(ONE, ">")], sign(N, ">", natural("n", 1)), _n))  # fmt: skip
ALONE["cases: at_place(at, expr, {n: i.lo + j})"] = next(f.certificate for f in FOUND if f.name == "a case at a pole")
_alone("cases: known_on(beyond, later, known)", -1, ">", _n,
       step("cases", -ONE, ">", N, [], _refute(-1, ">", _n, (N, ZERO)), _n))  # fmt: skip
_alone("cases: known_on(fact, rest, known)", N - HALF, ">", _n,
       step("cases", N - HALF, ">", N, [_refute(-HALF, ">", ())],
            sign(N - HALF, ">", natural("n", 1)), _n))  # fmt: skip


def _sum(
    term: Any, closed: Any, relation: str, base: Step, after: Step, *, ratio: Any = 1, domain: Domain = _n
) -> Step:
    return step(
        "summation", sp.sympify(term), T, 1, N, sp.sympify(closed), relation, sp.sympify(ratio), base, after, domain, []
    )


_gauss, _empty, _from = N * (N + 1) / 2, Sum(ZERO, T, ONE, N), natural("n", 1)
_back = numbers("n", lo=-5, ends="[)", integer=True)
_alone("summation: interval(domain, n) == Interval(n, sp.Integer(first - 1), sp.oo, '[)', integer=True)",
       _gauss - Sum(T, T, ONE, N), "==", _back, _sum(T, _gauss, "==", same(ZERO), same(ZERO, _from), domain=_back),
       unjustified=True)  # fmt: skip
_alone("summation: relation in ('==', '>=')", _gauss - Sum(T, T, ONE, N), ">", _n,
       _sum(T, _gauss, ">", _nothing, sign(ZERO, ">=", _from)))  # fmt: skip
_alone("summation: ring.zero(grown - ring.normal(known_on(step, later, known)))", -Sum(T, T, ONE, N), "==", _n,
       _sum(T, 0, "==", same(ZERO), same(ZERO, _from)))  # fmt: skip
_wave = 8 * (N - 1) ** 2 - 3
_more = sp.expand(_wave + _wave.subs(N, N - 1))
_waves = step("cases", _more, ">=", N, [sign(TWO, ">"), sign(TWO, ">")], sign(_more, ">=", natural("n", 3)), _from)
_alone("summation: relation == '==' or ring.sign(ring.normal(ratio)) in ('+', '0+', '0')", _wave - _empty, ">=", _n,
       _sum(0, _wave, ">=", sign(sp.Integer(5), ">"), _waves, ratio=-1))  # fmt: skip
_alone("summation: known_on(base, rest, known)", -1 - _empty, ">=", _n,
       _sum(0, -1, ">=", _refute(-1, ">=", ()), sign(ZERO, ">=", _from)))  # fmt: skip
_alone("summation: known_on(step, later, known)", -N - _empty, ">=", _n,
       _sum(0, -N, ">=", _nothing, _refute(-1, ">=", _from, (N, ONE))))  # fmt: skip
_sloped = step("derivative", X**2, X, 2 * X, _all, [])
_covered(
    ("accumulate: heads(c.expr)",), ("accumulate: m.free_symbols & running",),
    slope(X**2, X) * total(ONE) - 2 * total(X), "==", _all,
    step("accumulate", _sloped, [[slope(X**2, X), ONE], [-TWO, X]]),
)  # fmt: skip


def _loop(*args: Any) -> Step:
    return step("loop", *args, [])


_zero = sign(ZERO, ">=", _all)
_covered(
    ("loop: len({*own}) == len(own)", SHAPE), (),
    loop_of(X, X, -ONE, X, X, ONE, X), ">=", _all,
    _loop(X, ">=", [[X, -ONE, X], [X, ONE, X]], ONE, sign(ONE, ">="), _zero, _all),
)  # fmt: skip
_alone("loop: relation in ('==', '>=')", loop_of(X, X, ZERO, X), ">", _all,
       _loop(X, ">", [[X, ZERO, X]], ONE, _nothing, _zero, _all))  # fmt: skip
_alone("loop: at.zero(at.normal(first) - at.normal(known_on(base, rest, known)))", loop_of(X, X, -ONE, X), ">=", _all,
       _loop(X, ">=", [[X, -ONE, X]], ONE, _nothing, _zero, _all))  # fmt: skip
_alone("loop: ring.zero(change_ - ring.normal(known_on(step, domain, known)))", loop_of(X, X, ZERO, X - 1), ">=", _all,
       _loop(X, ">=", [[X, ZERO, X - 1]], ONE, _nothing, _zero, _all))  # fmt: skip
_half = box(x=(0, HALF))
_alone("loop: lies_in(at, x0, i)", loop_of(X + 1, X, -ONE, X - X**2), ">=", _half,
       _loop(X + 1, ">=", [[X, -ONE, X - X**2]], ZERO, _nothing, sign(1 + X - X**2, ">=", _half), _half))  # fmt: skip
_shape = sp.expand((N - 1) * (N - 2))
for _part in ("not i.integer or (x0.is_Integer and (u - x).is_Integer) is True", "i.integer"):
    _alone(f"loop: {_part}", loop_of(_shape, N, HALF, N + 1), ">=", _n,
           _loop(_shape, ">=", [[N, HALF, N + 1]], ZERO, sign(sp.Rational(3, 4), ">="), _integers, _n))  # fmt: skip
_alone("loop: known_on(base, rest, known)", loop_of(X, X, -ONE, X), ">=", _all,
       _loop(X, ">=", [[X, -ONE, X]], ONE, _refute(-1, ">=", ()), _zero, _all))  # fmt: skip
_alone("loop: known_on(step, domain, known)", loop_of(X, X, ZERO, X - 1), ">=", _all,
       _loop(X, ">=", [[X, ZERO, X - 1]], ONE, _nothing, _refute(-1, ">=", _all, (X, ZERO)), _all))  # fmt: skip

# ------------------------------------------------------------------------------------ what guards nothing by itself

_far_one = step("limit", _tall, X, sp.oo, ONE, sign(ZERO, ">=", _up), sign(ZERO, ">=", _up), _up, [])
_covered(
    ("limit: is_rational(end)",), ("check_box: hi.is_Rational or (hi > 0 and ends[1] == ')')", SHAPE),
    limit_of(_tall, X, sp.oo, -ONE) - 1, "==", (), _far_one,
)  # fmt: skip
_covered(("minimum: ring.normal(slope_)",), ("minimum: ring.normal(f)",), _bent, ">=", _log,
         step("minimum", _bent, X, ZERO, sign(TWO, ">", _log), _log, []))  # fmt: skip
# The relation that a premise may have, where not all of them will do.
_alone("congruence: ('==',)", 1, "==", (), step("congruence", A, A, ONE, ZERO, sign(ONE, ">"), (), []))
_alone("cases: (relation,) if relation in ('==', '>') else (*ORDER, '==')", N, ">", _n,
       step("cases", N, ">", N, [_nothing], sign(N, ">", natural("n", 1)), _n))  # fmt: skip
_alone("summation: (relation,) if relation == '==' else ORDER", N + 1 - Sum(ONE, T, ONE, N), "==", _n,
       _sum(1, N + 1, "==", sign(ONE, ">"), same(ZERO, _from)))  # fmt: skip
_alone("loop: ('==',) if relation == '==' else ORDER", loop_of(X, X, ONE, X), "==", _all,
       _loop(X, "==", [[X, ONE, X]], ONE, sign(ONE, ">"), same(ZERO, _all), _all))  # fmt: skip
