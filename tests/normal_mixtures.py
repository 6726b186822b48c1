"""Mixtures of normal laws on a line: what samplers make of a few records, and hockey-stick divergences between them.

Nothing here is taken from the library.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from itertools import combinations, product

import mpmath as mp
import numpy as np
from numpy.typing import NDArray
from scipy.integrate import trapezoid

LINE = np.linspace(-14.0, 14.0, 40_001)
Mixture = list[tuple[float, float]]  # weights and centres, in units of the noise
Sampler = Callable[[Sequence[float]], Mixture]


def poisson_of(rate: float) -> Sampler:
    def sampled(records: Sequence[float]) -> Mixture:
        found = []
        for taken in product((False, True), repeat=len(records)):
            weight = math.prod(rate if t else 1 - rate for t in taken)
            found.append((weight, sum(x for x, t in zip(records, taken, strict=True) if t)))
        return found

    return sampled


def batches_of(size: int) -> Sampler:
    def sampled(records: Sequence[float]) -> Mixture:
        found = list(combinations(records, size))
        return [(1 / len(found), sum(batch)) for batch in found]

    return sampled


def density(mixture: Mixture) -> NDArray[np.float64]:
    return np.asarray(sum(w * np.exp(-((LINE - c) ** 2) / 2) for w, c in mixture)) / math.sqrt(2 * math.pi)


def hockey_stick(first: Mixture, second: Mixture, x: float) -> float:
    """By the trapezoidal rule, whose error here is below 1e-6."""
    return float(trapezoid(np.maximum(density(first) - math.exp(x) * density(second), 0.0), LINE))


def truncated_of(rate: float, size: int) -> Sampler:
    """Poisson samples of which a uniform subset is kept where they are larger than the size."""

    def sampled(records: Sequence[float]) -> Mixture:
        found = []
        for taken in product((False, True), repeat=len(records)):
            weight = math.prod(rate if t else 1 - rate for t in taken)
            drawn = [x for x, t in zip(records, taken, strict=True) if t]
            kept = list(combinations(drawn, min(size, len(drawn))))
            found += [(weight / len(kept), sum(batch)) for batch in kept]
        return found

    return sampled


def draws_of(size: int) -> Sampler:
    """Independent uniform draws."""

    def sampled(records: Sequence[float]) -> Mixture:
        return [(len(records) ** -size, sum(batch)) for batch in product(records, repeat=size)]

    return sampled


def against_one(weights: list[mp.mpf], centres: list[mp.mpf], x: mp.mpf, *, forward: bool) -> mp.mpf:
    """The hockey-stick of a mixture of normal laws, centres at least 0, against N(0), or of the reversed pair."""

    def loss(y: mp.mpf) -> mp.mpf:
        return mp.log(sum(w * mp.exp(c * y - c * c / 2) for w, c in zip(weights, centres, strict=True)))

    level = x if forward else -x
    if level <= mp.log(sum(w for w, c in zip(weights, centres, strict=True) if c == 0) or mp.mpf(10) ** -200):
        return 1 - mp.exp(x) if forward else mp.mpf(0)
    low, high = mp.mpf(-100), mp.mpf(100)
    for _ in range(100):
        middle = (low + high) / 2
        low, high = (middle, high) if loss(middle) < level else (low, middle)
    at = low
    sign = 1 if forward else -1
    mixed = sum(w * mp.ncdf(sign * (c - at)) for w, c in zip(weights, centres, strict=True))
    alone = mp.ncdf(-sign * at)
    return mixed - mp.exp(x) * alone if forward else alone - mp.exp(x) * mixed
