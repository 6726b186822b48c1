"""How many broken callables are refuted, and how many correct ones, by how many runs.

    python -m property_tests.foreign_power [--trials 2000] [--seeds 1] [--no-learn] [--correct] [NAME...]

Of the broken ones at least three quarters must be refuted by 2,000 runs and five sixths by 50,000, with scikit-learn
and without; of the correct ones, over 30 seeds, no more than the stated error allows.  The last two lines say what was
found.
"""

from __future__ import annotations

import argparse
import sys
import time
from concurrent.futures import ProcessPoolExecutor
from fractions import Fraction
from typing import Final, NamedTuple

from dpref.foreign.mechanism import audit_mechanism
from property_tests.foreign_zoo import BROKEN, CORRECT, Case

ERROR: Final = Fraction(1, 1000)


class Tried(NamedTuple):
    """One audit."""

    name: str
    outcome: str
    runs: int
    lower: float
    seconds: float
    said: str


def tried(case: Case, trials: int, seed: int, *, learn: bool) -> Tried:
    """Audit a case."""
    begun = time.process_time()
    found = audit_mechanism(
        case.f,
        case.pair,
        case.claim,
        adjacency=case.adjacency,
        trials=trials,
        error=ERROR,
        seed=seed,
        learn=learn,
        bits="off",
        same=lambda first, second: True,
    )
    seconds = time.process_time() - begun
    return Tried(case.name, found.outcome, found.trials, found.lower, seconds, found.reason)


def _one(task: tuple[bool, int, int, int, bool]) -> Tried:
    correct, place, trials, seed, learn = task
    return tried((CORRECT if correct else BROKEN)[place], trials, seed, learn=learn)


def main() -> int:
    """Try them, and say whether it is enough."""
    from scipy.stats import binom

    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*")
    parser.add_argument("--trials", type=int, default=2_000)
    parser.add_argument("--seeds", type=int, default=1)
    parser.add_argument("--first-seed", type=int, default=0)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--no-learn", action="store_true")
    parser.add_argument("--correct", action="store_true")
    asked = parser.parse_args()
    cases = CORRECT if asked.correct else BROKEN
    places = [i for i, case in enumerate(cases) if not asked.names or case.name in asked.names]
    seeds = range(asked.first_seed, asked.first_seed + asked.seeds)
    tasks = [(asked.correct, i, asked.trials, seed, not asked.no_learn) for seed in seeds for i in places]
    refuted = 0
    with ProcessPoolExecutor(asked.jobs) as pool:
        for task, found in zip(tasks, pool.map(_one, tasks), strict=True):
            refuted += found.outcome == "refuted"
            print(f"{found.name:24} seed {task[3]:3} {found.outcome:12} {found.runs:7} {found.lower:6.2f}", end=" ")
            print(f"{found.seconds:6.1f} s  {found.said[:80]}", flush=True)
    how = "without" if asked.no_learn else "with"
    print(f"{refuted} of {len(tasks)} refuted by {asked.trials} runs, {how} scikit-learn")
    if asked.correct:
        most = int(binom.ppf(0.9999, len(tasks), float(ERROR)))
        print(f"at most {most} may be")
        return int(refuted > most)
    least = 3 / 4 if asked.trials < 50_000 else 5 / 6
    print(f"at least {least:.0%} must be")
    return int(refuted < least * len(tasks))


if __name__ == "__main__":
    sys.exit(main())
