"""What `proofs.coq.running` may record as accepted, and what ``Print Assumptions`` must not hide from it."""

from __future__ import annotations

import json
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from proofs.check import path_of
from proofs.coq import checkers, printed, running
from proofs.coq.axioms import REALS, Resting
from proofs.registry import registry

with_coq = pytest.mark.skipif(shutil.which("coqc") is None, reason="coqc is not installed")
ONE = "zcdp/to-dp"
ACCEPTED = running.Summary({ONE: "0123456789abcdef"}, (), {}, 1, (*sorted(REALS),), "", 1.0)
GUARDED = "Axioms:\nProofs_00.m.loop is assumed to be guarded.\nFoo.bar\n  : forall x : R,\n    x = x\nbaz : False\n"
# Lemmas of a false statement: an axiom, and two checks of Coq switched off.
FALSE = {
    "axiom": "Axiom wrong : 1 = 2.",
    "guard": "Unset Guard Checking. Fixpoint loop (n : nat) : False := loop n. Set Guard Checking.\n"
    "Lemma wrong : 1 = 2. Proof. destruct (loop 0). Qed.",
    "positivity": "Unset Positivity Checking. Inductive D := lam (f : D -> False). Set Positivity Checking.\n"
    "Definition app (d : D) : False := match d with lam f => f d end.\n"
    "Lemma wrong : 1 = 2. Proof. destruct (app (lam app)). Qed.",
}


def test_every_form_of_an_assumption_is_seen() -> None:
    assert printed.assumptions(GUARDED) == ("Foo.bar", "Proofs_00.m.loop", "baz")
    assert "Theory" in printed.assumptions("Theory:\n  Type hierarchy is collapsed (logic is inconsistent)\n")
    assert printed.assumptions("Closed under the global context\n") == ()


@pytest.mark.parametrize("said", ["", "coqc was here", "Everything is fine : so it is"])
def test_what_is_no_answer_about_assumptions_is_not_taken_for_one(said: str) -> None:
    with pytest.raises(ValueError, match="no answer of Print Assumptions"):
        printed.assumptions(said)


def test_a_run_without_complaints_is_recorded() -> None:
    assert running.recorded(ACCEPTED, checkers.Checkers()) == checkers.Checkers(two=dict(ACCEPTED.accepted))


@pytest.mark.parametrize(
    "wrong",
    [
        {"assumptions": ("Proofs_00.m.wrong",)},
        {"refused": (running.Complaint("Print Assumptions", "no answer in 900 s"),)},
        {"refused": (running.Complaint("theory", "no answer in 600 s"),), "accepted": {}},
        {"missing": running.ABSENT},
    ],
    ids=["axiom", "unasked", "theory", "absent"],
)
def test_nothing_is_recorded_where_what_all_theorems_rest_on_is_wrong_or_unknown(wrong: dict[str, Any]) -> None:
    assert running.recorded(replace(ACCEPTED, **wrong), checkers.Checkers()) is None


def test_the_digest_is_of_the_facts_that_coq_was_asked_about(tmp_path: Path) -> None:
    o = registry()[ONE]
    asked = json.loads(path_of(o).read_text(encoding="utf-8"))["facts"]
    found = running.written(o, asked)
    assert found.digest == checkers.digest(asked)
    summary = replace(ACCEPTED, accepted={ONE: found.digest})
    kept = running.recorded(summary, checkers.Checkers())
    assert kept is not None
    assert kept.alone(ONE, asked) == ""
    assert kept.alone(ONE, asked[:-1]) == checkers.NEW  # what became of the certificate while Coq was at work


@with_coq
@pytest.mark.slow
@pytest.mark.parametrize("how", FALSE)
def test_a_false_lemma_is_seen_in_what_the_theorems_rest_on(how: str, tmp_path: Path) -> None:
    (tmp_path / "certificates").mkdir()
    texts = {
        "Proofs_00": f"Module m.\n{FALSE[how]}\nEnd m.\n",
        "Theorems_00": "From Certificates Require Proofs_00.\n"
        "Theorem t : 1 = 2.\nProof. exact Proofs_00.m.wrong. Qed.\n",
    }
    for name, text in texts.items():
        (tmp_path / "certificates" / f"{name}.v").write_text(text, encoding="utf-8")
        assert running.coqc(tmp_path, f"certificates/{name}", 60.0) == ""
    written = running.Written(ONE, "", "", "", ("t",))
    rest = running.assumptions(tmp_path, [written], [0], 60.0)
    assert isinstance(rest, Resting)
    assert replace(ACCEPTED, assumptions=rest.axioms).foreign
