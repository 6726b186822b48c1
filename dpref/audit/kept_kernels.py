"""Kernels that were compiled once are loaded: numba's cache on disk, in a folder under everything that it depends on.

Numba itself looks at the file of the kernel that it loads and not at those whose functions the kernel calls.  Here the
folder's name is a digest of the library's whole text, of numba, numpy and Python, and of how numba is set up, so that
code of another text is never found.  Compiled code is trusted as Python's own ``__pycache__`` is: it lies in the user's
cache folder, and never in a folder that somebody names for runs.
"""

from __future__ import annotations

import hashlib
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from types import ModuleType
from typing import IO, Any, Final

from dpref.audit.kept_runs import altered, fingerprint
from dpref.version import VERSION

_SHARED: Final = "dpref.kernels."


def keep_kernels(folder: Path, kernel: ModuleType) -> None:
    """Let a kernel, and the functions that it calls, be taken from a folder, and kept there when they are compiled.

    Kernels that have a cache already keep it.  A folder that cannot be written, or a file in it that cannot be read,
    costs the time of compiling and nothing else.  Where the library's files were written since they were loaded
    nothing is kept: what this process compiles is not of the text that the folder would be named after.

    Args:
        folder: The user's; what is kept lies in a folder below it.
        kernel: The kernel's module.
    """
    if altered():
        return
    from numba.core import caching, registry  # noqa: PLC0415 - numba loads where it is asked for
    from numba.core import config as numba_config  # noqa: PLC0415 - as above

    config: Any = numba_config  # its names are set when it is loaded
    at = folder / f"{VERSION}-{digest(config)[:12]}"
    with suppress(OSError):
        at.mkdir(parents=True, exist_ok=True)
    before = config.CACHE_DIR
    config.CACHE_DIR = str(at)
    try:
        for name in [kernel.__name__, *(m for m in sys.modules if m.startswith(_SHARED))]:
            for compiled in list(vars(sys.modules[name]).values()):
                # Numba answers no other question about what a function's cache is.
                if isinstance(compiled, registry.CPUDispatcher) and isinstance(_cache(compiled), caching.NullCache):
                    with suppress(OSError, RuntimeError):  # no place that can be written
                        compiled.enable_caching()
                        _guard(_cache(compiled), at / "lock")
    finally:
        config.CACHE_DIR = before


def digest(config: Any) -> str:
    """Of everything that compiled code depends on, besides the processor, which numba's own index names."""
    setup = [f"{name}={value}" for name, value in sorted(os.environ.items()) if name.startswith("NUMBA_")]
    made_by = "\n".join([fingerprint(), f"svml {config.USING_SVML}", *setup])
    return hashlib.sha256(made_by.encode()).hexdigest()


def _cache(compiled: Any) -> Any:
    return compiled._cache  # noqa: SLF001


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
