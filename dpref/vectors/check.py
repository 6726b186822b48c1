"""Whether a folder of vectors is what it should be, and whether an implementation passes it.

The folder: its files are those of its index, byte for byte; each follows its schema; every number belongs to its
question and stands once, none is missing; every flag has a note; every answer comes out again.  Of an implementation's
folder the last is left out: its files' digests say that nobody has touched them.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, final

from dpref.documents import parse_document, read_text
from dpref.errors import DocumentError, DprefError, InvalidArgumentError
from dpref.vectors.families import FAMILIES
from dpref.vectors.family import PASSES, Family, Judged, must_be_refused
from dpref.vectors.index import known, withdrawn
from dpref.vectors.make import INDEX, answered_tests
from dpref.vectors.notes import NOTES
from dpref.vectors.schemas import file_schema, index_schema

_MOST_BYTES: Final = 10_000_000

Implementation = Callable[[dict[str, Any]], Any]


@final
@dataclass(frozen=True)
class Folder:
    """The tests of a folder, and what is wrong with it.

    Attributes:
        tests: By family, in the order of the file.
        problems: One line each.
        whole: Whether its index says that no test is left out.
        topics: Of each test, by family and number.
    """

    tests: Mapping[str, list[dict[str, Any]]]
    problems: tuple[str, ...]
    whole: bool
    topics: Mapping[tuple[str, int], str] = field(default_factory=dict)


@final
@dataclass(frozen=True)
class Report:
    """What became of an implementation.

    Attributes:
        judged: By family and number.
        flags: Of each of these tests, by the same.
    """

    judged: Mapping[tuple[str, int], Judged]
    flags: Mapping[tuple[str, int], tuple[str, ...]] = field(default_factory=dict)

    def counts(self, family: str) -> Counter[str]:
        """How many tests of a family have which outcome."""
        return Counter(j.outcome for (name, _), j in self.judged.items() if name == family)

    @property
    def failed(self) -> list[tuple[str, int]]:
        """The tests that fail."""
        return [key for key, judged in self.judged.items() if judged.outcome == "fails"]

    @property
    def answered(self) -> int:
        """How many tests were answered at all."""
        return sum(judged.outcome != "not answered" for judged in self.judged.values())


def read(folder: Path) -> Folder:
    """The tests of a folder, after everything about it has been looked at but the answers.

    Args:
        folder: That ``make`` wrote.

    Raises:
        InvalidArgumentError: If it is no folder of vectors.
    """
    if not (folder / INDEX).is_file():
        raise InvalidArgumentError(
            "DIR", str(folder), f"must hold vectors; {INDEX} is not there: dpref vectors make DIR"
        )
    problems, tests, topics = list[str](), dict[str, list[dict[str, Any]]](), dict[tuple[str, int], str]()
    try:
        index = parse_document(read_text(folder / INDEX, _MOST_BYTES), index_schema())
    except DocumentError as error:
        return Folder({}, (f"{INDEX}: {error}",), whole=False)
    there = {p.relative_to(folder).as_posix() for p in folder.rglob("*") if p.is_file()} - {INDEX}
    problems += [f"{name}: is not in {INDEX}" for name in sorted(there - set(index["files"]))]
    for name, digest in index["files"].items():
        if name not in there:
            problems.append(f"{name}: is missing")
        elif hashlib.sha256((folder / name).read_bytes()).hexdigest() != digest:
            problems.append(f"{name}: was changed: its SHA-256 is not the one of {INDEX}")
    for name in FAMILIES:
        if f"{name}.json" in there:
            groups, wrong = _groups(folder / f"{name}.json", FAMILIES[name])
            tests[name] = [test for group in groups for test in group["tests"]]
            topics |= {(name, test["tcId"]): group["topic"] for group in groups for test in group["tests"]}
            wrong += [f"{name}.json: {why}" for why in _numbers(FAMILIES[name], tests[name], whole=index["whole"])]
            problems += wrong
        elif index["whole"]:
            problems.append(f"{name}.json: is missing")
    return Folder(tests, tuple(problems), index["whole"], topics)


def _groups(path: Path, family: Family) -> tuple[list[dict[str, Any]], list[str]]:
    try:
        document = parse_document(read_text(path, _MOST_BYTES), file_schema(family))
    except DocumentError as error:
        return [], [f"{path.name}: {line}" for line in str(error).splitlines()]
    tests = [test for group in document["testGroups"] for test in group["tests"]]
    problems = []
    if document["numberOfTests"] != len(tests):
        problems.append(f"{path.name}: numberOfTests is {document['numberOfTests']}, and {len(tests)} are there")
    for test in tests:
        for flag in test["flags"]:
            if flag not in document["notes"]:
                problems.append(f"{path.name}: tcId {test['tcId']}: the flag {flag} has no note")
            elif flag not in NOTES or document["notes"][flag] != NOTES[flag].to_json():
                problems.append(f"{path.name}: the note of {flag} is another one")
    return document["testGroups"], list(dict.fromkeys(problems))


def _numbers(family: Family, tests: list[dict[str, Any]], *, whole: bool) -> Iterator[str]:
    """What is wrong with the numbers of a file's tests."""
    if not tests:
        return
    ids, gone = known(family.name), withdrawn(family.name)
    for number, times in Counter(test["tcId"] for test in tests).items():
        if times > 1:
            yield f"tcId {number} stands {times} times"
    for test in tests:
        number, meaning = test["tcId"], family.meaning(family.asked(test), test["result"])
        if number in gone:
            yield f"tcId {number} was withdrawn: {gone[number]}"
        elif number not in ids:
            yield f"tcId {number} is not known to this version"
        elif meaning != ids[number]:
            yield f"tcId {number} asks something else than it always did"
    missing = sorted(set(ids) - set(gone) - {test["tcId"] for test in tests}) if whole else []
    if missing:
        yield f"{len(missing)} tests are missing, the first is tcId {missing[0]}"


