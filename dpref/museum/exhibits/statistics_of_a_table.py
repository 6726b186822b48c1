"""Covariances, quantiles and means of a table: clipping that is forgotten, weights that vanish, a private count."""

from __future__ import annotations

from fractions import Fraction
from typing import Final

import numpy as np
from numpy.random import Generator

from dpref.foreign.claims import DPClaim
from dpref.museum.exhibit import Release, Source
from dpref.reals import FloatArray
from dpref.units import AddOrRemoveOne, ReplaceOne


def _cross_moment(data: FloatArray, rng: Generator) -> float:
    return float(data[:, 0] @ data[:, 1] + rng.laplace(scale=2))


def clipped_and_forgotten(data: FloatArray, rng: Generator) -> float:
    """The sum of x y for x, y in [-1, 1]: a clipped copy is made, and the data as they came are used."""
    np.clip(data, -1, 1)
    return _cross_moment(data, rng)


def clipped_and_used(data: FloatArray, rng: Generator) -> float:
    """The same with the clipped copy."""
    return _cross_moment(np.clip(data, -1, 1), rng)


def _median(data: FloatArray, rng: Generator, *, shifted: bool) -> float:
    """The exponential mechanism over the gaps between sorted values in [0, 1], uniform within a gap."""
    ends = np.concatenate([[0.0], np.sort(np.clip(data, 0, 1)), [1.0]])
    places = np.flatnonzero(np.diff(ends))
    scores = np.log(np.diff(ends)[places]) - np.abs(places - len(data) / 2)
    shares = np.cumsum(np.exp(scores - scores.max() if shifted else scores))
    if shares[-1] == 0:
        return float("nan")  # what 0 / 0 gives, for each of the weights
    gap = places[np.searchsorted(shares / shares[-1], rng.random(), side="right")]
    return float(rng.uniform(ends[gap], ends[gap + 1]))


def weights_that_vanish(data: FloatArray, rng: Generator) -> float:
    """A median with epsilon 2: far from the middle all weights are 0 in doubles, and nothing is left to choose."""
    return _median(data, rng, shifted=False)


def weights_of_the_best(data: FloatArray, rng: Generator) -> float:
    """The same with all weights divided by the largest."""
    return _median(data, rng, shifted=True)


def noise_by_private_count(data: FloatArray, rng: Generator) -> float:
    """A mean of values in [0, 1]; the noise is for one over the number of records, which one more record changes."""
    return float(np.clip(data, 0, 1).mean() + rng.laplace(scale=1 / len(data)))


def noisy_sum_over_noisy_count(data: FloatArray, rng: Generator) -> float:
    """A noisy sum over a noisy count, half of the budget each."""
    total, count = np.clip(data, 0, 1).sum(), len(data)
    return float((total + rng.laplace(scale=2)) / max(1, count + rng.laplace(scale=2)))


_CENTRED: Final = np.array([[0.0, 0.0], [0.5, -0.5]])

EXHIBITS: Final = (
    Release(
        id="smartnoise-clipped-and-forgotten",
        title="The data are clipped into a new table, and the covariance is taken of the old one.",
        bug_class="sensitivity",
        sources=(
            Source("https://github.com/opendp/smartnoise-sdk/issues/622"),
            Source("https://github.com/opendp/smartnoise-sdk/pull/624"),
        ),
        broken=clipped_and_forgotten,
        fixed=clipped_and_used,
        d0=_CENTRED,
        d1=np.array([[30.0, 30.0], [0.5, -0.5]]),
        adjacency=ReplaceOne,
        claim=DPClaim(Fraction(1)),
        witness=lambda y: y > 400,
    ),
    Release(
        id="smartnoise-vanishing-weights",
        title="A quantile's weights underflow, and whether all of them do depends on one record.",
        bug_class="NaN",
        sources=(Source("https://github.com/opendp/smartnoise-sdk/issues/572"),),
        broken=weights_that_vanish,
        fixed=weights_of_the_best,
        d0=np.array([0.0] * 1_490),
        d1=np.array([0.0] * 1_491),
        adjacency=AddOrRemoveOne,
        claim=DPClaim(Fraction(2)),
        witness=lambda y: y != y,  # noqa: PLR0124  NaN alone is not itself
    ),
    Release(
        id="smartnoise-mean-by-private-count",
        title="The sensitivity of a mean has the number of records in it, where records may be added.",
        bug_class="adjacency",
        sources=(Source("https://github.com/opendp/smartnoise-core/issues/356"),),
        broken=noise_by_private_count,
        fixed=noisy_sum_over_noisy_count,
        d0=np.array([0.0]),
        d1=np.array([0.0, 1.0]),
        adjacency=AddOrRemoveOne,
        claim=DPClaim(Fraction(1)),
        witness=lambda y: y < -1,
        likely=0,
    ),
)
