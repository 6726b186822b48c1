"""The score of auditors: what they catch, what they refute though it is right, and what that costs."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from fractions import Fraction
from multiprocessing import get_context
from statistics import median
from typing import Any, Final, final

from dpref.audit.statistics import binomial_lower, binomial_upper
from dpref.checks import natural
from dpref.crosscheck.threads import ONE_THREAD
from dpref.foreign.claims import DPClaim
from dpref.foreign.layout import MOST_TRIALS
from dpref.foreign.mechanism import DEFAULT_ERROR
from dpref.museum.auditors import Finding, auditor_named, counted
from dpref.museum.catalogue import exhibits
from dpref.museum.evidence import Form
from dpref.museum.exhibit import Exhibit, Release

MOST_SEEDS: Final = 10_000  # a list of all judgements is made before the first
DEFAULT_AUDITORS: Final = ("dpref", "unlearned", "proof", "mean")
DEFAULT_TRIALS: Final = 2_000
DEFAULT_SEEDS: Final = 1
CONFIDENCE: Final = Fraction(99, 100)  # of the upper end of false alarms, and of the word unsound
_FORMS: Final[tuple[Form, ...]] = ("broken", "fixed")


@final
@dataclass(frozen=True)
class Case:
    """One auditor on one form of one exhibit at one seed."""

    auditor: str
    exhibit: str
    form: Form
    seed: int
    trials: int


@final
@dataclass(frozen=True)
class Result:
    """What came of a case.

    Attributes:
        case: The case.
        finding: What the auditor said; None if the exhibit is not its matter.
        calls: How often the form was called.
        seconds: Processor time.
    """

    case: Case
    finding: Finding | None
    calls: int
    seconds: float


def judge(case: Case) -> Result:
    """Carry out a case.

    Args:
        case: The case.
    """
    exhibit = _exhibit(case.exhibit)
    calls = [0]
    if isinstance(exhibit, Release):
        run, calls = counted(getattr(exhibit, case.form))
        exhibit = replace(exhibit, broken=run) if case.form == "broken" else replace(exhibit, fixed=run)
    begun = time.process_time()
    finding = auditor_named(case.auditor).judge(exhibit, case.form, case.trials, case.seed)
    return Result(case, finding, calls[0], time.process_time() - begun)


def _exhibit(name: str) -> Exhibit:
    return next(exhibit for exhibit in exhibits() if exhibit.id == name)


def cases(auditors: Sequence[str], trials: int, seeds: int) -> list[Case]:
    """Every auditor on both forms of every exhibit at every seed.

    Args:
        auditors: Their names.
        trials: Pairs of runs.
        seeds: How many seeds, from 0.
    """
    natural("trials", trials, least=100, most=MOST_TRIALS)
    natural("seeds", seeds, least=1, most=MOST_SEEDS)
    for name in auditors:
        auditor_named(name)
    return [
        Case(name, exhibit.id, form, seed, trials)
        for exhibit in exhibits()
        for name in auditors
        for form in _FORMS
        for seed in range(seeds)
    ]


def results(todo: Sequence[Case], jobs: int, done: Callable[[int], object] = int) -> list[Result]:
    """The results of cases, in their order, over processes.

    Args:
        todo: The cases.
        jobs: How many processes; 1 for none but this.
        done: Called with 1 for every result.
    """
    found = []
    for result in _carried_out(todo, jobs):
        found.append(result)
        done(1)
    return found


def _carried_out(todo: Sequence[Case], jobs: int) -> Iterator[Result]:
    if jobs == 1:
        yield from map(judge, todo)
        return
    for name, value in ONE_THREAD.items():  # before the processes start, which share the CPUs
        os.environ.setdefault(name, value)
    with ProcessPoolExecutor(jobs, mp_context=get_context("spawn")) as pool:
        yield from pool.map(judge, todo, chunksize=4)


# ------------------------------------------------------------------------------------ what they add up to


def to_json(found: Sequence[Result]) -> list[dict[str, Any]]:
    """One object an exhibit, with every auditor's counts.

    Args:
        found: The results.
    """
    entries = []
    for exhibit in exhibits():
        mine = [r for r in found if r.case.exhibit == exhibit.id and r.finding is not None]
        names = dict.fromkeys(r.case.auditor for r in mine)
        entries.append(_described(exhibit) | {"auditors": {name: _counts(exhibit, name, mine) for name in names}})
    return entries


def _described(exhibit: Exhibit) -> dict[str, Any]:
    entry: dict[str, Any] = {
        "id": exhibit.id,
        "title": exhibit.title,
        "class": exhibit.bug_class,
        "level": exhibit.level,
        "sources": [{"address": source.address, "read": source.read} for source in exhibit.sources],
        "held_out": exhibit.held_out,
    }
    if isinstance(exhibit, Release):
        claim = exhibit.claim
        amount = {"epsilon": str(claim.epsilon), "delta": str(claim.delta)} if isinstance(claim, DPClaim) else {}
        entry["claim"] = amount or {claim.parameter: str(claim.value)}
        entry["adjacency"] = exhibit.adjacency.name
    return entry


def _counts(exhibit: Exhibit, name: str, found: Sequence[Result]) -> dict[str, Any]:
    mine = [r for r in found if r.case.auditor == name]
    broken = [r for r in mine if r.case.form == "broken"]
    wrong = broken if exhibit.level != "safe" else []
    right = [r for r in mine if r not in wrong]
    lower = [r.finding.lower for r in broken if r.finding and r.finding.lower is not None]
    problems = [r.finding.problem for r in mine if r.finding and r.finding.problem]
    return {
        "caught": _refuted(wrong),
        "of": len(wrong),
        "false_alarms": _refuted(right),
        "of_correct": len(right),
        "lower": median(lower) if lower else None,
        "calls": sum(r.calls for r in mine) / len(mine),
        "seconds": sum(r.seconds for r in mine) / len(mine),
        "problem": problems[0] if problems else None,
    }


def _refuted(found: Sequence[Result]) -> int:
    return sum(r.finding is not None and r.finding.refuted for r in found)


@final
@dataclass(frozen=True)
class Total:
    """An auditor's score.

    Attributes:
        auditor: Its name.
        caught: Broken forms that it refuted, over seeds.
        broken: Broken forms that it judged, over seeds.
        exhibits: Exhibits that it refuted at more than half of the seeds, and how many it judged.
        alarms: Correct forms that it refuted.
        correct: Correct forms that it judged.
        problems: Exhibits that it could not judge.
        calls: Of a form, on average.
        seconds: Of a judgement, on average.
    """

    auditor: str
    caught: int
    broken: int
    exhibits: tuple[int, int]
    alarms: int
    correct: int
    problems: int
    calls: float
    seconds: float

    @property
    def alarm_rate(self) -> tuple[float, float]:
        """Clopper and Pearson's lower and upper ends of the rate of false alarms, each at confidence 0.99."""
        error = 1 - CONFIDENCE
        if not self.correct:
            return 0.0, 1.0
        return binomial_lower(self.alarms, self.correct, error), binomial_upper(self.alarms, self.correct, error)

    @property
    def unsound(self) -> bool:
        """Whether it refutes what is right more often than the error at which it is run."""
        return self.alarm_rate[0] > DEFAULT_ERROR


def totals(entries: Sequence[dict[str, Any]]) -> list[Total]:
    """The scores of all auditors of a document.

    Args:
        entries: As of `to_json`.
    """
    found = []
    for name in dict.fromkeys(name for entry in entries for name in entry["auditors"]):
        mine = [entry["auditors"][name] for entry in entries if name in entry["auditors"]]
        judged = [counts for counts in mine if counts["of"]]
        found.append(
            Total(
                name,
                sum(c["caught"] for c in mine),
                sum(c["of"] for c in mine),
                (sum(2 * c["caught"] > c["of"] for c in judged), len(judged)),
                sum(c["false_alarms"] for c in mine),
                sum(c["of_correct"] for c in mine),
                sum(c["problem"] is not None for c in mine),
                sum(c["calls"] for c in mine) / len(mine),
                sum(c["seconds"] for c in mine) / len(mine),
            )
        )
    return found
