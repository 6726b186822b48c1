"""Pairs of data sets, and whether they are neighbours.

A pair that is none is the only way to refute correct code with certainty, so a pair is looked at before the first run.
Records are compared as multisets: that two data sets list them in another order does not make them no neighbours.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final, NamedTuple, TypeVar, final

from dpref.errors import InvalidArgumentError
from dpref.foreign.data import Listed, Mark, fingerprint, records, shown
from dpref.units import AddOrRemoveOne, Adjacency, ReplaceOne

T = TypeVar("T")

MOST_CANDIDATES: Final = 64
ON_TRUST: Final = "that these are neighbours is the caller's word: their records cannot be told"


@final
@dataclass(frozen=True, eq=False)
class Pair:
    """Two data sets.

    Attributes:
        first: d0.
        second: d1.
        name: What the report calls the pair.
    """

    first: Any
    second: Any
    name: str = ""

    @cached_property
    def fingerprints(self) -> tuple[bytes | None, bytes | None]:
        """What both look like before the first run; None where it cannot be told."""
        return _looked(fingerprint, self.first), _looked(fingerprint, self.second)


@final
@dataclass(frozen=True)
class Neighbours:
    """What a look at a pair found.

    Attributes:
        problem: Why they are no neighbours, or nothing.
        differ: The records that differ, in words.
        warnings: What a reader should know.
    """

    problem: str = ""
    differ: str = ""
    warnings: tuple[str, ...] = ()


def candidates(pair: Any) -> tuple[Pair, ...]:
    """The pairs that a caller gave: a 2-tuple is one pair, whatever its entries; a callable yields one or several.

    Args:
        pair: A 2-tuple of data sets, a `Pair`, or a callable that returns a pair or yields pairs.

    Raises:
        InvalidArgumentError: If it is nothing of the kind, or yields none, or too many.

    >>> len(candidates(lambda: [(0, 1), (0, 2), (0, 3)])), len(candidates(((0, 1), (0, 2))))
    (3, 1)
    """
    if _is_pair(pair):
        return (_pair(pair, ""),)
    if not callable(pair):
        raise InvalidArgumentError("pair", pair, "must be a 2-tuple of data sets, or a callable that yields such")
    made: Any = pair()
    if _is_pair(made):
        return (_pair(made, ""),)
    if not isinstance(made, Iterable):
        raise InvalidArgumentError("pair", made, "must yield 2-tuples of data sets")
    found: list[Pair] = []
    for one in made:
        if not _is_pair(one):
            raise InvalidArgumentError("pair", one, "must yield 2-tuples of data sets")
        if len(found) == MOST_CANDIDATES:
            raise InvalidArgumentError("pair", pair, f"must yield at most {MOST_CANDIDATES} pairs")
        found.append(_pair(one, f"candidate {len(found)}"))
    if not found:
        raise InvalidArgumentError("pair", pair, "must yield at least one pair")
    return tuple(found)


def _is_pair(value: Any) -> bool:
    return isinstance(value, Pair) or (isinstance(value, tuple) and len(value) == 2)


def _pair(value: Any, name: str) -> Pair:
    if isinstance(value, Pair):
        return value if value.name else Pair(value.first, value.second, name)
    first, second = value
    return Pair(first, second, name)


def neighbours(pair: Pair, adjacency: type[Adjacency], same: Callable[[Any, Any], bool] | None = None) -> Neighbours:
    """Whether a pair's data sets are neighbours, as far as can be told.

    Args:
        pair: The pair.
        adjacency: The relation.
        same: Answers for data sets whose records cannot be told.

    >>> import numpy as np
    >>> neighbours(Pair(np.zeros(3), np.ones(3)), ReplaceOne).problem.partition(";")[0]
    '3 records differ: under replace-one one may'
    """
    if same is not None:
        return Neighbours() if same(pair.first, pair.second) else Neighbours("the caller's own check says so")
    one, other = _looked(records, pair.first), _looked(records, pair.second)
    if one is None or other is None:
        return Neighbours(warnings=(ON_TRUST,))
    apart = _apart(one.rest, other.rest)
    if apart:
        return Neighbours(f"they differ in something that is not a record: {apart}{_OWN_CHECK}")
    found = _differing(adjacency, one, other, (one.keys, other.keys))
    if not (one.counted and other.counted):
        # An index says more than the places of the records: what it calls a record belongs to it.
        without, found = found, _differing(adjacency, one, other, (one.labelled, other.labelled))
        if found.problem and not without.problem:
            rule = "without the index of the rows they would be neighbours: reset_index(drop=True) where it is no data"
            return Neighbours(f"{found.problem}; {rule}")
    if found.problem:
        return Neighbours(f"{found.problem}{_OWN_CHECK}")
    words = [shown(pair.first, i) for i in found.old[:1]] + [shown(pair.second, i) for i in found.new[:1]]
    unknown = [name for name, mark in one.rest.items() if mark.digest is None]
    trusted = (f"that {', '.join(unknown)} is the same in both is the caller's word: it cannot be looked into",)
    return Neighbours(differ=" and ".join(words), warnings=(*found.warnings, *(trusted if unknown else ())))


_OWN_CHECK: Final = "; if their entries are no records, say so by a check of your own (same=...)"


def _apart(one: Mapping[str, Mark], other: Mapping[str, Mark]) -> str:
    """Where two data sets differ beside their records, in words."""
    for name in {**one, **other}:
        left, right = one.get(name), other.get(name)
        if left != right:
            if left is None or right is None:
                return f"{name} is in one of them"
            both = left.words if left.words == right.words else f"{left.words} and {right.words}"
            return f"{name or 'the data'}, {both}"
    return ""


class _Differing(NamedTuple):
    """The rows that the other data set lacks, why that makes no neighbours, and what a reader should know."""

    problem: str
    old: list[int]
    new: list[int]
    warnings: tuple[str, ...]


def _differing(
    adjacency: type[Adjacency], one: Listed, other: Listed, keys: tuple[tuple[bytes, ...], tuple[bytes, ...]]
) -> _Differing:
    gone, come = Counter(keys[0]) - Counter(keys[1]), Counter(keys[1]) - Counter(keys[0])
    old, new = _rows(*keys, gone), _rows(keys[1], keys[0], come)
    problem = _problem(adjacency, one, other, (gone.total(), come.total()), (old, new))
    return _Differing(problem, old, new, _remarks(keys, old, new))


def _looked(look: Callable[[Any], T | None], data: Any) -> T | None:
    """What a look at somebody else's data finds; None if they do not let one look, as a tensor on another device."""
    try:
        return look(data)
    except Exception:  # noqa: BLE001 - whatever somebody else's data raise
        return None


