"""Where chunks are run: threads, processes, joblib's loky, Dask, Ray, or any executor of one's own.

Everything that submits a call and returns a future (PEP 3148) will do.  What is not of the standard library is imported
when it is asked for.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor
from contextlib import contextmanager
from importlib import import_module
from multiprocessing import get_context
from pathlib import Path
from typing import Any, Final, TypeVar, final

from dpref.checks import natural
from dpref.errors import InvalidArgumentError, MissingExtraError

R = TypeVar("R")
S = TypeVar("S")

NAMES: Final = "threads, processes, loky, ray, dask:ADDRESS or package.module:function (which returns an executor)"
PATIENCE: Final = 20  # seconds to wait for a cluster


def workers(executor: Executor) -> int:
    """How many calls an executor carries at a time, by its own word; the CPUs of this machine where it says nothing.

    Args:
        executor: Of `named_executor`, of the standard library, of loky or of Dask's client, or another.

    >>> workers(ThreadPoolExecutor(3))
    3
    """
    count = getattr(executor, "workers", None) or getattr(executor, "_max_workers", None)
    client = getattr(executor, "_client", None)
    if count is None and client is not None:
        count = sum(client.nthreads().values())
    return max(1, int(count or os.cpu_count() or 1))


def home() -> str | None:
    """The folder that this process was started in, if it imports modules from there."""
    here = str(Path.cwd())
    return here if {"", here} & set(sys.path) else None


def at_home(folder: str | None, call: Callable[[S], R], argument: S) -> R:
    """Call a function where a folder's modules can be imported, as they could where it was submitted.

    Args:
        folder: Of `home`.
        call: The function.
        argument: What it is called with.
    """
    if folder is not None and not {"", folder} & set(sys.path) and Path(folder).is_dir():
        sys.path.append(folder)
    return call(argument)


class RenewedPool(Executor):
    """A pool of processes that can be made anew when one of them has died and broken it.

    Args:
        count: Of how many processes.

    Attributes:
        workers: How many processes.
    """

    def __init__(self, count: int) -> None:
        self.workers: int = natural("jobs", count)
        self._pool = self.make()

    def make(self) -> Executor:
        """A fresh pool: spawned, since a fork of a process with threads may never end."""
        return ProcessPoolExecutor(self.workers, mp_context=get_context("spawn"))

    def submit(self, fn: Callable[..., R], /, *args: Any, **kwargs: Any) -> Future[R]:
        """Submit to the present pool."""
        return self._pool.submit(fn, *args, **kwargs)

    def renew(self) -> None:
        """Give up the present pool and make another."""
        self.shutdown(wait=False, cancel_futures=True)
        self._pool = self.make()

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """Shut down the present pool."""
        self._pool.shutdown(wait=wait, cancel_futures=cancel_futures)


@final
class LokyPool(RenewedPool):
    """joblib's processes."""

    def make(self) -> Executor:
        """A fresh pool."""
        pool: Executor = _imported("joblib.externals.loky", "joblib").ProcessPoolExecutor(self.workers)
        return pool

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """Shut down the present pool; its processes are ended with it, not only what waits for them."""
        stop: Callable[..., None] = self._pool.shutdown
        stop(wait=wait, kill_workers=cancel_futures)


@final
class RayExecutor(Executor):
    """Submits to Ray, as an executor.

    Args:
        address: Of a cluster, or None to start or find a local one.

    Attributes:
        workers: The CPUs of the cluster.
    """

    def __init__(self, address: str | None = None) -> None:
        self._ray = _imported("ray", "ray")
        if not self._ray.is_initialized():
            self._ray.init(address=address)
        self.workers: int = int(self._ray.cluster_resources().get("CPU", 1))

    def submit(self, fn: Callable[..., R], /, *args: Any, **kwargs: Any) -> Future[R]:
        """Submit a task."""
        future: Future[R] = self._ray.remote(fn).remote(*args, **kwargs).future()
        return future


def _dask(address: str) -> Iterator[Executor]:
    distributed = _imported("distributed", "distributed")
    try:
        client = distributed.Client(address, timeout=PATIENCE, set_as_default=False)
    except (OSError, ValueError) as error:
        raise InvalidArgumentError("executor", f"dask:{address}", f"no cluster answers there ({error})") from None
    with client:
        try:
            client.wait_for_workers(1, timeout=PATIENCE)
        except TimeoutError:
            raise InvalidArgumentError("executor", f"dask:{address}", "the cluster has no workers") from None
        # Impure: a chunk that is tried again must not be answered from the failure of the first try.
        yield client.get_executor(pure=False)


def _imported(module: str, package: str) -> Any:
    try:
        return import_module(module)
    except ImportError as error:
        raise MissingExtraError(f"executor: needs the package {package} (pip install {package}): {error}") from error


@contextmanager
def named_executor(name: str, jobs: int) -> Iterator[Executor]:
    """An executor by name, shut down afterwards.

    Args:
        name: ``threads``, ``processes``, ``loky``, ``ray``, ``dask:ADDRESS``, or ``package.module:function`` of a
            function without arguments that returns an executor.
        jobs: How many threads or processes; clusters have their own number.

    Yields:
        The executor.

    Raises:
        InvalidArgumentError: If there is none of that name, or no cluster at the address.
        MissingExtraError: If its package is not installed.

    >>> with named_executor("threads", 2) as executor:
    ...     executor.submit(divmod, 7, 2).result()
    (3, 1)
    """
    kind, colon, rest = name.partition(":")
    if kind == "dask" and rest:
        yield from _dask(rest)
        return
    with _made(name, kind if colon else "", rest, natural("jobs", jobs)) as executor:
        try:
            yield executor
        except BaseException:
            executor.shutdown(wait=False, cancel_futures=True)
            raise


def _made(name: str, module: str, function: str, jobs: int) -> Executor:
    if name == "threads":
        return ThreadPoolExecutor(jobs)
    if name in {"processes", "loky"}:
        return RenewedPool(jobs) if name == "processes" else LokyPool(jobs)
    if name == "ray":
        return RayExecutor()
    if not (module and function):
        raise InvalidArgumentError("executor", name, f"must be {NAMES}")
    try:
        made = getattr(import_module(module), function)()
    except (ImportError, AttributeError) as error:
        raise InvalidArgumentError("executor", name, f"cannot be found ({error}); it must be {NAMES}") from None
    if not isinstance(made, Executor):
        raise InvalidArgumentError("executor", name, f"must return a concurrent.futures.Executor, not {made!r}")
    return made
