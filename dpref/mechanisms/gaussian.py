r"""The Gaussian mechanism: $q(D) + N(0, \sigma^2 I)$.

Its privacy loss is exactly Gaussian: $\mu = \Delta_2/\sigma$ (Dong, Roth and Su 2022), hence $\mu^2/2$-zCDP (Bun and
Steinke 2016, Proposition 1.6).  The sampler draws IEEE doubles from numpy's generator; it is not an exact sample of the
density (Mironov 2012), which the documentation lists among the limits.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Generic, TypeVar, final

import numpy as np

from dpref.errors import InvalidArgumentError
from dpref.privacy.events.ledger import Event, Gaussian, NonPrivate
from dpref.reals import FloatArray, Ops, T, exact
from dpref.units import GDP, L2, ZCDP, Adjacency, PrivacyLoss, Sensitivity

A = TypeVar("A", bound=Adjacency)


def log_density(o: Ops[T], x: T, mean: T, std: T) -> T:
    r"""$\ln p(x) = -\frac{(x-m)^2}{2\sigma^2} - \ln\sigma - \frac12\ln 2\pi$, one coordinate.

    Args:
        x: Where.
        mean: m, in the unit of x.
        std: $\sigma$, in the unit of x, positive.

    >>> from dpref.reals import FLOAT
    >>> round(log_density(FLOAT, 3.0, 1.0, 1.0), 9)  # -2 - ln(2 pi) / 2
    -2.918938533
    """
    z = (x - mean) / std
    return -(z * z) / 2 - o.log(std) - o.log(2 * o.pi()) / 2


def privacy_loss(o: Ops[T], x: T, mu: T) -> T:
    r"""$\ln\frac{dN(\mu,1)}{dN(0,1)}(x) = \mu x - \mu^2/2$.

    Under $N(\mu,1)$ it is $N(\mu^2/2,\mu^2)$ (Dong, Roth and Su 2022).

    Args:
        x: The answer in units of $\sigma$.
        mu: $\Delta_2/\sigma$.

    >>> from dpref.reals import RATIONAL
    >>> privacy_loss(RATIONAL, Fraction(3), Fraction(2))
    Fraction(4, 1)
    """
    return mu * x - mu * mu / 2


@final
@dataclass(frozen=True)
class GaussianMechanism(Generic[A]):
    """A Gaussian mechanism on a query of known l2 sensitivity.

    Attributes:
        sensitivity: l2 sensitivity of the query, exact.
        std: Standard deviation per coordinate, a finite double (its exact value is what is accounted).

    >>> from dpref.units import ReplaceOne
    >>> GaussianMechanism(Sensitivity(Fraction(1), L2, ReplaceOne), 2.0).zcdp().value
    Fraction(1, 8)
    """

    sensitivity: Sensitivity[L2, A]
    std: float

    def __post_init__(self) -> None:
        if self.sensitivity.norm is not L2:
            raise InvalidArgumentError(
                "sensitivity", self.sensitivity, "the Gaussian mechanism needs an l2 sensitivity"
            )
        if not (np.isfinite(self.std) and self.std > 0):
            raise InvalidArgumentError("std", self.std, "must be positive and finite")

    @property
    def event(self) -> Event:
        """The mechanism as the ledger sees it."""
        return gaussian_event(self.sensitivity, self.std)

    def gdp(self) -> PrivacyLoss[GDP, A]:
        """mu squared, exact: (Delta / sigma)^2."""
        mu = self.sensitivity.value / exact(self.std)
        return PrivacyLoss(mu * mu, GDP, self.sensitivity.adjacency)

    def zcdp(self) -> PrivacyLoss[ZCDP, A]:
        """rho, exact: (Delta / sigma)^2 / 2."""
        return PrivacyLoss(self.gdp().value / 2, ZCDP, self.sensitivity.adjacency)

    def sample(self, value: FloatArray, rng: np.random.Generator) -> FloatArray:
        """One noisy answer; ``value`` has shape (d,)."""
        return value + self.std * rng.standard_normal(value.shape)


def gaussian_event(sensitivity: Sensitivity[L2, A], std: float) -> Event:
    """The ledger's event of one Gaussian answer; without noise it is `NonPrivate`.

    A query of sensitivity zero does not depend on the data and has no noise multiplier.  It is refused: a caller who
    wants it charged has to state a positive sensitivity.

    Args:
        sensitivity: l2 sensitivity of the query, exact.
        std: Standard deviation per coordinate in the query's unit, a finite double, at least 0.

    Raises:
        InvalidArgumentError: If the sensitivity is zero, or is not an l2 sensitivity.

    >>> from dpref.units import ReplaceOne
    >>> print(gaussian_event(Sensitivity(Fraction(2), L2, ReplaceOne), 6.0))
    gaussian(noise_multiplier=3)
    """
    if sensitivity.norm is not L2:
        raise InvalidArgumentError("sensitivity", sensitivity, "Gaussian noise needs an l2 sensitivity")
    if sensitivity.value == 0:
        raise InvalidArgumentError("sensitivity", sensitivity.value, "must be positive to be accounted")
    if std == 0:
        return NonPrivate()
    return Gaussian(exact(std) / sensitivity.value)


def standard_multiplier(sensitivity: Sensitivity[L2, A], std: float) -> Fraction:
    """sigma / Delta_2, exact.

    Args:
        sensitivity: l2 sensitivity of the query, exact and positive.
        std: Standard deviation per coordinate in the query's unit, a finite double.

    >>> from dpref.units import ReplaceOne
    >>> standard_multiplier(Sensitivity(Fraction(2), L2, ReplaceOne), 3.0)
    Fraction(3, 2)
    """
    return exact(std) / sensitivity.value
