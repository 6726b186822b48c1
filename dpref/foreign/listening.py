"""What is printed in one thread, heard apart from what is printed in the others."""

from __future__ import annotations

import io
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Final, Protocol


class Ear(Protocol):
    """What listens."""

    def write(self, text: str, /) -> int:
        """Take a text."""


class _Everybody(io.TextIOBase):
    """Standard output while somebody listens: each thread's text goes to its own ear, or where it went before."""

    def __init__(self) -> None:
        self.ears: dict[int, Ear] = {}
        self.before: Any = None
        self.lock = threading.Lock()

    def write(self, text: str) -> int:
        ear: Ear = self.ears.get(threading.get_ident(), self.before)
        return ear.write(text)

    def flush(self) -> None:
        if not getattr(self.before, "closed", True):  # the interpreter flushes once more while it ends
            self.before.flush()


_EVERYBODY: Final = _Everybody()


@contextmanager
def heard(ear: Ear) -> Iterator[None]:
    r"""Let an ear have what this thread prints; other threads may listen to themselves at the same time.

    Args:
        ear: Takes the texts.

    >>> said = io.StringIO()
    >>> with heard(said):
    ...     print("psst")
    >>> said.getvalue()
    'psst\n'
    """
    everybody, me = _EVERYBODY, threading.get_ident()
    with everybody.lock:
        if not everybody.ears:
            everybody.before, sys.stdout = sys.stdout, everybody
        everybody.ears[me] = ear
    try:
        yield
    finally:
        with everybody.lock:
            del everybody.ears[me]
            if not everybody.ears:
                sys.stdout = everybody.before
