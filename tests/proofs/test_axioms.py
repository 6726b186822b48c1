"""No theorem counts that rests on an axiom of ours, whatever its file is called and however it is written."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
import sympy as sp
from typer.testing import CliRunner

from dpref.cli import app
from proofs import __main__ as command
from proofs import kernel as k
from proofs.check import CERTIFICATES
from proofs.coq import axioms, compiler, printed, privacy, running, taken, whole
from proofs.coq.taken import Taken, by_coq
from proofs.registry import Goal, Obligation, registry
from proofs.search import positive
from proofs.status import row_of

needs_coq = pytest.mark.skipif(shutil.which("coqc") is None, reason="coqc is not installed")
X = sp.Symbol("x")
HEAD = "From Coq Require Import Reals.\nOpen Scope R_scope.\n"
# A false fact about exp, and a file with the name of one of Coq's.
BOOM = HEAD + "Axiom boom : forall v_x : R, 0 < v_x -> 0 < -1 * exp v_x.\n"
SHADOW = HEAD + "Axiom boom : 0 = 1.\n"
FACT = by_coq("Boom.boom", -sp.exp(X), ">", positive("x"))


def stated(fact: k.Fact) -> Taken:
    found = taken.taken(k.encode(tuple(fact.claim)), str(fact.args[-1]))
    assert found is not None
    return found


@pytest.fixture
def theory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of the theory, which is the theory of this test."""
    folder = tmp_path / "theory"
    shutil.copytree(privacy.THEORY, folder)
    monkeypatch.setattr(privacy, "THEORY", folder)
    return folder


def recorded(folder: Path, axiom: str) -> None:
    """The record with one more axiom, as a run would have written it that compares nothing."""
    content = json.loads((CERTIFICATES / privacy.RECORD).read_text(encoding="utf-8"))
    content["axioms"].append(axiom)
    (folder / privacy.RECORD).write_text(json.dumps(content), encoding="utf-8")


# ------------------------------------------------------------------------------------ names


def test_the_allowed_axioms_are_named_in_full_and_belong_to_coqs_own_library() -> None:
    assert len(axioms.REALS) == 4
    assert all(name.startswith("Coq.") and name.count(".") >= 3 for name in axioms.ALLOWED)


@pytest.mark.parametrize(
    "name",
    ["Dpref.Uint63.boom", "Uint63.boom", "PrimInt63.add", "Dpref.PrimInt63.add", "Sint63.boom",
     "Classical_Prop.classic", "Dpref.Coq.Logic.Classical_Prop.classic", "Coq.Numbers.Cyclic.Int63.Uint63.boom"],
)  # fmt: skip
def test_planted_bug_no_other_name_is_allowed(name: str) -> None:
    assert axioms.foreign([*axioms.REALS, name]) == (name,)


def test_a_name_that_coq_does_not_find_or_finds_twice_is_not_allowed() -> None:
    said = "Constant Coq.Logic.Classical_Prop.classic\nConstant Dpref.Classical_Prop.classic\nNo object of basename x\n"
    for name in printed.located(["Classical_Prop.classic", "x"], said).values():
        assert axioms.foreign([name])


def answers(*said: tuple[str, str]) -> Callable[[str, str], str]:
    """What stands for Coq: a file's name begins with the first text, and it prints the second."""
    return lambda name, _: next(text for begin, text in said if name.startswith(begin))


def test_planted_bug_a_file_called_as_one_of_coqs_does_not_pass_for_it() -> None:
    asked = answers(
        ("Resting", "Axioms:\nUint63.boom : 0 = 1\n"),
        ("Named", "Constant Dpref.Uint63.boom\n"),
        ("Blamed", "Axioms:\nUint63.boom : 0 = 1\n"),
    )
    found = axioms.rests_on(asked, "", ["Some.theorem"])
    assert found.axioms == ("Dpref.Uint63.boom",)
    (problem,) = found.problems
    assert problem == f"Some.theorem rests on the axiom Dpref.Uint63.boom: {axioms.MEND}"


# ------------------------------------------------------------------------------------ sources


@pytest.mark.parametrize(
    "source",
    [
        "Axiom a : 0 = 1.",
        "Axioms a b : 0 = 1.",
        "Parameter a : 0 = 1.",
        "Conjecture a : 0 = 1.",
        "Hypothesis a : 0 = 1.",
        "Variables a b : nat.",
        "Context (a : 0 = 1).",
        "#[local] Axiom a : 0 = 1.",
        "Local Parameter a : 0 = 1.",
        "(* Section s. *) Variable a : 0 = 1.",
        "Section s. Variable b : nat. End s. Variable a : 0 = 1.",
        "Module m. Variable a : 0 = 1. End m.",
        "Module Type T. Parameter a : nat. End T.",
        "Lemma a : 0 = 1. Proof. Admitted.",
        "Lemma a : 0 = 1. Proof. admit. Qed.",
        "Lemma a : 0 = 1.\nProof.\n  { give_up. }\nQed.",
        "Unset Guard Checking. Fixpoint f (n : nat) : False := f n.",
        "#[bypass_check(guard)] Fixpoint f (n : nat) : False := f n.",
        'Definition a := "(*". Axiom\n  b : 0 = 1.',
        "(* (* *) Axiom a : 0 = 1.",
        "Declare Module M : T.",
    ],
)
def test_planted_bug_a_source_that_assumes_something_is_refused(source: str) -> None:
    assert axioms.scanned(source)


