"""Recorded runs as JSON (``schemas/transcript.schema.json``): what is read back is what was written, bit for bit.

A tape of more than a mebibyte, or any on request, stands in a file of its own beside the document, ``NAME.tape.npy``,
whose SHA-256 the document has.
"""

from __future__ import annotations

import base64
import hashlib
import io
import json
import math
from collections.abc import Mapping
from fractions import Fraction
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final, Literal

import numpy as np

from dpref.documents import parse_document, read_text
from dpref.errors import DocumentError
from dpref.foreign.replay.recording import DTYPES, Conventions, Leaf, Recording, kind_of
from dpref.foreign.replay.tolerance import expected
from dpref.reals import FloatArray
from dpref.transcript import Answer, Entry, Selection, Transcript
from dpref.units import Linf, Norm, Sensitivity, Span, adjacency_named, lq
from dpref.version import VERSION

SCHEMA: Final = "transcript.schema.json"
_INLINE: Final = 1 << 20
_MOST_BYTES: Final = 1 << 30
_CONVENTIONS: Final = ("gradient", "std_of", "divisor", "clip", "order", "dtype")


def write_transcript(recording: Recording, path: Path, *, tape: Literal["auto", "base64", "npy"] = "auto") -> None:
    """Write a recording, with the tolerances that its ball runs prove.

    Args:
        recording: What is written.
        path: The JSON file.
        tape: Where the draws go: into the document, into a file beside it, or there only if they are many.

    >>> from tempfile import TemporaryDirectory
    >>> from dpref.foreign.replay.recording import example
    >>> with TemporaryDirectory() as folder:
    ...     write_transcript(example(), Path(folder, "run.json"))
    """
    draws = np.concatenate([*recording.draws, np.empty(0)])
    outside = tape == "npy" or (tape == "auto" and draws.nbytes > _INLINE)
    document = as_document(recording)
    if outside:
        stream = io.BytesIO()
        np.save(stream, draws.astype("<f8"))
        beside = path.with_name(path.stem + ".tape.npy")
        beside.write_bytes(stream.getvalue())
        digest = hashlib.sha256(stream.getvalue()).hexdigest()
        document["tape"] = {"shape": [draws.size], "npy": beside.name, "sha256": digest}
    path.write_text(json.dumps(document, indent=1) + "\n", encoding="utf-8")


def as_document(recording: Recording) -> dict[str, Any]:
    """The JSON object of a recording, its tape in it.

    Args:
        recording: What is written.

    >>> from dpref.foreign.replay.recording import example
    >>> as_document(example())["steps"][0]["kind"]
    'gaussian'
    """
    tolerances = recording.tolerances
    if recording.source is not None:
        found = {dtype: expected(recording, dtype) for dtype in DTYPES}
        tolerances = {
            dtype: {
                name: tuple(step[name].tolerance for step in steps if name in step) for name in _named(recording, steps)
            }
            | ({} if recording.iterates or not steps else {"output": (steps[-1]["iterate"].tolerance,)})
            for dtype, steps in found.items()
        }
    outputs = {dtype: _array(given["output"][0]) for dtype, given in tolerances.items() if "output" in given}
    return {
        "schema": "urn:dpref:schema:transcript:1",
        "generator": f"dpref {VERSION}",
        "algorithm": recording.algorithm,
        "parameters": {name: _value(value) for name, value in recording.parameters.items()},
        "problem": {
            name: value if name in {"format", "loss", "n"} else _value(value)
            for name, value in recording.problem.items()
        },
        "conventions": _conventions(recording.conventions),
        "steps": [_step(recording, t, tolerances) for t in range(recording.steps)],
        "indices": list(recording.transcript.indices),
        "tape": _array(np.concatenate([*recording.draws, np.empty(0)])),
        "output": _array(recording.output),
        **({"tolerance": outputs} if outputs else {}),
    }


