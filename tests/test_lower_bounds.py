"""The hard instances of the lower bounds: optima, KL condition, and every registered ERM algorithm on them."""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction
from functools import cache
from typing import Any

import numpy as np
import pytest

from dpref.algorithms.declaration import AnyAlgorithm
from dpref.algorithms.registry import ALGORITHMS
from dpref.curator import RecordingCurator
from dpref.errors import InvalidArgumentError
from dpref.geometry.sets import norm
from dpref.privacy.filters import agrees
from dpref.problems import lower_bounds
from dpref.problems.erm import ERMProblem, Records
from dpref.problems.losses import Power
from dpref.problems.lower_bounds import HardInstance, fingerprints, growth, two_points
from dpref.reals import FLOAT, FLOAT_ARRAY, RATIONAL, FloatArray

INSTANCES = lower_bounds.examples()
NAMES = [f"{instance.item}, kappa {instance.kappa}, {k}" for k, instance in enumerate(INSTANCES)]
ERM = [name for name, algorithm in ALGORITHMS.items() if algorithm.kind is ERMProblem]
LONG = 120  # answers; a plan that asks for more is not run


@cache
def records(instance: HardInstance) -> Records:
    return instance.problem.read(instance.data)


def risk(instance: HardInstance, w: FloatArray) -> float:
    return float(instance.problem.objective(FLOAT_ARRAY, w, records(instance)))


def gradient(instance: HardInstance, w: FloatArray) -> FloatArray:
    mean = instance.problem.mean_gradient(FLOAT_ARRAY, w, records(instance))
    return np.asarray(instance.problem.regularised(FLOAT_ARRAY, w, mean))


def inside(instance: HardInstance, count: int, seed: int = 0) -> FloatArray:
    """Points of the domain, some of them near its edge, shape (count, d)."""
    rng = np.random.default_rng(seed)
    rows = rng.standard_normal((count, instance.problem.dimension))
    sizes = float(instance.problem.domain.radius or 1) * rng.uniform(size=count) ** rng.choice([0.1, 1.0, 3.0], count)
    return np.asarray(sizes[:, None] * rows / np.linalg.norm(rows, axis=1, keepdims=True))


# ------------------------------------------------------------------------------------ optima


def below_its_least(instance: HardInstance) -> bool:
    """Whether a point of the domain has less risk than the optimum is said to have."""
    best, points = np.array([float(x) for x in instance.minimiser]), inside(instance, 200)
    near = (best + (points - best) * size for size in (1.0, 0.1))
    return any(risk(instance, w) < float(instance.least) - 1e-12 for part in near for w in part)


def breaks_its_condition(instance: HardInstance) -> bool:
    """Whether the KL condition fails at a point of the domain."""
    gamma, kappa = float(instance.gamma), float(instance.kappa)
    return any(
        risk(instance, w) - float(instance.least) > (gamma * np.linalg.norm(gradient(instance, w))) ** kappa + 1e-12
        for w in inside(instance, 200, seed=1)
    )


@pytest.mark.parametrize("instance", INSTANCES, ids=NAMES)
def test_the_optimum_is_the_stated_one_and_the_condition_holds(instance: HardInstance) -> None:
    best = np.array([float(x) for x in instance.minimiser])
    assert risk(instance, best) == pytest.approx(float(instance.least), abs=1e-14)
    assert not below_its_least(instance)
    assert not breaks_its_condition(instance)


@pytest.mark.parametrize("instance", INSTANCES, ids=NAMES)
def test_planted_bug_a_wrong_optimum_and_a_wrong_scale_are_seen(instance: HardInstance) -> None:
    start = risk(instance, np.zeros(instance.problem.dimension))
    high = replace(instance, least=instance.least + Fraction(start - float(instance.least)) / 10)
    assert below_its_least(high)
    tight = {"Theorem 6": Fraction(2, 5), "Theorem 7": Fraction(9, 10), "Theorem 8": Fraction(9, 10)}
    assert breaks_its_condition(replace(instance, gamma=instance.gamma * tight[instance.item]))


