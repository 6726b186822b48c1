"""Sums in floating point move by more than one record may move them."""

from __future__ import annotations

from fractions import Fraction
from typing import Final

import numpy as np
from numpy.random import Generator

from dpref.foreign.claims import DPClaim
from dpref.museum.exhibit import Release, Source
from dpref.reals import FloatArray
from dpref.units import AddOrRemoveOne, ReplaceOne

_CASACUBERTA: Final = Source("https://arxiv.org/abs/2207.10635", "abstract")


def half_sum(data: FloatArray, rng: Generator) -> float:
    """Values in [0, 64], added one after the other in half precision."""
    total = np.add.accumulate(data.astype(np.float16), dtype=np.float16)[-1]
    return float(total) + float(rng.laplace(scale=32))


def exact_sum(data: FloatArray, rng: Generator) -> float:
    """The same in doubles, in which sums of so few half-precision numbers are exact."""
    return float(data.astype(np.float16).sum(dtype=np.float64) + rng.laplace(scale=32))


_START: Final = 2.0**52


def around_a_rounded_mean(data: FloatArray, rng: Generator) -> float:
    """Squared deviations of 64 values in [2^52, 2^52 + 1] from their mean, in doubles: a sum of them is rounded."""
    total = np.add.accumulate(data)[-1]
    return float(((data - total / len(data)) ** 2).sum() + rng.laplace(scale=1))


def around_an_exact_mean(data: FloatArray, rng: Generator) -> float:
    """The same after the public bound is taken off, which is exact."""
    return around_a_rounded_mean(data - _START, rng)


_SMALL: Final = np.full(1_000, 0.032)
_TINY: Final = np.full(2_000, 0.03)
_LEVEL: Final = np.full(63, _START + 1)

EXHIBITS: Final = (
    Release(
        id="float-sum-rounded-upwards",
        title="A large record lifts a running sum to where every later addition is rounded upwards.",
        bug_class="floating-point sensitivity",
        sources=(_CASACUBERTA,),
        broken=half_sum,
        fixed=exact_sum,
        d0=np.concatenate([[0.0], _SMALL]),
        d1=np.concatenate([[64.0], _SMALL]),
        adjacency=ReplaceOne,
        claim=DPClaim(Fraction(2)),
        witness=lambda y: y > 126,
    ),
    Release(
        id="float-sum-in-another-order",
        title="The same records in another order have another sum, by far more than one record.",
        bug_class="floating-point sensitivity",
        sources=(_CASACUBERTA,),
        broken=half_sum,
        fixed=exact_sum,
        d0=np.concatenate([[64.0], _TINY]),
        d1=np.concatenate([_TINY, [64.0, 64.0]]),
        adjacency=AddOrRemoveOne,
        claim=DPClaim(Fraction(2)),
        witness=lambda y: y > 190,
    ),
    Release(
        id="opendp-rounded-mean",
        title="Deviations are taken from a mean that was rounded, and one record turns the rounding for all.",
        bug_class="floating-point sensitivity",
        sources=(Source("https://github.com/opendp/opendp/issues/2923"),),
        broken=around_a_rounded_mean,
        fixed=around_an_exact_mean,
        d0=np.concatenate([[_START], _LEVEL]),
        d1=np.concatenate([[_START + 1], _LEVEL]),
        adjacency=ReplaceOne,
        claim=DPClaim(Fraction(1)),
        witness=lambda y: y > 5,
        likely=0,
    ),
)
