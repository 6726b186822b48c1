"""Counts of groups, their sensitivity, their budget, and which of them are shown at all."""

from __future__ import annotations

import math
from fractions import Fraction
from statistics import NormalDist
from typing import Final

import numpy as np
from numpy.random import Generator

from dpref.foreign.claims import DPClaim
from dpref.museum.exhibit import Release, Source
from dpref.reals import FloatArray
from dpref.units import AddOrRemoveOne, ReplaceOne


def _two_counts(data: FloatArray, scale: float, rng: Generator) -> FloatArray:
    return np.array([(data == 0).sum(), (data == 1).sum()]) + rng.laplace(scale=scale, size=2)


def one_count_twice(data: FloatArray, rng: Generator) -> FloatArray:
    """Counts of no and yes among a known number: sensitivity 1, as if one were computed from the other."""
    return _two_counts(data, 1, rng)


def two_counts(data: FloatArray, rng: Generator) -> FloatArray:
    """The same with sensitivity 2: a replaced record leaves one group and enters the other."""
    return _two_counts(data, 2, rng)


def _measured(data: FloatArray, scale: float, rng: Generator) -> float:
    return float(data[:, 0].sum() + rng.laplace(scale=scale))


def budget_by_dimension(data: FloatArray, rng: Generator) -> float:
    """A count of one of four columns; the scale of its noise is divided by the number of columns."""
    return _measured(data, 1 / len(data[0]), rng)


def budget_of_the_count(data: FloatArray, rng: Generator) -> float:
    """The same without the division."""
    return _measured(data, 1, rng)


_DELTA: Final = 1e-3
_SIGMA: Final = 5.4  # (1/2, 0.001)-DP for one count


def _shown(data: FloatArray, threshold: float, rng: Generator) -> dict[str, float]:
    groups, counts = np.unique(data, return_counts=True)
    noisy = counts + rng.normal(scale=_SIGMA, size=len(groups))
    return {f"group {int(g)}": float(c) for g, c in zip(groups, noisy, strict=True) if c > threshold}


def threshold_of_laplace(data: FloatArray, rng: Generator) -> dict[str, float]:
    """Groups with a noisy count above where Laplace noise would be with chance delta; the noise is Gaussian."""
    return _shown(data, 1 - math.log(2 * _DELTA) / 0.5, rng)


def threshold_of_gaussian(data: FloatArray, rng: Generator) -> dict[str, float]:
    """The same with the threshold of Gaussian noise."""
    return _shown(data, 1 + _SIGMA * NormalDist().inv_cdf(1 - _DELTA), rng)


EXHIBITS: Final = (
    Release(
        id="smartnoise-binary-histogram",
        title="Two counts of a known total are noised apart, with the sensitivity of one.",
        bug_class="sensitivity",
        sources=(Source("https://github.com/opendp/smartnoise-core/issues/360"),),
        broken=one_count_twice,
        fixed=two_counts,
        d0=np.array([0.0, 0.0, 1.0]),
        d1=np.array([0.0, 1.0, 1.0]),
        adjacency=ReplaceOne,
        claim=DPClaim(Fraction(1)),
        witness=lambda y: bool(y[0] <= 1 and y[1] >= 2),
    ),
    Release(
        id="smartnoise-noise-over-dimensions",
        title="The noise of a measurement is divided by the number of attributes.",
        bug_class="calibration",
        sources=(Source("https://github.com/opendp/smartnoise-sdk/issues/472"),),
        broken=budget_by_dimension,
        fixed=budget_of_the_count,
        d0=np.zeros((3, 4)),
        d1=np.array([[1.0, 0, 0, 0], [0, 0, 0, 0], [0, 0, 0, 0]]),
        adjacency=ReplaceOne,
        claim=DPClaim(Fraction(1)),
        witness=lambda y: y >= 1,
    ),
    Release(
        id="smartnoise-laplace-threshold",
        title="Rare groups are hidden by a threshold made for Laplace noise, and the noise is Gaussian.",
        bug_class="calibration",
        sources=(Source("https://github.com/opendp/smartnoise-sdk/issues/204"),),
        broken=threshold_of_laplace,
        fixed=threshold_of_gaussian,
        d0=np.array([0.0] * 20),
        d1=np.array([0.0] * 20 + [1.0]),
        adjacency=AddOrRemoveOne,
        claim=DPClaim(Fraction(1, 2), Fraction(2, 1_000)),
        witness=lambda y: "group 1" in y,
        trials=8_000,
    ),
)
