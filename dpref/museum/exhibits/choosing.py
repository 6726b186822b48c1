"""Choosing the best candidate: permute-and-flip, accounted as if it were the exponential mechanism."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Final

import numpy as np
from numpy.random import Generator

from dpref.foreign.claims import ZCDPClaim
from dpref.museum.exhibit import Release, Source
from dpref.reals import FloatArray
from dpref.units import ReplaceOne

_TIMES: Final = 16


def _flips(data: FloatArray, scale: float, rng: Generator) -> list[int]:
    """Sixteen choices between two candidates by votes: in random order, until a candidate's coin falls right."""
    votes = np.bincount(data.astype(int), minlength=2)
    worse = 1 if votes[0] > votes[1] else 0
    coin = math.exp(-abs(int(votes[0]) - int(votes[1])) / scale)
    return [worse if rng.random() < 0.5 and rng.random() < coin else 1 - worse for _ in range(_TIMES)]


def accounted_as_exponential(data: FloatArray, rng: Generator) -> list[int]:
    """Each choice is 1-DP and charged with rho = 1/8, which the exponential mechanism deserves and this does not."""
    return _flips(data, 2, rng)


def accounted_as_pure(data: FloatArray, rng: Generator) -> list[int]:
    """Each choice is 1/2-DP and charged with rho = epsilon^2 / 2 = 1/8."""
    return _flips(data, 4, rng)


EXHIBITS: Final = (
    Release(
        id="opendp-permute-and-flip",
        title="Permute-and-flip is charged with the rho of the exponential mechanism, a quarter of what is due.",
        bug_class="accountant",
        sources=(Source("https://github.com/opendp/opendp/issues/2911"),),
        broken=accounted_as_exponential,
        fixed=accounted_as_pure,
        d0=np.array([0.0, 0.0, 1.0, 1.0]),
        d1=np.array([0.0, 0.0, 0.0, 1.0]),
        adjacency=ReplaceOne,
        claim=ZCDPClaim(Fraction(_TIMES, 8)),
        witness=lambda y: sum(y) >= 8,
        likely=0,
        at=Fraction(3),
        trials=5_000,
    ),
)
