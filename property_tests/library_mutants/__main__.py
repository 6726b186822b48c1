"""One change at a time to the library's numbers, comparisons and roundings: each must be noticed.

``python -m property_tests.library_mutants --jobs 2`` is the whole run, on two cores.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping
from typing import Final

os.environ.setdefault("CI", "true")  # hypothesis draws the examples that it draws in the suite

import pytest

from property_tests.library_mutants import changes, constants, equivalent, killers, scope, score, trial
from property_tests.library_mutants.score import Line

RESULTS: Final = scope.ROOT / ".mutants" / "results.jsonl"

_KINDS: Final = "example,goal,test"


def arguments() -> argparse.Namespace:
    """What the command line says."""
    parser = argparse.ArgumentParser(prog="python -m property_tests.library_mutants", description=__doc__)
    parser.add_argument("only", nargs="*", help="modules or packages of the library; all of them if none is named")
    parser.add_argument("--jobs", type=int, default=1, help="processes, a core each")
    parser.add_argument("--shard", default="1/1", help="what one of the processes does: 1/2 and 2/2 are everything")
    parser.add_argument("--record", action="store_true", help="only record which killer executes what")
    parser.add_argument(
        "--resume", action="store_true", help="keep the kills of earlier runs of modules that are as they were"
    )
    parser.add_argument("--kinds", default=_KINDS, help="what kills: obligations, examples and tests, or some of these")
    parser.add_argument("--tests", action="append", default=[], help="only the tests of files that match kill")
    parser.add_argument("--cases", type=int, default=0, help="of each test so many cases are recorded, others alike")
    parser.add_argument("--stale", action="store_true", help="trust the record of older sources, but for new tests")
    parser.add_argument("--patience", type=float, default=trial.PATIENCE, help="seconds of killers a mutant")
    parser.add_argument("--in-place", action="store_true", help="leave out what takes a fresh import of the library")
    parser.add_argument("--sample", type=int, default=0, help="only so many, drawn from all: an interval for the score")
    parser.add_argument("--again", type=int, default=0, help="only so many that were killed, against what killed them")
    parser.add_argument("--seed", type=int, default=0, help="of what is drawn")
    return parser.parse_args()


def wanted(options: argparse.Namespace) -> dict[str, list[changes.Mutant]]:
    """The mutants a function, by the order of the packages named and then those that decide privacy first."""
    found: dict[str, list[changes.Mutant]] = defaultdict(list)
    rank: dict[str, int] = {}
    for module in scope.modules():
        named = [i for i, o in enumerate(options.only) if module == o or module.startswith(o + ".")]
        if not options.only or named:
            rank[module] = min(named, default=0)
            for mutant in changes.mutants(module):
                if not (options.in_place and mutant.at_import and not constants.is_plain(mutant)):
                    found[mutant.name].append(mutant)

    def place(function: str) -> tuple[int, bool, str]:
        module = function.partition(":")[0]
        return rank[module], not scope.decides_privacy(module), function

    return {name: found[name] for name in sorted(found, key=place)}


def full(options: argparse.Namespace) -> list[Line]:
    """Every mutant of this shard against every killer that executes its function."""
    shard, shards = (int(n) for n in options.shard.split("/"))
    everything = score.drawn(wanted(options), options.sample, options.seed)
    mutants = {f: ms for i, (f, ms) in enumerate(everything.items()) if i % shards == shard - 1}
    lines: list[Line] = []

    def work(items: list[pytest.Item], reports: killers.Reports) -> None:
        runs = everything_that_kills(options, items, reports)
        part = {"shard": shard, "shards": shards} if options.record else {}
        trials = trial.recorded(runs, options.patience, stale=options.stale, cases=options.cases, **part)
        if not options.record:
            lines.extend(judged(trials, mutants, kept() if options.resume else {}))

    killers.in_pytest(killers.test_files(options.tests or ["*"]), work)
    return lines


def everything_that_kills(
    options: argparse.Namespace, items: list[pytest.Item], reports: killers.Reports
) -> dict[str, Callable[[], bool | None]]:
    """The killers of the kinds that are asked for; the tests are those that were collected."""
    kinds = options.kinds.split(",")
    runs: dict[str, Callable[[], bool | None]] = {}
    runs |= killers.doctests() if "example" in kinds else {}
    runs |= killers.goals() if "goal" in kinds else {}
    return runs | (killers.tests(items, reports) if "test" in kinds else {})


def side_by_side(options: argparse.Namespace) -> list[Line]:
    """The record first, then every shard in a process of its own."""
    command = [sys.executable, "-m", "property_tests.library_mutants", *options.only]
    flags = ("resume", "stale", "in_place")
    command += [f"--{name.replace('_', '-')}" for name in flags if getattr(options, name)]
    command += [f"--patience={options.patience}", f"--kinds={options.kinds}", f"--cases={options.cases}"]
    command += [f"--sample={options.sample}", f"--seed={options.seed}"]
    command += [f"--tests={pattern}" for pattern in options.tests]
    started = time.time()
    for stage in (["--record"], []):
        shards = (f"--shard={i + 1}/{options.jobs}" for i in range(options.jobs))
        children = [subprocess.Popen([*command, *stage, shard]) for shard in shards]
        for child in children:
            child.wait()
    everything = score.drawn(wanted(options), options.sample, options.seed)
    those = {(m.name, m.change) for mutants in everything.values() for m in mutants}
    earlier = kept() if options.resume else {}
    fresh = {(x["mutant"], x["change"]): x for x in results() if x["when"] >= started}
    missing = those - earlier.keys() - fresh.keys()
    if missing:
        raise RuntimeError(f"{len(missing)} mutants have no result: a shard did not come to its end")
    return [{**earlier, **fresh}[name] for name in sorted(those)]


def again(options: argparse.Namespace) -> list[Line]:
    """Some mutants, drawn at random among those that were killed before, against what killed them."""
    known = trial.known()
    functions = {f: ms for f, ms in wanted(options).items() if f in known.killers and not _compiles(f)}
    everything = [m for ms in functions.values() for m in ms if not m.at_import]
    everything = [m for m in everything if f"{m.name}: {m.change}" not in known.survivors and not equivalent.listed(m)]
    some = score.drawn({"": everything}, options.again, options.seed).get("", [])
    names = sorted({k for m in some for k in known.killers[m.name]})
    lines: list[Line] = []

    def work(items: list[pytest.Item], reports: killers.Reports) -> None:
        examples = {n.partition(" ")[2] for n in names if n.startswith("example ")}
        modules = [m for m in scope.library_modules() if any(e == m or e.startswith(m + ".") for e in examples)]
        goals = killers.goals() if any(n.startswith("goal ") for n in names) else {}
        runs = {**killers.doctests(modules), **goals, **killers.tests(items, reports)}
        trials = trial.prepared(runs, known.killers)
        lines.extend(judged(trials, {m.name: [n for n in some if n.name == m.name] for m in some}, {}))

    nodes = [n.partition(" ")[2] for n in names if n.startswith("test ")]
    killers.in_pytest(nodes or ["tests/test_units.py"], work)
    return lines


def _compiles(function: str) -> bool:
    """Whether what kills a function's mutants needs the compiled transform, which is slow to make."""
    return function.startswith("dpref.privacy.fast.")


