"""What `proofs.coq.statements` writes: the trusted part of the second checker, tested without Coq."""

from __future__ import annotations

import ast
import inspect
from fractions import Fraction
from typing import Any

import pytest
import sympy as sp

from proofs import kernel as k
from proofs.check import CERTIFICATES
from proofs.coq import checkers, running, statements
from proofs.coq.statements import Unstated, comment, defined, statement, term, theorem
from proofs.registry import registry
from proofs.search import natural, numbers, positive
from proofs.terms import Domain, Sum, loop_of, slope, total
from tests.effort import runs

X, Y, N, T = sp.symbols("x y n t")
LINES = 200


def claim(expr: sp.Expr, relation: str, domain: Domain = ()) -> Any:
    return k.encode((expr, relation, domain))


def interval(lo: str, hi: str, ends: str = "[]", *, integer: bool = False, name: str = "x") -> Any:
    return {"interval": [{"symbol": name}, {"number": lo}, {"number": hi}, ends, integer]}


# ------------------------------------------------------------------------------------ what is written


def test_a_claim_is_quantified_over_its_box_and_says_that_its_formula_is_defined() -> None:
    found = statement(claim(sp.log(X) / Y + sp.sqrt(X), ">", numbers("x", lo=0, hi=1, ends="(]") + positive("y")))
    assert found == (
        "forall v_x v_y : R, (0) < v_x -> v_x <= (1) -> (0) < v_y -> "
        "0 <= v_x /\\ v_y <> 0 /\\ 0 < v_x /\\ 0 < ((sqrt v_x) + ((/ v_y) * (ln v_x)))"
    )


def test_both_sides_of_an_identity_are_stated_beside_the_claim() -> None:
    fact = {**k.identity(X + X, 2 * X, numbers("x")).certificate()}
    assert theorem("a", fact, "m.b") == (
        "Theorem a :\n  forall v_x : R, ((2) * v_x) = ((2) * v_x) /\\ (0) = 0.\nProof. exact m.b. Qed.\n"
    )


def test_a_refutation_is_a_witness_where_the_formula_is_defined() -> None:
    assert statement(claim(1 / N, "not >=", natural("n", 1))) == (
        "exists v_n : R, (1) <= v_n /\\ isint v_n /\\ v_n <> 0 /\\ ~ (0 <= (/ v_n))"
    )


def test_a_sequence_is_not_empty_and_lies_in_the_box() -> None:
    assert statement(claim(total(X**2), ">=", positive("x"))) == (
        "forall l : list (R), l <> nil -> (forall p, In p l -> let v_x := p in (0) < v_x) -> "
        "0 <= (total (fun v_x => (v_x ^ 2)) l)"
    )


def test_a_loop_is_about_every_state_that_it_reaches() -> None:
    found = statement(claim(loop_of(X, X, sp.S.Zero, X + Y), ">=", numbers("x") + positive("y")))
    assert found == (
        "(forall v_x : R, (forall S : R -> Prop, (forall v_y : R, (0) < v_y -> S (0)) -> "
        "(forall v_x : R, S v_x -> forall v_y : R, (0) < v_y -> S (v_x + v_y)) -> S v_x) -> 0 <= v_x)"
    )


def test_a_bound_symbol_is_bound_in_coq() -> None:
    found = statement(claim(Sum(1 / T, T, sp.S.One, N) - slope(X**2, X), ">", natural("n") + positive("x")))
    assert "(sum_from (fun v_t => (/ v_t)) (1) v_n)" in found
    assert "(forall v_t : R, isint v_t -> (1) <= v_t <= v_n -> v_t <> 0)" in found
    assert "ex_derive (fun v_x => (v_x ^ 2)) v_x" in found


@pytest.mark.parametrize(
    ("power", "text", "needs"),
    [
        (X**-2, "(/ (v_x ^ 2))", "v_x <> 0"),
        (sp.sqrt(X), "(sqrt v_x)", "0 <= v_x"),
        (X ** sp.Rational(-3, 4), "(/ ((sqrt (sqrt v_x)) ^ 3))", "0 < v_x"),
        (X ** sp.Rational(2, 3), "(Rpower v_x (2 / 3))", "0 < v_x"),
        (X**Y, "(Rpower v_x v_y)", "0 < v_x"),
    ],
)
def test_a_power_is_defined_where_coq_computes_the_same(power: sp.Expr, text: str, needs: str) -> None:
    assert (term(k.encode(power)), defined(k.encode(power))) == (text, [needs])


@pytest.mark.parametrize("head", ["Pow", "Sum", "total", "slope", "limit"])
def test_a_head_with_one_argument_more_has_no_statement(head: str) -> None:
    """What a statement does not say of a formula, a printed claim would seem to say."""
    x, t, one, two = {"symbol": "x"}, {"symbol": "t"}, {"number": "1"}, {"number": "2"}
    given = {"Pow": [x, two], "Sum": [t, t, one, x], "total": [x], "slope": [x, x], "limit": [t, t, one, one]}[head]
    assert term({head: given}, ["v_x"])
    with pytest.raises(Unstated, match=f"no formula of Coq for '{head}'"):
        term({head: [*given, one]}, ["v_x"])


