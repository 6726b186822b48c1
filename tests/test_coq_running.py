"""Coq on certificates: what is true is accepted, what is false is refused, however it is dressed up."""

from __future__ import annotations

import json
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
import sympy as sp
from typer.testing import CliRunner

from dpref.cli import app
from proofs import kernel as k
from proofs.check import path_of
from proofs.coq import running, statements
from proofs.coq.axioms import REALS, Resting
from proofs.coq.privacy import needed
from proofs.coq.running import Summary, Written
from proofs.coq.scripts import Lemmas
from proofs.registry import Obligation, no_goals, registry
from proofs.search import positive

X = sp.Symbol("x")
installed = shutil.which("coqc") is not None
needs_coq = pytest.mark.skipif(not installed, reason="coq is not installed")


def obligation(name: str = "test/a", statement: str = "words") -> Obligation:
    return Obligation(name, "test", "a", "A test", statement, "nobody", no_goals)


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The theory, compiled."""
    folder = tmp_path_factory.mktemp("coq")
    if why := running.missing(folder):
        pytest.skip(why)
    assert running.build_theory(folder, needed([running.USED])) == ""
    return folder


def forged(monkeypatch: pytest.MonkeyPatch, claim: Any, rule: str = "sign", script: str = "intros; lra.") -> Any:
    """A certificate of any claim, with a kernel that accepts it and a script that says what it likes."""
    fact = k.sign(X, ">", positive("x"))

    def accept(self: Lemmas, number: int, recorded: Mapping[str, Any]) -> str:
        return self.add(f"claim_{number}", statements.statement(recorded["claim"]), script)

    monkeypatch.setattr(Lemmas, "claim", accept)
    return {"claim": claim, "rule": rule, "args": fact.certificate()["args"]}


def interval(lo: str = "0", hi: str = "oo", ends: str = "()", *, integer: bool = False, name: str = "x") -> Any:
    return {"interval": [{"symbol": name}, {"number": lo}, {"number": hi}, ends, integer]}


SYMBOL: Any = {"symbol": "x"}
MINUS_ONE: Any = {"number": "-1"}
FALSE: dict[str, tuple[Any, str]] = {
    "an empty box": ([MINUS_ONE, ">", [interval("0", "0", "()")]], "intros; lra."),
    "a reversed box": ([MINUS_ONE, ">", [interval("1", "0", "[]")]], "intros; lra."),
    "a division by zero in a numeral": ([{"number": "1/0"}, ">", []], "lra."),
    "a pole inside the box": (
        [{"Pow": [{"Pow": [SYMBOL, MINUS_ONE]}, {"number": "2"}]}, ">=", [interval("-1", "1", "[]")]],
        "intros; split; [ | apply pow2_ge_0]; nra.",
    ),
    "a power of a negative number": (
        [{"Pow": [SYMBOL, {"symbol": "y"}]}, ">", [interval("-1", "0"), interval(name="y")]],
        "intros; split; [ | apply exp_pos]; lra.",
    ),
    "an empty sequence": (
        [{"Mul": [{"total": [SYMBOL]}, MINUS_ONE]}, ">=", [interval()]],
        "intros l _ _; replace l with (@nil R); simpl; lra.",
    ),
    "a point that is no integer": (
        [{"Add": [SYMBOL, {"number": "-1/2"}]}, "not >", [interval("0", "oo", "[)", integer=True)]],
        "exists (1 / 2); repeat split; try lra; exists 1%Z; lra.",
    ),
    "a symbol without an interval": ([SYMBOL, ">", []], "intros; lra."),
    "an axiom in the script": (
        [MINUS_ONE, ">", []], "Abort.\nAxiom a : 0 < -1.\nLemma claim_0 : 0 < (-1).\nProof. exact a."
    ),
    "a proof that is given up": ([MINUS_ONE, ">", []], "Admitted.\nLemma other : True. Proof. exact I."),
    "zero in another notation": (
        [{"number": "0"}, ">", []],
        'Abort.\nNotation "x < y" := (x <= y) : R_scope.\nLemma claim_0 : 0 < 0.\nProof. lra.',
    ),
    "another theorem of the same name": (
        [MINUS_ONE, ">", []], "Abort.\nLemma claim_0 : True.\nProof. exact I."
    ),
    "a constant that is shadowed": (
        [{"Add": [{"number": "pi"}, {"number": "-4"}]}, ">", []],
        "Abort.\nDefinition PI := 5.\nLemma claim_0 : 0 < PI + -4.\nProof. unfold PI; lra.",
    ),
    "a limit where there is none": (
        [{"limit": [{"Pow": [SYMBOL, MINUS_ONE]}, SYMBOL, {"number": "0"}, {"number": "1"}]}, ">=", []],
        "split; [exists 1; split; [lra | intros; lra] | split; [exists 0 | ]]; unfold limit_above; simpl; lra.",
    ),
}  # fmt: skip


@needs_coq
@pytest.mark.slow
@pytest.mark.parametrize("name", FALSE)
def test_a_false_claim_is_refused_whatever_kernel_and_script_say(
    name: str, built: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    claim, script = FALSE[name]
    certificate = forged(monkeypatch, claim, script=script)
    good, complaints = running.check(built, 90, [(obligation(), [certificate])])
    rest = running.assumptions(built, good, [90], 300.0) if good else Resting()
    assert complaints or (isinstance(rest, Resting) and rest.problems)


@needs_coq
@pytest.mark.slow
def test_a_true_claim_is_accepted_and_rests_on_coqs_real_numbers_alone(built: Path) -> None:
    o = registry()["zcdp/log-below-line"]
    facts = json.loads(path_of(o).read_text(encoding="utf-8"))["facts"]
    good, complaints = running.check(built, 91, [(o, facts)])
    assert complaints == []
    rest = running.assumptions(built, good, [91], 300.0)
    assert not isinstance(rest, str)
    summary = Summary({o.id: good[0].digest}, (), {}, 1, rest.axioms, "", 0.0)
    assert {*rest.axioms} >= REALS
    assert summary.foreign == ()
    assert summary.ok


@needs_coq
@pytest.mark.slow
def test_a_comment_carries_any_words(built: Path) -> None:
    fact = k.sign(X, ">", positive("x")).certificate()
    words = obligation(statement='*) Axiom a : 0 = 1. (* " $x^{*}$ \n *)')
    good, complaints = running.check(built, 92, [(words, [fact])])
    assert ([w.id for w in good], complaints) == (["test/a"], [])


@needs_coq
@pytest.mark.slow
def test_what_fails_is_named_and_the_rest_is_checked(built: Path) -> None:
    fact = k.sign(X, ">", positive("x")).certificate()
    other = {**fact, "claim": k.encode((X - 1, ">", positive("x")))}
    items = [(obligation("test/a"), [fact]), (obligation("test/b"), [other]), (obligation("test/c"), [fact])]
    good, complaints = running.check(built, 93, items)
    assert [w.id for w in good] == ["test/a", "test/c"]
    assert [c.obligation for c in complaints] == ["test/b"]


def test_two_certificates_of_one_name_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(running, "coq_name", lambda _: "same")
    with pytest.raises(ValueError, match="one name in Coq"):
        running.certificates()


def test_where_coq_is_missing_nothing_is_checked_and_the_exit_code_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shutil, "which", lambda _: None)
    summary = running.run(folder=tmp_path)
    assert not summary.ok
    assert running.exit_code(summary) == 3
    assert summary.text == f"coq: nothing was checked: {running.ABSENT}"
    assert "apt install coq libcoq-coquelicot libcoq-interval" in running.ABSENT


def test_an_assumption_of_our_own_is_no_success() -> None:
    wish = "Certificates.Theorems_00.wish"
    summary = Summary({"a": ""}, (), {}, 1, (*sorted(REALS), wish), "", 0.0, {wish: "Theorems_00.a"})
    assert summary.foreign == (wish,)
    assert running.exit_code(summary) == 1
    assert f"coq: Theorems_00.a rests on the axiom {wish}: prove it, or take back what rests on it" in summary.text


def test_nothing_accepted_is_no_success() -> None:
    assert running.exit_code(Summary({}, (), {}, 0, (), "", 0.0)) == 1


def test_a_complaint_is_found_by_the_line_of_the_error_not_of_a_warning() -> None:
    said = 'File "a.v", line 1, characters 0-3:\nWarning: x\nFile "a.v", line 4, characters 0-3:\nError: no'
    assert running._place(["head\n", "a\nb\n", "c\n"], said) == 2
    assert running._place(["head\n"], "no answer") == 0


def test_a_file_of_the_theory_comes_after_what_it_requires() -> None:
    order = needed([running.USED])
    assert order.index("Erfc") < order.index("Real") < order.index(running.USED)
    assert needed(["Real"])[-1] == "Real"


def test_a_written_certificate_is_readable() -> None:
    o = registry()["zcdp/log-below-line"]
    facts = json.loads(path_of(o).read_text(encoding="utf-8"))["facts"]
    found: Written = running.written(o, facts)
    assert found.theorems.startswith(f"(* {o.id}: {o.title}.")
    assert "Theorem zcdp__log_below_line" in found.theorems
    assert found.proofs.count("Lemma") >= len(facts)


def test_a_sample_without_coq_is_a_mistake_that_is_named() -> None:
    result = CliRunner().invoke(app, ["prove", "--coq-sample", "3"])
    assert result.exit_code == 2
