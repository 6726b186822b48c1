"""Known mistakes, planted one at a time: each must be caught by the test that is named for it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np
import pytest

from dpref.algorithms.adaptive_gradient_descent import algorithm as adaptive_gradient_descent_algorithm
from dpref.algorithms.adaptive_gradient_descent import plan as adaptive_gradient_descent_plan
from dpref.algorithms.dynamic_gradient_descent import plan as dynamic_gradient_descent_plan
from dpref.algorithms.dynamic_gradient_descent.schedules import Dynamic
from dpref.algorithms.gradient_descent import plan as gradient_descent_plan
from dpref.algorithms.online_frank_wolfe import algorithm as online_frank_wolfe_algorithm
from dpref.algorithms.online_frank_wolfe import plan as online_frank_wolfe_plan
from dpref.algorithms.registry import ALGORITHMS
from dpref.algorithms.spider import plan as spider_plan
from dpref.algorithms.svrg import plan as svrg_plan
from dpref.curator import RecordingCurator
from dpref.geometry.linear_minimization import LpBall
from dpref.kernels.records import Trace
from dpref.mechanisms.tree import TreeAggregation
from dpref.privacy.filters import ZCDPFilter
from dpref.problems.datasets import synthetic
from dpref.problems.erm import ERMProblem
from dpref.problems.losses import Huber, Linear
from dpref.problems.stream import StreamProblem
from dpref.units import ReplaceOne
from property_tests import test_algorithms, test_budgets
from property_tests.strategies import Instance

PROBLEM = ERMProblem(Huber(Fraction(2)), n=6, dimension=2, clip=Fraction(1, 2))


def dynamic_instance() -> Instance:
    params = dynamic_gradient_descent_plan.Params(Fraction(1), 4, Dynamic(Fraction(9, 10)), ReplaceOne)
    plan = dynamic_gradient_descent_plan.plan(PROBLEM, params)
    return Instance(ALGORITHMS["dynamic-gradient-descent"], PROBLEM, synthetic(6, 2, seed=3), plan, seed=5)


def plain_instance() -> Instance:
    params = gradient_descent_plan.Params(Fraction(1), Fraction(1, 1000), 4, ReplaceOne)
    plan = gradient_descent_plan.plan(PROBLEM, params)
    return Instance(ALGORITHMS["gradient-descent"], PROBLEM, synthetic(6, 2, seed=3), plan, seed=5)


def sampled_instance(name: str = "svrg") -> Instance:
    """With the whole data as the batch, so that the worst pair moves every answer by the sensitivity."""
    params = svrg_plan.Params(Fraction(1), Fraction(1, 1000), 1, 4, ReplaceOne, batch=6, step_size=Fraction(1, 2))
    return Instance(ALGORITHMS[name], PROBLEM, synthetic(6, 2, seed=3), ALGORITHMS[name].plan(PROBLEM, params), seed=5)


def tree_instance() -> Instance:
    """With linear losses, so that the worst pair moves an increment by the sensitivity."""
    problem = StreamProblem(Linear(), n=6, dimension=3, domain=LpBall(Fraction(3, 2), Fraction(1)))
    params = online_frank_wolfe_plan.Params(Fraction(1), Fraction(1, 1000), ReplaceOne)
    plan = online_frank_wolfe_plan.plan(problem, params)
    return Instance(ALGORITHMS["online-frank-wolfe"], problem, synthetic(6, 3, seed=3), plan, seed=5)


def filtered_instance() -> Instance:
    """A budget that ends the run before the cap does; on the worst pair the gradient moves by the sensitivity."""
    params = adaptive_gradient_descent_plan.Params(
        Fraction(200), Fraction(1, 20), ReplaceOne, smoothness=Fraction(1000), rounds=50
    )
    plan = adaptive_gradient_descent_plan.plan(PROBLEM, params)
    return Instance(ALGORITHMS["adaptive-gradient-descent"], PROBLEM, synthetic(6, 2, seed=3), plan, seed=5)


def stopped_instance() -> Instance:
    """Rounds with several updates each, some of them ended by the private estimate."""
    params = spider_plan.Params(Fraction(40_000), Fraction(1, 20), Fraction(1, 256), Fraction(1), ReplaceOne)
    plan = spider_plan.plan(PROBLEM, params)
    return Instance(ALGORITHMS["spider"], PROBLEM, synthetic(6, 2, seed=3), plan, seed=5)


ON_MEANS: list[Callable[[], Instance]] = [
    dynamic_instance,
    plain_instance,
    sampled_instance,
    partial(sampled_instance, "svrg-plus-plus"),
    filtered_instance,
    stopped_instance,
]
INSTANCES: list[Callable[[], Instance]] = [*ON_MEANS, tree_instance]


def checks(test: Callable[..., None], instance: Instance) -> None:
    """Run the body of a hypothesis test on one instance."""
    test.hypothesis.inner_test(instance)  # type: ignore[attr-defined]


def halved_sensitivity(instance: Instance) -> Instance:
    plan = instance.plan
    if isinstance(plan, svrg_plan.Plan):
        return replace(instance, plan=replace(plan, gradient_bound=plan.gradient_bound / 2))
    return replace(instance, plan=replace(plan, sensitivity=plan.sensitivity.scale(Fraction(1, 2))))


@pytest.mark.parametrize("make", INSTANCES)
def test_the_checks_pass_without_a_bug(make: Callable[[], Instance]) -> None:
    instance = make()
    for test in (
        test_algorithms.test_no_query_moves_too_far_on_the_worst_pair,
        test_algorithms.test_ledger_of_the_plan_is_the_ledger_observed,
        test_algorithms.test_a_transcript_and_a_trace_are_the_same_record,
        test_budgets.test_every_answer_is_its_query_plus_the_declared_noise,
        test_budgets.test_a_repaired_plan_spends_at_most_what_it_was_given,
    ):
        checks(test, instance)


@pytest.mark.parametrize("make", INSTANCES)
def test_halved_sensitivity_is_caught_by_replay_on_the_worst_pair(make: Callable[[], Instance]) -> None:
    with pytest.raises(AssertionError):
        checks(test_algorithms.test_no_query_moves_too_far_on_the_worst_pair, halved_sensitivity(make()))


@pytest.mark.parametrize("make", ON_MEANS)
def test_dropped_clipping_is_caught_by_replay_on_the_worst_pair(
    make: Callable[[], Instance], monkeypatch: pytest.MonkeyPatch
) -> None:
    honest = ERMProblem.mean_gradient

    def unclipped(self: ERMProblem, *arguments: Any) -> Any:
        return honest(replace(self, clip=None), *arguments)

    monkeypatch.setattr(ERMProblem, "mean_gradient", unclipped)
    with pytest.raises(AssertionError):
        checks(test_algorithms.test_no_query_moves_too_far_on_the_worst_pair, make())


@pytest.mark.parametrize("make", INSTANCES)
def test_halved_noise_in_the_run_is_caught_on_the_transcript(
    make: Callable[[], Instance], monkeypatch: pytest.MonkeyPatch
) -> None:
    honest = RecordingCurator._answer

    def quiet(self: Any, value: Any, sensitivity: Any, std: float, label: str, **how: Any) -> Any:
        answer = honest(self, value, sensitivity, std / 2, label, **how)
        self._answers[-1] = replace(self._answers[-1], std=std)
        return answer

    monkeypatch.setattr(RecordingCurator, "_answer", quiet)
    with pytest.raises(AssertionError):
        checks(test_budgets.test_every_answer_is_its_query_plus_the_declared_noise, make())


@pytest.mark.slow
@pytest.mark.parametrize("make", [make for make in INSTANCES if make is not filtered_instance])
def test_halved_noise_in_the_plan_is_caught_by_the_budget(make: Callable[[], Instance]) -> None:
    instance = make()
    if isinstance(instance.plan, dynamic_gradient_descent_plan.Plan):
        plan: Any = replace(instance.plan, scheduled_stds=tuple(s / 2 for s in instance.plan.scheduled_stds))
    elif isinstance(instance.plan, spider_plan.Plan):
        plan = replace(instance.plan, outer_std=instance.plan.outer_std / 2)
    else:
        plan = replace(instance.plan, std=instance.plan.std / 2)
    with pytest.raises(AssertionError):
        checks(test_budgets.test_a_repaired_plan_spends_at_most_what_it_was_given, replace(instance, plan=plan))


@pytest.mark.parametrize("make", ON_MEANS)
def test_a_step_that_is_not_recorded_is_caught_by_the_observed_ledger(
    make: Callable[[], Instance], monkeypatch: pytest.MonkeyPatch
) -> None:
    instance = make()
    honest = RecordingCurator._answer

    def forgetful(self: Any, *arguments: Any, **how: Any) -> Any:
        if len(self._events) == min(4, instance.plan.steps):
            self._events.pop()
        return honest(self, *arguments, **how)

    monkeypatch.setattr(RecordingCurator, "_answer", forgetful)
    with pytest.raises(AssertionError):
        checks(test_algorithms.test_ledger_of_the_plan_is_the_ledger_observed, instance)


def test_a_tree_that_does_not_count_its_root_is_caught_by_the_observed_ledger(monkeypatch: pytest.MonkeyPatch) -> None:
    honest = TreeAggregation.add

    def shallow(self: Any, *arguments: Any) -> Any:
        answer = honest(self, *arguments)
        self.depth = min(self.depth, 2)
        return answer

    monkeypatch.setattr(TreeAggregation, "add", shallow)
    with pytest.raises(AssertionError):
        checks(test_algorithms.test_ledger_of_the_plan_is_the_ledger_observed, tree_instance())


def test_a_record_that_enters_two_increments_is_caught_by_replay(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every increment carries a sixth of the first record's: each node moves by little, but all of them move."""
    honest = online_frank_wolfe_algorithm.increment

    def leaking(problem: Any, form: Any, o: Any, theta: Any, previous: Any, t: int, stream: Any) -> Any:
        first = honest(problem, form, o, theta, previous, 1, stream)
        return (honest(problem, form, o, theta, previous, t, stream) + first) / 6

    monkeypatch.setattr(online_frank_wolfe_algorithm, "increment", leaking)
    with pytest.raises(AssertionError):
        checks(test_algorithms.test_no_query_moves_too_far_on_the_worst_pair, tree_instance())