def _remarks(keys: tuple[tuple[bytes, ...], tuple[bytes, ...]], old: list[int], new: list[int]) -> tuple[str, ...]:
    """What neighbours may be, and a reader should know."""
    if keys[0] == keys[1]:
        return ("the two data sets are equal: nothing can be shown on them",)
    left, right = (
        [k for i, k in enumerate(side) if i not in rows] for side, rows in zip(keys, (old, new), strict=True)
    )
    return () if left == right else ("the two data sets list the same records in another order",)


def _rows(keys: tuple[bytes, ...], others: tuple[bytes, ...], missing: Counter[bytes]) -> list[int]:
    """Where the records that the other data set lacks stand: of equal ones those where the two lists part."""
    apart = next((i for i, (a, b) in enumerate(zip(keys, others, strict=False)) if a != b), min(len(keys), len(others)))
    left, found = Counter(missing), []
    for i in (*range(apart, len(keys)), *range(apart)):
        if left[keys[i]] > 0:
            left[keys[i]] -= 1
            found.append(i)
    return sorted(found)


def _problem(
    adjacency: type[Adjacency],
    one: Listed,
    other: Listed,
    differ: tuple[int, int],
    rows: tuple[list[int], list[int]],
) -> str:
    """Why records that differ make no neighbours."""
    gone, come = differ
    if adjacency is AddOrRemoveOne:
        more = f"{gone} and {come} records are only in one of them"
        return f"{more}: under add-or-remove-one one record is, in one of them" if gone + come > 1 else ""
    if gone != come:
        return f"they have {len(one.keys)} and {len(other.keys)} records: under {adjacency.name} as many"
    if gone > 1:
        return f"{gone} records differ: under {adjacency.name} one may"
    if gone and adjacency is not ReplaceOne and not (one.null[rows[0][0]] or other.null[rows[1][0]]):
        return "neither of the records that differ is zero: under zero-out one is"
    return ""
