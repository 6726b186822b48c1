"""Whether a change that `entries` lists changes nothing that is promised: a check that the run itself executes.

Two kinds of checks.  *Replay*: what the killers ask of the changed functions is asked before and after; balls must
overlap, intervals must intersect, numbers must agree to 40 bits and all else must be equal.  *Values*: an entry's own
question, asked before and after; besides, `Valid` must be true both times.  What decides effort alone is judged `last`:
only where no killer notices it, by whether all that is certified with the change holds the truth (`effort`).
"""

from __future__ import annotations

import fnmatch
from collections.abc import Callable, Mapping, Sequence
from typing import Final

from property_tests.library_mutants import changes, constants, engine, fresh, replay
from property_tests.library_mutants.effort_entries import EFFORT
from property_tests.library_mutants.entries import LIST
from property_tests.library_mutants.entry import Equivalent
from property_tests.library_mutants.equivalent_values import Valid

_PATIENCE: Final = 4.0  # seconds of killers whose calls are replayed


def listed(mutant: changes.Mutant) -> Equivalent | None:
    """The entry that explains a mutant."""
    for entry in (*LIST, *EFFORT):
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
    if entry.last:
        assert entry.values is not None
        _planted(mutant)
        return _all_hold(entry.values())
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


def _all_hold(found: Sequence[object]) -> bool:
    return len(found) > 0 and all(isinstance(one, Valid) and one.holds for one in found)


def _same(a: object, b: object) -> bool:
    if isinstance(a, Valid) and isinstance(b, Valid):
        return a.holds and b.holds
    return replay.agree(a, b)
