"""Chunks on executors: settled in order, few in flight, failures named and tried again, nothing else lost."""

from __future__ import annotations

import json
import logging
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import BrokenExecutor, Executor, Future, ThreadPoolExecutor
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from dpref.errors import ChunkError, ForeignCodeError, InvalidArgumentError
from dpref.foreign.chunks import ChunkResult, ChunkSpec, run_chunk
from dpref.foreign.claims import DPClaim
from dpref.foreign.mechanism import audit_mechanism
from dpref.foreign.pairs import Pair
from dpref.foreign.settling import A_WORKER, ATTEMPTS, in_order
from dpref.foreign.store import Store, packed
from dpref.units import ReplaceOne

PAIR = Pair(np.zeros(3), np.ones(3))


def noisy(data: Any, rng: np.random.Generator) -> float:
    return float(data.sum() + rng.normal())


def specs(count: int = 20, target: Any = noisy) -> list[ChunkSpec]:
    return [ChunkSpec(target, PAIR, 0, index, 2) for index in range(count)]


EXPECTED = [packed(run_chunk(spec)) for spec in specs()]


class Shuffled(Executor):
    """Runs what was submitted one at a time, in an order of its own; notes how much was in flight."""

    def __init__(self, seed: int, count: int = 2) -> None:
        self.workers, self.seed, self.most, self.order = count, seed, 0, []
        self._waiting: list[tuple[Future[Any], Callable[[], Any], int]] = []
        self._lock, self._over = threading.Lock(), threading.Event()
        self._thread = threading.Thread(target=self._work)
        self._thread.start()

    order: list[int]

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        future: Future[Any] = Future()
        with self._lock:
            self._waiting.append((future, lambda: fn(*args, **kwargs), args[2].index))
            self.most = max(self.most, len(self._waiting))
        return future

    def _work(self) -> None:
        rng = np.random.default_rng(self.seed)
        while not self._over.is_set():
            time.sleep(0.0005)  # so that some are waiting
            with self._lock:
                chosen = self._waiting.pop(int(rng.integers(len(self._waiting)))) if self._waiting else None
            if chosen is None or not chosen[0].set_running_or_notify_cancel():
                continue
            self.order.append(chosen[2])
            try:
                chosen[0].set_result(chosen[1]())
            except BaseException as error:  # noqa: BLE001 - the future has it
                chosen[0].set_exception(error)

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        self._over.set()
        self._thread.join()


# ------------------------------------------------------------------------------------ order


@pytest.mark.parametrize("seed", range(3))
def test_results_come_in_order_whatever_the_order_of_arrival(seed: int) -> None:
    with Shuffled(seed) as executor:
        assert [packed(result) for result in in_order(specs(), executor)] == EXPECTED
        assert sorted(executor.order) == list(range(20)) != executor.order


def test_planted_bug_settled_as_they_arrive_they_would_come_in_another_order() -> None:
    with Shuffled(0) as executor:
        list(in_order(specs(), executor))
        arrived = [EXPECTED[index] for index in executor.order]
    assert arrived != EXPECTED
    assert sorted(arrived) == sorted(EXPECTED)


@pytest.mark.parametrize("count", [1, 3])
def test_few_chunks_are_in_flight(count: int) -> None:
    with Shuffled(1, count) as executor:
        read: list[int] = []

        def endless() -> Iterator[ChunkSpec]:
            while True:
                read.append(len(read))
                yield ChunkSpec(noisy, PAIR, 0, len(read) - 1, 2)

        results = in_order(endless(), executor)
        for settled in range(1, 8):
            next(results)
            assert len(read) <= settled + A_WORKER * count
        results.close()
        assert 1 < executor.most <= A_WORKER * count


def test_threads_of_any_number_and_the_loop_agree(tmp_path: Path) -> None:
    for count in (1, 8):
        with ThreadPoolExecutor(count) as executor:
            store = Store(tmp_path / str(count))
            assert [packed(result) for result in in_order(specs(), executor, store)] == EXPECTED
            assert [packed(result) for result in in_order(specs(), executor, store)] == EXPECTED
            assert (store.found, store.written) == (20, 20)
            assert [packed(result) for result in in_order(specs(), None, store)] == EXPECTED


