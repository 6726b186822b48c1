r"""How many of the broken mechanisms the auditor of callables refutes, and how many of the correct ones.

    python -m property_tests.foreign_rates --trials 2000            # the broken ones, at one seed
    python -m property_tests.foreign_rates --trials 50000 --plain   # without a learned score
    python -m property_tests.foreign_rates --correct --seeds 30

One line a mechanism: the verdict, after how many pairs of runs, the lower bound, the event.  The command fails if fewer
broken ones are refuted than is promised (three quarters with 2,000 runs, five sixths with 50,000), or more correct ones
than the error of 0.001 allows: more than the 0.9999 quantile of their binomial law.
"""

from __future__ import annotations

import argparse
import sys
import time
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from fractions import Fraction
from multiprocessing import get_context

from dpref.foreign.claims import Claim, DPClaim, ZCDPClaim
from dpref.foreign.mechanism import DEFAULT_ERROR, audit_mechanism
from property_tests.foreign_mechanisms import BROKEN, CORRECT, Mechanism

PROMISED = {2_000: Fraction(3, 4), 50_000: Fraction(5, 6)}
_QUANTILE = 0.9999


@dataclass(frozen=True)
class Question:
    """One mechanism at one seed."""

    name: str
    trials: int
    seed: int
    learn: bool


@dataclass(frozen=True)
class Answer:
    """What the auditor said."""

    question: Question
    outcome: str
    runs: int
    lower: float
    reason: str
    seconds: float


def claim_of(mechanism: Mechanism) -> Claim:
    """What a mechanism claims."""
    if mechanism.rho is not None:
        return ZCDPClaim(mechanism.rho)
    return DPClaim(mechanism.epsilon, mechanism.delta)


def answer(question: Question) -> Answer:
    """Audit one mechanism."""
    mechanism = next(m for m in (*BROKEN, *CORRECT) if m.name == question.name)
    begun = time.process_time()
    found = audit_mechanism(
        mechanism.run,
        (mechanism.d0, mechanism.d1),
        claim_of(mechanism),
        adjacency=mechanism.adjacency,
        trials=question.trials,
        learn="auto" if question.learn else False,
        seed=question.seed,
    )
    seconds = time.process_time() - begun
    return Answer(question, found.outcome, found.trials, found.lower, found.reason, seconds)


def main(arguments: list[str] | None = None) -> int:
    """Print a line a mechanism, and the shares."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--trials", type=int, default=2_000)
    parser.add_argument("--seeds", type=int, default=1)
    parser.add_argument("--plain", action="store_true", help="without a learned score")
    parser.add_argument("--correct", action="store_true", help="the correct mechanisms in place of the broken ones")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("names", nargs="*", help="only these")
    given = parser.parse_args(arguments)
    chosen = [m for m in (CORRECT if given.correct else BROKEN) if not given.names or m.name in given.names]
    questions = [Question(m.name, given.trials, s, not given.plain) for m in chosen for s in range(given.seeds)]
    found = []
    with ProcessPoolExecutor(given.jobs, mp_context=get_context("spawn")) as pool:
        for a in pool.map(answer, questions):
            found.append(a)
            line = f"{a.question.name:26} seed {a.question.seed:2}  {a.outcome:12} {a.runs:6} runs  >= {a.lower:5.2f}"
            print(f"{line}  {a.seconds:5.1f} s  {a.reason}", flush=True)
    refuted = sum(a.outcome == "refuted" for a in found)
    print(f"{refuted} of {len(found)} refuted, {sum(a.outcome == 'error' for a in found)} errors")
    if given.correct:
        from scipy.stats import binom

        return int(refuted > binom.ppf(_QUANTILE, len(found), float(DEFAULT_ERROR)))
    return int(Fraction(refuted, len(found)) < PROMISED.get(given.trials, Fraction(0)))


if __name__ == "__main__":
    sys.exit(main())
