"""The cases on which accountants are compared: their parameters are doubles, so that no one can plead rounding."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Final, final

from dpref.errors import InvalidArgumentError
from dpref.privacy.events.ledger import Event, Gaussian, Ledger, Poisson, Repeat
from dpref.reals import exact
from dpref.units import AddOrRemoveOne


@final
@dataclass(frozen=True)
class Case:
    """Epsilon of a composed Gaussian, sampled or not, at a delta, under add-or-remove-one.

    Attributes:
        rate: Poisson sampling rate, a double in (0, 1]; one means that nothing is sampled.
        noise_multiplier: sigma over the sensitivity, a double.
        steps: How many are composed.
        delta: A double in (0, 1).
    """

    rate: float
    noise_multiplier: float
    steps: int
    delta: float

    @property
    def ledger(self) -> Ledger[AddOrRemoveOne]:
        """The case as events, every double taken as the rational that it is."""
        step: Event = Gaussian(exact(self.noise_multiplier))
        sampled = step if self.rate == 1 else Poisson(step, exact(self.rate))
        return Ledger(Repeat(sampled, self.steps), AddOrRemoveOne)

    @property
    def exact_delta(self) -> Fraction:
        """Delta, exactly."""
        return exact(self.delta)

    @property
    def question(self) -> dict[str, object]:
        """What a worker is asked, and in which order its function takes it."""
        names = ("rate", "noise_multiplier", "steps", "delta")
        return {**{name: getattr(self, name) for name in names}, "asks": names}

    def __str__(self) -> str:
        step = f"gaussian({self.noise_multiplier:.6g})"
        sampled = step if self.rate == 1 else f"poisson({step}, {self.rate:g})"
        return f"compose({sampled}, {self.steps}) at {self.delta:g}"


def gaussian_case(mu: float, steps: int, delta: float) -> Case:
    """Gaussians that compose to about mu: each has about sqrt(steps) / mu times the noise of one.

    >>> print(gaussian_case(10, 10**6, 1e-14))
    compose(gaussian(100), 1000000) at 1e-14
    """
    return Case(1.0, math.sqrt(steps) / mu, steps, delta)


_STEPS: Final = (10**3, 10**4, 10**5, 10**6)
_MUS: Final = (0.1, 1.0, 3.0, 5.0, 10.0)
_DELTAS: Final = (1e-6, 1e-8, 1e-10, 1e-11, 1e-12, 1e-13, 1e-14)

GAUSSIAN_GRID: Final = tuple(gaussian_case(mu, steps, delta) for steps in _STEPS for mu in _MUS for delta in _DELTAS)
SAMPLED_GRID: Final = tuple(
    Case(rate, sigma, steps, delta)
    for rate, sigma, steps in ((0.01, 1.0, 10**3), (0.01, 1.0, 10**4), (0.01, 1.0, 10**5), (0.001, 0.8, 10**5))
    for delta in (1e-6, 1e-10, 1e-12)
)
QUICK_GRID: Final = (
    gaussian_case(1.0, 10**3, 1e-6),
    gaussian_case(0.1, 10**6, 1e-12),
    gaussian_case(5.0, 10**5, 1e-10),
    gaussian_case(10.0, 10**6, 1e-8),
    gaussian_case(10.0, 10**6, 1e-12),
    gaussian_case(10.0, 10**6, 1e-14),
    Case(0.01, 1.0, 10**3, 1e-6),
    Case(0.01, 1.0, 10**4, 1e-10),
    Case(0.01, 1.0, 10**5, 1e-12),
)
GRIDS: Final[dict[str, tuple[Case, ...]]] = {
    "quick": QUICK_GRID,
    "gaussian": GAUSSIAN_GRID,
    "sampled": SAMPLED_GRID,
    "full": GAUSSIAN_GRID + SAMPLED_GRID,
}


def grid(name: str) -> tuple[Case, ...]:
    """The cases of a grid.

    Raises:
        InvalidArgumentError: If there is no such grid.
    """
    if name not in GRIDS:
        raise InvalidArgumentError("grid", name, "must be one of " + ", ".join(GRIDS))
    return GRIDS[name]
