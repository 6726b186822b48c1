"""Golden vectors and recorded runs as fixtures: one test a vector, a tape for somebody's loop."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, final

import pytest

from dpref.algorithms.registry import ALGORITHMS
from dpref.errors import DprefError, InvalidArgumentError
from dpref.foreign.replay.recording import Recording
from dpref.foreign.replay.tape import TapeGenerator
from dpref.vectors.check import ask, read
from dpref.vectors.families import FAMILIES
from dpref.vectors.index import known, numbered
from dpref.vectors.make import answer
from dpref.vectors.transcript import recording


@final
@dataclass(frozen=True)
class VectorTest:
    """One golden vector as a test.

    Attributes:
        family: Its family.
        number: Its ``tcId``.
        test: The test, perhaps without its answers, which are computed when they are needed.
        skipped: Why it is skipped, or the empty text.
    """

    family: str
    number: int
    test: Mapping[str, Any]
    skipped: str = ""

    @property
    def name(self) -> str:
        """As pytest shows it."""
        return f"{self.family}-{self.number}"

    def check(self, implementation: Callable[[dict[str, Any]], Any]) -> None:
        """Ask an implementation, and fail if its answer is wrong; skip what it does not support.

        Args:
            implementation: From the test without its answers, as a dictionary, to an answer, or None.
        """
        __tracebackhide__ = True
        judged = ask(self.family, self.answered, implementation)
        if judged.outcome == "not answered":
            pytest.skip(judged.why)
        if judged.outcome == "fails":
            pytest.fail(f"{self.name} [{', '.join(self.test['flags'])}]: {judged.why}", pytrace=False)

    @property
    def answered(self) -> Mapping[str, Any]:
        """The test with its answers."""
        family = FAMILIES[self.family]
        if set(self.test) & set(family.answers):
            return self.test
        found = answer((self.family, family.asked(self.test), self.test["result"]))
        if isinstance(found, str):
            raise InvalidArgumentError("test", self.name, found)
        return {**self.test, **found}


def vector_tests(
    folder: str | None,
    family: str,
    *,
    only: Sequence[str] = (),
    skip: Mapping[str, str] | None = None,
) -> list[VectorTest]:
    """The vectors of a family, one a test.

    Args:
        folder: That ``dpref vectors make`` wrote; without one each vector is computed when it is checked.
        family: Its name.
        only: Topics; all, if none is named.
        skip: Reasons by flag.

    Raises:
        pytest.UsageError: If the folder has a problem, or a name is unknown.

    >>> len(vector_tests(None, "sampler", only=["bernoulli-exp"]))
    22
    """
    if family not in FAMILIES:
        raise pytest.UsageError(f"dpref_vectors: {family}: must be one of {', '.join(FAMILIES)}")
    topics, tests = _from_folder(folder, family) if folder else _computed(family)
    unknown = sorted(set(only) - set(topics.values()))
    if unknown:
        known_topics = ", ".join(dict.fromkeys(topics.values()))
        raise pytest.UsageError(f"dpref_vectors: only = {unknown}: {family} has the topics {known_topics}")
    reasons = skip or {}
    return [
        VectorTest(family, number, test, next((reasons[flag] for flag in test["flags"] if flag in reasons), ""))
        for number, test in tests.items()
        if not only or topics[number] in only
    ]


_Tests = tuple[dict[int, str], dict[int, dict[str, Any]]]


def _from_folder(folder: str, family: str) -> _Tests:
    try:
        found = read(Path(folder))
    except DprefError as problem:
        raise pytest.UsageError(f"--dpref-vectors: {problem}") from None
    if found.problems:
        raise pytest.UsageError(f"--dpref-vectors: {found.problems[0]}")
    tests = {test["tcId"]: test for test in found.tests.get(family, [])}
    return {number: found.topics[family, number] for number in tests}, tests


@cache
def _computed(family: str) -> _Tests:
    topics, tests = {}, {}
    for number, q in numbered(FAMILIES[family], FAMILIES[family].questions(), known(family)):
        topics[number] = q.topic
        tests[number] = {"tcId": number, "comment": q.comment, "flags": list(q.flags), "result": q.result, **q.given}
    return topics, tests


# ------------------------------------------------------------------------------------ runs on a tape


def reference(name: str) -> Recording:
    """The recorded run of a name: an algorithm, and which of its transcript vectors, counted from one.

    Args:
        name: Such as ``gradient-descent-1``.

    Raises:
        InvalidArgumentError: If there is none.

    >>> reference("gradient-descent-1").algorithm
    'gradient-descent'
    """
    algorithm, _, count = name.rpartition("-")
    if not count.isdecimal() or algorithm not in ALGORITHMS:
        raise InvalidArgumentError("name", name, "must be an algorithm and a number, such as gradient-descent-1")
    return recording(algorithm, int(count) - 1)


def tape(name: str) -> TapeGenerator:
    """A generator whose draws are those of a recorded run, from the first on.

    Args:
        name: As of `reference`.

    >>> tape("gradient-descent-1").standard_normal(3).shape
    (3,)
    """
    return TapeGenerator(reference(name))
