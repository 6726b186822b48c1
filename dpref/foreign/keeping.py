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
    return output if _unchanging(output) else _copied(output)


def _unchanging(output: Any) -> bool:
    """Whether an object and all that it holds stay what they are."""
    kind = type(output)
    if issubclass(kind, np.void):  # a structured scalar is a view of its array
        return False
    if kind in _UNCHANGING or isinstance(output, np.generic | Enum):
        return True
    if isinstance(output, tuple):
        return all(map(_unchanging, output)) and not getattr(output, "__dict__", None)
    if is_dataclass(output) and not isinstance(output, type) and kind.__dataclass_params__.frozen:
        return all(_unchanging(getattr(output, field.name)) for field in fields(output))
    return False


def _copied(output: Any) -> Any:
    try:
        whole = output.detach() if hasattr(output, "detach") else output  # what holds a graph of torch refuses copies
        return copy.deepcopy(whole)
    except Exception as error:
        name = f"{type(output).__module__}.{type(output).__qualname__}"
        raise copy.Error(
            f"returned a {name} that cannot be copied ({type(error).__name__}: {error}): the next run could change it,"
            " so it must return numbers, texts, arrays, or containers of such"
        ) from error
