"""`dpref prove`: its exit code for every way in which a proof can be out of order, and the second opinion."""

from __future__ import annotations

import json
from functools import partial
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from dpref.cli import app
from proofs import check


def prove(*arguments: str) -> Result:
    return CliRunner().invoke(app, ("prove", "--paper", "zcdp", *arguments))


@pytest.fixture
def folder(certificates: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(check, "run", partial(check.run, folder=certificates))
    return certificates


def planted(path: Path, **changes: object) -> None:
    path.write_text(json.dumps(json.loads(path.read_text()) | changes))


@pytest.mark.slow
def test_a_clean_tree_exits_with_zero(folder: Path) -> None:
    assert folder.exists()
    result = prove("--formulas", "proved", "--json")
    assert result.exit_code == 0
    document = json.loads(result.stdout)
    assert document["ok"] is True
    assert {row["formulas"] for row in document["obligations"]} == {"proved"}


def test_a_missing_certificate_exits_with_one(folder: Path) -> None:
    (folder / "gaussian" / "renyi.json").unlink()
    result = prove()
    assert result.exit_code == 1
    assert "PROBLEM gaussian/renyi: no certificate" in result.stdout


def test_a_selection_may_be_empty(folder: Path) -> None:
    assert folder.exists()
    result = prove("--formulas", "open")
    assert result.exit_code == 0
    assert "0 obligations; replayed in" in result.stdout


def test_a_stale_certificate_exits_with_one(folder: Path) -> None:
    path = folder / "zcdp" / "to-dp.json"
    name = "conversions.zcdp_epsilon"
    readings = json.loads(path.read_text())["readings"]
    planted(path, readings={**readings, name: []})
    result = prove()
    assert result.exit_code == 1
    assert "no longer the formula of the certificate" in result.stdout


@pytest.mark.slow
@pytest.mark.parametrize(("recorded", "code"), [("proved", 0), ("certified", 1), ("by construction", 1), ("open", 1)])
def test_a_status_that_is_not_the_recorded_one_exits_with_one(folder: Path, recorded: str, code: int) -> None:
    planted(folder / "zcdp" / "log-below-line.json", status=recorded)
    assert prove().exit_code == code


def test_a_worse_status_exits_with_one(folder: Path) -> None:
    path = folder / "zcdp" / "log-below-line.json"
    facts = json.loads(path.read_text())["facts"]
    expr, relation, domain = facts[0]["claim"]
    facts[0] |= {"rule": "axiom", "args": [expr, relation, domain, "somebody"]}
    planted(path, facts=facts)
    result = prove()
    assert result.exit_code == 1
    assert "zcdp/log-below-line: the status of its formulas is assumed, recorded as proved" in result.stdout
