"""A sample of mutants of what certifies: which of them give a wrong answer that no test notices?

``python -m property_tests.library_mutants --sample 100 --seed 1`` prints each dangerous survivor with the interval
that excludes the truth, and returns 1 if there is one.
"""

from __future__ import annotations

import argparse
import importlib
import json
import os
import random
import select
import sys
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

os.environ.setdefault("CI", "true")  # hypothesis draws the examples that it draws in the suite

from property_tests.library_mutants import changes, scope, trial

SURVIVORS: Final = Path(__file__).with_name("survivors.json")
# Imported once, before the first child.
_SHARED: Final = ("flint", "hypothesis", "mpmath", "numba", "numpy", "scipy.special", "sympy")
_FRESH: Final = 150  # questions
_SLOW: Final = 4.0  # seconds of a question, while it is traced

Line = dict[str, Any]


def arguments() -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(prog="python -m property_tests.library_mutants", description=__doc__)
    parser.add_argument("only", nargs="*", help="modules or packages; all that certifies if none is named")
    parser.add_argument("--sample", type=int, default=100, help="so many, drawn from all of them")
    parser.add_argument("--seed", type=int, default=0, help="of the mutants and of the fresh questions")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="processes, a core each")
    parser.add_argument("--fresh", type=int, default=_FRESH, help="questions beside the recorded ones")
    parser.add_argument("--again", action="store_true", help="those of the file of survivors, and no sample")
    parser.add_argument("--remember", action="store_true", help="write the survivors to that file")
    return parser.parse_args()


def drawn(only: Sequence[str], count: int, seed: int) -> list[changes.Mutant]:
    """A sample of mutants, each as likely as any other."""
    everything = [m for module in scope.modules(tuple(only) or scope.CERTIFIES) for m in changes.mutants(module)]
    sys.stdout.write(f"{min(count, len(everything))} of {len(everything)} mutants, seed {seed}\n")
    return random.Random(seed).sample(everything, min(count, len(everything)))  # noqa: S311 - a sample, not a secret


def survivors() -> dict[str, str]:
    """The dangerous survivors that are known: each mutant's key, and the interval that excludes the truth."""
    found: dict[str, str] = json.loads(SURVIVORS.read_text(encoding="utf-8"))
    return found


def known(seed: int, fresh: int, jobs: int) -> dict[trial.Asked, trial.Known]:
    """What the library as it stands answers to the recorded and the fresh questions."""
    recorded = len(json.loads((scope.ROOT / "property_tests" / "oracle.json").read_text(encoding="utf-8")))
    those = [("recorded", k) for k in range(recorded)] + [(f"fresh {seed}", k) for k in range(fresh)]
    lines = side_by_side([lambda i=i: trial.asked(those[i::jobs], _SLOW) for i in range(jobs)])
    return {
        (seed_of, k): trial.Known([(w, a, b) for w, a, b in answers], seconds, frozenset(functions))
        for (seed_of, k), answers, seconds, functions in lines
    }


def side_by_side(works: Sequence[Any]) -> list[Any]:
    """The lists that works return, each work in a process of its own, in order."""
    pipes, found = [], []
    for work in works:
        read, write = os.pipe()
        child = os.fork()
        if child == 0:
            os.close(read)
            answer, end, _ = trial.in_child(work, 3000)
            with os.fdopen(write, "w") as pipe:
                json.dump(answer if answer is not None else end, pipe)
            os._exit(0)
        os.close(write)
        pipes.append((child, read))
    for child, read in pipes:
        with os.fdopen(read) as pipe:
            part = json.load(pipe)
        os.waitpid(child, 0)
        if not isinstance(part, list):
            raise RuntimeError(f"a process did not come to its end: {part}")  # noqa: TRY004 - what it says is not its type
        found += part
    return found


def judge(mutants: Sequence[changes.Mutant], questions: Mapping[trial.Asked, trial.Known], jobs: int) -> list[Line]:
    """One line a mutant, printed as it comes."""
    tasks = iter(enumerate(mutants))
    found: dict[int, Line] = {}
    running: dict[int, tuple[int, int]] = {}

    def start() -> None:
        i, mutant = next(tasks, (-1, None))
        if mutant is None:
            return
        read, write = os.pipe()
        child = os.fork()
        if child == 0:
            os.close(read)
            with os.fdopen(write, "w") as pipe:
                json.dump(trial.judged(mutant, questions), pipe)
            os._exit(0)
        os.close(write)
        running[read] = (child, i)

    for _ in range(jobs):
        start()
    while running:
        for read in select.select(list(running), [], [])[0]:
            child, i = running.pop(read)
            with os.fdopen(read) as pipe:
                found[i] = {"mutant": f"{mutants[i].module}:{mutants[i].key}", "key": mutants[i].key, **json.load(pipe)}
            os.waitpid(child, 0)
            line = found[i]
            sys.stdout.write(f"{line['how']:9} {line['seconds']:6.1f} s  {line['mutant']}\n           {line['why']}\n")
            sys.stdout.flush()
            start()
    return [found[i] for i in sorted(found)]


def main() -> int:
    """Draw, judge, print; 1 where a dangerous mutant survives."""
    options, begun = arguments(), time.monotonic()
    for name in _SHARED:
        importlib.import_module(name)
    if options.again:
        keys = set(survivors())
        mutants = [m for module in scope.modules() for m in changes.mutants(module) if m.key in keys]
    else:
        mutants = drawn(options.only, options.sample, options.seed)
    questions = known(options.seed, options.fresh, options.jobs)
    slow = sum(not k.answers for k in questions.values())
    sys.stdout.write(f"{len(questions)} questions, {slow} too slow, {time.monotonic() - begun:.0f} s\n")
    lines = judge(mutants, questions, options.jobs)
    dangerous = {x["key"]: x["why"] for x in lines if x["how"] == "dangerous"}
    if options.remember:
        judged = {x["key"] for x in lines}
        kept = {k: why for k, why in survivors().items() if k not in judged}
        SURVIVORS.write_text(json.dumps({**kept, **dangerous}, indent=1, sort_keys=True) + "\n", encoding="utf-8")
    counts = Counter(x["how"] for x in lines)
    sys.stdout.write(", ".join(f"{counts[how]} {how}" for how in HOW) + f"; {time.monotonic() - begun:.0f} s\n")
    for key, why in dangerous.items():
        sys.stdout.write(f"DANGEROUS {key}\n  {why}\n")
    return int(bool(dangerous))


HOW: Final = ("killed", "harmless", "time", "unknown", "dangerous")

if __name__ == "__main__":
    raise SystemExit(main())
