r"""From a user's columns to the records that an algorithm is analysed for, and its answer back to the user's units.

With the map of `dpref.fitting.bounds`, $\theta$ the algorithm's answer for mapped records, $c_j$, $h_j$ the columns'
middles and half widths, N the norm bound and r the share of the intercept, a prediction is

.. math:: s=r\Big(\sum_j\theta_j\frac{x_j-c_j}{h_jN}+\theta_0\Big)=\sum_jw_jx_j+b

for every record within the bounds; records outside are first moved to them.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, NamedTuple, final

import numpy as np

from dpref.checks import finite_array
from dpref.errors import InvalidArgumentError
from dpref.fitting.bounds import Bounds, Classes
from dpref.problems.datasets import Dataset, Measurements, scale_rows
from dpref.reals import FloatArray


class Weights(NamedTuple):
    """A linear predictor in the user's units."""

    weights: FloatArray  # (d,)
    intercept: float


@final
@dataclass(frozen=True)
class Scaling:
    """The per-record map of one problem.

    Attributes:
        bounds: All that it is made of.
        features: d, how many columns there are.
        index: q of the norm in which mapped records have length at most 1.
        intercept: Whether every record gets a constant.

    >>> from dpref.fitting.bounds import Range
    >>> scaling = Scaling(Bounds([(0, 10)], Range(0, 4)), 1, Fraction(2), intercept=False)
    >>> weights = scaling.weights(np.array([2.0]))  # 2 (x - 5) / 5, and the target's middle and half width are 2
    >>> scaling.records([[0.0], [7.5]], [1, 9]).labels.tolist(), weights.intercept
    ([-0.5, 1.0], -2.0)
    """

    bounds: Bounds
    features: int
    index: Fraction | float
    intercept: bool = True

    @property
    def dimension(self) -> int:
        """Of the mapped records."""
        return self.features + self.intercept

    @property
    def share(self) -> float:
        r"""r: what the mapped features and the constant are multiplied with, so that both together fit the ball."""
        return math.sqrt(0.5) if self.intercept and self.index == 2 else 1.0

    def mapped(self, features: object) -> FloatArray:
        """Mapped records without their target, shape (n, dimension).

        Args:
            features: Shape (n, d).

        Raises:
            InvalidArgumentError: If they are no matrix of finite numbers, or have another number of columns; of a data
                frame, if its columns are not those that the bounds name, in their order.
        """
        given = finite_array("features", features, ndim=2)
        columns, names = getattr(features, "columns", None), self.bounds.names
        if columns is not None and names is not None and list(columns) != list(names):
            rule = f"must have the columns that the bounds name, in their order: {', '.join(names)}"
            raise InvalidArgumentError("features", list(columns), rule)
        if given.shape[1] != self.features:
            raise InvalidArgumentError("features", given.shape, f"must have {self.features} columns")
        rows = self.bounds.within(given, self.index) * self.share
        if self.intercept:
            rows = np.column_stack([rows, np.full(len(rows), self.share)])
        return scale_rows(rows, self.index)

    def records(self, features: object, target: Sequence[Any]) -> Dataset:
        """Mapped records with their target.

        Args:
            features: Shape (n, d).
            target: n labels or numbers.

        Raises:
            InvalidArgumentError: If they are not what the bounds are for.
        """
        rows, labels = self.mapped(features), self.bounds.target.encoded(target)
        if len(labels) != len(rows):
            raise InvalidArgumentError("target", len(labels), f"must have one entry a record, {len(rows)}")
        return (Dataset if isinstance(self.bounds.target, Classes) else Measurements)(rows, labels, "user's data")

    def weights(self, answer: FloatArray) -> Weights:
        """An algorithm's answer in the user's units; for classes the sign of a prediction tells them apart.

        Args:
            answer: Shape (dimension,).
        """
        middles, halves = self.bounds.affine(self.features)
        scaled = answer[: self.features] * self.share / (halves * self.bounds.length(self.features, self.index))
        constant = float(answer[-1]) * self.share if self.intercept else 0.0
        constant -= float(scaled @ middles)
        if isinstance(self.bounds.target, Classes):
            return Weights(scaled, constant)
        middle, half = self.bounds.target.map()
        return Weights(scaled * half, middle + half * constant)
