"""Vertex sampling over random inputs: what its proofs use, and planted bugs."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from itertools import accumulate
from typing import Any

import numpy as np
import pytest
from flint import arb
from hypothesis import assume, given
from hypothesis import strategies as st

from dpref.algorithms.bias_reduced_mirror_descent import plan as bias_reduced_mirror_descent_plan
from dpref.algorithms.mirror_descent import plan as mirror_descent_plan
from dpref.algorithms.registry import ALGORITHMS
from dpref.curator import RecordingCurator
from dpref.mechanisms.exponential import softmax
from dpref.mechanisms.truncated_geometric import draw_levels
from dpref.privacy.events.ledger import Exponential, Ledger
from dpref.privacy.renyi.accountant import event_curve
from dpref.problems.games import Game, duality_gap, sampled_game
from dpref.reals import BALL_ARRAY, FLOAT_ARRAY, FloatArray, ball, lower, precision, upper
from dpref.units import ReplaceOne
from property_tests import test_algorithms, test_budgets
from property_tests.strategies import Instance, fractions

ROUNDING = 1e-12
VECTOR = st.lists(st.floats(-8, 8).map(lambda x: round(x, 5)), min_size=4, max_size=4).map(np.array)
SMALL = st.lists(st.floats(-1, 1).map(lambda x: round(x, 5)), min_size=4, max_size=4).map(np.array)


def simplex(scores: FloatArray) -> FloatArray:
    return softmax(FLOAT_ARRAY, scores)


def log_sum_exp(scores: FloatArray) -> float:
    return float(np.logaddexp.reduce(scores))


# ------------------------------------------------------------------------------------ what the proofs use


@given(VECTOR, SMALL, fractions(Fraction(11, 10), Fraction(40)))
def test_selections_are_of_bounded_range_and_zcdp(scores: FloatArray, moves: FloatArray, order: Fraction) -> None:
    """P17, P18, P19 and P65 at scale 1, in balls: range 2 D, and divergence at most alpha (2 D)^2 / 8."""
    moved = float(np.abs(moves).max())
    assume(moved > 0)
    with precision(160):
        size = max((abs(arb(float(m))) for m in moves), key=lower)
        p, q = (softmax(BALL_ARRAY, BALL_ARRAY.lift(s)) for s in (scores, scores + moves))
        ratios = [(a / b).log() for a, b in zip(p, q, strict=True)]
        slack = arb(2.0**-40)
        assert lower(max(ratios, key=upper) - min(ratios, key=lower) - 2 * size - slack) <= 0
        assert lower(max((abs(r) for r in ratios), key=upper) - 2 * size - slack) <= 0
        alpha = ball(order)
        moment = sum((b * (alpha * (a / b).log()).exp() for a, b in zip(p, q, strict=True)), arb(0))
        divergence = moment.log() / (alpha - 1)
        assert lower(divergence - alpha * (2 * size) ** 2 / 8 - slack) <= 0
        curve = event_curve(Exponential(2 * Fraction(moved)), ReplaceOne).at(order)
        assert lower(divergence) <= curve.upper + 2.0**-40


@given(VECTOR, VECTOR)
def test_p3(first: FloatArray, second: FloatArray) -> None:
    a, x = simplex(first), simplex(second)
    assert np.abs(a - x).sum() <= 2
    assert np.abs(np.eye(4)[0] - x).sum() == pytest.approx(2 * (1 - x[0]), abs=ROUNDING)


@given(st.integers(0, 2**32 - 1), st.floats(0.01, 2), st.integers(1, 30), VECTOR)
def test_p23(seed: int, tau: float, steps: int, point: FloatArray) -> None:
    gradients = np.random.default_rng(seed).uniform(-1, 1, (steps, 4)) * 3
    scores = -tau * np.vstack([np.zeros(4), np.cumsum(gradients, axis=0)])
    x = simplex(point)
    regret = sum(float(g @ (simplex(s) - x)) for g, s in zip(gradients, scores[:-1], strict=True))
    assert regret <= math.log(4) / tau + tau / 2 * float((np.abs(gradients).max(axis=1) ** 2).sum()) + 1e-9


@given(VECTOR, st.floats(0.05, 5))
def test_p28(values: FloatArray, width: float) -> None:
    smooth = width * log_sum_exp(values / width)
    assert values.max() - 1e-9 <= smooth <= values.max() + width * math.log(4) + 1e-9


@given(st.integers(0, 2**32 - 1), st.integers(0, 4), st.integers(0, 100))
def test_p42(seed: int, truncation: int, extra: int) -> None:
    """Whatever the levels: the budget is kept, and the rule stops where the print says, one iteration later (E4)."""
    budget = Fraction(2**truncation + extra)
    levels = draw_levels(truncation, extra + 1, np.random.default_rng(seed))
    used = bias_reduced_mirror_descent_plan.used_levels(levels, budget, truncation)
    sums = list(accumulate(2**level for level in used))
    last = sum(total <= budget - 2**truncation for total in sums)
    assert sums[-1] <= budget
    assert len(used) == last + 1 <= budget
    assert sum(2 * (2 ** (level + 1) + 1) for level in used) <= 6 * budget


@given(VECTOR, VECTOR)
def test_p49(u: FloatArray, v: FloatArray) -> None:
    assert abs(log_sum_exp(u) - log_sum_exp(v)) <= np.abs(u - v).max() + ROUNDING


@given(VECTOR, VECTOR)
def test_p54(u: FloatArray, v: FloatArray) -> None:
    assert np.abs(simplex(u) - simplex(v)).sum() <= np.abs(u - v).max() + ROUNDING


@given(st.integers(1, 120), st.integers(0, 400))
def test_p58(q: int, more: int) -> None:
    T = q + more
    assert sum(1 / (q * (t // q) + 1) for t in range(q + 1, T + 1)) <= 1 + math.log(T / q) + ROUNDING


@given(st.integers(0, 2**32 - 1), st.integers(0, 5))
def test_p62(seed: int, level: int) -> None:
    drawn = np.random.default_rng(seed).integers(4, size=2 ** (level + 1))
    whole, half = (np.bincount(v, minlength=4) / v.size for v in (drawn, drawn[: 2**level]))
    assert np.abs(whole - half).sum() <= 1


@given(st.integers(0, 2**32 - 1), VECTOR, VECTOR)
def test_p63(seed: int, first: FloatArray, second: FloatArray) -> None:
    payoff = np.random.default_rng(seed).uniform(-1, 1, (4, 4))
    assert -ROUNDING <= duality_gap(payoff, simplex(first), simplex(second)) <= 4


# ------------------------------------------------------------------------------------ planted bugs

PROBLEM = Game(n=12, rows=3, columns=2)
DATA = sampled_game(12, np.zeros((3, 2)), seed=1)


def plain() -> Instance:
    params = mirror_descent_plan.Params(Fraction(1), Fraction(1, 1000), 4, 2, ReplaceOne)
    return Instance(ALGORITHMS["mirror-descent"], PROBLEM, DATA, mirror_descent_plan.plan(PROBLEM, params), seed=5)


def biased() -> Instance:
    params = bias_reduced_mirror_descent_plan.Params(
        Fraction(1), Fraction(1, 1000), Fraction(4), 1, Fraction(2), (1, 0, 1, 0), ReplaceOne
    )
    plan = bias_reduced_mirror_descent_plan.plan(PROBLEM, params)
    return Instance(ALGORITHMS["bias-reduced-mirror-descent"], PROBLEM, DATA, plan, seed=5)


BOTH = pytest.mark.parametrize("make", [plain, biased])


def checks(test: Callable[..., None], instance: Instance) -> None:
    """Run the body of a hypothesis test on one instance."""
    test.hypothesis.inner_test(instance)  # type: ignore[attr-defined]


@BOTH
def test_the_checks_pass_without_a_bug(make: Callable[[], Instance]) -> None:
    for test in (
        test_algorithms.test_no_query_moves_too_far_on_the_worst_pair,
        test_algorithms.test_ledger_of_the_plan_is_the_ledger_observed,
        test_algorithms.test_a_transcript_and_a_trace_are_the_same_record,
        test_budgets.test_every_answer_is_its_query_plus_the_declared_noise,
        test_budgets.test_a_repaired_plan_spends_at_most_what_it_was_given,
    ):
        checks(test, make())


def test_planted_bug_a_halved_sensitivity_is_caught_by_replay_on_the_worst_pair() -> None:
    instance = plain()
    halved = replace(instance.plan, sensitivity=instance.plan.sensitivity.scale(Fraction(1, 2)))
    with pytest.raises(AssertionError):
        checks(test_algorithms.test_no_query_moves_too_far_on_the_worst_pair, replace(instance, plan=halved))


def test_planted_bug_a_batch_that_is_used_twice_is_caught_by_replay_on_the_worst_pair(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    honest = Game.operator
    monkeypatch.setattr(
        Game, "operator", lambda self, o, x, y, records, batch: honest(self, o, x, y, records, range(len(batch)))
    )
    with pytest.raises(AssertionError):
        checks(test_algorithms.test_no_query_moves_too_far_on_the_worst_pair, plain())


@BOTH
def test_planted_bug_halved_noise_is_caught_on_the_transcript(
    make: Callable[[], Instance], monkeypatch: pytest.MonkeyPatch
) -> None:
    honest = RecordingCurator._selected

    def quiet(self: Any, unanswered: Any) -> Any:
        answer = honest(self, replace(unanswered, scale=unanswered.scale / 8))
        self._answers[-1] = replace(self._answers[-1], scale=unanswered.scale)
        return answer

    instance = make()
    loud = replace(instance, plan=replace(instance.plan, step_size=2.0))
    checks(test_budgets.test_every_answer_is_its_query_plus_the_declared_noise, loud)
    monkeypatch.setattr(RecordingCurator, "_selected", quiet)
    with pytest.raises(AssertionError):
        checks(test_budgets.test_every_answer_is_its_query_plus_the_declared_noise, loud)


@BOTH
def test_planted_bug_a_step_that_is_too_long_is_caught_by_the_budget(make: Callable[[], Instance]) -> None:
    instance = make()
    longer = instance.plan.sensitivity.scale(6)
    plan = replace(instance.plan, sensitivity=longer, step_size=6 * instance.plan.step_size)
    with pytest.raises(AssertionError):
        checks(test_budgets.test_a_repaired_plan_spends_at_most_what_it_was_given, replace(instance, plan=plan))


@BOTH
def test_planted_bug_a_forgotten_draw_is_caught_by_the_observed_ledger(make: Callable[[], Instance]) -> None:
    instance = make()
    spent = instance.algorithm.ledger(instance.plan)
    one_fewer = mirror_descent_plan.ledger(
        replace(instance.plan, vertices=(instance.plan.vertices[0] - 1, *instance.plan.vertices[1:]))
    )
    assert isinstance(one_fewer, Ledger)
    assert one_fewer != spent
    wrong = replace(instance, algorithm=replace(instance.algorithm, ledger=lambda _: one_fewer))
    with pytest.raises(AssertionError):
        checks(test_algorithms.test_ledger_of_the_plan_is_the_ledger_observed, wrong)


@pytest.mark.slow
@BOTH
def test_planted_bug_a_kernel_with_the_printed_sign_is_caught_by_the_reference(
    make: Callable[[], Instance], monkeypatch: pytest.MonkeyPatch
) -> None:
    instance = make()
    honest = instance.algorithm.kernel.run
    monkeypatch.setattr(
        instance.algorithm.kernel, "run", lambda problem, plan, tape: honest(problem, plan._replace(toward=-1.0), tape)
    )
    with pytest.raises(AssertionError):
        checks(test_algorithms.test_a_transcript_and_a_trace_are_the_same_record, instance)
