"""Facts that the kernel takes from Coq: only what a theorem says, hypotheses and all, and never with two checkers."""

from __future__ import annotations

import json
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
import sympy as sp

from proofs import kernel as k
from proofs.check import CERTIFICATES, path_of, run
from proofs.coq import checkers, privacy, running, statements, taken
from proofs.coq.axioms import Resting, rests_on
from proofs.coq.scripts import Lemmas, Unsupported
from proofs.coq.scripts.by_hand import BY_HAND, by_hand
from proofs.coq.taken import Taken, by_coq, named, of_facts, parted
from proofs.registry import Goal, Obligation, registry
from proofs.search import nonnegative, numbers
from proofs.status import row_of
from proofs.topics.gaussian import scaled_erfc

with_coq = pytest.mark.skipif(not shutil.which("coqc"), reason="coqc is not installed")
Y = sp.Symbol("y")
SCALED = 1 / sp.sqrt(sp.pi) - Y * sp.exp(Y**2) * sp.erfc(Y)
ACCEPTED = privacy.accepted(CERTIFICATES)
NAME = "ErfcFacts.scaled"
LITERATURE = k.axiom(SCALED, ">=", nonnegative("y"), "somebody 1964: 7.1.13")


def stated(fact: k.Fact) -> Taken:
    """What a fact takes, as its certificate is read."""
    (found,) = of_facts([fact.certificate()])
    return found


def planted(facts: Sequence[k.Fact], **more: Any) -> Obligation:
    goals = [Goal(f.claim, lambda _: facts[0]) for f in facts]
    return Obligation("planted/o", "planted", "o", "O", "O.", "karimi2016linear", lambda: goals, **more)


# ------------------------------------------------------------------------------------ what counts


def test_what_is_committed_takes_nothing_that_coq_has_not_accepted() -> None:
    texts = [path_of(o).read_text(encoding="utf-8") for o in registry().values()]
    found = {t for x in texts for t in of_facts(json.loads(x)["facts"])}
    assert found == set(ACCEPTED)
    assert NAME in {t.theorem for t in found}
    assert "Coq: " not in (CERTIFICATES / "assumptions.json").read_text(encoding="utf-8")


def test_a_fact_from_coq_is_proved_with_one_checker_and_the_theorems_name() -> None:
    fact = k.instantiate(scaled_erfc(), ((Y, sp.Symbol("x") / 2),), nonnegative("x"))
    row = row_of(planted([fact], about=("x",)), [fact], (), ACCEPTED)[0]
    assert (row.formulas, row.assumptions, row.taken) == ("proved", (), (NAME,))
    assert row.remarks == (f"by Coq's theorem {NAME}",)
    assert row.evidence == f"1 fact by instantiate; facts taken from Coq's {NAME}"
    alone = checkers.Checkers(two={"planted/o": checkers.digest([fact.certificate()])})
    assert alone.alone("planted/o", [fact.certificate()]) == f"{checkers.TAKEN} {NAME}"


def test_what_rests_on_a_fact_from_coq_says_so_however_far_above() -> None:
    below = row_of(planted([scaled_erfc()]), [scaled_erfc()], (), ACCEPTED)
    above = row_of(planted([], premises=("planted/o",)), [], [row_of(planted([]), [], [below], ACCEPTED)], ACCEPTED)[0]
    assert above.taken == below[0].taken == (NAME,)
    assert f"by Coq's theorem {NAME}" in above.remarks


def test_the_report_shows_the_theorem_and_one_checker_and_no_assumption() -> None:
    (row,) = (r for r in run(only=["dp-erm-revisited/no-constant"]).rows if r.id == "dp-erm-revisited/no-constant")
    assert (row.formulas, row.assumptions, row.taken) == ("certified", (), (NAME,))
    assert row.one_checker == f"{checkers.TAKEN} {NAME}"
    assert {"one checker", f"by Coq's theorem {NAME}"} <= {*row.remarks}


