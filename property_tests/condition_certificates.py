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
from proofs.terms import Domain, Interval, Sum, slope
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


def alone(name: str, expr: Any, relation: str, domain: Domain, proof: Step, *, unjustified: bool = False) -> None:
    ALONE.setdefault(name, written(expr, relation, domain, proof))
    if unjustified:
        UNJUSTIFIED.add(name)


def covered(names: tuple[str, ...], others: tuple[str, ...], *claim: Any) -> None:
    for name in names:
        COVERED[name] = Covered((*(n for n in names if n != name), *others), written(*claim))


def refute(expr: Any, relation: str, domain: Domain, *witness: Any) -> Step:
    return step("refute", sp.sympify(expr), relation, domain, [list(w) for w in witness], 64)


_all, _unit, _closed = numbers("x"), unit("x"), numbers("x", lo=0, hi=1, ends="[]")
_y, _n = box(y=(0, 1)), natural("n")
WHOLE = N**2 - N
INTEGERS = step("cases", WHOLE, ">=", N, [sign(ZERO, ">=")], sign(WHOLE, ">=", natural("n", 1)), _n)
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
    alone(f"check_box: {_name}", 7, "==", (), combine(sp.Integer(7), "==", [(ONE, _none), (-ONE, _seven)]))
_pi = (Interval(X, -sp.pi, ONE, "()"),)
alone("check_box: is_rational(x) or x in (sp.oo, -sp.oo)", -1, ">", (), at(sign(X, ">", _pi), X, -ONE))
_odd = (Interval(X, ZERO, ONE, "]]"),)
alone("check_box: ends in ('[]', '[)', '(]', '()')", 0, ">", (), at(sign(X, ">", _odd), X, ZERO))
# sympy gives oo**0 the value 1: a power that is 1/e everywhere has another value at infinity.
_flat = sp.exp(-X) ** (1 / X)
_far = (Interval(X, -sp.oo, -ONE, "()"),)
_rise = step("monotone", _flat - 1, X, "lo", sign(ZERO, ">=", _far), same(ZERO), _far, [])
alone("check_box: lo.is_Rational or (lo < 0 and ends[0] == '(')", _flat - 1, ">=", _far, _rise)
alone("check_box: ends[0] == '('", _flat - 1, ">=", _far, _rise)
TALL, UP = sp.exp(X) ** (1 / X), (Interval(X, ONE, sp.oo, "()"),)
_fall = step("monotone", 2 - TALL, X, "hi", sign(ZERO, ">=", UP), sign(ONE, ">"), UP, [])
alone("check_box: hi.is_Rational or (hi > 0 and ends[1] == ')')", 2 - TALL, ">", UP, _fall)
alone("check_box: ends[1] == ')'", 2 - TALL, ">", UP, _fall)
for _part, _set, _first in (
    ("integer and (not (lo.is_Integer and hi == sp.oo and (ends[0] == '[')))", (HALF, "[)"), HALF),
    ("lo.is_Integer", (HALF, "[)"), HALF),
    ("ends[0] == '['", (ZERO, "()"), ONE),
):
    _some = (Interval(N, _set[0], sp.oo, _set[1], integer=True),)
    _later = (Interval(N, _set[0] + 1, sp.oo, _set[1], integer=True),)
    alone(f"check_box: {_part}", (N - 1) ** 2, ">", _some,
           step("cases", (N - 1) ** 2, ">", N, [sign((_set[0] - 1) ** 2, ">")],
                sign((N - 1) ** 2, ">", _later), _some))  # fmt: skip
alone("check_box: len({d.symbol for d in domain}) < len(domain)", X, ">", numbers("x", hi=0) + positive("x"),
       sign(X, ">", numbers("x", hi=0) + positive("x")), unjustified=True)  # fmt: skip
alone("check_term: check_term(x)", Sum(T * sp.zoo, T, ONE, N) ** 2, ">=", _n,
       at(step("squares", Sum(T / Y, T, ONE, N) ** 2, [[ONE, Sum(T / Y, T, ONE, N)]], numbers("y") + _n, []),
          Y, ZERO, _n),
       unjustified=True)  # fmt: skip
_upper = at(sign(-X, ">", numbers("x", hi=0)), X, ONE)
alone("lies_in: i.hi == sp.oo or ring.sign(ring.normal(i.hi - e)) in high", -1, ">", (), _upper)
alone(
    "lies_in: i.lo == -sp.oo or ring.sign(ring.normal(e - i.lo)) in low",
    -1,
    ">",
    (),
    at(sign(X, ">", positive("x")), X, -ONE),
)
alone("lies_in: ring.normal(e)", Y**-2, ">=", _y,
       at(step("squares", X**2, [[ONE, X]], _all, []), X, 1 / Y, _y))  # fmt: skip
_wider = combine(-X, ">", [(ONE, sign(-X, ">", numbers("x", hi=0)))], _all)
for _part in ("high", "i.hi < o.hi or (i.hi == o.hi and (o.ends[1] == ']' or i.ends[1] == ')'))", "i.hi == o.hi"):
    alone(f"within: {_part}", -X, ">", _all, _wider)
