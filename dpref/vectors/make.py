"""Vectors as a folder of files: one a family, a schema for each, and an index with the digests of them all."""

from __future__ import annotations

import hashlib
import json
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from random import Random
from typing import Any, Final, TypeAlias

from dpref.errors import DprefError, InvalidArgumentError
from dpref.experiments.work import write
from dpref.vectors.families import FAMILIES
from dpref.vectors.family import Family, Question, Result
from dpref.vectors.index import known, numbered
from dpref.vectors.notes import NOTES
from dpref.vectors.schemas import VERSION, file_schema, index_schema, urn
from dpref.version import VERSION as GENERATOR

INDEX: Final = "index.json"
SCHEMAS: Final = "schemas"
_WIDTH: Final = 118

Numbered: TypeAlias = tuple[int, Question]
Task: TypeAlias = tuple[str, Mapping[str, Any], Result]


def make(
    folder: Path,
    families: Sequence[str] = tuple(FAMILIES),
    *,
    sample: int | None = None,
    jobs: int = 1,
    advance: Callable[[str], None] = lambda _: None,
) -> dict[str, int]:
    """Answer every question and write the files; the same files byte for byte every time.

    Args:
        folder: Where; it is made, and may hold vectors but nothing else.
        families: Which.
        sample: How many questions of each family, chosen once for all; None for every one.
        jobs: How many processes answer.
        advance: Called with the name of a family for each answer.

    Returns:
        How many tests each file has.

    Raises:
        InvalidArgumentError: If the folder holds something else or cannot be written, or a family is not known.
    """
    _prepare(folder)
    counts, texts = {}, dict[str, str]()
    for name in families:
        if name not in FAMILIES:
            raise InvalidArgumentError("family", name, "must be one of " + ", ".join(FAMILIES))
    for name in families:
        family = FAMILIES[name]
        asked = part(numbered(family, family.questions(), known(name)), sample)
        answers = answered(family, asked, jobs, advance)
        document = file_of(family, asked, answers)
        texts[f"{name}.json"] = text_of(document)
        texts[f"{SCHEMAS}/{name}.schema.json"] = text_of(file_schema(family))
        counts[name] = document["numberOfTests"]
    texts[f"{SCHEMAS}/index.schema.json"] = text_of(index_schema())
    whole = sample is None and set(families) == set(FAMILIES)
    texts[INDEX] = text_of(index_of(texts, whole=whole))
    for name in set(FAMILIES) - set(families):  # of an earlier time
        (folder / f"{name}.json").unlink(missing_ok=True)
        (folder / SCHEMAS / f"{name}.schema.json").unlink(missing_ok=True)
    (folder / SCHEMAS).mkdir(exist_ok=True)
    for path, text in texts.items():
        write(folder / path, text)
    return counts


def part(asked: Sequence[Numbered], sample: int | None) -> list[Numbered]:
    """So many of the questions, the same ones every time; all of them for None."""
    if sample is None or sample >= len(asked):
        return list(asked)
    chosen = Random(0).sample(range(len(asked)), sample)  # noqa: S311 - a sample, not a secret
    return [asked[i] for i in sorted(chosen)]


def answered(
    family: Family, asked: Sequence[Numbered], jobs: int = 1, advance: Callable[[str], None] = lambda _: None
) -> list[dict[str, Any]]:
    """The answers to questions, in their order.

    Args:
        family: Whose questions they are.
        asked: Them, with their numbers.
        jobs: How many processes answer.
        advance: Called with the family's name after each answer.

    Raises:
        ValueError: If a question has no answer.
    """
    tasks = [(family.name, dict(question.given), question.result) for _, question in asked]
    found = list(_answers(tasks, jobs, advance))
    for (number, question), given in zip(asked, found, strict=True):
        if isinstance(given, str):
            raise ValueError(f"{family.name}, tcId {number}, {question.comment}: {given}")  # noqa: TRY004
    return [given for given in found if not isinstance(given, str)]


def answered_tests(
    family: Family, tests: Sequence[Mapping[str, Any]], jobs: int = 1, advance: Callable[[str], None] = lambda _: None
) -> Iterator[dict[str, Any] | str]:
    """The answers to the tests of a file, computed from what each gives; of what has none, why.

    Args:
        family: Whose tests they are.
        tests: Of its file.
        jobs: How many processes answer.
        advance: Called with the family's name after each answer.
    """
    return _answers([(family.name, family.asked(test), test["result"]) for test in tests], jobs, advance)


