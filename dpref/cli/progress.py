"""Where the verbs write, and what standard error shows while one works: a bar, a line now and then, the log."""

from __future__ import annotations

import logging
import os
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

import typer

from dpref.privacy.time_limit import AT_WORK

if TYPE_CHECKING:
    from rich.console import Console

EVERY: Final = 5.0  # seconds between two lines on a terminal
EVERY_PLAINLY: Final = 9.0  # and elsewhere, such as in the log of a build
BAR_AFTER: Final = 1.0  # seconds of work before a progress bar appears
LEVELS: Final = (logging.WARNING, logging.INFO, logging.DEBUG)  # by how often --verbose is given


class _Said(logging.Handler):
    """The log as lines on standard error, like everything else that is no answer."""

    def emit(self, record: logging.LogRecord) -> None:
        typer.echo(f"dpref: {self.format(record)}", err=True)


def show_log(verbosity: int) -> None:
    """Write what the library logs to standard error; that it is at work a verb says itself.

    Args:
        verbosity: 0 for warnings, 1 for what is done and how long it took, 2 for details too.
    """
    log = logging.getLogger("dpref")
    log.setLevel(LEVELS[min(verbosity, len(LEVELS) - 1)])
    logging.getLogger(AT_WORK).setLevel(logging.CRITICAL)
    if not any(isinstance(handler, _Said) for handler in log.handlers):
        log.addHandler(_Said())


@contextmanager
def still_at_work(verb: str, doing: Callable[[], str] = str) -> Iterator[None]:
    """Say now and then that a verb is at work, for how long, and what it is doing.

    Args:
        verb: The verb's name.
        doing: Says in words what is being computed, or nothing.
    """
    begun, done = time.monotonic(), threading.Event()
    every = EVERY if sys.stderr.isatty() else EVERY_PLAINLY

    def watch() -> None:
        while not done.wait(every):
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


def console() -> Console:
    """Standard output; a pipe or a file has no width of its own, and names are not folded there."""
    from rich.console import Console

    return Console(highlight=False) if sys.stdout.isatty() else Console(highlight=False, width=140)


def cpus() -> int:
    """How many CPUs this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


@contextmanager
def progress(total: int) -> Iterator[Callable[[str], Callable[[int], None]]]:
    """A bar on standard error that appears once the work has taken a second, and only on a terminal.

    Args:
        total: How many steps the work has.

    Yields:
        A function that takes the name of what is done and returns the one that counts its steps.
    """
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

    console = Console(stderr=True)
    columns = (
        BarColumn(),
        TextColumn("{task.percentage:>3.0f}%"),
        TimeRemainingColumn(),
        TextColumn("{task.description}"),
    )
    progress = Progress(*columns, console=console, transient=True, disable=not console.is_terminal)
    task = progress.add_task("", total=total)
    timer = threading.Timer(BAR_AFTER, progress.start)
    if console.is_terminal:
        timer.start()

    def step(description: str) -> Callable[[int], None]:
        def advance(runs: int) -> None:
            progress.update(task, advance=runs, description=description)

        return advance

    try:
        yield step
    finally:
        timer.cancel()
        if console.is_terminal:
            timer.join()
        progress.stop()
