"""The promise that the ids of findings keep their meaning, and what the register says of each."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from dpref.cli import app
from dpref.errors import InvalidArgumentError
from proofs.findings import checking, gathering, register
from proofs.findings.checking import differences
from proofs.findings.declared import Correction, Finding
from proofs.findings.gathering import corrections, findings, named
from proofs.findings.register import broken_promises, fingerprint, meaning
from proofs.findings.witnesses import least, where_false, worked_out
from proofs.registry import registry

ROOT = Path(__file__).parents[3]
ENTRY: dict[str, Any] = {"means": ["Theorem 1 holds."], "refuted": {}, "certified": {}, "certificates": {}}
OTHER: dict[str, Any] = {**ENTRY, "means": ["Theorem 1 holds for every n."]}
WAS = fingerprint(ENTRY["means"])
CORRECTED = Correction("a/1", "corrected", "2027-01-01", "The quotation lacked three words.", was=WAS)
MEND = "write it anew: python -m proofs.findings"


def test_the_register_is_what_exists_today() -> None:
    recorded = register.read()
    assert recorded.keys() == {f.id for f in findings()}, MEND
    for f in findings():
        assert recorded[f.id]["means"] == meaning(f), f"{f.id}: {MEND}"
        assert recorded[f.id]["certificates"].keys() == recorded[f.id]["refuted"].keys() == set(f.refutations)
        assert recorded[f.id]["certified"].keys() == set(f.claims)
    document = json.loads(register.REGISTER.read_text(encoding="utf-8"))
    assert document["corrections"] == [c._asdict() for c in corrections()], MEND


@pytest.mark.slow
@pytest.mark.parametrize("finding", [f for f in findings() if f.claims], ids=lambda f: f.id)
def test_what_is_recorded_as_certified_is_certified_today(finding: Finding) -> None:
    from dpref.audit.catalogue import find

    recorded = register.read()[finding.id]["certified"]
    assert {name: least(find(name)) for name in finding.claims} == recorded, MEND


@pytest.mark.slow
def test_every_recorded_witness_is_that_of_its_certificate() -> None:
    recorded = {name: text for entry in register.read().values() for name, text in entry["refuted"].items()}
    assert {name: where_false(registry()[name]) for name in recorded} == recorded, MEND


def _committed() -> list[dict[str, Any]]:
    """Return the findings of every committed register of this schema, the newest first; none without a history."""
    path = register.REGISTER.relative_to(ROOT).as_posix()

    def git(*words: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(["git", *words], cwd=ROOT, capture_output=True, text=True, check=False)

    shown = [git("show", f"{rev}:{path}") for rev in git("log", "--format=%H", "--", path).stdout.split()]
    documents = [json.loads(text.stdout) for text in shown if text.returncode == 0]
    return [d["findings"] for d in documents if d["schema"] == register.SCHEMA]


def test_no_committed_register_is_broken_with_whoever_edited_the_file() -> None:
    now = register.read()
    assert [broken for before in _committed() if (broken := broken_promises(before, now, corrections()))] == []


@pytest.mark.parametrize("edit", ["lost", "another meaning"])
def test_planted_bug_a_register_that_was_edited_by_hand_is_seen(edit: str) -> None:
    before, name = register.read(), findings()[0].id
    now = {i: entry for i, entry in before.items() if edit != "lost" or i != name}
    if edit != "lost":
        now[name] = {**now[name], "means": ["Something else."]}
    assert [line.partition(" ")[0] for line in broken_promises(before, now, corrections())] == [name]


def test_planted_bug_an_id_that_is_lost_or_means_something_else_is_seen() -> None:
    assert broken_promises({"a/1": ENTRY}, {"a/1": ENTRY, "a/2": OTHER}, ()) == []
    (lost,) = broken_promises({"a/1": ENTRY}, {}, ())
    assert lost.startswith(f"a/1 is gone (it was {WAS})")
    (changed,) = broken_promises({"a/1": ENTRY}, {"a/1": OTHER}, ())
    assert changed.startswith(f"a/1 means something else (it was {WAS})")


def test_a_correction_keeps_the_promise_for_the_meaning_that_it_names_alone() -> None:
    superseded = CORRECTED._replace(what="superseded", by="a/2")
    withdrawn = CORRECTED._replace(what="withdrawn")
    assert broken_promises({"a/1": ENTRY}, {"a/1": OTHER}, [CORRECTED]) == []
    assert broken_promises({"a/1": ENTRY}, {"a/2": ENTRY}, [superseded]) == []
    assert broken_promises({"a/1": ENTRY}, {}, [withdrawn]) == []
    # A correction of another meaning, one that leads nowhere and one of the wrong sort do not.
    assert broken_promises({"a/1": OTHER}, {"a/1": ENTRY}, [CORRECTED])
    assert broken_promises({"a/1": ENTRY}, {}, [superseded])
    assert broken_promises({"a/1": ENTRY}, {}, [CORRECTED])


def test_writing_refuses_to_break_a_promise_and_leaves_the_register(tmp_path: Path) -> None:
    path = tmp_path / "register.json"
    register.write({"a/1": ENTRY}, (), path)
    before = path.read_text(encoding="utf-8")
    with pytest.raises(InvalidArgumentError, match="must keep what they mean: a/1 is gone"):
        register.write({"a/2": ENTRY}, (), path)
    assert path.read_text(encoding="utf-8") == before
    register.write({"a/1": ENTRY, "a/2": OTHER}, (), path)
    assert list(register.read(path)) == ["a/1", "a/2"]


def test_an_id_that_there_was_is_answered_with_what_became_of_it(monkeypatch: pytest.MonkeyPatch) -> None:
    gone = CORRECTED._replace(id="kl-condition/E999", what="superseded", by="kl-condition/E1")
    monkeypatch.setattr(gathering, "corrections", lambda: (gone,))
    with pytest.raises(InvalidArgumentError, match=r"was superseded by kl-condition/E1 on 2027-01-01: The quotation"):
        named("kl-condition/E999")


def test_check_replays_and_says_what_differs(monkeypatch: pytest.MonkeyPatch) -> None:
    finding = next(f for f in findings() if f.refutations and f.prints and not f.claims)
    assert list(differences(finding)) == []
    entries = register.read()
    spoilt = dict.fromkeys(finding.refutations, "0" * 64)
    entries[finding.id] = entries[finding.id] | {"certificates": spoilt}
    monkeypatch.setattr(register, "read", lambda: entries)
    result = CliRunner().invoke(app, ["findings", finding.id, "--check"], prog_name="dpref")
    assert result.exit_code == 1
    assert f"DIFFERS {finding.id}: certificates was" in result.stdout


@pytest.mark.parametrize("text", ["print('P = 1')", "raise SystemExit('it stops')"])
def test_planted_bug_a_program_that_prints_something_else_is_seen(
    text: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    finding = next(f for f in findings() if f.prints)
    path = tmp_path / "program.py"
    path.write_text(text, encoding="utf-8")
    monkeypatch.setattr(checking, "program_of", lambda _: path)
    monkeypatch.setattr(checking, "worked_out", lambda f: register.read()[f.id])
    (line,) = differences(finding)
    assert line.startswith(f"{finding.id}: its program prints ")


def test_an_entry_is_worked_out_from_the_declaration() -> None:
    finding = next(f for f in findings() if f.refutations and not f.claims)
    assert worked_out(finding) == register.read()[finding.id]
