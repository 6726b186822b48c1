"""Noise scales, charges and guards of the plans, where no number is one: each against its own exact computation."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import mpmath
import pytest

from dpref.algorithms import svrg, svrg_plus_plus
from dpref.algorithms.dynamic_gradient_descent import formulas as schedules
from dpref.algorithms.dynamic_gradient_descent import schedules as budget
from dpref.algorithms.dynamic_gradient_descent.iterations import turning_step
from dpref.algorithms.forms import Form
from dpref.algorithms.svrg import calibration as svrg_calibration
from dpref.algorithms.svrg import plan as svrg_plan
from dpref.algorithms.svrg.plan import Params
from dpref.algorithms.svrg_plus_plus import plan as svrg_plus_plus_plan
from dpref.algorithms.svrg_plus_plus import utility as svrg_plus_plus_utility
from dpref.errors import InvalidArgumentError
from dpref.privacy.events.ledger import Repeat
from dpref.problems.erm import ERMProblem
from dpref.problems.losses import Huber, Logistic
from dpref.reals import BALL, RATIONAL, exact
from dpref.units import ReplaceOne

SMALL = Fraction(1, 10**5)
WIDE = ERMProblem(Logistic(), n=40, dimension=2, feature_bound=Fraction(3))  # gradients up to 3
SVRG = pytest.mark.parametrize("algorithm", [svrg.ALGORITHM, svrg_plus_plus.ALGORITHM], ids=lambda a: a.name)


def svrg_params(**changes: Any) -> Params[ReplaceOne]:
    base: dict[str, Any] = {"epsilon": Fraction(1), "delta": SMALL, "epochs": 2, "inner": 3, "adjacency": ReplaceOne}
    return Params(**{**base, **changes})


def is_rounded_up(std: float, value: Fraction) -> bool:
    """Whether a double is the least one that is not below a rational number."""
    return Fraction(math.nextafter(std, 0.0)) < value <= Fraction(std)


# ------------------------------------------------------------------------------------ variance reduction


@SVRG
@pytest.mark.parametrize("batch", [2, WIDE.n])
def test_the_certified_noise_is_the_multiplier_times_what_it_multiplies(
    algorithm: Any, batch: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With the whole data as batch a Gaussian of the answer's sensitivity, else in units of the gradient bound."""
    asked: list[dict[str, object]] = []

    def multiplier(epsilon: Fraction, delta: Fraction, **more: object) -> float:
        asked.append({"epsilon": epsilon, "delta": delta, **more})
        return 0.1

    monkeypatch.setattr(svrg_calibration, "noise_multiplier", multiplier)
    monkeypatch.setattr(svrg_calibration, "gaussian_noise_multiplier", multiplier)
    plan = algorithm.plan(WIDE, svrg_params(batch=batch))
    unit = Fraction(3)
    expected: dict[str, object] = {"epsilon": Fraction(1), "delta": SMALL, "steps": plan.steps}
    if batch == WIDE.n:
        unit = 2 * unit / WIDE.n
    else:
        expected |= {"batch": batch, "records": WIDE.n, "adjacency": ReplaceOne}
    assert asked == [expected]
    assert exact(0.1) * unit != exact(float(exact(0.1) * unit)), "rounding is seen"
    assert is_rounded_up(plan.std, exact(0.1) * unit)


@pytest.mark.parametrize(("epochs", "inner", "answers"), [(1, 1, 1), (1, 2, 2), (2, 1, 2), (1, 3, 3)])
def test_every_answer_of_svrg_is_charged(epochs: int, inner: int, answers: int) -> None:
    params = svrg_params(epochs=epochs, inner=inner, form=Form.AS_PRINTED, constant=Fraction(9))
    plan = svrg_plan.plan(WIDE, params)
    event = svrg_plan.ledger(plan).event
    assert isinstance(event, Repeat) == (answers > 1)
    assert (event.count if isinstance(event, Repeat) else 1) == answers
    assert plan.stds == (plan.std,) * answers
    assert plan.batch == 1
    assert params.strong_convexity == 0


def test_remark_4_1_multiplies_by_a_logarithm() -> None:
    params = svrg_params(form=Form.AS_PRINTED, constant=Fraction(9))
    least = svrg_plan.plan(WIDE, params).std
    more = svrg_plan.plan(WIDE, svrg_params(form=Form.AS_PRINTED, constant=Fraction(9), calibration="remark-4.1")).std
    assert more / least == pytest.approx(float(mpmath.log(6 * 10**5)), rel=1e-14)


