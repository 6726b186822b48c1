"""Theorems 3.6 and A.2 of online Frank-Wolfe: the risk where the minimiser lies inside the set, with their constants.

On [0, 2] with halved squared losses of records within 1/100 of one another: F is a parabola whose minimiser is next to
the middle, so that gamma is nearly D/2, the most it can be, and mu nearly beta.  No instance is kinder to the bounds,
whose constants are large: they are compared over as many records as make them say something.
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any, Final

import numpy as np
import pytest

from dpref.algorithms.forms import Form
from dpref.algorithms.online_frank_wolfe import plan as tree_plan
from dpref.algorithms.online_frank_wolfe import utility as tree_utility
from dpref.algorithms.polyhedral_frank_wolfe import plan as vertex_plan
from dpref.algorithms.polyhedral_frank_wolfe import utility
from dpref.algorithms.registry import ALGORITHMS
from dpref.geometry.linear_minimization import LpBall, Polytope
from dpref.problems.datasets import Dataset
from dpref.problems.losses import Squared
from dpref.problems.stream import StreamProblem, VertexStream
from dpref.reals import FLOAT, FloatArray
from dpref.units import ReplaceOne
from tests.effort import LONG
from tests.slopes import slope

DELTA, SEEDS, WRONG = Fraction(1, 1000), 30, 1e-3  # WRONG: the failure probability of all seeds' bounds together
FEATURES: Final = np.array([1.0, 0.99])  # each with probability 1/2; the labels are 1
CONVEXITY: Final = float(np.mean(FEATURES**2))  # mu; beta is 1
BEST: Final = float(np.mean(FEATURES)) / CONVEXITY
SMOOTHNESS, DIAMETER, INSIDE = 1.0, 2.0, 2 - BEST  # beta, D and gamma
LIPSCHITZ = 3.0  # |x (x theta - 1)| is at most 1 here; the library declares r |theta| + 1
# How far a record's gradient x^2 theta - x is from its mean: largest at an end of the set.
GRADIENT_NOISE: Final = float(max(abs(np.subtract(*(FEATURES**2)) * e - np.subtract(*FEATURES)) / 2 for e in (0, 2)))
PULL: Final = INSIDE * math.sqrt(2 * CONVEXITY)


def records(n: int, seed: int) -> tuple[Dataset, np.random.Generator]:
    rng = np.random.default_rng(seed)
    return Dataset(rng.choice(FEATURES, n)[:, None], np.ones(n)), rng


def risks(points: FloatArray) -> FloatArray:
    return np.asarray(CONVEXITY * (points[:, 0] - BEST) ** 2 / 2)


def vertex_stream(n: int) -> VertexStream:
    return VertexStream(Squared(), n=n, dimension=1, domain=Polytope(np.array([[0.0], [2.0]])))


def polyhedral(n: int, form: Form) -> Any:
    params = vertex_plan.Params(Fraction(10_000), DELTA, ReplaceOne, form=form)
    return vertex_plan.plan(vertex_stream(n), params)


def polyhedral_risks(plan: Any, seed: int, turned: float = 1.0) -> FloatArray:
    """Of a run; with ``turned`` = -1 its records' labels are turned round, so that it walks away from the minimiser."""
    data, rng = records(plan.records, seed)
    rows = Dataset(data.features, turned * data.labels)
    noise = rng.laplace(size=plan.records * plan.candidates)
    return risks(ALGORITHMS["polyhedral-frank-wolfe"].trace(vertex_stream(plan.records), rows, plan, noise).points)


def stepped(errors: FloatArray, interior: FloatArray) -> FloatArray:
    """The bounds on the risks of theta_1, ..., theta_{n+1}: of both steps, the convex and the interior one, the better.

    Args:
        errors: Of the convex step, for t = 1, ..., n.
        interior: Of the interior one.
    """
    found, curvature = [SMOOTHNESS * DIAMETER**2 / 2], SMOOTHNESS * DIAMETER**2
    for k, (convex, inside) in enumerate(zip(errors.tolist(), interior.tolist(), strict=True)):
        t = float(k + 1)
        root = max(math.sqrt(found[-1]), PULL / (t + 1))
        found.append(
            min(
                utility.risk_step(FLOAT, found[-1], curvature, convex, t),
                tree_utility.interior_step(FLOAT, root, curvature, inside, PULL, t),
            )
        )
    return np.array(found)


@pytest.mark.slow
def test_theorem_3_6_bounds_the_risk_of_the_repaired_form_with_its_constants() -> None:
    """Thirty seeds, all their bounds; at the end below a quarter of the start's risk, and a run astray is above."""
    n = 250_000
    alpha, plan = WRONG / (2 * n * SEEDS), polyhedral(n, Form.REPAIRED)
    t, length = np.arange(1, n + 1), math.log(2 / alpha)
    gradient = utility.gradient_error(FLOAT, SMOOTHNESS * DIAMETER, GRADIENT_NOISE, length, 1.0) / np.sqrt(t)
    choice = utility.choice_error(FLOAT, 1.0, math.log(plan.candidates / alpha)) * np.array(plan.scales)
    bounds = stepped(DIAMETER * gradient + choice, 2 * DIAMETER * gradient + choice)
    start = CONVEXITY * BEST**2 / 2
    assert bounds[-1] < start / 4
    for seed in range(SEEDS):
        assert (polyhedral_risks(plan, seed) <= bounds).all()
    assert polyhedral_risks(plan, 0, turned=-1.0)[-1] > bounds[-1]


