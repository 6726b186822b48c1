"""Chunks are run anywhere and settled in the order of their numbers.

A bet on one chunk may rest on those before it and on nothing else.  A chunk that is done early therefore waits: were it
settled at once, slow runs would come late, and what is seen when would depend on the outcomes.  So the verdict is the
same for any number of workers and any order of arrival.
"""

from __future__ import annotations

import logging
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, CancelledError, Executor, Future, wait
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple, TypeAlias, final

from dpref.errors import ChunkError, DprefError, ForeignCodeError, InvalidArgumentError
from dpref.foreign.chunks import ChunkResult, ChunkSpec, name_of, run_chunk
from dpref.foreign.executors import at_home, home, workers
from dpref.foreign.store import Store

ATTEMPTS: Final = 3
A_WORKER: Final = 4  # chunks in flight for each worker

Run: TypeAlias = Callable[[ChunkSpec], ChunkResult]
_log: Final = logging.getLogger(__name__)


class _Place(NamedTuple):
    """A chunk, where it stands in the order, how often it failed, and how the last time."""

    number: int
    spec: ChunkSpec
    failed: int = 0
    how: str = ""


def in_order(
    specs: Iterable[ChunkSpec], executor: Executor | None = None, store: Store | None = None, run: Run = run_chunk
) -> Generator[ChunkResult, None, None]:
    """The results of chunks in their order, each from the store or run now.

    A chunk that fails is tried twice more, unless its code brings its own randomness: a run that failed is then not
    made again but replaced by another, and what is left are the outputs of runs that did not fail.  If it fails then
    too, those before it are settled, what is running is waited for and kept, and its error is raised.

    Args:
        specs: What is to be run; read no further than needed.
        executor: Where: anything that submits (PEP 3148); here, one after another, if None.
        store: What is there is not run, and what is run is kept as soon as it arrives.
        run: Runs one chunk.

    Yields:
        One result a chunk.

    Raises:
        ChunkError: If a chunk fails three times.
    """
    if executor is None:
        for number, spec in enumerate(specs):
            found = store.get(spec) if store else None
            yield _here(_Place(number, spec), store, run) if found is None else found
    else:
        yield from _Settling(iter(specs), executor, store, run).results()


def _here(place: _Place, store: Store | None, run: Run) -> ChunkResult:
    """Run a chunk in this thread."""
    while True:
        try:
            result = run(place.spec)
        except Exception as error:  # noqa: BLE001 - whatever it is, the chunk has failed
            place = _once_more(place, error)
        else:
            _keep(place, result, store)
            return result


def _keep(place: _Place, result: ChunkResult, store: Store | None) -> None:
    if place.failed:
        _log.warning("%s; tried again, it gave a result", place.how)
    if store:
        store.put(place.spec, result)


def _once_more(place: _Place, error: BaseException) -> _Place:
    """The chunk, to be tried again.

    Raises:
        DprefError: If it was tried often enough.
    """
    failed = place.failed + 1
    how = f"chunk {place.spec.index} of {name_of(place.spec.target)} failed: {type(error).__name__}: {error}"
    chosen = isinstance(error, ForeignCodeError) and place.spec.seeding == "own"
    if failed < ATTEMPTS and not (chosen or isinstance(error, InvalidArgumentError)):
        return place._replace(failed=failed, how=how)
    if isinstance(error, DprefError):
        raise error
    raise ChunkError(f"{how} (tried {failed} times; the other chunks that were done are kept)") from error