def test_an_audit_that_is_over_keeps_what_was_done_and_runs_no_more(tmp_path: Path) -> None:
    with Shuffled(2) as executor:
        store = Store(tmp_path)
        results = in_order(specs(), executor, store)
        next(results)
        results.close()
        assert 1 <= store.written <= 1 + A_WORKER * 2
        done = len(executor.order)
        time.sleep(0.01)
        assert len(executor.order) <= done + 1  # the one that was running


# ------------------------------------------------------------------------------------ failures


class Failing:
    """Runs a chunk, but one of them raises so many times before."""

    def __init__(
        self, index: int, times: int, error: Callable[[], BaseException] = lambda: OSError("no route")
    ) -> None:
        self.index, self.times, self.error, self.tried = index, times, error, 0

    def __call__(self, spec: ChunkSpec) -> ChunkResult:
        if spec.index == self.index and self.tried < self.times:
            self.tried += 1
            raise self.error()
        return run_chunk(spec)


@pytest.mark.parametrize("threads", [0, 4])
def test_a_chunk_that_fails_is_tried_again(threads: int, caplog: pytest.LogCaptureFixture, tmp_path: Path) -> None:
    executor = ThreadPoolExecutor(threads) if threads else None
    failing, store = Failing(5, ATTEMPTS - 1), Store(tmp_path)
    with caplog.at_level(logging.WARNING):
        assert [packed(result) for result in in_order(specs(), executor, store, failing)] == EXPECTED
    assert (failing.tried, store.written) == (2, 20)
    (line,) = caplog.messages
    assert "chunk 5 of tests.test_foreign_settling:noisy failed: OSError: no route; tried again" in line


@pytest.mark.parametrize("threads", [0, 4])
def test_a_chunk_that_fails_for_good_is_named_and_nothing_else_is_lost(threads: int, tmp_path: Path) -> None:
    executor = ThreadPoolExecutor(threads) if threads else None
    failing, store = Failing(5, ATTEMPTS), Store(tmp_path)
    results = in_order(specs(), executor, store, failing)
    assert [packed(next(results)) for _ in range(5)] == EXPECTED[:5]
    with pytest.raises(ChunkError, match=r"chunk 5 of .*noisy failed: OSError: no route \(tried 3 times"):
        next(results)
    assert store.written >= (5 if threads == 0 else 6)
    again = Store(tmp_path)
    assert [packed(result) for result in in_order(specs(), executor, again)] == EXPECTED
    assert (again.found, again.written) == (store.written, 20 - store.written)


def test_of_several_failures_the_first_in_order_is_raised() -> None:
    def run(spec: ChunkSpec) -> ChunkResult:
        if spec.index in {3, 4, 7}:
            raise ForeignCodeError(f"chunk {spec.index} it was")
        return run_chunk(spec)

    for seed in range(4):
        with Shuffled(seed) as executor, pytest.raises(ForeignCodeError, match="chunk 3 it was"):
            list(in_order(specs(), executor, None, run))


def test_bad_usage_is_not_tried_again() -> None:
    failing = Failing(0, 9, lambda: InvalidArgumentError("f", 1, "must be a callable"))
    with pytest.raises(InvalidArgumentError):
        list(in_order(specs(), None, None, failing))
    assert failing.tried == 1


class Mortal(Executor):
    """A pool that dies with one chunk, so many times, and takes what is in flight with it; it can be made anew."""

    workers = 2

    def __init__(self, index: int, times: int) -> None:
        self.index, self.times, self.broken, self.made = index, times, False, 1
        self.flight: list[tuple[Future[Any], Callable[[], Any]]] = []

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        if self.broken:
            raise BrokenExecutor("a worker died")
        future: Future[Any] = Future()
        if args[2].index == self.index and self.times:
            self.times -= 1
            self.broken = True
            future.set_exception(BrokenExecutor("a worker died"))
            for other, _ in self.flight:
                other.set_exception(BrokenExecutor("a worker died"))
            self.flight.clear()
            return future
        self.flight.append((future, lambda: fn(*args, **kwargs)))
        if len(self.flight) > 3 or args[2].index > 15 or self.made > 1:
            for other, call in self.flight:
                other.set_result(call())
            self.flight.clear()
        return future

    def renew(self) -> None:
        self.broken, self.made = False, self.made + 1


def test_a_chunk_that_kills_its_worker_is_found_and_tried_again(tmp_path: Path) -> None:
    executor, store = Mortal(6, 2), Store(tmp_path)
    assert [packed(result) for result in in_order(specs(), executor, store)] == EXPECTED
    assert (executor.made, store.written) == (3, 20)


