"""Certificates derived from nothing: they come out to the bit, no committed one is read, and a difference is listed."""

from __future__ import annotations

import json
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from dpref.cli import app
from proofs import anew, check
from proofs.anew import Comparison, compare, derive
from proofs.check import CERTIFICATES, path_of
from proofs.coq.privacy import RECORD
from proofs.registry import reading, registry

FEW = ("zcdp/log-below-line", "private-saddle-points/E6")


def test_a_few_certificates_come_out_to_the_bit() -> None:
    found = compare(FEW)
    assert found.ok, found.differences
    assert found.compared >= len(FEW)


@pytest.mark.slow
def test_every_certificate_comes_out_to_the_bit() -> None:
    """The whole library; ``nox -s from_nothing`` does it with two seeds of the hashes."""
    found = compare()
    assert found.differences == ()
    assert found.compared == len(registry()) + 1


def test_no_committed_certificate_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    right = Path.open

    def watched(self: Path, *words: Any, **more: Any) -> Any:
        if self.resolve().is_relative_to(CERTIFICATES) and self.name != RECORD:  # what Coq said is no certificate
            raise AssertionError(f"{self} was read")
        return right(self, *words, **more)

    monkeypatch.setattr(Path, "open", watched)  # through which read_text and read_bytes go
    assert len(derive(tmp_path, FEW)) >= len(FEW)
    with pytest.raises(AssertionError, match="was read"):
        path_of(registry()[FEW[0]]).read_text(encoding="utf-8")


def test_a_folder_that_holds_something_is_refused(tmp_path: Path) -> None:
    (tmp_path / "zcdp").mkdir()
    with pytest.raises(ValueError, match="must be empty"):
        derive(tmp_path, FEW)


def copied(folder: Path, only: Sequence[str]) -> Path:
    """A folder with the committed certificates of some obligations and of what they rest on."""
    for o in check.in_order(registry(), only):
        path = folder / path_of(o).relative_to(CERTIFICATES)
        path.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(path_of(o), path)
    return folder


@pytest.mark.slow
def test_planted_bug_one_changed_digit_is_listed_with_both_digests(tmp_path: Path) -> None:
    committed = copied(tmp_path, FEW)
    assert compare(FEW, committed).ok
    path = committed / "private-saddle-points" / "E6.json"
    path.write_text(path.read_text(encoding="utf-8").replace('"1/4"', '"1/5"', 1), encoding="utf-8")
    found = compare(FEW, committed)
    (line,) = found.differences
    assert not found.ok
    assert line.startswith("private-saddle-points/E6.json: committed with SHA-256 ")


@pytest.mark.slow
def test_a_certificate_that_is_not_committed_is_listed(tmp_path: Path) -> None:
    committed = copied(tmp_path, FEW)
    (committed / "private-saddle-points" / "E6.json").unlink()
    assert compare(FEW, committed).differences == ("private-saddle-points/E6.json: derived, and not committed",)


@pytest.mark.slow
def test_planted_bug_a_tactic_that_depends_on_what_ran_before_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    """A reading that counts its calls stands for whatever is different the next time."""
    calls, right = [0], reading

    def moody(name: str) -> Any:
        calls[0] += 1
        return [*right(name), calls[0]]

    monkeypatch.setattr(check, "reading", moody)
    about = next(o.id for o in registry().values() if o.about and not o.premises)
    (line,) = compare([about]).differences
    assert about.partition("/")[2] in line


def test_a_stray_reading_makes_a_certificate_stale(tmp_path: Path) -> None:
    committed = copied(tmp_path, FEW)
    path = committed / "private-saddle-points" / "E6.json"
    c = json.loads(path.read_text(encoding="utf-8"))
    path.write_text(json.dumps(c | {"readings": {"mirror-descent.first_order_bias": []}}), encoding="utf-8")
    problems = check.run(folder=committed, only=["private-saddle-points/E6"]).problems
    assert any("is not what it is about" in problem for problem in problems)


def test_the_verb_says_what_differs_and_exits_with_it(monkeypatch: pytest.MonkeyPatch) -> None:
    found = Comparison(644, ("gaussian/zcdp.json: derived, and not committed",), 42.0)
    monkeypatch.setattr(anew, "compare", lambda: found)
    told = CliRunner().invoke(app, ["prove", "--from-nothing"], prog_name="dpref")
    assert told.exit_code == 1
    assert "DIFFERS gaussian/zcdp.json" in told.stdout
    assert "644 files derived from nothing: 1 differ; 42 s" in told.stdout
    as_json = CliRunner().invoke(app, ["prove", "--from-nothing", "--json"], prog_name="dpref")
    assert json.loads(as_json.stdout) == found.to_json()
    monkeypatch.setattr(anew, "compare", lambda: Comparison(644, (), 42.0))
    assert CliRunner().invoke(app, ["prove", "--from-nothing"], prog_name="dpref").exit_code == 0
    refused = CliRunner().invoke(app, ["prove", "--from-nothing", "--paper", "gaussian"], prog_name="dpref")
    assert (refused.exit_code, refused.stdout) == (2, "")
    assert "leave the others out" in refused.stderr
