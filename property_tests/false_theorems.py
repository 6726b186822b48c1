"""Certificates of false theorems: each breaks one rule, and would pass if that rule looked less closely.

A `FalseTheorem` names the refusal that stops it and the side conditions (`property_tests.side_conditions`) without
which it passes.  So every refusal that is listed here is shown to matter.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import sympy as sp

from proofs import kernel as k
from proofs.search import box, natural, nonnegative, numbers, positive, unit
from proofs.terms import Domain, Interval, Sum, limit_of, loop_of, total

X, Y, Z, N, T, A = sp.symbols("x y z n t a")
ZERO, ONE = sp.S.Zero, sp.S.One
HALF = sp.Rational(1, 2)
FOLDER = Path(__file__).parent / "false_certificates"

Step = dict[str, Any]


@dataclass(frozen=True)
class FalseTheorem:
    """A certificate of something false.

    Attributes:
        name: What it abuses.
        certificate: Plain JSON.
        why: A regular expression for the refusal.
        without: The side conditions without which it is accepted.
    """

    name: str
    certificate: dict[str, Any]
    why: str
    without: tuple[str, ...]


def as_json(v: Any) -> Any:
    """An argument as JSON; what is JSON already stays."""
    if isinstance(v, dict):
        return v
    if isinstance(v, list | tuple) and not isinstance(v, Interval):
        return [as_json(x) for x in v]
    return k.encode(v)


def step(rule: str, *args: Any) -> Step:
    """A rule with its arguments, unchecked."""
    return {"fact": {"rule": rule, "args": as_json(args)}}


def at(fact: Step, x: sp.Symbol, value: sp.Expr, domain: Domain = ()) -> Step:
    """An instance."""
    return step("instantiate", fact, [[x, value]], domain, [])


def sign(expr: sp.Expr, relation: str, domain: Domain = ()) -> Step:
    """A sign."""
    return step("sign", expr, relation, domain, [])


def same(expr: sp.Expr, domain: Domain = ()) -> Step:
    """``expr == 0`` by its normal form."""
    return step("identity", expr, ZERO, domain, [])


def combine(expr: sp.Expr, relation: str, terms: list[tuple[sp.Expr, Step]], domain: Domain = ()) -> Step:
    """A combination."""
    return step("combine", expr, relation, terms, domain, [])


# Side conditions that more than one certificate needs.
UNSEEN = "at_place: ring.normal(unevaluated(f, to))"
INSIDE = "substitute: inside"
NESTED = "check_term: e.func in BINDERS and any(map(heads, a))"
CAPTURE = "substitute: bound(h) & new"
JUMPS = "limit: along=x"
FOUND: list[FalseTheorem] = []


def false(name: str, why: str, expr: sp.Expr, relation: str, domain: Domain, proof: Step, *without: str) -> None:
    """List a false theorem with its certificate."""
    c = {"claim": k.encode((expr, relation, domain)), **proof["fact"]}
    FOUND.append(FalseTheorem(name, json.loads(json.dumps(c)), why, without))


def _from_file(name: str, why: str, *without: str) -> None:
    c = json.loads((FOLDER / f"{name}.json").read_text(encoding="utf-8"))
    FOUND.append(FalseTheorem(name, c, why, without))


_from_file("false-1-equals-0", "a head inside another", NESTED, JUMPS, INSIDE)
_from_file(
    "false-0-greater-0",
    "captured",
    NESTED,
    JUMPS,
    CAPTURE,
)  # fmt: skip

# A bound that is a limit itself: it vanishes for y > 0 and is 1 at y = 0.
_xy, _y = unit("x", "y"), unit("y")
_jump = limit_of(X / (X + Y), X, ZERO, ONE)
_zero = step("limit", X / (X + Y), X, ZERO, ZERO, sign(ZERO, ">=", _xy), sign(ZERO, ">=", _xy), _xy, [])
_below, _above = (combine(s * _jump, ">=", [(sp.Integer(s), _zero)], _y) for s in (-1, 1))
_wrong = step("limit", ZERO, Y, ZERO, limit_of(ONE, X, ZERO, ONE), _below, _above, _y, [])
_right, _ones = (
    step("limit", v, x, ZERO, v, sign(ZERO, ">=", d), sign(ZERO, ">=", d), d, [])
    for v, x, d in ((ZERO, Y, _y), (ONE, X, unit("x")))
)
false(
    "a bound that jumps", "continuous", ONE, "==", (),
    combine(ONE, "==", [(ONE, _right), (-ONE, _wrong), (-ONE, _ones)]), JUMPS, INSIDE,
)  # fmt: skip
_identity = step("limit", X, X, ZERO, ZERO, sign(ZERO, ">=", unit("x")), sign(ZERO, ">=", unit("x")), unit("x"), [])
_five = step(
    "limit", X, X, ZERO, sp.Integer(5), sign(ZERO, ">=", unit("x")), sign(ZERO, ">=", unit("x")), unit("x"), []
)
false(
    "a bound with another value", "another value", sp.Integer(5), "==", (),
    combine(sp.Integer(5), "==", [(ONE, _identity), (-ONE, _five)]),
    "limit: at.zero(at.normal(substitute(bound_, {x: end})) - at.normal(value))",
)  # fmt: skip

# Capture: the slope of x * y in x is y, but the slope of x * x is not x.
_reals = numbers("x", "y")
_linear, _square = step("derivative", X * Y, X, Y, _reals, []), step("derivative", X**2, X, 2 * X, numbers("x"), [])
_captured = at(_linear, Y, X, numbers("x"))
_vanishes = combine(X, "==", [(-ONE, _square), (ONE, _captured)], numbers("x"))
false(
    "a captured symbol", "captured", ONE, "==", (), at(_vanishes, X, ONE),
    CAPTURE,
)  # fmt: skip
false(
    "another slope", "not the derivative", sp.Integer(2), "==", (),
    at(combine(2 * X, "==", [(ONE, step("derivative", X**2, X, ZERO, numbers("x"), [])), (-ONE, _square)],
               numbers("x")), X, ONE),
    "derivative: ring.zero(ring.normal(sp.diff(f, x)) - ring.normal(g))",
)  # fmt: skip

# Parts that cancel when a place is put in, although they are 0 / 0 there.
_quotient = (2 * Y + N * (N - 1)) / (Y + N - 1) - sp.Rational(3, 2)
_closed = box(y=(0, 1))
_all = step(
    "cases", _quotient, ">", N, [sign(HALF, ">", _closed)], sign(_quotient, ">", natural("n", 2) + _closed),
    natural("n", 1) + _closed,
)  # fmt: skip
false("a case at a pole", "may vanish", -HALF, ">", (), at(at(_all, Y, ZERO, natural("n", 1)), N, ONE), UNSEEN)
_null = (Z + 1) ** 2 - Z**2 - 2 * Z - 1  # zero, but sympy does not see it
_left, _other = -Y + 3 * Z * _null, -Y + Z * _null
_equal = step("identity", _left, _other, numbers("y", "z"), [])
_ratio = (2 * X + 2 * Y - 3 * Z * _null) / (X + Y)  # 1 at the left place, -1 at the right one, 0 / 0 at both
false(
    "equals at a pole", "may vanish", sp.Integer(2), "==", numbers("y", "z"),
    step("congruence", _ratio, X, _left, _other, _equal, numbers("y", "z"), []), UNSEEN,
)  # fmt: skip
_sums = step("congruence", Sum(_ratio, T, ONE, sp.Integer(5)), X, _left, _other, _equal, numbers("y", "z"), [])
_counted, _minus = (
    at(step("summation", sp.Integer(s), T, 1, N, s * N, "==", ONE, same(ZERO), same(ZERO, natural("n", 1)),
            natural("n"), []), N, sp.Integer(5))
    for s in (1, -1)
)  # fmt: skip
false(
    "equals inside a head", "inside a head", sp.Integer(10), "==", numbers("y", "z"),
    combine(sp.Integer(10), "==", [(ONE, _counted), (-ONE, _minus), (ONE, _sums)], numbers("y", "z")), INSIDE,
)  # fmt: skip

# Boxes and relations.
false(
    "an instance outside", "may leave", -ONE, ">", (), at(sign(X, ">", positive("x")), X, -ONE),
    "instantiate: lies_in(ring, e, o)",
)  # fmt: skip
_integers = step("cases", N**2 - N, ">=", N, [sign(ZERO, ">=")], sign(N**2 - N, ">=", natural("n", 1)), natural("n"))
false(
    "an integer that is none", "an integer", sp.Rational(-1, 4), ">=", (), at(_integers, N, HALF),
    "instantiate: not o.integer or e.is_Integer or bool(shift)",
)  # fmt: skip
false(
    "a negative multiplier", "multiplier", -X, ">=", positive("x"),
    combine(-X, ">=", [(-ONE, sign(X, ">", positive("x")))], positive("x")),
    "combine: s in ('+', '0+', '0')",
)  # fmt: skip
false(
    "strict for nothing", "not that relation", X, ">", nonnegative("x"),
    combine(X, ">", [(ONE, sign(X, ">=", nonnegative("x")))], nonnegative("x")),
    "combine: fact.claim.relation == '>'",
)  # fmt: skip
false(
    "a refutation as a premise", "wrong relation", X - 1, ">=", positive("x"),
    combine(X - 1, ">=", [(ONE, step("refute", X - 1, ">=", positive("x"), [[X, HALF]], 64))], positive("x")),
    "known_on: fact.claim.relation in relations",
)  # fmt: skip
false(
    "a premise on a part of the box", "all values of x", X, ">", numbers("x"),
    combine(X, ">", [(ONE, sign(X, ">", positive("x")))], numbers("x")),
    "within: low",
)  # fmt: skip
_real = nonnegative("n")
false(
    "a premise about integers on a real box", "all values of n", N**2 - N, ">=", _real,
    combine(N**2 - N, ">=", [(ONE, _integers)], _real),
    "within: i.integer",
)  # fmt: skip
false(
    "boxes with a gap", "touch", (X - 1) ** 2, ">", numbers("x", lo=0, hi=2),
    step("join", *(sign((X - 1) ** 2, ">", numbers("x", lo=i, hi=i + 1)) for i in (0, 1)), X),
    "join: '[' in (j.ends[0], '[' if i.ends[1] == ']' else '')",
)  # fmt: skip
_low, _high = (numbers("x", lo=i, hi=i + 1, ends="[]") for i in (0, 1))
_both = (total(ONE) - total(X)) * total((1 - X) ** 3)
_smaller = step("accumulate", sign(1 - X, ">=", _low), [[ONE, ONE], [-ONE, X]])
_larger = step("accumulate", sign(X - 1, ">=", _high), [[ONE, X], [-ONE, ONE]])
false(
    "totals over two boxes", "all points", _both, ">=", numbers("x", lo=0, hi=2, ends="[]"),
    step("join", step("sign", _both, ">=", _low, [_smaller]), step("sign", _both, ">=", _high, [_larger]), X),
    "join: bound(a.expr)",
)  # fmt: skip
false(
    "a weak sign for a strict one", "not certain", X, ">", nonnegative("x"), sign(X, ">", nonnegative("x")),
    "sign: ring.sign(ring.normal(expr)) in {'>': ('+',), '>=': ('+', '0+', '0')}[relation]",
)  # fmt: skip
false(
    "a negative weight", "weight", -(X**2), ">=", numbers("x"),
    step("squares", -(X**2), [[-ONE, X]], numbers("x"), []),
    "squares: ring.sign(w) in ('+', '0+', '0')",
)  # fmt: skip
false(
    "an equation from an inequality", "multiplier", X, "==", positive("x"),
    combine(X, "==", [(ONE, sign(X, ">", positive("x")))], positive("x")),
    "combine: relation in ORDER",
)  # fmt: skip
false(
    "the end of an open interval", "may leave", ZERO, ">", (), at(sign(X, ">", positive("x")), X, ZERO),
    "lies_in: above",
)  # fmt: skip
false(
    "an integer left out", "n", (N - 1) ** 2, ">", natural("n"),
    step("cases", (N - 1) ** 2, ">", N, [sign(ONE, ">")], sign((N - 1) ** 2, ">", natural("n", 2)), natural("n")),
    "cases: ring.zero(ring.normal(expr) - ring.normal(known_on(beyond, later, known)))",
)  # fmt: skip

# Analysis.
false(
    "growth of another function", "derivative", -X, ">", unit("x"),
    step("monotone", -X, X, "lo", sign(ONE, ">", unit("x")), same(ZERO), unit("x"), []),
    "monotone: ring.zero(ring.normal(rise) - ring.normal(known_on(growth, inside)))",
)  # fmt: skip
false(
    "another start", "value at the end", X - 1, ">", unit("x"),
    step("monotone", X - 1, X, "lo", sign(ONE, ">", unit("x")), same(ZERO), unit("x"), []),
    "monotone: at.zero(at.normal(substitute(f, {x: end})) - at.normal(known))",
)  # fmt: skip
_cubic = X**3 - 3 * X
false(
    "a minimiser outside", "outside", _cubic - 2, ">=", positive("x"),
    step("minimum", _cubic, X, -ONE, sign(6 * X, ">", positive("x")), positive("x"), []),
    "minimum: lies_in(ring, at, i)",
)  # fmt: skip
false(
    "a maximum", "second derivative", -(X**2), ">=", numbers("x"),
    step("minimum", -(X**2), X, ZERO, sign(sp.Integer(2), ">", numbers("x")), numbers("x"), []),
    "minimum: ring.zero(ring.normal(sp.diff(slope_, x)) - ring.normal(known_on(convex, domain)))",
)  # fmt: skip
false(
    "strict at the end itself", "another claim", X, ">", numbers("x", lo=0, hi=1, ends="[)"),
    step("monotone", X, X, "lo", sign(ONE, ">", unit("x")), same(ZERO), numbers("x", lo=0, hi=1, ends="[)"), []),
    "monotone: moved",
)  # fmt: skip
false(
    "a minimum that is none", "stationary", X**2 - 1, ">=", numbers("x"),
    step("minimum", X**2, X, ONE, sign(sp.Integer(2), ">", numbers("x")), numbers("x"), []),
    "minimum: ring.zero(ring.normal(substitute(slope_, {x: at})))",
)  # fmt: skip

# Induction.
_gauss = N * (N + 1) / 2
_sum, _more = (
    at(step("summation", T, T, 1, N, c, "==", ONE, same(ZERO), same(ZERO, natural("n", 1)), natural("n"), []), N, ZERO)
    for c in (_gauss, _gauss + 1)
)
false(
    "a sum without a base", "base", ONE, "==", (), combine(ONE, "==", [(ONE, _more), (-ONE, _sum)]),
    "summation: at.zero(at.normal(at_place(at, closed, {n: sp.Integer(first - 1)}))"
    " - at.normal(known_on(base, rest, known)))",
)  # fmt: skip
_pyramid = N * (N + 1) * (2 * N + 1) / 6
false(
    "terms that change", "ratio", _pyramid - Sum(T * N, T, ONE, N), "==", natural("n"),
    step("summation", T * N, T, 1, N, _pyramid, "==", ONE, same(ZERO), same(ZERO, natural("n", 1)), natural("n"), []),
    "summation: earlier.zero(earlier.normal(term) - old)",
)  # fmt: skip
_two = positive("x") + numbers("a")
false(
    "a parameter that runs", "runs", total(X**2) - 2 * A * total(X) + total(A**2), ">=", _two,
    step("accumulate", step("squares", (X - A) ** 2, [[ONE, X - A]], _two, []),
         [[ONE, X**2], [-2 * A, X], [ONE, A**2]]),
    "accumulate: m.free_symbols & running",
)  # fmt: skip
_steps = box(y=(-1, 1)) + numbers("x")
false(
    "an invariant of other symbols", "invariant", loop_of(X * Y, X, ZERO, X + Y), ">=", _steps,
    step("loop", X * Y, ">=", [[X, ZERO, X + Y]], ONE, sign(ZERO, ">=", _steps[:1]), sign(Y**2, ">=", _steps), _steps,
         []),
    "loop: invariant.free_symbols <= {*own}",
)  # fmt: skip
_half = box(x=(0, HALF))
false(
    "a state that leaves", "leaves", loop_of(1 - X, X, HALF, 2 * X), ">=", _half,
    step("loop", 1 - X, ">=", [[X, HALF, 2 * X]], ZERO, sign(HALF, ">="), sign(1 - 2 * X, ">=", _half), _half, []),
    "loop: lies_in(ring, u, i)",
)  # fmt: skip
_flip = numbers("x", lo=-1, hi=1, ends="[]")
false(
    "a ratio that turns the sign", "negative", loop_of(X, X, ONE, -X), ">=", _flip,
    step("loop", X, ">=", [[X, ONE, -X]], -ONE, sign(ONE, ">="), sign(ZERO, ">=", _flip), _flip, []),
    "loop: relation == '==' or ring.sign(ring.normal(ratio)) in ('+', '0+', '0')",
)  # fmt: skip
false(
    "a sum of other terms", "not those terms", total(X) - total(ONE), ">=", positive("x"),
    step("accumulate", sign(X, ">=", positive("x")), [[ONE, X], [-ONE, ONE]]),
    "accumulate: ring.zero(ring.normal(c.expr) - sum((ring.normal(m) * ring.normal(phi) for m, phi in terms)))",
)  # fmt: skip

# Balls.
false(
    "half of a box", "do not cover", sp.Rational(51, 100) - X, ">", box(x=(0, 1)),
    step("cover", sp.Rational(51, 100) - X, box(x=(0, 1)), "x0 0", 64),
    "cover: stack",
)  # fmt: skip
