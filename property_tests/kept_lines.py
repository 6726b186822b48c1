"""The record of a long run: a line of JSON for each answer, written as it comes; a run that was stopped goes on.

A line holds the seed and the number of its question.  A last line that was not finished is cut off.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final, TypeVar

from dpref.errors import InvalidArgumentError

CHUNK: Final = 50  # questions that a process takes at a time

T = TypeVar("T")


def kept(path: Path | None, seed: int) -> list[dict[str, Any]]:
    """What a record holds already, without the seed.

    Args:
        path: Of the record; None or a file that there is not holds nothing.
        seed: That all of its lines must be of.

    Raises:
        InvalidArgumentError: If a line is of another seed.
    """
    if path is None or not path.exists():
        return []
    whole, end, _ = path.read_text(encoding="utf-8").rpartition("\n")
    path.write_text(whole + end, encoding="utf-8")
    lines = [json.loads(line) for line in whole.splitlines()]
    if others := {line["seed"] for line in lines} - {seed}:
        raise InvalidArgumentError("record", str(path), f"is of seed {min(others)}; name another file for seed {seed}")
    return [{name: value for name, value in line.items() if name != "seed"} for line in lines]


@contextmanager
def keeping(path: Path | None, seed: int) -> Iterator[Callable[[Mapping[str, Any]], None]]:
    """Writes answers to the end of a record as they come; nowhere, if there is none."""
    if path is None:
        yield lambda _: None
        return
    with path.open("a", encoding="utf-8") as file:

        def write(line: Mapping[str, Any]) -> None:
            file.write(json.dumps({"seed": seed, **line}) + "\n")
            file.flush()

        yield write


def in_processes(
    some: Callable[[tuple[int, tuple[int, ...]]], list[T]], seed: int, numbers: Sequence[int], jobs: int
) -> Iterator[T]:
    """What comes of questions of a seed, in order.

    Args:
        some: What answers a chunk: a seed and the numbers.
        seed: Of all questions.
        numbers: Theirs.
        jobs: Processes; one is this one.
    """
    chunks = [(seed, tuple(numbers[k : k + CHUNK])) for k in range(0, len(numbers), CHUNK)]
    if jobs == 1:
        for chunk in chunks:
            yield from some(chunk)
        return
    with ProcessPoolExecutor(jobs) as pool:
        for done in pool.map(some, chunks):
            yield from done