_lower = combine(X, ">", [(ONE, sign(X, ">", positive("x")))], _all)
for _part in ("i.lo > o.lo or (i.lo == o.lo and (o.ends[0] == '[' or i.ends[0] == '('))", "i.lo == o.lo"):
    alone(f"within: {_part}", X, ">", _all, _lower)
alone("within: o.ends[0] == '[' or i.ends[0] == '('", X, ">", nonnegative("x"),
       combine(X, ">", [(ONE, sign(X, ">", positive("x")))], nonnegative("x")))  # fmt: skip
_end = numbers("x", hi=0, ends="(]")
alone("within: o.ends[1] == ']' or i.ends[1] == ')'", -X, ">", _end,
       combine(-X, ">", [(ONE, sign(-X, ">", numbers("x", hi=0)))], _end))  # fmt: skip
alone("within: o.integer and (not i.integer)", WHOLE, ">=", nonnegative("n"),
       combine(WHOLE, ">=", [(ONE, INTEGERS)], nonnegative("n")))  # fmt: skip
SHAPE: Final = "check_term: ok.get(e.func, e.func in SMOOTH and n == 1)"
FREE: Final = "rule: free(claim.expr) <= {d.symbol for d in claim.domain}"
covered(
    ("within: i",), ("within: low", "within: high", FREE),
    X, ">", (), step("instantiate", sign(X, ">", positive("x")), [], (), []),
)  # fmt: skip
alone("rule: check_box(claim.domain)", -1, ">", _void, step("axiom", -ONE, ">", _void, "nobody"), unjustified=True)
alone(FREE, X, ">", (), step("axiom", X, ">", (), "nobody"), unjustified=True)
# A slope inside a sum: that y becomes x in it is not seen, since the sum does not bind x.
_added = step("summation", -Z, T, 1, N, ZERO, ">=", ONE, sign(ZERO, ">=", nonnegative("z")),
              sign(Z, ">=", natural("n", 1) + nonnegative("z")), _n + nonnegative("z"), [])  # fmt: skip
_plane, _tilt = numbers("x", "y"), slope(X * Y, X) - Y
_even_slope = combine(_tilt, ">=", [(ONE, step("derivative", X * Y, X, Y, _plane, []))], _plane)
_inside = step("instantiate", _added, [[Z, _tilt]], _plane + _n, [_even_slope])
for _name in ("rule: check_term(claim.expr)", NESTED):
    alone(_name, -Sum(X - slope(X**2, X), T, ONE, N), ">=", _all + _n, at(_inside, Y, X, _all + _n))
# A sum that begins at one half: sympy's Integer begins it at 0, and its base too.
_begun = step("summation", ONE, T, HALF, N, N, "==", ONE, same(ZERO), same(ZERO, _n), _n, [])
alone("rule: fits(v, types[name])", N - Sum(ONE, T, ZERO, N), "==", _n, _begun)
_jump = next(f.certificate for f in FOUND if f.name == "a bound that jumps")
for _name in ("_normal: self.along in e.free_symbols", JUMPS):
    COVERED[_name] = Covered((INSIDE,), _jump)

# ------------------------------------------------------------------------------------ normal forms

_refuted = refute(X - 1, ">=", positive("x"), (X, HALF))
alone(
    "__init__: f.relation not in ('>', '>=')",
    X - 1,
    ">=",
    positive("x"),
    step("sign", X - 1, ">=", positive("x"), [_refuted]),
)
alone("__init__: within(domain, f.domain)", X, ">", _all, step("sign", X, ">", _all, [sign(X, ">", positive("x"))]))
alone(
    "_normal: p < 0 and self.sign(b) not in ('+', '-')", sp.exp(1 / X), ">", _closed, sign(sp.exp(1 / X), ">", _closed)
)
_left = numbers("x", lo=-1, hi=0, ends="[]")
alone("split: out and out[0][2] not in ('+', '0+')", sp.sqrt(X), ">=", _left, sign(sp.sqrt(X), ">=", _left))
for _part in ("s != '+' and (e * p < 0 or self.smooth)", "e * p < 0"):
    alone(f"power: {_part}", X**-HALF, ">=", _closed, sign(X**-HALF, ">=", _closed))
_steep = slope(X ** sp.Rational(3, 2), X) - sp.Rational(3, 2) * sp.sqrt(X)
for _name in ("power: self.smooth", "derivative: smooth=True"):  # at x = 0 there is no derivative
    alone(_name, _steep, "==", nonnegative("x"),
           step("derivative", X ** sp.Rational(3, 2), X, sp.Rational(3, 2) * sp.sqrt(X), nonnegative("x"), []),
           unjustified=True)  # fmt: skip
alone(
    "logarithm: s != '+'",
    sp.log(X) ** 2,
    ">=",
    _closed,
    step("squares", sp.log(X) ** 2, [[ONE, sp.log(X)]], _closed, []),
)
_null = (Z + 1) ** 2 - Z**2 - 2 * Z - 1  # zero, but sympy does not see it
covered(("_polynomials: n == 0 and e.exp < 0",), ("_normal: p < 0 and self.sign(b) not in ('+', '-')",),
         1 / _null, ">=", numbers("z"), sign(1 / _null, ">=", numbers("z")))  # fmt: skip

