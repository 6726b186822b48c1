"""Every registered algorithm: what it declares is what it does, and its three texts agree."""

from __future__ import annotations

import importlib
import inspect
import math
from collections.abc import Iterable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from flint import arb
from hypothesis import given, settings
from hypothesis import strategies as st

from dpref.algorithms.registry import ALGORITHMS
from dpref.curator import Answer, Indices, LiveCurator, RecordingCurator, ReplayingCurator, Transcript
from dpref.errors import InvalidArgumentError
from dpref.kernels import gradients as mean_gradient
from dpref.kernels.twin import interpreted
from dpref.privacy.events.walks import multiplicities
from dpref.privacy.filters import agrees
from dpref.reals import BALL, BALL_ARRAY, Array, FloatArray, ball, exact, lower, precision
from property_tests.strategies import Instance, instances, instances_of


def record(instance: Instance, data: Any = None) -> tuple[Array, RecordingCurator[Any, Any]]:
    """One recorded run of the reference."""
    chosen = instance.data if data is None else data
    records = instance.problem.read(chosen)
    curator = RecordingCurator(records, instance.plan.sensitivity.adjacency, np.random.default_rng(instance.seed))
    return instance.algorithm.run(instance.problem, instance.plan, curator), curator


def tape_of(transcript: Transcript) -> tuple[FloatArray, Indices]:
    """What a kernel runs on: the noise and the indices."""
    return transcript.noise(), np.array(transcript.indices, dtype=np.int64)


def norm_of(differences: Iterable[arb], index: Fraction | int | float) -> arb:
    """The l_q norm of a vector of balls, from below where a ball holds zero."""
    sizes = [abs(x) for x in differences if not x.contains(0)]
    if index == math.inf:
        return max(sizes, key=lower, default=arb(0))
    q = ball(Fraction(index))
    return sum((BALL.exp(q * x.log()) for x in sizes), arb(0)).nonnegative_part() ** (1 / q)


def query_differences(instance: Instance, data: Any, neighbour: Any) -> list[float]:
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
            moved = norm_of((x - y for x, y in zip(a, b, strict=True)), answer.sensitivity.norm.index)
            ratios.append(lower(moved / ball(answer.sensitivity.value)))
        return ratios


@given(instances())
def test_no_query_moves_by_more_than_its_declared_sensitivity(instance: Instance) -> None:
    rng = np.random.default_rng(instance.seed)
    neighbour = instance.problem.random_neighbour(instance.data, instance.plan.sensitivity.adjacency, rng)
    assert max(query_differences(instance, instance.data, neighbour), default=0.0) <= 1


@given(instances())
def test_no_query_moves_too_far_on_the_worst_pair(instance: Instance) -> None:
    pair = instance.problem.worst_case_pair(instance.data, instance.plan.sensitivity.adjacency)
    differences = query_differences(instance, pair.first, pair.second)
    assert max(differences, default=0.0) <= 1
    paid = sum(multiplicities(instance.algorithm.ledger(instance.plan).event).values())
    # No more answers move than the ledger pays for: a record that enters one node of a tree enters few of them.
    assert instance.algorithm.spending == "filtered" or sum(x > 0 for x in differences) <= paid


def forced_output(instance: Instance, data: Any, transcript: Transcript) -> bytes:
    """What the reference releases on some data when every answer is a recorded one."""
    curator = ReplayingCurator(
        instance.problem.read(data), instance.plan.sensitivity.adjacency, transcript, force="answers"
    )
    try:
        output = instance.algorithm.run(instance.problem, instance.plan, curator)
    except InvalidArgumentError as error:
        raise AssertionError("with the recorded answers the run asks for others than were recorded") from error
    assert len(curator.queries) == len(transcript.answers)
    return output.tobytes()


class Forced:
    """A draw that makes the sum of whatever was asked and this noise, times any scale, the answer that it is told."""

    __array_ufunc__ = None  # numpy's numbers leave the arithmetic to this class

    def __init__(self, answer: float) -> None:
        self.answer = answer

    def __rmul__(self, scale: float) -> Forced:
        return self

    def __radd__(self, query: float) -> float:
        return self.answer


def forced_tape(transcript: Transcript) -> list[Forced]:
    """In place of the draws, one after another; of a selection the chosen candidate alone has a noisy score of 1."""
    tape: list[Forced] = []
    for entry in transcript.answers:
        if isinstance(entry, Answer):
            tape += [Forced(float(x)) for x in entry.answer]
        else:
            tape += [Forced(float(i == chosen)) for chosen in entry.answer for i in range(entry.noise.shape[1])]
    return tape


def forced_iterates(instance: Instance, data: Any, transcript: Transcript) -> FloatArray:
    """Every point of the kernel's own text, interpreted, when every answer is a recorded one."""
    module: Any = importlib.import_module(instance.algorithm.folder + ".kernel")
    compiled = module.run
    draws = forced_tape(transcript)

    def forced(*arguments: Any) -> Any:
        given = inspect.signature(compiled.py_func).bind(*arguments)
        tape = given.arguments["noise"]
        given.arguments["noise"] = np.array(draws[: tape.size], dtype=object).reshape(tape.shape)
        return interpreted(compiled)(*given.args)

    try:
        module.run = forced
        iterates, _ = instance.algorithm.kernel(instance.problem, data, instance.plan, *tape_of(transcript))
    finally:
        module.run = compiled
    return iterates


