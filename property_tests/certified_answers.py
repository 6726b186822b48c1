"""Certified answers by the hundred thousand, each held against a truth that is computed without the library.

``python -m property_tests.certified_answers --count 100000 --seed 0 --jobs 2`` draws events, adjacencies and questions
(`property_tests.certified_questions`), asks `dpref.privacy.accountants.certify`, and checks both ends.  Epsilon lies in
[low, high] if and only if h(low) is at least delta and h(high) at most delta, h being continuous and falling: no root
is searched for, and the check is as sharp as h has digits, which are 40 or more.  Question number i of a seed is the
same whatever the count is: ``--only i`` asks it again.

What is found is an answer that is wrong at an end, an exception that is none of the library's, a refusal where an
answer was due, or more than `SECONDS` of processor time.
"""
# ruff: noqa: S311 - samples, not secrets

from __future__ import annotations

import argparse
import math
import random
import statistics
import sys
import time
import traceback
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from fractions import Fraction
from pathlib import Path
from typing import Final, TypeAlias

from flint import arb, ctx

from dpref.errors import DprefError
from dpref.privacy.accountants import certify
from dpref.privacy.events.expression import parse_event
from dpref.privacy.events.ledger import Ledger
from dpref.privacy.interval import Interval
from dpref.units import adjacency_named
from property_tests.certified_questions import Asked
from property_tests.composed_questions import question
from property_tests.independent_compositions import NoTruthError
from property_tests.independent_laws import Curve, real
from property_tests.kept_lines import in_processes, keeping, kept

SECONDS: Final = 10.0
BITS: Final = (192, 384, 768, 1536, 3072)
NOTHING: Final = 2000  # bits below one: nothing that a double shows

Answer: TypeAlias = Callable[[Asked], Interval]


@dataclass(frozen=True)
class Checked:
    """One answer and what is wrong with it.

    Attributes:
        number: Of the question.
        family: What kind of event it was about.
        adjacency: Its name.
        asked: The question as a command.
        quantity: What was asked for.
        lower: The answer's lower end; None if it was refused.
        upper: Its upper end.
        seconds: Processor time that the answer took.
        problem: What is wrong with it; nothing, if nothing is.
        refusal: Why there is no answer.
        unchecked: Whether no truth was found to hold it against.
    """

    number: int
    family: str
    adjacency: str
    asked: str
    quantity: str
    lower: float | None
    upper: float | None
    seconds: float
    problem: str = ""
    refusal: str = ""
    unchecked: bool = False

    @property
    def width(self) -> float:
        """Upper end over lower end, less one."""
        if self.lower is None or self.upper is None or self.lower == self.upper:
            return 0.0
        return self.upper / self.lower - 1 if self.lower > 0 else math.inf


def certified(asked: Asked) -> Interval:
    """What the library answers."""
    ledger = Ledger(parse_event(asked.case.text), adjacency_named(asked.case.adjacency))
    return certify(ledger, delta=asked.delta, epsilon=asked.epsilon, limit=SECONDS)


def drawn(seed: int, number: int) -> Asked:
    """One question of a seed."""
    return question(random.Random(f"{seed}/{number}"))


def checked(seed: int, number: int, answer: Answer = certified) -> Checked:
    """One question, its answer and what is wrong with it."""
    asked = drawn(seed, number)
    quantity = "delta" if asked.delta is None else "epsilon"
    about = (number, asked.case.family, asked.case.adjacency, str(asked), quantity)
    begun = time.thread_time()
    try:
        found = answer(asked)
    except DprefError as error:
        return Checked(*about, None, None, time.thread_time() - begun, refusal=f"{type(error).__name__}: {error}")
    except Exception:  # noqa: BLE001 - whatever it is, it is the finding
        return Checked(*about, None, None, time.thread_time() - begun, traceback.format_exc(limit=-4))
    seconds = time.thread_time() - begun
    try:
        problem = wrong(asked, found)
    except NoTruthError:
        return Checked(*about, found.lower, found.upper, seconds, unchecked=True)
    except ArithmeticError as error:
        return Checked(*about, found.lower, found.upper, seconds, str(error))
    problem = problem or (f"took {seconds:.1f} s" if seconds > 1.5 * SECONDS else "")
    return Checked(*about, found.lower, found.upper, seconds, problem)


