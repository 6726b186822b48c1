"""Which killer executes which function of the library, recorded once for a state of the sources."""

from __future__ import annotations

import hashlib
import json
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from property_tests.library_mutants import engine, scope

FILE: Final = scope.ROOT / ".mutants" / "executed.json"
_SAVED: Final = 50  # killers between two states on disk
_MOST_SECONDS: Final = 6.0  # of processor time; a slower test is no killer


@dataclass(frozen=True)
class Record:
    """Who executes what.

    Attributes:
        seconds: Processor time of each killer that passes.
        of: The killers of each function.
    """

    seconds: Mapping[str, float]
    of: Mapping[str, list[str]]


def digest() -> str:
    """Of every source that can change what is executed."""
    paths = (p for d in ("dpref", "proofs", "tests", "property_tests") for p in (scope.ROOT / d).rglob("*.py"))
    text = b"".join(p.read_bytes() for p in sorted(paths) if p.parent.name != "library_mutants")
    return hashlib.sha256(text).hexdigest()


def load(runs: Mapping[str, Callable[[], bool | None]], *, stale: bool = False) -> Record:
    """The record of these sources, made where it is missing.

    Args:
        runs: The killers.
        stale: Keep what was recorded of other sources, and record only the killers that are new.
    """
    found: dict[str, Any] = {"digest": "", "killers": {}, "functions": []}
    if FILE.exists():
        found = json.loads(FILE.read_text(encoding="utf-8"))
    if found["digest"] != digest() and not stale:
        found = {"digest": digest(), "killers": {}, "functions": []}
    _record({name: run for name, run in runs.items() if name not in found["killers"]}, found)
    names = found["functions"]
    of: dict[str, list[str]] = {}
    for killer, (_, functions) in found["killers"].items():
        for i in functions:
            of.setdefault(names[i], []).append(killer)
    return Record({name: seconds for name, (seconds, _) in found["killers"].items()}, of)


def _record(runs: Mapping[str, Callable[[], bool | None]], found: dict[str, Any]) -> None:
    """Run each killer once; one that fails, is too slow or calls nothing of the library kills nothing."""
    index = {name: i for i, name in enumerate(found["functions"])}
    for i, (name, run) in enumerate(runs.items()):
        outcome = engine.in_child(lambda run=run: engine.executed(run, _MOST_SECONDS), _MOST_SECONDS + 5)  # type: ignore[misc]
        passed, where = outcome.value or (None, [])
        functions = (engine.name_of(key) for key in where)
        numbers = sorted({index.setdefault(f, len(index)) for f in functions}) if passed else []
        found["killers"][name] = (round(outcome.seconds, 4), numbers)
        found["functions"] = list(index)
        if (i + 1) % _SAVED == 0 or i + 1 == len(runs):
            FILE.parent.mkdir(exist_ok=True)
            FILE.write_text(json.dumps(found), encoding="utf-8")
            sys.stderr.write(f"\rwho executes what: {i + 1} of {len(runs)}")
            sys.stderr.flush()
