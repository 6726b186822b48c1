r"""Generalised Gaussian noise for regular norms: density $\propto\exp(-\|z\|_+^2/(2\sigma^2))$.

The norm $\|\cdot\|_+=c\,\|\cdot\|_\rho$ is the one associated with the norm in which the sensitivity $s$ is measured
(`dpref.geometry.norms.regularity`).  The mechanism is $\frac{\kappa s^2}{2\sigma^2}$-zCDP (obligation PO-9 of the
private-online-frank-wolfe paper).

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
from typing import final

import numpy as np

from dpref.checks import finite, natural, positive_rational
from dpref.errors import InvalidArgumentError
from dpref.geometry.norms import Regularity, lp_norm
from dpref.privacy.ledger import Event, GeneralizedGaussian
from dpref.reals import FloatArray, exact


@final
@dataclass(frozen=True)
class GeneralizedGaussianMechanism:
    r"""Generalised Gaussian noise on a query whose sensitivity is known in a regular norm.

    Attributes:
        sensitivity: s, in the norm that the regularity belongs to, exact.
        sigma: Noise level, a positive finite double (its exact value is what is accounted).
        regularity: The associated norm.
        dimension: d.

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
        rho = float(self.regularity.index)
        radius = np.sqrt(rng.gamma(self.dimension / 2, scale))
        x = rng.choice([-1.0, 1.0], self.dimension) * rng.gamma(1 / rho, 1.0, self.dimension) ** (1 / rho)
        return np.asarray(radius * x / self.norm_plus(x))