def results() -> list[Line]:
    """What all runs wrote, the latest last."""
    if not RESULTS.exists():
        return []
    return [json.loads(line) for line in RESULTS.read_text(encoding="utf-8").splitlines()]


def kept() -> dict[tuple[str, str], Line]:
    """The kills of earlier runs, of modules that have not changed since."""
    now = {module: trial.digest(module) for module in scope.modules()}
    good = (x for x in results() if not score.alive(x) and now.get(score.module(x)) == x["source"])
    return {(x["mutant"], x["change"]): x for x in good}


def judged(
    trials: trial.Trial, mutants: Mapping[str, list[changes.Mutant]], done: Mapping[tuple[str, str], Line]
) -> list[Line]:
    """Judge every mutant; one line a function on the terminal, one a mutant in the results."""
    RESULTS.parent.mkdir(exist_ok=True)
    everything: list[Line] = []
    with RESULTS.open("a", encoding="utf-8") as results:
        for function, those in mutants.items():
            lines: list[Line] = []
            for mutant in those:
                line = done.get((mutant.name, mutant.change))
                if line is None:
                    line = trials.judge(mutant)
                    results.write(json.dumps(line) + "\n")
                    results.flush()
                lines.append(line)
            how = Counter(score.kind(x) for x in lines if not score.alive(x))
            left, spent = sum(score.alive(x) for x in lines), sum(x["seconds"] for x in lines)
            of = ", ".join(f"{n} {word}" for word, n in sorted(how.items()))
            sys.stdout.write(f"{len(lines) - left:4d} / {len(lines):4d}  {spent:6.1f} s  {function}  ({of})\n")
            for x in lines:
                if score.alive(x):
                    sys.stdout.write(f"      {x['how']}: line {x['line']}: {x['change']}\n")
            sys.stdout.flush()
            everything += lines
    return everything


def main() -> int:
    """Run, print, and return 1 where too many mutants survive."""
    options, started = arguments(), time.monotonic()
    lines = again(options) if options.again else side_by_side(options) if options.jobs > 1 else full(options)
    if options.record:
        return 0
    everything = wanted(options)
    if options.shard == "1/1" and not options.again:
        narrow = bool(options.tests) or options.kinds != _KINDS
        trial.remember(score.whole(lines, everything, narrow=narrow))
    flat = [m for those in everything.values() for m in those] if options.sample else []
    return score.summary(lines, time.monotonic() - started, flat)


if __name__ == "__main__":
    raise SystemExit(main())
