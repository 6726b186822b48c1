"""Which number belongs to which question, for ever: ``index.json`` beside this module.

It holds for every family the digests of its questions by number, and the numbers that were withdrawn.  A question that
it does not know gets the next number; no number is given a second time, and none changes its question.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from functools import cache
from importlib.resources import files
from typing import Any

from dpref.vectors.family import Family, Question


@cache
def committed() -> Mapping[str, Any]:
    """The index that ships with the library."""
    found: Mapping[str, Any] = json.loads(files("dpref.vectors").joinpath("index.json").read_text("utf-8"))
    return found


def known(family: str) -> dict[int, str]:
    """The digest of every number of a family, of withdrawn ones too.

    Args:
        family: Its name.
    """
    return {int(number): digest for number, digest in committed()["tests"].get(family, {}).items()}


def withdrawn(family: str) -> dict[int, str]:
    """Why numbers of a family are no longer asked.

    Args:
        family: Its name.
    """
    return {int(number): why for number, why in committed()["withdrawn"].get(family, {}).items()}


def numbered(family: Family, questions: Iterable[Question], taken: Mapping[int, str]) -> list[tuple[int, Question]]:
    """Questions with their numbers, in the order of the numbers.

    Args:
        family: Whose they are.
        questions: All of them, so that new ones get the same numbers every time.
        taken: The digests of the numbers that are given already.

    Raises:
        ValueError: If a question is asked twice.
    """
    numbers = {digest: number for number, digest in taken.items()}
    last, found = max(taken, default=0), dict[int, Question]()
    for question in questions:
        meaning = family.meaning(question.given, question.result)
        if meaning not in numbers:
            last += 1
            numbers[meaning] = last
        if numbers[meaning] in found:
            raise ValueError(f"{family.name}: asked twice: {question.comment}")
        found[numbers[meaning]] = question
    return sorted(found.items())


def updated(families: Iterable[Family]) -> dict[str, Any]:
    """The index with every question that it does not know yet; nothing that it has is changed.

    Args:
        families: Whose questions are asked.
    """
    tests = {}
    for family in families:
        taken = known(family.name)
        now = numbered(family, family.questions(), taken)
        tests[family.name] = taken | {number: family.meaning(q.given, q.result) for number, q in now}
    found = {name: {str(n): digest for n, digest in sorted(ids.items())} for name, ids in tests.items()}
    return {"tests": found, "withdrawn": committed()["withdrawn"]}
