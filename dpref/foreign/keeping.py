"""Outputs that a later run cannot change: whatever in them is mutable is copied as soon as a call returns it."""

from __future__ import annotations

import copy
from dataclasses import fields, is_dataclass
from decimal import Decimal
from enum import Enum
from fractions import Fraction
from typing import Any, Final

import numpy as np

_UNCHANGING: Final = frozenset((float, int, bool, str, bytes, complex, type(None), Fraction, Decimal))


def kept(output: Any) -> Any:
    """An output that a later run cannot change.

    Args:
        output: What a call returned.

    Raises:
        copy.Error: If it holds something that cannot be copied.

    >>> buffer = bytearray(b"a")
    >>> before = kept({"x": (buffer,)})
    >>> buffer[0] = 98
    >>> before
    {'x': (bytearray(b'a'),)}
    """
    kind = type(output)
    if kind in _UNCHANGING:
        return output
    if kind is np.ndarray and not output.dtype.hasobject:
        return output.copy()
    if kind is tuple or kind is list:
        return kind(map(kept, output))
    if kind is dict:
        return {key: kept(value) for key, value in output.items()}
    if isinstance(output, np.generic | Enum) and not isinstance(output, np.void):  # which may be a view of its array
        return output
    try:
        return _copied(output)
    except copy.Error:
        raise
    except Exception as error:
        name = f"{kind.__module__}.{kind.__qualname__}"
        raise copy.Error(
            f"returned a {name} that cannot be copied ({type(error).__name__}: {error}): the next run could change it,"
            " so it must return numbers, texts, arrays, or containers of such"
        ) from error


def _copied(output: Any) -> Any:
    if isinstance(output, tuple) and hasattr(output, "_make"):
        return output._make(map(kept, output))
    if is_dataclass(output) and not isinstance(output, type):
        made = copy.copy(output)
        for field in fields(output):
            object.__setattr__(made, field.name, kept(getattr(output, field.name)))
        return made
    return copy.deepcopy(output.detach() if hasattr(output, "detach") else output)  # torch copies no tensor of a graph
