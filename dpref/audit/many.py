"""Many claims side by side: a process a core, each verdict as it comes.

Claims about the same algorithm go to the same process, which compiles its kernel once.  What a claim's runs give does
not depend on how many processes there are, nor on what they judged before.
"""

from __future__ import annotations

import copyreg
import logging
import multiprocessing
import os
import signal
import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import groupby
from multiprocessing.connection import Connection, wait
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final, final

from flint import arb

from dpref.audit import empirical
from dpref.audit.claims import Claim
from dpref.audit.empirical import Drawer
from dpref.audit.kept_kernels import keep_kernels
from dpref.audit.kept_runs import KeptRuns
from dpref.audit.rules import Scores
from dpref.audit.run import Run
from dpref.audit.subjects import Subject
from dpref.audit.verdict import Verdict, audit
from dpref.errors import DprefError, WorkerError
from dpref.privacy.time_limit import AT_WORK

MOST_TOGETHER: Final = 8  # claims that one process judges before it asks for more
FEW: Final = 8  # claims that are judged before another interpreter has started


@final
@dataclass(frozen=True, kw_only=True)
class Settings:
    """How claims are judged (see `dpref.audit.verdict.audit`), and where their runs and compiled kernels are kept."""

    trials: int | None
    seed: int
    confidence: Fraction
    kept: KeptRuns | None
    kernels: Path | None = None


def judge_one(
    claim: Claim, settings: Settings, jobs: int = 1, advance: Callable[[int], None] = lambda _: None
) -> Verdict:
    """The verdict of a claim, its runs taken from those that are kept.

    Args:
        claim: What is claimed.
        settings: How it is judged.
        jobs: Threads.
        advance: Called with the number of runs finished since the last call.
    """
    return audit(
        claim,
        trials=settings.trials,
        seed=settings.seed,
        jobs=jobs,
        confidence=settings.confidence,
        advance=advance,
        drawn=_drawer(claim, settings),
    )


def _drawer(claim: Claim, settings: Settings) -> Drawer:
    """What draws a claim's runs, or takes them from where they are kept."""
    drawing = empirical.draw if settings.kernels is None else _compiled_once(settings.kernels)
    return drawing if settings.kept is None else settings.kept.drawer(claim, drawing)


def _compiled_once(folder: Path) -> Drawer:
    """`draw`, with kernels that are loaded where they were compiled before."""

    def drawn(subject: Subject, name: str, trials: int, seed: int, jobs: int, advance: Callable[[int], None]) -> Scores:
        if isinstance(subject, Run):
            keep_kernels(folder, subject.algorithm.kernel.__name__)
        return empirical.draw(subject, name, trials, seed, jobs, advance)

    return drawn


def judged(claims: Sequence[Claim], settings: Settings, processes: int) -> Iterator[Verdict]:
    """The verdicts in the order in which they are found.

    Args:
        claims: At least one.
        settings: How they are judged.
        processes: How many work at once; 1 is this one.

    Raises:
        DprefError: What the judging of a claim raised.
        WorkerError: If a process died; what was found before stays found.
    """
    portions = _portions(claims)
    if processes == 1 or len(portions) == 1 or len(claims) < FEW:
        for claim in claims:
            yield judge_one(claim, settings, processes)
        return
    # A fresh interpreter: a copy of this one could hold a lock of a thread that is not copied.
    context = multiprocessing.get_context("spawn")
    workers: dict[Connection, _Worker] = {}
    try:
        for _ in range(min(processes, len(portions))):
            here, there = context.Pipe()
            process = context.Process(target=_work, args=(there, settings), daemon=True)
            process.start()
            there.close()
            workers[here] = _Worker(process, here, [])
        for worker in workers.values():
            worker.take(portions)
        while any(worker.claims for worker in workers.values()):
            for ready in wait([c for c, worker in workers.items() if worker.claims]):
                worker = workers[ready]  # type: ignore[index]  # wait gives back the connections that it was given
                yield worker.verdict()
                if not worker.claims and portions:
                    worker.take(portions)
    finally:
        for worker in workers.values():
            worker.process.terminate()
        for worker in workers.values():
            worker.process.join()


@dataclass
class _Worker:
    """A process, the way to it, and the claims that it still owes a verdict."""

    process: Any
    connection: Connection
    claims: list[Claim]

    def take(self, portions: list[list[Claim]]) -> None:
        self.claims = list(portions.pop(0))
        try:
            self.connection.send(tuple(self.claims))
        except OSError:
            raise self._death(self.claims[0]) from None

    def verdict(self) -> Verdict:
        claim = self.claims.pop(0)
        try:
            found = self.connection.recv()
        except (EOFError, OSError):  # it died between two verdicts, or in the middle of one
            raise self._death(claim) from None
        if isinstance(found, BaseException):
            raise found
        verdict: Verdict = found
        return verdict

    def _death(self, claim: Claim) -> WorkerError:
        self.process.join()
        return WorkerError(
            f"the process that judged {claim.id} died (exit code {self.process.exitcode}); the runs of every claim"
            " before it are kept: the same command goes on from there"
        )


def _portions(claims: Sequence[Claim]) -> list[list[Claim]]:
    """Claims about one algorithm stay together, as far as that leaves work for all."""
    portions: list[list[Claim]] = []
    for _, group in groupby(sorted(claims, key=lambda c: c.algorithm), key=lambda c: c.algorithm):
        together = list(group)
        portions += [together[i : i + MOST_TOGETHER] for i in range(0, len(together), MOST_TOGETHER)]
    order = {claim.id: i for i, claim in enumerate(claims)}
    return sorted(portions, key=lambda portion: order[portion[0].id])


def _work(connection: Connection, settings: Settings) -> None:
    """What a process does: judge what it is sent, until nobody sends any more."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the one that started it, which then ends it
    threading.Thread(target=_end_with_parent, daemon=True).start()
    logging.getLogger(AT_WORK).setLevel(logging.CRITICAL)  # the one that started it says each verdict as it comes
    while True:
        try:
            claims = connection.recv()
        except EOFError:
            return
        for claim in claims:
            found: Verdict | DprefError
            try:
                found = judge_one(claim, settings)
            except DprefError as error:
                found = DprefError(f"{claim.id}: {error}")
            connection.send(found)
            if isinstance(found, BaseException):
                return


def _end_with_parent() -> None:
    """A parent that was killed can end nobody."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


def _view(values: dict[str, Any]) -> MappingProxyType[str, Any]:
    return MappingProxyType(values)


def _ball(*parts: tuple[int, int]) -> arb:
    return arb(*parts)


def _parts(ball: arb) -> tuple[tuple[int, int], ...]:
    """Mantissa and exponent of the midpoint and of the radius of a finite ball."""
    found = []
    for part in (ball.mid(), ball.rad()):
        mantissa, exponent = part.man_exp()
        found.append((int(mantissa), int(exponent)))
    return tuple(found)


# A claim's parameters are a read-only view and a witness's value may be a ball, which pickle does not know.
copyreg.pickle(MappingProxyType, lambda view: (_view, (dict(view),)))
copyreg.pickle(arb, lambda ball: (_ball, _parts(ball)))