def test_a_sum_begins_at_a_whole_number() -> None:
    x, t = {"symbol": "x"}, {"symbol": "t"}
    for first in ({"number": "1/2"}, {"number": "pi"}, x):
        with pytest.raises(Unstated, match="no formula of Coq for 'Sum'"):
            term({"Sum": [t, t, first, x]})


def test_a_sum_up_to_its_own_symbol_has_no_statement() -> None:
    """That 1 / (t - 5) is defined up to t - 1 would be asked of t <= t - 1 alone: of nothing, and Coq's 1 / 0 is 0."""
    t, less = {"symbol": "t"}, [{"Add": [{"symbol": "t"}, {"number": n}]} for n in ("-5", "-1")]
    found = {"Sum": [{"Pow": [less[0], {"number": "-1"}]}, t, {"number": "1"}, less[1]]}
    with pytest.raises(Unstated, match="up to its own v_t"):
        statement([found, "==", [interval("10", "10", name="t")]])
    renamed = {"Sum": [{"Pow": [{"symbol": "s"}, {"number": "-1"}]}, {"symbol": "s"}, {"number": "1"}, less[1]]}
    nested = {
        "Sum": [{"Sum": [{"symbol": "s"}, {"symbol": "s"}, {"number": "1"}, t]}, t, {"number": "1"}, {"number": "3"}]
    }
    assert term(nested).count("sum_from") == 2
    assert not any("v_s <= v_s" in c for c in defined(nested))
    assert "v_s <= (v_t + (-1)) -> v_s <> 0" in statement([renamed, ">", [interval("10", "10", name="t")]])


def test_a_slope_of_what_changes_by_jumps_has_no_statement() -> None:
    """The sum of s - 5 up to 5 does not jump, and 1 / sign(t) is 0 at 0 in Coq: neither has a slope in t."""
    s, t, u, zero, one = {"symbol": "s"}, {"symbol": "t"}, {"symbol": "u"}, {"number": "0"}, {"number": "1"}
    ratio = {"Mul": [t, {"Pow": [u, {"number": "-1"}]}]}
    sign = {"limit": [{"tanh": [ratio]}, u, zero, one]}
    for body in ({"Sum": [{"Add": [s, {"number": "-5"}]}, s, one, t]}, {"Pow": [sign, {"number": "-1"}]}):
        with pytest.raises(Unstated, match="what v_t changes by jumps"):
            statement([{"slope": [body, t]}, "==", [interval("0", "5", name="t")]])
    assert "Derive" in statement([{"slope": [{"Mul": [s, t]}, t]}, ">", [interval("0", "5", name=n) for n in "st"]])


def test_a_slope_is_of_what_is_defined_on_both_sides() -> None:
    power = X ** sp.Rational(3, 2)
    found = statement(claim(slope(power, X) - 3 * sp.sqrt(X) / 2, "==", numbers("x", lo=0, hi=1, ends="[]")))
    assert "0 < v_x /\\ ex_derive (fun v_x => ((sqrt v_x) ^ 3)) v_x" in found
    assert defined(k.encode(power)) == ["0 <= v_x"]


def test_every_committed_claim_has_a_statement_without_free_names() -> None:
    found = running.certificates()
    some = list(found)[:: runs(20, 1)]
    assert len(some) > 10
    for name in some:
        for fact in found[name][1]["facts"]:
            if fact["rule"] != "axiom":
                assert theorem("a", fact, "b").count("Theorem") == 1


# ------------------------------------------------------------------------------------ what is refused


@pytest.mark.parametrize("name", ["a.b", "a b", "", "1x", "é", "x'", "forall", "fun", "x:=0", 3])
def test_a_name_is_a_plain_word_and_becomes_a_variable_of_its_own(name: Any) -> None:
    if name in ("forall", "fun"):
        assert term({"symbol": name}) == f"v_{name}"  # no keyword any more
        return
    with pytest.raises(Unstated, match="name of a symbol"):
        term({"symbol": name})


def test_different_names_stay_different() -> None:
    assert term({"symbol": "a_b"}) != term({"symbol": "ab"})
    with pytest.raises(Unstated):
        term({"symbol": "a.b"})


@pytest.mark.parametrize(
    "number", ["1/0", "00", "01", "1/02", "1.5", "+1", "1e3", "١", "oo", "zoo", "", "2/-3", None, 1]
)
def test_a_numeral_out_of_form_is_refused(number: Any) -> None:
    with pytest.raises(Unstated, match="not a number"):
        term({"number": number})


