"""The summary of costs: sums by folder and file, of all workers, and nothing counted twice."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

import conftest
from tests.costs import START, Costs, table


def ran(costs: Costs, *names: str) -> None:
    """Let the plugin see a test of each file."""
    for name in names:
        item: Any = SimpleNamespace(path=costs.root / name)
        around = costs.pytest_runtest_protocol(item)
        next(around)
        with pytest.raises(StopIteration):
            around.send(None)


def test_each_file_has_what_its_tests_used_and_each_folder_the_sum() -> None:
    ticks = iter([5.0, 10.0, 12.0, 12.0, 13.0, 20.0, 24.0])
    costs = Costs(Path("/root"), lambda: next(ticks))
    costs.pytest_collection_finish()
    ran(costs, "tests/test_a.py", "tests/test_a.py", "tests/sub/test_b.py")
    assert costs.spent == {START: 5.0, "tests/test_a.py": 3.0, "tests/sub/test_b.py": 4.0}
    lines = [line.split(maxsplit=1) for line in table(costs.spent)]
    assert lines[:4] == [["5.0", START], ["4.0", "tests/sub"], ["3.0", "tests"], ["12.0", "all of it"]]
    assert lines[4:] == [["4.0", "tests/sub/test_b.py"], ["3.0", "tests/test_a.py"]]


def test_a_worker_hands_its_sums_to_the_controller() -> None:
    worker, controller = (Costs(Path("/root"), lambda: 2.0) for _ in range(2))
    worker.pytest_collection_finish()
    session: Any = SimpleNamespace(config=SimpleNamespace(workeroutput={}))
    worker.pytest_sessionfinish(session)
    for _ in range(2):
        controller.pytest_testnodedown(SimpleNamespace(workeroutput=session.config.workeroutput))
    controller.pytest_testnodedown(SimpleNamespace())  # one that died
    assert controller.spent == {START: 4.0}


# ------------------------------------------------------------------------------------ which tests are left out


def test_planted_bug_of_a_sampled_test_the_same_cases_are_drawn_in_every_process() -> None:
    def items(count: int) -> list[Any]:
        mark = pytest.mark.sampled(count).mark
        return [
            SimpleNamespace(
                nodeid=f"test_a.py::test_it[{case}]",
                get_closest_marker={"sampled": mark}.get,
                iter_markers=lambda name: [mark],
            )
            for case in range(9)
        ]

    left = [[item.nodeid for item in conftest.not_drawn(items(4))] for _ in range(2)]
    assert left[0] == left[1]
    assert len(left[0]) == 5
    assert list(conftest.not_drawn(items(20))) == []
