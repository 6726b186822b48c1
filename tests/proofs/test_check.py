"""What is wrong anywhere is in the report and in the exit code, whichever rows are shown."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from typer.testing import CliRunner

from dpref.cli import app
from proofs import check
from proofs.algebra import Rejected
from proofs.registry import registry


@pytest.mark.parametrize("problems", [(), ("gaussian/renyi: no certificate", "assumptions.json is missing")])
def test_a_problem_that_belongs_to_no_row_that_is_shown_is_told(
    problems: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(check, "run", lambda *_: check.Report((), problems, 0.0))
    told, shown = (CliRunner().invoke(app, ("prove", "--paper", "zcdp", *more)) for more in (("--json",), ()))
    document = json.loads(told.stdout)
    assert (document["ok"], document["problems"]) == (not problems, list(problems))
    assert told.exit_code == shown.exit_code == (1 if problems else 0)
    assert all(f"PROBLEM {problem}" in shown.stdout for problem in problems)


@pytest.mark.parametrize("left_out", [True, False])
def test_a_certificate_holds_the_reading_of_every_formula_that_it_is_about(tmp_path: Path, left_out: bool) -> None:
    o = registry()["zcdp/to-dp"]
    path = check.path_of(o, tmp_path)
    path.parent.mkdir(parents=True)
    shutil.copy(check.path_of(o), path)
    assert check.replayed(o, tmp_path)
    content = json.loads(path.read_text(encoding="utf-8"))
    name = next(iter(content["readings"]))
    reading = content["readings"].pop(name)
    if not left_out:
        content["readings"][name + "_of_another"] = reading
    path.write_text(json.dumps(content), encoding="utf-8")
    with pytest.raises(Rejected, match="no longer the formula of the certificate"):
        check.replayed(o, tmp_path)
