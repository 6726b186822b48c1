"""The table of the proofs: what it counts, and that the replayed and the recorded one say the same."""

from __future__ import annotations

import json
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

import proofs.check
from dpref.cli import app
from proofs.check import ASSUMPTIONS, CERTIFICATES, Report, run
from proofs.coq.checkers import read
from proofs.registry import registry
from proofs.status import Row
from proofs.tally import Counted, Tally, main, of_folder, of_rows

SOME = ("zcdp/to-dp", "composition/advanced", "dp-erm-revisited/P72", "dp-erm-revisited/no-constant")


@pytest.fixture(scope="module")
def rows() -> tuple[Row, ...]:
    return run(only=SOME).rows


def test_every_obligation_is_counted_once_with_its_status() -> None:
    tally = of_folder()
    assert len(tally.counted) == len(registry())
    statuses = {c["id"]: c["status"] for p in CERTIFICATES.glob("*/*.json") for c in [json.loads(p.read_text("utf-8"))]}
    assert sorted(c.formulas for c in tally.counted) == sorted(statuses.values())
    totals = [line for line in tally.text.splitlines() if line.startswith("| all |")]
    assert [line.endswith(f"| {len(registry())} |") for line in totals] == [True, True]


def test_what_is_assumed_is_the_committed_list() -> None:
    tally = of_folder()
    committed = json.loads((CERTIFICATES / ASSUMPTIONS).read_text(encoding="utf-8"))
    pairs = {(name, step) for found in (tally.everywhere, tally.beyond) for step, ids in found.items() for name in ids}
    assert len(pairs) == sum(map(len, committed.values()))
    assert {name for name, _ in pairs} == set(committed)
    assert f"{len(tally.everywhere)} steps are assumed everywhere" in tally.text


def test_the_replayed_table_says_what_the_recorded_one_does(rows: tuple[Row, ...], tmp_path: Path) -> None:
    replayed = of_rows(rows, read(CERTIFICATES).two)
    recorded = {c["id"]: c for c in _certificates([r.id for r in rows])}
    assert [c.formulas for c in replayed.counted] == [recorded[r.id]["status"] for r in rows]
    of = dict(zip((r.id for r in rows), replayed.counted, strict=True))
    assert of["zcdp/to-dp"].checkers == "two checkers"
    assert of["dp-erm-revisited/no-constant"].checkers == "one checker"  # what it takes from Coq has Coq alone
    assert of["composition/advanced"].checkers == ""  # proved in part: not what two are asked about
    committed = of_folder()
    for mine, theirs in ((replayed.everywhere, committed.everywhere), (replayed.beyond, committed.beyond)):
        assert all(set(ids) <= set(theirs[step]) for step, ids in mine.items())


def _certificates(ids: list[str]) -> list[dict[str, Any]]:
    return [json.loads(proofs.check.path_of(registry()[i]).read_text(encoding="utf-8")) for i in ids]


def test_planted_bug_a_certificate_that_coq_has_not_accepted_is_counted_with_one_checker(tmp_path: Path) -> None:
    folder = tmp_path / "certificates"
    shutil.copytree(CERTIFICATES / "composition", folder / "composition")
    shutil.copy(CERTIFICATES / ASSUMPTIONS, folder)
    assert {c.checkers for c in of_folder(folder).counted} == {"one checker", ""}
    shutil.copy(CERTIFICATES / "checkers.json", folder)
    assert "two checkers" in {c.checkers for c in of_folder(folder).counted}


def test_an_empty_folder_is_refused_with_what_to_name(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match="name a folder like proofs/certificates"):
        of_folder(tmp_path)


def test_a_bar_in_a_citation_does_not_end_its_cell() -> None:
    table = Tally((Counted("a", "cited", "assumed", ""),), {"b: |x| <= y": ("a/1",)}).text
    assert "| b: \\|x\\| <= y | everywhere | 1 |" in table


def test_the_command_prints_the_table(
    rows: tuple[Row, ...], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    report = Report(rows, (), 0.1)
    monkeypatch.setattr(proofs.check, "run", lambda *_: report)
    shown = CliRunner().invoke(app, ["prove", "--table"], prog_name="dpref")
    assert shown.exit_code == 0
    assert shown.stdout.startswith("| sentences of | ")
    found = json.loads(CliRunner().invoke(app, ["prove", "--table", "--json"], prog_name="dpref").stdout)
    assert found["table"]["formulas"]["zcdp"]["two checkers"] >= 1
    monkeypatch.setattr(proofs.check, "run", lambda *_: replace(report, problems=("zcdp/to-dp: rejected",)))
    wrong = CliRunner().invoke(app, ["prove", "--table"], prog_name="dpref")
    assert (wrong.exit_code, "PROBLEM zcdp/to-dp: rejected" in wrong.stdout) == (1, True)
    refused = CliRunner().invoke(app, ["prove", "--from-nothing", "--table"], prog_name="dpref")
    assert refused.exit_code == 2
    monkeypatch.setattr("sys.argv", ["tally"])
    assert main() == 0
    assert capsys.readouterr().out == of_folder().text