def recomputed(folder: Folder, jobs: int = 1, advance: Callable[[str], None] = lambda _: None) -> Iterator[str]:
    """Answers that do not come out again, one line each.

    Args:
        folder: What `read` found.
        jobs: How many processes compute.
        advance: Called with the name of a family for each answer.
    """
    for name, tests in folder.tests.items():
        family = FAMILIES[name]
        for test, found in zip(tests, answered_tests(family, tests, jobs, advance), strict=True):
            if isinstance(found, str):
                yield f"{name}.json: tcId {test['tcId']}: {found}"
                continue
            for key in sorted(set(family.answers) & (set(test) | set(found))):
                if test.get(key) != found.get(key):
                    shown = json.dumps(found.get(key))
                    yield f"{name}.json: tcId {test['tcId']}: {key} is {json.dumps(test.get(key))}; computed: {shown}"


def run(folder: Folder, mine: Implementation, advance: Callable[[str], None] = lambda _: None) -> Report:
    """Ask an implementation every test.

    Args:
        folder: What `read` found.
        mine: From a test without its answers, with the name of its family, to an answer; None, or NotImplementedError,
            for what it does not support.
        advance: Called with the name of a family for each test.
    """
    judged, flags = {}, {}
    for name, tests in folder.tests.items():
        for test in tests:
            key = (name, test["tcId"])
            judged[key], flags[key] = ask(name, test, mine), tuple(test["flags"])
            advance(name)
    return Report(judged, flags)


def ask(name: str, test: Mapping[str, Any], mine: Implementation) -> Judged:
    """Ask an implementation one test, and judge its answer.

    Args:
        name: Of the family.
        test: Of a file.
        mine: As of `run`.

    >>> test = {"sampler": "bernoulli-exp", "bits": "1", "outputs": [1], "tcId": 1, "result": "valid"}
    >>> ask("sampler", test, lambda asked: [len(asked["bits"])]).outcome
    'passes'
    """
    family = FAMILIES[name]
    asked = {"family": name, **{key: value for key, value in test.items() if key not in family.answers}}
    try:
        answer = mine(json.loads(json.dumps(asked)))
    except NotImplementedError:
        answer = None
    except Exception as error:  # noqa: BLE001 - whatever it raises is its answer
        raised = Judged("fails", f"raised {type(error).__name__}: {error}")
        return PASSES if must_be_refused(test) else raised
    if answer is None:
        return Judged("not answered", "not supported")
    try:
        return family.judge(test, answer)
    except (DprefError, TypeError, ValueError, KeyError) as error:
        return Judged("fails", f"its answer is no answer: {error}")