def _named(recording: Recording, steps: list[dict[str, Any]]) -> tuple[str, ...]:
    """The quantities whose tolerance every step has: the output of a run without iterates is no step's."""
    chosen = any(isinstance(entry, Selection) for entry in recording.transcript.answers)
    named = steps[0] if steps else ()
    return tuple(n for n in named if all(n in step for step in steps) and not (n == "noise" and chosen))


def _conventions(given: Conventions) -> dict[str, Any]:
    return {
        **{name: getattr(given, name) for name in _CONVENTIONS},
        "clip_slack": str(given.clip_slack),
        "layout": [{"name": leaf.name, "shape": list(leaf.shape)} for leaf in given.layout],
    }


def _step(recording: Recording, t: int, tolerances: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    entry = recording.transcript.answers[t]
    sensitivity = entry.sensitivity
    found: dict[str, Any] = {
        "label": entry.label,
        "kind": kind_of(entry),
        "std": float(entry.scale).hex(),
        "sensitivity": {
            "value": str(sensitivity.value),
            "norm": sensitivity.norm.name,
            "adjacency": sensitivity.adjacency.name,
        },
        "draws": list(entry.noise.shape),
        "query": _array(entry.query),
        "answer": _array(entry.answer) if isinstance(entry, Answer) else [int(i) for i in entry.answer],
    }
    if recording.transcript.indices and recording.sampled:
        found["sampled"] = recording.sampled[t]
    if isinstance(entry, Selection):
        found |= {"blocks": entry.blocks} | ({} if entry.epsilon is None else {"epsilon": str(entry.epsilon)})
    if recording.iterates:
        found["iterate"] = _array(recording.iterates[t])
    if tolerances:
        found["tolerance"] = {
            dtype: {name: _array(values[t]) for name, values in given.items() if name != "output"}
            for dtype, given in tolerances.items()
        }
    return found


def _array(x: Any) -> dict[str, Any]:
    doubles = np.asarray(x, dtype="<f8")
    return {"shape": list(doubles.shape), "float64le": base64.b64encode(doubles.tobytes()).decode("ascii")}


def _value(value: Any) -> Any:
    if isinstance(value, np.ndarray):
        return _array(value)
    if isinstance(value, tuple | list):
        return {"list": [_value(x) for x in value]}
    if isinstance(value, bool | np.bool_):
        return bool(value)
    if isinstance(value, int | np.integer):
        return int(value)
    if isinstance(value, Fraction):
        return {"exact": str(value)}
    return {"double": float(value).hex()} if isinstance(value, float) else {"word": str(value)}


# ------------------------------------------------------------------------------------ reading


def read_transcript(path: Path) -> Recording:
    """The recording that a file holds.

    Args:
        path: The JSON file; a tape of its own lies beside it.

    Raises:
        DocumentError: If it is not JSON, breaks the schema, or its arrays are not what their shapes say.
    """
    document = parse_document(read_text(path, _MOST_BYTES), SCHEMA)
    tape = _tape(document["tape"], path)
    entries, at = [], 0
    for number, step in enumerate(document["steps"]):
        size = math.prod(step["draws"])
        if at + size > tape.size:
            raise DocumentError(f"steps[{number}].draws: the tape ends before")
        entries.append(_entry(step, tape[at : at + size].reshape(step["draws"]), f"steps[{number}]"))
        at += size
    if at != tape.size:
        raise DocumentError(f"tape: has {tape.size} draws, the steps take {at}")
    steps = document["steps"]
    iterated = steps and all("iterate" in step for step in steps)
    problem = document["problem"]
    return Recording(
        algorithm=document["algorithm"],
        parameters=_values(document.get("parameters", {}), "parameters"),
        problem=_values(problem, "problem"),
        conventions=_read_conventions(document["conventions"]),
        transcript=Transcript(tuple(entries), tuple(document.get("indices", ()))),
        iterates=tuple(_read_array(s["iterate"], "iterate") for s in steps) if iterated else (),
        output=_read_array(document["output"], "output"),
        tolerances=_read_tolerances(steps, document.get("tolerance", {})),
        sampled=tuple(step.get("sampled", 0) for step in steps) if any("sampled" in step for step in steps) else (),
    )


def _tape(given: Mapping[str, Any], path: Path) -> FloatArray:
    if "npy" not in given:
        return _read_array(given, "tape").ravel()
    beside = path.with_name(given["npy"])
    try:
        raw = beside.read_bytes()
    except OSError as error:
        raise DocumentError(f"tape.npy: {beside.name} cannot be read: {error.strerror}") from None
    if hashlib.sha256(raw).hexdigest() != given["sha256"]:
        raise DocumentError(f"tape.sha256: {beside.name} is not the file that was written")
    found = np.load(io.BytesIO(raw), allow_pickle=False)
    if list(found.shape) != given["shape"]:
        raise DocumentError(f"tape.shape: {beside.name} has shape {list(found.shape)}")
    return np.asarray(found, dtype=np.float64).ravel()


def _read_array(given: Mapping[str, Any], place: str) -> FloatArray:
    if "npy" in given:
        raise DocumentError(f"{place}: only the tape may stand in a file of its own")
    try:
        raw = base64.b64decode(given["float64le"], validate=True)
    except ValueError:
        raise DocumentError(f"{place}: is not base64") from None
    if len(raw) != 8 * math.prod(given["shape"]):
        raise DocumentError(f"{place}: has {len(raw)} bytes, its shape {given['shape']} takes 8 a double")
    return np.frombuffer(raw, dtype="<f8").astype(np.float64).reshape(given["shape"])


def _entry(step: Mapping[str, Any], noise: FloatArray, place: str) -> Entry:
    given = step["sensitivity"]
    value, adjacency = Fraction(given["value"]), adjacency_named(given["adjacency"])
    sensitivity: Any = Sensitivity(value, _norm(given["norm"]), adjacency)
    label, std, query = step["label"], float.fromhex(step["std"]), _read_array(step["query"], f"{place}.query")
    chosen = isinstance(step["answer"], list)
    if chosen != (step["kind"] in {"gumbel", "choice"}):
        raise DocumentError(f"{place}.answer: must be indices for a choice, and an array for all else")
    if not chosen:
        return Answer(label, query, sensitivity, std, noise, _read_array(step["answer"], f"{place}.answer"))
    epsilon = Fraction(step["epsilon"]) if "epsilon" in step else None
    answer = np.array(step["answer"], dtype=np.int64)
    return Selection(label, query, sensitivity, epsilon, std, noise, answer, step.get("blocks", 1))


def _norm(name: str) -> type[Norm]:
    return {"linf": Linf, "span": Span}.get(name) or lq(Fraction(name[1:]))


def _read_conventions(given: Mapping[str, Any]) -> Conventions:
    layout = tuple(Leaf(leaf["name"], tuple(leaf["shape"])) for leaf in given["layout"])
    plain = {name: given[name] for name in _CONVENTIONS}
    return Conventions(clip_slack=Fraction(given["clip_slack"]), layout=layout, **plain)


def _read_tolerances(steps: list[Mapping[str, Any]], output: Mapping[str, Any]) -> Mapping[str, Any]:
    if not (steps and all("tolerance" in step for step in steps)):
        return {}
    first = steps[0]["tolerance"]
    return {
        dtype: {
            name: tuple(_read_array(s["tolerance"][dtype][name], "tolerance") for s in steps) for name in first[dtype]
        }
        | ({"output": (_read_array(output[dtype], "tolerance"),)} if dtype in output else {})
        for dtype in first
    }


def _values(given: Mapping[str, Any], place: str) -> Mapping[str, Any]:
    return MappingProxyType({name: _read_value(value, f"{place}.{name}") for name, value in given.items()})


def _read_value(value: Any, place: str) -> Any:
    if not isinstance(value, dict):
        return value
    if "float64le" in value or "npy" in value:
        return _read_array(value, place)
    if "list" in value:
        return tuple(_read_value(x, place) for x in value["list"])
    if "exact" in value:
        return Fraction(value["exact"])
    return float.fromhex(value["double"]) if "double" in value else value["word"]