# ------------------------------------------------------------------------------------ rules of exact algebra

alone("replay: same", -1, ">", (), sign(ONE, ">"))
alone("known_on: within(domain, fact.claim.domain)", X, ">", _all, _lower)
alone("identity: ring.zero(ring.normal(lhs) - ring.normal(rhs))", 1, "==", (), step("identity", ONE, ZERO, (), []))
alone("squares: ring.zero(ring.normal(expr) - sum((w * q ** 2 for w, q in parts)))", -1, ">=", (),
       step("squares", -ONE, [[ONE, ONE]], (), []))  # fmt: skip
_weak = combine(X, ">", [(ONE, sign(X, ">=", nonnegative("x")))], nonnegative("x"))
for _part in (
    "relation in ('==', '>=') or (relation == '>' and strict)", "strict",
    "strict or (fact.claim.relation == '>' and s == '+')",
):  # fmt: skip
    alone(f"combine: {_part}", X, ">", nonnegative("x"), _weak)
alone("combine: s == '+'", X, ">", nonnegative("x"), combine(X, ">", [(X, sign(ONE, ">"))], nonnegative("x")))
covered(
    ("combine: relation == '>'",),
    ("combine: relation in ORDER",),
    1,
    "not >",
    (),
    combine(ONE, "not >", [(ONE, sign(ONE, ">"))]),
)
alone("combine: ring.zero(ring.normal(expr) - rest)", -1, ">=", (), combine(-ONE, ">=", [(ONE, sign(ONE, ">"))]))
alone("combine: known_on(fact, domain, ('==', *ORDER))", X, ">", _all, _lower)
alone("instantiate: c.relation in ('==', *ORDER)", 4, "not >=", (), at(_refuted, X, sp.Integer(5)))
_summed = step("summation", T * Y, T, 1, N, Y * N * (N + 1) / 2, "==", ONE, same(ZERO, numbers("y")),
               same(ZERO, natural("n", 1) + numbers("y")), _n + numbers("y"), [])  # fmt: skip
covered(
    ("instantiate: set(images) <= {d.symbol for d in c.domain}",), (CAPTURE,),
    Y * N * (N + 1) / 2 - Sum(Y**2, Y, ONE, N), "==", _n + numbers("y"), at(_summed, T, Y, _n + numbers("y")),
)  # fmt: skip
alone("instantiate: within(domain, (o,))", X, ">", _all, step("instantiate", sign(X, ">", positive("x")), [], _all, []))
alone("instantiate: o.integer", -HALF / 2, ">=", (), at(INTEGERS, N, HALF))
alone("congruence: ring.zero(ring.normal(left) - ring.normal(right) - known)", 1, "==", (),
       step("congruence", A, A, ONE, ZERO, same(ZERO), (), []))  # fmt: skip
alone("congruence: known_on(equal, domain, ('==',))", 1, "==", (),
       step("congruence", A, A, ONE, ZERO, sign(ONE, ">"), (), []))  # fmt: skip
_pole = next(f.certificate for f in FOUND if f.name == "equals at a pole")
ALONE["congruence: at_place(ring, f, {x: e})"] = _pole
_near, _next = box(x=(0, 1)), box(x=(1, 2))
alone(
    "join: a.expr == b.expr",
    1 - X,
    ">=",
    box(x=(0, 2)),
    step("join", sign(1 - X, ">=", _near), sign(ONE, ">=", _next), X),
)
alone("join: {a.relation, b.relation} <= {*ORDER, '=='}", X - 1, ">=", box(x=(0, 2)),
       step("join", refute(X - 1, ">=", _near, (X, ZERO)), sign(X - 1, ">=", _next), X))  # fmt: skip
_apart = (X - 1) * (X - 2)
alone("join: i.hi == j.lo", _apart, ">=", box(x=(0, 3)),
       step("join", sign(_apart, ">=", _near), sign(_apart, ">=", box(x=(2, 3))), X))  # fmt: skip
alone("join: j.integer", WHOLE, ">=", numbers("n", lo=-1, ends="[)"),
       step("join", sign(WHOLE, ">=", box(n=(-1, 0))), INTEGERS, N))  # fmt: skip
alone("join: a.relation == b.relation", (X - 1) ** 2, ">", box(x=(0, 2)),
       step("join", sign((X - 1) ** 2, ">", box(x=(0, HALF))),
            step("squares", (X - 1) ** 2, [[ONE, X - 1]], box(x=(HALF, 2)), []), X))  # fmt: skip
alone("join: within(change(both, x), change(b.domain, x))", 1 + X * Y, ">=", box(x=(0, 2), y=(-1, 1)),
       step("join", sign(1 + X * Y, ">=", box(x=(0, 1), y=(-1, 1))),
            sign(1 + X * Y, ">=", box(x=(1, 2), y=(0, 1))), X))  # fmt: skip