@pytest.mark.parametrize(
    "source",
    [
        "(* Axiom a : 0 = 1. (* Admitted. *) *) Lemma b : 1 = 1. Proof. reflexivity. Qed.",
        'Definition a := "Axiom b : 0 = 1. ".',
        "Section s. Variable a : nat. Hypothesis b : a = 1. Context (c : nat). End s.",
        "Section s. Module m := n. Variable a : nat. End s.",
        "Lemma Axiom_of_choice : True. Proof. exact I. Qed.",
    ],
)
def test_a_source_that_assumes_nothing_is_not(source: str) -> None:
    assert axioms.scanned(source) == []


def test_the_theory_assumes_nothing_and_has_names_of_its_own() -> None:
    program = compiler.installed()
    assert axioms.written(privacy.THEORY, compiler.libraries(program) if program else ()) == []


@pytest.mark.parametrize(
    ("name", "text"), [("Boom", BOOM), ("negations/Boom", BOOM), ("Uint63", HEAD), ("PrimFloat", "")]
)
def test_planted_bug_an_axiom_or_a_name_of_coqs_is_a_problem_without_coq(theory: Path, name: str, text: str) -> None:
    assert privacy.problems(CERTIFICATES, registry().values()) == []
    (theory / f"{name}.v").write_text(text, encoding="utf-8")
    (problem,) = privacy.problems(CERTIFICATES, registry().values())
    assert problem.startswith(f"{name}.v ")
    assert "rename it" in problem or axioms.MEND in problem


# ------------------------------------------------------------------------------------ the record


@pytest.mark.parametrize("axiom", ["Dpref.Boom.boom", "Dpref.Uint63.boom", "Uint63.boom"])
def test_planted_bug_a_recorded_axiom_of_ours_fails_and_nothing_taken_counts(tmp_path: Path, axiom: str) -> None:
    assert privacy.accepted(CERTIFICATES)
    recorded(tmp_path, axiom)
    assert privacy.accepted(tmp_path) == frozenset()
    found = privacy.problems(tmp_path, registry().values())
    assert found == [f"{privacy.RECORD}: a theorem rests on the axiom {axiom}: {axioms.MEND}"]