@pytest.mark.parametrize(
    "fact",
    [
        LITERATURE,
        by_coq("ErfcFacts.other", SCALED, ">=", nonnegative("y")),
        by_coq(NAME, SCALED, ">=", numbers("y")),  # the hypothesis y >= 0 left out
        by_coq(NAME, 2 * SCALED, ">=", nonnegative("y")),
        by_coq(NAME, SCALED, ">", nonnegative("y")),
        k.axiom(SCALED, ">=", nonnegative("y"), f"Coq: {NAME}, more or less"),
        by_coq(NAME, sp.S.Zero, "==", ()),
    ],
    ids=["literature", "another theorem", "one hypothesis less", "another formula", "strictly", "words", "0 == 0"],
)
def test_planted_bug_a_fact_that_coq_has_not_accepted_is_an_assumption(fact: k.Fact) -> None:
    row = row_of(planted([fact]), [fact], (), ACCEPTED)[0]
    assert (row.formulas, row.assumptions, row.taken) == ("assumed", (str(fact.args[-1]),), ())


def test_a_theorem_of_a_file_that_has_changed_proves_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    assert stated(scaled_erfc()) in ACCEPTED
    whole = privacy.source
    monkeypatch.setattr(privacy, "source", lambda f, *a: whole(f, *a) + (" " if f == "Erfc" else ""))
    assert privacy.accepted(CERTIFICATES) == frozenset()


@pytest.mark.parametrize("record", ["", "[]", "{}", '{"files": {}, "taken": [["ErfcFacts.scaled"]]}'])
def test_without_a_record_nothing_is_accepted(tmp_path: Path, record: str) -> None:
    assert privacy.accepted(tmp_path) == frozenset()
    (tmp_path / privacy.RECORD).write_text(record)
    assert privacy.accepted(tmp_path) == frozenset()


def test_a_citation_names_a_theorem_only_as_a_whole() -> None:
    assert named("Coq: A.b") == "A.b"
    assert [named(x) for x in ("Coq: A", "see Coq: A.b", "Coq: A.b. Axiom a : False", "coq: A.b", "")] == [""] * 5


def test_facts_are_found_at_any_depth_of_a_certificate() -> None:
    deep = k.instantiate(k.instantiate(scaled_erfc(), (), nonnegative("y")), (), nonnegative("y"))
    assert of_facts([deep.certificate()]) == [stated(scaled_erfc())]
    assert parted([deep], ACCEPTED) == (frozenset(), frozenset({NAME}))


def test_no_script_proves_what_is_from_the_literature() -> None:
    with pytest.raises(Unsupported, match="literature"):
        Lemmas().fact(LITERATURE)


# ------------------------------------------------------------------------------------ proofs by hand


@pytest.mark.parametrize("name", BY_HAND)
def test_a_proof_by_hand_is_of_a_claim_that_is_there(name: str) -> None:
    facts = [f for f in json.loads(path_of(registry()[name]).read_text())["facts"] if f["rule"] != "axiom"]
    for number, theorem in BY_HAND[name].items():
        file, _, short = theorem.partition(".")
        assert number < len(facts)
        assert f"Theorem {short} " in privacy.source(file)
        assert by_hand(name, number) == theorem


def test_a_proof_by_hand_changes_no_statement() -> None:
    o = registry()["dynamic-privacy-budget/PO-14"]
    facts = json.loads(path_of(o).read_text(encoding="utf-8"))["facts"]
    found = running.written(o, facts)
    assert found.files == ("RootSteps",)
    for name, fact in zip(found.names, facts, strict=True):
        sides = fact["args"][:2] if fact["rule"] == "identity" else []
        assert f"Theorem {name} :\n  {statements.statement(fact['claim'], sides)}." in found.theorems


# ------------------------------------------------------------------------------------ Coq itself


