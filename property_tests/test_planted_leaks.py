"""Data that reaches the output beside the answers, planted one way at a time: the forced answers catch each."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np
import pytest

from dpref.algorithms.declaration import numbers_of
from dpref.algorithms.registry import ALGORITHMS
from property_tests import test_algorithms
from property_tests.algorithm_cases import CASES, Case, failure
from property_tests.small_instances import small_instances
from property_tests.strategies import Instance
from property_tests.test_planted_bugs import (
    DEAR,
    FEW,
    ON_BANDITS,
    ON_MEANS,
    ON_STREAMS,
    ON_VERTICES,
    caught,
)

FORCED_OUTPUT = test_algorithms.test_with_every_answer_forced_the_output_is_the_same_bit_for_bit
FORCED_KERNEL = test_algorithms.test_with_every_answer_forced_the_kernel_goes_the_same_way_bit_for_bit
WITH_STEPS = [*ON_MEANS, *ON_STREAMS, *ON_VERTICES, *ON_BANDITS]
WITH_A_LENGTH = [case for case in ON_MEANS if ALGORITHMS[case.name].spending == "fixed"]


def exact_quantity(records: Any) -> float:
    """A weighted mean of features and labels, or of payoffs and slopes: no answer, and nothing but data."""
    numbers = np.concatenate([np.ravel(part) for part in records[:2]]).astype(np.float64)
    return float(numbers @ np.sqrt(1 + np.arange(numbers.size))) / numbers.size


def held(curator: Any) -> float:
    """The same of what a curator keeps, asked for by `hold` and then read behind the curator's back."""

    handle = curator.hold(lambda records: np.array([exact_quantity(records)]), label="a secret")
    return float(curator._held[handle.number][0])


def longer(plan: Any, factor: float) -> Any:
    """The plan with every step longer by a factor."""
    if hasattr(plan, "rounds") and not hasattr(plan, "step_size"):
        return replace(plan, rounds=tuple(r._replace(length=r.length * factor) for r in plan.rounds))
    if hasattr(plan, "base"):
        return replace(plan, base=longer(plan.base, factor))
    for parts, field, power in (("blocks", "alpha", 1), ("phases", "weight", -1)):
        if hasattr(plan, parts):
            changed = (p._replace(**{field: getattr(p, field) * factor**power}) for p in getattr(plan, parts))
            return replace(plan, **{parts: tuple(changed)})
    if hasattr(plan, "step_scale"):
        return replace(plan, step_scale=plan.step_scale * Fraction(factor))
    if hasattr(plan, "weak_convexity"):  # steps are one over it
        return replace(plan, weak_convexity=plan.weak_convexity / factor)
    return replace(plan, step_size=plan.step_size * factor)


def shorter(plan: Any) -> Any:
    """The plan that stops after two steps."""
    if hasattr(plan, "base"):
        return replace(plan, base=shorter(plan.base))
    if hasattr(plan, "requests"):
        return replace(plan, requests=plan.requests[:2], scheduled_stds=plan.scheduled_stds[:2])
    if hasattr(plan, "iterates"):
        return replace(plan, iterates=3)
    return replace(plan, lengths=(2,)) if hasattr(plan, "lengths") else replace(plan, steps=2)


def moved(quantity: float, output: Any) -> Any:
    return output + quantity / 10


def averaged(quantity: float, output: Any) -> Any:
    return (output + quantity) / 2


def with_run(case: Case, run: Callable[..., Any]) -> list[Instance]:
    """The algorithm's instances with another reference; ``run`` is given the honest one first."""
    algorithm = ALGORITHMS[case.name]
    broken = replace(algorithm, run=partial(run, algorithm.run))
    return [replace(instance, algorithm=broken) for instance in small_instances(case)]


def leaking_run(case: Case, leak: Callable[[float, Any], Any]) -> list[Instance]:
    """The reference releases something that was made of its output and of data it holds."""

    def run(honest: Any, problem: Any, plan: Any, curator: Any) -> Any:
        return leak(held(curator), honest(problem, plan, curator))

    return with_run(case, run)


def planning_run(case: Case, planned: Callable[[float, Any], Any]) -> list[Instance]:
    """The reference lets data that it holds change the numbers that it runs with."""

    def run(honest: Any, problem: Any, plan: Any, curator: Any) -> Any:
        return honest(problem, planned(held(curator), plan), curator)

    return with_run(case, run)


