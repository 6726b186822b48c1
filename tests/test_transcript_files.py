"""Recorded runs as JSON: bit for bit back, and a file that was changed is not taken for the one that was written."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from dpref.algorithms import examples
from dpref.algorithms.registry import ALGORITHMS
from dpref.errors import DocumentError, InvalidArgumentError
from dpref.foreign.replay import (
    ForeignRun,
    Recording,
    RunsDifferError,
    Step,
    TapeGenerator,
    assert_same_run,
    read_transcript,
    record,
    write_transcript,
)
from dpref.foreign.replay.document import as_document
from dpref.foreign.replay.recording import Conventions, example
from dpref.transcript import Selection
from property_tests.algorithm_cases import CASES, Case
from property_tests.small_instances import small_instances
from tests.foreign_loops import numpy_loop, reference


def same(one: Any, other: Any) -> bool:
    """Equal values, arrays bit for bit."""
    if isinstance(one, np.ndarray):
        return one.shape == other.shape and one.tobytes() == np.asarray(other, dtype=one.dtype).tobytes()
    return bool(one == other)


def back(run: Recording, folder: Path, tape: Any = "auto") -> Recording:
    path = folder / "run.json"
    write_transcript(run, path, tape=tape)
    return read_transcript(path)


QUICK = {"gradient-descent", "polyhedral-frank-wolfe"}


@pytest.mark.parametrize(
    "case", [c if c.name in QUICK else pytest.param(c, marks=pytest.mark.slow) for c in CASES], ids=str
)
def test_a_recording_comes_back_bit_for_bit(case: Case, tmp_path: Path) -> None:
    instance = small_instances(case)[0]
    run = record((instance.algorithm, instance.problem, instance.data, instance.plan))
    found = back(run, tmp_path)
    for entry, read in zip(run.transcript.answers, found.transcript.answers, strict=True):
        assert type(entry) is type(read)
        assert all(same(getattr(entry, field), getattr(read, field)) for field in entry.__dataclass_fields__)
    assert run.transcript.indices == found.transcript.indices
    assert all(same(x, y) for x, y in zip((*run.iterates, run.output), (*found.iterates, found.output), strict=True))
    assert run.conventions == found.conventions
    assert run.parameters == found.parameters
    assert all(same(value, found.problem[key]) for key, value in run.problem.items())
    assert as_document(found) == json.loads((tmp_path / "run.json").read_text("utf-8"))


def test_a_file_is_replayed_with_its_own_tolerances(tmp_path: Path) -> None:
    run = reference()
    found = back(run, tmp_path)
    single = numpy_loop(found, TapeGenerator(found), dtype=np.float32)
    assert assert_same_run(found, numpy_loop(found, TapeGenerator(found))).worst < 1
    assert assert_same_run(found, single, dtype="float32").worst < 1
    with pytest.raises(RunsDifferError):
        assert_same_run(found, single)
    with pytest.raises(RunsDifferError) as caught:
        assert_same_run(found, numpy_loop(found, TapeGenerator(found), "halved"))
    assert (caught.value.step, caught.value.quantity) == (3, "noise")
    with pytest.raises(InvalidArgumentError, match="made here"):
        assert_same_run(found, found.iterates, mode="local")
    slack = ForeignRun(steps=tuple(single), conventions=Conventions(clip_slack=Fraction(1, 8)))
    with pytest.raises(InvalidArgumentError, match="made here"):
        assert_same_run(found, slack)


def test_the_output_of_a_run_without_iterates_is_compared_from_a_file_too(tmp_path: Path) -> None:
    run = record((ALGORITHMS["dynamic-boosting"], *examples.dynamic_boosting()))
    found = back(run, tmp_path)
    assert (run.iterates, found.source) == ((), None)
    steps = [Step(query=a.query, noise=run.noise(t)) for t, a in enumerate(run.transcript.answers)]
    right = [*steps[:-1], replace(steps[-1], iterate=run.output)]
    for recording in (run, found):
        assert assert_same_run(recording, right).quantities == ("query", "noise", "iterate")
        wrong = [*steps[:-1], replace(steps[-1], iterate=run.output + 1000)]
        with pytest.raises(RunsDifferError) as caught:
            assert_same_run(recording, wrong)
        assert (caught.value.step, caught.value.quantity) == (run.steps - 1, "iterate")
    document = json.loads((tmp_path / "run.json").read_text("utf-8"))
    del document["tolerance"]
    (tmp_path / "run.json").write_text(json.dumps(document), encoding="utf-8")
    with pytest.raises(InvalidArgumentError, match="no tolerance for it"):
        assert_same_run(read_transcript(tmp_path / "run.json"), right)


def test_the_noise_of_a_choice_is_compared_here_and_from_a_file(tmp_path: Path) -> None:
    run = record((ALGORITHMS["stationary-point"], *examples.stationary_point()))
    found = back(run, tmp_path)
    steps = [Step(noise=run.noise(t)) for t in range(run.steps)]
    choice = next(t for t, a in enumerate(run.transcript.answers) if isinstance(a, Selection))
    for recording in (run, found):
        assert assert_same_run(recording, steps).quantities == ("noise",)
        wrong = [Step(noise=s.noise * (2 if t == choice else 1)) for t, s in enumerate(steps) if s.noise is not None]
        with pytest.raises(RunsDifferError) as caught:
            assert_same_run(recording, wrong)
        assert (caught.value.step, caught.value.quantity) == (choice, "noise")


def test_a_file_says_how_many_indices_each_step_drew(tmp_path: Path) -> None:
    run = record((ALGORITHMS["noisy-sgd"], *examples.noisy_sgd()))
    found = back(run, tmp_path)
    assert found.sampled == run.sampled == (1, 1, 1)
    with pytest.raises(RunsDifferError, match=r"indices: are \[\]"):
        assert_same_run(found, [Step(indices=(), query=a.query) for a in run.transcript.answers])


def test_a_long_tape_stands_beside_the_document(tmp_path: Path) -> None:
    run = example()
    found = back(run, tmp_path, "npy")
    assert [d.tobytes() for d in found.draws] == [d.tobytes() for d in run.draws]
    tape = tmp_path / "run.tape.npy"
    assert np.load(tape).tobytes() == np.concatenate(run.draws).tobytes()
    raw = bytearray(tape.read_bytes())
    raw[-1] ^= 1
    tape.write_bytes(raw)
    with pytest.raises(DocumentError, match=r"tape\.sha256: run\.tape\.npy is not the file that was written"):
        read_transcript(tmp_path / "run.json")
    tape.unlink()
    with pytest.raises(DocumentError, match="cannot be read"):
        read_transcript(tmp_path / "run.json")


def cut(document: dict[str, Any]) -> None:
    document["steps"].pop()


def shape(document: dict[str, Any]) -> None:
    document["steps"][0]["query"]["shape"] = [4]


def double(document: dict[str, Any]) -> None:
    document["steps"][0]["std"] = "0.1"


def convention(document: dict[str, Any]) -> None:
    del document["conventions"]["std_of"]


def chosen(document: dict[str, Any]) -> None:
    document["steps"][0]["kind"] = "gumbel"


def garbled(document: dict[str, Any]) -> None:
    document["tape"]["float64le"] = document["tape"]["float64le"][:-5]


def elsewhere(document: dict[str, Any]) -> None:
    document["tape"] = {"shape": [9], "npy": "../run.tape.npy", "sha256": "0" * 64}


def longer(document: dict[str, Any]) -> None:
    document["steps"][0]["draws"] = [30]


@cache
def written() -> str:
    return json.dumps(as_document(example()))


@pytest.mark.parametrize("change", [cut, shape, double, convention, chosen, garbled, elsewhere, longer])
def test_planted_bug_in_a_file_is_named_with_its_place(
    change: Callable[[dict[str, Any]], None], tmp_path: Path
) -> None:
    path, document = tmp_path / "run.json", json.loads(written())
    change(document)
    path.write_text(json.dumps(document), encoding="utf-8")
    with pytest.raises(DocumentError) as caught:
        read_transcript(path)
    places = {"cut": "tape", "shape": "steps[0].query", "double": "steps[0].std", "convention": "std_of"}
    places |= {"chosen": "steps[0].answer", "garbled": "tape", "elsewhere": "tape", "longer": "steps[0].draws"}
    assert places[change.__name__] in str(caught.value)


def test_choices_keep_what_they_spend(tmp_path: Path) -> None:
    run = record((ALGORITHMS["polyhedral-frank-wolfe"], *examples.polyhedral_frank_wolfe()))
    (entry,) = back(run, tmp_path).transcript.answers
    assert isinstance(entry, Selection)
    assert entry.epsilon == run.transcript.answers[0].epsilon  # type: ignore[union-attr]
    assert entry.reproduced().tolist() == entry.answer.tolist()
