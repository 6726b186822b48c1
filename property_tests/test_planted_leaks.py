"""Data that reaches the output beside the answers, planted one way at a time: the forced answers catch each."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np
import pytest

from dpref.algorithms.declaration import numbers_of
from dpref.algorithms.dynamic_gradient_descent import plan as dynamic_gradient_descent_plan
from dpref.algorithms.mirror_descent import plan as mirror_descent_plan
from dpref.algorithms.online_frank_wolfe import plan as online_frank_wolfe_plan
from dpref.algorithms.registry import ALGORITHMS
from dpref.algorithms.spider import plan as spider_plan
from dpref.algorithms.svrg import plan as svrg_plan
from dpref.problems.games import Game, sampled_game
from dpref.units import ReplaceOne
from property_tests import test_algorithms
from property_tests.strategies import Instance
from property_tests.test_planted_bugs import INSTANCES, checks, dynamic_instance, plain_instance, sampled_instance


def game_instance() -> Instance:
    """Vertices of both players, with exact values in their range."""
    problem = Game(n=8, rows=3, columns=2)
    params = mirror_descent_plan.Params(Fraction(20), Fraction(1, 100), 4, 2, ReplaceOne)
    plan = mirror_descent_plan.plan(problem, params)
    data = sampled_game(8, np.zeros((3, 2)), 3)
    return Instance(ALGORITHMS["mirror-descent"], problem, data, plan, seed=5)


EVERYWHERE: list[Callable[[], Instance]] = [*INSTANCES, game_instance]
WITH_A_LENGTH: list[Callable[[], Instance]] = [
    dynamic_instance,
    plain_instance,
    sampled_instance,
    partial(sampled_instance, "svrg-plus-plus"),
]


def exact_quantity(records: Any) -> float:
    """A weighted mean of every number of every record: no answer, and nothing but data."""
    parts = [np.ravel(part) for part in records if isinstance(part, np.ndarray)]
    numbers = np.concatenate(parts).astype(np.float64)
    return float(numbers @ np.sqrt(1 + np.arange(numbers.size))) / numbers.size


def held(curator: Any) -> float:
    """The same of what a curator keeps, asked for by `hold` and then read behind the curator's back."""

    handle = curator.hold(lambda records: np.array([exact_quantity(records)]), label="a secret")
    return float(curator._held[handle.number][0])


def longer(plan: Any, factor: float) -> Any:
    """The plan with every step longer by a factor."""
    if isinstance(plan, spider_plan.Plan):
        return replace(plan, rounds=tuple(r._replace(length=r.length * factor) for r in plan.rounds))
    if isinstance(plan, online_frank_wolfe_plan.Plan):
        return replace(plan, step_scale=plan.step_scale * Fraction(factor))
    return replace(plan, step_size=plan.step_size * factor)


def shorter(plan: Any) -> Any:
    """The plan that stops after two steps."""
    if isinstance(plan, dynamic_gradient_descent_plan.Plan):
        return replace(plan, requests=plan.requests[:2], scheduled_stds=plan.scheduled_stds[:2])
    return replace(plan, lengths=(2,)) if isinstance(plan, svrg_plan.Plan) else replace(plan, steps=2)


def moved(quantity: float, output: Any) -> Any:
    return output + quantity / 10


def averaged(quantity: float, output: Any) -> Any:
    return (output + quantity) / 2


def leaking_run(instance: Instance, leak: Callable[[float, Any], Any]) -> Instance:
    """The reference releases something that was made of its output and of data it holds."""
    honest = instance.algorithm.run

    def run(problem: Any, plan: Any, curator: Any) -> Any:
        return leak(held(curator), honest(problem, plan, curator))

    return replace(instance, algorithm=replace(instance.algorithm, run=run))


def leak_of_the_kernel(monkeypatch: pytest.MonkeyPatch, instance: Instance, leak: Callable[[float, Any], Any]) -> None:
    """The kernel does."""
    honest = instance.algorithm.kernel.run

    def run(problem: Any, *arguments: Any) -> Any:
        trace = honest(problem, *arguments)
        trace.points[-1] = leak(exact_quantity(problem), trace.points[-1])
        return trace

    monkeypatch.setattr(instance.algorithm.kernel, "run", run)


def planning_run(instance: Instance, planned: Callable[[float, Any], Any]) -> Instance:
    """The reference lets data that it holds change the numbers that it runs with."""
    honest = instance.algorithm.run

    def run(problem: Any, plan: Any, curator: Any) -> Any:
        return honest(problem, planned(held(curator), plan), curator)

    return replace(instance, algorithm=replace(instance.algorithm, run=run))


