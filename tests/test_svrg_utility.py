"""The utility theorems of DP-SVRG and DP-SVRG++, on ridge regressions whose optimum is known."""

from __future__ import annotations

import itertools
import math
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from dpref.algorithms.forms import Form
from dpref.algorithms.registry import ALGORITHMS
from dpref.algorithms.svrg import plan as svrg_plan
from dpref.algorithms.svrg import utility as svrg_utility
from dpref.algorithms.svrg_plus_plus import plan as svrg_plus_plus_plan
from dpref.algorithms.svrg_plus_plus import utility as svrg_plus_plus_utility
from dpref.problems.datasets import synthetic
from dpref.problems.erm import ERMProblem
from dpref.problems.losses import Squared
from dpref.reals import FLOAT, RATIONAL, FloatArray
from dpref.units import ReplaceOne
from tests.effort import part

N, D = 40, 3
DATA = synthetic(N, D, seed=4)
RIDGE = Fraction(1, 4)
QUADRATIC = ERMProblem(Squared(), n=N, dimension=D, clip=Fraction(1000), ridge=RIDGE)


def params(**changes: Any) -> svrg_plan.Params[ReplaceOne]:
    """The printed noise with c = 16, which the tests then replace or scale."""
    base: dict[str, Any] = {
        "epsilon": Fraction(1), "delta": Fraction(1, 10**5), "adjacency": ReplaceOne, "form": Form.AS_PRINTED,
        "constant": Fraction(16),
    }  # fmt: skip
    return svrg_plan.Params(**{**base, **changes})


def quadratic_risks(name: str, plan: Any, runs: int, seed: int) -> tuple[float, float, float, float]:
    """Mean excess risk of the output on a ridge regression, its standard error, the start's, and its distance."""
    x, y = DATA.features, DATA.labels
    hessian = x.T @ x / N + float(RIDGE) * np.eye(D)
    best = np.linalg.solve(hessian, x.T @ y / N)

    def risk(theta: FloatArray) -> float:
        return float((theta - best) @ hessian @ (theta - best)) / 2

    rng = np.random.default_rng(seed)
    found = []
    for _ in range(runs):
        noise, indices = rng.standard_normal((plan.steps, D)), rng.integers(N, size=plan.steps)
        found.append(risk(ALGORITHMS[name].trace(QUADRATIC, DATA, plan, noise, indices).points[-1]))
    start = np.array(plan.start)
    return (
        float(np.mean(found)),
        float(np.std(found) / math.sqrt(runs)),
        risk(start),
        float((start - best) @ (start - best)),
    )


@pytest.mark.slow
@pytest.mark.parametrize(("std", "epochs"), part(itertools.product([0.05, 1.0], [1, 2, 4]), 2))
def test_theorem_4_2_bounds_the_risk_with_its_explicit_constants(std: float, epochs: int) -> None:
    """Eq. (39) unrolled; six standard errors, so a true bound fails with probability below 1e-8."""
    L, mu, inner = 1.0, float(RIDGE), 800  # kappa = 4: m > 192 kappa + 2/3
    plan = svrg_plan.plan(QUADRATIC, params(epochs=epochs, inner=inner, start=np.full(D, 2.0)))
    assert [h.name for h in plan.hypotheses if not h.holds] == ["theorem-4.2/gradients"]  # the clip is never reached
    plan = replace(plan, std=std)
    mean, error, gap, _ = quadratic_risks("svrg", plan, 60, seed=epochs)
    A = svrg_utility.contraction(FLOAT, plan.step_size, L, mu, float(inner))
    noise = svrg_utility.noise_per_epoch(FLOAT, plan.step_size, L, std * std, float(D))
    assert mean - 6 * error <= svrg_utility.risk_bound(FLOAT, A, noise, gap, epochs)
    assert mean > 0


@pytest.mark.slow
@pytest.mark.parametrize(("std", "epochs"), part(itertools.product([0.05, 1.0], [4, 6]), 2))
def test_theorem_4_4_bounds_the_risk_with_its_explicit_constants(std: float, epochs: int) -> None:
    """Eq. (57); six standard errors; so many epochs that the bound is below the start's risk."""
    plan = replace(svrg_plus_plus_plan.plan(QUADRATIC, params(epochs=epochs, inner=8, start=np.full(D, 2.0))), std=std)
    mean, error, gap, distance = quadratic_risks("svrg-plus-plus", plan, 200, seed=epochs)
    numbers = (gap, distance, plan.step_size, 1.0, std * std, float(D), 8.0)
    bound = svrg_plus_plus_utility.risk_bound(FLOAT, *numbers, epochs)
    assert mean - 6 * error <= bound < gap
    assert mean > 0


@pytest.mark.slow
def test_the_risk_of_theorem_4_2_falls_with_the_square_of_epsilon() -> None:
    """Log-log slope over epsilon, noise-dominated: -2 inside its interval of six standard errors."""
    logs, values, errors = [], [], []
    for k in range(4):
        plan = svrg_plan.plan(QUADRATIC, params(epsilon=Fraction(2**k), epochs=4, inner=800, step_size=Fraction(1, 48)))
        plan = replace(plan, std=plan.std / 100)  # G = 1000 is the clip's; the shape in epsilon is what is tested
        mean, error, _, _ = quadratic_risks("svrg", plan, 100, seed=k)
        logs.append(k * math.log(2))
        values.append(math.log(mean))
        errors.append(error / mean)
    centred = np.array(logs) - np.mean(logs)
    slope = float(centred @ np.array(values) / (centred @ centred))
    spread = float(np.sqrt(centred**2 @ np.array(errors) ** 2) / (centred @ centred))
    assert abs(slope + 2) < 6 * spread
    assert spread < 0.1


@pytest.mark.parametrize(("divisor", "least"), [(48, Fraction(192 * 3) + Fraction(2, 3)), (32, Fraction(256 * 3 + 2))])
def test_inner_lengths_of_p13_are_exact(divisor: int, least: Fraction) -> None:
    eta, L, mu = Fraction(1, divisor * 3), Fraction(3), Fraction(1)
    assert svrg_utility.contraction(RATIONAL, eta, L, mu, least) == Fraction(1, 2)
    assert svrg_utility.contraction(RATIONAL, eta, L, mu, least + 1) < Fraction(1, 2)
