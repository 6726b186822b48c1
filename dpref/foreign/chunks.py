"""Runs in chunks: plain data in, plain data out, so that a chunk runs anywhere and can be run again.

A chunk is some runs on each data set of a pair.  Its random streams follow from the seed, its purpose and its index
alone, so the runs are the same for any number of workers and any order of arrival.
"""

from __future__ import annotations

import copy
import io
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any, Final, Literal, TypeAlias, final

import numpy as np

from dpref.errors import ForeignCodeError, InvalidArgumentError
from dpref.foreign import pairs
from dpref.foreign.data import fingerprint
from dpref.foreign.flat import Raised
from dpref.foreign.keeping import kept
from dpref.foreign.layout import PURPOSES, Purpose, start_of
from dpref.foreign.listening import heard
from dpref.foreign.outputs import Outputs, Scored
from dpref.foreign.scoring import scores_of

Seeding: TypeAlias = Literal["argument", "seed", "own"]
Exceptions: TypeAlias = Literal["stop", "output"]
SIDES: Final = ("first", "second")
DEFAULT_LIMIT: Final = 10.0  # seconds that one run may last
_SEEDS: Final = 2**63
_LONGEST: Final = 1e8  # seconds that a timer can be set to; three years stand for more


@final
@dataclass(frozen=True, eq=False)
class ChunkSpec:
    """What a chunk is to do.

    Attributes:
        target: The callable, or where it is: ``"package.module:function"``.
        pair: The two data sets; of a control chunk both are the first.
        seed: Of the whole audit.
        index: Which chunk, counted from 0.
        size: Runs on each data set.
        batched: Whether one call makes all runs: ``f(data, rng, n)``.
        seeding: What the callable is given beside the data: a generator, an integer, or nothing.
        exceptions: Whether an exception stops the audit or is an output, and likewise an array of another shape; one
            that a batch raises stops it, because no run of many has it for an output.
        purpose: What its runs are for.
        limit: Seconds that one run may last.
        score: What makes the caller's scores of outputs, if there is anything.
    """

    target: str | Callable[..., Any]
    pair: pairs.Pair
    seed: int
    index: int
    size: int
    batched: bool = False
    seeding: Seeding = "argument"
    exceptions: Exceptions = "stop"
    purpose: Purpose = "runs"
    limit: float = DEFAULT_LIMIT
    score: str | Callable[..., Any] | None = None


@final
@dataclass(frozen=True, eq=False)
class ChunkResult:
    """What a chunk saw.

    Attributes:
        index: Which chunk.
        first: Outputs on d0.
        second: Outputs on d1 (of a control chunk: on d0 again).
        drew: For either data set, whether its first run read the generator, and whether a later one did.
    """

    index: int
    first: Outputs
    second: Outputs
    drew: tuple[tuple[bool, bool], tuple[bool, bool]] = field(default=((True, True), (True, True)))

    def beginning(self, size: int) -> ChunkResult:
        """The first runs of the chunk.

        Args:
            size: How many on each data set.
        """
        return replace(self, first=self.first.take(slice(0, size)), second=self.second.take(slice(0, size)))


def run_chunk(spec: ChunkSpec) -> ChunkResult:
    """Run a chunk: first one run on d0, then one on d1, and so on; batches likewise.

    Args:
        spec: What to do.

    Raises:
        ForeignCodeError: If the callable raised, printed, changed its data, returned what is no output, or did not
            return in time; the message names it, the run and the data set.

    >>> f = lambda data, rng: data + int(rng.integers(2))
    >>> run_chunk(ChunkSpec(f, pairs.Pair(0, 10), 0, 0, 3)).second.numbers.min().item() >= 10
    True
    """
    f = resolve(spec.target)
    spec.pair.fingerprints  # noqa: B018 - taken before the first run
    work = _Work(spec, [_stream(spec, 0), _stream(spec, 1)])
    with _watched(work):
        try:
            _run(work, f)
        except ForeignCodeError:  # which names the run already
            raise
        except OutOfPatienceError:
            what = f"had not returned after {spec.limit:g} seconds: a run must be shorter, or the limit longer"
            raise work.failure(what) from None
        except copy.Error as error:
            raise work.failure(str(error)) from error
        except (Exception, SystemExit) as error:  # whatever somebody else's code raises
            raise work.failure(f"raised {type(error).__name__}: {error}") from error
    work.unchanged()
    if work.printed:
        raise ForeignCodeError(work.printed)
    try:
        made = work.made if spec.score is None else [_scored(spec, outputs) for outputs in work.made]
        outputs = [Outputs.batch(side[0], spec.size) if spec.batched else Outputs.of(side) for side in made]
    except Exception as error:  # whatever somebody else's objects raise when they are read
        raise _strange(work, error) from error
    return ChunkResult(spec.index, outputs[0], outputs[1], work.drew)


