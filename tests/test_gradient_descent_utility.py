"""Theorems 6.2 and 6.3 of DP-GD with their constants, on objectives whose optimum is known."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache
from typing import Any

import numpy as np
import pytest

from dpref.algorithms.gradient_descent import algorithm
from dpref.algorithms.gradient_descent.plan import Params, Plan, plan
from dpref.algorithms.gradient_descent.utility import gradient_bound, risk_bound, risk_bound_as_printed
from dpref.curator import RecordingCurator
from dpref.geometry.sets import L2Ball
from dpref.problems.datasets import Dataset
from dpref.problems.erm import ERMProblem, Records
from dpref.problems.losses import Linear, Squared
from dpref.reals import FLOAT, Array, FloatArray, Ops
from dpref.units import ReplaceOne

SEEDS = 40
N = 100


@dataclass(frozen=True)
class Waves(ERMProblem):
    r"""Linear losses that cancel, plus $h(x)=\sum_jx_j^2+3\sin^2x_j$, which is public: minimum 0 at 0, L = 8.

    It is not convex, and satisfies the PL inequality with mu = 1/32 (Karimi, Nutini and Schmidt 2016, Section 2).
    """

    @property
    def smoothness(self) -> Fraction:
        return Fraction(8)

    def regularised(self, o: Ops[Array], theta: Array, gradient: Array) -> Array:
        slope: Array = gradient + 2 * theta + 3 * np.sin(2 * theta)
        return slope


def waves(x: FloatArray) -> float:
    return float((x * x + 3 * np.sin(x) ** 2).sum())


def waves_gradient(x: FloatArray) -> FloatArray:
    slope: FloatArray = 2 * x + 3 * np.sin(2 * x)
    return slope


WAVES = Waves(Linear(), n=N, dimension=2)
# Every record is (1, 0) or (0, 1), once with each label: the losses cancel.
CANCELLING = Dataset(np.eye(2)[np.arange(N) % 2], np.where(np.arange(N) // 2 % 2 == 0, 1.0, -1.0))


def iterates(problem: ERMProblem, drawn: Plan[Any], records: Records, seed: int) -> FloatArray:
    """x_0, ..., x_T of the reference on fresh noise, shape (T + 1, p)."""
    curator = RecordingCurator(records, ReplaceOne, np.random.default_rng(seed))
    state = algorithm.init(problem, drawn, curator.ops)
    points = [state.x]
    for _ in range(drawn.steps):
        state = algorithm.step(problem, drawn, state, curator)
        points.append(state.x)
    return np.array(points)


def mean_and_error(values: list[float]) -> tuple[float, float]:
    return float(np.mean(values)), 5 * float(np.std(values)) / math.sqrt(len(values))


def test_the_waves_are_pl_and_not_convex() -> None:
    x = np.linspace(-6, 6, 4001)[:, None]
    risks = np.array([waves(point) for point in x])
    ratio = (waves_gradient(x)[:, 0] ** 2)[risks > 0] / (2 * risks[risks > 0])
    assert ratio.min() >= 1 / 32
    assert (2 + 6 * np.cos(2 * x)).min() < 0
    assert np.abs(2 + 6 * np.cos(2 * x)).max() <= 8


@cache
def on_waves(steps: int, epsilon: int) -> tuple[list[FloatArray], Plan[Any]]:
    params = Params(Fraction(epsilon), Fraction(1, 1000), steps, ReplaceOne, start=np.array([3.0, -2.0]))
    drawn = plan(WAVES, params)
    records = WAVES.read(CANCELLING)
    return [iterates(WAVES, drawn, records, seed) for seed in range(SEEDS)], drawn


@pytest.mark.slow
@pytest.mark.parametrize(("steps", "epsilon"), [(60, 8), (400, 2)])
def test_theorem_6_2_on_an_objective_that_is_not_convex(steps: int, epsilon: int) -> None:
    """Eq. (80) unrolled, and the looser Eq. (81)."""
    runs, drawn = on_waves(steps, epsilon)
    mean, error = mean_and_error([waves(points[-1]) for points in runs])
    given = 8.0, 1 / 32, drawn.std**2, 2.0, waves(runs[0][0]), steps
    assert mean <= risk_bound(FLOAT, *given) + error
    assert risk_bound(FLOAT, *given) <= risk_bound_as_printed(FLOAT, *given)


@pytest.mark.slow
@pytest.mark.parametrize(("steps", "epsilon"), [(60, 8), (400, 2)])
def test_theorem_6_3_on_an_objective_that_is_not_convex(steps: int, epsilon: int) -> None:
    """The mean squared gradient of x_0, ..., x_{T-1}, of which the output is one (Eq. 87)."""
    runs, drawn = on_waves(steps, epsilon)
    squares = [float((waves_gradient(points[:-1]) ** 2).sum(axis=1).mean()) for points in runs]
    mean, error = mean_and_error(squares)
    assert mean <= gradient_bound(FLOAT, 8.0, drawn.std**2, 2.0, waves(runs[0][0]), float(steps)) + error


# Losses (x_j - y)^2 / 2 of 50 records for each coordinate, 30 and 15 of them with the label 1: F is (x - POINT)^2 / 4
# above its least value, its curvature 1/2 everywhere.
ROUND = ERMProblem(Squared(), n=N, dimension=2, domain=L2Ball(Fraction(60)))
POINT = np.array([0.2, -0.4])
LABELLED = Dataset(
    np.eye(2)[np.arange(N) % 2], np.where(np.arange(N) // 2 < np.array([30, 15])[np.arange(N) % 2], 1.0, -1.0)
)


def attained(bound: Any) -> bool:
    """With L = mu one step forgets the start, and the risk is the noise's: both theorems' constants are attained."""
    drawn = replace(plan(ROUND, Params(Fraction(50), Fraction(1, 100), 3, ReplaceOne)), step_size=2.0)
    records = ROUND.read(LABELLED)
    runs = [iterates(ROUND, drawn, records, seed) for seed in range(10 * SEEDS)]
    mean, error = mean_and_error([float(((points[-1] - POINT) ** 2).sum()) / 4 for points in runs])
    promised = float(bound(FLOAT, 0.5, 0.5, drawn.std**2, 2.0, float((POINT**2).sum()) / 4, 3))
    return abs(mean - promised) <= error


def test_theorem_6_2_is_attained_where_the_objective_is_round() -> None:
    assert attained(risk_bound)


@pytest.mark.parametrize(
    "bug",
    [
        risk_bound_as_printed,  # T times the noise of a step (E12)
        lambda o, L, mu, variance, dimension, gap, steps: risk_bound(o, L, mu, variance, 1.0, gap, steps),
        lambda o, L, mu, variance, dimension, gap, steps: risk_bound(o, L, mu, variance / 4, dimension, gap, steps),
    ],
)
def test_planted_bug_another_constant_is_seen(bug: Any) -> None:
    assert not attained(bug)
