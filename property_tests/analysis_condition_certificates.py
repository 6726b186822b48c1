"""False certificates that one side condition refuses: rules of analysis, balls and induction, added to the tables."""

from __future__ import annotations

from typing import Any

import sympy as sp

from proofs.search import box, natural, nonnegative, numbers, unit
from proofs.terms import Domain, Sum, limit_of, loop_of, slope, total
from property_tests.condition_certificates import (
    ALONE,
    COVERED,
    FREE,
    HALF,
    INTEGERS,
    ONE,
    SHAPE,
    TALL,
    TWO,
    UNJUSTIFIED,
    UP,
    WHOLE,
    ZERO,
    A,
    Certificate,
    N,
    T,
    X,
    Y,
    alone,
    covered,
    refute,
    written,
)
from property_tests.false_theorems import (
    FOUND,
    Step,
    at,
    combine,
    same,
    sign,
    step,
)

__all__ = ["ALONE", "COVERED", "UNJUSTIFIED", "Certificate", "written"]  # the tables, with what is added here

_all, _unit, _closed = numbers("x"), unit("x"), numbers("x", lo=0, hi=1, ends="[]")
_y, _n = box(y=(0, 1)), natural("n")
_nothing = sign(ZERO, ">=")

# ------------------------------------------------------------------------------------ rules of analysis

_log = numbers("x") + numbers("y", lo=-1, hi=1, ends="[]")
alone("derivative: ring.normal(f)", slope(X + sp.log(Y), X) - 1, "==", _log,
       step("derivative", X + sp.log(Y), X, ONE, _log, []), unjustified=True)  # fmt: skip
# At n = 0 the function is -1; its value at x = 0 is read off where n / n is 1.
_ratio = (-X + N * (1 + 2 * X)) / (X + N)
_grows = sp.diff(_ratio, X)
_growth = step("cases", _grows, ">=", N, [same(ZERO, _unit)], sign(_grows, ">=", _unit + natural("n", 1)), _unit + _n)
alone("monotone: ring_of(full, side, along=x).normal(f)", _ratio, ">", _unit + _n,
       step("monotone", _ratio, X, "lo", _growth, sign(ONE, ">", _n), _unit + _n, []))  # fmt: skip
_hidden = sp.log(Y * (1 + X)) - sp.log(1 + X) - sp.log(Y)  # zero where y > 0; it has no value elsewhere
_strip = _unit + numbers("y", lo=-1, hi=1, ends="[]")
covered(
    ("monotone: ring.normal(f)",), ("monotone: ring_of(full, side, along=x).normal(f)",),
    X + _hidden, ">", _strip,
    step("monotone", X + _hidden, X, "lo", sign(ONE, ">", _strip), same(ZERO, _strip[1:]), _strip, []),
)  # fmt: skip
_flatly = step("monotone", ZERO, X, "lo", sign(ZERO, ">=", _unit), same(ZERO), _unit, [])
for _part in (
    "strict", "start.claim.relation == '>' or (growth.claim.relation == '>' and moved)", "growth.claim.relation == '>'",
):  # fmt: skip
    alone(f"monotone: {_part}", 0, ">", _unit, _flatly)
_still = numbers("x", lo=0, hi=1, ends="[)")
alone("monotone: i.ends == '()' or (i.ends[0] if anchor == 'lo' else i.ends[1]) in '()'", X, ">", _still,
       step("monotone", X, X, "lo", sign(ONE, ">", _unit), same(ZERO), _still, []))  # fmt: skip
alone("monotone: known_on(growth, inside)", -X, ">=", _unit,
       step("monotone", -X, X, "lo", refute(-1, ">", _unit, (X, HALF)), same(ZERO), _unit, []))  # fmt: skip
alone("monotone: known_on(start, rest, ('==', *ORDER))", X - 5, ">", _unit,
       step("monotone", X - 5, X, "lo", sign(ONE, ">", _unit), refute(-5, ">", ()), _unit, []))  # fmt: skip
_bent = X**2 + sp.log(Y * (1 + X**2)) - sp.log(1 + X**2) - sp.log(Y)
alone("minimum: ring.normal(f)", _bent, ">=", _log,
       step("minimum", _bent, X, ZERO, sign(TWO, ">", _log), _log, []))  # fmt: skip
