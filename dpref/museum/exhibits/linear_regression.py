"""Noisy moments for a regression: bounds of the data turned into a sensitivity, and the budget of two centres."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Final

import numpy as np
from numpy.random import Generator

from dpref.foreign.claims import DPClaim
from dpref.museum.exhibit import Release, Source
from dpref.reals import FloatArray
from dpref.units import ReplaceOne


def _squares(data: FloatArray, largest: float, rng: Generator) -> float:
    return float((np.clip(data, 0, 100) ** 2).sum() + rng.laplace(scale=largest**2))


def lower_bound_twice(data: FloatArray, rng: Generator) -> float:
    """A sum of squares of values in [0, 100], whose largest size is taken to be that of the lower bound, twice."""
    return _squares(data, max(abs(0), abs(0)), rng)


def both_bounds(data: FloatArray, rng: Generator) -> float:
    """The same with the size of the larger of both bounds."""
    return _squares(data, max(abs(0), abs(100)), rng)


_TARGET: Final = (-1.0, 10.0)  # the bounds of the only target


def _target_squares(data: FloatArray, bounds: float | Sequence[float], rng: Generator) -> float:
    sensitivity = float(np.abs(bounds).max()) ** 2
    return float((np.clip(data, *_TARGET) ** 2).sum() + rng.laplace(scale=sensitivity))


def bounds_by_target(data: FloatArray, rng: Generator) -> float:
    """The pair of bounds is indexed by the number of the target, so target 0 gets the lower bound as its bounds."""
    return _target_squares(data, _TARGET[0], rng)


def bounds_by_end(data: FloatArray, rng: Generator) -> float:
    """The same with both bounds of target 0."""
    return _target_squares(data, _TARGET, rng)


def _centred(data: FloatArray, of_a_centre: float, rng: Generator) -> FloatArray:
    """Sums of x, y and xy for (x, y) in [0, 1]^2; half of epsilon 3 is for the centres, half for the product."""
    x, y = np.clip(data, 0, 1).T
    noise = rng.laplace(scale=[1 / of_a_centre, 1 / of_a_centre, 1 / 1.5])
    return np.array([x.sum(), y.sum(), x @ y]) + noise


def slice_for_each_centre(data: FloatArray, rng: Generator) -> FloatArray:
    """Both centres spend the slice of the budget that was meant for them together."""
    return _centred(data, 1.5, rng)


def slice_shared(data: FloatArray, rng: Generator) -> FloatArray:
    """Each centre spends half of the slice."""
    return _centred(data, 0.75, rng)


EXHIBITS: Final = (
    Release(
        id="diffprivlib-lower-bound-twice",
        title="Sensitivity of a square from the lower bound, written twice in place of both bounds.",
        bug_class="sensitivity",
        sources=(
            Source("https://github.com/IBM/differential-privacy-library/issues/105"),
            Source("https://github.com/IBM/differential-privacy-library/pull/110"),
        ),
        broken=lower_bound_twice,
        fixed=both_bounds,
        d0=np.array([0.0, 50.0]),
        d1=np.array([100.0, 50.0]),
        adjacency=ReplaceOne,
        claim=DPClaim(Fraction(1)),
        witness=lambda y: y > 7_500,
    ),
    Release(
        id="diffprivlib-bounds-by-target",
        title="Bounds of a target taken as the entry of the pair (lower, upper) that has the target's number.",
        bug_class="sensitivity",
        sources=(
            Source("https://github.com/IBM/differential-privacy-library/issues/34"),
            Source("https://github.com/IBM/differential-privacy-library/pull/35"),
        ),
        broken=bounds_by_target,
        fixed=bounds_by_end,
        d0=np.array([0.0, 3.0]),
        d1=np.array([10.0, 3.0]),
        adjacency=ReplaceOne,
        claim=DPClaim(Fraction(1)),
        witness=lambda y: y > 59,
    ),
    Release(
        id="diffprivlib-slice-for-each-centre",
        title="Two noisy means spend the share of the budget that was set aside for one.",
        bug_class="composition",
        sources=(Source("https://github.com/IBM/differential-privacy-library/issues/104"),),
        broken=slice_for_each_centre,
        fixed=slice_shared,
        d0=np.array([[0.0, 0.0], [0.4, 0.7]]),
        d1=np.array([[1.0, 1.0], [0.4, 0.7]]),
        adjacency=ReplaceOne,
        claim=DPClaim(Fraction(3)),
        witness=lambda y: bool((y <= [0.4, 0.7, 0.28]).all()),
        likely=0,
        trials=5_000,
    ),
)
