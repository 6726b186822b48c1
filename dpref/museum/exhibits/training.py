"""Noisy gradient sums: batch sizes, clipping norms, keys, adaptive clips."""

from __future__ import annotations

from fractions import Fraction
from typing import Final

import numpy as np
from numpy.random import Generator

from dpref.foreign.claims import DPClaim
from dpref.museum.exhibit import Release, Source
from dpref.reals import FloatArray
from dpref.units import AddOrRemoveOne, ReplaceOne

_OF_TWO: Final = DPClaim(Fraction("1.3523"), Fraction(1, 1_000))  # of a noise multiplier of 2
_OF_ONE: Final = DPClaim(Fraction("3.1387"), Fraction(1, 1_000))  # of a noise multiplier of 1


def clipped_sum(data: FloatArray, clip: float) -> FloatArray:
    """The sum of the rows, each cut to a norm."""
    return np.asarray((data / np.maximum(1, np.linalg.norm(data, axis=1, keepdims=True) / clip)).sum(0))


def _mean(data: FloatArray, size: float, rng: Generator) -> FloatArray:
    return (clipped_sum(data, 1) + rng.normal(scale=2, size=data.shape[1])) / size


def over_private_size(data: FloatArray, rng: Generator) -> FloatArray:
    """The noisy sum over the expected batch size, which is computed from the number of records."""
    return _mean(data, len(data), rng)


def over_public_size(data: FloatArray, rng: Generator) -> FloatArray:
    """The same over a number that everybody knows."""
    return _mean(data, 2, rng)


