"""Pairs of neighbouring data sets on which queries are likely to move the most: arrays of records, one a row."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from dpref.foreign.pairs import Pair
from dpref.reals import FloatArray
from dpref.units import AddOrRemoveOne, Adjacency, ZeroOut, known_adjacency


def worst_pairs(rows: FloatArray, adjacency: type[Adjacency], bounds: tuple[float, float]) -> Iterator[Pair]:
    """Pairs of arrays of records on which queries are likely to move the most.

    A record is replaced by the corners of its box, by the vectors along an axis, by zero and by its negative, or goes;
    before that, others become corners, all equal, or as few as one; and the records that stay change places.

    Args:
        rows: Records, shape (n, d) or (n,).
        adjacency: The neighbouring relation.
        bounds: Least and largest value of an entry.

    >>> from dpref.units import ReplaceOne
    >>> pairs = list(worst_pairs(np.zeros((2, 1)), ReplaceOne, (0.0, 1.0)))
    >>> any(p.first.sum() == p.second.sum() + 1 for p in pairs)
    True
    """
    known_adjacency(adjacency)
    for name, base in _bases(rows, bounds):
        yield from _pairs_of(base, adjacency, bounds, name)
    if len(rows):
        yield Pair(rows, rows[::-1].copy(), "the same records in another order")


def _corners(shape: tuple[int, ...], bounds: tuple[float, float]) -> Iterator[FloatArray]:
    low, high = bounds
    yield from (np.full(shape, v) for v in (low, high))
    signs = np.where(np.indices(shape).sum(axis=0) % 2 == 0, low, high) if shape else np.array(low)
    yield from (signs, low + high - signs)
    for axis in range(min(shape[0], 8) if shape else 0):
        for v in bounds:
            one = np.zeros(shape)
            one[axis] = v
            yield one
    if low <= 0 <= high:
        yield np.zeros(shape)


def _bases(rows: FloatArray, bounds: tuple[float, float]) -> Iterator[tuple[str, FloatArray]]:
    yield "the data", rows
    shape = rows.shape[1:]
    yield "one record", rows[:1]
    yield "no record", rows[:0]
    for corner in list(_corners(shape, bounds))[:2]:
        yield "equal records", np.broadcast_to(corner, rows.shape).copy()


def _pairs_of(base: FloatArray, adjacency: type[Adjacency], bounds: tuple[float, float], name: str) -> Iterator[Pair]:
    shape = base.shape[1:]
    corners = list(_corners(shape, bounds))
    if adjacency is AddOrRemoveOne:
        for corner in corners:
            yield Pair(np.concatenate([base, corner[None]]), base, f"{name}, a record added")
        if len(base):
            yield Pair(base, base[1:], f"{name}, the first record removed")
        return
    if not len(base):
        return
    for first in (base[0], *corners):
        given = base.copy()
        given[0] = first
        others = [np.zeros(shape)] if adjacency is ZeroOut else [*corners, np.clip(-first, *bounds)]
        for other in others:
            changed = given.copy()
            changed[0] = other
            yield Pair(given, changed, f"{name}, the first record {'zeroed' if adjacency is ZeroOut else 'replaced'}")
