"""The questions of practice are put to both sides by turns, and a side without an answer says so."""

from __future__ import annotations

import ast
import math
import sys
from types import SimpleNamespace

import pytest
from typer.testing import CliRunner

from dpref.bench import questions
from dpref.bench.questions import Asked, Question, ask, compare, program, ratio
from dpref.cli import app


def test_a_process_answers_once_or_twice_and_only_what_follows_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    # The setup sets a clock that reads 7 first, and 3 more each time.
    setup = "import itertools, time\ntime.process_time = map(float, itertools.count(7, 3)).__next__"
    found = ask(sys.executable, program(setup, "[1.5, 2.5]"), whole=False, limit=30)
    assert found.answer == (1.5, 2.5)
    assert found.seconds == 3
    counted = "count = []\ndef f():\n    count.append(0)\n    return [float(len(count))]"
    assert ask(sys.executable, program(counted, "f()", again=True), whole=False, limit=30).answer == (2.0,)
    used = iter([SimpleNamespace(ru_utime=1.0, ru_stime=2.0), SimpleNamespace(ru_utime=4.0, ru_stime=8.0)])
    monkeypatch.setattr("resource.getrusage", lambda _: next(used))
    assert ask(sys.executable, program(setup, "[1.5]"), whole=True, limit=30).seconds == 9


def test_what_fails_or_takes_too_long_is_no_answer() -> None:
    assert "ZeroDivisionError" in ask(sys.executable, program("", "1/0"), whole=False, limit=30).problem
    slow = ask(sys.executable, program("", "time.sleep(9)"), whole=False, limit=0.5)
    assert slow == Asked((), math.inf, "no answer in 0.5 s")


def test_the_least_time_counts_and_who_is_absent_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    times = iter([0.5, 0.25, 1.0, 2.0])
    monkeypatch.setattr(questions, "ask", lambda *_, **__: Asked((1.0,), next(times)))
    ((_, ours, theirs),) = compare([Question("one", "[1]", "[1]")], sys.executable, repeat=2)
    assert (ours.seconds, theirs.seconds, ratio(ours, theirs)) == (0.5, 0.25, "0.5")
    times = iter([3.0])
    ((_, ours, theirs),) = compare([Question("one", "[1]", "[1]")], None, repeat=1)
    assert theirs.problem == "not installed"
    assert ratio(ours, theirs) == "-"


def test_there_is_a_question_for_each_promise() -> None:
    names = [question.name for question in questions.QUESTIONS]
    assert len(set(names)) == len(names)
    assert sum(question.whole for question in questions.QUESTIONS) == 1
    assert sum(question.again for question in questions.QUESTIONS) == 5
    for question in questions.QUESTIONS:
        for expression in (question.own, question.other):
            assert ast.parse(program("", expression)).body


def test_the_table_of_practice_alone_in_markdown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(questions, "QUESTIONS", (Question("one", "[1]", "[1]"),))
    monkeypatch.setattr(questions, "ask", lambda *_, **__: Asked((1.5, 2.0), 0.25))
    done = CliRunner().invoke(app, ["bench", "accounting", "--practice", "--markdown", "--repeat", "1"])
    assert done.exit_code == 0, done.output
    assert "| one | [1.5, 2] | 0.25 s |" in done.output
    assert "certified" not in done.output  # no other table
