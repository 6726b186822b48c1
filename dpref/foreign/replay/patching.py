"""A library's draws, taken from a tape while a block runs; whatever happens, its functions are put back."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, Final

from dpref.foreign.replay.tape import UnexpectedDraw

_OPEN: Final[list[str]] = []


@contextmanager
def patched(owner: Any, functions: Mapping[str, Callable[..., Any]], called: Callable[[], int]) -> Iterator[None]:
    """Replace functions of a module or class.

    Args:
        owner: The module or class.
        functions: What stands in for which name.
        called: How often one of them has been called so far.

    Raises:
        UnexpectedDraw: If another block is open, or nothing was called in this one.
    """
    title = getattr(owner, "__name__", str(owner))
    if _OPEN:
        raise UnexpectedDraw(f"the draws of {_OPEN[-1]} are on a tape already: tapes do not nest")
    real = {name: getattr(owner, name) for name in functions}
    before = called()
    _OPEN.append(title)
    try:
        for name, stand_in in functions.items():
            setattr(owner, name, stand_in)
        yield
    finally:
        for name, function in real.items():
            setattr(owner, name, function)
        _OPEN.remove(title)
    if called() == before:
        names = ", ".join(f"{title}.{name}" for name in functions)
        raise UnexpectedDraw(f"the code never called {names}: its noise comes from elsewhere, or it has none")