def resolve(target: str | Callable[..., Any]) -> Callable[..., Any]:
    """The callable of a target; the current directory is among the places where it is looked for.

    Args:
        target: A callable, or ``"package.module:function"``.

    Raises:
        InvalidArgumentError: If there is no such callable.

    >>> resolve("math:sqrt")(4.0)
    2.0
    """
    found = target if callable(target) else load(target, "target")
    if not callable(found):
        raise InvalidArgumentError("target", target, "must be a callable")
    return found


def load(place: str, argument: str) -> Any:
    """What stands at ``"package.module:name"``.

    Args:
        place: The module, a colon, and a name in it, perhaps with dots.
        argument: What the caller calls it.

    Raises:
        InvalidArgumentError: If there is nothing.
    """
    module, colon, name = place.partition(":")
    if not (colon and module and name):
        raise InvalidArgumentError(argument, place, "must be package.module:name")
    here = str(Path.cwd())
    if here not in sys.path:
        sys.path.insert(0, here)
    try:
        found: Any = import_module(module)
    except Exception as error:  # whatever importing somebody else's module raises
        rule = f"cannot be imported: {type(error).__name__}: {error}"
        raise InvalidArgumentError(argument, place, rule) from error
    for part in name.split("."):
        if not hasattr(found, part):
            raise InvalidArgumentError(argument, place, f"module {module} has no {name}")
        found = getattr(found, part)
    return found


def name_of(target: str | Callable[..., Any]) -> str:
    """What messages and reports call a target.

    Args:
        target: A callable, or where it is.

    >>> name_of("package.module:f"), name_of(len)
    ('package.module:f', 'builtins:len')
    """
    if isinstance(target, str):
        return target
    if isinstance(target, partial):
        return name_of(target.func)
    kind = type(target)
    return f"{getattr(target, '__module__', kind.__module__)}:{getattr(target, '__qualname__', kind.__qualname__)}"


class _Work:
    """A chunk at work: what names a run when something goes wrong in it."""

    def __init__(self, spec: ChunkSpec, streams: Sequence[np.random.Generator]) -> None:
        self.spec, self.streams = spec, streams
        self.made: tuple[list[Any], list[Any]] = ([], [])
        self.printed = ""
        self.starts = [_state(stream) for stream in streams]
        self.after_first: list[Any] = []

    def run(self) -> tuple[int, int]:
        """The number and the side of the run at work."""
        first, second = map(len, self.made)
        return (second, 1) if first > second else (first, 0)

    def failure(self, what: str, run: tuple[int, int] | None = None) -> ForeignCodeError:
        number, side = self.run() if run is None else run
        return ForeignCodeError(f"{name_of(self.spec.target)} {what} (in {_where(self.spec, number, side)})")

    def first_done(self) -> None:
        """Look at the generators after the first run on each data set, and at the data in the first chunk."""
        self.after_first = [_state(stream) for stream in self.streams]
        if self.spec.index == 0:
            self.unchanged()

    def unchanged(self) -> None:
        pair = self.spec.pair
        for side, (data, before) in enumerate(zip((pair.first, pair.second), pair.fingerprints, strict=True)):
            if before is not None and fingerprint(data) != before:
                done = len(self.made[side])
                since = "" if done == 1 or self.spec.batched else f", or in one of the {done - 1} before it"
                what = f"changed its data{since}: it must leave them as they are"
                raise self.failure(what, (done - 1, side))

    @property
    def drew(self) -> tuple[tuple[bool, bool], tuple[bool, bool]]:
        ends = [_state(stream) for stream in self.streams]
        flags = [
            (start != after, after != end)
            for start, after, end in zip(self.starts, self.after_first, ends, strict=True)
        ]
        return flags[0], flags[1]


def _run(work: _Work, f: Callable[..., Any]) -> None:
    """All runs of a chunk, a run on d0 and one on d1 in turn."""
    spec, (first, second) = work.spec, work.made
    call = _caller(spec, f) if spec.exceptions == "stop" or spec.batched else _catching(_caller(spec, f))
    d0, d1, (r0, r1) = spec.pair.first, spec.pair.second, work.streams
    for i in range(1 if spec.batched else spec.size):
        first.append(kept(call(d0, r0)))
        second.append(kept(call(d1, r1)))
        if i == 0:
            work.first_done()


