"""Calls of a function as the killers make them, kept and made again after a change."""

from __future__ import annotations

import copy
import math
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass
from fractions import Fraction
from types import CodeType, FrameType, FunctionType
from typing import Any, Final

import numpy as np
from flint import arb

from property_tests.library_mutants import scope

_CALLS: Final = 40  # of each function
_CLOSE: Final = 2.0**-40  # of numbers that two precisions round to


@dataclass(frozen=True)
class Call:
    """One call: whose, with what, and what came of it."""

    function: FunctionType
    arguments: tuple[Any, ...]
    result: object


def recorded(
    functions: Mapping[CodeType, FunctionType], runs: Sequence[Callable[[], bool | None]], enough: int = _CALLS
) -> list[Call]:
    """Run killers and keep the calls of some functions, each with a copy of its arguments."""
    calls: list[Call] = []
    counts: dict[CodeType, int] = {}

    def watch(frame: FrameType, _event: str, _argument: object) -> Callable[..., Any] | None:
        code = frame.f_code
        if code not in functions or counts.get(code, 0) >= enough or code.co_flags & _STARRED:
            return None
        counts[code] = counts.get(code, 0) + 1
        names = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
        arguments = tuple(_copied(frame.f_locals[name]) for name in names)

        def leave(_frame: FrameType, event: str, result: object) -> Callable[..., Any]:
            if event == "return":
                calls.append(Call(functions[code], arguments, _copied(result)))
            return leave

        frame.f_trace_lines = False
        return leave

    sys.settrace(watch)
    try:
        for run in runs:
            run()
    finally:
        sys.settrace(None)
    return calls


_STARRED: Final = 0x04 | 0x08 | 0x20 | 0x80  # *args, **kwargs, generators and coroutines


def _copied(thing: Any) -> Any:
    try:
        return copy.deepcopy(thing)
    except Exception:  # noqa: BLE001 - what cannot be copied (a ball, a function) does not change either
        return thing


def again(call: Call) -> object:
    """Make the call once more; an exception is a result like any other."""
    code = call.function.__code__
    positional = call.arguments[: code.co_argcount]
    names = code.co_varnames[code.co_argcount : code.co_argcount + code.co_kwonlyargcount]
    try:
        result: object = call.function(*positional, **dict(zip(names, call.arguments[code.co_argcount :], strict=True)))
    except Exception as e:  # noqa: BLE001 - compared with what the unchanged function did
        return f"{type(e).__name__}: {e}"
    return result


def agree(a: Any, b: Any) -> bool:  # noqa: PLR0911 - one line a kind
    """Whether two results can be the same: balls overlap, intervals intersect, numbers agree to 40 bits.

    >>> agree(arb(1), arb(2)), agree((1.0, "a"), (1.0, "a")), agree(1.0, 1.0 + 1e-9), agree([1], [1, 2])
    (False, True, False, False)
    """
    match a, b:
        case arb(), arb():
            return bool(a.is_finite() == b.is_finite() and (a.overlaps(b) or not a.is_finite()))
        case float(), float():
            return a == b or (math.isnan(a) and math.isnan(b)) or abs(a - b) <= _CLOSE * max(abs(a), abs(b))
        case Fraction(), Fraction():
            return abs(a - b) <= Fraction(_CLOSE) * max(abs(a), abs(b))
        case np.ndarray(), np.ndarray():
            return a.shape == b.shape and all(agree(x, y) for x, y in zip(a.ravel(), b.ravel(), strict=True))
        case (list() | tuple(), list() | tuple()):
            return len(a) == len(b) and all(agree(x, y) for x, y in zip(a, b, strict=True))
        case dict(), dict():
            return a.keys() == b.keys() and all(agree(a[k], b[k]) for k in a)
    if callable(a) and callable(b) and not isinstance(a, type):
        return True
    if is_dataclass(a) and type(a) is type(b) and not isinstance(a, type):
        return all(agree(getattr(a, f.name), getattr(b, f.name)) for f in fields(a) if f.name not in _EFFORT)
    return type(a) is type(b) and bool(a == b)


_EFFORT: Final = ("precision",)  # of an interval: how many bits it took, not what it holds


def of(functions: Sequence[FunctionType]) -> dict[CodeType, FunctionType]:
    """Functions by their code, those of the library only."""
    return {f.__code__: f for f in functions if f.__code__.co_filename.startswith(str(scope.LIBRARY))}