def test_planted_bug_a_false_fact_of_an_axiom_is_not_proved(
    theory: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """-exp(x) > 0 was *proved*, once Coq had recorded the axiom that says so."""
    (theory / "Boom.v").write_text(BOOM, encoding="utf-8")
    content = json.loads((CERTIFICATES / privacy.RECORD).read_text(encoding="utf-8"))
    content["taken"].append(list(stated(FACT)))
    content["files"]["Boom"] = privacy._digest(BOOM)
    (tmp_path / privacy.RECORD).write_text(json.dumps(content), encoding="utf-8")
    o = Obligation(
        "planted/o", "planted", "o", "O", "O.", "hsu2014private", lambda: (Goal(FACT.claim, lambda _: FACT),)
    )
    assert row_of(o, [FACT], [], privacy.accepted(tmp_path))[0].formulas == "proved"  # the axiom is not recorded: a lie
    recorded_axioms = [*content["axioms"], "Dpref.Boom.boom"]
    (tmp_path / privacy.RECORD).write_text(json.dumps(content | {"axioms": recorded_axioms}), encoding="utf-8")
    assert row_of(o, [FACT], [], privacy.accepted(tmp_path))[0].formulas == "assumed"


def test_planted_bug_the_command_records_nothing_that_rests_on_an_axiom(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def refuse(_: Path) -> privacy.Checked:
        raise privacy.NotChecked("Boom.boom rests on the axiom Dpref.Boom.boom")

    monkeypatch.setattr(privacy, "record", refuse)
    monkeypatch.setattr("sys.argv", ["proofs", "--theorems"])
    assert command.main() == 1
    assert "nothing is recorded: Boom.boom rests on the axiom" in capsys.readouterr().err


# ------------------------------------------------------------------------------------ Coq itself


@needs_coq
@pytest.mark.slow
@pytest.mark.parametrize(
    ("file", "text", "fact"),
    [
        ("Boom", BOOM, stated(FACT)),
        ("Uint63", SHADOW, Taken("Uint63.boom", "0 = 1")),
        ("Shadow", HEAD + "Module Uint63. Axiom add_spec : 0 = 1. End Uint63. Lemma a : 0 = 1. Proof. "
         "exact Uint63.add_spec. Qed.\n", Taken("Shadow.a", "0 = 1")),
    ],
)  # fmt: skip
@pytest.mark.parametrize("scan", [True, False])
def test_planted_bug_coq_is_not_believed_about_an_axiom_of_ours(
    file: str, text: str, fact: Taken, theory: Path, monkeypatch: pytest.MonkeyPatch, *, scan: bool
) -> None:
    """The text says so, and where nobody reads the text, what Coq prints does."""
    (theory / f"{file}.v").write_text(text, encoding="utf-8")
    if not scan:
        monkeypatch.setattr(axioms, "written", lambda *_: [])
    with pytest.raises(privacy.NotChecked, match=rf"{file}\.v " if scan else rf"rests on the axiom Dpref\.{file}\."):
        privacy.compiled([], [], theory, [fact])


@needs_coq
@pytest.mark.slow
@pytest.mark.parametrize(("name", "text"), [("Boom", BOOM), ("Uint63", SHADOW), ("Ring", HEAD)])
def test_planted_bug_the_second_checker_refuses_such_a_theory(theory: Path, name: str, text: str) -> None:
    (theory / f"{name}.v").write_text(text, encoding="utf-8")
    complaint = running.build_theory(theory.parent / "work", ["Finite"])
    assert complaint.startswith(f"{name}.v ")
    result = CliRunner().invoke(app, ["prove", "--coq", "--paper", "zcdp"])
    assert result.exit_code == 1
    assert f"{name}.v" in result.output


# ------------------------------------------------------------------------------------ limits


def program(folder: Path, does: str) -> str:
    """A program in the place of coqc."""
    path = folder / "coqc"
    path.write_text(f"#!/bin/sh\n{does}\n", encoding="utf-8")
    path.chmod(0o700)
    return str(path)


def test_time_that_is_spent_waiting_refuses_nothing(tmp_path: Path) -> None:
    assert compiler.ask(program(tmp_path, "sleep 1.5; echo yes"), tmp_path, "A", (), 1.0).printed == "yes\n"


def test_planted_bug_a_file_that_computes_for_ever_is_stopped(tmp_path: Path) -> None:
    answer = compiler.ask(program(tmp_path, "while :; do :; done"), tmp_path, "A", (), 1.0)
    assert answer.complaint == "no answer in 1 s of processor time"


def test_a_certificate_without_an_answer_is_named_and_the_rest_is_checked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A file that is stopped does not say where: each certificate is asked alone."""

    def coqc(folder: Path, name: str, _: float) -> str:
        text = (folder / f"{name}.v").read_text(encoding="utf-8")
        return "no answer in 900 s of processor time" if "Module test__b" in text else ""

    monkeypatch.setattr(running, "coqc", coqc)
    fact = k.sign(X, ">", positive("x")).certificate()
    items = [(Obligation(f"test/{i}", "test", i, "A test", "words", "nobody", tuple), [fact]) for i in "abc"]
    good, complaints = running.check(tmp_path, 1, items)
    assert [w.id for w in good] == ["test/a", "test/c"]
    assert complaints == [running.Complaint("test/b", "no answer in 900 s of processor time")]


# ------------------------------------------------------------------------------------ everything is compiled


def test_every_file_of_the_theory_is_compiled_after_what_it_needs() -> None:
    order = whole.files()
    assert len(order) == len({*order}) == len([*privacy.THEORY.rglob("*.v")])
    for place, name in enumerate(order):
        assert {*privacy.needed([name])} <= {*order[: place + 1]}


def test_planted_bug_another_statement_than_the_recorded_one_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    said = json.loads((CERTIFICATES / privacy.RECORD).read_text(encoding="utf-8"))["statements"]
    first = next(iter(said))
    monkeypatch.setattr(privacy, "asked", lambda *_: privacy.Checked(said | {first: "True"}, ()))
    monkeypatch.setattr(whole, "_negations", lambda *_: {"negations": 1})
    found = whole.checked(tmp_path, CERTIFICATES)
    assert found.refused == (
        ("theorems of privacy", f"{first}: not what is recorded; run: python -m proofs --theorems"),
    )
    assert found.compiled["negations"] == 1


def test_the_summary_counts_what_was_compiled_by_kind() -> None:
    kinds = {"files of the theory": 98, "theorems of privacy": 129, "corollaries": 44, "negations": 26}
    summary = running.Summary({"a": ""}, (), {}, 1, (), "", 0.0, compiled=kinds)
    assert "accepts 98 files of the theory, 129 theorems of privacy, 44 corollaries, 26 negations" in summary.text
    assert summary.to_json()["compiled"] == kinds
    refused = running.Summary({"a": ""}, (running.Complaint("negations", "no"),), {}, 1, (), "", 0.0, compiled=kinds)
    assert running.exit_code(refused) == 1