def _answers(tasks: Sequence[Task], jobs: int, advance: Callable[[str], None]) -> Iterator[dict[str, Any] | str]:
    if jobs == 1 or len(tasks) < 2:
        for task in tasks:
            yield answer(task)
            advance(task[0])
        return
    with ProcessPoolExecutor(min(jobs, len(tasks)), mp_context=get_context("spawn")) as pool:
        for given in pool.map(answer, tasks):
            yield given
            advance(tasks[0][0])


def answer(task: Task) -> dict[str, Any] | str:
    """The answer to one question, or why there is none.

    Args:
        task: Family, what is given, the kind of result.

    >>> given = {"sampler": "bernoulli-exp", "parameters": {"gamma": "0"}, "bits": "0", "draws": 1}
    >>> answer(("sampler", given, "valid"))
    {'outputs': [1], 'bitsConsumed': 0}
    """
    family, given, result = task
    try:
        return FAMILIES[family].answer(given, result)
    except (DprefError, ValueError, KeyError) as error:
        return f"{type(error).__name__}: {error}"


def file_of(family: Family, asked: Sequence[Numbered], answers: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """The document of a family, its tests in groups by topic.

    Args:
        family: Which.
        asked: Numbers and questions.
        answers: Theirs, in the same order.
    """
    groups: dict[str, list[dict[str, Any]]] = {}
    for (number, question), given in zip(asked, answers, strict=True):
        test = {
            "tcId": number,
            "comment": question.comment,
            "flags": list(question.flags),
            "result": question.result,
            **question.given,
            **given,
        }
        groups.setdefault(question.topic, []).append(test)
    flags = sorted({flag for _, question in asked for flag in question.flags})
    return {
        "family": family.name,
        "schema": urn(family.name),
        "version": VERSION,
        "generator": f"dpref {GENERATOR}",
        "numberOfTests": len(asked),
        "header": list(family.header),
        "notes": {flag: NOTES[flag].to_json() for flag in flags},
        "testGroups": [{"type": family.kind, "topic": topic, "tests": tests} for topic, tests in groups.items()],
    }


def index_of(texts: Mapping[str, str], *, whole: bool) -> dict[str, Any]:
    """What a folder's index says of its files.

    Args:
        texts: Every other file, by its name in the folder.
        whole: Whether every test of every family is there.
    """
    digests = {name: hashlib.sha256(text.encode()).hexdigest() for name, text in sorted(texts.items())}
    return {
        "schema": urn("index"),
        "version": VERSION,
        "generator": f"dpref {GENERATOR}",
        "whole": whole,
        "files": digests,
    }


def text_of(document: Any) -> str:
    r"""JSON that a person can read: what fits stands on one line.

    >>> text_of({"a": [1, 2]})
    '{"a": [1, 2]}\n'
    """
    return "".join(_lines(document, "", 0)) + "\n"


def _lines(value: Any, indent: str, before: int) -> Iterable[str]:
    short = json.dumps(value, ensure_ascii=False)
    if len(indent) + before + len(short) <= _WIDTH or not isinstance(value, dict | list) or not value:
        yield short
        return
    deeper, last = indent + " ", len(value) - 1
    named = value.items() if isinstance(value, dict) else ((None, part) for part in value)
    yield "{\n" if isinstance(value, dict) else "[\n"
    for i, (name, part) in enumerate(named):
        key = "" if name is None else json.dumps(name) + ": "
        yield deeper + key
        yield from _lines(part, deeper, len(key))
        yield ",\n" if i < last else "\n"
    yield indent + ("}" if isinstance(value, dict) else "]")


def _prepare(folder: Path) -> None:
    """Refuse a folder that holds something else, or that cannot be written."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        tempfile.TemporaryFile(dir=folder).close()
        found = {path.name for path in folder.iterdir()}
    except OSError as error:
        raise InvalidArgumentError("DIR", str(folder), f"cannot be written: {error.strerror or error}") from None
    ours = {INDEX, SCHEMAS, *(f"{name}.json" for name in FAMILIES)}
    if found - ours or (found - {SCHEMAS} and INDEX not in found):
        rule = "must be empty or hold vectors alone; name another folder"
        raise InvalidArgumentError("DIR", str(folder), rule)
