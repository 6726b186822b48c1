"""The lemmas behind the utility of vertex sampling, over random inputs: what is stated and not proved."""

from __future__ import annotations

import math
from itertools import accumulate

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from dpref.mechanisms.exponential import softmax
from dpref.problems.games import duality_gap
from dpref.reals import FLOAT_ARRAY, FloatArray

SEEDS = st.integers(0, 2**32 - 1)
ROUNDING = 1e-9


def simplex(scores: FloatArray) -> FloatArray:
    return softmax(FLOAT_ARRAY, scores)


def descent(gradients: FloatArray, tau: float) -> list[FloatArray]:
    """The iterates of entropic mirror descent before each gradient."""
    sums = accumulate(gradients, initial=np.zeros(gradients.shape[1]))
    return [simplex(-tau * s) for s in list(sums)[: len(gradients)]]


@given(SEEDS, st.floats(0.05, 4))
def test_p1(seed: int, width: float) -> None:
    """On quadratics and on ramps of log-cosh, whose smoothness in l1 is the largest entry of the second derivative."""
    rng = np.random.default_rng(seed)
    u, v, c = rng.normal(size=(3, 4))
    hessian = rng.uniform(-1, 1, (4, 4))
    hessian = hessian + hessian.T
    square, reach = np.abs(hessian).max() / 2 * np.abs(v).sum() ** 2, np.abs(c).max() ** 2 / width
    assert abs((u + v) @ hessian @ (u + v) - u @ hessian @ u - 2 * u @ hessian @ v) / 2 <= square + ROUNDING
    value = width * (
        np.logaddexp((u + v) @ c / width, -(u + v) @ c / width) - np.logaddexp(u @ c / width, -u @ c / width)
    )
    assert abs(value - math.tanh(u @ c / width) * (c @ v)) <= reach / 2 * np.abs(v).sum() ** 2 + ROUNDING


@given(st.integers(1, 60), st.floats(0.01, 4))
def test_p7(steps: int, deviation: float) -> None:
    """Sums of independent signs, whose tail is a sum of binomial coefficients."""
    tail = sum(math.comb(steps, k) for k in range(steps + 1) if 2 * k - steps >= deviation * math.sqrt(steps))
    assert tail / 2**steps <= math.exp(-(deviation**2) / 2) + ROUNDING


@given(SEEDS, st.integers(1, 30))
def test_p24(seed: int, steps: int) -> None:
    rng = np.random.default_rng(seed)
    gradients, w = rng.normal(size=(steps, 4)) * 2, simplex(rng.normal(size=4) * 4)
    ghosts = descent(gradients, 1.0)
    regret = sum(float(g @ (x - w)) for g, x in zip(gradients, ghosts, strict=True))
    divergence = float((w * np.log(w * 4)).sum())
    assert regret <= divergence + float((np.abs(gradients).max(axis=1) ** 2).sum()) / 2 + ROUNDING
    assert divergence <= math.log(4) + ROUNDING


@given(SEEDS, st.floats(0.02, 2), st.integers(1, 20))
def test_p25(seed: int, tau: float, steps: int) -> None:
    """Any estimates g on any bilinear game, with the ghost sequence built step by step."""
    rng = np.random.default_rng(seed)
    payoff = rng.uniform(-1, 1, (4, 3))
    estimates = rng.uniform(-2, 2, (steps, 7))
    xs, ys = descent(estimates[:, :4], tau), descent(estimates[:, 4:], tau)
    operators = np.array([np.concatenate([payoff @ y, -(x @ payoff)]) for x, y in zip(xs, ys, strict=True)])
    errors = operators - estimates
    ghosts = descent(errors[:, :4], tau), descent(errors[:, 4:], tau)
    sizes = float((np.abs(estimates).max(axis=1) ** 2 + np.abs(errors).max(axis=1) ** 2).sum())
    noise = sum(
        float(e @ (np.concatenate([x, y]) - np.concatenate([w, v])))
        for e, x, y, w, v in zip(errors, xs, ys, *ghosts, strict=True)
    )
    gap = float(duality_gap(payoff, np.mean(xs, axis=0), np.mean(ys, axis=0)))
    assert steps * gap <= 2 * math.log(12) / tau + tau * sizes + noise + ROUNDING


@given(SEEDS)
def test_p27(seed: int) -> None:
    y = simplex(np.random.default_rng(seed).normal(size=4) * 3)
    assert -ROUNDING <= -float((y * np.log(y)).sum()) <= math.log(4) + ROUNDING


@given(SEEDS, st.floats(0.05, 5))
def test_p29(seed: int, width: float) -> None:
    rng = np.random.default_rng(seed)
    payoff, first, second = rng.uniform(-1, 1, (4, 4)), *(simplex(s) for s in rng.normal(size=(2, 4)) * 3)
    moved = payoff @ (simplex(payoff.T @ first / width) - simplex(payoff.T @ second / width))
    assert np.abs(moved).max() <= np.abs(payoff).max() ** 2 / width * np.abs(first - second).sum() + ROUNDING


@given(SEEDS, st.floats(0.001, 2))
def test_p56(seed: int, moved: float) -> None:
    rng = np.random.default_rng(seed)
    scores = rng.normal(size=4) * 3
    x, ghost = simplex(scores + rng.uniform(-moved, moved, 4)), simplex(scores)
    assert (x - ghost <= ghost * math.expm1(2 * moved) + ROUNDING).all()
    assert (ghost - x <= ghost * -math.expm1(-2 * moved) + ROUNDING).all()
    assert (ghost - x <= 2 * moved * ghost + ROUNDING).all()


@given(SEEDS)
def test_p60(seed: int) -> None:
    """Two logistic losses with features of at most 1: L0 = 1, L1 = 1/4, L2 = 1/(6 sqrt 3), B = ln(1 + e)."""
    rng = np.random.default_rng(seed)
    features = rng.uniform(-1, 1, (2, 3))

    def gradient(x: FloatArray, y: FloatArray) -> FloatArray:
        margins = features @ x
        values, slopes = np.logaddexp(0, margins), 1 / (1 + np.exp(-margins))
        return np.concatenate([features.T @ (y * slopes), values])

    def second(x: FloatArray, y: FloatArray) -> FloatArray:
        share = 1 / (1 + np.exp(-(features @ x)))
        curved = (features.T * (y * share * (1 - share))) @ features
        mixed = features.T * share
        return np.block([[curved, mixed], [mixed.T, np.zeros((2, 2))]])

    points = [(simplex(rng.normal(size=3) * 3), simplex(rng.normal(size=2) * 3)) for _ in range(2)]
    far = sum(float(np.abs(a - b).sum()) for a, b in zip(*points, strict=True))
    bound, L0, L1, L2 = math.log1p(math.e), 1.0, 0.25, 1 / (6 * math.sqrt(3))
    assert np.abs(gradient(*points[0])).max() <= max(L0, bound) + ROUNDING
    assert np.abs(gradient(*points[0]) - gradient(*points[1])).max() <= max(L0, L1) * far + ROUNDING
    assert np.abs(second(*points[0]) - second(*points[1])).max() <= max(L1, L2) * far + ROUNDING
