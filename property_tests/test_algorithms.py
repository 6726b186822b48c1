"""Every registered algorithm: what it declares is what it does, and its three texts agree."""

from __future__ import annotations

import importlib
from typing import Any

import numpy as np
from flint import arb
from hypothesis import given

from dpref.curator import Indices, LiveCurator, RecordingCurator, ReplayingCurator, Transcript
from dpref.kernels.erm import mean_gradient
from dpref.kernels.twin import interpreted
from dpref.privacy.filters import agrees
from dpref.privacy.ledger import multiplicities
from dpref.problems.datasets import Dataset
from dpref.problems.erm import Records
from dpref.problems.neighbours import random_neighbour, worst_case_pair
from dpref.reals import BALL_ARRAY, Array, FloatArray, ball, exact, lower, precision
from property_tests.strategies import Instance, instances


def record(instance: Instance, data: Dataset | None = None) -> tuple[Array, RecordingCurator[Records, Any]]:
    """One recorded run of the reference."""
    chosen = instance.data if data is None else data
    records = instance.problem.read(chosen)
    curator = RecordingCurator(records, instance.plan.sensitivity.adjacency, np.random.default_rng(instance.seed))
    return instance.algorithm.run(instance.problem, instance.plan, curator), curator


def tape(transcript: Transcript) -> tuple[FloatArray, Indices]:
    """What a kernel runs on: the noise (one answer a row; one after another if shapes differ) and the indices."""
    draws = [a.noise for a in transcript.answers]
    rows = len({z.shape for z in draws}) == 1
    noise = np.array(draws) if rows else np.concatenate([np.empty(0), *draws])
    return noise, np.array(transcript.indices, dtype=np.int64)


def largest_query_difference(instance: Instance, data: Dataset, neighbour: Dataset) -> list[float]:
    """For each step, a certified lower bound on how far the query moves, over what was declared: at most 1."""
    _, curator = record(instance, data)
    adjacency = instance.plan.sensitivity.adjacency
    queries = []
    with precision(120):
        for side in (data, neighbour):
            records = instance.problem.read(side, BALL_ARRAY)
            replay = ReplayingCurator(records, adjacency, curator.transcript, force="answers", ops=BALL_ARRAY)
            instance.algorithm.run(instance.problem, instance.plan, replay)
            queries.append(replay.queries)
        ratios = []
        for a, b, answer in zip(*queries, curator.transcript.answers, strict=True):
            square = sum(((x - y) ** 2 for x, y in zip(a, b, strict=True)), arb(0))
            ratios.append(lower(square.nonnegative_part().sqrt() / ball(answer.sensitivity.value)))
        return ratios


@given(instances())
def test_no_query_moves_by_more_than_its_declared_sensitivity(instance: Instance) -> None:
    rng = np.random.default_rng(instance.seed)
    neighbour = random_neighbour(instance.data, instance.plan.sensitivity.adjacency, rng)
    assert max(largest_query_difference(instance, instance.data, neighbour), default=0.0) <= 1


@given(instances())
def test_no_query_moves_too_far_on_the_worst_pair(instance: Instance) -> None:
    pair = worst_case_pair(instance.data, instance.plan.sensitivity.adjacency)
    assert max(largest_query_difference(instance, pair.first, pair.second), default=0.0) <= 1


@given(instances())
def test_ledger_of_the_plan_is_the_ledger_observed(instance: Instance) -> None:
    """The same where the algorithm declares a fixed spending; else within the plan, as it declares."""
    _, curator = record(instance)
    asked, spending = len(curator.transcript.answers), instance.algorithm.spending
    assert agrees(spending, instance.algorithm.ledger(instance.plan), curator.ledger)
    assert sum(multiplicities(curator.ledger.event).values()) == asked
    assert asked == instance.plan.steps if spending == "fixed" else asked <= instance.plan.steps


@given(instances())
def test_live_and_recording_runs_agree(instance: Instance) -> None:
    output, _ = record(instance)
    records = instance.problem.read(instance.data)
    live = LiveCurator(records, instance.plan.sensitivity.adjacency, np.random.default_rng(instance.seed))
    assert np.array_equal(output, instance.algorithm.run(instance.problem, instance.plan, live))


@given(instances())
def test_compiled_kernel_equals_interpreted_twin_bit_for_bit(instance: Instance) -> None:
    noise, indices = tape(record(instance)[1].transcript)
    module: Any = importlib.import_module(instance.algorithm.kernel_module)
    arguments = (instance.problem, instance.data, instance.plan, noise, indices)
    iterates, queries = instance.algorithm.kernel(*arguments)
    compiled = module.run
    try:
        module.run = interpreted(compiled)
        same_iterates, same_queries = instance.algorithm.kernel(*arguments)
    finally:
        module.run = compiled
    assert iterates.tobytes() == same_iterates.tobytes()
    assert queries.tobytes() == same_queries.tobytes()


@given(instances())
def test_reference_and_kernel_lie_in_the_ball_run_widened_by_the_forward_error_bound(instance: Instance) -> None:
    problem, plan = instance.problem, instance.plan
    output, curator = record(instance)
    noise, indices = tape(curator.transcript)
    iterates, queries = instance.algorithm.kernel(problem, instance.data, plan, noise, indices)
    released = instance.algorithm.released(plan, curator.transcript.indices)
    bound = instance.algorithm.rounding(problem, plan, iterates, queries, noise)[released]
    with precision(160):
        replay = ReplayingCurator(
            problem.read(instance.data, BALL_ARRAY),
            plan.sensitivity.adjacency,
            curator.transcript,
            force="noise",
            ops=BALL_ARRAY,
        )
        enclosure = instance.algorithm.run(problem, plan, replay)
        for computed in (output, iterates[released]):
            error = sum(((ball(exact(float(x))) - e) ** 2 for x, e in zip(computed, enclosure, strict=True)), arb(0))
            assert lower(error.nonnegative_part().sqrt()) <= bound
    assert bound < 1e-9 * (1 + float(np.abs(iterates).max())) ** 2


def test_replayed_queries_are_the_mean_gradients_along_the_iterates() -> None:
    rng = np.random.default_rng(0)
    x, y, theta = rng.standard_normal((5, 3)) / 3, rng.choice([-1.0, 1.0], 5), rng.standard_normal((4, 3))
    queries = mean_gradient.queries_along(x, y, 5, 0, 0.0, 0.3, theta)
    for row, point in zip(queries, theta, strict=True):
        assert row.tobytes() == mean_gradient.mean_gradient(x, y, 5, 0, 0.0, 0.3, point).tobytes()
