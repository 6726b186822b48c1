r"""A curator whose noise is exact: it answers on a grid, with discrete Gaussian noise drawn from bits.

A double that was computed from the data and a double of noise add up to a double whose last bits still tell which data
it was (Mironov 2012).  Here the query is rounded to a multiple of g, the noise is an integer of the exact law times g,
and what is released is a function of their sum alone: what is accounted (`GriddedGaussian`) is what happens.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from typing import Any, Final, TypeVar, final

import numpy as np

from dpref.checks import natural, rational
from dpref.curator.interface import Curator, Draw
from dpref.errors import InvalidArgumentError, UnsupportedEventError
from dpref.mechanisms.bits import BitSource, SystemBits
from dpref.mechanisms.discrete_gaussian import discrete_gaussians
from dpref.mechanisms.discrete_laplace import discrete_laplace
from dpref.mechanisms.exponential import ChoiceNoise
from dpref.mechanisms.gridded import (
    FINEST,
    check_grid,
    clipped_square,
    contribution,
    released,
    rounded,
    squared_sensitivity,
    summed_square,
)
from dpref.mechanisms.noise import standard_normal
from dpref.privacy.events.discrete import DiscreteLaplace
from dpref.privacy.events.gridded import GriddedGaussian
from dpref.privacy.events.ledger import Event, Gaussian, Poisson, SampleWithoutReplacement
from dpref.reals import Array, FloatArray, exact
from dpref.transcript import Indices
from dpref.units import L2, Adjacency, Sensitivity

A = TypeVar("A", bound=Adjacency)
D = TypeVar("D")


@final
class GriddedCurator(Curator[D, A]):
    r"""Answers with exact noise on a grid; algorithms run on it as they are.

    Its ledger says what was done: `GriddedGaussian` events, whose sensitivity counts the rounding and the error of the
    doubles.  Answers with other noise, choices among candidates and variance-reduced answers are refused.

    A query on a random batch without the record (under zero-out also on one with the null record), or an element of a
    tree that the record does not enter, must be the same doubles on both data sets.

    Args:
        data: The private data.
        adjacency: The neighbouring relation.
        grid: g, a power of two, at most a 64th of the least noise that is asked for.
        evaluation_error: A bound, in the l2 norm and the query's unit, on how far the doubles of any query's value are
            from the value whose sensitivity is declared.  There is no default: it is what an order of summation or a
            cancellation spoils.
        bits: Where the noise comes from; by default the operating system's cryptographic generator.

    Raises:
        InvalidArgumentError: If the grid is no power of two, or the error is negative or a float.

    >>> from dpref.units import L2, ReplaceOne
    >>> curator = GriddedCurator(np.array([1.0]), ReplaceOne, grid=Fraction(1, 64), evaluation_error=Fraction(0))
    >>> noisy = curator.gaussian(lambda x: x, sensitivity=Sensitivity(Fraction(1), L2, ReplaceOne), std=1.0, label="")
    >>> float(noisy[0] * 64).is_integer(), str(curator.ledger.event)
    (True, 'gridded_gaussian(sigma=64, squared_sensitivity=4225, dimension=1)')
    """

    def __init__(
        self,
        data: D,
        adjacency: type[A],
        *,
        grid: Fraction,
        evaluation_error: Fraction,
        bits: BitSource | None = None,
    ) -> None:
        super().__init__(data, adjacency)
        check_grid(grid)
        self.grid: Final = Fraction(grid)
        self.evaluation_error: Final = rational("evaluation_error", evaluation_error)
        self._bits: Final = SystemBits() if bits is None else bits

    def gridded_sum(
        self, contributions: Callable[[D], FloatArray], *, clip: Fraction, std: float, label: str
    ) -> FloatArray:
        """Answer a sum over records whose sensitivity is exact: each is clipped, and all are added, in integers.

        Args:
            contributions: Function of the data, one row a record, shape (n, d).  Row i is a function of record i alone,
                and zero if that is a null record.
            clip: C, the norm to which a row is clipped; a row that is not finite counts as zero.
            std: Standard deviation of the noise per coordinate, a finite double.
            label: Names the query in errors.

        Returns:
            Sum plus noise, shape (d,).  Rounding biases a coordinate by at most n g toward zero.

        Raises:
            InvalidArgumentError: If an argument is out of its domain, or the clip is less than the grid.

        >>> from dpref.units import AddOrRemoveOne
        >>> exactly = dict(grid=Fraction(1, 64), evaluation_error=Fraction(0))
        >>> curator = GriddedCurator(np.ones((3, 2)), AddOrRemoveOne, **exactly)
        >>> curator.gridded_sum(lambda data: data, clip=Fraction(1), std=1.0, label="sum").shape
        (2,)
        """
        most = clipped_square(clip, self.grid)
        if most < 1:
            raise InvalidArgumentError("clip", clip, f"must be at least the grid, {self.grid}")
        rows = np.asarray(contributions(self._data), dtype=np.float64)
        if rows.ndim != 2 or rows.shape[1] == 0:
            raise InvalidArgumentError(label, rows.shape, "contributions must have one row a record, shape (n, d)")
        sigma = self._sigma(std)
        event = GriddedGaussian(sigma, summed_square(clip, self.grid, self.adjacency), rows.shape[1])
        total = [0] * rows.shape[1]
        for row in rows.tolist():
            total = [x + y for x, y in zip(total, contribution(row, most, self.grid), strict=True)]
        self._events.append(event)
        return self._released(total, sigma)

    def laplace_count(self, query: Callable[[D], int], *, sensitivity: int, scale: Fraction, label: str) -> int:
        r"""Answer an integer query with discrete Laplace noise: $\Delta/b$-DP, exactly.

        Args:
            query: Function of the data, an integer.
            sensitivity: $\Delta$, how far it can move, at least 1.
            scale: b, exact and positive.
            label: Names the query in errors.

        Raises:
            InvalidArgumentError: If the value is no integer, or an argument is out of its domain.

        >>> from dpref.units import AddOrRemoveOne
        >>> curator = GriddedCurator([5, 6], AddOrRemoveOne, grid=Fraction(1), evaluation_error=Fraction(0))
        >>> noisy = curator.laplace_count(len, sensitivity=1, scale=Fraction(2), label="count")
        >>> isinstance(noisy, int), str(curator.ledger.event)
        (True, 'discrete_laplace(scale=2, sensitivity=1)')
        """
        event = DiscreteLaplace(scale, sensitivity)
        value = query(self._data)
        if isinstance(value, bool) or not isinstance(value, int | np.integer):
            raise InvalidArgumentError(label, type(value).__name__, "must be an integer")
        self._events.append(event)
        return int(value) + discrete_laplace(event.scale, self._bits)

    def _sigma(self, std: float) -> Fraction:
        """The noise in units of the grid."""
        given: object = std
        if not (isinstance(given, float | int) and np.isfinite(std) and exact(float(std)) / self.grid >= FINEST):
            rule = f"must be at least {FINEST} times the grid, {self.grid}; choose a finer grid or more noise"
            raise InvalidArgumentError("std", std, rule)
        return exact(float(std)) / self.grid

    def _spent(self, event: Event, sensitivity: Sensitivity[Any, A], std: float, size: int) -> Event:
        if isinstance(event, Poisson | SampleWithoutReplacement):
            return replace(event, event=self._spent(event.event, sensitivity, std, size))
        sigma = self._sigma(std)
        if not isinstance(event, Gaussian) or sensitivity.norm is not L2:
            raise UnsupportedEventError(f"{event}: a gridded curator answers with Gaussian noise alone")
        moved = squared_sensitivity(sensitivity.value, self.grid, size, self.evaluation_error)
        return GriddedGaussian(sigma, moved, size)

    def _answer(
        self, value: Array, sensitivity: Sensitivity[Any, A], std: float, label: str, draw: Draw = standard_normal
    ) -> Array:
        return self._node(self._leaf(value), sensitivity, std, label, draw)

    def _leaf(self, element: Array) -> Array:
        return np.array(rounded(element.ravel(), self.grid), dtype=object).reshape(element.shape)

    def _node(self, total: Array, sensitivity: Sensitivity[Any, A], std: float, label: str, draw: Draw) -> Array:
        return self._released(total.ravel().tolist(), self._sigma(std)).reshape(total.shape)

    def _released(self, integers: list[int], sigma: Fraction) -> FloatArray:
        noise = discrete_gaussians(sigma**2, len(integers), self._bits)
        return released([x + z for x, z in zip(integers, noise, strict=True)], self.grid)

    def _indices(self, count: int, size: int) -> Indices:
        """A uniform set of indices, none twice, by the first steps of a shuffle; in order if it is all of them."""
        places = list(range(natural("count", count)))
        if size < count:
            for i in range(size):
                j = i + self._bits.below(count - i)
                places[i], places[j] = places[j], places[i]
        return np.array(places[:size], dtype=np.int64)

    def _independent(self, count: int, size: int) -> Indices:
        return np.array([self._bits.below(count) for _ in range(size)], dtype=np.int64)

    def _unit_scores(self, noise: ChoiceNoise, shape: tuple[int, int], label: str) -> FloatArray:
        raise UnsupportedEventError(f"{label}: a gridded curator draws no choices; their noise is not exact here")
