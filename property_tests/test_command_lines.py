"""A sample of the generated command lines, and the mistakes that their check must see."""

from __future__ import annotations

from collections import Counter

import pytest

from property_tests.command_lines import EXITS, VERBS, Ended, called, ends, names_something, scene, wrong

SAMPLE = 250


@pytest.mark.slow
def test_no_command_line_ends_in_a_traceback() -> None:
    found = list(ends(SAMPLE, seed=1))
    assert [(ended.line, ended.problem) for ended in found if ended.problem] == []
    codes = Counter(ended.code for ended in found)
    assert set(codes) <= {*EXITS, None}
    assert min(codes[0], codes[2], codes[None]) > SAMPLE // 20  # it is no sample of mistakes alone
    reached = {ended.line[: len(words)] for ended in found for words, _ in VERBS if ended.line[: len(words)] == words}
    assert len(reached) == len(VERBS)


def ended(code: int | None, stderr: str = "", stdout: str = "", *line: str) -> Ended:
    return Ended(line, code, stdout, stderr)


@pytest.mark.parametrize(
    ("end", "problem"),
    [
        (ended(130), "exit code 130"),
        (ended(1, "Traceback (most recent call last):"), "a traceback on standard error"),
        (ended(2, "dpref: something is wrong here"), "the message names nothing of the line"),
        (ended(2, "Segmentation fault"), "the message names nothing of the line"),
        (ended(0, "", "epsilon in [1, 2]", "certify", "--json"), "--json is no JSON"),
        (ended(2, "dpref: trials = 3: must be at least 100"), ""),
        (ended(0, "", "{}", "certify", "--json"), ""),
        (ended(None), ""),
    ],
)
def test_planted_bug_a_line_that_ends_badly_is_seen(end: Ended, problem: str) -> None:
    assert wrong(end) == problem


def test_planted_bug_an_exception_is_a_finding(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(name: str) -> None:
        raise ZeroDivisionError(name)

    with scene():
        monkeypatch.setattr("dpref.experiments.catalogue.experiment_named", fail)
        assert "ZeroDivisionError: table" in called(("reproduce", "table")).problem
        assert called(("reproduce",)).problem == ""


def test_a_message_of_the_parser_names_the_option() -> None:
    assert names_something((), "Error: No such option: --json")
    assert not names_something(("x",), "Error: that is no good")
