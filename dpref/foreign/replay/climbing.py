"""Random changes of the record by which two data sets differ: from a pair of neighbours to others near it."""

from __future__ import annotations

import math
from typing import TypeAlias

import numpy as np

from dpref.errors import InvalidArgumentError
from dpref.foreign.pairs import Pair

Places: TypeAlias = tuple[int | None, int | None]


def places(pair: Pair) -> Places | None:
    """Where the one record by which two arrays of doubles differ stands in each of them: None in one that lacks it.

    Args:
        pair: The data sets.

    Returns:
        None if they are no such arrays, or differ in no record, or in several.

    >>> places(Pair(np.array([1.0, 2.0]), np.array([1.0, 3.0]))), places(Pair(np.array([1.0, 2.0]), np.array([2.0])))
    ((1, 1), (0, None))
    """
    d0, d1 = pair.first, pair.second
    if not all(isinstance(d, np.ndarray) and d.dtype.kind == "f" and d.ndim for d in (d0, d1)):
        return None
    if d0.shape == d1.shape:
        apart = np.flatnonzero([not np.array_equal(x, y) for x, y in zip(d0, d1, strict=True)])
        return (int(apart[0]), int(apart[0])) if len(apart) == 1 else None
    if d0.shape[1:] != d1.shape[1:] or abs(len(d0) - len(d1)) != 1:
        return None
    longer, shorter = (d0, d1) if len(d0) > len(d1) else (d1, d0)
    first = next((i for i, row in enumerate(shorter) if not np.array_equal(row, longer[i])), len(shorter))
    if not np.array_equal(np.delete(longer, first, axis=0), shorter):
        return None
    return (first, None) if longer is d0 else (None, first)


class Climb:
    """Changes of one record that become smaller and smaller.

    A record that is zero beside one that is not stays so: under zero-out it is what makes the two data sets neighbours.

    Args:
        start: A pair that has `places`.
        bounds: Within which an entry stays; None for the least and the largest entry of that pair.
        seed: Makes the changes.

    Raises:
        InvalidArgumentError: If the pair has no places.

    >>> Climb(Pair(np.array([0.0]), np.array([1.0])), None, 0).changed(Pair(np.array([0.0]), np.array([0.5])), 0).first
    array([0.])
    """

    def __init__(self, start: Pair, bounds: tuple[float, float] | None, seed: int) -> None:
        found = places(start)
        if found is None:
            raise InvalidArgumentError("start", start, "must be arrays of doubles that differ by one record")
        self._name, self._places, self._rng = start.name, found, np.random.default_rng(seed)
        sides = start.first, start.second
        every = np.concatenate(sides)
        self._bounds = (float(every.min()), float(every.max())) if bounds is None else bounds
        width = self._bounds[1] - self._bounds[0]
        self._scale = width / 4 if math.isfinite(width) else float(np.abs(every).max() or 1.0)
        both = None not in found
        self._fixed = [k is None or (both and not np.any(d[k])) for d, k in zip(sides, found, strict=True)]

    def changed(self, pair: Pair, number: int) -> Pair:
        """A pair whose differing record is moved a little.

        Args:
            pair: The start, or what its changes have led to.
            number: How many changes were tried before.
        """
        sides = [np.array(pair.first), np.array(pair.second)]
        steps = self._scale * 0.98**number * self._rng.standard_normal((2, *sides[0].shape[1:]))
        for data, place, fixed, step in zip(sides, self._places, self._fixed, steps, strict=True):
            if not fixed:
                data[place] = np.clip(data[place] + step, *self._bounds)
        return Pair(sides[0], sides[1], f"{self._name}, then changed {number + 1} times at random")
