"""Gaussian noise with the wrong scale: formulas, squares, norms."""

from __future__ import annotations

import math
from fractions import Fraction
from statistics import NormalDist
from typing import Final

import numpy as np
from numpy.random import Generator

from dpref.foreign.claims import DPClaim
from dpref.museum.exhibit import Accounting, Release, Source
from dpref.reals import FloatArray
from dpref.units import AddOrRemoveOne, ReplaceOne

_CLAIM: Final = DPClaim(Fraction("3.1387"), Fraction(1, 1_000))  # of a noise multiplier of 1
_CORE: Final = Source("https://github.com/opendp/smartnoise-core/issues/316")


def analytic_multiplier(epsilon: float, delta: float, sign: int) -> float:
    r"""The noise multiplier $\alpha/\sqrt{2\varepsilon}$ of Balle and Wang (2018, Algorithm 1), at a small delta.

    Args:
        epsilon: Positive.
        delta: Below the delta at which both square roots would be subtracted.
        sign: 1 in the algorithm: $\alpha=\sqrt{1+v/2}+\mathrm{sign}\sqrt{v/2}$.
    """
    cdf = NormalDist().cdf
    low, high = 0.0, 1e4
    for _ in range(200):
        v = (low + high) / 2
        too_much = cdf(-math.sqrt(epsilon * v)) - math.exp(epsilon) * cdf(-math.sqrt(epsilon * (v + 2))) > delta
        low, high = (v, high) if too_much else (low, v)
    return (math.sqrt(1 + high / 2) + sign * math.sqrt(high / 2)) / math.sqrt(2 * epsilon)


_WRONG_SIGN: Final = analytic_multiplier(1, 1e-5, -1)
_RIGHT_SIGN: Final = analytic_multiplier(1, 1e-5, 1)


def subtracted_roots(data: FloatArray, rng: Generator) -> float:
    """A count with the noise of the analytic Gaussian mechanism, whose square roots are subtracted."""
    return float(data.sum() + rng.normal(scale=_WRONG_SIGN))


def added_roots(data: FloatArray, rng: Generator) -> float:
    """The same with their sum."""
    return float(data.sum() + rng.normal(scale=_RIGHT_SIGN))


def squared_scale(data: FloatArray, rng: Generator) -> float:
    """A mean of four values in [0, 1]: sensitivity 1/4, and the variance is given where the scale is asked for."""
    return float(np.clip(data, 0, 1).mean() + rng.normal(scale=0.25**2))


def plain_scale(data: FloatArray, rng: Generator) -> float:
    """The same with the scale."""
    return float(np.clip(data, 0, 1).mean() + rng.normal(scale=0.25))


def norm_without_root(data: FloatArray, rng: Generator) -> FloatArray:
    """Means of four columns in [0, 1] of eight rows; their joint sensitivity is 4 (1/8)^2, without the root."""
    return np.asarray(np.clip(data, 0, 1).mean(0) + rng.normal(scale=4 * 0.125**2, size=4))


def norm_with_root(data: FloatArray, rng: Generator) -> FloatArray:
    """The same with the root."""
    return np.asarray(np.clip(data, 0, 1).mean(0) + rng.normal(scale=(4 * 0.125**2) ** 0.5, size=4))


def _noisy_gradient(data: FloatArray, std: float, rng: Generator) -> FloatArray:
    norms = np.linalg.norm(data, axis=1, keepdims=True)
    return np.asarray((data / np.maximum(1, norms / 0.25)).sum(0) + rng.normal(scale=std, size=2))


def clip_norm_squared(data: FloatArray, rng: Generator) -> FloatArray:
    """Gradients clipped at C = 1/4; the scale of the noise has C twice, which is too little for C < 1."""
    return _noisy_gradient(data, 0.25**2, rng)


def clip_norm_once(data: FloatArray, rng: Generator) -> FloatArray:
    """The same with C once."""
    return _noisy_gradient(data, 0.25, rng)


def _reported(multiplier: float) -> tuple[str, float]:
    return f"gaussian({Fraction(multiplier)})", 10.0


EXHIBITS: Final = (
    Release(
        id="smartnoise-sign-in-analytic-gaussian",
        title="A sign in the analytic Gaussian mechanism makes the noise too small.",
        bug_class="calibration",
        sources=(_CORE,),
        broken=subtracted_roots,
        fixed=added_roots,
        d0=np.array([0.0, 1.0]),
        d1=np.array([1.0, 1.0]),
        adjacency=ReplaceOne,
        claim=DPClaim(Fraction(1), Fraction(1, 100_000)),
        witness=lambda y: y > 1.5,
    ),
    Release(
        id="smartnoise-squared-scale",
        title="The scale of Gaussian noise is squared, and below 1 a square is smaller.",
        bug_class="calibration",
        sources=(_CORE,),
        broken=squared_scale,
        fixed=plain_scale,
        d0=np.zeros(4),
        d1=np.array([1.0, 0.0, 0.0, 0.0]),
        adjacency=ReplaceOne,
        claim=_CLAIM,
        witness=lambda y: y > 0.175,
    ),
    Release(
        id="smartnoise-norm-without-root",
        title="The Euclidean sensitivity of a vector of means is the sum of squares.",
        bug_class="sensitivity",
        sources=(Source("https://github.com/opendp/smartnoise-core/issues/243"),),
        broken=norm_without_root,
        fixed=norm_with_root,
        d0=np.zeros((8, 4)),
        d1=np.concatenate([np.ones((1, 4)), np.zeros((7, 4))]),
        adjacency=ReplaceOne,
        claim=_CLAIM,
        witness=lambda y: bool(y.mean() > 0.0875),
    ),
    Release(
        id="sprint-gan-clip-norm-squared",
        title="The clipping norm enters the scale of the noise twice.",
        bug_class="calibration",
        sources=(Source("https://github.com/greenelab/SPRINT_gan/issues/5"),),
        broken=clip_norm_squared,
        fixed=clip_norm_once,
        d0=np.zeros((2, 2)),
        d1=np.array([[0.0, 0.0], [0.0, 0.0], [3.0, 4.0]]),
        adjacency=AddOrRemoveOne,
        claim=_CLAIM,
        witness=lambda y: bool(0.6 * y[0] + 0.8 * y[1] > 0.175),
    ),
    Accounting(
        id="smartnoise-classical-gaussian",
        title="The classical formula for the scale, whose theorem ends at epsilon 1, is used at epsilon 10.",
        bug_class="calibration",
        sources=(
            Source("https://github.com/opendp/smartnoise-sdk/issues/462"),
            Source("https://github.com/uvm-plaid/programming-dp/issues/45"),
        ),
        broken=lambda: _reported(math.sqrt(2 * math.log(1.25 / 0.01)) / 10),
        fixed=lambda: _reported(math.ceil(1_000 * analytic_multiplier(10, 0.01, 1)) / 1_000),
        delta=Fraction(1, 100),
        adjacency=AddOrRemoveOne,
    ),
)
