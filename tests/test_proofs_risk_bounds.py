"""Tested obligations: the repaired momentum bound and the split weights, on random instances with exact moments."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import pytest

from dpref.algorithms.dynamic_gradient_descent import formulas as schedules
from dpref.algorithms.dynamic_gradient_descent import utility as risk_bounds
from dpref.algorithms.dynamic_gradient_descent.iterations import turning_step
from dpref.reals import FLOAT, RATIONAL


@dataclass(frozen=True)
class Quadratic:
    """f(theta) = sum_j l_j theta_j^2 / 2 with momentum, and the exact second moments of the run."""

    curvatures: np.ndarray
    start: np.ndarray
    beta: float
    eta0: float
    noise: np.ndarray  # standard deviation of each step's noise

    @property
    def smoothness(self) -> float:
        return float(self.curvatures.max())

    @property
    def kappa(self) -> float:
        return self.smoothness / float(self.curvatures.min())

    @property
    def gap(self) -> float:
        return float((self.curvatures * self.start**2).sum() / 2)

    def moments(self) -> tuple[float, list[float]]:
        """E f(theta_{T+1}) and E |v_{t+1}|^2 for every t: a 2 x 2 second-moment matrix per coordinate."""
        eta = self.eta0 / (2 * self.smoothness)
        velocities = [0.0] * len(self.noise)
        risk = 0.0
        for curvature, theta in zip(self.curvatures, self.start, strict=True):
            second = np.array([[theta**2, 0.0], [0.0, 0.0]])
            for t, std in enumerate(self.noise, 1):
                gain = eta / (1 - self.beta**t)
                v = np.array([(1 - self.beta) * curvature, self.beta])
                step = np.array([[1 - gain * v[0], -gain * v[1]], v])
                kick = np.array([-gain, 1.0]) * (1 - self.beta) * std
                second = step @ second @ step.T + np.outer(kick, kick)
                velocities[t - 1] += second[1, 1]
            risk += curvature * second[0, 0] / 2
        return float(risk), velocities


def bound(q: Quadratic, *, printed: bool, momentum_term: bool) -> float | None:
    """The right-hand side of Theorem 4.6 (printed or 4.6-C) with R = 1; None where its hypotheses fail."""
    contraction = risk_bounds.momentum_contraction_as_printed if printed else risk_bounds.momentum_contraction
    slack_of = schedules.momentum_slack_as_printed if printed else schedules.momentum_slack
    gamma, steps = contraction(FLOAT, q.eta0, q.kappa), len(q.noise)
    if not q.beta < gamma < 1:
        return None
    slack = slack_of(FLOAT, q.beta, gamma, q.eta0)
    if slack < 0:
        return None
    dimension = len(q.start)  # G / N = 1: sigma_t is the standard deviation
    alpha = risk_bounds.noise_unit(FLOAT, dimension, 1.0, 1.0, q.smoothness, 1.0, q.gap)
    weights = schedules.momentum_influences(FLOAT, q.beta, gamma, steps)
    noise = sum(w * s**2 for w, s in zip(weights, q.noise, strict=True))
    factor = 2 if printed else 1
    value = (gamma**steps + factor * q.eta0 * alpha * noise) * q.gap
    if momentum_term:
        tail = sum(gamma ** (steps - t) * v for t, v in enumerate(q.moments()[1], 1))
        value -= slack * q.eta0 / ((2 if printed else 4) * q.smoothness) * tail
    return float(value)


def instances(count: int, seed: int, *, printed: bool) -> list[Quadratic]:
    rng = np.random.default_rng(seed)
    found: list[Quadratic] = []
    while len(found) < count:
        d, steps = int(rng.integers(1, 5)), int(rng.integers(1, 60))
        curvatures = np.exp(rng.uniform(-3, 0, d))
        q = Quadratic(
            curvatures, rng.normal(size=d), float(rng.uniform(0.02, 0.8)), float(np.exp(rng.uniform(-5, 0.3))),
            np.exp(rng.uniform(-6, 0)) * rng.uniform(0, 1, steps) * (rng.random() < 0.7),
        )  # fmt: skip
        if bound(q, printed=printed, momentum_term=False) is not None:
            found.append(q)
    return found


@pytest.mark.slow
@pytest.mark.parametrize("momentum_term", [False, True])
def test_repaired_momentum_bound_on_quadratics(momentum_term: bool) -> None:
    for q in instances(300, 7, printed=False):
        right = bound(q, printed=False, momentum_term=momentum_term)
        assert right is not None
        assert q.moments()[0] <= right + 1e-9 * q.gap


@pytest.mark.slow
def test_printed_momentum_bound_fails_on_quadratics() -> None:
    broken = 0
    for q in instances(200, 8, printed=True):
        right = bound(q, printed=True, momentum_term=True)
        broken += right is not None and q.moments()[0] > right + 1e-9 * q.gap
    assert broken > 20


def test_exact_momentum_weights_lie_below_the_split_ones() -> None:
    rng = np.random.default_rng(5)
    for _ in range(60):
        gamma = Fraction(int(rng.integers(30, 99)), 100)
        beta = gamma * Fraction(int(rng.integers(1, 99)), 100)
        steps = int(rng.integers(1, 25))
        turn = turning_step(beta, gamma)
        exact = schedules.momentum_influences(RATIONAL, beta, gamma, steps)
        for t, weight in enumerate(exact, 1):
            assert weight <= schedules.momentum_influence_split(RATIONAL, beta, gamma, steps, turn, t)


def test_the_risk_bounds_reproduce_the_specification() -> None:
    """Golden values of the specification (section 12), to the digits that it prints."""
    assert risk_bounds.erub_uniform(FLOAT, 10.0, 1e-4, 43.87) == pytest.approx(0.05327, abs=5e-6)
    assert risk_bounds.erub_uniform_surrogate(FLOAT, 10.0, 1e-4) == pytest.approx(0.06695, abs=5e-6)
    assert risk_bounds.erub_dynamic_minimum(FLOAT, 0.9, 1e-4) == pytest.approx(0.03658, abs=5e-6)
    variances = [4.71742112, 4.24567901, 3.82111111, 3.439]
    assert risk_bounds.erub(FLOAT, variances, 0.81, 1.0, 1.0) == pytest.approx(0.81**4 + 11.826721, rel=1e-8)
    assert risk_bounds.uniform_over_dynamic(FLOAT, 0.81, 4.0) == pytest.approx(1.0138198, rel=1e-7)
