"""Noise multipliers of another calibration, certified: whether they spend no more than they were asked for."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, final

from dpref.crosscheck.cases import Case
from dpref.crosscheck.compare import BELOW, HOLDS, NO_ANSWER, UNJUDGED, Truth, truth
from dpref.crosscheck.peers import Answer, Peer, ask_all
from dpref.privacy.time_limit import time_limit
from dpref.reals import decimal_down, decimal_up

HEADS: Final = ("case", "target epsilon", "noise multiplier", "certified epsilon", "verdict")


@final
@dataclass(frozen=True)
class Target:
    """A budget that a noise multiplier is asked for.

    Attributes:
        case: Rate, steps and delta.
        epsilon: The budget, a double.
    """

    case: Case
    epsilon: float

    @property
    def question(self) -> dict[str, object]:
        """What a worker is asked, and in which order its function takes it."""
        given = {"rate": self.case.rate, "steps": self.case.steps, "epsilon": self.epsilon, "delta": self.case.delta}
        return {**given, "asks": tuple(given)}


@final
@dataclass(frozen=True)
class Calibrated:
    """One noise multiplier, judged.

    Attributes:
        target: What was asked.
        answer: What was said; its upper end is the noise multiplier.
        spent: The certified interval with it.
        verdict: ``"below"`` if it certainly spends more than it may, ``"holds"`` if it certainly does not.
    """

    target: Target
    answer: Answer
    spent: Truth | None
    verdict: str


def target_of(case: Case) -> Target | None:
    """The budget that a case spends, rounded up to three digits; None where nothing is certified.

    Args:
        case: Whose noise multiplier is asked back.

    >>> from dpref.crosscheck.cases import gaussian_case
    >>> target_of(gaussian_case(1.0, 1000, 1e-6)).epsilon
    4.89
    """
    interval = truth(case).interval
    if interval is None or not 0 < interval.upper < math.inf:
        return None
    return Target(case, float(decimal_up(interval.upper, 3)))


def judge(target: Target, answer: Answer) -> Calibrated:
    """Whether a noise multiplier keeps its budget.

    Args:
        target: The budget.
        answer: Whose upper end is the noise multiplier.

    >>> from dpref.crosscheck.cases import gaussian_case
    >>> target = target_of(gaussian_case(1.0, 1000, 1e-6))
    >>> [judge(target, Answer(upper=sigma)).verdict for sigma in (31.0, 32.0)]
    ['below', 'holds']
    """
    sigma = answer.upper
    if sigma is None:
        return Calibrated(target, answer, None, NO_ANSWER)
    if not 0 < sigma < math.inf:
        said = replace(answer, upper=None, problem=f"answers {sigma}, which is no noise multiplier")
        return Calibrated(target, said, None, NO_ANSWER)
    spent = truth(replace(target.case, noise_multiplier=sigma))
    if spent.interval is None:
        return Calibrated(target, answer, spent, UNJUDGED)
    verdict = BELOW if spent.interval.lower > target.epsilon else UNJUDGED
    return Calibrated(target, answer, spent, HOLDS if spent.interval.upper <= target.epsilon else verdict)


def compare(
    cases: Sequence[Case],
    peer: tuple[Peer, str, str],
    *,
    limit: float,
    advance: Callable[[str], None] = lambda name: None,
) -> list[Calibrated]:
    """Ask for the noise multiplier of every case's budget, and certify the answers.

    Args:
        cases: The cases.
        peer: Peer, interpreter and version, as `dpref.crosscheck.peers.own` finds them.
        limit: Seconds for one answer.
        advance: Called after each piece of work.
    """
    targets = []
    for case in cases:
        found = target_of(case)
        targets += [] if found is None else [found]
        advance("certified")
    rows = []
    for target, answer in zip(targets, ask_all(peer[0], peer[1], targets, limit=limit), strict=True):
        with time_limit(limit):  # an absurd noise multiplier may ask for more work than any honest one
            rows.append(judge(target, answer))
        advance(peer[0].name)
    return rows


def refused(rows: Sequence[Calibrated]) -> bool:
    """Whether some noise multiplier certainly spends more than it may.

    Args:
        rows: What was judged.

    >>> refused([])
    False
    """
    return any(row.verdict == BELOW for row in rows)


def texts(row: Calibrated) -> tuple[str, ...]:
    """A line of the table.

    Args:
        row: What was judged.
    """
    said = "-" if row.answer.upper is None else f"{row.answer.upper:.8g}"
    interval = None if row.spent is None else row.spent.interval
    spent = "-" if interval is None else f"[{decimal_down(interval.lower, 8)}, {decimal_up(interval.upper, 8)}]"
    words = {BELOW: "SPENDS MORE", HOLDS: HOLDS, UNJUDGED: UNJUDGED, NO_ANSWER: f"no answer: {row.answer.problem}"[:70]}
    case = row.target.case
    name = f"rate {case.rate:g}, {case.steps} steps at {case.delta:g}"
    return name, f"{row.target.epsilon:.8g}", said, spent, words[row.verdict]


def to_json(row: Calibrated) -> dict[str, Any]:
    """A line of the table as JSON: certified ends as decimal text rounded outward.

    Args:
        row: What was judged.
    """
    interval = None if row.spent is None else row.spent.interval
    low, high = (None, None) if interval is None else interval.as_decimal()
    case = row.target.case
    return {
        "rate": case.rate,
        "steps": case.steps,
        "delta": case.delta,
        "adjacency": case.ledger.adjacency.name,
        "epsilon": row.target.epsilon,
        "noise_multiplier": row.answer.upper,
        "certified": None if interval is None else {"lower": low, "upper": high},
        "verdict": row.verdict,
        "problem": row.answer.problem or None,
    }
