"""A change in a forked child: the functions' code is swapped, the killers run until one of them fails."""

from __future__ import annotations

import functools
import gc
import importlib
import json
import os
import resource
import select
import signal
import sys
import threading
import time
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import CodeType, FrameType, FunctionType
from typing import Any, Final, NoReturn

import dpref.reals
from property_tests.library_mutants import changes, constants, scope
from property_tests.library_mutants.killers import NeedsCompiler, TimeUp

_SIZES: Final = Path("/proc/self/statm")  # where there is none, memory is not limited
_MEMORY: Final = 4 << 30  # what a child may allocate more than its parent

Key = tuple[str, str, int]  # file, qualified name, first line


def key(code: CodeType) -> Key:
    """What tells one code object of the library from another, in the changed module as in the original."""
    return code.co_filename, code.co_qualname, code.co_firstlineno


def name_of(where: Key) -> str:
    """The name under which a code object's function stands in the results."""
    path, qualname, _ = where
    return f"{scope.module_of(path)}:{qualname.replace('<locals>.', '')}"


@functools.cache
def live() -> Mapping[Key, Sequence[FunctionType]]:
    """Every function of the library that exists now, however it is reached."""
    found: dict[Key, list[FunctionType]] = defaultdict(list)
    for thing in gc.get_objects():
        if isinstance(thing, FunctionType) and thing.__code__.co_filename.startswith(str(scope.LIBRARY)):
            found[key(thing.__code__)].append(thing)
    return found


def ready() -> None:
    """Look for functions and caches once, before the first child, and keep the collector off what is shared."""
    for module in scope.modules():
        importlib.import_module(module)
    live()
    _caches()
    gc.collect()
    gc.freeze()


def forget() -> None:
    """Empty every cache of the library and of the proofs."""
    for thing in _caches():
        thing.cache_clear()


@functools.cache
def _caches() -> tuple[Any, ...]:
    wrappers = (t for t in gc.get_objects() if isinstance(t, functools._lru_cache_wrapper))
    return tuple(w for w in wrappers if str(getattr(w, "__module__", "")).startswith(("dpref", "proofs", "tests")))


def plant(mutant: changes.Mutant) -> None:
    """Give every function that the change touches its new code."""
    path = str(scope.path_of(mutant.module))
    new = {key(c): c for c in _codes(compile(changes.changed(mutant), path, "exec", dont_inherit=True))}
    planted = 0
    for where, code in new.items():
        for function in live().get(where, ()):
            if function.__code__ != code:
                function.__code__ = code
                planted += 1
                for name in code.co_names:  # the opposite direction of rounding need not be imported
                    if hasattr(dpref.reals, name):
                        function.__globals__.setdefault(name, getattr(dpref.reals, name))
    if not planted:
        raise RuntimeError(f"{mutant.name}: no function to change at line {mutant.line}")


def _codes(code: CodeType) -> list[CodeType]:
    inner = [c for c in code.co_consts if isinstance(c, CodeType)]
    return [code, *(d for c in inner for d in _codes(c))]


# ------------------------------------------------------------------------------------ children


@dataclass(frozen=True)
class Outcome:
    """What a child says, or what its end says.

    Attributes:
        value: What the work returned; None if the child did not come to its end.
        end: ``done``; ``time`` where a limit stopped it; ``crash``; or what the work raised.
        seconds: Of processor time.
    """

    value: Any
    end: str
    seconds: float


def in_child(work: Callable[[], Any], limit: float) -> Outcome:
    """Run work in a forked child of limited processor time and memory; what it returns must be JSON."""
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(read)
        _work_and_exit(work, limit, write)
    os.close(write)
    answer, stopped = _answer(child, read, 20 * limit + 60)  # a child that sleeps uses no processor time
    _, status, usage = os.wait4(child, 0)
    seconds = usage.ru_utime + usage.ru_stime
    if status == 0:
        value, error = json.loads(answer)
        return Outcome(value, error or "done", seconds)
    by = os.WTERMSIG(status) if os.WIFSIGNALED(status) else 0
    return Outcome(None, "time" if stopped or by in (signal.SIGXCPU, signal.SIGKILL) else "crash", seconds)


def _work_and_exit(work: Callable[[], Any], limit: float, write: int) -> NoReturn:
    status = 1
    try:
        silence = os.open(os.devnull, os.O_WRONLY)
        os.dup2(silence, 1)
        os.dup2(silence, 2)
        resource.setrlimit(resource.RLIMIT_CPU, (int(limit) + 2, int(limit) + 4))
        if _SIZES.exists():
            most = int(_SIZES.read_text(encoding="ascii").split()[0]) * resource.getpagesize() + _MEMORY
            resource.setrlimit(resource.RLIMIT_AS, (most, most))
        try:
            answer = json.dumps([work(), None])
        except Exception as e:  # noqa: BLE001 - told to the parent
            answer = json.dumps([None, f"{type(e).__name__}: {e}"])
        with os.fdopen(write, "wb") as pipe:
            pipe.write(answer.encode())
        status = 0
    finally:
        os._exit(status)


def _answer(child: int, read: int, patience: float) -> tuple[bytes, bool]:
    """What a child writes, and whether it had to be stopped."""
    answer, end = b"", time.monotonic() + patience
    with os.fdopen(read, "rb") as pipe:
        while select.select([pipe], [], [], max(end - time.monotonic(), 0))[0]:
            part = os.read(pipe.fileno(), 1 << 16)
            if not part:
                return answer, False
            answer += part
    os.kill(child, signal.SIGKILL)
    return answer, True


def limited(run: Callable[[], bool | None], seconds: float) -> bool | None:
    """Run a killer for at most that much processor time.

    Raises:
        TimeUp: If it takes longer.
    """

    def ring(_number: int, _frame: FrameType | None) -> None:
        raise TimeUp

    old = signal.signal(signal.SIGPROF, ring)
    signal.setitimer(signal.ITIMER_PROF, seconds, 1.0)
    try:
        return run()
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, old)


def first_that_fails(
    mutant: changes.Mutant, order: Sequence[str], run: Mapping[str, Callable[[], bool | None]], limits: Sequence[float]
) -> tuple[str, str]:
    """The killer of a mutant, and how: ``fails``, ``time``; ("", "survives") if none of them notices."""
    forget()
    try:
        (constants.bind if mutant.at_import else plant)(mutant)
    except ValueError:
        return "", "unplanted"
    for name, seconds in zip(order, limits, strict=True):
        try:
            if limited(run[name], seconds) is False:
                return name, "fails"
        except TimeUp:
            return name, "time"
        except NeedsCompiler:
            continue
        except MemoryError:
            return name, "memory"
        except Exception:  # noqa: BLE001 - a killer that breaks has noticed
            return name, "fails"
    return "", "survives"


# ------------------------------------------------------------------------------------ who executes what


def executed(run: Callable[[], bool | None], seconds: float) -> tuple[bool | None, list[Key]]:
    """Whether a killer passes, and the functions of the library that it calls."""
    seen: set[CodeType] = set()

    def note(frame: FrameType, _event: str, _argument: object) -> None:
        seen.add(frame.f_code)  # called once a call: no line is traced

    forget()
    threading.settrace(note)
    sys.settrace(note)
    try:
        passed = limited(run, seconds)
    except (TimeUp, NeedsCompiler, MemoryError):
        return None, []
    finally:
        sys.settrace(None)
        threading.settrace(None)
    return passed, sorted({key(c) for c in seen if c.co_filename.startswith(str(scope.LIBRARY))})
