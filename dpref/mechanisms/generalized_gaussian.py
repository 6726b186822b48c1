r"""Generalised Gaussian noise for regular norms: density $\propto\exp(-\|z\|_+^2/(2\sigma^2))$.

The norm $\|\cdot\|_+=c\,\|\cdot\|_\rho$ is the one associated with the norm in which the sensitivity $s$ is measured
(`dpref.geometry.norms.regularity`).  The mechanism is $\frac{\kappa s^2}{2\sigma^2}$-zCDP (obligation PO-9 of the
private-online-frank-wolfe paper), and even $s\sqrt\kappa/\sigma$-Gaussian-DP (obligation ``gaussian-dp``).

The sampler draws a radius and a direction of the cone measure: $\|Z\|_+^2\sim\mathrm{Gamma}(d/2,\ 2\sigma^2)$ and
$x/\|x\|_\rho$ with independent $|x_i|^\rho\sim\mathrm{Gamma}(1/\rho,1)$.  The paper prints the Gamma scale $2\sigma$
(Algorithm 4, line 2; erratum E-2), which at $\sigma>1$ draws far too little noise; `sample_as_printed` runs it.

References:
    Calafiore, Dabbene and Tempo, "Uniform sample generation in l_p balls", 1998.
    Han et al., "On private online convex optimization", Algorithm 4 and Lemma 5.1.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any, final

import numpy as np

from dpref.checks import finite, natural, positive_rational
from dpref.errors import InvalidArgumentError
from dpref.geometry.norms import Regularity, lp_norm
from dpref.privacy.events.ledger import Event, GeneralizedGaussian, NonPrivate
from dpref.reals import FloatArray, exact
from dpref.units import Norm, Sensitivity


@final
@dataclass(frozen=True)
class GeneralizedGaussianMechanism:
    r"""Generalised Gaussian noise on a query whose sensitivity is known in a regular norm.

    Attributes:
        sensitivity: s, in the norm that the regularity belongs to, exact.
        sigma: Noise level, a positive finite double (its exact value is what is accounted).
        regularity: The associated norm.
        dimension: d, the number of parameters.

    >>> from dpref.geometry.norms import regularity
    >>> print(GeneralizedGaussianMechanism(Fraction(1), 4.0, regularity(Fraction(3), 50), 50).event)
    generalized_gaussian(noise_multiplier=4, regularity=2)
    """

    sensitivity: Fraction
    sigma: float
    regularity: Regularity
    dimension: int

    def __post_init__(self) -> None:
        positive_rational("sensitivity", self.sensitivity)
        natural("dimension", self.dimension)
        if finite("sigma", self.sigma) <= 0:
            raise InvalidArgumentError("sigma", self.sigma, "must be positive")

    @property
    def event(self) -> Event:
        """The mechanism as the ledger sees it."""
        return GeneralizedGaussian(exact(self.sigma) / self.sensitivity, exact(self.regularity.kappa))

    def norm_plus(self, z: FloatArray) -> float:
        """The associated norm of a vector of shape (d,)."""
        return self.regularity.scale * lp_norm(z, self.regularity.index)

    def log_density_ratio(self, z: FloatArray, shift: FloatArray) -> float:
        r"""$\ln\frac{p(z-h)}{p(z)}$, the privacy loss at answer z of a query moved by h; both of shape (d,)."""
        return (self.norm_plus(z) ** 2 - self.norm_plus(z - shift) ** 2) / (2 * self.sigma**2)

    def sample(self, rng: np.random.Generator) -> FloatArray:
        r"""One draw, shape (d,): the Gamma scale is $2\sigma^2$ (Lemma 5.1)."""
        return self._draw(2 * self.sigma**2, rng)

    def sample_as_printed(self, rng: np.random.Generator) -> FloatArray:
        r"""One draw with the Gamma scale $2\sigma$ of Algorithm 4's line 2 (erratum E-2): not this density."""
        return self._draw(2 * self.sigma, rng)

    def _draw(self, scale: float, rng: np.random.Generator) -> FloatArray:
        unit = unit_draw(float(self.regularity.index), self.regularity.scale, self.dimension, rng)
        return np.asarray(np.sqrt(scale / 2) * unit)


