"""What is wrong anywhere is in the report and in the exit code, whichever rows are shown."""

from __future__ import annotations

import json

import pytest
from typer.testing import CliRunner

from dpref.cli import app
from proofs import check


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
