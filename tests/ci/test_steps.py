"""The gate's judgement: what is no answer, what was not checked, and when all is green."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from steps import Outcome, Step, Work

TRACEBACK = "Traceback (most recent call last):\n  ...\nIndexError: tuple index out of range\n"
SKIP = "SKIPPED [3] tests/test_foreign_clusters.py:31: Dask is not installed\n1 passed, 3 skipped in 0.10s\n"


@pytest.fixture(autouse=True)
def gate(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(Path(__file__).parents[2] / ".ci"))


def step(name: str, does: Any = None, **more: Any) -> Step:
    from steps import Step

    return Step(name, "tests", does or (lambda work: None), **more)


def outcome(name: str = "a step", complaint: str = "", printed: str = "", **more: Any) -> Outcome:
    from steps import Outcome

    return Outcome(step(name, **more), complaint, 1.0, 1.0, printed)


def ran(tmp_path: Path, *steps: Step, cores: int = 2) -> tuple[list[Outcome], str]:
    from steps import Runner

    said = list[str]()
    return Runner(tmp_path, {"PATH": "/usr/bin:/bin"}, cores, said.append).run(steps), "\n".join(said)


def test_an_answer_has_an_expected_code_and_says_what_it_must() -> None:
    from steps import complaint

    assert complaint(1, "verdict    refuted\n", (1,), r"^verdict +refuted") == ""
    assert complaint(0, "12 passed in 3.0s\n", says=r"\d+ passed") == ""


def test_planted_bug_a_traceback_with_exit_code_1_is_no_answer() -> None:
    from steps import complaint

    assert "traceback" in complaint(1, TRACEBACK, (0, 1))
    assert "traceback" in complaint(1, f"verdict    refuted\n{TRACEBACK}", (1,), r"^verdict +refuted")
    assert "has no" in complaint(1, "", (1,), r"^verdict +refuted")
    assert complaint(0, "verdict    holds\n", (1,), r"^verdict +refuted") == "exit code 0"
    assert complaint(1, "", (0,)) == "exit code 1"


def test_planted_bug_a_command_that_dies_where_exit_code_1_is_expected_fails_its_step(tmp_path: Path) -> None:
    def dies(work: Work) -> None:
        work.run([sys.executable, "-c", "raise IndexError"], tmp_path, codes=(1,))

    found, said = ran(tmp_path, step("dies", dies))
    assert "traceback" in found[0].complaint
    assert "IndexError" in said


def test_planted_bug_a_failing_step_keeps_those_back_that_wait_for_it(tmp_path: Path) -> None:
    from steps import FailedError, verdict

    def fails(work: Work) -> None:
        raise FailedError("no")

    done = list[str]()
    found, _ = ran(
        tmp_path,
        step("later", lambda work: done.append("later"), after=("fails",)),
        step("fails", fails),
        step("other", lambda work: done.append("other")),
    )
    assert done == ["other"]
    assert [o.complaint for o in found] == ["not run: fails failed", "no", ""]
    lines, code = verdict(found, [], strict=False)
    assert (lines[-1], code) == ("=== not green", 1)


def test_a_step_that_waits_for_what_is_no_step_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="these wait for what is no step: lost"):
        ran(tmp_path, step("lost", after=("nothing",)))


def test_no_more_steps_run_at_once_than_there_are_processors(tmp_path: Path) -> None:
    from threading import Barrier, Lock

    both, lock, running = Barrier(2, timeout=60), Lock(), [0, 0]

    def counted(work: Work) -> None:
        with lock:
            running[0] += 1
            running[1] = max(running)
        both.wait()  # two are inside at the same time, or this breaks
        with lock:
            running[0] -= 1

    found, _ = ran(tmp_path, *(step(str(n), counted) for n in range(4)))
    assert [o.complaint for o in found] == [""] * 4
    assert running == [0, 2]


def test_a_command_costs_processor_time_and_its_output_is_printed(tmp_path: Path) -> None:
    def works(work: Work) -> None:
        assert "49995000" in work.run([sys.executable, "-c", "print(sum(range(10000)))"], tmp_path)

    found, said = ran(tmp_path, step("works", works))
    assert found[0].complaint == ""
    assert found[0].processor > 0
    assert "49995000" in said


def test_planted_bug_a_missing_tool_is_in_the_table_and_fails_a_strict_run() -> None:
    from steps import Absent, verdict

    absent = [Absent("what needs coqc", "coqc is missing")]
    lines, code = verdict([outcome()], absent, strict=False)
    assert lines == ["not checked      why", "what needs coqc  coqc is missing", "=== all green"]
    assert code == 0
    lines, code = verdict([outcome()], absent, strict=True)
    assert (lines[-1], code) == ("=== not green", 1)
    assert any("what needs coqc" in line and "FAILED" in line for line in lines)


def test_planted_bug_what_a_step_could_not_check_reaches_the_table(tmp_path: Path) -> None:
    from steps import Absent, not_checked

    found, _ = ran(tmp_path, step("tools", lambda work: work.absent.append(Absent("Coq", "coqc is missing"))))
    assert not_checked(found) == [("Coq", "coqc is missing")]


def test_planted_bug_tests_that_are_skipped_everywhere_are_in_the_table() -> None:
    from steps import not_checked

    assert not_checked([outcome("all", printed=SKIP)]) == [
        ("tests/test_foreign_clusters.py (3 tests, all)", "Dask is not installed")
    ]
    clusters = outcome("clusters", printed="4 passed in 1.0s\n", covers=("tests/test_foreign_clusters.py",))
    assert not_checked([outcome("all", printed=SKIP), clusters]) == []
    without = outcome("clusters", printed=SKIP, covers=("tests/test_foreign_clusters.py",))
    assert [a.what for a in not_checked([outcome("all", printed=SKIP), without])] == [
        "tests/test_foreign_clusters.py (3 tests, clusters)"
    ]


def test_planted_bug_a_step_that_failed_covers_no_test() -> None:
    from steps import not_checked

    failed = outcome("clusters", "exit code 1", covers=("tests/test_foreign_clusters.py",))
    assert len(not_checked([outcome("all", printed=SKIP), failed])) == 1


def test_a_sample_by_intention_is_no_gap() -> None:
    from steps import skipped

    assert skipped("SKIPPED [9] tests/a.py:3: too long for every day: DPREF_EFFORT=full\n") == []


def test_costs_are_listed_by_step_and_by_kind() -> None:
    from steps import KINDS, costs

    lines = costs([outcome("one"), outcome("two")])
    assert len(lines) == 3 + len(KINDS)
    assert lines[1].split() == ["one", "tests", "1", "1"]
    assert [line.split() for line in lines if line.startswith("all of tests")] == [["all", "of", "tests", "2", "2"]]


def test_planted_bug_an_audit_that_is_not_as_recorded_is_no_answer() -> None:
    from gate import RECORDED
    from steps import complaint

    assert complaint(0, "16 claims: 10 hold, 6 refuted; all as recorded\n", says=RECORDED) == ""
    for printed in ("16 claims: 10 hold, 6 refuted; not as recorded: a@b\n", "all as recorded\n", TRACEBACK):
        assert complaint(0, printed, says=RECORDED) != ""