def plan_of_the_kernel(
    monkeypatch: pytest.MonkeyPatch, instance: Instance, planned: Callable[[float, Any], Any]
) -> None:
    """The kernel does; of a tape it reads no more than it needs."""
    honest, numbers, plan = instance.algorithm.kernel.run, partial(numbers_of, instance.algorithm), instance.plan

    def run(problem: Any, _: Any, tape: Any) -> Any:
        changed = planned(exact_quantity(problem), plan)
        if changed.steps < plan.steps:
            tape = tape._replace(indices=tape.indices[: len(tape.indices) * changed.steps // plan.steps])
        return honest(problem, numbers(changed), tape)

    monkeypatch.setattr(instance.algorithm.kernel, "run", run)


def stopping(instance: Instance) -> Callable[[float, Any], Any]:
    """Stop early on one data set of the worst pair, and not on the other."""
    pair = instance.problem.worst_case_pair(instance.data, instance.plan.sensitivity.adjacency)
    seen = [exact_quantity(records_of(side)) for side in (pair.first, pair.second)
            for records_of in (instance.problem.read, instance.problem.arrays)]  # fmt: skip
    middle = sum(seen) / len(seen)
    return lambda quantity, plan: shorter(plan) if quantity < middle else plan


def caught(instance: Instance, *, by_the_kernel: bool) -> None:
    test = (
        test_algorithms.test_with_every_answer_forced_the_kernel_goes_the_same_way_bit_for_bit
        if by_the_kernel
        else test_algorithms.test_with_every_answer_forced_the_output_is_the_same_bit_for_bit
    )
    with pytest.raises(AssertionError):
        checks(test, instance)


@pytest.mark.parametrize("make", INSTANCES)
def test_without_a_leak_the_forced_output_stays(make: Callable[[], Instance]) -> None:
    """Nor is it caught that a step is longer, or the output moved, by what is public."""
    honest = make()
    moved_along = leaking_run(honest, lambda _, output: moved(1.0, output))
    for instance in (honest, planning_run(honest, lambda _, plan: longer(plan, 1.25)), moved_along):
        checks(test_algorithms.test_with_every_answer_forced_the_output_is_the_same_bit_for_bit, instance)
    checks(test_algorithms.test_with_every_answer_forced_the_kernel_goes_the_same_way_bit_for_bit, honest)


@pytest.mark.parametrize("make", [sampled_instance, partial(sampled_instance, "svrg-plus-plus")])
def test_an_output_moved_along_the_held_exact_gradient_is_caught(make: Callable[[], Instance]) -> None:
    """The full gradient of the last snapshot, which the queries are made of, is never released by itself."""
    instance = make()
    honest = instance.algorithm.run

    def descending(problem: Any, plan: Any, curator: Any) -> Any:
        output = honest(problem, plan, curator)
        return output - plan.step_size * curator._held[-1]

    caught(replace(instance, algorithm=replace(instance.algorithm, run=descending)), by_the_kernel=False)


@pytest.mark.parametrize("leak", [moved, averaged])
@pytest.mark.parametrize("make", EVERYWHERE)
def test_an_output_made_of_an_exact_quantity_is_caught(
    make: Callable[[], Instance], leak: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    caught(leaking_run(make(), leak), by_the_kernel=False)
    leak_of_the_kernel(monkeypatch, make(), leak)
    caught(make(), by_the_kernel=True)


@pytest.mark.parametrize("make", INSTANCES)
def test_a_step_size_that_reads_held_data_is_caught(
    make: Callable[[], Instance], monkeypatch: pytest.MonkeyPatch
) -> None:
    def planned(quantity: float, plan: Any) -> Any:
        return longer(plan, 1 + abs(quantity) / 10)

    caught(planning_run(make(), planned), by_the_kernel=False)
    plan_of_the_kernel(monkeypatch, make(), planned)
    caught(make(), by_the_kernel=True)


@pytest.mark.parametrize("make", WITH_A_LENGTH)
def test_a_stopping_test_on_held_data_is_caught(make: Callable[[], Instance], monkeypatch: pytest.MonkeyPatch) -> None:
    caught(planning_run(make(), stopping(make())), by_the_kernel=False)
    plan_of_the_kernel(monkeypatch, make(), stopping(make()))
    caught(make(), by_the_kernel=True)
