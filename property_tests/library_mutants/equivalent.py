"""Changes that change nothing that is promised, each with the reason and a check that the run itself executes.

Two kinds of checks.  *Replay*: what the killers ask of the changed functions is asked before and after; balls must
overlap, intervals must intersect, numbers must agree to 40 bits and all else must be equal.  *Values*: an entry's own
question, asked before and after; besides, `Valid` must be true both times.
"""

from __future__ import annotations

import fnmatch
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Final

from dpref.curator import keeping
from dpref.mechanisms import sparsification
from property_tests.library_mutants import changes, constants, engine, fresh, replay

_PATIENCE: Final = 4.0  # seconds of killers whose calls are replayed


@dataclass(frozen=True)
class Valid:
    """Whether a bound holds, against a value that was computed without the library."""

    holds: bool


@dataclass(frozen=True)
class Equivalent:
    """Changes of a function, or of several.

    Attributes:
        function: Pattern of ``module:name``.
        changes: Patterns of the changes' words, as the run prints them.
        reason: Why nothing that is promised changes.
        values: What must agree before and after; None for a replay.
    """

    function: str
    changes: tuple[str, ...]
    reason: str
    values: Callable[[], Sequence[object]] | None = None


def _no_sum_is_that_far_from_one() -> list[Valid]:
    """A sum between 1/2 and 2 is a multiple of 2^-53, and so is its distance from 1; the tolerance is none."""
    tolerances = (sparsification._SUM_TOLERANCE, keeping._SUM_TOLERANCE)
    return [Valid(Fraction(tolerance) * 2**53 % 1 != 0) for tolerance in tolerances]


LIST: Final[tuple[Equivalent, ...]] = (
    Equivalent(
        "*",
        ("* in `with precision(*", "*_BITS: Final = *", "*BITS: Final = *"),
        "a working precision: a ball holds the value at every precision, only its width changes",
    ),
    Equivalent(
        "dpref.algorithms.dynamic_gradient_descent.schedules:exact_shares",
        ("LtE -> Lt in `if any((w <= 0*", "0 -> -1 in `if any((w <= 0*"),
        "a share is positive, and the double above the end of a ball that holds it is positive too",
    ),
    Equivalent(
        "dpref.algorithms.svrg.calibration:_proved_constant",
        ("LtE -> Lt in `if sign(*", "0 -> -1 in `if sign(*", "1024 -> * in `if sign(*"),
        "a rational epsilon is never 2 ln(1/delta), so that the sign is -1 or 1; 1024 bits are where it gives up",
    ),
    Equivalent(
        "dpref.mechanisms.sparsification:sparsify",
        ("Gt -> GtE in `if (weights < 0)*",),
        "the tolerance of a sum of doubles is not a distance that such a sum can have from 1",
        _no_sum_is_that_far_from_one,
    ),
    Equivalent(
        "dpref.curator.keeping:Keeper.select",
        ("LtE -> Lt in `if mixture and*",),
        "the tolerance of a sum of doubles is not a distance that such a sum can have from 1",
        _no_sum_is_that_far_from_one,
    ),
)


def listed(mutant: changes.Mutant) -> Equivalent | None:
    """The entry that explains a mutant."""
    for entry in LIST:
        if fnmatch.fnmatchcase(mutant.name, entry.function) and any(
            fnmatch.fnmatchcase(mutant.change, pattern.replace("[", "[[]")) for pattern in entry.changes
        ):
            return entry
    return None


def checked(
    mutant: changes.Mutant,
    entry: Equivalent,
    order: Sequence[str],
    runs: Mapping[str, Callable[[], bool | None]],
    seconds: Mapping[str, float],
) -> bool:
    """Whether the entry's check passes; for a child, which it spoils."""
    engine.forget()
    if entry.values is None:
        return _replayed(mutant, _cheapest(order, seconds), runs)
    before = list(entry.values())
    _planted(mutant)
    after = list(entry.values())
    return len(before) == len(after) > 0 and all(_same(a, b) for a, b in zip(before, after, strict=True))


def _cheapest(order: Sequence[str], seconds: Mapping[str, float]) -> list[str]:
    found: list[str] = []
    spent = 0.0
    for name in order:
        spent += seconds.get(name, 1.0)
        if spent > _PATIENCE and found:
            break
        found.append(name)
    return found


def _replayed(mutant: changes.Mutant, names: Sequence[str], runs: Mapping[str, Callable[[], bool | None]]) -> bool:
    wanted = set(fresh.users(mutant)) if mutant.at_import else {mutant.name}
    functions = [f for key, those in engine.live().items() if engine.name_of(key) in wanted for f in those]
    calls = replay.recorded(replay.of(functions), [runs[name] for name in names])
    calls = [c for c in calls if replay.agree(c.result, replay.again(c))]  # what draws at random cannot be replayed
    _planted(mutant)
    return bool(calls) and all(replay.agree(c.result, replay.again(c)) for c in calls)


def _planted(mutant: changes.Mutant) -> None:
    engine.forget()
    (constants.bind if mutant.at_import else engine.plant)(mutant)


def _same(a: object, b: object) -> bool:
    if isinstance(a, Valid) and isinstance(b, Valid):
        return a.holds and b.holds
    return replay.agree(a, b)
