"""Mutants against killers: which killer is tried first, how long, and what is remembered of it."""

from __future__ import annotations

import hashlib
import json
import time
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any, Final

from property_tests.library_mutants import (
    changes,
    constants,
    engine,
    equivalent,
    fresh,
    killers,
    record,
    scope,
)
from property_tests.library_mutants.entry import Equivalent

KNOWN: Final = Path(__file__).with_name("killers.json")
PATIENCE: Final = 15.0  # seconds of killers a mutant
_AT_IMPORT: Final = 60  # tests for a change that needs a fresh import: they are collected anew

DEAD: Final = ("fails", "time", "memory", "crash", "equivalent")  # how a mutant ends that need not worry anyone

Runs = Mapping[str, Callable[[], bool | None]]


@dataclass
class Trial:
    """Killers, with what is known of them.

    Attributes:
        runs: The killers.
        record: Who executes what.
        patience: Seconds of killers that a mutant is tried against.
        useful: The killers that have killed mutants of a function, the latest last.
    """

    runs: Runs
    record: record.Record
    patience: float = PATIENCE
    useful: dict[str, list[str]] = field(default_factory=lambda: defaultdict(list))

    def order(self, mutant: changes.Mutant) -> list[str]:
        """The killers of a mutant: those that killed its neighbours first, then the cheapest, while patience lasts."""
        functions = fresh.users(mutant) if mutant.at_import else [mutant.name]
        seconds = self.record.seconds
        near = f"example {mutant.module}"
        able = {k for f in functions for k in self.record.of.get(f, ()) if k in self.runs}
        if mutant.at_import:  # a default that a generated method reads executes no function
            able |= {k for k in self.runs if k in seconds and (k + ".").startswith(near + ".")}
            if constants.is_plain(mutant):  # what reads a constant executes no function either
                able |= killers.mentioning(constants.targets(constants.statement_of(mutant)), self.runs)
        first = [k for k in reversed(self.useful[mutant.name]) if k in self.runs]
        found: list[str] = []
        spent = 0.0
        for name in dict.fromkeys([*first, *sorted(able, key=lambda k: seconds.get(k, 1.0))]):
            spent += seconds.get(name, 1.0)
            if spent > self.patience and found:
                break
            found.append(name)
        if mutant.at_import and not constants.is_plain(mutant):
            tests = [k for k in found if k.startswith("test ")][:_AT_IMPORT]
            return [k for k in found if not k.startswith("test ")] + tests
        return found

    def judge(self, mutant: changes.Mutant) -> dict[str, Any]:
        """One line of the results."""
        entry = equivalent.listed(mutant)
        order = self.order(mutant)
        limits = [2.0 + 10 * self.record.seconds.get(name, 1.0) for name in order]
        most = 20 + 4 * self.patience + max([0.0, *limits])
        if entry is not None and not entry.last and self._is_equivalent(mutant, entry, order, most):
            outcome = engine.Outcome(("", "equivalent"), "done", 0.0)
        elif mutant.at_import and not constants.is_plain(mutant):
            outcome = engine.in_child(lambda: fresh.first_that_fails(mutant, order), 60)
        else:
            outcome = engine.in_child(lambda: engine.first_that_fails(mutant, order, self.runs, limits), most)
        killer, how = outcome.value if outcome.value is not None else ("", outcome.end)
        if how == "survives" and entry is not None and entry.last and self._is_equivalent(mutant, entry, order, most):
            how = "equivalent"
        if killer:
            self.useful[mutant.name] = [k for k in self.useful[mutant.name] if k != killer] + [killer]
        return {
            "mutant": mutant.name, "change": mutant.change, "line": mutant.line, "how": how, "killer": killer,
            "tried": len(order), "seconds": round(outcome.seconds, 3), "source": digest(mutant.module),
            "when": time.time(),
        }  # fmt: skip

    def _is_equivalent(self, mutant: changes.Mutant, entry: Equivalent, order: Sequence[str], most: float) -> bool:
        check = engine.in_child(lambda: equivalent.checked(mutant, entry, order, self.runs, self.record.seconds), most)
        return check.value is True


@cache
def digest(module: str) -> str:
    """Of a module's text."""
    return hashlib.sha256(scope.path_of(module).read_bytes()).hexdigest()[:16]


def recorded(
    runs: Runs, patience: float = PATIENCE, *, stale: bool, cases: int = 0, shard: int = 1, shards: int = 1
) -> Trial:
    """A trial of all killers, by the record of who executes what; of a record, only this shard's part is made."""
    killers.forbid_compilers()
    engine.ready()
    found = Trial(runs, record.load(runs, stale=stale, shard=shard, shards=shards, cases=cases), patience)
    found.useful.update({f: list(ks) for f, ks in known().killers.items()})
    return found


def prepared(runs: Runs, useful: Mapping[str, Sequence[str]]) -> Trial:
    """A trial of known killers, without the record."""
    engine.ready()
    found = Trial(runs, record.Record({}, {}))
    found.useful.update({f: list(ks) for f, ks in useful.items()})
    return found


# ------------------------------------------------------------------------------------ what earlier runs found


@dataclass(frozen=True)
class Known:
    """What the last whole run found.

    Attributes:
        killers: Of each function, those that its mutants need.
        survivors: The mutants that nothing noticed, as ``module:function: change``.
    """

    killers: Mapping[str, list[str]]
    survivors: frozenset[str]


def known() -> Known:
    """What the last whole run found."""
    found = json.loads(KNOWN.read_text(encoding="utf-8")) if KNOWN.exists() else {"killers": {}, "survivors": []}
    return Known(found["killers"], frozenset(found["survivors"]))


def remember(lines: Sequence[Mapping[str, Any]]) -> None:
    """Write down what a run found, over what was known of its functions."""
    before, functions = known(), {str(x["mutant"]) for x in lines}
    killers_of = {f: ks for f, ks in before.killers.items() if f not in functions}
    survivors = {s for s in before.survivors if ":".join(s.split(":")[:2]) not in functions}
    for function in functions:
        names = {str(x["killer"]) for x in lines if x["mutant"] == function}
        killers_of[function] = sorted(names - {"", "import"})
    survivors |= {f"{x['mutant']}: {x['change']}" for x in lines if x["how"] not in DEAD}
    found = {"killers": {f: ks for f, ks in sorted(killers_of.items()) if ks}, "survivors": sorted(survivors)}
    KNOWN.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
