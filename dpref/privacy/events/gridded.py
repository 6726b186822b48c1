"""The event of an answer on a grid: a vector of integers with discrete Gaussian noise."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import final

from dpref.checks import natural, positive_rational


@final
@dataclass(frozen=True)
class GriddedGaussian:
    r"""One answer of integers, each with independent discrete Gaussian noise, $P(x)\propto e^{-x^2/(2\sigma^2)}$.

    Attributes:
        sigma: The parameter in units of the grid, exact and positive.
        squared_sensitivity: The square of the l2 distance that the integers can move, which is an integer.
        dimension: How many integers the answer has.

    >>> print(GriddedGaussian(Fraction(100), 4, 3))
    gridded_gaussian(sigma=100, squared_sensitivity=4, dimension=3)
    """

    sigma: Fraction
    squared_sensitivity: int
    dimension: int = 1

    def __post_init__(self) -> None:
        object.__setattr__(self, "sigma", positive_rational("sigma", self.sigma))
        for field in ("squared_sensitivity", "dimension"):
            object.__setattr__(self, field, natural(field, getattr(self, field)))

    def __str__(self) -> str:
        moves = f"squared_sensitivity={self.squared_sensitivity}, dimension={self.dimension}"
        return f"gridded_gaussian(sigma={self.sigma}, {moves})"
