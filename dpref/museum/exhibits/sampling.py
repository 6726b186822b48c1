"""Batches: how records get into them, and what the accountant was told."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any, Final

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from dpref.foreign.claims import DPClaim
from dpref.museum.exhibit import Release, Source
from dpref.reals import FloatArray
from dpref.units import AddOrRemoveOne, ZeroOut


def _counts(data: FloatArray, samples: list[NDArray[Any]], rng: Generator) -> FloatArray:
    return np.array([data[s].sum() + rng.laplace(scale=0.5) for s in samples])


def one_sample_for_both(data: FloatArray, rng: Generator) -> FloatArray:
    """Two counts, each amplified by sampling a quarter of the records, from one sample."""
    sample = rng.random(len(data)) < 0.25
    return _counts(data, [sample, sample], rng)


def a_sample_for_each(data: FloatArray, rng: Generator) -> FloatArray:
    """The same with a new sample for the second count."""
    return _counts(data, [rng.random(len(data)) < 0.25 for _ in range(2)], rng)


def _noisy_sums(data: FloatArray, batches: list[NDArray[Any]], rng: Generator) -> FloatArray:
    clipped = np.clip(data, -1, 1)
    return np.array([clipped[batch].sum() + rng.normal(scale=0.75) for batch in batches])


def batches_in_turn(data: FloatArray, rng: Generator) -> FloatArray:
    """An epoch of twenty batches of two, in the order of the file, for which Poisson sampling is accounted."""
    return _noisy_sums(data, list(np.arange(40).reshape(20, 2)), rng)


def poisson_batches(data: FloatArray, rng: Generator) -> FloatArray:
    """Twenty batches, each record in each with chance 1/20."""
    return _noisy_sums(data, [rng.random(40) < 1 / 20 for _ in range(20)], rng)


def _one_batch(data: FloatArray, batch: Callable[[int, Generator], NDArray[Any]], rng: Generator) -> float:
    return float(data[batch(len(data), rng)].sum() + rng.laplace(scale=1))


def size_first(data: FloatArray, rng: Generator) -> float:
    """A binomial size, then so many records: once reported as dependent, and the very law of Poisson sampling."""
    return _one_batch(data, lambda n, r: r.choice(n, r.binomial(n, 0.5), replace=False), rng)


def coin_for_each(data: FloatArray, rng: Generator) -> float:
    """A coin for every record."""
    return _one_batch(data, lambda n, r: np.flatnonzero(r.random(n) < 0.5), rng)


_BATCHES: Final = np.tile([0.3, -0.3], 20)

EXHIBITS: Final = (
    Release(
        id="opendp-same-sample",
        title="Two answers from one sample are composed as if each had a sample of its own.",
        bug_class="sampling",
        sources=(Source("https://github.com/opendp/opendp/issues/2933"),),
        broken=one_sample_for_both,
        fixed=a_sample_for_each,
        d0=np.array([0.0, 0.0]),
        d1=np.array([0.0, 0.0, 1.0]),
        adjacency=AddOrRemoveOne,
        claim=DPClaim(Fraction("1.909")),  # 2 ln(1 + (e^2 - 1) / 4) = 1.90804...
        witness=lambda y: bool((y >= 1).all()),
        trials=10_000,
    ),
    Release(
        id="batches-in-turn",
        title="Fixed batches one after the other, accounted as if they had been drawn.",
        bug_class="sampling",
        sources=(
            Source("https://github.com/google-deepmind/jax_privacy/issues/84"),
            Source("https://github.com/meta-pytorch/opacus/issues/80"),
            Source("https://github.com/meta-pytorch/opacus/pull/128"),
            Source("https://github.com/lxuechen/private-transformers/issues/7"),
        ),
        broken=batches_in_turn,
        fixed=poisson_batches,
        d0=np.concatenate([_BATCHES[:10], [0.0], _BATCHES[11:]]),
        d1=np.concatenate([_BATCHES[:10], [1.0], _BATCHES[11:]]),
        adjacency=ZeroOut,
        claim=DPClaim(Fraction("1.168"), Fraction(1, 100)),  # of 20 Poisson batches with noise multiplier 3/4
        witness=lambda y: bool(y[5] > 0.85),
    ),
    Release(
        id="jax-privacy-size-first",
        title="A batch of binomial size drawn without replacement was reported as no Poisson sample; it is one.",
        bug_class="sampling",
        level="safe",
        sources=(Source("https://github.com/google-deepmind/jax_privacy/issues/121"),),
        broken=size_first,
        fixed=coin_for_each,
        d0=np.array([1.0, 1.0, 0.0]),
        d1=np.array([1.0, 1.0, 1.0]),
        adjacency=ZeroOut,
        claim=DPClaim(Fraction("0.6202")),  # ln((1 + e) / 2)
    ),
)