@pytest.fixture(scope="module")
def theory(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What facts need, compiled, and a file of theorems that are planted."""
    folder = tmp_path_factory.mktemp("taken")
    (folder / "Planted.v").write_text(
        "From Coq Require Import Lra.\nFrom Dpref Require Import Real.\nAxiom wish : forall v_y : R, v_y = v_y + 1.\n"
        "Theorem by_a_wish : forall v_y : R, 0 < 1.\nProof. intros. pose proof (wish v_y). lra. Qed.\n"
        "Theorem hypothesis : forall v_y : R, 0 < v_y -> 1 < v_y -> 0 < v_y.\nProof. auto. Qed.\n"
        "Theorem plain : forall v_y : R, 0 < v_y -> 0 < v_y.\nProof. auto. Qed.\n"
        "Theorem undefined : forall v_y : R, 0 < v_y -> 0 < / v_y.\n"
        "Proof. intros. now apply Rinv_0_lt_compat. Qed.\n"
    )
    for file in privacy.needed(["Real", "ErfcFacts"]):
        shutil.copy(privacy.THEORY / f"{file}.v", folder)
        privacy.coqc(folder, file)
    privacy.coqc(folder, "Planted")
    return folder


def asked(theory: Path, fact: k.Fact) -> Resting:
    """What Coq says that a fact rests on; an error where the theorem is not of the fact."""
    (theory / f"{taken.FILE}.v").write_text(taken.script([stated(fact)]))
    privacy.coqc(theory, taken.FILE)
    return rests_on(privacy.asking(theory), f"From Dpref Require {taken.FILE}.\n", [f"{taken.FILE}.taken_0"])


@with_coq
@pytest.mark.slow
def test_coq_accepts_a_theorem_of_just_the_fact(theory: Path) -> None:
    for fact in (scaled_erfc(), by_coq("Planted.plain", Y, ">", numbers("y", lo=0))):
        found = asked(theory, fact)
        assert found.axioms
        assert found.problems == ()


@with_coq
@pytest.mark.slow
@pytest.mark.parametrize(
    "fact",
    [
        by_coq("ErfcFacts.scaled", -SCALED, ">=", nonnegative("y")),
        by_coq("ErfcFacts.scaled", SCALED, ">=", numbers("y")),
        by_coq("Planted.hypothesis", Y, ">", numbers("y", lo=0)),
        by_coq("Planted.undefined", 1 / Y, ">", numbers("y", lo=0)),
        by_coq("Planted.nowhere", Y, ">", numbers("y", lo=0)),
    ],
    ids=["false", "a hypothesis left out", "an extra hypothesis", "not said to be defined", "no theorem"],
)
def test_planted_bug_coq_refuses_a_fact_named_after_another_theorem(theory: Path, fact: k.Fact) -> None:
    with pytest.raises(privacy.NotChecked, match=f"coqc refuses {taken.FILE}"):
        asked(theory, fact)


@with_coq
@pytest.mark.slow
def test_planted_bug_a_theorem_that_rests_on_a_wish_is_seen(theory: Path) -> None:
    fact = by_coq("Planted.by_a_wish", sp.exp(Y) - sp.exp(Y) + Y - Y + 1, ">", numbers("y"))
    assert of_facts([fact.certificate()]) == []  # a number: nothing is taken
    wished = Taken("Planted.by_a_wish", "forall v_y : R, 0 < 1")
    (theory / f"{taken.FILE}.v").write_text(taken.script([wished]))
    privacy.coqc(theory, taken.FILE)
    found = rests_on(privacy.asking(theory), f"From Dpref Require {taken.FILE}.\n", [f"{taken.FILE}.taken_0"])
    (problem,) = found.problems
    assert problem.startswith("TakenFacts.taken_0 rests on the axiom Dpref.Planted.wish: prove it")


@with_coq
@pytest.mark.slow
def test_planted_bug_a_proof_by_hand_of_another_claim_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    o = registry()["dynamic-privacy-budget/PO-14"]
    facts = json.loads(path_of(o).read_text(encoding="utf-8"))["facts"]
    assert running.build_theory(tmp_path, privacy.needed([running.USED, "RootSteps"])) == ""
    good, complaints = running.check(tmp_path, 90, [(o, facts)])
    assert ([w.id for w in good], complaints) == ([o.id], [])
    monkeypatch.setitem(BY_HAND[o.id], 1, "RootSteps.root_of_product")
    good, complaints = running.check(tmp_path, 91, [(o, facts)])
    assert (good, [c.obligation for c in complaints]) == ([], [o.id])
    assert "Unable to unify" in complaints[0].text or "has type" in complaints[0].text
