"""Synthetic records that never leave the range of the records they imitate."""

from __future__ import annotations

from fractions import Fraction
from typing import Final

import numpy as np
from numpy.random import Generator

from dpref.foreign.claims import DPClaim
from dpref.museum.exhibit import Release, Source
from dpref.reals import FloatArray
from dpref.units import ReplaceOne


def _synthetic(data: FloatArray, low: float, high: float, rng: Generator) -> FloatArray:
    """Three records around a noisy mean of values in [0, 10]."""
    mean = np.clip(data, 0, 10).mean() + rng.laplace(scale=10 / len(data))
    return np.asarray(np.clip(mean + rng.normal(scale=3, size=3), low, high))


def own_range(data: FloatArray, rng: Generator) -> FloatArray:
    """What is drawn is cut to the smallest and the largest record."""
    return _synthetic(data, float(data.min()), float(data.max()), rng)


def public_range(data: FloatArray, rng: Generator) -> FloatArray:
    """What is drawn is cut to the range that everybody knows."""
    return _synthetic(data, 0, 10, rng)


EXHIBITS: Final = (
    Release(
        id="pate-gan-range-from-the-data",
        title="Synthetic values are scaled to the minimum and maximum of the private ones.",
        bug_class="data-dependent parameter",
        sources=(
            Source("https://github.com/vanderschaarlab/synthcity/issues/278"),
            Source("https://github.com/vanderschaarlab/mlforhealthlabpub/issues/31"),
            Source("https://github.com/BorealisAI/private-data-generation/issues/12"),
        ),
        broken=own_range,
        fixed=public_range,
        d0=np.array([2.0, 3.0, 3.5, 4.0]),
        d1=np.array([2.0, 3.0, 3.5, 9.0]),
        adjacency=ReplaceOne,
        claim=DPClaim(Fraction(1)),
        witness=lambda y: bool(y.max() > 4),
    ),
)
