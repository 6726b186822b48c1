"""Pairs of neighbouring data sets on which queries are likely to move the most: arrays of records, one a row."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from dpref.errors import InvalidArgumentError
from dpref.foreign.pairs import Pair
from dpref.reals import FloatArray
from dpref.units import AddOrRemoveOne, Adjacency, ZeroOut, known_adjacency


def worst_pairs(
    rows: FloatArray, adjacency: type[Adjacency], bounds: tuple[float, float], *, ordered: bool = False
) -> Iterator[Pair]:
    """Pairs of arrays of records on which queries are likely to move the most; every entry lies within the bounds.

    A record is replaced by the corners of its box, by the vectors along an axis, by zero and by its negative, or goes;
    before that, others become corners, or all equal, and under add-or-remove-one there may be one or none; and the
    records that stay change places.  Under the other relations n is public, and all data sets have it.  Where zero is
    out of bounds, what is nearest to it takes its place, except for the null record of zero-out.

    Args:
        rows: Records, shape (n, d) or (n,).
        adjacency: The neighbouring relation.
        bounds: Least and largest value of an entry.
        ordered: Whether the places of the records are public, as in a stream: then none changes its place.

    Raises:
        InvalidArgumentError: If an entry of the records is out of bounds.

    >>> from dpref.units import ReplaceOne
    >>> pairs = list(worst_pairs(np.zeros((2, 1)), ReplaceOne, (0.0, 1.0)))
    >>> any(p.first.sum() == p.second.sum() + 1 for p in pairs)
    True
    """
    known_adjacency(adjacency)
    low, high = bounds
    rows = np.asarray(rows, dtype=np.float64)  # else a corner would be rounded, perhaps out of the bounds
    given = rows.reshape(len(rows), math.prod(rows.shape[1:]))
    beyond = ~((low <= given) & (given <= high)).all(axis=1) & ~((adjacency is ZeroOut) & (given == 0).all(axis=1))
    if beyond.any():
        rule = f"has entries out of [{low:g}, {high:g}]: widen the bounds, or clip the records"
        raise InvalidArgumentError("rows", rows[beyond][0], rule)
    return _worst_pairs(rows, adjacency, bounds, ordered=ordered)


def _worst_pairs(
    rows: FloatArray, adjacency: type[Adjacency], bounds: tuple[float, float], *, ordered: bool
) -> Iterator[Pair]:
    for name, base in _bases(rows, adjacency, bounds):
        if adjacency is AddOrRemoveOne:
            yield from _longer(base, bounds, name, ordered=ordered)
        elif len(base):
            yield from _changed(base, adjacency, bounds, name)
    if len(rows) and not ordered:
        yield Pair(rows, rows[::-1].copy(), "the same records in another order")


def _corners(shape: tuple[int, ...], bounds: tuple[float, float]) -> Iterator[FloatArray]:
    low, high = bounds
    yield from (np.full(shape, v) for v in (low, high))
    even = np.indices(shape).sum(axis=0) % 2 == 0 if shape else np.array(True)
    yield from (np.where(even, low, high), np.where(even, high, low))
    nearest = np.clip(np.zeros(shape), low, high)
    for axis in range(min(shape[0], 8) if shape else 0):
        for v in bounds:
            one = nearest.copy()
            one[axis] = v
            yield one
    yield nearest


def _bases(
    rows: FloatArray, adjacency: type[Adjacency], bounds: tuple[float, float]
) -> Iterator[tuple[str, FloatArray]]:
    yield "the data", rows
    if adjacency is AddOrRemoveOne:
        yield "one record", rows[:1]
        yield "no record", rows[:0]
    for corner in list(_corners(rows.shape[1:], bounds))[:2]:
        yield "equal records", np.broadcast_to(corner, rows.shape).copy()


def _longer(base: FloatArray, bounds: tuple[float, float], name: str, *, ordered: bool) -> Iterator[Pair]:
    for corner in _corners(base.shape[1:], bounds):
        yield Pair(np.concatenate([base, corner[None]]), base, f"{name}, a record added")
    if len(base) and ordered:
        yield Pair(base, base[:-1], f"{name}, the last record removed")
    elif len(base):
        yield Pair(base, base[1:], f"{name}, the first record removed")


def _changed(base: FloatArray, adjacency: type[Adjacency], bounds: tuple[float, float], name: str) -> Iterator[Pair]:
    shape = base.shape[1:]
    corners = list(_corners(shape, bounds))
    for first in (base[0], *corners):
        given = base.copy()
        given[0] = first
        others = [np.zeros(shape)] if adjacency is ZeroOut else [*corners, np.clip(-first, *bounds)]
        for other in others:
            changed = given.copy()
            changed[0] = other
            yield Pair(given, changed, f"{name}, the first record {'zeroed' if adjacency is ZeroOut else 'replaced'}")
