"""Tell what a run of the tests costs: processor seconds by folder, of all workers and of the processes that ended."""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Callable, Generator, Mapping
from pathlib import Path
from typing import Any, Final

import pytest

START: Final = "to start and to collect"
DEAREST: Final = 10  # files that the summary names


def processor_seconds() -> float:
    """Return what this process and its ended children have used."""
    return sum(os.times()[:4])


class Costs:
    """A plugin that sums up a process; a worker hands its sums to the controller, which prints them."""

    def __init__(self, root: Path, clock: Callable[[], float] = processor_seconds) -> None:
        self.root, self.clock = root, clock
        self.spent: defaultdict[str, float] = defaultdict(float)

    def pytest_collection_finish(self) -> None:
        self.spent[START] += self.clock()

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Generator[None, object, object]:
        before = self.clock()
        try:
            return (yield)
        finally:
            self.spent[item.path.relative_to(self.root).as_posix()] += self.clock() - before

    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        if hasattr(session.config, "workeroutput"):
            session.config.workeroutput["costs"] = dict(self.spent)

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any) -> None:
        for name, seconds in getattr(node, "workeroutput", {}).get("costs", {}).items():
            self.spent[name] += seconds

    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        terminalreporter.section("processor seconds")
        for line in table(self.spent):
            terminalreporter.write_line(line)


def table(spent: Mapping[str, float]) -> list[str]:
    """Return the lines of the summary: each folder, all together, and the dearest files."""
    folders: defaultdict[str, float] = defaultdict(float)
    for name, seconds in spent.items():
        folders[name.rpartition("/")[0] or name] += seconds
    files = {name: seconds for name, seconds in spent.items() if "/" in name}
    lines = [*dearest(folders), ("all of it", sum(spent.values())), *dearest(files)[:DEAREST]]
    return [f"{seconds:8.1f}  {name}" for name, seconds in lines]


def dearest(costs: Mapping[str, float]) -> list[tuple[str, float]]:
    """Return names and costs, the dearest first."""
    return sorted(costs.items(), key=lambda cost: -cost[1])
