"""Planted leaks: a kernel that is not what its trace says is refused, whatever is released and however it is scored."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, Final, TypeAlias

import numpy as np
import pytest

from dpref.audit.builders import build
from dpref.audit.catalogue import find
from dpref.audit.run import Run
from dpref.errors import LeakError
from dpref.kernels.answers import answer
from dpref.kernels.records import Tape
from dpref.kernels.twin import interpreted

DESCENT: Final = "dp-erm-revisited/theorem-6.1@repaired-random-iterate"
SVRG: Final = "dp-erm-revisited/equation-3@without-range-20-steps"

Kernel: TypeAlias = Callable[[Any, Any, Any], Any]


def off_in_the_output(honest: Kernel, differs: Callable[[Any], bool]) -> Kernel:
    """On one of the data sets the points are a billionth off."""

    def leaky(problem: Any, numbers: Any, tape: Any) -> Any:
        trace = honest(problem, numbers, tape)
        return trace._replace(points=trace.points + 1e-9 * differs(problem))

    return leaky


def other_noise(honest: Kernel, differs: Callable[[Any], bool]) -> Kernel:
    """On one of the data sets the noise is three times as large, and recorded as that."""

    def leaky(problem: Any, numbers: Any, tape: Any) -> Any:
        times = 3.0 if differs(problem) else 1.0
        trace = honest(problem, numbers, tape._replace(noise=times * tape.noise))
        return trace._replace(scales=times * trace.scales)

    return leaky


def less_noise(honest: Kernel, differs: Callable[[Any], bool]) -> Kernel:
    """A hundredth of the noise that is recorded, on both data sets."""
    return lambda problem, numbers, tape: honest(problem, numbers, tape._replace(noise=tape.noise / 100))


def moved_answers(honest: Kernel, differs: Callable[[Any], bool]) -> Kernel:
    """On one of the data sets each answer is moved by as much as the noise, and its query is not."""
    return lambda problem, numbers, tape: honest(
        problem, numbers, tape._replace(noise=tape.noise + 1.0 * differs(problem))
    )


@pytest.mark.parametrize(
    ("name", "short", "leak"),
    [
        ("dp-erm-revisited/theorem-6.1@as-printed", {"steps": 1}, off_in_the_output),  # of which the output is judged
        (SVRG, {"records": 50}, off_in_the_output),  # scored without forced answers
        (DESCENT, {"steps": 1}, other_noise),
        (DESCENT, {"steps": 1}, less_noise),
        (DESCENT, {"steps": 1}, moved_answers),
        ("private-online-frank-wolfe/theorem-3.1@repaired", {"records": 16}, less_noise),  # one run is read off
        ("private-saddle-points/proposition-3.3@repaired", {"records": 40, "steps": 5}, less_noise),  # of choices
    ],
)
def test_planted_bug_a_kernel_that_is_not_what_it_records_is_refused(
    name: str,
    short: Mapping[str, int],
    leak: Callable[[Kernel, Callable[[Any], bool]], Kernel],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    claim = find(name + ",replace-one")
    run = build(replace(claim, parameters={**claim.parameters, **short}))
    assert isinstance(run, Run)
    second, honest = run.problem.arrays(run.pair.second), interpreted(run.algorithm.kernel.run)

    def differs(problem: Any) -> bool:
        return all(np.array_equal(a, b) for a, b in zip(problem[:2], second[:2], strict=True))

    monkeypatch.setattr(run.algorithm.kernel, "run", honest)
    run.scores(1, 1, np.random.default_rng(0))
    monkeypatch.setattr(run.algorithm.kernel, "run", leak(honest, differs))
    with pytest.raises(LeakError):
        run.scores(1, 1, np.random.default_rng(0))


def test_forced_answers_that_are_too_few_are_refused_and_not_read_beyond() -> None:
    tape = Tape(np.ones((9, 1)), np.ones((1, 1)), np.empty(0, np.int64))
    assert interpreted(answer)(tape, 0, np.zeros(1), 1.0) == 1
    with pytest.raises(ValueError, match="too short"):
        interpreted(answer)(tape, 1, np.zeros(1), 1.0)


def test_a_run_that_fails_on_a_tape_that_is_long_enough_is_not_tried_without_end(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    claim = find("kl-condition/theorem-3@repaired,replace-one")
    parameters = {name: value for name, value in claim.parameters.items() if name != "clip"}
    linear: dict[str, int | str] = {"instance": "linear", "records": 1000, "rounds": 3}
    run = build(replace(claim, parameters={**parameters, **linear}))
    assert isinstance(run, Run)

    def failing(*_: Any) -> Any:
        raise ValueError("this data set alone")

    monkeypatch.setattr(run.algorithm.kernel, "run", failing)
    with pytest.raises(ValueError, match="this data set alone"):
        run.scores(0, 1, np.random.default_rng(0))