@final
@dataclass
class _Settling:
    """Chunks on their way.

    Attributes:
        specs: Those that were not looked at yet.
        executor: Runs them.
        store: Keeps them.
        run: Runs one.
        seen: How many were looked at.
        waiting: To be submitted again.
        running: What was submitted.
        done: What is there before its turn: a result, or why there is none.
        suspects: In flight when the executor broke, of which one may have broken it: each is run alone.
    """

    specs: Iterator[ChunkSpec]
    executor: Executor
    store: Store | None
    run: Run
    seen: int = 0
    waiting: deque[_Place] = field(default_factory=deque)
    running: dict[Future[ChunkResult], _Place] = field(default_factory=dict)
    done: dict[int, ChunkResult | DprefError] = field(default_factory=dict)
    suspects: deque[_Place] = field(default_factory=deque)

    def results(self) -> Generator[ChunkResult, None, None]:
        """Each in its turn."""
        try:
            settled = 0
            while True:
                self.fill()
                if settled in self.done:
                    result = self.done.pop(settled)
                    if isinstance(result, DprefError):
                        self.finish()
                        raise result
                    yield result
                    settled += 1
                elif self.running:
                    self.collect()
                elif not (self.suspects or self.waiting):
                    return
        finally:  # also of an audit that is over before its chunks are
            for future in self.running:
                future.cancel()
            self.keep_what_is_done()

    def fill(self) -> None:
        """Submit what there is room for: one at a time while a breaker of executors is looked for."""
        if self.suspects:
            if not self.running:
                self.submit(self.suspects.popleft())
            return
        while self.waiting:  # whatever the room: what comes after them waits for them
            self.submit(self.waiting.popleft())
        while len(self.running) + len(self.done) < A_WORKER * workers(self.executor):
            place = self.next()
            if place is None:
                return
            found = self.store.get(place.spec) if self.store else None
            if found is None:
                self.submit(place)
            else:
                self.done[place.number] = found

    def next(self) -> _Place | None:
        """The next chunk; none after one that failed for good."""
        if any(isinstance(result, DprefError) for result in self.done.values()):
            return None
        for spec in self.specs:
            self.seen += 1
            return _Place(self.seen - 1, spec)
        return None

    def submit(self, place: _Place) -> None:
        """Hand a chunk to the executor."""
        try:
            future = self.executor.submit(at_home, home(), self.run, place.spec)
        except BrokenExecutor as error:
            self.broken(error, [place])
        else:
            self.running[future] = place

    def collect(self) -> None:
        """Wait for one chunk or more, and keep what has come."""
        finished, _ = wait(self.running, return_when=FIRST_COMPLETED)
        for future in finished:
            self.take(future)

    def take(self, future: Future[ChunkResult]) -> None:
        """A future that is done."""
        place = self.running.pop(future, None)
        if place is None:  # it was running when the executor broke, and is looked at already
            return
        error = _error(future)
        if error is None:
            self.settle(place, future.result())
        elif isinstance(error, BrokenExecutor):
            self.broken(error, [place])
        else:
            self.again(place, error, self.waiting.append)

    def settle(self, place: _Place, result: ChunkResult) -> None:
        """A result that is there, perhaps before its turn."""
        _keep(place, result, self.store)
        self.done[place.number] = result

    def again(self, place: _Place, error: BaseException, enqueue: Callable[[_Place], None]) -> None:
        """Put a failed chunk in a line, or note that it failed for good."""
        try:
            enqueue(_once_more(place, error))
        except DprefError as final_error:
            self.done[place.number] = final_error

    def broken(self, error: BrokenExecutor, places: list[_Place]) -> None:
        """A worker died and took the executor with it: a new one is made, if somebody knows how."""
        for future, place in self.running.items():
            if future.done() and _error(future) is None:
                self.settle(place, future.result())
            else:
                places.append(place)
        places.sort()
        self.running.clear()
        renew: Callable[[], Any] | None = getattr(self.executor, "renew", None)
        if renew is None:
            names = ", ".join(str(place.spec.index) for place in places)
            raise ChunkError(
                f"the executor broke while it ran chunk {names} ({error}): give a new one; what was done is kept"
            ) from error
        renew()
        if len(places) == 1:
            self.again(places[0], error, self.suspects.appendleft)
        else:
            self.suspects.extend(places)

    def finish(self) -> None:
        """Wait for what is running, and keep it."""
        wait(self.running)
        self.keep_what_is_done()

    def keep_what_is_done(self) -> None:
        """Keep the results that were not collected yet."""
        for future, place in self.running.items():
            if future.done() and _error(future) is None:
                _keep(place, future.result(), self.store)
        self.running.clear()


def _error(future: Future[Any]) -> BaseException | None:
    """Why a finished future has no result."""
    try:
        return future.exception()
    except CancelledError as error:
        return error
