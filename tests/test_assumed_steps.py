"""What is assumed everywhere says why it is not proved: a sentence for each step on the one list, and no others."""

from __future__ import annotations

import importlib
from pathlib import Path

import pytest

from proofs import Report
from proofs.missing import BEYOND, MISSING


def _outright(report: Report) -> set[str]:
    return {step for row in report.rows for step in row.assumptions}


def test_every_step_that_is_assumed_everywhere_says_what_is_missing(report: Report) -> None:
    assert set(MISSING) == _outright(report)
    assert all(reason.endswith(".") and len(reason) > 30 for reason in MISSING.values())


def test_every_step_that_is_assumed_beyond_finite_outputs_says_what_is_missing(report: Report) -> None:
    assert set(BEYOND) == {step for row in report.rows for step in row.beyond}
    assert all(reason.endswith(".") and len(reason) > 30 for reason in BEYOND.values())


def test_what_coq_proves_is_on_the_list_no_more(report: Report) -> None:
    steps = " ".join(_outright(report))
    assert "Gamma variable" not in steps
    assert "best vertex" not in steps


def test_the_page_shows_the_reasons(report: Report, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(Path(__file__).parents[1] / "docs" / "_ext"))
    page = importlib.import_module("privacy_pages").assumptions_page(report)
    worded = importlib.import_module("words").worded
    for reason in MISSING.values():
        shown = worded(reason).replace("|", "\\|")
        (row,) = (line for line in page.splitlines() if shown in line)
        assert row.endswith(f"| {shown} |")
    for step, reason in BEYOND.items():
        what, shown = worded(step.partition(": ")[2]), worded(reason)
        assert any(what in line and line.endswith(f"| {shown} |") for line in page.splitlines())


def test_a_step_without_a_reason_stops_the_page(report: Report, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(Path(__file__).parents[1] / "docs" / "_ext"))
    pages = importlib.import_module("privacy_pages")
    monkeypatch.setattr(pages, "MISSING", dict(list(MISSING.items())[1:]))
    with pytest.raises(KeyError, match=next(iter(MISSING)).split(":")[0]):
        pages.assumptions_page(report)
    monkeypatch.setattr(pages, "MISSING", MISSING)
    monkeypatch.setattr(pages, "BEYOND", dict(list(BEYOND.items())[1:]))
    with pytest.raises(KeyError, match=next(iter(BEYOND)).split(":")[0]):
        pages.assumptions_page(report)