@pytest.mark.parametrize(
    "wrong",
    [
        interval("1", "0"), interval("0", "0", "[)"), interval("0", "0", "()"), interval("oo", "-oo", "()"),
        interval("0", "1", "]["), interval("0", "1/0"), interval("1/2", "oo", "[)", integer=True),
        interval("0", "5", "[)", integer=True),
        {"interval": [{"symbol": "x"}, {"number": "0"}, {"number": "1"}, "[]", 1]},
    ],
)  # fmt: skip
def test_an_interval_without_points_has_no_statement(wrong: Any) -> None:
    with pytest.raises(Unstated, match="interval"):
        statement([{"symbol": "x"}, ">", [wrong]])


@pytest.mark.parametrize(
    ("found", "why"),
    [
        ([{"total": [{"symbol": "x"}]}, ">=", []], "runs in a total"),
        ([{"symbol": "x"}, ">=", [interval("0", "1"), interval("2", "3")]], "two intervals"),
        ([{"total": [{"symbol": "x"}]}, "not >=", [interval("0", "1")]], "sequences"),
        ([{"symbol": "x"}, "<", [interval("0", "1")]], "no relation"),
        ([{"sin": [{"symbol": "x"}]}, ">", [interval("0", "1")]], "no formula"),
        ([{"Add": [{"loop": [{"number": "1"}]}, {"number": "1"}]}, ">=", []], "no formula"),
        ([{"loop": [{"number": "1"}]}, ">=", []], "without states"),
    ],
)
def test_a_claim_out_of_form_has_no_statement(found: Any, why: str) -> None:
    with pytest.raises(Unstated, match=why):
        statement(found)


@pytest.mark.parametrize(
    "words", ["*) Axiom a : 0 = 1. (*", '" *) Axiom a : False. "', "(* (* (", "a\n*)\nb", "x *)", "\x00*)", '"']
)
def test_no_words_end_a_comment_or_begin_anything_in_it(words: str) -> None:
    written = comment(words)
    inside = written[2:-3]
    assert written.startswith("(* ")
    assert written.endswith(" *)\n")
    assert not set('*"\n\x00') & set(inside)


@pytest.mark.parametrize(
    ("name", "proof"), [("a b", "c"), ("a", "c d"), ("a", "c. Qed. Axiom x"), ("a :=", "c"), ("", "c")]
)
def test_a_theorem_has_plain_names(name: str, proof: str) -> None:
    with pytest.raises(Unstated, match="not names"):
        theorem(name, {"claim": claim(X, ">", positive("x")), "rule": "sign", "args": []}, proof)


def test_two_obligations_never_share_a_name_in_coq() -> None:
    names = [running.coq_name(o) for o in registry()]
    assert len(set(names)) == len(names)
    assert all(statements._NAME.fullmatch(name) for name in names)


# ------------------------------------------------------------------------------------ what is trusted


def test_the_trusted_translator_is_short_and_imports_nothing_of_the_kernel() -> None:
    source = inspect.getsource(statements)
    imported = {
        name
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.Import | ast.ImportFrom)
        for name in ([node.module] if isinstance(node, ast.ImportFrom) else [a.name for a in node.names])
    }
    assert len(source.splitlines()) < LINES
    assert imported == {"__future__", "re", "collections.abc", "fractions", "typing"}


def test_rationals_are_read_as_they_are_written() -> None:
    assert statements.rational("-6/4") == Fraction(-3, 2)
    assert statements.rational("x") is None


def test_a_changed_certificate_has_one_checker_until_coq_is_asked_again() -> None:
    facts = [k.sign(X, ">", positive("x")).certificate()]
    known = checkers.Checkers(two={"a": checkers.digest(facts)}, one={"b": "no proof"})
    assert known.alone("a", facts) == ""
    assert known.alone("a", [*facts, *facts]) == checkers.NEW
    assert known.alone("b", facts) == "no proof"
    assert known.alone("c", facts) == checkers.NEW


def test_a_changed_translator_leaves_every_certificate_with_one_checker(monkeypatch: pytest.MonkeyPatch) -> None:
    facts = [k.sign(X, ">", positive("x")).certificate()]
    known = checkers.Checkers(two={"a": checkers.digest(facts)})
    monkeypatch.setattr(checkers, "_trusted", lambda: b"another translator")
    assert known.alone("a", facts) == checkers.NEW


def test_nine_in_ten_certificates_have_two_checkers_and_the_others_a_reason() -> None:
    recorded, found = checkers.read(CERTIFICATES), running.certificates()
    alone = {name: why for name, (_, c) in found.items() if (why := recorded.alone(name, c["facts"]))}
    assert len(alone) <= len(found) / 10
    assert checkers.NEW not in alone.values(), "python -m proofs.coq --write asks Coq about what is new"
    assert set(recorded.two) | set(recorded.one) == set(found)
