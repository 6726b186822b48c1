"""Who lies below the truth: the claims of other accountants against certified intervals."""

from __future__ import annotations

import math
import statistics
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, final

from dpref.crosscheck.cases import Case
from dpref.crosscheck.peers import Answer, Peer, ask_all
from dpref.errors import PrecisionError, UnsupportedEventError
from dpref.privacy.accountants import BEST, certify
from dpref.privacy.interval import Interval
from dpref.reals import decimal_down, decimal_up

BELOW: Final = "below"
HOLDS: Final = "holds"
UNJUDGED: Final = "not judged"
NO_ANSWER: Final = "no answer"


@final
@dataclass(frozen=True)
class Truth:
    """The certified interval of a case.

    Attributes:
        interval: It, or None.
        seconds: How long it took.
        problem: Why there is none, or the empty text.
    """

    interval: Interval | None
    seconds: float
    problem: str = ""


@final
@dataclass(frozen=True)
class Row:
    """One peer on one case, judged.

    Attributes:
        case: The case.
        peer: The peer's name.
        answer: What it said.
        verdict: ``"below"`` if its claim lies below the certified lower end, ``"holds"`` if it does not,
            ``"not judged"`` without a certified lower end, ``"no answer"`` without a claim.
        shortfall: At least by how much its claim lies below, rounded down; zero unless the verdict is ``"below"``.
        lower_fails: Whether what it calls a lower bound provably lies above the truth.
    """

    case: Case
    peer: str
    answer: Answer
    verdict: str
    shortfall: float = 0.0
    lower_fails: bool = False


def truth(case: Case, accountant: str = BEST) -> Truth:
    """The certified interval of a case, with the time that it took.

    >>> from dpref.crosscheck.cases import gaussian_case
    >>> print(truth(gaussian_case(10.0, 10**6, 1e-14)).interval)
    epsilon in [125.7643164, 125.7643165]
    """
    begun = time.perf_counter()
    interval, problem = None, ""
    try:
        interval = certify(case.ledger, delta=case.exact_delta, accountant=accountant)
    except (UnsupportedEventError, PrecisionError) as error:
        problem = str(error)
    return Truth(interval, time.perf_counter() - begun, problem)


def judge(case: Case, peer: str, answer: Answer, certified: Truth) -> Row:
    """What the certified interval says of an answer.

    >>> from dpref.crosscheck.cases import gaussian_case
    >>> case = gaussian_case(10.0, 10**6, 1e-14)
    >>> row = judge(case, "a peer", Answer(upper=120.0, seconds=(0.1,)), truth(case))
    >>> row.verdict, 5.76 < row.shortfall < 5.77
    ('below', True)
    """
    claim, interval = answer.claim, certified.interval
    if claim is None and answer.lower is None:
        return Row(case, peer, answer, NO_ANSWER)
    if interval is None or interval.lower <= 0 < interval.upper:
        return Row(case, peer, answer, UNJUDGED)
    lower_fails = answer.lower is not None and answer.lower > interval.upper
    if claim is not None and claim < interval.lower:
        shortfall = max(0.0, math.nextafter(interval.lower - claim, 0.0))
        return Row(case, peer, answer, BELOW, shortfall, lower_fails)
    return Row(case, peer, answer, HOLDS, 0.0, lower_fails)


def compare(
    cases: Sequence[Case],
    peers: Sequence[tuple[Peer, str, str]],
    *,
    limit: float,
    advance: Callable[[str], None] = lambda name: None,
) -> tuple[dict[Case, Truth], list[Row]]:
    """Every peer on every case, one peer after the other.

    Args:
        cases: The cases.
        peers: Peer, interpreter and version, as `dpref.crosscheck.peers.installed` finds them.
        limit: Seconds for one answer.
        advance: Called before each answer with the name of who is asked.

    Returns:
        The certified intervals, and one row for each peer and case.
    """
    truths = {}
    for case in cases:
        advance("certified")
        truths[case] = truth(case)
    rows = []
    for peer, interpreter, _ in peers:
        advance(peer.name)
        for case, answer in zip(cases, ask_all(peer, interpreter, cases, limit=limit), strict=True):
            rows.append(judge(case, peer.name, answer, truths[case]))
            advance(peer.name)
    return truths, rows


