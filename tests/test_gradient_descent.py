"""DP-GD (DP-ERM revisited): implied constants, the output, what the ledger holds, bad input."""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from dpref.algorithms.forms import Form
from dpref.algorithms.gradient_descent import algorithm as gradient_descent_algorithm
from dpref.algorithms.gradient_descent import plan as gradient_descent_plan
from dpref.algorithms.registry import algorithm_named
from dpref.curator import RecordingCurator
from dpref.errors import InvalidArgumentError
from dpref.geometry.sets import L2Ball
from dpref.privacy.closed_forms.gaussian import zcdp
from dpref.problems.datasets import synthetic
from dpref.problems.erm import ERMProblem
from dpref.problems.losses import Logistic, Squared
from dpref.reals import exact
from dpref.units import ReplaceOne

PROBLEM = ERMProblem(Logistic(), n=100, dimension=3)


@pytest.mark.parametrize(
    ("delta", "epsilon", "exact_c", "zcdp_c", "safe_c"),
    [
        (3, "0.2", 2.269, 8.115, 8.116),
        (5, "1", 4.835, 8.344, 8.347),
        (5, "10", 8.682, 11.205, 11.474),
        (5, "100", 31.14, 33.82, 42.74),
        (8, "1", 5.649, 8.216, 8.217),
    ],
)
def test_implied_constants_of_equation_11(
    delta: int, epsilon: str, exact_c: float, zcdp_c: float, safe_c: float
) -> None:
    """Spec section 6.2: c of sigma^2 = c G^2 T ln(1/delta)/(n^2 epsilon^2) that each calibration amounts to."""
    e, d, steps = Fraction(epsilon), Fraction(1, 10**delta), 7
    for calibration, expected in (("exact", exact_c), ("zcdp", zcdp_c), ("safe", safe_c)):
        params = gradient_descent_plan.Params(e, d, steps, ReplaceOne, calibration=calibration)  # type: ignore[arg-type]
        std = gradient_descent_plan.plan(PROBLEM, params).std
        c = std**2 * (100 * float(e)) ** 2 / (steps * -math.log(d))
        assert c == pytest.approx(expected, rel=4e-4)


@pytest.mark.slow
def test_the_random_output_is_one_of_the_iterates_before_the_last() -> None:
    data = synthetic(100, 3, seed=2)
    params = gradient_descent_plan.Params(Fraction(1), Fraction(1, 1000), 6, ReplaceOne, output="random")
    plan = gradient_descent_plan.plan(PROBLEM, params)
    curator = RecordingCurator(PROBLEM.read(data), ReplaceOne, np.random.default_rng(4))
    output = gradient_descent_algorithm.run(PROBLEM, plan, curator)
    points = algorithm_named("gradient-descent").trace(PROBLEM, data, plan, curator.transcript.noise()).points
    (index,) = curator.transcript.indices
    assert 0 <= index < 6
    assert output == pytest.approx(points[index], abs=1e-14)


@pytest.mark.slow
def test_a_domain_is_never_left() -> None:
    problem = ERMProblem(Squared(), n=100, dimension=3, domain=L2Ball(Fraction(1, 2)))
    params = gradient_descent_plan.Params(Fraction(1, 100), Fraction(1, 1000), 6, ReplaceOne)
    plan = gradient_descent_plan.plan(problem, params)
    noise = np.random.default_rng(0).standard_normal((6, 3))
    points = algorithm_named("gradient-descent").trace(problem, synthetic(100, 3, seed=2), plan, noise).points
    assert np.linalg.norm(points, axis=1).max() <= 0.5 + 1e-15


def test_privacy_accounting_uses_the_noise_that_is_added() -> None:
    params = gradient_descent_plan.Params(Fraction(1), Fraction(1, 1000), 6, ReplaceOne)
    plan = gradient_descent_plan.plan(PROBLEM, params)
    multiplier = exact(plan.std) / Fraction(2, 100)
    assert zcdp(gradient_descent_plan.ledger(plan)).value == 6 / (2 * multiplier**2)


ERM: dict[str, Any] = {"epsilon": Fraction(1), "delta": Fraction(1, 100), "steps": 3, "adjacency": ReplaceOne}


@pytest.mark.parametrize(
    ("change", "named"),
    [
        ({"epsilon": Fraction(0)}, "epsilon"),
        ({"epsilon": Fraction(-1)}, "epsilon"),
        ({"epsilon": 1.0}, "epsilon"),
        ({"epsilon": math.nan}, "epsilon"),
        ({"delta": Fraction(0)}, "delta"),
        ({"delta": Fraction(1)}, "delta"),
        ({"steps": 0}, "steps"),
        ({"steps": -3}, "steps"),
        ({"steps": 2.5}, "steps"),
        ({"form": Form.AS_PRINTED}, "constant"),
        ({"calibration": "magic"}, "calibration"),
        ({"constant": Fraction(16)}, "constant"),
        ({"output": "best"}, "output"),
        ({"step_size": Fraction(0)}, "step_size"),
        ({"step_size": Fraction(1, 10**400)}, "step_size"),
        ({"step_size": Fraction(10**400)}, "step_size"),
        ({"start": np.zeros(2)}, "start"),
        ({"start": np.array([0.0, np.nan, 0.0])}, "start"),
    ],
)
def test_gradient_descent_refuses(change: dict[str, Any], named: str) -> None:
    with pytest.raises(InvalidArgumentError, match=named):
        gradient_descent_plan.plan(PROBLEM, gradient_descent_plan.Params(**(ERM | change)))


@pytest.mark.parametrize("clip", [Fraction(1, 10**400), Fraction(10**400)])
def test_a_clipping_norm_that_no_double_holds_is_refused(clip: Fraction) -> None:
    with pytest.raises(InvalidArgumentError, match=r"clip = .*must be within the range of doubles"):
        replace(PROBLEM, clip=clip)


def test_the_printed_noise_is_that_of_eq_11_and_no_calibration() -> None:
    problem, plan = ERMProblem(Logistic(), n=100, dimension=3), gradient_descent_plan.plan
    common = (Fraction(1), Fraction(1, 100), 4, ReplaceOne)
    printed = gradient_descent_plan.Params(*common, form=Form.AS_PRINTED, constant=Fraction(16))
    expected = math.sqrt(16 * 4 * math.log(100)) / problem.n
    assert plan(problem, printed).std == pytest.approx(expected, rel=1e-12)
    assert plan(problem, replace(printed, form=Form.REPAIRED, constant=None)).std < 0.9 * expected