_dent = N**4 / 12 - N**3 / 6 + N / 6  # convex at whole numbers alone
alone("minimum: i.integer", _dent - sp.Rational(1, 12), ">=", _n, step("minimum", _dent, N, ONE, INTEGERS, _n, []))
alone("minimum: known_on(convex, domain)", -(X**2), ">=", _all,
       step("minimum", -(X**2), X, ZERO, refute(-2, ">", _all, (X, ZERO)), _all, []))  # fmt: skip
_line = [step("limit", X, X, sp.Integer(5), sp.Integer(v), *known, d, []) for v, known, d in (
    (9, (sign(1 - X, ">=", _unit), sign(4 * X / 5, ">=", _unit)), _unit),
    (5, (sign(ZERO, ">=", numbers("x", lo=4, hi=5)),) * 2, numbers("x", lo=4, hi=5)),
)]  # fmt: skip
alone("limit: end in (i.lo, i.hi)", 4, "==", (), combine(sp.Integer(4), "==", [(ONE, _line[1]), (-ONE, _line[0])]))
_root, _spot = sp.sqrt(Y - X), box(x=(0, 0)) + nonnegative("y")
alone("limit: i.ends[which] in '()'", limit_of(_root, X, ZERO, ONE) - sp.sqrt(Y), "==", nonnegative("y"),
       step("limit", _root, X, ZERO, sp.sqrt(Y), sign(ZERO, ">=", _spot), sign(ZERO, ">=", _spot), _spot, []),
       unjustified=True)  # fmt: skip
_bulge = (X + 2 * Y) / (X + Y)  # 2 at x = 0 for y > 0, but 1 for y = 0
_ends = [step("limit", f, X, ZERO, sp.Integer(v), sign(ZERO, ">=", d), sign(ZERO, ">=", d), d, [])
         for f, v, d in ((_bulge, 2, _unit + _y), (ONE, 1, _unit))]  # fmt: skip
alone("limit: ring.normal(bound_)", 1, "==", (), combine(ONE, "==", [(ONE, _ends[1]), (-ONE, at(_ends[0], Y, ZERO))]))
_limit = [step("limit", ZERO, X, ZERO, sp.Integer(v), *known, _unit, []) for v, known in (
    (7, (refute(-7, ">", _unit, (X, HALF)), sign(sp.Integer(7), ">=", _unit))),
    (-7, (sign(sp.Integer(7), ">=", _unit), refute(-7, ">", _unit, (X, HALF)))),
    (0, (sign(ZERO, ">=", _unit),) * 2),
)]  # fmt: skip
for _i, _part in enumerate(("below", "above")):
    alone(f"limit: known_on({_part}, domain)", (7, -7)[_i], "==", (),
           combine(sp.Integer((7, -7)[_i]), "==", [(ONE, _limit[2]), (-ONE, _limit[_i])]))  # fmt: skip
alone("axiom: relation in ('==', *ORDER)", 1, "not >", (), step("axiom", ONE, "not >", (), "nobody"))

# ------------------------------------------------------------------------------------ balls

alone(
    "cover: bool(evaluate(expr, dict(zip(names, b, strict=True)), prec) > 0)",
    -1,
    ">",
    (),
    step("cover", -ONE, (), "0", 64),
)
covered(
    ("refute: set(at) == {d.symbol for d in domain}",), (FREE,),
    X - 1, "not >=", (), refute(X - 1, ">=", (), (X, HALF)),
)  # fmt: skip
alone("refute: false", 1, "not >", (), refute(1, ">", ()))
for _part in ("zero", "ring.zero(ring.normal(substitute(expr, at)))"):
    alone(f"refute: {_part}", 1, "not >", (), refute(1, ">", ()))
_nowhere = box(x=(0, 2), y=(-1, 1))
alone("refute: v.is_finite()", (X - 1) ** 2 * sp.log(Y) ** 2 + 1 - 1, "not >", _nowhere,
       refute((X - 1) ** 2 * sp.log(Y) ** 2, ">", _nowhere, (X, ONE), (Y, -ONE)), unjustified=True)  # fmt: skip
_even = (N - HALF) ** 2
for _part in ("not integer or v.is_Integer", "integer"):
    alone(f"refute: {_part}", _even, "not >", _n, refute(_even, ">", _n, (N, HALF)))