def refused(rows: Sequence[Row]) -> bool:
    """Whether what was called a bound is none: an upper bound below the certified interval, or a lower one above it.

    An estimate promises nothing.

    Args:
        rows: What was judged.

    >>> from dpref.crosscheck.cases import gaussian_case
    >>> row = Row(gaussian_case(1.0, 1000, 1e-6), "a peer", Answer(estimate=0.1), BELOW, 1.0)
    >>> refused([row])
    False
    """
    return any(row.lower_fails or (row.verdict == BELOW and row.answer.upper is not None) for row in rows)


# ------------------------------------------------------------------------------------ reports

_SHORT: Final = 70


def duration(seconds: float) -> str:
    """A time with three digits, in a unit that fits.

    >>> duration(0.0001234), duration(0.01234), duration(2.5), duration(math.nan)
    ('0.123 ms', '12.3 ms', '2.5 s', '-')
    """
    if math.isnan(seconds):
        return "-"
    return f"{seconds:.3g} s" if seconds >= 1 else f"{seconds * 1e3:.3g} ms"


def summary(rows: Sequence[Row]) -> Iterator[tuple[str, int, int, float, float]]:
    """For each peer: name, how many claims were judged, how many lie below, largest shortfall, median seconds."""
    for name in dict.fromkeys(row.peer for row in rows):
        mine = [row for row in rows if row.peer == name]
        judged = [row for row in mine if row.verdict in {BELOW, HOLDS}]
        below = [row for row in judged if row.verdict == BELOW]
        times = [second for row in mine for second in row.answer.seconds]
        median = statistics.median(times) if times else math.nan
        yield name, len(judged), len(below), max((row.shortfall for row in below), default=0.0), median


def to_json(
    truths: Mapping[Case, Truth], rows: Sequence[Row], peers: Sequence[tuple[Peer, str, str]]
) -> dict[str, Any]:
    """The comparison as JSON: certified ends as decimal text rounded outward, claims as the doubles that they are."""
    return {
        "peers": [{"name": peer.name, "package": peer.package, "version": version} for peer, _, version in peers],
        "cases": [
            {
                "case": str(case),
                "rate": case.rate,
                "noise_multiplier": case.noise_multiplier,
                "steps": case.steps,
                "delta": case.delta,
                "adjacency": case.ledger.adjacency.name,
                "certified": _certified(certified),
                "answers": [_row(row) for row in rows if row.case == case],
            }
            for case, certified in truths.items()
        ],
    }


def _certified(certified: Truth) -> dict[str, Any]:
    if certified.interval is None:
        return {"epsilon": None, "problem": certified.problem, "seconds": certified.seconds}
    low, high = certified.interval.as_decimal()
    epsilon = {"lower": low, "upper": high}
    return {"epsilon": epsilon, "method": certified.interval.method, "seconds": certified.seconds}


def _row(row: Row) -> dict[str, Any]:
    claims = {name: getattr(row.answer, name) for name in ("lower", "estimate", "upper")}
    return {
        "peer": row.peer,
        "verdict": row.verdict,
        "shortfall": decimal_down(row.shortfall, 6),
        "lower_fails": row.lower_fails,
        # JSON has no infinity.
        **{name: value if value is None or math.isfinite(value) else str(value) for name, value in claims.items()},
        "seconds": list(row.answer.seconds),
        "problem": row.answer.problem or None,
    }


def table(truths: Mapping[Case, Truth], rows: Sequence[Row]) -> Iterator[tuple[str, ...]]:
    """Lines of the table: case, who, what it says, verdict, time."""
    for case, certified in truths.items():
        name = str(case)
        if certified.interval is None:
            yield name, "certified", "-", certified.problem[:_SHORT], duration(certified.seconds)
        else:
            low, high = decimal_down(certified.interval.lower, 8), decimal_up(certified.interval.upper, 8)
            yield name, "certified", f"[{low}, {high}]", certified.interval.method, duration(certified.seconds)
        for row in rows:
            if row.case == case:
                yield "", row.peer, _said(row.answer), _judged(row), ", ".join(map(duration, row.answer.seconds))


def _said(answer: Answer) -> str:
    if answer.claim is None:
        return "-" if answer.lower is None else f"{answer.lower:.8g} (lower bound)"
    return f"{answer.claim:.8g}" + ("" if answer.upper is not None else " (estimate)")


def _judged(row: Row) -> str:
    if row.verdict == NO_ANSWER:
        return f"no answer: {row.answer.problem}"[:_SHORT]
    said = f"BELOW by {decimal_down(row.shortfall, 3)}" if row.verdict == BELOW else row.verdict
    return said + ("; its lower bound is ABOVE the truth" if row.lower_fails else "")
