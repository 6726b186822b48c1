"""Votes of teachers who should not have seen the same records."""

from __future__ import annotations

from fractions import Fraction
from typing import Final

import numpy as np
from numpy.random import Generator

from dpref.foreign.claims import DPClaim
from dpref.museum.exhibit import Release, Source
from dpref.reals import FloatArray
from dpref.units import ReplaceOne

_TEACHERS: Final = 5


def _label(parts: list[FloatArray], rng: Generator) -> int:
    """Each teacher votes for the sign of its mean; the noise is for one vote that changes sides."""
    votes = np.bincount([int(part.mean() > 0) for part in parts], minlength=2)
    return int((votes + rng.laplace(scale=2, size=2)).argmax())


def all_of_it(data: FloatArray, rng: Generator) -> list[int]:
    """Every teacher is given the whole table; three labels are asked for."""
    return [_label([data] * _TEACHERS, rng) for _ in range(3)]


def parts_of_it(data: FloatArray, rng: Generator) -> list[int]:
    """Every teacher is given a part of its own."""
    return [_label(np.split(data, _TEACHERS), rng) for _ in range(3)]


EXHIBITS: Final = (
    Release(
        id="pate-gan-shared-data",
        title="Every teacher sees the data of all, and a record turns all votes.",
        bug_class="sensitivity",
        sources=(
            Source("https://github.com/vanderschaarlab/synthcity/issues/275"),
            Source("https://github.com/vanderschaarlab/mlforhealthlabpub/issues/29"),
        ),
        broken=all_of_it,
        fixed=parts_of_it,
        d0=np.array([0.5, -0.1, -0.1, -0.1, -0.1]),
        d1=np.array([0.3, -0.1, -0.1, -0.1, -0.1]),
        adjacency=ReplaceOne,
        claim=DPClaim(Fraction(3)),
        witness=lambda y: y == [1, 1, 1],
        likely=0,
    ),
)