def _caller(spec: ChunkSpec, f: Callable[..., Any]) -> Callable[[Any, np.random.Generator], Any]:
    """How the callable is called: with a generator, with a seed drawn from it, or without."""
    extra = (spec.size,) if spec.batched else ()
    if spec.seeding == "seed":
        return lambda data, rng: f(data, int(rng.integers(_SEEDS)), *extra)
    if spec.seeding == "own":
        return lambda data, rng: f(data, *extra)
    return (lambda data, rng: f(data, rng, *extra)) if extra else f


def _catching(call: Callable[[Any, np.random.Generator], Any]) -> Callable[[Any, np.random.Generator], Any]:
    """The same, where an exception is an output."""

    def caught(data: Any, rng: np.random.Generator) -> Any:
        try:
            return call(data, rng)
        except (Exception, SystemExit) as error:  # noqa: BLE001 - whatever somebody else's code raises
            return Raised(type(error).__name__, str(error))

    return caught


def _scored(spec: ChunkSpec, made: list[Any]) -> list[Any]:
    """Outputs, or a batch, with the caller's scores of them."""
    given = made[0] if spec.batched else made
    try:
        scores = scores_of(resolve(spec.score or ""), given, spec.size)
    except ForeignCodeError as error:
        raise ForeignCodeError(f"score {name_of(spec.score or '')} {error}") from error
    except Exception as error:  # whatever somebody else's code raises
        raise ForeignCodeError(f"score {name_of(spec.score or '')} raised {type(error).__name__}: {error}") from error
    return [Scored(scores, given)] if spec.batched else [Scored(*pair) for pair in zip(scores, made, strict=True)]


def _strange(work: _Work, error: Exception) -> ForeignCodeError:
    """What is wrong with the first run that returned what is no output, or else with the score."""
    n, sides = work.spec.size, work.made
    calls = (
        [(0, side, n) for side in (0, 1)] if work.spec.batched else [(i, side, 0) for i in range(n) for side in (0, 1)]
    )
    for number, side, rows in calls:
        made = sides[side][number]
        try:
            Outputs.batch(made, rows) if rows else Outputs.of([made])
        except ForeignCodeError as found:
            return work.failure(str(found), (number, side))
        except Exception as found:  # noqa: BLE001
            what = f"returned a {type(made).__name__} that cannot be read"
            return work.failure(f"{what} ({type(found).__name__}: {found})", (number, side))
    if isinstance(error, ForeignCodeError):
        return error
    raise error


def _where(spec: ChunkSpec, number: int, side: int) -> str:
    """A run in words."""
    begin = 0 if spec.purpose == "search" else start_of(spec.index, batched=spec.batched)
    run = f"runs {begin} to {begin + spec.size - 1}" if spec.batched else f"run {begin + number}"
    search = f" of chunk {spec.index} of the search for a pair" if spec.purpose == "search" else ""
    data = SIDES[0] if spec.purpose == "control" else SIDES[side]
    return f"{run}{search}, on the {data} data set"


def _stream(spec: ChunkSpec, side: int) -> np.random.Generator:
    key = (PURPOSES.index(spec.purpose), spec.index, side)
    return np.random.default_rng(np.random.SeedSequence(spec.seed, spawn_key=key))


def _state(stream: np.random.Generator) -> Any:
    return stream.bit_generator.state["state"]


# ------------------------------------------------------------------------------------ what a run must not do


class OutOfPatienceError(BaseException):
    """A run lasts too long; raised inside it, past what catches exceptions there."""


@contextmanager
def _watched(work: _Work) -> Iterator[None]:
    """Note what is printed, and interrupt a run that lasts too long."""
    with heard(_Ear(work)), _alarm(work):
        yield


class _Ear(io.TextIOBase):
    """Standard output while somebody else's code runs."""

    def __init__(self, work: _Work) -> None:
        self._work = work

    def write(self, text: str) -> int:
        if not self._work.printed and text.strip():
            what = f"printed {text.strip()[:60]!r}: it must return what it has to say, and print nothing"
            self._work.printed = str(self._work.failure(what))
        return len(text)


@contextmanager
def _alarm(work: _Work) -> Iterator[None]:
    """Where signals work: every ``limit`` seconds, look whether the same run is still at work."""
    limit = min(work.spec.limit, _LONGEST)
    if threading.current_thread() is not threading.main_thread() or not hasattr(signal, "setitimer"):
        begun = time.monotonic()
        yield
        runs = 1 if work.spec.batched else 2 * work.spec.size
        if time.monotonic() - begun > limit * runs:
            raise work.failure(f"took more than {limit:g} seconds a run", (0, 0))
        return
    seen = work.run()

    def look(signum: int, frame: Any) -> None:
        nonlocal seen
        now = work.run()
        if now == seen:
            raise OutOfPatienceError
        seen = now

    before = signal.signal(signal.SIGALRM, look)
    signal.setitimer(signal.ITIMER_REAL, limit, limit)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
