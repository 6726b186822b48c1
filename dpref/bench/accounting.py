"""Time and epsilon of every accountant, ours and those of the peers that are installed, in one table.

Everything is measured in one run on one machine and shown side by side: a time means nothing without its neighbours.
Each number is the median of several repetitions in a running process: imports are excluded, the first run is not.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final, final

from dpref.checks import natural
from dpref.crosscheck.cases import Case, gaussian_case
from dpref.crosscheck.compare import duration
from dpref.crosscheck.peers import Answer, Peer, ask_all
from dpref.errors import PrecisionError, UnsupportedEventError
from dpref.privacy.accountant import Accountant
from dpref.privacy.accountants import accountants
from dpref.privacy.fast import point as fast_point
from dpref.privacy.interval import Interval
from dpref.reals import decimal_down, decimal_up

DELTA: Final = 1e-6
STEPS: Final = (10**3, 10**4, 10**5)
GAUSSIAN: Final = tuple(gaussian_case(1.0, steps, DELTA) for steps in STEPS)
SAMPLED: Final = tuple(Case(0.01, 1.0, steps, DELTA) for steps in STEPS)

POINT: Final = "point value"
_PATIENCE: Final = 10.0  # seconds after which a slow accountant is not repeated


@final
@dataclass(frozen=True)
class Cell:
    """One accountant on one case.

    Attributes:
        epsilon: An interval of ours, the claim of a peer, or None.
        seconds: The median of the repetitions, or None.
        note: Why there is no epsilon, or the empty text.
    """

    epsilon: Interval | float | None
    seconds: float | None
    note: str = ""


@final
@dataclass(frozen=True)
class Line:
    """One accountant on all cases.

    Attributes:
        name: Who.
        certified: Whether what it returns is a proved interval.
        cells: One for each case.
    """

    name: str
    certified: bool
    cells: tuple[Cell, ...]


def own_cell(accountant: Accountant, case: Case, repeat: int) -> Cell:
    """One of our accountants on one case.

    >>> from dpref.privacy.accountants import accountant_named
    >>> cell = own_cell(accountant_named("gaussian"), GAUSSIAN[0], 3)
    >>> print(cell.epsilon)
    epsilon in [4.886554117, 4.886554118]
    """
    if accountant.refused(case.ledger):
        return Cell(None, None, "not supported")
    return _timed(lambda: accountant.epsilon(case.ledger, case.exact_delta), repeat)


def point_cell(case: Case, repeat: int) -> Cell:
    """Our point value on one case: a float without a certificate.

    >>> round(point_cell(SAMPLED[2], 1).epsilon, 6)
    27.672598
    """
    return _timed(lambda: fast_point.epsilon(case.ledger, case.exact_delta), repeat)


def _timed(ask: Callable[[], Interval | float], repeat: int) -> Cell:
    natural("repeat", repeat)
    seconds: list[float] = []
    found: Interval | float | None = None
    while len(seconds) < repeat and sum(seconds) < _PATIENCE:
        begun = time.perf_counter()
        try:
            found = ask()
        except (UnsupportedEventError, PrecisionError) as error:
            return Cell(None, None, str(error)[:60])
        seconds.append(time.perf_counter() - begun)
    return Cell(found, statistics.median(seconds))


def peer_cell(answer: Answer) -> Cell:
    """A peer's answer."""
    if answer.claim is None:
        return Cell(None, None, answer.problem)
    return Cell(answer.claim, statistics.median(answer.seconds) if answer.seconds else None)


def benchmark(
    cases: Sequence[Case],
    peers: Sequence[tuple[Peer, str, str]],
    *,
    repeat: int = 3,
    limit: float = 60.0,
    advance: Callable[[str], None] = lambda name: None,
) -> list[Line]:
    """Every accountant on every case; ours first.

    Args:
        cases: The cases.
        peers: Peer, interpreter and version, as `dpref.crosscheck.peers.installed` finds them.
        repeat: Repetitions of each measurement.
        limit: Seconds for the answers of a peer to one case.
        advance: Called with a name before each accountant.
    """
    lines = []
    for accountant in accountants():
        advance(accountant.name)
        lines.append(Line(accountant.name, True, tuple(own_cell(accountant, case, repeat) for case in cases)))
    advance(POINT)
    lines.append(Line(POINT, False, tuple(point_cell(case, repeat) for case in cases)))
    for peer, interpreter, version in peers:
        advance(peer.name)
        answers = ask_all(peer, interpreter, cases, repeat=repeat, limit=limit)
        lines.append(Line(f"{peer.name} {version}", False, tuple(map(peer_cell, answers))))
    return lines


def epsilon_text(cell: Cell) -> str:
    """Epsilon as a table shows it: an interval with six digits rounded outward, a claim with eight."""
    if cell.epsilon is None:
        return "-"
    if isinstance(cell.epsilon, Interval):
        return f"[{decimal_down(cell.epsilon.lower, 6)}, {decimal_up(cell.epsilon.upper, 6)}]"
    return f"{cell.epsilon:.8g}"


def time_text(cell: Cell) -> str:
    """The time, or why there is none.

    >>> time_text(Cell(1.0, 0.01234)), time_text(Cell(None, None, "not supported"))
    ('12.3 ms', 'not supported')
    """
    return cell.note[:40] if cell.seconds is None else duration(cell.seconds)


def texts(line: Line) -> tuple[str, ...]:
    """Epsilon and time of every case of a line, one after the other."""
    return tuple(text for cell in line.cells for text in (epsilon_text(cell), time_text(cell)))


def to_json(cases: Sequence[Case], lines: Sequence[Line]) -> dict[str, Any]:
    """The table as JSON, certified ends as decimal text rounded outward."""

    def entry(cell: Cell) -> dict[str, Any]:
        epsilon: Any = cell.epsilon
        if isinstance(epsilon, Interval):
            low, high = epsilon.as_decimal()
            epsilon = {"lower": low, "upper": high}
        elif epsilon is not None:
            epsilon = repr(epsilon)
        return {"epsilon": epsilon, "seconds": cell.seconds, "note": cell.note or None}

    return {
        "cases": [str(case) for case in cases],
        "accountants": [
            {"name": line.name, "certified": line.certified, "cells": [entry(cell) for cell in line.cells]}
            for line in lines
        ],
    }
