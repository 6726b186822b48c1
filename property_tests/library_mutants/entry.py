"""What an entry of the changes that change nothing that is promised says."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Equivalent:
    """Changes of a function, or of several.

    Attributes:
        function: Pattern of ``module:name``.
        changes: Patterns of the changes' words, as the run prints them.
        reason: Why nothing that is promised changes.
        values: What must agree before and after; None for a replay.
        last: Whether the entry is asked only of changes that nothing kills, so that it may name many at once; then
            every value is a `Valid`, which must hold with the change.
    """

    function: str
    changes: tuple[str, ...]
    reason: str
    values: Callable[[], Sequence[object]] | None = None
    last: bool = False