def test_the_optimum_of_the_fingerprints_is_a_stationary_point_exactly() -> None:
    """By hand: the mean of the rows plus twice the weight times the minimiser vanishes, in fractions."""
    instance = fingerprints(9, dimension=5, marked=6, distance=Fraction(1, 3), seed=4)
    rows = [[Fraction(float(x)) / 2 for x in row] for row in instance.data.features]
    for j, x in enumerate(instance.minimiser):
        assert sum(row[j] for row in rows) / 9 + instance.problem.ridge * x == 0
    assert sum(x * x for x in instance.minimiser) <= Fraction(1, 3) ** 2
    assert len([row for row in rows if any(row)]) == 6


@pytest.mark.parametrize(("dimension", "exponent"), [(1, 2), (1, 3), (2, 3), (3, 4), (4, 2)])
def test_the_power_instance_grows_as_it_says(dimension: int, exponent: int) -> None:
    instance = growth(32, dimension, exponent)
    best = np.array([float(x) for x in instance.minimiser])
    scale = lower_bounds.growth_scale(FLOAT, float(exponent), float(dimension))
    for w in inside(instance, 200):
        excess = risk(instance, w) - float(instance.least)
        assert excess >= scale * np.linalg.norm(w - best) ** exponent * (1 - 1e-9) - 1e-15


def test_the_loss_of_the_power_instance_has_the_slope_that_it_says() -> None:
    """Central differences on both sides of where it becomes a line, for odd and even exponents."""
    for exponent in (2, 3, 5):
        loss = Power(Fraction(exponent))
        for s in (-2.0, -0.7, -0.1, 0.0, 0.4, 0.9, 1.5):
            rise = (loss.value(FLOAT, s + 1e-6, 1.0) - loss.value(FLOAT, s - 1e-6, 1.0)) / 2e-6
            assert loss.derivative(FLOAT, s, 1.0) == pytest.approx(rise, abs=1e-6)
        assert loss.lipschitz(RATIONAL, Fraction(3), None) == 6
        assert loss.smoothness(RATIONAL, Fraction(3)) == 9 * (exponent - 1)


# ------------------------------------------------------------------------------------ Theorem 8


def printed_risk(w: float, bias: float, a: float, tau: float) -> float:
    """The instance as printed, on all of the line."""

    def one(m: float) -> float:
        return abs(m - a) if m <= a else abs(m - a) ** tau

    return (1 + bias) / 2 * one(w) + (1 - bias) / 2 * one(-w)


@pytest.mark.parametrize("kappa", [2, 3, 5])
def test_within_its_ends_the_two_point_instance_is_the_printed_one(kappa: int) -> None:
    """Up to a constant; and beyond them both printed risks only rise, so that a projection costs nothing."""
    tau = kappa / (kappa - 1)
    for instance in two_points(20, differing=6, kappa=kappa):
        (end,) = instance.minimiser
        a, bias = float(abs(end)), math.copysign(0.3, end)
        assert float(abs(end)) == pytest.approx(lower_bounds.offset(FLOAT, 0.3, float(kappa)))
        shift = float(instance.least) - printed_risk(float(end), bias, a, tau)
        for w in np.linspace(-a, a, 21):
            assert risk(instance, np.array([w])) == pytest.approx(printed_risk(w, bias, a, tau) + shift, abs=1e-14)
        for beyond in (0.01, 0.3, 2.0):
            for side in (-1, 1):
                assert printed_risk(side * (a + beyond), bias, a, tau) > printed_risk(side * a, bias, a, tau)


def mean_excess(odds: float, apart: float, bias: float) -> float:
    """Of the answer that picks the right end with a probability."""
    return apart * bias * (1 - odds)


@pytest.mark.parametrize("epsilon", [0.1, 1.0, 3.0])
def test_randomised_response_attains_the_two_point_bound(epsilon: float) -> None:
    least = lower_bounds.least_mean_excess(FLOAT, 0.2, 0.4, epsilon, 0.0)
    assert mean_excess(1 / (1 + math.exp(-epsilon)), 0.2, 0.4) == pytest.approx(least)


def test_planted_bug_an_answer_that_is_too_good_is_below_the_bound() -> None:
    """Half of the errors of randomised response: not private enough, and below what a private answer can have."""
    least = lower_bounds.least_mean_excess(FLOAT, 0.2, 0.4, 1.0, 0.0)
    assert mean_excess(1 - 0.5 / (1 + math.e), 0.2, 0.4) < least


