"""Plans: what they spend, step by step, in exact arithmetic."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpref.algorithms.dynamic_gradient_descent.formulas import optimal_variances
from dpref.algorithms.dynamic_gradient_descent.schedules import (
    Dynamic,
    Influence,
    Momentum,
    Schedule,
    Uniform,
    exact_shares,
)
from dpref.algorithms.forms import Form
from dpref.algorithms.gradient_descent import plan as gradient_descent_plan
from dpref.errors import InvalidArgumentError
from dpref.privacy.accountants import accountants, certify
from dpref.privacy.calibration import satisfies
from dpref.privacy.closed_forms.concentrated import concentrated
from dpref.privacy.closed_forms.gaussian import gdp
from dpref.problems.erm import ERMProblem
from dpref.problems.losses import Logistic
from dpref.reals import RATIONAL, float_up
from dpref.units import ZCDP, ReplaceOne
from property_tests.algorithm_cases import asks, for_every_case
from property_tests.strategies import Instance, fractions
from property_tests.test_algorithms import record


@for_every_case(where=asks)
def test_every_answer_is_its_query_plus_the_declared_noise(instance: Instance) -> None:
    _, curator = record(instance)
    for answer in curator.transcript.answers:
        assert np.array_equal(answer.answer, answer.reproduced())


def promises(instance: Instance) -> bool:
    """Whether an accountant must certify what the plan spends: of a printed form its claims are judged instead."""
    return instance.plan.promise is not None


@pytest.mark.slow
@for_every_case(where=promises)
def test_a_repaired_plan_spends_at_most_what_it_was_given(instance: Instance) -> None:
    promised = instance.plan.promise
    spent = instance.algorithm.ledger(instance.plan)
    if promised.measure is ZCDP:
        assert concentrated(spent).value <= promised.value
        if instance.algorithm.spending == "fixed" and instance.plan.steps > 0:
            assert promised.value * (1 - Fraction(1, 2**40)) <= concentrated(spent).value
    else:
        able = [a.name for a in accountants() if not a.refused(spent)]
        bounds = (certify(spent, epsilon=promised.value, accountant=name).upper for name in able)
        assert any(bound <= float_up(promised.delta) for bound in bounds)  # the slow ones are not asked in vain


@st.composite
def schedules(draw: st.DrawFn, steps: int) -> Schedule:
    kind = draw(st.sampled_from(["uniform", "dynamic", "influence", "momentum"]))
    if kind == "dynamic":
        return Dynamic(draw(fractions(Fraction(1, 5), Fraction(99, 100))))
    if kind == "influence":
        return Influence(tuple(draw(fractions(Fraction(1, 10), Fraction(10))) for _ in range(steps)))
    if kind == "momentum":
        gamma = draw(fractions(Fraction(1, 2), Fraction(99, 100)))
        return Momentum(Fraction(1, 3), gamma, draw(st.sampled_from(Form)))
    return Uniform()


@given(st.data(), st.integers(1, 40))
def test_shares_are_positive_and_sum_to_exactly_one(data: st.DataObject, steps: int) -> None:
    schedule: Schedule = data.draw(schedules(steps))
    shares = exact_shares(schedule, steps)
    assert sum(shares) == 1
    assert min(shares) > 0
    assert len(shares) == steps


@given(st.lists(st.fractions(Fraction(1, 9), Fraction(9), max_denominator=50), min_size=2, max_size=6), st.data())
def test_no_schedule_beats_the_optimal_one(roots: list[Fraction], data: st.DataObject) -> None:
    """Lemma 4.4 in exact arithmetic: influences with rational roots, any other schedule of the same budget."""
    total = sum(roots)
    best = [total / r for r in roots]
    weights = [data.draw(st.integers(1, 20)) for _ in roots]
    other = [Fraction(sum(weights), w) for w in weights]
    value = sum(r * r * v for r, v in zip(roots, best, strict=True))
    assert value == total**2
    assert value <= sum(r * r * v for r, v in zip(roots, other, strict=True))


def test_optimal_variances_refuse_irrational_roots_in_exact_arithmetic() -> None:
    with pytest.raises(InvalidArgumentError, match="sqrt"):
        optimal_variances(RATIONAL, [Fraction(2)], Fraction(1))


@given(
    st.fractions(Fraction(1, 10), Fraction(50), max_denominator=20),
    st.sampled_from([Fraction(1, 100), Fraction(1, 10**6), Fraction(1, 10**12)]),
    st.integers(1, 50),
    st.sampled_from(["safe", "zcdp", "exact"]),
)
def test_every_repaired_calibration_meets_its_epsilon_and_delta(
    epsilon: Fraction, slack: Fraction, steps: int, calibration: gradient_descent_plan.Calibration
) -> None:
    problem = ERMProblem(Logistic(), n=100, dimension=3)
    params = gradient_descent_plan.Params(epsilon, slack, steps, ReplaceOne, calibration=calibration)
    spent = gradient_descent_plan.ledger(gradient_descent_plan.plan(problem, params))
    assert satisfies(gdp(spent).value, epsilon, slack)
