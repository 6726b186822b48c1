"""The interpreted twin of a kernel: the same text, run by CPython."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib import import_module
from types import FunctionType
from typing import Any

from numba.extending import is_jitted


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
    if not is_jitted(kernel):
        return kernel
    source = kernel.py_func
    scope = dict(source.__globals__)
    for name in source.__code__.co_names:
        if callable(scope.get(name)):
            scope[name] = interpreted(scope[name])
    return FunctionType(source.__code__, scope, source.__name__, source.__defaults__, source.__closure__)


@contextmanager
def interpreted_run(name: str) -> Iterator[None]:
    """Within the block a kernel runs interpreted: the same bits, without waiting for the compiler.

    Args:
        name: The algorithm's folder.

    >>> from dpref.algorithms.online_frank_wolfe import kernel
    >>> with interpreted_run("online_frank_wolfe"):
    ...     type(kernel.run).__name__
    'function'
    """
    module = import_module(f"dpref.algorithms.{name}.kernel")
    compiled = module.run
    setattr(module, "run", interpreted(compiled))  # noqa: B010 (a module's attribute, which mypy cannot know)
    try:
        yield
    finally:
        setattr(module, "run", compiled)  # noqa: B010 (as above)
