"""The side conditions of the kernel's rules without which nothing false passes, and the reason why.

What is left is an exception, a true claim, or another spelling of the same arguments; an attempt shows which.
"""

from __future__ import annotations

import json
from typing import Any, Final, NamedTuple

import sympy as sp

from proofs.search import box, natural, numbers, positive, unit
from proofs.terms import Interval, Sum, total
from property_tests.analysis_condition_certificates import COVERED, Certificate, written
from property_tests.false_theorems import as_json, same, sign, step

X, Y, N, T = sp.symbols("x y n t")
ZERO, ONE, HALF, TWO = sp.S.Zero, sp.S.One, sp.Rational(1, 2), sp.Integer(2)
_unit, _n, _y, _around = unit("x"), natural("n"), box(y=(0, 1)), numbers("x", lo=-1, hi=1)


class Harmless(NamedTuple):
    """The reason why nothing false passes, an attempt, and what is said of it; nothing where it is true."""

    reason: str
    certificate: Certificate | None = None
    said: str = ""


def _raw(args: list[Any], rule: str = "sign", claim: Any = (ONE, ">", ())) -> Certificate:
    return dict(json.loads(json.dumps({"claim": as_json(claim), "rule": rule, "args": args})))


_one, _x = as_json(ONE), as_json(X)


def _term(j: Any, value: sp.Expr = ONE) -> Certificate:
    """The claim ``value > 0``, with its term written in this way."""
    return _raw([j, ">", [], []], claim=(value, ">", ()))