def neighbours(instance: Instance) -> list[tuple[Any, Any]]:
    """The instance's data with a random neighbour, and the worst pair near it."""
    problem, adjacency = instance.problem, instance.plan.sensitivity.adjacency
    pair = problem.worst_case_pair(instance.data, adjacency)
    rng = np.random.default_rng(instance.seed)
    return [(instance.data, problem.random_neighbour(instance.data, adjacency, rng)), (pair.first, pair.second)]


@given(instances())
def test_with_every_answer_forced_the_output_is_the_same_bit_for_bit(instance: Instance) -> None:
    """What is released depends on the data through the answers and through nothing else."""
    for first, second in neighbours(instance):
        output, curator = record(instance, first)
        for side in (first, second):
            assert forced_output(instance, side, curator.transcript) == output.tobytes()


@given(instances())
def test_with_every_answer_forced_the_kernel_goes_the_same_way_bit_for_bit(instance: Instance) -> None:
    """The same of the kernel, and of every point on its way; the interpreted text is the compiled one's twin."""
    for first, second in neighbours(instance):
        output, curator = record(instance, first)
        here, there = (forced_iterates(instance, side, curator.transcript) for side in (first, second))
        assert here.tobytes() == there.tobytes()
        # Not vacuous: the forced answers lead where the reference goes.
        reached = here[instance.algorithm.released(instance.plan, curator.transcript.indices)]
        assert np.allclose(reached, output, rtol=1e-9, atol=1e-9 * (1 + float(np.abs(here).max())))


@pytest.mark.parametrize("name", sorted(ALGORITHMS))
@settings(max_examples=4)
@given(drawn=st.data())
def test_no_algorithm_is_left_out_when_its_answers_are_forced(name: str, drawn: st.DataObject) -> None:
    instance = drawn.draw(instances_of(name))
    for test in (
        test_with_every_answer_forced_the_output_is_the_same_bit_for_bit,
        test_with_every_answer_forced_the_kernel_goes_the_same_way_bit_for_bit,
    ):
        test.hypothesis.inner_test(instance)  # type: ignore[attr-defined]


@given(instances())
def test_ledger_of_the_plan_is_the_ledger_observed(instance: Instance) -> None:
    """The same where the algorithm declares a fixed spending; else within the plan, as it declares."""
    _, curator = record(instance)
    asked, algorithm = len(curator.transcript.answers), instance.algorithm
    assert agrees(algorithm.spending, algorithm.ledger(instance.plan), curator.ledger)
    if algorithm.spending == "fixed":
        assert asked == len(algorithm.scales(instance.plan))
    else:
        assert sum(multiplicities(curator.ledger.event).values()) == asked <= instance.plan.steps


@given(instances())
def test_live_and_recording_runs_agree(instance: Instance) -> None:
    output, _ = record(instance)
    records = instance.problem.read(instance.data)
    live = LiveCurator(records, instance.plan.sensitivity.adjacency, np.random.default_rng(instance.seed))
    assert np.array_equal(output, instance.algorithm.run(instance.problem, instance.plan, live))


@given(instances())
def test_compiled_kernel_equals_interpreted_twin_bit_for_bit(instance: Instance) -> None:
    noise, indices = tape_of(record(instance)[1].transcript)
    module: Any = importlib.import_module(instance.algorithm.folder + ".kernel")
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


def rows_of(answers: Iterable[Array], width: int) -> list[list[Any]]:
    """Answers as the rows of a kernel's queries: as many to a row as fit."""
    rows: list[list[Any]] = []
    for answer in answers:
        if not rows or len(rows[-1]) + len(answer) > width:
            rows.append([])
        rows[-1].extend(answer)
    return rows


@given(instances())
def test_reference_and_kernel_ask_the_same_questions(instance: Instance) -> None:
    """What the kernel says that it asked is what the reference asks on the same tape, round by round.

    Outputs alone do not show it where they are drawn vertices: a wrong score rarely changes the draw.
    """
    _, curator = record(instance)
    _, queries = instance.algorithm.kernel(instance.problem, instance.data, instance.plan, *tape_of(curator.transcript))
    asked = rows_of((a.query for a in curator.transcript.answers), queries.shape[1])
    assert len(asked) == len(queries)
    size = 1 + float(np.abs(queries).max(initial=0.0))
    for row, computed in zip(asked, queries, strict=True):
        assert np.abs(computed[: len(row)] - row).max() <= 1e-9 * size


@given(instances())
def test_reference_and_kernel_lie_in_the_ball_run_widened_by_the_forward_error_bound(instance: Instance) -> None:
    problem, plan = instance.problem, instance.plan
    output, curator = record(instance)
    noise, indices = tape_of(curator.transcript)
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
            error = [ball(exact(float(x))) - e for x, e in zip(computed, enclosure, strict=True)]
            assert lower(norm_of(error, 2)) <= bound
    assert bound < 1e-9 * (1 + float(np.abs(iterates).max())) ** 2


def test_replayed_queries_are_the_mean_gradients_along_the_iterates() -> None:
    rng = np.random.default_rng(0)
    x, y, theta = rng.standard_normal((5, 3)) / 3, rng.choice([-1.0, 1.0], 5), rng.standard_normal((4, 3))
    queries = mean_gradient.queries_along(x, y, 5, 0, 0.0, 0.3, theta)
    for row, point in zip(queries, theta, strict=True):
        assert row.tobytes() == mean_gradient.mean_gradient(x, y, 5, 0, 0.0, 0.3, point).tobytes()