def caught_in_the_kernel(monkeypatch: pytest.MonkeyPatch, case: Case, run: Callable[..., Any]) -> bool:
    """Whether the forced kernel fails on one instance with ``run(plan, honest, records, numbers, tape)`` instead."""
    kernel = ALGORITHMS[case.name].kernel
    honest = kernel.run

    def planted() -> Iterator[Instance]:
        for instance in small_instances(case):
            monkeypatch.setattr(kernel, "run", partial(run, instance.plan, honest))
            yield instance

    return caught(FORCED_KERNEL, planted())


def leaking_kernel(leak: Callable[[float, Any], Any]) -> Callable[..., Any]:
    """The kernel releases something that was made of its output and of data."""

    def run(_: Any, honest: Any, records: Any, *rest: Any) -> Any:
        trace = honest(records, *rest)
        trace.points[-1] = leak(exact_quantity(records), trace.points[-1])
        return trace

    return run


def planning_kernel(case: Case, planned: Callable[[float, Any], Any]) -> Callable[..., Any]:
    """The kernel lets data change its numbers; of a tape it reads no more indices than it needs."""

    def run(plan: Any, honest: Any, records: Any, _: Any, tape: Any) -> Any:
        changed = planned(exact_quantity(records), plan)
        if changed.steps < plan.steps:
            tape = tape._replace(indices=tape.indices[: len(tape.indices) * changed.steps // plan.steps])
        return honest(records, numbers_of(ALGORITHMS[case.name], changed), tape)

    return run


def stopping(case: Case) -> Callable[[float, Any], Any]:
    """Stop early on one data set of the worst pair, and not on the other."""
    instance = small_instances(case)[0]
    pair = instance.problem.worst_case_pair(instance.data, instance.plan.sensitivity.adjacency)
    seen = [exact_quantity(instance.problem.read(side)) for side in (pair.first, pair.second)]
    return lambda quantity, plan: shorter(plan) if quantity < sum(seen) / 2 else plan


@pytest.mark.slow
@FEW
@pytest.mark.parametrize("case", [case for case in DEAR if case in WITH_STEPS], ids=str)
def test_without_a_leak_the_forced_output_stays(case: Case) -> None:
    """Nor is it caught that a step is longer, or the output moved, by what is public."""
    for instance in (
        *small_instances(case),
        *planning_run(case, lambda _, plan: longer(plan, 1.25)),
        *leaking_run(case, lambda _, output: moved(1.0, output)),
    ):
        assert failure(FORCED_OUTPUT, instance) is None
    for instance in small_instances(case):
        assert failure(FORCED_KERNEL, instance) is None


@pytest.mark.parametrize("case", [case for case in CASES if case.name in {"svrg", "svrg-plus-plus"}], ids=str)
def test_an_output_moved_along_the_held_exact_gradient_is_caught(case: Case) -> None:
    """The full gradient of the last snapshot, which the queries are made of, is never released by itself."""

    def descending(honest: Any, problem: Any, plan: Any, curator: Any) -> Any:
        output = honest(problem, plan, curator)
        return output - plan.step_size * list(curator._held.values())[-1]

    assert caught(FORCED_OUTPUT, with_run(case, descending))


@pytest.mark.slow
@FEW
@pytest.mark.parametrize("leak", [moved, averaged])
@pytest.mark.parametrize("case", CASES, ids=str)
def test_an_output_made_of_an_exact_quantity_is_caught(case: Case, leak: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    assert caught(FORCED_OUTPUT, leaking_run(case, leak))
    assert caught_in_the_kernel(monkeypatch, case, leaking_kernel(leak))


@pytest.mark.slow
@FEW
@pytest.mark.parametrize("case", WITH_STEPS, ids=str)
def test_a_step_size_that_reads_held_data_is_caught(case: Case, monkeypatch: pytest.MonkeyPatch) -> None:
    def planned(quantity: float, plan: Any) -> Any:
        return longer(plan, 1 + abs(quantity) / 10)

    assert caught(FORCED_OUTPUT, planning_run(case, planned))
    assert caught_in_the_kernel(monkeypatch, case, planning_kernel(case, planned))


@pytest.mark.slow
@FEW
@pytest.mark.parametrize("case", WITH_A_LENGTH, ids=str)
def test_a_stopping_test_on_held_data_is_caught(case: Case, monkeypatch: pytest.MonkeyPatch) -> None:
    assert caught(FORCED_OUTPUT, planning_run(case, stopping(case)))
    assert caught_in_the_kernel(monkeypatch, case, planning_kernel(case, stopping(case)))
