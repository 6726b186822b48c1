"""Gradient descent with a dynamic budget: golden numbers, printed against repaired, bad input."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from dpref.algorithms.dynamic_gradient_descent import algorithm as dynamic_gradient_descent_algorithm
from dpref.algorithms.dynamic_gradient_descent import formulas as schedules
from dpref.algorithms.dynamic_gradient_descent import iterations
from dpref.algorithms.dynamic_gradient_descent import plan as dynamic_gradient_descent_plan
from dpref.algorithms.dynamic_gradient_descent import schedules as budget
from dpref.algorithms.dynamic_gradient_descent.schedules import Dynamic, Influence, Momentum, Uniform
from dpref.algorithms.forms import Form
from dpref.algorithms.registry import algorithm_named
from dpref.curator import RecordingCurator
from dpref.errors import InvalidArgumentError
from dpref.privacy.closed_forms.gaussian import zcdp
from dpref.problems.datasets import synthetic
from dpref.problems.erm import ERMProblem
from dpref.problems.losses import Logistic
from dpref.reals import FLOAT
from dpref.units import AddOrRemoveOne, ReplaceOne, ZeroOut

PROBLEM = ERMProblem(Logistic(), n=100, dimension=3)


def test_theorem_4_5_golden_schedule() -> None:
    variances = [schedules.dynamic_variance(FLOAT, 0.81, 1.0, 4, t) for t in range(1, 5)]
    assert variances == pytest.approx([4.71742112, 4.24567901, 3.82111111, 3.439], rel=1e-8)
    shares = budget.exact_shares(Dynamic(Fraction(81, 100)), 4)
    assert [float(s) for s in shares] == pytest.approx([0.21198023, 0.23553359, 0.26170398, 0.29078220], rel=1e-7)
    noise = sum(0.81 ** (4 - t) * v for t, v in enumerate(variances, 1))
    assert noise == pytest.approx(3.439**2, rel=1e-12)


def test_theorem_4_5_is_lemma_4_4_at_its_influences() -> None:
    influences = [schedules.influence(FLOAT, 0.9, 0.3, 10, t) for t in range(1, 11)]
    generic = schedules.optimal_variances(FLOAT, influences, 0.3927037068805683)
    closed = [schedules.dynamic_variance(FLOAT, 0.9, 0.3927037068805683, 10, t) for t in range(1, 11)]
    assert generic == pytest.approx(closed, rel=1e-13)
    assert (closed[0], closed[-1]) == pytest.approx((32.64746621, 20.32079869), rel=1e-9)
    noise = 0.3927037068805683 * sum(0.9 ** (10 - t) * v for t, v in enumerate(closed, 1))
    assert noise == pytest.approx(63.681245, rel=1e-7)


@pytest.mark.parametrize(
    ("beta", "gamma", "turn"),
    [(5, 90, 7), (9, 99, 230), (3, 95, 7), (8, 97, 53), (2, 60, 1), (9, 50, 1), (1, 50, 1)],
)
def test_turning_step_golden(beta: int, gamma: int, turn: int) -> None:
    assert iterations.turning_step(Fraction(beta, 10), Fraction(gamma, 100)) == turn


@pytest.mark.parametrize(
    ("beta", "gamma", "steps", "best", "uniform", "split", "literal"),
    [
        (0.9, 0.99, 300, 1339.628, 1545.871, 2364.090, 1398.624),
        (0.5, 0.9, 30, 83.974, 97.407, 86.629, 85.015),
        (0.8, 0.97, 100, 318.609, 363.971, 418.865, 331.002),
    ],
)
def test_momentum_schedules_golden(
    beta: float, gamma: float, steps: int, best: float, uniform: float, split: float, literal: float
) -> None:
    """Errata T14: the split schedule of Theorem 4.8 is worse than uniform, the exact influences are best."""
    weights = schedules.momentum_influences(FLOAT, beta, gamma, steps)
    turn = iterations.turning_step(Fraction(str(beta)), Fraction(str(gamma)))
    times = range(1, steps + 1)

    def value(influences: list[float]) -> float:
        variances = schedules.optimal_variances(FLOAT, influences, 1.0)
        return sum(q * v for q, v in zip(weights, variances, strict=True))

    assert value(weights) == pytest.approx(best, abs=2e-3)
    assert value([1.0] * steps) == pytest.approx(uniform, abs=2e-3)
    split_form = [schedules.momentum_influence_split(FLOAT, beta, gamma, steps, turn, t) for t in times]
    assert value(split_form) == pytest.approx(split, abs=2e-3)
    printed = [schedules.momentum_influence_as_printed(FLOAT, beta, gamma, steps, turn, t) for t in times]
    assert value(printed) == pytest.approx(literal, abs=2e-3)


@pytest.mark.parametrize(("alpha", "kappa", "best"), [(4, 10, 43.87), (6, 100, 455.1), (2, 3, 6.134)])
def test_uniform_iterations_golden(alpha: int, kappa: int, best: float) -> None:
    """The whole number beside the real minimiser at which Eq. (9), in exact fractions, is smaller."""
    unit = Fraction(1, 10**alpha)

    def risk(steps: int) -> Fraction:
        left = (1 - Fraction(1, kappa)) ** steps
        return left + unit * kappa * (1 - left) * steps

    beside = (math.floor(best), math.ceil(best))
    assert iterations.uniform_steps(Fraction(kappa), unit) == min(beside, key=risk)


def test_surrogate_of_equation_24_golden() -> None:
    assert schedules.uniform_steps_surrogate(FLOAT, 10.0, 1e-4) == pytest.approx(66.07, abs=5e-3)
    assert schedules.dynamic_steps(FLOAT, 10.0, 1e-4) == pytest.approx(62.80, abs=5e-3)
    assert schedules.dynamic_steps(FLOAT, 100.0, 1e-6) == pytest.approx(649.3, abs=5e-2)


def test_printed_iteration_counts_are_far_from_the_best_when_ill_conditioned() -> None:
    kappa, alpha = Fraction(1000), Fraction(1, 10**4)
    assert iterations.uniform_steps(kappa, alpha) == 5
    assert iterations.uniform_steps(kappa, alpha, Form.AS_PRINTED) > 2000
    assert iterations.dynamic_steps(kappa, alpha, Form.AS_PRINTED) > 4000


def test_momentum_rate_conditions() -> None:
    assert iterations.momentum_rate(Fraction(1, 20), Fraction(1), Fraction(1, 2), Form.AS_PRINTED) == Fraction(19, 20)
    with pytest.raises(InvalidArgumentError, match=r"Theorem 4\.6"):
        iterations.momentum_rate(Fraction(1), Fraction(10), Fraction(9, 10))


@pytest.mark.parametrize(("steps", "run"), [(1, 0), (3, 2), (7, 6), (50, 49)])
def test_the_printed_strict_test_loses_the_last_step(steps: int, run: int) -> None:
    """Errata T2, in exact arithmetic; the repaired test runs every step."""
    for schedule in (Uniform(), Dynamic(Fraction(9, 10))):
        params = dynamic_gradient_descent_plan.Params(Fraction(1), steps, schedule, ZeroOut, form=Form.AS_PRINTED)
        assert dynamic_gradient_descent_plan.plan(PROBLEM, params).steps == run
        repaired = dynamic_gradient_descent_plan.Params(Fraction(1), steps, schedule, ZeroOut)
        assert dynamic_gradient_descent_plan.plan(PROBLEM, repaired).steps == steps


def test_the_printed_noise_costs_four_times_as_much_when_a_record_is_replaced() -> None:
    """Errata T1: R/2 under zero-out and add-or-remove-one, 2R under replace-one (less the lost last step)."""
    spent: dict[type[Any], Fraction] = {}
    for adjacency in (ZeroOut, AddOrRemoveOne, ReplaceOne):
        params = dynamic_gradient_descent_plan.Params(Fraction(1), 5, Uniform(), adjacency, form=Form.AS_PRINTED)
        spent[adjacency] = zcdp(
            dynamic_gradient_descent_plan.ledger(dynamic_gradient_descent_plan.plan(PROBLEM, params))
        ).value
    assert float(spent[ZeroOut]) == pytest.approx(0.5 * 4 / 5, rel=1e-12)
    assert spent[AddOrRemoveOne] == spent[ZeroOut]
    assert spent[ReplaceOne] == 4 * spent[ZeroOut]


def test_the_printed_divisor_of_a_batch_costs_the_square_of_the_ratio() -> None:
    """Errata T3: noise G/N on a mean of n = N/3 gradients costs nine times the budget."""
    params = dynamic_gradient_descent_plan.Params(
        Fraction(1), 2, Uniform(), ZeroOut, form=Form.AS_PRINTED, population=300
    )
    spent = zcdp(dynamic_gradient_descent_plan.ledger(dynamic_gradient_descent_plan.plan(PROBLEM, params))).value
    assert float(spent) == pytest.approx(9 * 0.25, rel=1e-12)


def test_momentum_equals_the_bias_corrected_average_of_all_gradients() -> None:
    """Eq. (13): the first step is the first gradient, later ones the weighted mean."""
    data = synthetic(100, 3, seed=1)
    params = dynamic_gradient_descent_plan.Params(
        Fraction(10), 3, Uniform(), ZeroOut, momentum=Fraction(1, 2), step_size=Fraction(1)
    )
    plan = dynamic_gradient_descent_plan.plan(PROBLEM, params)
    curator = RecordingCurator(PROBLEM.read(data), ZeroOut, np.random.default_rng(0))
    theta = dynamic_gradient_descent_algorithm.run(PROBLEM, plan, curator)
    g = [a.answer for a in curator.transcript.answers]
    second = (0.25 * g[0] + 0.5 * g[1]) / 0.75
    third = (0.125 * g[0] + 0.25 * g[1] + 0.5 * g[2]) / 0.875
    assert theta == pytest.approx(-(g[0] + second + third), abs=1e-14)
    weights = [schedules.bias_corrected_weight(FLOAT, 0.5, 3, t) for t in (1, 2, 3)]
    assert theta == pytest.approx(-sum(w * a for w, a in zip(weights, g, strict=True)), abs=1e-14)


def test_exact_quadratic_risk_of_the_golden_example() -> None:
    """Spec section 12: relative risk after T = 20 noisy steps on an exact quadratic, both schedules."""
    eigenvalues, gamma, R, N, steps = np.geomspace(0.1, 1, 10), 0.9, 0.1, 1000, 20
    start = np.full(10, 1 / math.sqrt(10))
    f1 = 0.5 * float(eigenvalues @ start**2)
    for schedule, expected in ((Uniform(), 0.00371213), (Dynamic(Fraction(9, 10)), 0.00268583)):
        shares = np.array([float(s) for s in budget.exact_shares(schedule, steps)])
        noise = (1 / (R * shares)) / N**2
        rates = 1 - eigenvalues
        powers = rates[:, None] ** (2 * (steps - np.arange(1, steps + 1)))
        risk = 0.5 * float(eigenvalues @ (rates ** (2 * steps) * start**2 + powers @ noise))
        assert risk / f1 == pytest.approx(expected, rel=2e-6)
    assert gamma == pytest.approx(schedules.contraction(FLOAT, 10.0))


DPBA: dict[str, Any] = {"budget": Fraction(1), "steps": 3, "schedule": Uniform(), "adjacency": ReplaceOne}


@pytest.mark.parametrize(
    ("change", "named"),
    [
        ({"budget": Fraction(0)}, "budget"),
        ({"budget": 0.5}, "budget"),
        ({"steps": 0}, "steps"),
        ({"momentum": Fraction(1)}, "momentum"),
        ({"momentum": Fraction(-1, 2)}, "momentum"),
        ({"population": 50, "form": Form.AS_PRINTED}, "population"),
        ({"population": 200}, "population"),
        ({"schedule": Influence((Fraction(1),))}, "influences"),
        ({"start": np.full(3, np.inf)}, "start"),
    ],
)
def test_dynamic_gradient_descent_refuses(change: dict[str, Any], named: str) -> None:
    with pytest.raises(InvalidArgumentError, match=named):
        dynamic_gradient_descent_plan.plan(PROBLEM, dynamic_gradient_descent_plan.Params(**(DPBA | change)))


@pytest.mark.parametrize(
    "make",
    [
        lambda: Dynamic(Fraction(0)),
        lambda: Dynamic(Fraction(1)),
        lambda: Influence((Fraction(0), Fraction(1))),
        lambda: Momentum(Fraction(1, 2), Fraction(1, 3)),
        lambda: iterations.uniform_steps(Fraction(1), Fraction(1)),
        lambda: iterations.dynamic_steps(Fraction(2), Fraction(0)),
        lambda: iterations.momentum_rate(Fraction(1), Fraction(1, 2), Fraction(1, 2)),
        lambda: algorithm_named("adam"),
    ],
)
def test_schedules_and_names_refuse(make: Any) -> None:
    with pytest.raises(InvalidArgumentError):
        make()
