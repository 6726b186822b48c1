r"""A limit on the time of a certified answer: after it, what has been proved so far is the answer.

Every accountant only ever tightens bounds that already hold, so it can stop at any time: the upper end so far is still
above the exact value and the lower end so far below it.  The interval that comes out says that it is *wide*.

Work that may take long calls `checkpoint` now and then.  Without a limit around it that costs next to nothing.

What takes long is not silent either: after every `EVERY` seconds `checkpoint` writes a line to the log at the level
WARNING, which Python shows on standard error where a program has set up no logging.  `logging.getLogger(AT_WORK)` turns
these lines off.
"""

from __future__ import annotations

import logging
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Final, final

from dpref.errors import InvalidArgumentError, OutOfTimeError

DEFAULT_LIMIT: Final = 30.0  # seconds that the command line takes for a search or a curve
ANSWER_LIMIT: Final = 10.0  # and for one interval
EVERY: Final = 8.0  # seconds of a wall clock between two lines of the log
AT_WORK: Final = "dpref.at_work"
clock: Callable[[], float] = time.thread_time
wall_clock: Callable[[], float] = time.monotonic
_log: Final = logging.getLogger(AT_WORK)


class Watch:
    """How long the caller has waited, by a wall clock: said now and then, in the log."""

    def __init__(self) -> None:
        self.begun: float = wall_clock()
        self.said: float = self.begun

    def look(self, doing: str) -> None:
        """Say what is being done, if `EVERY` seconds have gone by since the last line."""
        now = wall_clock()
        if now - self.said >= EVERY:
            self.said = now
            what = f": {doing}" * bool(doing)
            _log.warning("dpref: at work for %.0f s%s", now - self.begun, what)


@final
@dataclass
class TimeLimit:
    """How long the computation of one answer may take.

    Attributes:
        seconds: How long it may take, in seconds of processor time of the thread that works; None for any time.
        begun: When it began, by the same clock.
        doing: What is being computed, in words: for whoever watches.
        over: Whether work has been stopped because the time was over.
        watch: Since when the caller waits, and when that was last said.
    """

    seconds: float | None
    begun: float
    doing: str = ""
    over: bool = False
    watch: Watch = field(default_factory=Watch, repr=False)

    def check(self, doing: str) -> None:
        """Say what is being computed, and stop it if the time is over.

        Raises:
            OutOfTimeError: If the time is over.
        """
        self.doing = doing or self.doing
        self.watch.look(self.doing)
        if self.seconds is not None and clock() - self.begun > self.seconds:
            self.over = True
            raise OutOfTimeError(f"stopped after {self.seconds:g} s")


_LIMIT: ContextVar[TimeLimit | None] = ContextVar("dpref_time_limit", default=None)


@contextmanager
def time_limit(seconds: float | Fraction | None) -> Iterator[TimeLimit]:
    """Limit what runs inside the block to so many seconds; None leaves the limit that is there already, if any.

    Args:
        seconds: Positive: processor time of this thread, so that a busy machine does not change an answer.

    Raises:
        InvalidArgumentError: If it is not a positive number.

    >>> with time_limit(60.0) as limit:
    ...     checkpoint("a sum")
    >>> limit.doing, limit.over
    ('a sum', False)
    """
    around = _LIMIT.get()
    watch = Watch() if around is None else around.watch
    if seconds is None:
        limit = TimeLimit(None, clock(), watch=watch) if around is None else around
    else:
        here = _checked(seconds)
        if around is not None and around.seconds is not None:
            here = min(here, max(0.0, around.seconds - (clock() - around.begun)))
        limit = TimeLimit(here, clock(), watch=watch)
    token = _LIMIT.set(limit)
    try:
        yield limit
    finally:
        _LIMIT.reset(token)


def _checked(seconds: object) -> float:
    if (
        isinstance(seconds, bool)
        or not isinstance(seconds, int | float | Fraction)
        or not 0 < seconds <= sys.float_info.max
    ):
        raise InvalidArgumentError("limit", seconds, "must be a positive, finite number of seconds")
    return float(seconds)


def checkpoint(doing: str = "") -> None:
    """Mark a place where the work may be stopped, and say what it is doing.

    Raises:
        OutOfTimeError: If the time of the question is over.
    """
    limit = _LIMIT.get()
    if limit is not None:
        limit.check(doing)


def remark(doing: str) -> None:
    """Say what is being done where work must not be stopped: what comes of it is needed to say what was proved."""
    limit = _LIMIT.get()
    if limit is not None:
        limit.doing = doing
        limit.watch.look(doing)
