"""Kernels that were compiled once are loaded: numba's cache on disk, in a folder under everything that it depends on.

Numba itself looks at the file of the kernel that it loads and not at those whose functions the kernel calls.  Here the
folder's name is a digest of the library's whole text, of numba, numpy and Python, and of how numba is set up, so that
code of another text is never found.  Compiled code is trusted as Python's own ``__pycache__`` is: it lies in the user's
cache folder, and never in a folder that somebody names for runs.
"""

from __future__ import annotations

import hashlib
import logging
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Any, Final

from dpref.audit.kept_runs import altered, fingerprint
from dpref.version import VERSION

_SHARED: Final = "dpref.kernels."
_READ: Final = ("CACHE_DIR", "USING_SVML", "load_overload", "save_overload", "flush", "enable_caching")
_NOT_KEPT: Final = "kernels are compiled anew by every process: numba has changed (%s)"
_log: Final = logging.getLogger(__name__)


def keep_kernels(folder: Path, kernel: str) -> None:
    """Let a kernel, and the functions that it calls, be taken from a folder, and kept there when they are compiled.

    Kernels that have a cache already keep it.  A folder that cannot be written, or a file in it that cannot be read,
    costs the time of compiling and nothing else, and so does a numba whose inside has changed.  Where the library's
    files were written since they were loaded nothing is kept: what this process compiles is not of the text that the
    folder would be named after.

    Args:
        folder: The user's; what is kept lies in a folder below it.
        kernel: The name of the kernel's module, which is imported already.
    """
    inside = numbas_inside()
    if inside is None or altered():
        return
    config, keeps_nothing = inside
    from numba.extending import is_jitted  # noqa: PLC0415 - numba loads where it is asked for

    at = folder / f"{VERSION}-{digest(config)[:12]}"
    with suppress(OSError):
        at.mkdir(parents=True, exist_ok=True)
    before = config.CACHE_DIR
    config.CACHE_DIR = str(at)
    try:
        for name in [kernel, *(m for m in sys.modules if m.startswith(_SHARED))]:
            for compiled in list(vars(sys.modules[name]).values()):
                if is_jitted(compiled) and isinstance(_cache(compiled), keeps_nothing):
                    with suppress(OSError, RuntimeError):  # no place that can be written
                        compiled.enable_caching()
                        _guard(_cache(compiled), at / "lock")
    finally:
        config.CACHE_DIR = before


def numbas_inside() -> tuple[Any, type] | None:
    """Return numba's settings and the class of a cache that keeps nothing, or None where numba's inside has changed.

    Numba has no public way to ask where a function's cache is, or to take turns at it.  Everything private that this
    module reads is looked for here, before anything is changed: without it kernels are compiled by every process.
    """
    try:
        from numba import config  # noqa: PLC0415 - numba loads where it is asked for
        from numba.core.caching import FunctionCache, NullCache  # noqa: PLC0415 - as above
        from numba.core.dispatcher import Dispatcher  # noqa: PLC0415 - as above
    except ImportError as error:
        _log.info(_NOT_KEPT, error)
        return None
    owners: tuple[Any, ...] = (config, config, FunctionCache, FunctionCache, FunctionCache, Dispatcher)
    for owner, name in zip(owners, _READ, strict=True):
        if not hasattr(owner, name):
            _log.info(_NOT_KEPT, f"{owner.__name__} has no {name}")
            return None
    return config, NullCache


def digest(config: Any) -> str:
    """Of everything that compiled code depends on, besides the processor, which numba's own index names."""
    setup = [f"{name}={value}" for name, value in sorted(os.environ.items()) if name.startswith("NUMBA_")]
    made_by = "\n".join([fingerprint(), f"svml {config.USING_SVML}", *setup])
    return hashlib.sha256(made_by.encode()).hexdigest()


def _cache(compiled: Any) -> Any:
    return getattr(compiled, "_cache", None)


def _guard(cache: Any, lock: Path) -> None:
    """Let one process at a time read or write: numba's index of a kernel is not safe against two writers."""
    load, save = cache.load_overload, cache.save_overload

    def guarded_load(*given: Any) -> Any:
        with suppress(OSError), _locked(lock):
            try:
                return load(*given)
            except Exception:  # noqa: BLE001 - whatever a torn file makes of unpickling, the kernel is compiled anew
                cache.flush()
        return None

    def guarded_save(*given: Any) -> None:
        with suppress(OSError), _locked(lock):  # a full disk costs the next process time, and this one nothing
            save(*given)

    cache.load_overload, cache.save_overload = guarded_load, guarded_save


@contextmanager
def _locked(path: Path) -> Iterator[None]:
    """Wait until no other process is inside; a process that is killed lets go.

    Raises:
        OSError: If there are no locks here.
    """
    with path.open("w") as stream:
        _lock()(stream)
        yield


def _lock() -> Callable[[IO[str]], None]:
    try:
        import fcntl  # noqa: PLC0415 - there is none on Windows, where nothing is kept
    except ImportError:
        raise OSError("no locks") from None
    return lambda stream: fcntl.flock(stream, fcntl.LOCK_EX)
