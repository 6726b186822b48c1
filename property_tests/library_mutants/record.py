"""Which killer executes which function of the library, recorded once for a state of the sources."""

from __future__ import annotations

import hashlib
import json
import sys
from collections.abc import Callable, Iterable, Mapping
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


def load(runs: Runs, *, stale: bool = False, shard: int = 1, shards: int = 1, cases: int = 0) -> Record:
    """The record of these sources; what is missing of this shard is made.

    Args:
        runs: The killers.
        stale: Keep what was recorded of other sources, and record only the killers that are new.
        shard: Which part of the missing killers is recorded here, from 1.
        shards: How many parts there are.
        cases: Of each test at most so many cases are recorded, the others are taken to execute the same; 0 for all.
    """
    now, found = digest(), {}
    for path in FOLDER.glob("executed*.json"):
        recorded, killers = _read(path)
        if stale or recorded == now:
            found.update(killers)
    own_part = (name for i, name in enumerate(few(runs, cases)) if i % shards == shard - 1)
    missing = {name: runs[name] for name in own_part if name not in found}
    path = FOLDER / f"executed-{shard}.json"
    own = _read(path)[1] if path.exists() and (stale or _read(path)[0] == now) else {}
    found.update(_recorded(missing, own, path, now))
    found.update(like_the_others(found, runs))
    of: dict[str, list[str]] = {}
    for killer, (_, functions) in found.items():
        for function in functions:
            of.setdefault(function, []).append(killer)
    return Record({name: seconds for name, (seconds, _) in found.items()}, of)


def few(names: Iterable[str], most: int) -> list[str]:
    """Of the cases of each test at most so many, spread over all that it has; 0 for all of them.

    >>> few(["test a[0]", "test a[1]", "test a[2]", "test a[3]", "test b"], 2)
    ['test a[0]', 'test a[2]', 'test b']
    """
    found: dict[str, list[str]] = {}
    for name in names:
        found.setdefault(name.partition("[")[0], []).append(name)
    counts = {test: len(cases) if most == 0 else min(most, len(cases)) for test, cases in found.items()}
    return [cases[i * len(cases) // counts[test]] for test, cases in found.items() for i in range(counts[test])]


def like_the_others(found: Found, names: Iterable[str]) -> Found:
    """What cases that were not recorded are taken to execute: what the recorded ones of the same test do, at most.

    >>> like_the_others({"test a[0]": (0.1, ["f"]), "test a[2]": (0.3, ["g"])}, ["test a[0]", "test a[1]", "test b"])
    {'test a[1]': (0.3, ['f', 'g'])}
    """
    known: Found = {}
    for name, (seconds, functions) in found.items():
        before, those = known.get(name.partition("[")[0], (0.0, []))
        known[name.partition("[")[0]] = max(before, seconds), sorted({*those, *functions})
    return {n: known[n.partition("[")[0]] for n in names if n not in found and n.partition("[")[0] in known}


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
