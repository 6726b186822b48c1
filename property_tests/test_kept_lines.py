"""A long run that was stopped goes on where it was, and does not mix seeds."""

from __future__ import annotations

import json
import math
from pathlib import Path

import pytest

from dpref.errors import InvalidArgumentError
from property_tests import certified_answers, event_expressions
from property_tests.kept_lines import in_processes, keeping, kept


def squares(arguments: tuple[int, tuple[int, ...]]) -> list[int]:
    seed, numbers = arguments
    return [seed + k * k for k in numbers]


def test_several_processes_answer_in_order() -> None:
    assert list(in_processes(squares, 1, range(120), 2)) == [1 + k * k for k in range(120)]


def test_what_was_kept_is_read_again_but_for_a_line_that_was_cut_off(tmp_path: Path) -> None:
    path = tmp_path / "record.jsonl"
    assert kept(path, 3) == kept(None, 3) == []
    with keeping(path, 3) as keep:
        keep({"number": 0, "upper": math.inf})
        keep({"number": 1, "upper": 1.5})
    path.write_text(path.read_text() + '{"seed": 3, "num')
    assert kept(path, 3) == [{"number": 0, "upper": math.inf}, {"number": 1, "upper": 1.5}]
    assert path.read_text().endswith("}\n")  # what comes next begins a line
    with pytest.raises(InvalidArgumentError, match="is of seed 3"):
        kept(path, 4)


def test_a_run_of_expressions_that_was_stopped_goes_on(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "texts.jsonl"
    arguments = ["--seed", "2", "--record", str(path)]
    assert event_expressions.main(["--count", "8", *arguments]) == 0
    path.write_text("".join(path.read_text().splitlines(keepends=True)[:5]))
    assert event_expressions.main(["--count", "12", *arguments]) == 0
    assert "12 expressions, seed 2: 0 findings" in capsys.readouterr().out
    assert [json.loads(line)["number"] for line in path.read_text().splitlines()] == list(range(12))


def test_a_finding_that_was_kept_is_still_one(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "answers.jsonl"
    about = {"family": "f", "adjacency": "zero-out", "asked": "a", "quantity": "delta", "seconds": 0.5}
    with keeping(path, 3) as keep:
        keep({"number": 0, **about, "lower": 0.5, "upper": 0.25, "problem": "upper end 0.25 is too small"})
    assert certified_answers.main(["--count", "1", "--seed", "3", "--record", str(path)]) == 1
    assert "1 questions, seed 3: 1 wrong, 0 refused, 0 not checked" in capsys.readouterr().out
