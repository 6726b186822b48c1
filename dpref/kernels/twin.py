"""The interpreted twin of a kernel: the same text, run by CPython."""

from __future__ import annotations

from collections.abc import Callable
from types import FunctionType
from typing import Any

from numba.core.registry import CPUDispatcher


def interpreted(kernel: Callable[..., Any]) -> Callable[..., Any]:
    """The kernel with every compiled function that it calls replaced by its own source.

    ``kernel.py_func`` alone would still call compiled helpers.

    Args:
        kernel: A numba dispatcher.

    Returns:
        A plain Python function with the same signature.

    >>> from numba import njit
    >>> interpreted(njit(lambda x: x / 2))(3.0)
    1.5
    >>> interpreted(abs) is abs
    True
    """
    if not isinstance(kernel, CPUDispatcher):
        return kernel
    source = kernel.py_func
    scope = dict(source.__globals__)
    for name in source.__code__.co_names:
        if isinstance(scope.get(name), CPUDispatcher):
            scope[name] = interpreted(scope[name])
    return FunctionType(source.__code__, scope, source.__name__, source.__defaults__, source.__closure__)