def wrong(asked: Asked, found: Interval) -> str:
    """Which end of an answer is on the wrong side of the truth."""
    truth = asked.case.truth
    if asked.delta is not None:
        ends = (
            (Fraction(found.upper), asked.delta) if found.upper < math.inf else None,
            (Fraction(found.lower), asked.delta) if 0 < found.lower < math.inf else None,
        )
    else:
        assert asked.epsilon is not None
        ends = (
            (asked.epsilon, Fraction(found.upper)),
            (asked.epsilon, Fraction(found.lower)) if found.lower > 0 else None,
        )
    if ends[0] is not None and exceeds(truth.owed, *ends[0], truth.rounding):
        return f"upper end {found.upper!r} is too small"
    if ends[1] is not None and exceeds(truth.claimable, *ends[1], truth.rounding, below=True):
        return f"lower end {found.lower!r} is too large"
    return ""


def exceeds(curve: Curve, epsilon: Fraction, delta: Fraction, rounding: Fraction, *, below: bool = False) -> bool:
    """Whether h(epsilon) lies beyond a delta, by more than its own rounding.

    Args:
        curve: h.
        epsilon: Where.
        delta: What it is compared with.
        rounding: How far h is right, relatively.
        below: Ask whether it is below, not above.
    """
    kept, value, goal = ctx.prec, arb(0), arb(0)
    try:
        for bits in BITS:
            ctx.prec = bits
            value, goal = curve(real(epsilon)), real(delta)
            far = goal * (1 - real(rounding)) - value if below else value - goal * (1 + real(rounding))
            if far > 0:
                return True
            if far <= 0:
                return False
        if abs(value - goal) < arb(2) ** -NOTHING:  # an end that is exact, such as zero
            return False
        raise ArithmeticError(f"h({epsilon}) = {value} cannot be told from {delta}")
    finally:
        ctx.prec = kept


# ------------------------------------------------------------------------------------ many of them


def some(arguments: tuple[int, tuple[int, ...]]) -> list[Checked]:
    """Several questions of a seed: what one process does at a time."""
    seed, numbers = arguments
    return [checked(seed, number) for number in numbers]


def answers(seed: int, numbers: Sequence[int], jobs: int) -> Iterator[Checked]:
    """The answers to questions of a seed, checked in so many processes."""
    return in_processes(some, seed, numbers, jobs)


def table(found: Sequence[Checked]) -> str:
    """For each family and adjacency: answers, refusals, the median and the largest width, and the time."""
    groups: dict[tuple[str, str, str], list[Checked]] = defaultdict(list)
    for one in found:
        groups[one.family, one.adjacency, one.quantity].append(one)
    lines = []
    for (family, adjacency, quantity), group in sorted(groups.items()):
        answered = [one for one in group if one.lower is not None]
        widths = sorted(one.width for one in answered) or [math.nan]
        times = [one.seconds for one in group]
        lines.append(
            f"{family:45} {adjacency:18} {quantity:8} {len(answered):6} answered {len(group) - len(answered):5} refused"
            f"  width {statistics.median(widths):8.1e} {widths[-1]:8.1e}"
            f"  s {statistics.median(times):.3f} {max(times):.2f}"
        )
    return "\n".join(lines)


def main(arguments: Sequence[str] | None = None) -> int:
    """Ask, check, and say what was found."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=100_000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--only", type=int, help="ask this question alone")
    parser.add_argument("--record", type=Path, help="keep every answer in this file, and go on where it ends")
    chosen = parser.parse_args(arguments)
    begun = time.perf_counter()
    found = [Checked(**line) for line in kept(chosen.record, chosen.seed)]
    known = {one.number for one in found}
    numbers = [k for k in range(chosen.count) if k not in known] if chosen.only is None else [chosen.only]
    with keeping(chosen.record, chosen.seed) as keep:
        for one in answers(chosen.seed, numbers, chosen.jobs):
            found.append(one)
            keep(asdict(one))
            if one.problem or chosen.only is not None:
                print(f"{one.number}: dpref {one.asked}", flush=True)
                print(f"  [{one.lower}, {one.upper}] {one.problem}{one.refusal}", flush=True)
    print(table(found))
    wrong_ones = sum(bool(one.problem) for one in found)
    refused = sum(bool(one.refusal) for one in found)
    unchecked = sum(one.unchecked for one in found)
    said = f"{wrong_ones} wrong, {refused} refused, {unchecked} not checked"
    print(f"{len(found)} questions, seed {chosen.seed}: {said};", end=" ")
    print(f"{time.perf_counter() - begun:.0f} s")
    return 1 if wrong_ones else 0


if __name__ == "__main__":
    sys.exit(main())