_same_claim = "it would be another spelling of the same arguments"
_fails = "without it an exception ends the replay"
_small = "it limits time and memory, and says nothing of values"
_number: Any = {"number": "1"}
_ENTRIES: Final[tuple[tuple[str, str, Certificate | None, str], ...]] = (
    (
        "check_box: is_symbol(s)",
        "an interval of what is no symbol is read by no rule: a place is given to symbols alone",
        written(1, ">", (Interval(TWO, ZERO, ONE, "()"),), sign(ONE, ">", (Interval(TWO, ZERO, ONE, "()"),))),
        "",
    ),
    ("check_box: type(integer) is bool", "another value is taken for true or for false everywhere", None, ""),
    (
        "check_box: lo < 0",
        "an end oo has nothing above it: lo < hi fails",
        written(1, ">", (Interval(X, sp.oo, sp.oo, "()"),), sign(ONE, ">", (Interval(X, sp.oo, sp.oo, "()"),))),
        "not an interval",
    ),
    (
        "check_box: hi > 0",
        "an end -oo has nothing below it: lo < hi fails",
        written(1, ">", (Interval(X, -sp.oo, -sp.oo, "()"),), sign(ONE, ">", (Interval(X, -sp.oo, -sp.oo, "()"),))),
        "not an interval",
    ),
    ("check_box: hi == sp.oo", "every rule reads a finite set of integers as it is written", None, ""),
    ("within: i is not None", _fails, COVERED["within: i"].certificate, "AttributeError"),
    ("within: i is not None (2)", _fails, COVERED["within: i"].certificate, "AttributeError"),
    ("read_symbol: isinstance(name, str)", _fails, _term({"symbol": 1}), "TypeError"),
    (
        "read_symbol: is_symbol(sp.Symbol(name))",
        "a box and a term look at their symbols again",
        _term({"symbol": "oo"}, ONE),
        "not of its type|not a term",
    ),
    (
        "read_number: found is None",
        "what is no numeral is not its own text",
        _term({"number": "1.0"}),
        "not a numeral|not of its type",
    ),
    ("read_number: str(found) != text", _same_claim, _term({"number": "2/2"}), ""),
    ("read_term: head not in HEADS", _fails, _term({"sin": [_number]}), "KeyError"),
    (
        "read_term: isinstance(x, sp.Expr)",
        "text has no parts that are terms",
        _term({"exp": ["0"]}),
        "AttributeError|no head of that name",
    ),
    (
        "read_term: check_term(x) == x",
        "what sympy makes of the head is looked at again, and is all that the claim records",
        _term({"exp": [{"number": "-oo"}]}, ZERO),
        "not certain",
    ),
    ("read_term: len(parts) == 0", _same_claim, _term({"Mul": []}), ""),
    (
        "read_term: not several and len(parts) != (2 if head == 'Pow' else 1)",
        "sympy reads log(x, 2) as a quotient, which is the term",
        _term({"log": [as_json(sp.Integer(9)), as_json(sp.Integer(3))]}, TWO),
        "",
    ),
    (
        "read_term: several",
        "sympy reads log(x, 2) as a quotient, which is the term",
        _term({"log": [as_json(sp.Integer(9)), as_json(sp.Integer(3))]}, TWO),
        "",
    ),
    (
        "read_term: head in ('Add', 'Mul') or HEADS[head] in BINDERS",
        "sympy reads log(x, 2) as a quotient, which is the term",
        _term({"log": [as_json(sp.Integer(9)), as_json(sp.Integer(3))]}, TWO),
        "",
    ),
    (
        "read_term: power and any((max(abs(q.p), q.q) > LARGEST_EXPONENT for q in parts[-1].atoms(sp.Rational)))",
        _small,
        None,
        "",
    ),
    ("factors: d != 1", "the callers hand it numerators and denominators", None, ""),
    (
        "_polynomials: isinstance(e, sp.Add | sp.Mul)",
        "normal forms have atoms in the place of all other functions",
        None,
        "",
    ),
    ("_polynomials: comb(max(len(n), len(d)) + k - 1, k) > LARGEST", _small, None, ""),
    (
        "_normal: self.zero(r - u)",
        "it guards against an error of sympy's cancel: tests/proofs/test_algebra.py plants one",
        None,
        "",
    ),
    ("coefficients: below.is_constant()", "the callers hand it factors of polynomials", None, ""),
    ("decode: type(j) is dict", _fails, _raw([None]), "TypeError"),
    ("decode: len(j) == 1", _fails, _term({"number": "1", "symbol": "x"}), "ValueError"),
    (
        "decode: isinstance(body, list)",
        "text is split into letters, which are no terms",
        _term({"exp": "x"}),
        "no head of that name",
    ),
    ("decode: isinstance(body, dict)", _fails, _raw([{"fact": []}]), "AttributeError"),
    (
        "decode: body.keys() == {'rule', 'args'}",
        "a rule's name and arguments are all that is read of a fact",
        _raw([_one, ">", [], [{"fact": {"rule": "sign", "args": [_one, ">", [], []], "note": ""}}]]),
        "",
    ),
    (
        "decode: len(parts) == len(Interval._fields)",
        _fails + ", or an interval of four parts is one of real numbers",
        _raw([_one, ">", [{"interval": [_x]}], []]),
        "TypeError",
    ),
    ("_replay: isinstance(c['rule'], str)", _fails, _raw([], rule=[]), "TypeError"),  # type: ignore[arg-type]
    ("_replay: c['rule'] in RULES", _fails, _raw([], rule="nothing"), "KeyError"),
    (
        "_replay: isinstance(c['args'], list)",
        "text is split into letters, which are no terms",
        {**_raw([]), "args": "xyz"},
        "not of its type",
    ),
    (
        "replay: c.keys() == {'claim', 'rule', 'args'}",
        "a claim, a rule and its arguments are all that is read",
        {**_term(_one), "note": ""},
        "",
    ),
    (
        "join: a.relation == b.relation or '==' not in (a.relation, b.relation)",
        "0 on one box and more on the other is not negative: the claim is true",
        written(0, ">=", box(x=(0, 2)), step("join", same(ZERO, box(x=(0, 1))), sign(ZERO, ">=", box(x=(1, 2))), X)),
        "",
    ),
    (
        "join: i.integer",
        "integers have no greatest one, where the other box would begin",
        written(N, ">=", _n, step("join", sign(N, ">=", _n), sign(N, ">=", natural("n", 1)), N)),
        "do not touch",
    ),
    (
        "derivative: along=x",
        "sympy's derivative of a head is no term",
        written(0, "==", _unit, step("derivative", total(X), X, ZERO, _unit, [])),
        "no meaning|is not a term",
    ),
    (
        "monotone: anchor in ('lo', 'hi')",
        "another word is read as hi in every place",
        written(1 - X, ">", _unit, step("monotone", 1 - X, X, "end", sign(ONE, ">", _unit), same(ZERO), _unit, [])),
        "",
    ),
    (
        "monotone: smooth=True",
        "the derivative has a pole where a root is not smooth",
        written(
            sp.sqrt(X**2),
            ">=",
            _around,
            step("monotone", sp.sqrt(X**2), X, "lo", sign(ZERO, ">=", _around), sign(ONE, ">"), _around, []),
        ),
        "may vanish",
    ),
    (
        "monotone: along=x",
        "sympy's derivative of a head is no term",
        written(
            total(X), ">=", _unit, step("monotone", total(X), X, "lo", sign(ZERO, ">=", _unit), same(ZERO), _unit, [])
        ),
        "not known to be continuous",
    ),
    (
        "monotone: along=x (2)",
        "sympy's derivative of a head is no term",
        written(
            total(X), ">=", _unit, step("monotone", total(X), X, "lo", sign(ZERO, ">=", _unit), same(ZERO), _unit, [])
        ),
        "not known to be continuous",
    ),
    (
        "minimum: x not in at.free_symbols",
        "a convex function is nowhere less than at a stationary point, whichever it is",
        written(0, ">=", _unit, step("minimum", ONE, X, X, sign(ZERO, ">=", _unit), _unit, [])),
        "",
    ),
    (
        "minimum: smooth=True",
        "the second derivative has a pole where a root is not smooth",
        written(
            sp.sqrt(X**2),
            ">=",
            _around,
            step("minimum", sp.sqrt(X**2), X, ZERO, sign(ZERO, ">=", _around), _around, []),
        ),
        "may vanish",
    ),
    (
        "minimum: along=x",
        "sympy's derivative of a head is no term",
        written(total(X), ">=", _unit, step("minimum", total(X), X, HALF, sign(ZERO, ">=", _unit), _unit, [])),
        "no meaning|is not a term",
    ),
    ("__post_init__: key is not _KEY", "no certificate makes a fact but by a rule", None, ""),
    (
        "cover: d.ends == '[]'",
        "the closed box is covered, and an infinite end raises",
        written(X + 1, ">", _unit, step("cover", X + 1, _unit, "0", 64)),
        "",
    ),
    (
        "cover: prec in PRECISIONS",
        "balls contain the value at every precision, and none is below 1",
        written(ONE, ">", (), step("cover", ONE, (), "0", 0)),
        "ValueError",
    ),
    ("cover: stack (2)", _fails, written(ONE, ">", (), step("cover", ONE, (), "0 0", 64)), "IndexError"),
    (
        "cover: re.fullmatch('0|x[0-9]{1,4}', word) is not None",
        "a word without a number raises, and a side counted from the end leaves a box of another length",
        written(X + 1, ">", box(x=(0, 1)), step("cover", X + 1, box(x=(0, 1)), "x-1 0 0", 64)),
        "ValueError",
    ),
    (
        "cover: k < len(b)",
        _fails,
        written(X + 1, ">", box(x=(0, 1)), step("cover", X + 1, box(x=(0, 1)), "x1 0 0", 64)),
        "IndexError",
    ),
    (
        "refute: prec in PRECISIONS",
        "balls contain the value at every precision, and none is below 1",
        written(-ONE, "not >", (), step("refute", -ONE, ">", (), [], 0)),
        "ValueError",
    ),
    (
        "refute: is_rational(v)",
        _fails,
        written(-X, "not >", positive("x"), step("refute", -X, ">", positive("x"), [[X, sp.pi]], 64)),
        "AttributeError",
    ),
    (
        "refute: relation == '>'",
        "only > asks for it",
        written(0, "not >=", (), step("refute", ZERO, ">=", (), [], 64)),
        "does not refute",
    ),
    (
        "distinguish: prec in PRECISIONS",
        "balls contain the value at every precision, and none is below 1",
        written(ONE, ">", (), step("distinguish", [ONE], [ONE], [0], ZERO, -ONE, 0)),
        "ValueError",
    ),
    (
        "distinguish: is_rational(m)",
        "masses that are not negative and have the sum 1 are masses, rational or not",
        written(
            (sp.pi - 1) / 4,
            ">",
            (),
            step("distinguish", [sp.pi / 4, 1 - sp.pi / 4], [ONE / 4, ONE * 3 / 4], [0], ZERO, ZERO, 64),
        ),
        "",
    ),
    (
        "summation: at_place(ring, closed, {n: n - 1})",
        "what is undefined at n - 1 is undefined at the base, or at a later n: both are looked at",
        None,
        "",
    ),
    (
        "summation: at_place(at, closed, {n: sp.Integer(first - 1)})",
        "the step looks at the closed form at n - 1, for n = first too",
        written(
            (N**2 + N * Y) / (N + Y) - Sum(ONE, T, ONE, N),
            "==",
            _n + _y,
            step(
                "summation",
                ONE,
                T,
                1,
                N,
                (N**2 + N * Y) / (N + Y),
                "==",
                ONE,
                same(ZERO, _y),
                same(ZERO, natural("n", 1) + _y),
                _n + _y,
                [],
            ),
        ),
        "may vanish",
    ),
    (
        "accumulate: c.relation in ('==', *ORDER)",
        "a refutation at a point is one of the totals over that point, and no rule takes it as a premise",
        None,
        "",
    ),
)
HARMLESS: Final = {entry[0]: Harmless(*entry[1:]) for entry in _ENTRIES}