def test_the_formula_takes_epsilons_up_to_twice_the_logarithm() -> None:
    """E9: 2 ln(10^5) = 23.0258..., and ln(10^5) is not the end."""
    formula: dict[str, Any] = {"calibration": "formula", "batch": WIDE.n, "inner": 30}
    for inside in (Fraction(20), Fraction(230258, 10**4)):
        assert svrg_plan.plan(WIDE, svrg_params(**formula, epsilon=inside)).std > 0
    with pytest.raises(InvalidArgumentError, match=r"2 ln\(1/delta\)"):
        svrg_plan.plan(WIDE, svrg_params(**formula, epsilon=Fraction(230259, 10**4)))


# ------------------------------------------------------------------------------------ dynamic budgets


def test_the_printed_shares_for_momentum_are_those_of_the_printed_influences() -> None:
    beta, gamma = Fraction(1, 2), Fraction(8, 9)
    shares = budget.Momentum(beta, gamma, Form.AS_PRINTED).shares(BALL, 5)
    turn = turning_step(beta, gamma)
    roots = [
        mpmath.sqrt(
            float(schedules.momentum_influence_as_printed(BALL, BALL.number(beta), BALL.number(gamma), 5, turn, t))
        )
        for t in range(1, 6)
    ]
    assert [float(s) for s in shares] == pytest.approx([float(r / sum(roots)) for r in roots], rel=1e-13)


@pytest.mark.parametrize("end", [Fraction(1, 2), Fraction(2, 3)])
def test_momentum_needs_a_contraction_that_is_slower_than_the_averaging(end: Fraction) -> None:
    with pytest.raises(InvalidArgumentError, match="below gamma"):
        budget.Momentum(end, end)
    assert budget.Momentum(end - Fraction(1, 10**9), end).beta < end


# ------------------------------------------------------------------------------------ step sizes and lengths


@pytest.mark.parametrize("bound", [Fraction(3), Fraction(4, 13)])
def test_the_default_step_of_svrg_plus_plus_is_as_long_as_its_theorem_allows(bound: Fraction) -> None:
    """At most 1/(13 L), rounded down; with features up to 4/13 that is 13/16, a double, and the end is inside."""
    problem = ERMProblem(Huber(Fraction(1)), n=40, dimension=2, feature_bound=bound)
    most = 1 / (13 * bound * bound)
    printed: dict[str, Any] = {"form": Form.AS_PRINTED, "constant": Fraction(9)}

    def holds(plan: Any) -> bool:
        return any(h.holds for h in plan.hypotheses if h.name == "theorem-4.4/step-size")

    plan = svrg_plus_plus_plan.plan(problem, svrg_params(**printed))
    assert most * (1 - Fraction(1, 10**14)) < Fraction(plan.step_size) <= most
    assert holds(plan)
    if bound < 1:
        assert most == Fraction(13, 16)
        assert holds(svrg_plus_plus_plan.plan(problem, svrg_params(**printed, step_size=most)))
    assert not holds(svrg_plus_plus_plan.plan(problem, svrg_params(**printed, step_size=most * Fraction(1001, 1000))))


def test_svrg_plus_plus_doubles_at_most_forty_times() -> None:
    printed: dict[str, Any] = {"form": Form.AS_PRINTED, "constant": Fraction(9)}
    assert svrg_plus_plus_plan.plan(WIDE, svrg_params(**printed, epochs=40)).steps == 3 * (2**41 - 2)
    with pytest.raises(InvalidArgumentError, match="at most 40"):
        svrg_plus_plus_plan.plan(WIDE, svrg_params(**printed, epochs=41))


def test_the_risk_bound_of_svrg_plus_plus_adds_three_terms() -> None:
    """2 D/2^T + 3 d/(2^T 4 eta m) + v p/(4 L), with no number that is one: T = 4."""
    gap, distance, eta, L, variance, p, inner = (Fraction(k) for k in (4, 5, "1/7", 13, 7, 11, 6))
    expected = 2 * gap / 16 + 3 * distance * 7 / (16 * 4 * 6) + variance * p / (4 * L)
    found = svrg_plus_plus_utility.risk_bound(RATIONAL, gap, distance, eta, L, variance, p, inner, 4)
    assert found == expected
