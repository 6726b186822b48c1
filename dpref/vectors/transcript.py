"""Runs on a tape: the unit draws of every registered algorithm's examples, and where they lead."""

from __future__ import annotations

import json
import math
import tempfile
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any, Final

import numpy as np

from dpref.algorithms.registry import ALGORITHMS
from dpref.checks import one_of
from dpref.errors import InvalidArgumentError
from dpref.foreign.replay.document import as_document, read_transcript
from dpref.foreign.replay.recording import Recording, Step, record
from dpref.foreign.replay.same_run import RunsDifferError, assert_same_run
from dpref.foreign.replay.tolerance import expected
from dpref.reals import exact
from dpref.vectors.family import PASSES, Family, Judged, Question, Result, ends, number, paragraphs, said
from dpref.vectors.fields import ADJACENCY, INTERVAL
from dpref.vectors.instances import first_plans, instance_of

HEADER: Final = paragraphs("""
Each test gives an algorithm with the numbers of its plan, a problem with its records, the random indices, and a tape
of unit draws: those of all answers one after another. draws says of each answer what it is called, what its unit
draws are, their shape, and std, by which they are multiplied before they are added to the query.

Arrays are little-endian doubles in base64, in C order, with their shape; std is a double in hexadecimal. With steps
and output put in, a test is a document that follows the schema of transcripts, urn:dpref:schema:transcript:1.

steps has the query, the answer and, where the algorithm goes step by step, the iterate after each answer, with the
tolerances that are proved of an honest implementation in double or single precision. final holds, coordinate by
coordinate, what such an implementation in double precision releases.

valid: a run on the tape must stay within the tolerances, and its output within final.
""")

_GIVEN: Final = ("parameters", "problem", "conventions", "indices", "tape")
_DRAWS: Final = ("label", "kind", "std", "sensitivity", "draws", "blocks", "epsilon")
_STEPS: Final = ("query", "answer", "iterate", "tolerance")


@cache
def recording(algorithm: str, example: int) -> Recording:
    """The recorded run of an algorithm's example.

    Args:
        algorithm: Its name.
        example: Which, counted from zero: one for each adjacency under which the algorithm can be planned.

    Raises:
        InvalidArgumentError: If there is none.

    >>> recording("gradient-descent", 0).steps
    5
    """
    one_of("algorithm", algorithm, ALGORITHMS)
    plans, (problem, data) = first_plans(algorithm), instance_of(algorithm)
    if not 0 <= example < len(plans):
        raise InvalidArgumentError("example", example, f"must lie in range({len(plans)})")
    return record((ALGORITHMS[algorithm], problem, data, plans[example]), seed=example)


def questions() -> Iterator[Question]:
    """One question for each algorithm and adjacency."""
    for name in ALGORITHMS:
        for example, plan in enumerate(first_plans(name)):
            entries = recording(name, example).transcript.answers
            chosen = any(hasattr(entry, "blocks") for entry in entries)
            adjacency = plan.sensitivity.adjacency.name
            yield Question(
                topic=name,
                comment=f"{name} under {adjacency}: {len(entries)} answers",
                flags=("Replay", "Choices") if chosen else ("Replay",),
                given={"algorithm": name, "example": example, "adjacency": adjacency, **_asked(name, example)},
            )


@cache
def _document(name: str, example: int) -> dict[str, Any]:
    return as_document(recording(name, example))


def _asked(name: str, example: int) -> dict[str, Any]:
    document = _document(name, example)
    draws = [{k: step[k] for k in _DRAWS if k in step} for step in document["steps"]]
    return {**{k: document[k] for k in _GIVEN}, "draws": draws}


def answer(given: Mapping[str, Any], result: Result) -> dict[str, Any]:
    """Where the tape leads.

    Raises:
        ValueError: If the example is another one than it was.
    """
    name, example = given["algorithm"], given["example"]
    asked = _asked(name, example)
    if any(asked[k] != given[k] for k in asked):
        raise ValueError(f"example {example} of {name} is another question now")
    document, run = _document(name, example), recording(name, example)
    return {
        "steps": [{k: step[k] for k in _STEPS if k in step} for step in document["steps"]],
        "output": document["output"],
        "final": _final(run),
    }