@pytest.mark.parametrize("make", [filtered_instance])
def test_a_filter_that_admits_everything_is_caught_by_the_observed_ledger(
    make: Callable[[], Instance], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ZCDPFilter, "admits", lambda *_: True)
    with pytest.raises(AssertionError):
        checks(test_algorithms.test_ledger_of_the_plan_is_the_ledger_observed, make())


def test_a_filter_that_is_told_too_little_is_caught_by_the_observed_ledger(monkeypatch: pytest.MonkeyPatch) -> None:
    honest = adaptive_gradient_descent_plan.exact_cost
    monkeypatch.setattr(adaptive_gradient_descent_algorithm, "exact_cost", lambda *arguments: honest(*arguments) / 2)
    with pytest.raises(AssertionError):
        checks(test_algorithms.test_ledger_of_the_plan_is_the_ledger_observed, filtered_instance())


def test_a_round_without_its_stopping_rule_is_caught_by_the_observed_ledger() -> None:
    instance = stopped_instance()
    endless = tuple(r._replace(updates=r.updates + 3, differences=r.differences + 3, threshold=0.0)
                    for r in instance.plan.rounds)  # fmt: skip
    honest = instance.algorithm.run

    def overrunning(problem: Any, plan: Any, curator: Any) -> Any:
        return honest(problem, replace(plan, rounds=endless), curator)

    broken = replace(instance, algorithm=replace(instance.algorithm, run=overrunning))
    with pytest.raises(AssertionError):
        checks(test_algorithms.test_ledger_of_the_plan_is_the_ledger_observed, broken)


