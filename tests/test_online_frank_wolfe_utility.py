"""The utility theorem of DP-TOFW, on streams whose optimum is known, and the rate over n."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from dpref.algorithms.online_frank_wolfe import plan as online_frank_wolfe_plan
from dpref.algorithms.online_frank_wolfe import utility as risk_bounds
from dpref.algorithms.registry import ALGORITHMS
from dpref.geometry.linear_minimization import LpBall
from dpref.geometry.norms import dual_index, lp_norm, regularity
from dpref.mechanisms.noise import GaussianNoise
from dpref.problems.datasets import Dataset
from dpref.problems.losses import Linear, Squared
from dpref.problems.stream import StreamProblem
from dpref.reals import FLOAT, FloatArray
from dpref.units import ReplaceOne
from tests.effort import part
from tests.slopes import slope

D, SEEDS = 3, 30
MEAN = np.array([0.3, -0.2, 0.1])
SPREAD = 0.01
ENTRY = ALGORITHMS["online-frank-wolfe"]


def draws(noise: Any, rng: np.random.Generator, n: int) -> FloatArray:
    """n of them, shape (n, D): of plain Gaussian noise all at once."""
    if isinstance(noise, GaussianNoise):
        return noise.draw(rng, (n, D))
    return np.array([noise.draw(rng, (D,)) for _ in range(n)])


def linear_risks(p: Any, n: int, seed: int) -> tuple[FloatArray, Any, StreamProblem]:
    """F(theta) = -<MEAN, theta>, whose least value is -r |MEAN|_q: the excess risk of theta_1, ..., theta_{n+1}.

    The record is +-e_j with the sign of MEAN_j, label +1 or -1, so that its mean is MEAN.
    """
    problem = StreamProblem(Linear(), n=n, dimension=D, domain=LpBall(p, Fraction(1)))
    made = online_frank_wolfe_plan.plan(
        problem, online_frank_wolfe_plan.Params(Fraction(1), Fraction(1, 1000), ReplaceOne)
    )
    rng = np.random.default_rng(seed)
    axes = rng.integers(D, size=n)
    signs = np.where(rng.random(n) < (1 + D * np.abs(MEAN[axes])) / 2, 1.0, -1.0)
    data = Dataset(np.sign(MEAN[axes])[:, None] * np.eye(D)[axes], signs)
    noise = draws(made.noise, rng, n)
    points = ENTRY.trace(problem, data, made, noise).points
    return points @ -MEAN + lp_norm(MEAN, dual_index(p)), made, problem


def steady_risks(p: Any, n: int, seed: int) -> tuple[FloatArray, Any, StreamProblem, float]:
    """F(theta) = -<m, theta> with |m|_q = 0.97, and records within SPREAD of m: the excess risks, and that of theta_1.

    Records that differ little leave the theorem's large constant little to multiply.
    """
    problem = StreamProblem(Linear(), n=n, dimension=D, domain=LpBall(p, Fraction(1)))
    made = online_frank_wolfe_plan.plan(
        problem, online_frank_wolfe_plan.Params(Fraction(1), Fraction(1, 1000), ReplaceOne)
    )
    rng = np.random.default_rng(seed)
    mean = 0.97 * MEAN / lp_norm(MEAN, problem.dual)
    data = Dataset(mean + SPREAD * rng.choice([-1.0, 1.0], (n, 1)) * np.eye(D)[rng.integers(D, size=n)], np.ones(n))
    noise = draws(made.noise, rng, n)
    points = ENTRY.trace(problem, data, made, noise).points
    return points @ -mean + 0.97, made, problem, 0.97


@pytest.mark.slow
@pytest.mark.parametrize("p", part([Fraction(3, 2), Fraction(2), math.inf], 1))
def test_theorem_a_1_bounds_the_risk_with_its_explicit_constants(p: Any) -> None:
    """Thirty seeds, failure probability 1e-6 for all bounds of each; at the end below half of the start's risk."""
    n = 100_000
    risks, made, problem, start = steady_risks(p, n, seed=1)
    alpha = 1e-6 / (4 * n)
    kappa = regularity(problem.dual, D).kappa
    diameter, lipschitz = float(problem.domain.diameter()), float(problem.lipschitz)
    levels = n.bit_length()
    deviation = 8 * math.sqrt(math.log(2 / alpha))
    # Plain Gaussian noise is stated in l_2; an l_q norm with q < 2 may be d^(1/q - 1/2) times as long.
    stretch = max(1.0, D ** (1 / float(problem.dual) - 0.5)) if made.index == 2 else 1.0
    node = stretch * risk_bounds.node_length(FLOAT, made.std, float(D), math.log(levels * n / alpha))
    bounds = [lipschitz * diameter]
    for t in range(1, n + 1):
        error = risk_bounds.gradient_error(FLOAT, 0.0, SPREAD, kappa, deviation, float(t))
        error += t.bit_count() * node / t
        bounds.append(risk_bounds.risk_step(FLOAT, bounds[-1], 0.0, diameter, error, float(t)))
    assert bounds[-1] < start / 2
    assert (risks <= bounds).all()
    for seed in range(2, SEEDS + 1):
        assert (steady_risks(p, n, seed)[0] <= bounds).all()


@pytest.mark.slow
@pytest.mark.parametrize("p", part([Fraction(3, 2), Fraction(2)], 1))
def test_the_risk_falls_at_least_as_fast_as_the_theorem_says(p: Any) -> None:
    """Log-log slope of the last risk over n, six standard errors: clearly below -1/2, the rate of the leading term."""
    sizes, runs = (2000, 8000, 32000), 12
    values, errors = list[float](), list[float]()
    for n in sizes:
        found = [linear_risks(p, n, seed=100 + k)[0][-1] for k in range(runs)]
        values.append(float(np.mean(found)))
        errors.append(float(np.std(found) / math.sqrt(runs)))
    falls, spread = slope(sizes, values, errors)
    assert falls + 6 * spread < -0.5
    assert spread < 0.05


@pytest.mark.slow
def test_without_noise_a_quadratic_is_solved() -> None:
    """Squared losses on orthogonal records: F's minimiser is known and inside the ball."""
    n = 4000
    problem = StreamProblem(Squared(), n=n, dimension=2, domain=LpBall(Fraction(2), Fraction(2)))
    made = online_frank_wolfe_plan.plan(
        problem, online_frank_wolfe_plan.Params(Fraction(1), Fraction(1, 1000), ReplaceOne)
    )
    rng = np.random.default_rng(0)
    axes = rng.integers(2, size=n)
    labels = np.where(rng.random(n) < np.array([0.75, 0.4])[axes], 1.0, -1.0)
    data = Dataset(np.eye(2)[axes], labels)
    points = ENTRY.trace(problem, data, made, np.zeros((n, 2))).points
    best = np.array([0.5, -0.2])
    risks = ((points - best) ** 2).sum(axis=1) / 4
    assert risks[-1] < 0.01
    assert risks[-1] < risks[100]
    # More noise than signal: the private run of so short a stream wanders.
    private = ENTRY.trace(problem, data, made, rng.standard_normal((n, 2))).points
    assert ((private[-1] - best) ** 2).sum() / 4 > risks[-1]
