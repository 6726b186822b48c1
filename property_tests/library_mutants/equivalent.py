"""Changes that change nothing that is promised, each with the reason and a check that the run itself executes.

A check is evaluated twice in one child, before and after the change is planted: balls must overlap, intervals must
intersect, `Valid` must be true both times, and everything else must be equal.
"""

from __future__ import annotations

import fnmatch
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from flint import arb

from dpref.privacy.interval import Interval
from property_tests.library_mutants import changes, constants, engine


@dataclass(frozen=True)
class Valid:
    """Whether a bound holds, against a value that was computed without the library."""

    holds: bool


@dataclass(frozen=True)
class Equivalent:
    """One or several changes of a function.

    Attributes:
        function: ``module:name``.
        changes: Patterns of the changes' words, as the run prints them.
        reason: Why nothing that is promised changes.
        check: Values that must agree before and after.
    """

    function: str
    changes: tuple[str, ...]
    reason: str
    check: Callable[[], Sequence[object]]


LIST: Final[tuple[Equivalent, ...]] = ()


def listed(mutant: changes.Mutant) -> Equivalent | None:
    """The entry that explains a mutant."""
    for entry in LIST:
        if entry.function == mutant.name and any(fnmatch.fnmatchcase(mutant.change, p) for p in entry.changes):
            return entry
    return None


def agrees(mutant: changes.Mutant, entry: Equivalent) -> bool:
    """Whether the entry's check gives the same before and after the change; for a child, which it spoils."""
    engine.forget()
    before = list(entry.check())
    engine.forget()
    (constants.bind if mutant.at_import else engine.plant)(mutant)
    after = list(entry.check())
    return len(before) == len(after) > 0 and all(same(a, b) for a, b in zip(before, after, strict=True))


def same(a: object, b: object) -> bool:
    """Whether two values can be the same real number, or hold the same one.

    >>> same(arb(1), arb(2)), same(Valid(True), Valid(True)), same(Valid(False), Valid(False)), same(1.0, 1.0)
    (False, True, False, True)
    """
    match a, b:
        case arb(), arb():
            return bool(a.is_finite() and b.is_finite() and a.overlaps(b))
        case Interval(), Interval():
            return a.lower <= b.upper and b.lower <= a.upper
        case Valid(), Valid():
            return a.holds and b.holds
        case _:
            return type(a) is type(b) and a == b
