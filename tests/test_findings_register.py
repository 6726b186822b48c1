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
from proofs.check import path_of
from proofs.findings import register
from proofs.findings.checking import differences
from proofs.findings.gathering import named, sources
from proofs.findings.register import Change, broken_promises, digest_of, fingerprint
from proofs.findings.witnesses import least, where_false
from proofs.registry import registry

ROOT = Path(__file__).parents[1]
ENTRY: dict[str, Any] = {"says": ["Theorem 1 holds."], "refuted": {}, "certified": {}, "certificates": {}}
OTHER: dict[str, Any] = {**ENTRY, "says": ["Theorem 1 holds for every n."]}
WAS = fingerprint(ENTRY["says"])
REWORDED = Change("a/1", "reworded", "0.2.0", "The quotation lacked three words.", WAS)
MEND = "write it anew: python -m proofs.findings"


def test_the_register_is_what_exists_today() -> None:
    recorded = register.read()
    today = {source.id: source for source in sources()}
    assert recorded.keys() == today.keys(), MEND
    for name, source in today.items():
        assert tuple(recorded[name]["says"]) == source.says, f"{name}: {MEND}, which says whether a promise is broken"
        digests = {o.id: digest_of(path_of(o)) for o in source.obligations}
        assert recorded[name]["certificates"] == digests, f"{name}: {MEND}"
        assert recorded[name]["refuted"].keys() == digests.keys()
        assert recorded[name]["certified"].keys() == {c.id for c in source.claims}


@pytest.mark.slow
@pytest.mark.parametrize("source", [s for s in sources() if s.claims], ids=lambda s: s.id)
def test_what_is_recorded_as_certified_is_certified_today(source: Any) -> None:
    recorded = register.read()[source.id]["certified"]
    assert {claim.id: least(claim) for claim in source.claims} == recorded, MEND


@pytest.mark.parametrize("name", ["private-saddle-points/E6", "dp-erm-revisited/E26", "dp-erm-revisited/E1"])
def test_where_a_statement_is_false_is_read_off_its_certificate(name: str) -> None:
    (finding,) = named(name)
    assert register.read()[finding.id]["refuted"][name] == where_false(registry()[name])


@pytest.mark.slow
def test_every_recorded_witness_is_that_of_its_certificate() -> None:
    recorded = {name: text for entry in register.read().values() for name, text in entry["refuted"].items()}
    assert {name: where_false(registry()[name]) for name in recorded} == recorded, MEND


def test_no_tagged_version_is_broken_with() -> None:
    """Whatever was released keeps its meaning: the register of every tag is compared with today's."""
    tags = subprocess.run(["git", "tag", "--list", "v*"], cwd=ROOT, capture_output=True, text=True, check=False)
    path = register.REGISTER.relative_to(ROOT).as_posix()
    now = register.read()
    for tag in tags.stdout.split():
        shown = subprocess.run(["git", "show", f"{tag}:{path}"], cwd=ROOT, capture_output=True, text=True, check=False)
        if shown.returncode == 0:
            assert broken_promises(json.loads(shown.stdout)["findings"], now) == [], tag
    assert now


def _committed() -> list[dict[str, Any]]:
    """The findings of every register that was ever committed here, the newest first; none where there is no history."""
    path = register.REGISTER.relative_to(ROOT).as_posix()
    asked = ["git", "log", "--format=%H", "--", path]
    log = subprocess.run(asked, cwd=ROOT, capture_output=True, text=True, check=False)
    shown = [
        subprocess.run(["git", "show", f"{rev}:{path}"], cwd=ROOT, capture_output=True, text=True, check=False)
        for rev in log.stdout.split()
    ]
    return [json.loads(text.stdout)["findings"] for text in shown if text.returncode == 0]


def test_no_committed_register_is_broken_with_whoever_edited_the_file() -> None:
    """The register cannot be made to say something else by hand either: history remembers."""
    now = register.read()
    assert [broken_promises(before, now) for before in _committed() if broken_promises(before, now)] == []


@pytest.mark.parametrize("edit", ["lost", "another meaning"])
def test_planted_bug_a_register_that_was_edited_by_hand_is_seen(edit: str) -> None:
    history = _committed()
    if not history:
        pytest.skip("no history: this is no checkout")
    name = "private-saddle-points/E6"
    now = {i: entry for i, entry in register.read().items() if edit != "lost" or i != name}
    if edit != "lost":
        now[name] = {**now[name], "says": ["Something else."]}
    assert any(line.startswith(f"{name} ") for line in broken_promises(history[0], now))


def test_planted_bug_an_id_that_is_lost_or_means_something_else_is_seen() -> None:
    assert broken_promises({"a/1": ENTRY}, {"a/1": ENTRY}) == []
    assert broken_promises({"a/1": ENTRY}, {"a/1": ENTRY, "a/2": OTHER}) == []
    (lost,) = broken_promises({"a/1": ENTRY}, {})
    assert lost.startswith(f"a/1 is gone (it was {WAS})")
    (changed,) = broken_promises({"a/1": ENTRY}, {"a/1": OTHER})
    assert changed.startswith(f"a/1 says something else (it was {WAS})")


def test_an_entry_that_says_what_became_of_it_keeps_the_promise() -> None:
    superseded = REWORDED._replace(what="superseded", by="a/2")
    withdrawn = REWORDED._replace(what="withdrawn")
    assert broken_promises({"a/1": ENTRY}, {"a/1": OTHER}, [REWORDED]) == []
    assert broken_promises({"a/1": ENTRY}, {"a/2": ENTRY}, [superseded]) == []
    assert broken_promises({"a/1": ENTRY}, {}, [withdrawn]) == []
    # Neither one about another text, nor one that leads nowhere, nor the wrong kind of entry does.
    assert broken_promises({"a/1": OTHER}, {"a/1": ENTRY}, [REWORDED])
    assert broken_promises({"a/1": ENTRY}, {}, [superseded])
    assert broken_promises({"a/1": ENTRY}, {}, [REWORDED])


def test_writing_refuses_to_break_a_promise_and_leaves_the_register(tmp_path: Path) -> None:
    path = tmp_path / "register.json"
    register.write({"a/1": ENTRY}, path)
    before = path.read_text(encoding="utf-8")
    with pytest.raises(InvalidArgumentError, match="must keep what they mean: a/1 is gone"):
        register.write({"a/2": ENTRY}, path)
    assert path.read_text(encoding="utf-8") == before
    register.write({"a/1": ENTRY, "a/2": OTHER}, path)
    assert list(register.read(path)) == ["a/1", "a/2"]


def test_an_id_that_there_was_is_answered_with_what_became_of_it(monkeypatch: pytest.MonkeyPatch) -> None:
    gone = REWORDED._replace(id="kl-condition/E999", what="superseded", by="kl-condition/E1")
    monkeypatch.setattr(register, "CHANGES", (gone,))
    with pytest.raises(InvalidArgumentError, match=r"is superseded by kl-condition/E1 since 0\.2\.0"):
        named("kl-condition/E999")


def test_check_replays_and_says_what_differs(monkeypatch: pytest.MonkeyPatch) -> None:
    name = "private-saddle-points/E6"
    assert list(differences(name)) == []
    entries = register.read()
    entries[name] = entries[name] | {"certificates": {name: "0" * 64}}
    monkeypatch.setattr(register, "read", lambda: entries)
    result = CliRunner().invoke(app, ["findings", name, "--check"], prog_name="dpref")
    assert result.exit_code == 1
    assert f"DIFFERS {name}: certificates was" in result.stdout
