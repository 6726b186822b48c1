"""One change at a time to the library's numbers, comparisons and roundings: each must be noticed.

``python -m property_tests.library_mutants --jobs 2`` is the whole run, on two cores.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import subprocess
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from typing import Any, Final

os.environ.setdefault("CI", "true")  # hypothesis draws the examples that it draws in the suite

import pytest

from property_tests.library_mutants import changes, constants, equivalent, killers, scope, trial

RESULTS: Final = scope.ROOT / ".mutants" / "results.jsonl"
LEAST: Final = 0.99  # of all mutants that are not equivalent; of those that decide privacy, all

Line = dict[str, Any]


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
    parser.add_argument("--goals-only", action="store_true", help="only obligations kill")
    parser.add_argument("--stale", action="store_true", help="trust the record of older sources, but for new tests")
    parser.add_argument("--patience", type=float, default=trial.PATIENCE, help="seconds of killers a mutant")
    parser.add_argument("--in-place", action="store_true", help="leave out what takes a fresh import of the library")
    parser.add_argument("--sample", type=int, default=0, help="only so many mutants, against their known killers")
    parser.add_argument("--seed", type=int, default=0, help="of the sample")
    return parser.parse_args()


def wanted(only: Sequence[str], *, in_place: bool = False) -> dict[str, list[changes.Mutant]]:
    """The mutants a function, by the order of the packages named and then those that decide privacy first."""
    found: dict[str, list[changes.Mutant]] = defaultdict(list)
    rank: dict[str, int] = {}
    for module in scope.modules():
        named = [i for i, o in enumerate(only) if module == o or module.startswith(o + ".")]
        if not only or named:
            rank[module] = min(named, default=0)
            for mutant in changes.mutants(module):
                if not (in_place and mutant.at_import and not constants.is_plain(mutant)):
                    found[mutant.name].append(mutant)

    def place(function: str) -> tuple[int, bool, str]:
        module = function.partition(":")[0]
        return rank[module], not scope.decides_privacy(module), function

    return {name: found[name] for name in sorted(found, key=place)}


def full(options: argparse.Namespace) -> list[Line]:
    """Every mutant of this shard against every killer that executes its function."""
    shard, shards = (int(n) for n in options.shard.split("/"))
    everything = wanted(options.only, in_place=options.in_place)
    mutants = {f: ms for i, (f, ms) in enumerate(everything.items()) if i % shards == shard - 1}
    lines: list[Line] = []

    def work(items: list[pytest.Item], reports: killers.Reports) -> None:
        runs = {**killers.doctests(), **killers.goals(), **killers.tests(items, reports)}
        if options.goals_only:
            runs = {name: run for name, run in runs.items() if name.startswith("goal ")}
        part = {"shard": shard, "shards": shards} if options.record else {}
        trials = trial.recorded(runs, options.patience, stale=options.stale, **part)
        if not options.record:
            lines.extend(judged(trials, mutants, kept() if options.resume else {}))

    killers.in_pytest(killers.test_files(), work)
    return lines


def side_by_side(options: argparse.Namespace) -> list[Line]:
    """The record first, then every shard in a process of its own."""
    command = [sys.executable, "-m", "property_tests.library_mutants", *options.only]
    flags = ("resume", "goals_only", "stale", "in_place")
    command += [f"--{name.replace('_', '-')}" for name in flags if getattr(options, name)]
    command.append(f"--patience={options.patience}")
    started = time.time()
    for stage in (["--record"], []):
        shards = (f"--shard={i + 1}/{options.jobs}" for i in range(options.jobs))
        children = [subprocess.Popen([*command, *stage, shard]) for shard in shards]
        for child in children:
            child.wait()
    everything = wanted(options.only, in_place=options.in_place)
    those = {(m.name, m.change) for mutants in everything.values() for m in mutants}
    earlier = kept() if options.resume else {}
    fresh = {(x["mutant"], x["change"]): x for x in results() if x["when"] >= started}
    missing = those - earlier.keys() - fresh.keys()
    if missing:
        raise RuntimeError(f"{len(missing)} mutants have no result: a shard did not come to its end")
    return [{**earlier, **fresh}[name] for name in sorted(those)]


def sample(options: argparse.Namespace) -> list[Line]:
    """Some mutants, drawn at random among those that were killed before, against what killed them."""
    known = trial.known()
    functions = {f: ms for f, ms in wanted(options.only).items() if f in known.killers and not _compiles(f)}
    everything = [m for ms in functions.values() for m in ms if not m.at_import]
    everything = [m for m in everything if f"{m.name}: {m.change}" not in known.survivors and not equivalent.listed(m)]
    drawn = random.Random(options.seed).sample(everything, min(options.sample, len(everything)))  # noqa: S311 - a sample, not a secret
    names = sorted({k for m in drawn for k in known.killers[m.name]})
    lines: list[Line] = []

    def work(items: list[pytest.Item], reports: killers.Reports) -> None:
        examples = {n.partition(" ")[2] for n in names if n.startswith("example ")}
        modules = [m for m in scope.library_modules() if any(e == m or e.startswith(m + ".") for e in examples)]
        goals = killers.goals() if any(n.startswith("goal ") for n in names) else {}
        runs = {**killers.doctests(modules), **goals, **killers.tests(items, reports)}
        trials = trial.prepared(runs, known.killers)
        lines.extend(judged(trials, {m.name: [n for n in drawn if n.name == m.name] for m in drawn}, {}))

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
    good = (x for x in results() if not alive(x) and now.get(module(x)) == x["source"])
    return {(x["mutant"], x["change"]): x for x in good}


def module(line: Line) -> str:
    """The module of a mutant that was judged."""
    return str(line["mutant"]).partition(":")[0]


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
            how = Counter(kind(x) for x in lines if not alive(x))
            left, spent = sum(alive(x) for x in lines), sum(x["seconds"] for x in lines)
            of = ", ".join(f"{n} {word}" for word, n in sorted(how.items()))
            sys.stdout.write(f"{len(lines) - left:4d} / {len(lines):4d}  {spent:6.1f} s  {function}  ({of})\n")
            for x in lines:
                if alive(x):
                    sys.stdout.write(f"      {x['how']}: line {x['line']}: {x['change']}\n")
            sys.stdout.flush()
            everything += lines
    return everything


def alive(line: Line) -> bool:
    """Whether nothing noticed a mutant: it survives, could not be planted, or the trial itself went wrong."""
    return line["how"] not in trial.DEAD


def kind(line: Line) -> str:
    """What killed a mutant, in one word."""
    return str(line["killer"]).partition(" ")[0] if line["how"] == "fails" else str(line["how"])


def summary(lines: Sequence[Line], seconds: float) -> int:
    """Print the score; 1 if it is too low."""
    good = bool(lines)
    some = [x for x in lines if scope.decides_privacy(module(x))]
    for words, those, least in (("all", lines, LEAST), ("deciding privacy", some, 1.0)):
        real = [x for x in those if x["how"] != "equivalent"]
        dead = sum(not alive(x) for x in real)
        equivalent = len(those) - len(real)
        share = 100 * dead / max(len(real), 1)
        sys.stdout.write(f"{words}: {dead} of {len(real)} killed = {share:.2f} %, {equivalent} more are equivalent\n")
        good &= dead >= least * len(real)
    by = ", ".join(f"{n} {word}" for word, n in Counter(kind(x) for x in lines).most_common())
    spent = sum(x["seconds"] for x in lines)
    functions = len({x["mutant"] for x in lines})
    sys.stdout.write(f"{functions} functions; {by}\n{spent:.0f} s of processor time, {seconds:.0f} s in all\n")
    return int(not good)


def main() -> int:
    """Run, print, and return 1 where too many mutants survive."""
    options, started = arguments(), time.monotonic()
    if options.sample:
        lines = sample(options)
    else:
        lines = side_by_side(options) if options.jobs > 1 else full(options)
        if options.record:
            return 0
        if options.shard == "1/1" and not options.goals_only:
            trial.remember(lines)
    return summary(lines, time.monotonic() - started)


if __name__ == "__main__":
    raise SystemExit(main())