class DeadAtTheDoor(Executor):
    """Takes what it is given until the last chunk of all, which it refuses as broken, with all that it has."""

    workers = 5

    def __init__(self) -> None:
        self.made = 1

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        if self.made == 1 and args[2].index == 19:
            raise BrokenExecutor("a worker died")
        future: Future[Any] = Future()
        if self.made > 1:
            future.set_result(fn(*args, **kwargs))
        return future

    def renew(self) -> None:
        self.made += 1


def test_a_pool_that_breaks_while_the_last_chunk_is_submitted_loses_none() -> None:
    executor = DeadAtTheDoor()
    assert [packed(result) for result in in_order(specs(), executor)] == EXPECTED
    assert executor.made == 2


def test_a_cluster_that_shrinks_while_a_chunk_is_tried_again_loses_none() -> None:
    """Later chunks fill all the room that is left, and wait for one that has to be run again."""
    with Shuffled(0, 3) as executor:

        def run(spec: ChunkSpec) -> ChunkResult:
            if spec.index == 0 and executor.workers == 3:
                while len(executor.order) < 1:
                    time.sleep(0.001)
                executor.workers = 1
                raise OSError("the worker is gone")
            return run_chunk(spec)

        assert [packed(result) for result in in_order(specs(), executor, None, run)] == EXPECTED


def test_a_chunk_that_always_kills_its_worker_is_named(tmp_path: Path) -> None:
    executor, store = Mortal(6, 99), Store(tmp_path)
    with pytest.raises(ChunkError, match=r"chunk 6 of .*noisy failed: BrokenExecutor: a worker died \(tried 3 times"):
        list(in_order(specs(), executor, store))
    assert executor.made == 1 + 1 + ATTEMPTS
    assert store.written >= 6


def test_an_executor_that_cannot_be_made_anew_says_what_it_ran(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delattr(Mortal, "renew")
    store = Store(tmp_path)
    with pytest.raises(ChunkError, match=r"broke while it ran chunk 4, 5, 6, 7 .*a new one; what was done is kept"):
        list(in_order(specs(), Mortal(6, 1), store))
    assert store.written == 4  # of a flight of four


# ------------------------------------------------------------------------------------ whole audits


def batch(data: Any, rng: np.random.Generator, n: int) -> Any:
    return data.sum() + rng.laplace(scale=1.0, size=n)


def audited(trials: int, **where: Any) -> str:
    pair = (np.zeros(9), np.eye(9)[0])
    found = audit_mechanism(
        batch, pair, DPClaim(Fraction(1)), adjacency=ReplaceOne, trials=trials, batched=True, learn=False, **where
    )
    assert found.outcome == "not refuted"
    return json.dumps(found.to_json(), sort_keys=True)


@pytest.mark.slow
def test_the_verdict_is_the_same_byte_for_byte_wherever_and_however_often_it_is_begun(tmp_path: Path) -> None:
    short, long = audited(400), audited(1_000)
    for count in (1, 8):
        with ThreadPoolExecutor(count) as executor:
            assert audited(400, executor=executor) == short
    with Shuffled(3) as executor:
        assert audited(400, executor=executor, store=tmp_path / "a") == short
        # A longer audit in the same store is the one that was long from the beginning.
        store = Store(tmp_path / "a", resume=True)
        assert audited(1_000, executor=executor, store=store) == long
        assert store.found > 0
    (damaged, *_) = sorted((tmp_path / "a").glob("*/*.npz"))
    damaged.write_bytes(damaged.read_bytes()[:-9])
    again = Store(tmp_path / "a")
    assert audited(1_000, store=again) == long
    assert (again.written, len(again.torn)) == (1, 1)


def test_a_run_with_randomness_of_its_own_is_not_made_again() -> None:
    """Tried again it would be another run, and what is left those that did not fail."""
    calls: list[int] = []

    def fails_once(data: Any, rng: Any = None) -> float:
        calls.append(0)
        if len(calls) == 1:
            raise ValueError("unlucky")
        return 0.0

    own = ChunkSpec(fails_once, PAIR, 0, 0, 2, seeding="own")
    with pytest.raises(ForeignCodeError, match="unlucky"):
        list(in_order([own]))
    assert len(calls) == 1
    calls.clear()
    assert len(list(in_order([ChunkSpec(fails_once, PAIR, 0, 0, 2)]))) == 1
