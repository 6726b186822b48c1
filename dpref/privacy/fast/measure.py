r"""Measures on a grid: what the fast path composes.

A measure gives the mass $p_k$ under the first distribution of a pair to the privacy loss $s + kh$, and a mass
$p_\infty$ to the infinite loss; the second distribution's mass there is $e^{-(s+kh)}p_k$. Only two things about it
matter for composition, and both hold for any non-negative masses, whether or not they sum to one:

$$\delta(\varepsilon) = p_\infty + \sum_{s+kh>\varepsilon}p_k\,(1-e^{\varepsilon-s-kh}),$$

and a pair whose $\delta$ is nowhere below (above) another's stays above (below) it under composition with anything
(obligation ``fast-path/monotone``).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Final, TypeAlias, final

import numpy as np
from numpy.typing import NDArray

from dpref.checks import finite_array, natural, positive_rational
from dpref.errors import InvalidArgumentError
from dpref.reals import FloatArray

LEAST_MASS: Final = 2.0**-600
_BLOCK: Final = 16
_LARGEST_EXPONENT: Final = 500.0  # of a tilted weight, so that no weight leaves the range of doubles


@final
@dataclass(frozen=True)
class GridMeasure:
    """Masses on a grid of privacy losses.

    Attributes:
        start: Loss of the first mass, exact.
        step: Distance h of neighbouring losses, exact and positive.
        masses: Non-negative doubles, shape (n,); each is zero or at least 2**-600, so that nothing underflows later.
        infinity: Mass of the infinite loss, a double.
        relative: The masses that are meant lie within this relative distance of ``masses``.

    >>> GridMeasure(Fraction(-1), Fraction(2), np.array([0.25, 0.75])).masses.sum()
    np.float64(1.0)
    """

    start: Fraction
    step: Fraction
    masses: FloatArray
    infinity: float = 0.0
    relative: float = 0.0

    def __post_init__(self) -> None:
        positive_rational("step", self.step)
        masses = finite_array("masses", self.masses, ndim=1)
        if not np.all((masses == 0) | (masses >= LEAST_MASS)) or not np.any(masses > 0):
            raise InvalidArgumentError("masses", masses, "must be zero or at least 2**-600, and not all zero")
        if not 0 <= self.infinity <= 1:
            raise InvalidArgumentError("infinity", self.infinity, "must lie in [0, 1]")
        if not 0 <= self.relative < 2.0**-10:
            raise InvalidArgumentError("relative", self.relative, "must lie in [0, 2**-10)")
        masses.flags.writeable = False
        object.__setattr__(self, "masses", masses)


Factors: TypeAlias = Sequence[tuple[GridMeasure, int]]


def common_step(factors: Factors) -> Fraction:
    """The one step of measures that are to be composed.

    Raises:
        InvalidArgumentError: If there is none, or a count is not a natural number.
    """
    if not factors:
        raise InvalidArgumentError("factors", factors, "must not be empty")
    for _, count in factors:
        natural("count", count)
    steps = {measure.step for measure, _ in factors}
    if len(steps) != 1:
        raise InvalidArgumentError("factors", sorted(steps), "must live on grids of one step")
    return steps.pop()


def tilted(losses: FloatArray, logs: FloatArray, theta: float) -> tuple[float, float, float]:
    r"""$\ln\sum_kp_ke^{\theta x_k}$, and the mean and the variance of x under the tilted masses, in floats.

    Args:
        losses: x, shape (K,).
        logs: $\ln p$, shape (K,).
        theta: The tilt.

    >>> tilted(np.array([0.0, 2.0]), np.log([0.5, 0.5]), 0.0)[1:]
    (1.0, 1.0)
    """
    exponent = logs + theta * losses
    top = float(exponent.max())
    weight = np.exp(exponent - top)
    total = float(weight.sum())
    mean = float(weight @ losses) / total
    return top + math.log(total), mean, float(weight @ (losses - mean) ** 2) / total


@final
@dataclass(frozen=True)
class Cumulants:
    r"""$\Lambda(\theta) = \sum_iT_i\ln\sum_kp_{i,k}e^{\theta x_{i,k}}$ and two derivatives, in floats.

    Used for searching only: for good tilts and windows, of which any is valid.  Neighbouring masses are lumped.

    Attributes:
        losses: Losses of the lumps of every factor.
        logs: Logarithms of their masses.
        counts: How often every factor is composed.
    """

    losses: tuple[FloatArray, ...]
    logs: tuple[FloatArray, ...]
    counts: tuple[int, ...]

    @classmethod
    def of(cls, factors: Factors) -> Cumulants:
        """The cumulants of a composition."""
        losses, logs = [], []
        block = _BLOCK if sum(len(measure.masses) for measure, _ in factors) > 1 << 12 else 1
        for measure, _ in factors:
            padded = np.zeros(-(-len(measure.masses) // block) * block)
            padded[: len(measure.masses)] = measure.masses
            mass = padded.reshape(-1, block)
            kept = mass.sum(axis=1) > 0
            mass = mass[kept]
            x = (np.flatnonzero(kept) * block)[:, None] + np.arange(block)
            where = (mass * x).sum(axis=1) / mass.sum(axis=1)
            losses.append(float(measure.start) + float(measure.step) * where)
            logs.append(np.log(mass.sum(axis=1)))
        return cls(tuple(losses), tuple(logs), tuple(count for _, count in factors))

    @cached_property
    def _joined(self) -> tuple[FloatArray, FloatArray, NDArray[np.int64], NDArray[np.int64], FloatArray]:
        """Losses and logarithms of all factors in a row, where each begins, whose each is, and the counts."""
        sizes = np.array([len(x) for x in self.losses])
        starts = np.append(0, np.cumsum(sizes)[:-1])
        whose = np.repeat(np.arange(len(sizes)), sizes)
        return np.concatenate(self.losses), np.concatenate(self.logs), starts, whose, np.array(self.counts, dtype=float)

    def _tilted(self, theta: float) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Of each factor the logarithm of its tilted sum and its tilted mean, and the tilted masses of all."""
        x, logs, starts, whose, _ = self._joined
        exponent = logs + theta * x
        top = np.maximum.reduceat(exponent, starts)
        weight = np.exp(exponent - top[whose])
        total = np.add.reduceat(weight, starts)
        weight /= total[whose]
        return top + np.log(total), np.add.reduceat(weight * x, starts), weight

    def at(self, theta: float) -> tuple[float, float, float]:
        """Value, mean of the tilted sum, and its variance."""
        x, _, starts, whose, counts = self._joined
        values, means, weight = self._tilted(theta)
        spreads = np.add.reduceat(weight * (x - means[whose]) ** 2, starts)
        return float(counts @ values), float(counts @ means), float(counts @ spreads)

    def peakedness(self, theta: float) -> float:
        """Fourth moments of the tilted parts about their means, over the squared variance: large where few matter."""
        x, _, starts, whose, counts = self._joined
        _, means, weight = self._tilted(theta)
        fourth = counts @ np.add.reduceat(weight * (x - means[whose]) ** 4, starts)
        return float(fourth) / max(self.at(theta)[2], 1e-150) ** 2

    def log_delta(self, theta: float) -> tuple[float, float]:
        """The saddle-point estimate of log delta at the epsilon whose tilt is theta > 0, and its slope in theta."""
        value, mean, variance = self.at(theta)
        spread = math.sqrt(max(variance, 1e-300) * 2 * math.pi)
        # For small theta the Gaussian integral is not exponential; 1/theta is capped by the spread itself.
        return value - theta * mean - math.log1p(theta * (theta + 1) * spread), -theta * variance

    def tilt_for_delta(self, log_delta: float) -> float:
        """The tilt under which the epsilon of that delta is typical."""
        return self._solve(lambda theta: self.log_delta(theta)[0] - log_delta)

    def tilt_for_loss(self, loss: float) -> float:
        """The tilt under which the mean of the sum is ``loss`` (zero if it is that without a tilt)."""
        return self._solve(lambda theta: loss - self.at(theta)[1])

    def edge(self, theta: float, nats: float, sign: int) -> float:
        """A tilt beyond ``theta`` (above for sign 1) whose mean the tilted sum passes with probability e**-nats."""
        value, _, variance = self.at(theta)
        cap = _LARGEST_EXPONENT / max(float(x[-1] - x[0]) + 1e-300 for x in self.losses)

        def rate(move: float) -> float:
            v, mean, _ = self.at(theta + sign * move)
            return sign * move * mean - (v - value)

        low, high = 0.0, min(math.sqrt(2 * nats / max(variance, 1e-300)), cap)
        while high < cap and rate(high) < nats:
            low, high = high, min(2 * high, cap)
        while high - low > high / 32:
            middle = (low + high) / 2
            low, high = (middle, high) if rate(middle) < nats else (low, middle)
        return theta + sign * high

    def _solve(self, falling: Callable[[float], float]) -> float:
        """Where a falling function of the tilt crosses zero, to one part in a thousand; zero if it starts below."""
        widest = max(float(x[-1] - x[0]) for x in self.losses)
        low, high, cap = 0.0, 1 / math.sqrt(max(self.at(0.0)[2], 1e-300)), _LARGEST_EXPONENT / max(widest, 1e-300)
        if falling(0.0) <= 0:
            return 0.0
        high = min(high, cap)
        while high < cap and falling(high) > 0:
            low, high = high, min(2 * high, cap)
        while high - low > high / 1024:
            middle = (low + high) / 2
            low, high = (middle, high) if falling(middle) > 0 else (low, middle)
        return high