@pytest.mark.parametrize("kappa", [2, 3])
def test_the_constant_of_theorem_8_is_nearly_a_quarter(kappa: int) -> None:
    """E33: with the theorem's largest delta, at least 0.24 of the rate, and less than a quarter for small epsilon."""
    n = 10**6
    for epsilon in (0.01, 0.1, 0.4):
        bias = 1 / (n * epsilon)
        delta = (1 - math.exp(-epsilon)) / 16
        group = lower_bounds.group_delta(FLOAT, epsilon, delta, 1 / epsilon)
        apart = 2 * lower_bounds.offset(FLOAT, bias, float(kappa))
        share = lower_bounds.least_mean_excess(FLOAT, apart, bias, 1.0, group) / bias**kappa
        assert 0.24 <= share < 0.25


# ------------------------------------------------------------------------------------ every algorithm


def plans(algorithm: AnyAlgorithm, problem: ERMProblem) -> list[Any]:
    """The plans of the declared examples that are not too long."""
    made = [algorithm.plan(problem, params) for params in algorithm.examples(problem, algorithm.adjacencies[0])]
    return [plan for plan in made if plan.steps <= LONG]


@pytest.mark.slow
@pytest.mark.parametrize("name", ERM)
@pytest.mark.parametrize("instance", INSTANCES, ids=NAMES)
def test_every_registered_algorithm_runs_on_every_hard_instance(instance: HardInstance, name: str) -> None:
    """It stays in the domain, is no better than the optimum, and spends what it was planned to."""
    algorithm, problem = ALGORITHMS[name], instance.problem
    made = plans(algorithm, problem)
    assert made
    for plan in made:
        curator = RecordingCurator(records(instance), plan.sensitivity.adjacency, np.random.default_rng(0))
        w = algorithm.run(problem, plan, curator)
        assert norm(FLOAT_ARRAY, w) <= float(problem.domain.radius or 0) * (1 + 1e-12)
        assert risk(instance, w) >= float(instance.least) - 1e-12
        assert agrees(algorithm.spending, algorithm.ledger(plan), curator.ledger)


def test_no_algorithm_of_this_kind_is_left_out() -> None:
    assert {name for name, algorithm in ALGORITHMS.items() if issubclass(algorithm.kind, ERMProblem)} == set(ERM)
    assert len(ERM) >= 9


@pytest.mark.slow
@pytest.mark.parametrize("name", ERM)
def test_the_kernels_read_the_new_loss_as_the_references_do(name: str) -> None:
    instance = growth(8, dimension=2, exponent=3)
    algorithm = ALGORITHMS[name]
    plan = plans(algorithm, instance.problem)[0]
    curator = RecordingCurator(records(instance), plan.sensitivity.adjacency, np.random.default_rng(1))
    w = algorithm.run(instance.problem, plan, curator)
    transcript = curator.transcript
    indices = np.array(transcript.indices, dtype=np.int64)
    points = algorithm.trace(instance.problem, instance.data, plan, transcript.noise(), indices).points
    assert np.allclose(points[plan.released(transcript.indices)], w, rtol=1e-9, atol=1e-12)


# ------------------------------------------------------------------------------------ refusals


@pytest.mark.parametrize(
    ("make", "named"),
    [
        (lambda: fingerprints(4, 2, marked=5), "marked"),
        (lambda: fingerprints(4, 2, marked=0), "marked"),
        (lambda: fingerprints(4, 2, marked=2, distance=Fraction(0)), "distance"),
        (lambda: two_points(9, differing=2, kappa=2), "differing"),
        (lambda: two_points(8, differing=6, kappa=2), "differing"),
        (lambda: two_points(8, differing=2, kappa=1), "kappa"),
        (lambda: growth(6, 1, exponent=3), "each"),
        (lambda: growth(8, 5, exponent=3), "at"),
        (lambda: growth(8, 1, exponent=1), "exponent"),
        (lambda: Power(Fraction(5, 2)), "exponent"),
    ],
)
def test_bad_input_is_refused_by_name(make: Any, named: str) -> None:
    with pytest.raises(InvalidArgumentError, match=named):
        make()