def wrong_kernel(instance: Instance, monkeypatch: pytest.MonkeyPatch, change: Callable[[Trace], Trace]) -> None:
    """The instance's kernel leaves another trace than it should."""
    honest = instance.algorithm.kernel.run
    monkeypatch.setattr(instance.algorithm.kernel, "run", lambda *arguments: change(honest(*arguments)))


@pytest.mark.slow
def test_a_kernel_that_skips_a_step_is_caught_by_the_reference(monkeypatch: pytest.MonkeyPatch) -> None:
    instance = dynamic_instance()

    def skipping(trace: Trace) -> Trace:
        return trace._replace(points=trace.points[[*range(len(trace.points) - 1), -2]])

    wrong_kernel(instance, monkeypatch, skipping)
    with pytest.raises(AssertionError):
        checks(test_algorithms.test_with_every_answer_forced_the_kernel_goes_the_same_way_bit_for_bit, instance)


@pytest.mark.slow
@pytest.mark.parametrize("make", INSTANCES)
def test_a_kernel_that_asks_a_stale_question_is_caught_by_the_reference(
    make: Callable[[], Instance], monkeypatch: pytest.MonkeyPatch
) -> None:
    def stale(trace: Trace) -> Trace:
        trace.queries[2] = trace.queries[1]
        return trace

    instance = make()
    wrong_kernel(instance, monkeypatch, stale)
    for test in (
        test_algorithms.test_a_transcript_and_a_trace_are_the_same_record,
        test_algorithms.test_reference_and_kernel_ask_the_same_questions_of_a_neighbour,
    ):
        with pytest.raises(AssertionError):
            checks(test, instance)


def test_the_instances_differ_from_zero() -> None:
    assert all(np.abs(make().data.features).max() > 0 for make in INSTANCES)