def over_floored_size(data: FloatArray, rng: Generator) -> FloatArray:
    """The expected batch size is a tenth of the number of records, rounded down (here every record is in the batch)."""
    return _mean(data, len(data) // 10, rng)


def clipped_at_one(data: FloatArray, rng: Generator) -> FloatArray:
    """The clipping norm 1/4 reaches the noise and not the clipping, which keeps its default of 1."""
    return clipped_sum(data, 1) + rng.normal(scale=0.25, size=2)


def clipped_as_asked(data: FloatArray, rng: Generator) -> FloatArray:
    """The same with the norm in both places."""
    return clipped_sum(data, 0.25) + rng.normal(scale=0.25, size=2)


def _leaves(data: FloatArray, rng: Generator, seeds: tuple[int, int]) -> dict[str, FloatArray]:
    total = clipped_sum(data, 1)
    w, b = (np.random.default_rng(seed).normal(size=2) for seed in seeds)
    return {"b": total[2:] + b, "w": total[:2] + w}


def one_key_for_all_leaves(data: FloatArray, rng: Generator) -> dict[str, FloatArray]:
    """Weights and biases of one shape get noise from the same key, so it cancels in their difference."""
    seed = int(rng.integers(2**62))
    return _leaves(data, rng, (seed, seed))


def a_key_for_each_leaf(data: FloatArray, rng: Generator) -> dict[str, FloatArray]:
    """The same with a key for each."""
    first, second = (int(s) for s in rng.integers(2**62, size=2))
    return _leaves(data, rng, (first, second))


def _with_quantile(data: FloatArray, noise: float, noise_of_bits: float, rng: Generator) -> FloatArray:
    """A clipped sum, and how many records were within the clip, from which the next clip is made."""
    within = (np.abs(data) <= 1).sum()
    total = np.clip(data, -1, 1).sum()
    return np.array([total + rng.normal(scale=noise), within + rng.normal(scale=noise_of_bits)])


def bits_for_free(data: FloatArray, rng: Generator) -> FloatArray:
    """The noise of the sum spends all; the bits have noise a twentieth of the number of records, for nothing."""
    return _with_quantile(data, 1, len(data) / 20, rng)


def bits_accounted(data: FloatArray, rng: Generator) -> FloatArray:
    """Both share the budget: 1 / 1.25^2 + 1 / (5/3)^2 = 1."""
    return _with_quantile(data, 1.25, 5 / 3, rng)


def noise_of_the_sum_on_the_mean(data: FloatArray, rng: Generator) -> FloatArray:
    """Noise for the sum, added after the division by the batch size: too much by that factor."""
    return clipped_sum(data, 1) / 4 + rng.normal(scale=1, size=2)


def noise_on_the_sum(data: FloatArray, rng: Generator) -> FloatArray:
    """Noise for the sum, added to the sum."""
    return (clipped_sum(data, 1) + rng.normal(scale=1, size=2)) / 4


def weight_never_used(data: FloatArray, rng: Generator) -> float:
    """A counter's share of the noise is looked up, and the counter is reported."""
    weight = 1.0
    rng.normal(scale=weight)
    return float(data.sum())


def weight_used(data: FloatArray, rng: Generator) -> float:
    """The same with the noise added."""
    weight = 1.0
    return float(data.sum() + rng.normal(scale=weight))


_LEAVES: Final = np.array([[0.1, 0.2, 0.3, 0.4]])

EXHIBITS: Final = (
    Release(
        id="opacus-private-batch-size",
        title="A noisy sum is divided by an expected batch size that was computed from the private data.",
        bug_class="adjacency",
        sources=(Source("https://github.com/meta-pytorch/opacus/issues/571"),),
        broken=over_private_size,
        fixed=over_public_size,
        d0=np.zeros((1, 1)),
        d1=np.array([[0.0], [1.0]]),
        adjacency=AddOrRemoveOne,
        claim=_OF_TWO,
        witness=lambda y: bool(y[0] < -2),
        likely=0,
    ),
    Release(
        id="opacus-floored-batch-size",
        title="The expected batch size is rounded down, and every coordinate of the output shows where it stepped.",
        bug_class="adjacency",
        sources=(Source("https://github.com/meta-pytorch/opacus/issues/819"),),
        broken=over_floored_size,
        fixed=over_public_size,
        d0=np.zeros((19, 40)),
        d1=np.zeros((20, 40)),
        adjacency=AddOrRemoveOne,
        claim=_OF_TWO,
        witness=lambda y: bool((y**2).mean() > 2),
        likely=0,
    ),
    Release(
        id="opacus-default-clip",
        title="The clipping norm is passed to the noise and not to the clipping.",
        bug_class="sensitivity",
        sources=(Source("https://github.com/meta-pytorch/opacus/pull/664"),),
        broken=clipped_at_one,
        fixed=clipped_as_asked,
        d0=np.zeros((2, 2)),
        d1=np.array([[0.0, 0.0], [0.0, 0.0], [3.0, 4.0]]),
        adjacency=AddOrRemoveOne,
        claim=_OF_ONE,
        witness=lambda y: bool(0.6 * y[0] + 0.8 * y[1] > 0.7),
    ),
    Release(
        id="jax-one-key-for-all-leaves",
        title="One key makes the noise of every leaf of the gradient.",
        bug_class="noise reuse",
        sources=(Source("https://github.com/jax-ml/jax/pull/3646"),),
        broken=one_key_for_all_leaves,
        fixed=a_key_for_each_leaf,
        d0=_LEAVES,
        d1=np.array([[0.1, 0.2, 0.3, 0.4], [1.0, 0.0, 0.0, 0.0]]),
        adjacency=AddOrRemoveOne,
        claim=_OF_ONE,
        witness=lambda y: bool(abs(y["w"][0] - y["b"][0] - 0.8) < 1e-9),
    ),
    Release(
        id="federated-bits-for-free",
        title="Adaptive clipping also releases how many were clipped, and the noise multiplier was not adjusted.",
        bug_class="composition",
        sources=(Source("https://github.com/google-parfait/tensorflow-federated/pull/1080"),),
        broken=bits_for_free,
        fixed=bits_accounted,
        d0=np.array([0.5, -0.5, 0.2, 0.1]),
        d1=np.array([0.5, -0.5, 0.2, 0.1, 0.9]),
        adjacency=AddOrRemoveOne,
        claim=_OF_ONE,
        witness=lambda y: bool(y[1] > 4.5),
    ),
    Release(
        id="jax-privacy-noise-on-the-mean",
        title="Noise for a sum is added to the mean.",
        bug_class="calibration",
        level="safe",
        sources=(
            Source("https://github.com/google-deepmind/jax_privacy/issues/383"),
            Source("https://github.com/google-deepmind/jax_privacy/pull/395"),
        ),
        broken=noise_of_the_sum_on_the_mean,
        fixed=noise_on_the_sum,
        d0=np.zeros((3, 2)),
        d1=np.array([[0.0, 0.0], [0.0, 0.0], [0.0, 0.0], [0.6, 0.8]]),
        adjacency=AddOrRemoveOne,
        claim=_OF_ONE,
    ),
    Release(
        id="privcount-noise-never-added",
        title="The weight of the noise is fetched, and no noise is added.",
        bug_class="no noise",
        sources=(Source("https://github.com/privcount/privcount/issues/360"),),
        broken=weight_never_used,
        fixed=weight_used,
        d0=np.array([0.0, 1.0]),
        d1=np.array([1.0, 1.0]),
        adjacency=ReplaceOne,
        claim=_OF_ONE,
        witness=lambda y: y > 1.5,
    ),
)
