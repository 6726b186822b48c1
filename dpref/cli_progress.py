"""What a terminal shows while a verb works: a plain line on standard error every few seconds, elsewhere nothing."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final

import typer

EVERY: Final = 5.0  # seconds between two lines


@contextmanager
def still_at_work(verb: str, doing: Callable[[], str] = str) -> Iterator[None]:
    """Say now and then that a verb is at work, for how long, and what it is doing.

    Args:
        verb: The verb's name.
        doing: Says in words what is being computed, or nothing.
    """
    if not sys.stderr.isatty():
        yield
        return
    begun, done = time.monotonic(), threading.Event()

    def watch() -> None:
        while not done.wait(EVERY):
            what = doing()
            seconds = f"{time.monotonic() - begun:.0f} s"
            typer.echo(f"dpref: {verb}: at work for {seconds}" + f": {what}" * bool(what), err=True)

    watcher = threading.Thread(target=watch, daemon=True)
    watcher.start()
    try:
        yield
    finally:
        done.set()
        watcher.join()