@pytest.mark.slow
def test_the_printed_bound_of_theorem_3_6_holds_on_the_printed_form() -> None:
    r"""$\frac{9(\beta D^2+A)^2}{\gamma^2\mu(t+1)}$, thirty seeds; at a million records below the start's risk."""
    n = 1_000_000
    alpha, plan = WRONG / SEEDS, polyhedral(n, Form.AS_PRINTED)
    rate = math.sqrt(math.log(n) * math.log(1000)) / 10_000
    lengths = math.log(8 * n / alpha), math.log(4 * n / alpha)
    A = utility.printed_deviation(FLOAT, DIAMETER, SMOOTHNESS, LIPSCHITZ, GRADIENT_NOISE, *lengths, rate)
    X = SMOOTHNESS * DIAMETER**2 + A
    bounds = utility.strongly_convex_bound(FLOAT, X, INSIDE, CONVEXITY, 0.0) / np.arange(1, n + 2)
    assert bounds[-1] < 0.7 * CONVEXITY * BEST**2 / 2
    for seed in range(SEEDS):
        assert (polyhedral_risks(plan, seed) <= bounds).all()
    assert polyhedral_risks(plan, 0, turned=-1.0)[-1] > bounds[-1]


# ------------------------------------------------------------------------------------ Theorem A.2


def tree_plan_of(n: int, problem: StreamProblem) -> Any:
    return tree_plan.plan(problem, tree_plan.Params(Fraction(10_000), DELTA, ReplaceOne))


@LONG
@pytest.mark.slow
def test_theorem_a_2_bounds_the_risk_with_its_constants() -> None:
    """The weights 1/t, p = 2 on a segment: thirty seeds; at the end below the start's risk, and a run astray is above.

    Proposition A.1's deviation is eight roots of a logarithm, so that many more records are needed than above.
    """
    n = 4_000_000
    problem = StreamProblem(Squared(), n=n, dimension=1, domain=Polytope(np.array([[0.0], [2.0]]), p=Fraction(2)))
    plan = tree_plan_of(n, problem)
    alpha, t = WRONG / (2 * n * SEEDS), np.arange(1, n + 1)
    deviation = 8 * math.sqrt(math.log(2 / alpha))
    sampling = tree_utility.gradient_error(FLOAT, SMOOTHNESS * DIAMETER, GRADIENT_NOISE, 1.0, deviation, 1.0)
    node = tree_utility.node_length(FLOAT, plan.std, 1.0, math.log(n.bit_length() / alpha))
    errors = sampling / np.sqrt(t) + n.bit_length() * node / t
    bounds = stepped(DIAMETER * errors, 2 * DIAMETER * errors)
    assert bounds[-1] < CONVEXITY * BEST**2 / 2

    def found(seed: int, turned: float = 1.0) -> FloatArray:
        data, rng = records(n, seed)
        noise = plan.noise.draw(rng, (n, 1))
        rows = Dataset(data.features, turned * data.labels)
        return risks(ALGORITHMS["online-frank-wolfe"].trace(problem, rows, plan, noise).points)

    for seed in range(SEEDS):
        assert (found(seed) <= bounds).all()
    assert found(0, turned=-1.0)[-1] > bounds[-1]


@pytest.mark.slow
def test_with_an_interior_minimiser_the_risk_of_dp_tofw_falls_faster_than_the_convex_rate() -> None:
    """Theorem A.2: slope of the log risk over log n below -1/2 by more than six standard errors, thirty seeds."""
    sizes, best = (1000, 4000, 16_000), np.array([0.3, -0.1])
    values, errors = list[float](), list[float]()
    for n in sizes:
        problem = StreamProblem(Squared(), n=n, dimension=2, domain=LpBall(Fraction(2), Fraction(1)))
        plan, found = tree_plan_of(n, problem), []
        for seed in range(SEEDS):
            rng = np.random.default_rng((n, seed))
            axes = rng.integers(2, size=n)
            labels = np.where(rng.random(n) < (1 + best[axes]) / 2, 1.0, -1.0)
            rows = Dataset(np.eye(2)[axes] * (1 - 2.0**-40), labels)
            noise = plan.noise.draw(rng, (n, 2))
            last = ALGORITHMS["online-frank-wolfe"].trace(problem, rows, plan, noise).points[-1]
            found.append(float(((last - best) ** 2).sum()))
        values.append(float(np.mean(found)))
        errors.append(float(np.std(found) / math.sqrt(SEEDS)))
    falls, spread = slope(sizes, values, errors)
    assert falls + 6 * spread < -0.5