def unit_draw(index: float, scale: float, dimension: int, rng: np.random.Generator) -> FloatArray:
    r"""One draw of the density $\propto\exp(-\|z\|_+^2/2)$ with $\|z\|_+=c\,(\sum_i|z_i|^\rho)^{1/\rho}$, shape (d,).

    Args:
        index: rho, positive (below 1 the formula is no norm, but still a density).
        scale: c, positive.
        dimension: d, the number of parameters.
        rng: The source of randomness.

    References:
        Calafiore, Dabbene and Tempo 1998; Han et al., Lemma 5.1.

    >>> unit_draw(3.0, 1.0, 4, np.random.default_rng(0)).shape
    (4,)
    """
    (drawn,) = unit_draws(index, 1, dimension, rng)
    return np.asarray(drawn / scale)


def unit_draws(index: float, count: int, dimension: int, rng: np.random.Generator) -> FloatArray:
    """As many draws as asked for with c = 1, shape (count, d).

    Args:
        index: rho, positive.
        count: How many.
        dimension: d, the number of parameters.
        rng: The source of randomness.

    >>> unit_draws(0.5, 3, 4, np.random.default_rng(0)).shape
    (3, 4)
    """
    radii = np.sqrt(rng.gamma(dimension / 2, 2.0, (count, 1)))
    # A Gamma(1/rho) variable is a Gamma(1 + 1/rho) one times U^rho; drawn directly it underflows for a large index.
    # Of a sum of powers the largest entry is divided out first: for a small index the powers themselves overflow.
    uniform = 1.0 - rng.random((count, dimension))
    logs = np.log(rng.standard_gamma(1 + 1 / index, (count, dimension))) / index + np.log(uniform)
    sizes = np.exp(logs - logs.max(axis=1, keepdims=True))
    signs = rng.choice([-1.0, 1.0], (count, dimension))
    return np.asarray(signs * radii * sizes / np.sum(sizes**index, axis=1, keepdims=True) ** (1 / index))


@final
@dataclass(frozen=True)
class RegularNoise:
    r"""Generalised Gaussian noise as a curator draws it: density $\propto\exp(-\|z\|_+^2/(2\sigma^2))$.

    Attributes:
        std: sigma, a finite double, at least 0 (not a standard deviation per coordinate).
        norm: The norm of the sensitivity.
        index: rho of the associated norm, positive.
        scale: The factor before it, positive.
        kappa: The regularity constant, exact; None where the pair of norms has no theorem, as with the printed index
            (E-1): such noise is accounted as none.

    >>> from dpref.units import ReplaceOne, lq
    >>> noise = RegularNoise(4.0, lq(Fraction(3)), 3.0, 1.0, Fraction(2))
    >>> print(noise.event(Sensitivity(Fraction(1), lq(Fraction(3)), ReplaceOne)))
    generalized_gaussian(noise_multiplier=4, regularity=2)
    """

    std: float
    norm: type[Norm]
    index: float
    scale: float
    kappa: Fraction | None

    def __post_init__(self) -> None:
        object.__setattr__(self, "std", finite("std", self.std))
        if self.std < 0:
            raise InvalidArgumentError("std", self.std, "must not be negative")
        for name in ("index", "scale"):
            if finite(name, getattr(self, name)) <= 0:
                raise InvalidArgumentError(name, getattr(self, name), "must be positive")

    def event(self, sensitivity: Sensitivity[Any, Any]) -> Event:
        """`GeneralizedGaussian`, or `NonPrivate` without noise or without a theorem.

        Raises:
            InvalidArgumentError: If the sensitivity is not positive, or is stated in another norm.
        """
        if sensitivity.norm is not self.norm:
            raise InvalidArgumentError("sensitivity", sensitivity, f"must be stated in the {self.norm.name} norm")
        positive_rational("sensitivity", sensitivity.value)
        if self.std == 0 or self.kappa is None:
            return NonPrivate()
        return GeneralizedGaussian(exact(self.std) / sensitivity.value, self.kappa)

    def draw(self, rng: np.random.Generator, shape: tuple[int, ...]) -> FloatArray:
        """One unit draw, shape (d,)."""
        (dimension,) = shape
        return unit_draw(self.index, self.scale, dimension, rng)
