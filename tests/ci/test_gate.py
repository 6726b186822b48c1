"""Every claim of the catalogue has its recorded verdict, from few runs or from the usual number."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest


@pytest.fixture(autouse=True)
def scripts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(Path(__file__).parents[2] / ".ci"))


def claim(name: str, verdict: str, expected: str, *alarms: str) -> dict[str, Any]:
    return {"id": name, "verdict": verdict, "expected": expected, "alarms": [*alarms]}


def judged(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, few: list[dict[str, Any]], many: dict[str, dict[str, Any]]
) -> list[str]:
    """The claims that are judged with the usual number of runs, where few runs and many say this."""
    import gate

    again = list[str]()

    def answer(self: Any, work: Any, name: str, *words: str) -> list[dict[str, Any]]:
        if name == "few":
            return few
        if name == "listed":
            return [{"id": i} for i in ("a", "b", "c")]
        again.extend(words)
        return [many[word] for word in words]

    monkeypatch.setattr(gate.Gate, "judged", answer)
    work: Any = SimpleNamespace(say=lambda text: None)
    gate.Gate(tmp_path, {"3.11": tmp_path}, tmp_path).catalogue(work)
    return again


A, B, C = claim("a", "holds", "holds"), claim("b", "refuted", "refuted"), claim("c", "undecided", "undecided")


def test_what_few_runs_do_not_settle_is_judged_with_the_usual_number(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    few = [A, claim("b", "undecided", "refuted"), C]
    assert judged(tmp_path, monkeypatch, few, {"b": B, "c": C}) == ["b", "c"]


@pytest.mark.parametrize(
    "bad",
    [claim("b", "holds", "refuted"), claim("b", "undecided", "refuted"), claim("b", "refuted", "refuted", "alarm")],
    ids=["holds", "undecided", "alarm"],
)
def test_planted_bug_a_verdict_that_is_not_the_recorded_one_fails(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, bad: dict[str, Any]
) -> None:
    from steps import FailedError

    with pytest.raises(FailedError, match="not as recorded: b"):
        judged(tmp_path, monkeypatch, [A, bad, C], {"b": bad, "c": C})


def test_planted_bug_a_claim_that_has_no_verdict_fails(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from steps import FailedError

    with pytest.raises(FailedError, match="some claims have no verdict"):
        judged(tmp_path, monkeypatch, [A, C], {"c": C})
