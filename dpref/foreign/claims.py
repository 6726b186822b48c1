r"""What a callable is claimed to satisfy: $(\varepsilon,\delta)$-DP, $\rho$-zCDP, or $\mu$-GDP.

Each is, or implies, a family of statements $P_1(E)\le e^\varepsilon P_0(E)+\delta(\varepsilon)$ for every event E and
both orders of the data sets.  Runs can only speak against such statements: a claim is refuted by one of them.

References:
    Bun and Steinke, "Concentrated differential privacy", 2016, Definition 1.1.
    Dong, Roth and Su, "Gaussian differential privacy", 2022, Proposition 2.12 (a curve is all its points).
    Canonne, Kamath and Steinke, "The discrete Gaussian for differential privacy", 2020, Corollary 13.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Any, Final, Literal, Protocol, Self, TypeAlias, final

from dpref.checks import half_open_unit, positive_rational, rational
from dpref.privacy.closed_forms.gaussian import gaussian_delta_at
from dpref.privacy.closed_forms.zcdp import zcdp_to_delta
from dpref.reals import Exact, decimal_up, exact, float_down

Parameter: TypeAlias = Literal["epsilon", "rho", "mu"]

POINTS: Final = 32  # of a curve, among which events are tried
_FURTHEST: Final = 7.0  # standard deviations of the privacy loss beyond its mean at the last point


class Claim(Protocol):
    """What a claim must say about itself."""

    @property
    def parameter(self) -> Parameter:
        """Which quantity is claimed."""

    @property
    def value(self) -> Fraction:
        """How much of it."""

    def delta_of(self, epsilon: Fraction) -> Fraction:
        """An upper end of the delta at an epsilon."""

    def points(self) -> Sequence[Fraction]:
        """The epsilons at which events are tried."""

    def at(self, value: Fraction) -> Self:
        """The claim of another amount."""

    def to_json(self) -> dict[str, Any]:
        """The claim as JSON."""


@final
@dataclass(frozen=True)
class DPClaim:
    r"""$(\varepsilon,\delta)$-differential privacy; with delta = 0, pure.

    Attributes:
        epsilon: Exact, at least 0.
        delta: Exact, in [0, 1).

    >>> str(DPClaim(Fraction(1), Fraction(1, 100000)))
    '(1, 1e-05)-DP'
    """

    epsilon: Fraction
    delta: Fraction = Fraction(0)

    def __post_init__(self) -> None:
        object.__setattr__(self, "epsilon", rational("epsilon", self.epsilon))
        object.__setattr__(self, "delta", half_open_unit("delta", self.delta))

    @property
    def parameter(self) -> Parameter:
        """``"epsilon"``."""
        return "epsilon"

    @property
    def value(self) -> Fraction:
        """Epsilon."""
        return self.epsilon

    def delta_of(self, epsilon: Fraction) -> Fraction:
        """Delta from the claimed epsilon on; one below, where the claim says nothing.

        Args:
            epsilon: Exact, at least 0.
        """
        return self.delta if epsilon >= self.epsilon else Fraction(1)

    def points(self) -> Sequence[Fraction]:
        """The claimed epsilon alone."""
        return (self.epsilon,)

    def at(self, value: Fraction) -> DPClaim:
        """The claim of another epsilon at the same delta.

        Args:
            value: That epsilon.
        """
        return DPClaim(value, self.delta)

    def to_json(self) -> dict[str, Any]:
        """Epsilon and delta, exact."""
        return {"measure": "approximate" if self.delta else "pure", **_exactly(epsilon=self.epsilon, delta=self.delta)}

    def __str__(self) -> str:
        return f"({_short(self.epsilon)}, {_short(self.delta)})-DP" if self.delta else f"{_short(self.epsilon)}-DP"


@final
@dataclass(frozen=True)
class ZCDPClaim:
    r"""$\rho$-zero-concentrated differential privacy.

    Events speak against what it implies at an epsilon, by a conversion that is valid and a little loose: that loses
    power, never validity.

    Attributes:
        rho: Exact, positive.

    >>> round(float(ZCDPClaim(Fraction(1, 2)).delta_of(Fraction(5))), 8)
    2.9e-06
    """

    rho: Fraction

    def __post_init__(self) -> None:
        object.__setattr__(self, "rho", positive_rational("rho", self.rho))

    @property
    def parameter(self) -> Parameter:
        """``"rho"``."""
        return "rho"

    @property
    def value(self) -> Fraction:
        """Rho."""
        return self.rho

    def delta_of(self, epsilon: Fraction) -> Fraction:
        """The delta that rho implies at an epsilon, rounded up.

        Args:
            epsilon: Exact, at least 0.
        """
        return _zcdp_delta(self.rho, epsilon)

    def points(self) -> Sequence[Fraction]:
        """Epsilons from zero to where delta is nothing that runs could see."""
        return _curve(math.sqrt(2 * float(self.rho)))

    def at(self, value: Fraction) -> ZCDPClaim:
        """The claim of another rho.

        Args:
            value: That rho.
        """
        return ZCDPClaim(value)

    def to_json(self) -> dict[str, Any]:
        """Rho, exact."""
        return {"measure": "zcdp", **_exactly(rho=self.rho)}

    def __str__(self) -> str:
        return f"{_short(self.rho)}-zCDP"


@final
@dataclass(frozen=True)
class GDPClaim:
    r"""$\mu$-Gaussian differential privacy.

    Attributes:
        mu: Exact, positive.

    >>> round(float(GDPClaim(Fraction(1)).delta_of(Fraction(1))), 6)
    0.126937
    """

    mu: Fraction

    def __post_init__(self) -> None:
        object.__setattr__(self, "mu", positive_rational("mu", self.mu))

    @property
    def parameter(self) -> Parameter:
        """``"mu"``."""
        return "mu"

    @property
    def value(self) -> Fraction:
        """Mu."""
        return self.mu

    def delta_of(self, epsilon: Fraction) -> Fraction:
        """The delta of the pair N(mu, 1), N(0, 1) at an epsilon, rounded up.

        Args:
            epsilon: Exact, at least 0.
        """
        return _gdp_delta(self.mu, epsilon)

    def points(self) -> Sequence[Fraction]:
        """Epsilons from zero to where delta is nothing that runs could see."""
        return _curve(float(self.mu))

    def at(self, value: Fraction) -> GDPClaim:
        """The claim of another mu.

        Args:
            value: That mu.
        """
        return GDPClaim(value)

    def to_json(self) -> dict[str, Any]:
        """Mu, exact."""
        return {"measure": "gdp", **_exactly(mu=self.mu)}

    def __str__(self) -> str:
        return f"{_short(self.mu)}-GDP"


@lru_cache(maxsize=65536)
def _zcdp_delta(rho: Fraction, epsilon: Fraction) -> Fraction:
    return exact(zcdp_to_delta(rho, epsilon).upper)


@lru_cache(maxsize=65536)
def _gdp_delta(mu: Fraction, epsilon: Fraction) -> Fraction:
    return exact(gaussian_delta_at(mu * mu, epsilon).upper)


def _curve(mu: float) -> tuple[Fraction, ...]:
    r"""Evenly spaced epsilons on $[0,\mu^2/2+7\mu]$; the loss is about $N(\mu^2/2,\mu^2)$, its tail beyond 1e-12."""
    step = Fraction((mu * mu / 2 + _FURTHEST * mu) / (POINTS - 1)).limit_denominator(10**6)
    return tuple(i * step for i in range(POINTS))


def rounded_down(value: Fraction) -> float:
    """A double whose shortest decimal text is at most a value: what is printed is no more than the value.

    Args:
        value: Exact.

    >>> rounded_down(Fraction(4, 5)), rounded_down(Fraction(1, 3)) < Fraction(1, 3)
    (0.8, True)
    """
    near = float(value)
    return near if Fraction(repr(near)) <= value else float_down(value)


def _exactly(**values: Exact) -> dict[str, str]:
    return {name: decimal_up(value) for name, value in values.items()}


def _short(value: Fraction) -> str:
    return f"{float(value):g}"
