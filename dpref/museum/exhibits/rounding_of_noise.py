"""Noise in doubles: what its last bits tell of the number it was added to."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Final

import numpy as np
from numpy.random import Generator

from dpref.foreign.claims import DPClaim
from dpref.museum.exhibit import Release, Source
from dpref.reals import FloatArray
from dpref.units import ReplaceOne

_UNITS: Final = 2.0**53  # the uniform draws are its multiples' inverses
_GRID: Final = 2.0**-20


def inverse_of_a_uniform(data: FloatArray, rng: Generator) -> float:
    """A count with Laplace noise made from a uniform double: only some doubles are the logarithm of one."""
    sign = 1 if rng.random() < 0.5 else -1
    return float(data.sum() + sign * math.log(1 - rng.random()))


def geometric_on_a_grid(data: FloatArray, rng: Generator) -> float:
    """The same with two-sided geometric noise on the multiples of 2^-20."""
    stop = -math.expm1(-_GRID)
    return float(data.sum() + _GRID * (rng.geometric(stop) - rng.geometric(stop)))


def logarithm_of_a_uniform(y: float) -> bool:
    """Whether a number below -2.5 is exactly the logarithm of a possible draw."""
    if y > -2.5:
        return False
    near = round(math.exp(y) * _UNITS)
    return any(k > 0 and math.log(k / _UNITS) == y for k in range(near - 2, near + 3))


def exact_noise_added_in_doubles(data: FloatArray, rng: Generator) -> float:
    """The sum of a count and good noise is rounded like the count: with 0 in it, finer than with 1."""
    return float(data.sum() + rng.laplace())


def four_normals(data: FloatArray, rng: Generator) -> float:
    """Four normal draws, summed to hide which they were; the sum with the count is rounded all the same."""
    return float(data.sum() + 3.75 * rng.normal(size=4).sum() / 2)


def normal_on_a_grid(data: FloatArray, rng: Generator) -> float:
    """The rounded sum is released: no bit below the grid is left."""
    return float(_GRID * np.rint((data.sum() + 3.75 * rng.normal()) / _GRID))


def finer_than_around_one(y: float) -> bool:
    """Whether a number has bits that no double between 1/2 and 1 has: 1 plus a double never does."""
    return (y * _UNITS) % 1 != 0


EXHIBITS: Final = (
    Release(
        id="laplace-by-logarithm",
        title="Laplace noise as the logarithm of a uniform double leaves holes that tell what it was added to.",
        bug_class="rounding of noise",
        level="bits",
        sources=(
            Source("https://github.com/IBM/differential-privacy-library/issues/19"),
            Source("https://github.com/opendp/smartnoise-core/issues/242"),
        ),
        broken=inverse_of_a_uniform,
        fixed=geometric_on_a_grid,
        d0=np.array([0.0]),
        d1=np.array([1.0]),
        adjacency=ReplaceOne,
        claim=DPClaim(Fraction(1)),
        witness=logarithm_of_a_uniform,
        likely=0,
        trials=4_000,
    ),
    Release(
        id="opendp-finer-zero",
        title="Noise without holes, added in doubles: the precision of the sum is that of its larger part.",
        bug_class="rounding of noise",
        level="bits",
        sources=(Source("https://github.com/opendp/opendp/issues/414"),),
        broken=exact_noise_added_in_doubles,
        fixed=geometric_on_a_grid,
        d0=np.array([0.0]),
        d1=np.array([1.0]),
        adjacency=ReplaceOne,
        claim=DPClaim(Fraction(1)),
        witness=finer_than_around_one,
        likely=0,
    ),
    Release(
        id="four-normals",
        title="Gaussian noise as a sum of four, called secure: adding it in doubles still shows a zero.",
        bug_class="rounding of noise",
        level="bits",
        sources=(
            Source("https://github.com/IBM/differential-privacy-library/issues/94"),
            Source("https://github.com/meta-pytorch/opacus/issues/616"),
        ),
        broken=four_normals,
        fixed=normal_on_a_grid,
        d0=np.array([0.0]),
        d1=np.array([1.0]),
        adjacency=ReplaceOne,
        claim=DPClaim(Fraction(1), Fraction(1, 100_000)),
        witness=finer_than_around_one,
        likely=0,
    ),
)
