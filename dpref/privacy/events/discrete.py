"""The events of answers in integers, with discrete noise."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import final

from dpref.checks import natural, positive_rational


@final
@dataclass(frozen=True)
class DiscreteGaussian:
    """One integer answer with discrete Gaussian noise, density proportional to ``exp(-x^2 / (2 sigma^2))``.

    Attributes:
        sigma: The parameter, exact and positive (close to the standard deviation once it is above 1).
        sensitivity: How far the integer can move, at least 1.
    """

    sigma: Fraction
    sensitivity: int = 1

    def __post_init__(self) -> None:
        object.__setattr__(self, "sigma", positive_rational("sigma", self.sigma))
        object.__setattr__(self, "sensitivity", natural("sensitivity", self.sensitivity, least=1))

    def __str__(self) -> str:
        return f"discrete_gaussian(sigma={self.sigma}, sensitivity={self.sensitivity})"


@final
@dataclass(frozen=True)
class DiscreteLaplace:
    """One integer answer with discrete Laplace noise, density proportional to ``exp(-abs(x) / scale)``.

    Attributes:
        scale: Exact and positive.
        sensitivity: How far the integer can move, at least 1.
    """

    scale: Fraction
    sensitivity: int = 1

    def __post_init__(self) -> None:
        object.__setattr__(self, "scale", positive_rational("scale", self.scale))
        object.__setattr__(self, "sensitivity", natural("sensitivity", self.sensitivity, least=1))

    def __str__(self) -> str:
        return f"discrete_laplace(scale={self.scale}, sensitivity={self.sensitivity})"