def _final(run: Recording) -> list[dict[str, str]]:
    """The interval of each released coordinate; endless where nothing is proved."""
    last = expected(run)[-1].get("iterate") if run.steps else None
    room = np.full(run.output.shape, math.inf)
    if last is not None and np.array_equal(last.value, run.output):
        room = last.tolerance
    pairs = zip(run.output.ravel(), room.ravel(), strict=True)
    return [
        ends(exact(float(x)) - exact(float(e)), exact(float(x)) + exact(float(e)))
        if math.isfinite(e)
        else {"lower": "-inf", "upper": "inf"}
        for x, e in pairs
    ]


def document_of(test: Mapping[str, Any]) -> dict[str, Any]:
    """The transcript of a test, as the schema of transcripts has it.

    Args:
        test: Of a file, with its answers.
    """
    steps = [{**drawn, **step} for drawn, step in zip(test["draws"], test["steps"], strict=True)]
    return {
        "schema": "urn:dpref:schema:transcript:1",
        "algorithm": test["algorithm"],
        **{k: test[k] for k in _GIVEN},
        "steps": steps,
        "output": test["output"],
    }


def judge(test: Mapping[str, Any], answered: Any) -> Judged:
    """What is said of a run.

    Args:
        test: Of a file.
        answered: By name any of ``output``, the d numbers that are released; ``iterates``, d numbers after each answer;
            ``steps``, for each answer any of ``query``, ``noise``, ``answer``, ``iterate``.
    """
    told = {name: answered[name] for name in ("output", "iterates", "steps") if answered.get(name) is not None}
    if not told:
        return Judged("not answered", "no output, iterates or steps")
    outputs, steps = [told["output"]] if "output" in told else [], list(told.get("steps", ()))
    if len(steps) == len(test["steps"]) and "iterate" in steps[-1] and "iterate" not in test["steps"][-1]:
        # Without an iterate after each answer the last one is the output, whose room is final.
        outputs.append(steps[-1]["iterate"])
        steps[-1] = {name: steps[-1][name] for name in steps[-1] if name != "iterate"}
    for output in outputs:
        intervals = test["final"]
        if len(output) != len(intervals):
            return Judged("fails", f"releases {len(output)} numbers, the reference {len(intervals)}")
        for k, (x, interval) in enumerate(zip(output, intervals, strict=True)):
            if not number(interval["lower"]) <= said(x, "output") <= number(interval["upper"]):
                shown = f"[{interval['lower']}, {interval['upper']}]"
                return Judged("fails", f"output {k} is {float(x):.17g}, which is not in {shown}")
    runs: list[Any] = [np.asarray(told["iterates"], dtype=np.float64)] if "iterates" in told else []
    runs += [_steps(steps)] if "steps" in told and (any(steps) or not outputs) else []
    for run in runs:
        try:
            assert_same_run(_read(test), run)
        except RunsDifferError as error:
            return Judged("fails", str(error).splitlines()[0])
    return PASSES


def _steps(given: Any) -> list[Step]:
    named = ("query", "noise", "answer", "iterate")
    found: list[dict[str, Any]] = [
        {name: np.asarray(step[name], dtype=np.float64) for name in named if name in step} for step in given
    ]
    return [Step(**step) for step in found]


def _read(test: Mapping[str, Any]) -> Recording:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "transcript.json")
        path.write_text(json.dumps(document_of(test)), encoding="utf-8")
        return read_transcript(path)


_OBJECT: Final = {"type": "object"}
_OBJECTS: Final = {"type": "array", "items": _OBJECT}

FAMILY: Final = Family(
    name="transcript",
    kind="TranscriptTest",
    header=HEADER,
    questions=questions,
    answer=answer,
    judge=judge,
    given={
        "algorithm": {"type": "string"},
        "example": {"type": "integer", "minimum": 0},
        "adjacency": ADJACENCY,
        "parameters": _OBJECT,
        "problem": _OBJECT,
        "conventions": _OBJECT,
        "indices": {"type": "array", "items": {"type": "integer"}},
        "tape": _OBJECT,
        "draws": _OBJECTS,
    },
    required=("algorithm", "adjacency", *_GIVEN, "draws"),
    answers={"steps": _OBJECTS, "output": _OBJECT, "final": {"type": "array", "items": INTERVAL}},
)
