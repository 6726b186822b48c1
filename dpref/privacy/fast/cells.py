r"""Integrals of the Poisson-subsampled Gaussian pair over cells of the line: doubles with proved errors, or balls.

$P = (1-q)N(0,1)+qN(\mu,1)$ and $Q = N(0,1)$; $r(z) = qe^{\mu z-\mu^2/2}$, so that $dP/dQ = 1-q+r$ and the privacy loss
is $x(z) = \ln(1-q+r(z))$, increasing in z. q = 1 is the Gaussian pair.

A *narrow* cell of midpoint c and width w satisfies $w\le1/16$, $\mu w\le1/8$ and $|c|w\le1$; eight Gauss-Legendre
nodes integrate there to better than rounding, since what is integrated is entire (obligation
``fast-path/quadrature``). There are few other cells, and they are computed in balls.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import cache, cached_property
from typing import Final, TypeAlias, TypeVar, final

import numpy as np
from flint import arb
from numpy.typing import NDArray

from dpref.checks import positive_rational
from dpref.errors import InvalidArgumentError
from dpref.privacy.closed_forms.divergences import normal_cdf
from dpref.privacy.fast.exp import EXP_ERROR, EXPM1_ERROR, UNIT, expm1_ratio, exponential
from dpref.reals import BALL, FloatArray, ball, precision, upper

NODES: Final = 8
NARROW: Final = 1 / 16
REACH: Final = 13.25  # standard deviations kept on either side; what lies beyond weighs less than 2**-130
# What lies above or below an end under a law; the end is kept with it, so that no other ball has its identity.
Tails: TypeAlias = dict[tuple[int, str, bool], tuple[arb, arb]]
_Reals = TypeVar("_Reals", float, FloatArray)
_RADII: Final = (0.125, 0.25, 0.5, 1.0, 2.0)


@final
@dataclass(frozen=True)
class Pair:
    """The pair of a sampling rate and a noise multiplier.

    Attributes:
        rate: q, exact, in (0, 1].
        noise_multiplier: sigma, exact and positive.
    """

    rate: Fraction
    noise_multiplier: Fraction

    def __post_init__(self) -> None:
        object.__setattr__(self, "noise_multiplier", positive_rational("noise_multiplier", self.noise_multiplier))
        object.__setattr__(self, "rate", positive_rational("rate", self.rate))
        if self.rate > 1:
            raise InvalidArgumentError("rate", self.rate, "must not exceed 1")

    @cached_property
    def mu(self) -> float:
        """1/sigma, rounded."""
        return float(1 / self.noise_multiplier)

    @cached_property
    def q(self) -> float:
        """The rate, rounded."""
        return float(self.rate)

    @cached_property
    def plain(self) -> bool:
        """Whether nothing is sampled: q = 1."""
        return self.rate == 1

    @cached_property
    def rest(self) -> float:
        """1 - q, rounded."""
        return float(1 - self.rate)

    def loss(self, z: float) -> float:
        """x(z), in floats."""
        t = self.mu * z - self.mu * self.mu / 2
        if self.plain:
            return t
        return math.log1p(self.q * math.expm1(t)) if t < 0 else t + math.log(self.q + self.rest * math.exp(-t))

    def losses(self, z: FloatArray) -> FloatArray:
        """x(z) of many points, in floats."""
        t = self.mu * z - self.mu * self.mu / 2
        if self.plain:
            return np.asarray(t)
        small, large = np.minimum(t, 0.0), np.maximum(t, 0.0)
        near = np.log1p(self.q * np.expm1(small))
        return np.asarray(np.where(t < 0, near, large + np.log(self.q + self.rest * np.exp(-large))))

    def point(self, loss: float) -> float:
        """The z of a loss above ln(1 - q), in floats."""
        t = loss if self.plain else math.log(max((math.expm1(loss) + self.q) / self.q, 1e-300))
        return t / self.mu + self.mu / 2

    def ratio(self, z: FloatArray) -> FloatArray:
        """r(z), within ``ratio_error`` of the exact value, relatively."""
        return self.q * exponential(self.mu * z - self.mu * self.mu / 2)

    def ratio_error(self, reach: _Reals) -> _Reals:
        r"""Relative error of r where $|z|\le$ reach: the exponential, its rounded argument, mu, q and one product."""
        return (EXP_ERROR + 4 + 5 * self.mu * (reach + self.mu)) * UNIT

    def masses(self, low: arb | None, high: arb | None, tails: Tails | None = None) -> tuple[arb, arb]:
        r"""$\int\varphi(z-\mu)$ and $\int\varphi(z)$ over a cell in balls; None is the infinite end on that side.

        Args:
            low: z where the cell begins.
            high: z where it ends.
            tails: Remembers what was found at each end, for cells that share it; all at one precision.
        """
        mu, known = 1 / ball(self.noise_multiplier), {} if tails is None else tails
        return _mass(low, high, mu, "moved", known), _mass(low, high, arb(0), "still", known)

    def ball_ratio(self, z: arb) -> arb:
        """r(z) in balls."""
        mu = 1 / ball(self.noise_multiplier)
        return ball(self.rate) * (mu * z - mu * mu / 2).exp()

    def ball_point(self, loss: arb) -> arb:
        """The z of a loss above ln(1 - q), in balls."""
        mu = 1 / ball(self.noise_multiplier)
        return ((loss.exp() - ball(1 - self.rate)) / ball(self.rate)).log() / mu + mu / 2


def _mass(low: arb | None, high: arb | None, mean: arb, law: str, known: Tails) -> arb:
    def tail(z: arb, *, above: bool) -> arb:
        if (found := known.get((id(z), law, above))) is None:
            found = known[id(z), law, above] = z, normal_cdf(BALL, mean - z if above else z - mean)
        return found[1]

    if low is None:
        return arb(1) if high is None else tail(high, above=False)
    if high is None:
        return tail(low, above=True)
    if low + high > 2 * mean:
        return tail(low, above=True) - tail(high, above=True)
    return tail(high, above=False) - tail(low, above=False)


@cache
def nodes(count: int = NODES) -> tuple[tuple[float, ...], tuple[float, ...]]:
    """Gauss-Legendre nodes in (0, 1) and their weights of sum one, each within two units."""
    with precision(128):
        pairs = [arb.legendre_p_root(count, k, weight=True) for k in reversed(range(count))]
        return tuple(float(((1 + x) / 2).mid()) for x, _ in pairs), tuple(float((v / 2).mid()) for _, v in pairs)


@final
@dataclass(frozen=True)
class Narrow:
    r"""Integrals over narrow cells, relatively to $\varphi(c)\,w$.

    Attributes:
        pair: Sampling rate and noise multiplier.
        centre: c, shape (n,).
        width: w, shape (n,).
    """

    pair: Pair
    centre: FloatArray
    width: FloatArray

    def offsets(self) -> list[tuple[FloatArray, FloatArray, float]]:
        r"""For every node its distance s from c, its weight times $e^{-s(c+s/2)}$, and its place in (0, 1)."""
        result = []
        for t, v in zip(*nodes(), strict=True):
            s = self.width * (t - 0.5)
            result.append((s, v * exponential(-s * (self.centre + s / 2)), t))
        return result

    def scale(self) -> FloatArray:
        r"""$\varphi(c)\,w$."""
        return exponential(self.centre * self.centre * -0.5) * self.width * _inverse_root()

    def rises(self) -> tuple[FloatArray, FloatArray]:
        r"""$\int(e^{\mu(z-z_1)}-1)\varphi$ and $\int(1-e^{-\mu(z_2-z)})\varphi$ for the cell $[z_1,z_2]$."""
        from_left, from_right = np.zeros_like(self.width), np.zeros_like(self.width)
        for _, weight, t in self.offsets():
            left, right = self.pair.mu * self.width * t, self.pair.mu * self.width * (1 - t)
            from_left += weight * left * expm1_ratio(left)
            from_right += weight * right * expm1_ratio(-right)
        scale = self.scale()
        return from_left * scale, from_right * scale

    def ratios(self, middle: FloatArray) -> list[tuple[FloatArray, FloatArray]]:
        """For every node its weight and the ratio r there, from the ratios at the middles."""
        result = []
        for s, weight, _ in self.offsets():
            y = self.pair.mu * s
            result.append((weight, middle * (1 + y * expm1_ratio(y))))
        return result

    def rounding(self) -> float:
        """Relative error of any integral here of terms of one sign, truncation included."""
        c = float(np.max(np.abs(self.centre), initial=0.0))
        return (64 + EXPM1_ERROR + c * c) * UNIT + self.truncation()

    def truncation(self) -> float:
        r"""What the quadrature leaves out, relatively to the integral of the smallest term integrated here.

        For a function bounded by M on a disc of radius R around c the error is at most
        $2M(w/2R)^{16}/(1-w/2R)$ (Cauchy's estimate of Taylor's remainder); any R is valid, the best of a few is taken.
        """
        if not self.width.size:
            return 0.0
        with precision(64):
            c, w = arb(float(np.max(np.abs(self.centre)))), arb(float(np.max(self.width)))
            mu = arb(self.pair.mu)
            best = arb(1)
            for radius in _RADII:
                x = w / (2 * radius)
                rise = mu * (radius + w)
                growth = (c * radius + arb(radius) ** 2 / 2 + rise).exp() * (1 + rise)
                # The density of a narrow cell is at least exp(-0.502) of its middle's, its mean rise at least mu w / 4.
                bound = 2 * growth * x ** (2 * NODES) / (1 - x) * 2 * (1 + 4 / (mu * w))
                if x < 1:
                    best = best.min(bound)
            return upper(best)


@cache
def _inverse_root() -> float:
    with precision(128):
        return float((1 / (2 * arb.pi()).sqrt()).mid())


def is_narrow(pair: Pair, low: FloatArray, high: FloatArray) -> NDArray[np.bool_]:
    """Which cells eight nodes integrate."""
    width, centre = high - low, (low + high) / 2
    return (width > 0) & (width <= NARROW) & (pair.mu * width <= 1 / 8) & (np.abs(centre) * width <= 1)
