"""Carrying out an experiment: each part is kept as soon as it is done, so that work that was stopped goes on."""

from __future__ import annotations

import json
import logging
import os
import tempfile
from collections.abc import Callable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import contextmanager, suppress
from importlib.util import find_spec
from pathlib import Path
from typing import IO, Final

from dpref.errors import InvalidArgumentError, MissingExtraError
from dpref.experiments.experiment import AnyExperiment, Found, Part, Size
from dpref.version import VERSION

DONE: Final = "done.jsonl"  # the parts that are done, in the folder of an experiment and size
_log: Final = logging.getLogger(__name__)


def folder_of(experiment: AnyExperiment, size: Size, out: Path) -> Path:
    """Where an experiment's files go: a folder a size.

    >>> from dpref.experiments.catalogue import experiment_named
    >>> folder_of(experiment_named("dynamic-privacy-budget/figure-1"), "quick", Path("out")).as_posix()
    'out/dynamic-privacy-budget/figure-1/quick'
    """
    return out / experiment.name / size


def prepared(experiment: AnyExperiment, size: Size, out: Path) -> Path:
    """The experiment's folder, made and known to take files; everything that can be refused is refused here.

    Args:
        experiment: Which.
        size: How much.
        out: The folder under which its own is made.

    Raises:
        MissingExtraError: If a package that it needs is not installed.
        InvalidArgumentError: If the folder cannot be written.
    """
    for package in experiment.packages:
        if find_spec(package) is None:
            raise MissingExtraError(f"{experiment.name} needs the package {package}: install dpref[experiments]")
    folder = folder_of(experiment, size, out)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        tempfile.TemporaryFile(dir=folder).close()
    except OSError as error:
        raise InvalidArgumentError("out", str(out), f"cannot be written: {error.strerror or error}") from None
    return folder


def carry_out(
    experiment: AnyExperiment, size: Size, folder: Path, jobs: int, advance: Callable[[str], None] = lambda _: None
) -> dict[str, Found]:
    """Compute every part that is not kept yet, and return all.

    What is kept belongs to this version of dpref and this shape; anything else is computed again.  A call that is
    interrupted ends at once: a part that is under way is not waited for, and its thread's work is lost.

    Args:
        experiment: Which.
        size: How much.
        folder: Its own (`prepared`).
        jobs: Threads.
        advance: Called with the name of each part that is done, first with those that were kept.
    """
    shape = experiment.shapes[size]
    head = {"experiment": experiment.name, "version": VERSION, "shape": repr(shape)}
    parts = experiment.parts(shape)
    found = _kept(folder / DONE, head, {part.name for part in parts})
    _log.info("%s: %d of %d parts were kept in %s", experiment.name, len(found), len(parts), folder)
    for name in found:
        advance(name)
    pool = ThreadPoolExecutor(jobs)
    with _appending(folder / DONE, head, found) as log:
        waiting = iter([part for part in parts if part.name not in found])
        running: dict[Future[Found], Part] = {}
        try:
            while True:
                for part in waiting:
                    running[pool.submit(part.work)] = part
                    if len(running) == jobs:
                        break
                if not running:
                    break
                for future in wait(running, return_when=FIRST_COMPLETED).done:
                    part = running.pop(future)
                    found[part.name] = future.result()
                    log.write(json.dumps({part.name: found[part.name]}) + "\n")
                    log.flush()
                    advance(part.name)
        finally:
            pool.shutdown(wait=False, cancel_futures=True)  # a part may take an hour: who stops it does not wait for it
    return {part.name: found[part.name] for part in parts}


def _kept(log: Path, head: object, names: set[str]) -> dict[str, Found]:
    """What an earlier run finished; a last line that was cut off counts for nothing."""
    found: dict[str, Found] = {}
    with suppress(OSError, ValueError):
        lines = log.read_text("utf-8").splitlines()
        if json.loads(lines[0]) != head:
            return {}
        for line in lines[1:]:
            found |= {name: value for name, value in json.loads(line).items() if name in names}
    return found


@contextmanager
def _appending(log: Path, head: object, found: dict[str, Found]) -> Iterator[IO[str]]:
    """The log of what is done, rewritten whole first, so that no half line stays in it."""
    lines = [json.dumps(head), *(json.dumps({name: value}) for name, value in found.items())]
    write(log, "\n".join(lines) + "\n")
    with log.open("a", encoding="utf-8") as opened:
        yield opened


def write(path: Path, text: str) -> None:
    """A file that is there whole or not at all.

    Args:
        path: Where.
        text: What.
    """
    handle, name = tempfile.mkstemp(prefix=".dpref-", dir=path.parent)
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as opened:
            opened.write(text)
        umask = os.umask(0)
        os.umask(umask)
        Path(name).chmod(0o666 & ~umask)
        Path(name).replace(path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise
