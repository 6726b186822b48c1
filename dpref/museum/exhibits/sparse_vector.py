"""Sparse vector and its variants that are not private, as Lyu, Su and Li compare them."""

from __future__ import annotations

from fractions import Fraction
from typing import Final

import numpy as np
from numpy.random import Generator

from dpref.foreign.claims import DPClaim
from dpref.museum.exhibit import Release, Source
from dpref.reals import FloatArray
from dpref.units import ReplaceOne

_LYU: Final = (Source("https://arxiv.org/abs/1603.01699", "abstract"),)


def _alarms(data: FloatArray, scales: tuple[float, float], cutoff: int, rng: Generator) -> list[bool]:
    """Which of the column sums are above a noisy 0, until so many are."""
    threshold, of_a_query = scales
    above = data.sum(0) + rng.laplace(scale=of_a_query, size=data.shape[1]) >= rng.laplace(scale=threshold)
    last = np.flatnonzero(above)[cutoff - 1 : cutoff]
    return [bool(a) for a in above[: last[0] + 1 if last.size else None]]


def quiet_queries(data: FloatArray, rng: Generator) -> list[bool]:
    """Noise on the threshold alone, and no end."""
    return _alarms(data, (2, 0), data.shape[1], rng)


def no_cutoff(data: FloatArray, rng: Generator) -> list[bool]:
    """Noise on both, for one alarm, and no end."""
    return _alarms(data, (2, 2), data.shape[1], rng)


def cutoff_for_free(data: FloatArray, rng: Generator) -> list[bool]:
    """Ten alarms, and the noise of the queries is that for one."""
    return _alarms(data, (4, 4 / 3), 10, rng)


def one_alarm(data: FloatArray, rng: Generator) -> list[bool]:
    """The threshold's noise for half of the budget, the queries' for the other half, and an end at the first alarm."""
    return _alarms(data, (2, 4), 1, rng)


def ten_alarms(data: FloatArray, rng: Generator) -> list[bool]:
    """The same for ten alarms."""
    return _alarms(data, (2, 40), 10, rng)


def answer_of_the_comparison(data: FloatArray, rng: Generator) -> list[float]:
    """The first query above the threshold is answered with the very noise with which it was compared; epsilon 2."""
    noisy = data.sum(0) + rng.laplace(size=data.shape[1])
    above = np.flatnonzero(noisy >= rng.laplace())
    return [0.0] * int(above[0]) + [float(noisy[above[0]])] if above.size else [0.0] * len(noisy)


def answer_of_its_own(data: FloatArray, rng: Generator) -> list[float]:
    """Half of the budget for the comparison, half for an answer with new noise."""
    queries = data.sum(0)
    above = np.flatnonzero(queries + rng.laplace(scale=4, size=len(queries)) >= rng.laplace(scale=2))
    if not above.size:
        return [0.0] * len(queries)
    return [0.0] * int(above[0]) + [float(queries[above[0]] + rng.laplace())]


def _odds(y: list[bool]) -> int:
    return sum(y[1::2]) - sum(y[::2])


_EVEN: Final = np.array([[1.0, 0.0] * 20])
_ODD: Final = np.array([[0.0, 1.0] * 20])

EXHIBITS: Final = (
    Release(
        id="sparse-vector-quiet-queries",
        title="Sparse vector without noise on the queries.",
        bug_class="mechanism",
        sources=_LYU,
        broken=quiet_queries,
        fixed=one_alarm,
        d0=np.array([[1.0, 0.0]]),
        d1=np.array([[0.0, 1.0]]),
        adjacency=ReplaceOne,
        claim=DPClaim(Fraction(1)),
        witness=lambda y: y == [False, True],
    ),
    Release(
        id="sparse-vector-no-cutoff",
        title="Sparse vector that goes on after the alarms it has paid for.",
        bug_class="mechanism",
        sources=_LYU,
        broken=no_cutoff,
        fixed=one_alarm,
        d0=_EVEN,
        d1=_ODD,
        adjacency=ReplaceOne,
        claim=DPClaim(Fraction(1)),
        witness=lambda y: _odds(y) >= 4,
    ),
    Release(
        id="sparse-vector-free-cutoff",
        title="Sparse vector whose noise does not grow with the number of alarms.",
        bug_class="mechanism",
        sources=_LYU,
        broken=cutoff_for_free,
        fixed=ten_alarms,
        d0=_EVEN,
        d1=_ODD,
        adjacency=ReplaceOne,
        claim=DPClaim(Fraction(1)),
        witness=lambda y: _odds(y) >= 3,
    ),
    Release(
        id="sparse-vector-answer-of-the-comparison",
        title="Sparse vector that also releases the noisy answer it compared.",
        bug_class="mechanism",
        sources=_LYU,
        broken=answer_of_the_comparison,
        fixed=answer_of_its_own,
        d0=np.array([[0.0, 0, 0, 0, 0, 1]]),
        d1=np.array([[1.0, 1, 1, 1, 1, 0]]),
        adjacency=ReplaceOne,
        claim=DPClaim(Fraction(2)),
        witness=lambda y: len(y) == 6 and not any(y[:5]) and y[5] != 0 and y[5] <= 2,
        likely=0,
        trials=8_000,
    ),
)
