"""Noisy gradient descent for regularised Lipschitz losses: noise, cost, the average, refusals, the utility theorem."""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from dpref.algorithms.forms import Form
from dpref.algorithms.noisy_gradient_descent import ALGORITHM, Params, Plan
from dpref.algorithms.noisy_gradient_descent import algorithm as noisy_algorithm
from dpref.algorithms.noisy_gradient_descent.utility import excess_bound
from dpref.curator import LiveCurator, RecordingCurator
from dpref.errors import InvalidArgumentError
from dpref.geometry.sets import L2Ball
from dpref.privacy.closed_forms.gaussian import zcdp
from dpref.problems.datasets import Dataset, synthetic
from dpref.problems.erm import ERMProblem
from dpref.problems.losses import Huber, Linear, Logistic
from dpref.reals import FLOAT, FLOAT_ARRAY, FloatArray
from dpref.units import AddOrRemoveOne, Adjacency, ReplaceOne, ZeroOut

RHO = Fraction(1, 2)
N, D = 40, 3
PROBLEM = ERMProblem(Logistic(), n=N, dimension=D)
DATA = synthetic(N, D, seed=2)


def params(adjacency: type[Adjacency] = ReplaceOne, **changes: Any) -> Params[Any]:
    base: dict[str, Any] = {
        "rho": RHO, "failure": Fraction(1, 20), "weak_convexity": Fraction(2), "adjacency": adjacency, "iterates": 7,
    }  # fmt: skip
    return Params(**{**base, **changes})


# ------------------------------------------------------------------------------------ noise and cost


def test_the_printed_noise_is_theorem_9_s_and_half_of_it_is_too_much() -> None:
    """E9: sigma^2 = 4 L_0^2 T / (n^2 rho); T - 1 answers spend rho (T - 1) / (2 T) under replace-one."""
    made = ALGORITHM.plan(PROBLEM, params(form=Form.AS_PRINTED))
    assert made.std == pytest.approx(math.sqrt(4 * 7 / (N**2 * 0.5)), rel=1e-14)
    assert float(zcdp(ALGORITHM.ledger(made)).value) == pytest.approx(0.5 * 6 / 14, rel=1e-12)


@pytest.mark.parametrize("adjacency", [ReplaceOne, ZeroOut, AddOrRemoveOne])
def test_the_repaired_noise_spends_the_budget_and_no_more(adjacency: type[Adjacency]) -> None:
    made = ALGORITHM.plan(PROBLEM, params(adjacency))
    spent = Fraction(zcdp(ALGORITHM.ledger(made)).value)
    assert RHO * (1 - Fraction(1, 10**12)) <= spent <= RHO


def test_planted_bug_one_answer_more_than_the_noise_was_made_for_is_seen() -> None:
    made = ALGORITHM.plan(PROBLEM, params())
    assert Fraction(zcdp(ALGORITHM.ledger(replace(made, iterates=made.iterates + 1))).value) > RHO


def test_the_number_of_iterates_of_theorem_9_is_rounded_up_and_at_least_one() -> None:
    """E35: T = n^2 rho log^2(2 / beta) / d is no integer, and may be below one, where nothing is asked."""
    wanted = ALGORITHM.plan(PROBLEM, params(iterates=None)).iterates
    assert wanted == math.ceil(N**2 * 0.5 * math.log(40) ** 2 / D)
    one = ALGORITHM.plan(ERMProblem(Logistic(), n=1, dimension=50), params(iterates=None))
    assert (one.iterates, one.steps) == (1, 0)
    curator = RecordingCurator(ERMProblem(Logistic(), n=1, dimension=50).read(synthetic(1, 50, seed=0)), ReplaceOne,
                               np.random.default_rng(0))  # fmt: skip
    assert not ALGORITHM.run(ERMProblem(Logistic(), n=1, dimension=50), one, curator).any()
    assert curator.ledger == ALGORITHM.ledger(one)
    assert float(zcdp(curator.ledger).value) == 0


# ------------------------------------------------------------------------------------ the run


def iterates_of(plan: Plan[Any], seed: int = 0) -> tuple[FloatArray, FloatArray]:
    """w_1, ..., w_T, step by step, and what the run returns."""
    curator = LiveCurator(PROBLEM.read(DATA), ReplaceOne, np.random.default_rng(seed))
    state = noisy_algorithm.init(plan, curator.ops)
    points = [state.w]
    for _ in range(plan.steps):
        state = noisy_algorithm.step(PROBLEM, plan, state, curator)
        points.append(state.w)
    again = LiveCurator(PROBLEM.read(DATA), ReplaceOne, np.random.default_rng(seed))
    return np.array(points), np.asarray(ALGORITHM.run(PROBLEM, plan, again))