alone("refute: bool(lo < v or (lo == v and ends[0] == '['))", X, "not >", _unit, refute(X, ">", _unit, (X, -ONE)))
alone(
    "refute: bool(v < hi or (v == hi and ends[1] == ']'))", 1 - X, "not >", _unit, refute(1 - X, ">", _unit, (X, TWO))
)
alone(
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
    alone(
        f"distinguish: {_part}",
        _value,
        ">",
        (),
        step("distinguish", _p, _q, _event, ZERO, _delta, 64),
        unjustified=True,
    )

# ------------------------------------------------------------------------------------ induction

_real = nonnegative("n")
alone("cases: i.integer", WHOLE, ">=", _real,
       step("cases", WHOLE, ">=", N, [_nothing],
            sign(WHOLE, ">=", numbers("n", lo=1, ends="[)")), _real))  # fmt: skip
alone("cases: relation in ('==', *ORDER)", 1, "not >", _n, step("cases", ONE, "not >", N, [], sign(ONE, ">", _n), _n))
alone("cases: at.zero(here - at.normal(known_on(fact, rest, known)))", N, ">", _n,
       step("cases", N, ">", N, [sign(ONE, ">")], sign(N, ">", natural("n", 1)), _n))  # fmt: skip
ALONE["cases: at_place(at, expr, {n: i.lo + j})"] = next(f.certificate for f in FOUND if f.name == "a case at a pole")
alone("cases: known_on(beyond, later, known)", -1, ">", _n,
       step("cases", -ONE, ">", N, [], refute(-1, ">", _n, (N, ZERO)), _n))  # fmt: skip
alone("cases: known_on(fact, rest, known)", N - HALF, ">", _n,
       step("cases", N - HALF, ">", N, [refute(-HALF, ">", ())],
            sign(N - HALF, ">", natural("n", 1)), _n))  # fmt: skip


def _sum(
    term: Any, closed: Any, relation: str, base: Step, after: Step, *, ratio: Any = 1, domain: Domain = _n
) -> Step:
    return step(
        "summation", sp.sympify(term), T, 1, N, sp.sympify(closed), relation, sp.sympify(ratio), base, after, domain, []
    )


_gauss, _empty, _from = N * (N + 1) / 2, Sum(ZERO, T, ONE, N), natural("n", 1)
_back = numbers("n", lo=-5, ends="[)", integer=True)
alone("summation: interval(domain, n) == Interval(n, sp.Integer(first - 1), sp.oo, '[)', integer=True)",
       _gauss - Sum(T, T, ONE, N), "==", _back, _sum(T, _gauss, "==", same(ZERO), same(ZERO, _from), domain=_back),
       unjustified=True)  # fmt: skip
alone("summation: relation in ('==', '>=')", _gauss - Sum(T, T, ONE, N), ">", _n,
       _sum(T, _gauss, ">", _nothing, sign(ZERO, ">=", _from)))  # fmt: skip
alone("summation: ring.zero(grown - ring.normal(known_on(step, later, known)))", -Sum(T, T, ONE, N), "==", _n,
       _sum(T, 0, "==", same(ZERO), same(ZERO, _from)))  # fmt: skip
_wave = 8 * (N - 1) ** 2 - 3
_more = sp.expand(_wave + _wave.subs(N, N - 1))
_waves = step("cases", _more, ">=", N, [sign(TWO, ">"), sign(TWO, ">")], sign(_more, ">=", natural("n", 3)), _from)
alone("summation: relation == '==' or ring.sign(ring.normal(ratio)) in ('+', '0+', '0')", _wave - _empty, ">=", _n,
       _sum(0, _wave, ">=", sign(sp.Integer(5), ">"), _waves, ratio=-1))  # fmt: skip
alone("summation: known_on(base, rest, known)", -1 - _empty, ">=", _n,
       _sum(0, -1, ">=", refute(-1, ">=", ()), sign(ZERO, ">=", _from)))  # fmt: skip
alone("summation: known_on(step, later, known)", -N - _empty, ">=", _n,
       _sum(0, -N, ">=", _nothing, refute(-1, ">=", _from, (N, ONE))))  # fmt: skip
_sloped = step("derivative", X**2, X, 2 * X, _all, [])
covered(
    ("accumulate: heads(c.expr)",), ("accumulate: m.free_symbols & running",),
    slope(X**2, X) * total(ONE) - 2 * total(X), "==", _all,
    step("accumulate", _sloped, [[slope(X**2, X), ONE], [-TWO, X]]),
)  # fmt: skip


def _loop(*args: Any) -> Step:
    return step("loop", *args, [])


_zero = sign(ZERO, ">=", _all)
covered(
    ("loop: len({*own}) == len(own)", SHAPE), (),
    loop_of(X, X, -ONE, X, X, ONE, X), ">=", _all,
    _loop(X, ">=", [[X, -ONE, X], [X, ONE, X]], ONE, sign(ONE, ">="), _zero, _all),
)  # fmt: skip
alone("loop: relation in ('==', '>=')", loop_of(X, X, ZERO, X), ">", _all,
       _loop(X, ">", [[X, ZERO, X]], ONE, _nothing, _zero, _all))  # fmt: skip
alone("loop: at.zero(at.normal(first) - at.normal(known_on(base, rest, known)))", loop_of(X, X, -ONE, X), ">=", _all,
       _loop(X, ">=", [[X, -ONE, X]], ONE, _nothing, _zero, _all))  # fmt: skip
alone("loop: ring.zero(change_ - ring.normal(known_on(step, domain, known)))", loop_of(X, X, ZERO, X - 1), ">=", _all,
       _loop(X, ">=", [[X, ZERO, X - 1]], ONE, _nothing, _zero, _all))  # fmt: skip
_half = box(x=(0, HALF))
alone("loop: lies_in(at, x0, i)", loop_of(X + 1, X, -ONE, X - X**2), ">=", _half,
       _loop(X + 1, ">=", [[X, -ONE, X - X**2]], ZERO, _nothing, sign(1 + X - X**2, ">=", _half), _half))  # fmt: skip
_shape = sp.expand((N - 1) * (N - 2))
for _part in ("not i.integer or (x0.is_Integer and (u - x).is_Integer) is True", "i.integer"):
    alone(f"loop: {_part}", loop_of(_shape, N, HALF, N + 1), ">=", _n,
           _loop(_shape, ">=", [[N, HALF, N + 1]], ZERO, sign(sp.Rational(3, 4), ">="), INTEGERS, _n))  # fmt: skip
alone("loop: known_on(base, rest, known)", loop_of(X, X, -ONE, X), ">=", _all,
       _loop(X, ">=", [[X, -ONE, X]], ONE, refute(-1, ">=", ()), _zero, _all))  # fmt: skip
alone("loop: known_on(step, domain, known)", loop_of(X, X, ZERO, X - 1), ">=", _all,
       _loop(X, ">=", [[X, ZERO, X - 1]], ONE, _nothing, refute(-1, ">=", _all, (X, ZERO)), _all))  # fmt: skip

# ------------------------------------------------------------------------------------ what guards nothing by itself

_far_one = step("limit", TALL, X, sp.oo, ONE, sign(ZERO, ">=", UP), sign(ZERO, ">=", UP), UP, [])
covered(
    ("limit: is_rational(end)",), ("check_box: hi.is_Rational or (hi > 0 and ends[1] == ')')", SHAPE),
    limit_of(TALL, X, sp.oo, -ONE) - 1, "==", (), _far_one,
)  # fmt: skip
covered(("minimum: ring.normal(slope_)",), ("minimum: ring.normal(f)",), _bent, ">=", _log,
         step("minimum", _bent, X, ZERO, sign(TWO, ">", _log), _log, []))  # fmt: skip
# The relation that a premise may have, where not all of them will do.
alone("congruence: ('==',)", 1, "==", (), step("congruence", A, A, ONE, ZERO, sign(ONE, ">"), (), []))
alone("cases: (relation,) if relation in ('==', '>') else (*ORDER, '==')", N, ">", _n,
       step("cases", N, ">", N, [_nothing], sign(N, ">", natural("n", 1)), _n))  # fmt: skip
alone("summation: (relation,) if relation == '==' else ORDER", N + 1 - Sum(ONE, T, ONE, N), "==", _n,
       _sum(1, N + 1, "==", sign(ONE, ">"), same(ZERO, _from)))  # fmt: skip
alone("loop: ('==',) if relation == '==' else ORDER", loop_of(X, X, ONE, X), "==", _all,
       _loop(X, "==", [[X, ONE, X]], ONE, sign(ONE, ">"), same(ZERO, _all), _all))  # fmt: skip
