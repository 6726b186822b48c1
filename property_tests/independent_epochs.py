r"""What an epoch spends in which a record is in k of t steps, computed without the library, in doubles.

The likelihood ratio is $R=\binom tk^{-1}\sum_I\prod_{i\in I}Y_i$ with $Y=e^{sZ-s^2/2}$, one for each step; a removed
record's h is $\mathbb E(R-e^x)_+$, an added one's $\mathbb E(1-e^xR)_+$.

* Of two or three steps R is linear in the last Y, whose expectation is a formula; the integral over the others bends
  where they reach the level alone, and is done on both sides of there (tanh-sinh).
* Of any number with k = 1, where s is small, by the Laplace transform:
  $\mathbb E(K-\sum Y_i)_+=\frac1{2\pi i}\int\frac{e^{zK}}{z^2}(\mathbb Ee^{-zY})^t\,dz$, z right of zero.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Final

import numpy as np
from flint import arb
from numpy.typing import NDArray
from scipy.special import ndtr

from property_tests.independent_compositions import Doubles, NoTruthError, agreed
from property_tests.independent_laws import Curve

_FAR: Final = 13.0  # standard deviations
_NODES: Final = 161  # of an interval, on either side of its middle
_NODE: Final = 0.02
_FINE: Final = 2401
_LEAST: Final = 1e-6  # of a removed record's h by the transform: below, one less one has too few digits
_HIGHEST: Final = 700.0  # logarithm of an integrand whose exponential is a double
_REACHES: Final = ((1000, 1), (500, 2))


def _exceeding(shift: float, level: Doubles) -> tuple[Doubles, Doubles]:
    """The expectations of what Y is above a level, and below it."""
    kept = np.maximum(level, 1e-300)
    z = (np.log(kept) + shift * shift / 2) / shift
    call, put = ndtr(shift - z) - kept * ndtr(-z), kept * ndtr(z) - ndtr(z - shift)
    return np.where(level > 0, call, 1 - level), np.where(level > 0, put, 0.0)


def _split(shift: float, at: Doubles, every: int) -> tuple[Doubles, Doubles]:
    """Places and weights of Y, dense at a place of its own for each row: the places first, then the rows."""
    with np.errstate(divide="ignore"):
        z = np.clip((np.log(np.maximum(at, 0.0)) + shift * shift / 2) / shift, -_FAR, _FAR + shift)
    u = (np.arange(-_NODES + 1, _NODES) * _NODE)[::every, None]
    unit = np.tanh(np.sinh(u) * math.pi / 2)
    slope = np.cosh(u) * math.pi / 2 / np.cosh(np.sinh(u) * math.pi / 2) ** 2 * (_NODE * every)
    places, weights = [], []
    for low, high in ((np.full_like(z, -_FAR), z), (z, np.full_like(z, _FAR + shift))):
        half = (high - low) / 2
        places.append((low + high) / 2 + half * unit)
        weights.append(half * slope)
    found = np.concatenate(places)
    density = np.exp(-found * found / 2) / math.sqrt(2 * math.pi)
    return np.exp(shift * found - shift * shift / 2), density * np.concatenate(weights)


def few_steps(shift: float, steps: int, taken: int) -> Curve:
    """h, the larger of both directions, of one or two of two or three steps."""

    def side(level: float, which: int, every: int) -> float:
        """The expectation of what R is above a level, or below it: a bend where all but the last Y reach the level."""
        first, outer = (a[:, 0] for a in _split(shift, np.array([steps * level]), every))
        if steps == 2:
            return float(outer @ (_exceeding(shift, 2 * level - first)[which] / 2))
        bend = 3 * level - first if taken == 1 else 3 * level / np.maximum(first, 1e-300)
        second, inner = _split(shift, bend, every)
        slope = np.full_like(second, 1 / 3) if taken == 1 else (first + second) / 3
        rest = (first + second) / 3 if taken == 1 else first * second / 3
        return float(((slope * _exceeding(shift, (level - rest) / slope)[which]) * inner).sum(axis=0) @ outer)

    def value(x: float, every: int) -> float:
        alpha = math.exp(x)
        return max(side(alpha, 0, every), alpha * side(1 / alpha, 1, every))

    return lambda x: arb(agreed([value(float(x.mid()), every) for every in (1, 2)]))


def many_steps(shift: float, steps: int) -> Curve:
    """h, the larger of both directions, of one of many steps."""

    def value(x: float, grid: tuple[int, int]) -> float:
        alpha = math.exp(x)
        removed = 1 - alpha + _below(shift, steps, alpha * steps, grid) / steps
        added = alpha * _below(shift, steps, steps / alpha, grid) / steps
        if removed < _LEAST:
            raise NoTruthError("a difference of two numbers near one")
        return max(removed, added)

    return lambda x: arb(agreed([value(float(x.mid()), grid) for grid in _REACHES]))


def _below(shift: float, steps: int, level: float, grid: tuple[int, int]) -> float:
    """The expectation of what the sum of so many Y is below a level."""
    points, every = grid
    z = np.linspace(-_FAR, _FAR + shift, _FINE)[::every]
    y, weights = np.exp(shift * z - shift * shift / 2), np.exp(-z * z / 2) * (z[1] - z[0]) / math.sqrt(2 * math.pi)

    def log_integrand(z: NDArray[np.complex128]) -> NDArray[np.complex128]:
        moments = np.exp(-np.multiply.outer(z, y)) @ weights
        return np.asarray(z * level + steps * np.log(moments) - 2 * np.log(z))

    def height(log_c: float) -> float:
        return float(log_integrand(np.array([complex(math.exp(log_c))]))[0].real)

    at = _lowest(height, -8.0, 8.0)
    saddle, peak = math.exp(at), height(at)
    if peak > _HIGHEST:
        raise NoTruthError("the saddle lies beyond the search")
    reach = saddle
    while log_integrand(np.array([complex(saddle, reach)]))[0].real > peak - 36:
        reach *= 1.2
        if reach > 400 / shift:
            raise NoTruthError("the integrand does not fall")
    t = (np.arange(points) + 0.5) * reach / points
    values = np.exp(log_integrand(np.asarray(saddle + 1j * t, dtype=np.complex128)) - peak).real
    return float(values.sum() * reach / points / math.pi) * math.exp(peak)


def _lowest(value: Callable[[float], float], low: float, high: float) -> float:
    """Where a function falls to one bottom, roughly."""
    for _ in range(40):
        a, b = low + (high - low) / 3, high - (high - low) / 3
        low, high = (low, b) if value(a) < value(b) else (a, high)
    return low
