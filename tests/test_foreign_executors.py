"""Executors by name, their workers, and those of other packages."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from dpref.errors import InvalidArgumentError, MissingExtraError
from dpref.foreign.executors import RayExecutor, RenewedPool, at_home, home, named_executor, workers
from dpref.foreign.settling import in_order
from dpref.foreign.store import packed
from tests.test_foreign_settling import EXPECTED, specs


def test_names_of_executors_and_their_refusals(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("nobody", "dask:", ":x", "threads:3"):
        with (
            pytest.raises(InvalidArgumentError, match=r"executor = .*must be threads, processes"),
            named_executor(name, 1),
        ):
            pass
    for name in ("tests.test_foreign_executors:nothing", "no.such.module:x"):
        with pytest.raises(InvalidArgumentError, match="cannot be found"), named_executor(name, 1):
            pass
    with pytest.raises(InvalidArgumentError, match=r"must return a concurrent\.futures\.Executor"):  # noqa: SIM117
        with named_executor("tests.test_foreign_executors:specs", 1):
            pass
    with pytest.raises(InvalidArgumentError, match="jobs"), named_executor("threads", 0):
        pass
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(MissingExtraError, match="needs the package ray"), named_executor("ray", 1):
        pass


def four_threads() -> Executor:
    return ThreadPoolExecutor(4)


def test_executors_by_name_and_their_workers() -> None:
    with named_executor("threads", 3) as threads, named_executor("tests.test_foreign_executors:four_threads", 1) as own:
        assert (workers(threads), workers(own)) == (3, 4)
        assert threads.submit(divmod, 7, 2).result() == (3, 1)
    assert workers(Executor()) >= 1


class RenewedThreads(RenewedPool):
    """Of threads, so that nothing is started for the test."""

    def make(self) -> Executor:
        return ThreadPoolExecutor(self.workers)


def test_a_pool_is_made_anew() -> None:
    with RenewedThreads(2) as pool:
        first = pool.submit(threading.current_thread).result()
        pool.renew()
        assert pool.submit(threading.current_thread).result() is not first
        assert workers(pool) == 2


class PretendedRay:
    """As much of Ray as the adapter asks for."""

    def __init__(self) -> None:
        self.started: list[Any] = []

    def is_initialized(self) -> bool:
        return bool(self.started)

    def init(self, *, address: str | None) -> None:
        self.started.append(address)

    def cluster_resources(self) -> dict[str, float]:
        return {"CPU": 3.0}

    def remote(self, fn: Callable[..., Any]) -> Any:
        class Reference:
            def remote(self, *args: Any, **kwargs: Any) -> Any:
                self.found: Future[Any] = Future()
                self.found.set_result(fn(*args, **kwargs))
                return self

            def future(self) -> Future[Any]:
                return self.found

        return Reference()


def test_ray_is_an_executor(monkeypatch: pytest.MonkeyPatch) -> None:
    ray = PretendedRay()
    monkeypatch.setitem(sys.modules, "ray", ray)
    with named_executor("ray", 1) as executor:
        assert isinstance(executor, RayExecutor)
        assert workers(executor) == 3
        assert [packed(result) for result in in_order(specs(), executor)] == EXPECTED
    assert ray.started == [None]


def test_modules_of_the_folder_where_it_was_started_are_found_elsewhere(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "only_here.py").write_text("def f(x):\n    return x + 1\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend("")
    assert home() == str(tmp_path)
    monkeypatch.undo()
    monkeypatch.setattr("sys.path", list(sys.path))
    assert home() != str(tmp_path)

    def call(x: int) -> int:
        found: int = __import__("only_here").f(x)
        return found

    assert at_home(str(tmp_path), call, 1) == 2
    assert at_home(None, abs, -1) == 1
