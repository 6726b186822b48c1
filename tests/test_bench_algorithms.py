"""The benchmark of algorithms: everyone is in it, on an instance of its own, and the table says what was measured."""

from __future__ import annotations

import json
import os

import pytest
from typer.testing import CliRunner

from dpref.algorithms.registry import ALGORITHMS
from dpref.bench import algorithms
from dpref.cli import app
from dpref.errors import InvalidArgumentError


def test_every_registered_algorithm_has_a_case() -> None:
    assert set(algorithms.CASES) == set(ALGORITHMS)


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(algorithms.CASES))
def test_a_measurement_counts_what_was_run(name: str) -> None:
    line = algorithms.measure(name, 1000, 4, 1)
    assert line.answers > 0
    assert line.gradients > 0
    assert min(line.reference, line.kernel, line.passes) > 0
    assert line.speed_up == line.reference / line.kernel


def test_the_bars() -> None:
    """Twenty times the reference, or two passes: either is enough."""
    slow = algorithms.Line("x", 1, 1, 1, reference=1.0, kernel=1.0, passes=0.4)
    assert not slow.fast
    assert algorithms.Line("x", 1, 1, 1, reference=20.0, kernel=1.0, passes=0.4).fast
    assert algorithms.Line("x", 1, 1, 1, reference=1.0, kernel=1.0, passes=0.5).fast


@pytest.mark.skipif(not hasattr(os, "sched_setaffinity"), reason="the system does not let a process choose its cores")
def test_the_cores_are_given_back() -> None:
    before = os.sched_getaffinity(0)
    with algorithms.one_core():
        assert len(os.sched_getaffinity(0)) == 1
    assert os.sched_getaffinity(0) == before


def test_the_verb_prints_one_line_an_algorithm(monkeypatch: pytest.MonkeyPatch) -> None:
    chosen = {name: ALGORITHMS[name] for name in ("gradient-descent", "spider")}
    monkeypatch.setattr(algorithms, "ALGORITHMS", chosen)
    arguments = ["bench", "algorithms", "--records", "1000", "--dimension", "3", "--repeat", "1"]
    result = CliRunner().invoke(app, arguments)
    assert result.exit_code == 0, result.output
    lines = result.stdout.splitlines()
    assert lines[1].split()[:3] == ["algorithm", "records", "answers"]
    assert [line.split()[0] for line in lines[2:4]] == list(chosen)
    report = json.loads(CliRunner().invoke(app, [*arguments, "--json"]).stdout)
    assert [row["algorithm"] for row in report] == list(chosen)


def test_too_few_records_are_refused() -> None:
    with pytest.raises(InvalidArgumentError, match="n = 10"):
        algorithms.measure("gradient-descent", 10, 4, 1)
