"""Which killer executes which function of the library, recorded once for a state of the sources."""

from __future__ import annotations

import hashlib
import json
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from property_tests.library_mutants import engine, scope

FOLDER: Final = scope.ROOT / ".mutants"
_SAVED: Final = 50  # killers between two states on disk
_MOST_SECONDS: Final = 4.0  # of processor time; a slower test is no killer

Runs = Mapping[str, Callable[[], bool | None]]
Found = dict[str, tuple[float, list[str]]]  # a killer's seconds and functions; none if it cannot kill


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


def load(runs: Runs, *, stale: bool = False, shard: int = 1, shards: int = 1) -> Record:
    """The record of these sources; what is missing of this shard is made.

    Args:
        runs: The killers.
        stale: Keep what was recorded of other sources, and record only the killers that are new.
        shard: Which part of the missing killers is recorded here, from 1.
        shards: How many parts there are.
    """
    now, found = digest(), {}
    for path in FOLDER.glob("executed*.json"):
        recorded, killers = _read(path)
        if stale or recorded == now:
            found.update(killers)
    missing = {name: run for i, (name, run) in enumerate(runs.items()) if name not in found and i % shards == shard - 1}
    path = FOLDER / f"executed-{shard}.json"
    own = _read(path)[1] if path.exists() and (stale or _read(path)[0] == now) else {}
    found.update(_recorded(missing, own, path, now))
    of: dict[str, list[str]] = {}
    for killer, (_, functions) in found.items():
        for function in functions:
            of.setdefault(function, []).append(killer)
    return Record({name: seconds for name, (seconds, _) in found.items()}, of)


def _recorded(runs: Runs, own: Found, path: Path, now: str) -> Found:
    """Run each killer once; one that fails, is too slow or calls nothing of the library kills nothing."""
    for i, (name, run) in enumerate(runs.items()):
        outcome = engine.in_child(lambda run=run: engine.executed(run, _MOST_SECONDS), _MOST_SECONDS + 5)  # type: ignore[misc]
        passed, where = outcome.value or (None, [])
        functions = sorted({engine.name_of(key) for key in where}) if passed else []
        own[name] = (round(outcome.seconds, 4), functions)
        if (i + 1) % _SAVED == 0 or i + 1 == len(runs):
            _write(path, now, own)
            sys.stderr.write(f"\rwho executes what: {i + 1} of {len(runs)}")
            sys.stderr.flush()
    return own


def _read(path: Path) -> tuple[str, Found]:
    stored = json.loads(path.read_text(encoding="utf-8"))
    names = stored["functions"]
    return stored["digest"], {
        k: (seconds, [names[i] for i in those]) for k, (seconds, those) in stored["killers"].items()
    }


def _write(path: Path, now: str, found: Found) -> None:
    index = {f: i for i, f in enumerate(sorted({f for _, functions in found.values() for f in functions}))}
    killers = {k: (seconds, [index[f] for f in functions]) for k, (seconds, functions) in found.items()}
    path.parent.mkdir(exist_ok=True)
    path.write_text(json.dumps({"digest": now, "functions": list(index), "killers": killers}), encoding="utf-8")