@pytest.mark.parametrize("form", Form)
def test_the_output_is_the_mean_of_line_5_and_every_iterate_lies_in_the_ball(form: Form) -> None:
    start = np.array([0.5, -1.0, 0.25])
    plan = replace(ALGORITHM.plan(PROBLEM, params(form=form, start=start, iterates=9)), std=2.0)
    points, output = iterates_of(plan)
    weights = np.arange(1, 10)
    assert np.allclose(output, 2 / 90 * weights @ points, rtol=1e-13, atol=1e-15)
    distances = np.linalg.norm(points - start, axis=1)
    assert distances.max() <= float(PROBLEM.gradient_bound) / 4 * (1 + 1e-12)
    assert (distances > 0.2499).any()  # the noise is so large that the projection is at work


def test_the_forms_differ_in_their_steps() -> None:
    """Against the same noise the first steps are 1 / mu, then 1 / (2 mu) printed and 2 / (3 mu) repaired."""
    quiet = [replace(ALGORITHM.plan(PROBLEM, params(form=form)), std=0.0) for form in Form]
    (printed, _), (repaired, _) = (iterates_of(plan) for plan in quiet)
    assert np.allclose(printed[1], repaired[1])
    gradient = PROBLEM.mean_gradient(FLOAT_ARRAY, printed[1], PROBLEM.read(DATA)) + 4 * printed[1]
    assert np.allclose(printed[2] - printed[1], -gradient / 4, atol=1e-15)
    assert np.allclose(repaired[2] - repaired[1], -gradient / 3, atol=1e-15)


# ------------------------------------------------------------------------------------ refusals


def test_a_domain_that_cuts_the_ball_is_refused() -> None:
    bounded = replace(PROBLEM, domain=L2Ball(Fraction(1, 2)))
    assert ALGORITHM.plan(bounded, params()).radius == 0.25
    for changes in ({"weak_convexity": Fraction(9, 10)}, {"start": np.array([0.3, 0.0, 0.0])}):
        with pytest.raises(InvalidArgumentError, match=r"weak_convexity.*must be so large that the ball of radius"):
            ALGORITHM.plan(bounded, params(**changes))


@pytest.mark.parametrize(
    ("changes", "named"),
    [
        ({"rho": Fraction(0)}, "rho"),
        ({"failure": Fraction(1)}, "failure"),
        ({"weak_convexity": Fraction(0)}, "weak_convexity"),
        ({"iterates": 0}, "iterates"),
        ({"start": np.zeros(2)}, "start"),
        ({"form": "repaired"}, "form"),
    ],
)
def test_bad_parameters_are_refused_by_name(changes: dict[str, Any], named: str) -> None:
    with pytest.raises(InvalidArgumentError, match=rf"^{named} = "):
        ALGORITHM.plan(PROBLEM, params(**changes))


# ------------------------------------------------------------------------------------ utility


@pytest.mark.slow
@pytest.mark.parametrize(("noise", "iterates"), [(1.0, 30), (1.0, 120), (4.0, 120)])
def test_theorem_9_bounds_the_mean_excess_risk_with_its_constant(noise: float, iterates: int) -> None:
    """Linear losses, whose regularised minimiser is known and in the ball; six standard errors."""
    problem, mu = ERMProblem(Linear(), n=N, dimension=D), 0.5
    plan = replace(ALGORITHM.plan(problem, params(weak_convexity=Fraction(1, 2), iterates=iterates)), std=noise)
    slope = -(DATA.features * DATA.labels[:, None]).mean(axis=0)
    best = -slope / (2 * mu)
    rng, risks = np.random.default_rng(iterates), []
    for _ in range(400):
        mean = ALGORITHM.trace(problem, DATA, plan, rng.standard_normal((plan.steps, D))).points[-1]
        risks.append(float(mu * (mean - best) @ (mean - best)))  # the excess of a parabola of curvature 2 mu
    bound = excess_bound(FLOAT, 1.0, mu, D * noise**2, float(iterates))
    assert np.mean(risks) + 6 * np.std(risks) / 20 <= bound
    assert np.mean(risks) > bound / 200  # not vacuous


@pytest.mark.slow
def test_without_noise_the_minimiser_is_found() -> None:
    """Huber losses on records along one axis: the regularised minimiser in closed form, at the rate 1 / T."""
    problem = ERMProblem(Huber(Fraction(1)), n=2, dimension=1)
    data = Dataset(np.ones((2, 1)), np.ones(2))  # F~ = (w - 1)^2 / 2 + mu w^2, least at 1 / (1 + 2 mu)
    errors = []
    for iterates in (50, 400):
        plan = replace(ALGORITHM.plan(problem, params(weak_convexity=Fraction(1), iterates=iterates)), std=0.0)
        output = ALGORITHM.trace(problem, data, plan, np.zeros((plan.steps, 1))).points[-1, 0]
        errors.append(abs(output - 1 / 3))
    assert errors[1] < errors[0] / 4
    assert errors[1] < 1e-3
