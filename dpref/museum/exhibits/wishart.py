"""A second-moment matrix with noise that only ever adds."""

from __future__ import annotations

from fractions import Fraction
from typing import Final

import numpy as np
from numpy.random import Generator

from dpref.foreign.claims import DPClaim
from dpref.museum.exhibit import Release, Source
from dpref.reals import FloatArray
from dpref.units import ReplaceOne


def _moments(data: FloatArray) -> FloatArray:
    """X^T X of rows cut to norm 1."""
    rows = data / np.maximum(1, np.linalg.norm(data, axis=1, keepdims=True))
    return np.asarray(rows.T @ rows)


def wishart_noise(data: FloatArray, rng: Generator) -> FloatArray:
    """Wishart noise is positive semidefinite: the answer is never below the truth."""
    factor = rng.normal(scale=1.5**0.5, size=(2, 3))
    return _moments(data) + factor @ factor.T


def laplace_noise(data: FloatArray, rng: Generator) -> FloatArray:
    """Laplace noise on the three entries, whose sum of changes is at most 3."""
    noise = np.zeros((2, 2))
    noise[np.triu_indices(2)] = rng.laplace(scale=3, size=3)
    return _moments(data) + noise + np.triu(noise, 1).T


EXHIBITS: Final = (
    Release(
        id="diffprivlib-wishart",
        title="Wishart noise on a second-moment matrix, claimed to be pure.",
        bug_class="mechanism",
        sources=(
            Source("https://github.com/IBM/differential-privacy-library/issues/23"),
            Source("https://github.com/IBM/differential-privacy-library/pull/25"),
            Source("https://github.com/IBM/differential-privacy-library/issues/42"),
        ),
        broken=wishart_noise,
        fixed=laplace_noise,
        d0=np.array([[1.0, 0.0]]),
        d1=np.array([[0.0, 1.0]]),
        adjacency=ReplaceOne,
        claim=DPClaim(Fraction(1)),
        witness=lambda y: bool(y[0, 0] < 1),
    ),
)
