"""What a noise is to a curator: a unit draw, a factor, the norm in which it hides, and what it costs.

A draw is made at unit level and multiplied afterwards, so that a tape of unit draws replays at any noise level and in
any number system.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol, final

import numpy as np

from dpref.checks import finite
from dpref.errors import InvalidArgumentError
from dpref.mechanisms.gaussian import gaussian_event
from dpref.privacy.events.ledger import Event
from dpref.reals import FloatArray
from dpref.units import L2, Norm, Sensitivity


class Noise(Protocol):
    """Additive noise ``std * unit draw`` on answers whose sensitivity is known in one norm."""

    @property
    def std(self) -> float:
        """The factor before a unit draw: a finite double, at least 0."""

    @property
    def norm(self) -> type[Norm]:
        """The norm in which the sensitivity has to be stated."""

    def event(self, sensitivity: Sensitivity[Any, Any]) -> Event:
        """One answer of that sensitivity, as the ledger sees it."""

    def draw(self, rng: np.random.Generator, shape: tuple[int, ...]) -> FloatArray:
        """One unit draw, shape (d,)."""


@final
@dataclass(frozen=True)
class GaussianNoise:
    """Independent normal coordinates, for l2 sensitivities.

    Attributes:
        std: Standard deviation per coordinate, a finite double, at least 0.

    >>> from fractions import Fraction
    >>> from dpref.units import ReplaceOne
    >>> print(GaussianNoise(6.0).event(Sensitivity(Fraction(2), L2, ReplaceOne)))
    gaussian(noise_multiplier=3)
    """

    std: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "std", finite("std", self.std))
        if self.std < 0:
            raise InvalidArgumentError("std", self.std, "must not be negative")

    @property
    def norm(self) -> type[Norm]:
        """The l2 norm."""
        return L2

    def event(self, sensitivity: Sensitivity[Any, Any]) -> Event:
        """`Gaussian`, or `NonPrivate` without noise.

        Raises:
            InvalidArgumentError: If the sensitivity is zero, or is not an l2 sensitivity.
        """
        return gaussian_event(sensitivity, self.std)

    def draw(self, rng: np.random.Generator, shape: tuple[int, ...]) -> FloatArray:
        """Standard normal draws of that shape."""
        return standard_normal(rng, shape)


def standard_normal(rng: np.random.Generator, shape: tuple[int, ...]) -> FloatArray:
    """Independent standard normal entries.

    >>> standard_normal(np.random.default_rng(0), (2,)).shape
    (2,)
    """
    return np.asarray(rng.standard_normal(shape))
