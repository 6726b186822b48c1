"""Every registered algorithm: what it declares is what it does, and its three texts agree."""

from __future__ import annotations

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
from dpref.curator import LiveCurator, RecordingCurator, ReplayingCurator, Selection, Transcript
from dpref.errors import InvalidArgumentError
from dpref.kernels.gradients import feature_norms, mean_gradient
from dpref.kernels.records import Trace
from dpref.kernels.twin import interpreted_run
from dpref.privacy.closed_forms.gaussian import zcdp
from dpref.privacy.events.ledger import Gaussian
from dpref.privacy.events.walks import alternatives, multiplicities
from dpref.privacy.filters import agrees
from dpref.reals import BALL, BALL_ARRAY, Array, FloatArray, ball, exact, lower, precision, upper
from dpref.units import Adjacency, Norm, Span
from property_tests.algorithm_cases import for_every_case
from property_tests.strategies import Instance, instances_of
from property_tests.turning import extreme_pairs


def record(instance: Instance, data: Any = None) -> tuple[Array, RecordingCurator[Any, Any]]:
    """One recorded run of the reference."""
    chosen = instance.data if data is None else data
    records = instance.problem.read(chosen)
    curator = RecordingCurator(records, instance.plan.sensitivity.adjacency, np.random.default_rng(instance.seed))
    return instance.algorithm.run(instance.problem, instance.plan, curator), curator


def answers_of(transcript: Transcript) -> FloatArray:
    """Every answer, laid out as a kernel's tape has them: one a row, filled up with zeros, or choices end to end."""
    given = transcript.answers
    if given and all(isinstance(entry, Selection) for entry in given):
        return np.concatenate([entry.answer for entry in given]).astype(np.float64)
    rows = np.zeros_like(transcript.noise())
    for row, entry in zip(rows, given, strict=True):
        row[: entry.answer.size] = entry.answer
    return rows


def answers_seen(trace: Trace, answers: FloatArray) -> FloatArray:
    """A trace's answers in the columns that a transcript has: a run that was told numbers alone has one."""
    width = answers.shape[-1]
    assert not trace.answers[..., width:].any()
    return np.ascontiguousarray(trace.answers[..., :width])


def trace_of(instance: Instance, data: Any, transcript: Transcript, answers: FloatArray | None = None) -> Trace:
    """The compiled kernel on some data and the tape of a transcript, perhaps with every answer forced."""
    indices = np.array(transcript.indices, dtype=np.int64)
    try:
        return instance.algorithm.trace(instance.problem, data, instance.plan, transcript.noise(), indices, answers)
    except ValueError as error:
        raise AssertionError("the kernel asks for more than was recorded") from error


def norm_of(differences: Iterable[arb], norm: type[Norm], blocks: int = 1) -> arb:
    """The norm of a vector of balls, from below where a ball holds zero; spans of several blocks added up."""
    differences, index = list(differences), norm.index
    if norm is Span:
        width = len(differences) // blocks
        rows = [differences[k : k + width] for k in range(0, len(differences), width)]
        return sum((max(row, key=lower) - min(row, key=upper) for row in rows), arb(0))
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
            difference, blocks = (x - y for x, y in zip(a, b, strict=True)), getattr(answer, "blocks", 1)
            moved = norm_of(difference, answer.sensitivity.norm, blocks)
            ratios.append(lower(moved / ball(answer.sensitivity.value)))
        return ratios


@pytest.mark.slow
@for_every_case()
def test_no_query_moves_by_more_than_its_declared_sensitivity(instance: Instance) -> None:
    rng = np.random.default_rng(instance.seed)
    neighbour = instance.problem.random_neighbour(instance.data, instance.plan.sensitivity.adjacency, rng)
    assert max(query_differences(instance, instance.data, neighbour), default=0.0) <= 1


@for_every_case()
def test_no_query_moves_too_far_on_the_worst_pair(instance: Instance) -> None:
    for pair in extreme_pairs(instance):
        differences = query_differences(instance, pair.first, pair.second)
        assert max(differences, default=0.0) <= 1
        # No more answers move than the ledger pays for: a record that enters one node of a tree enters few of them.
        answers = record(instance, pair.first)[1].transcript.answers
        moved = [answer for answer, difference in zip(answers, differences, strict=True) if difference > 0]
        assert instance.algorithm.spending == "filtered" or pays(instance, moved)


def pays(instance: Instance, moved: list[Any]) -> bool:
    """Whether the plan's ledger pays for the answers that move: for as many or, if all are Gaussian, for as dear."""
    spent = instance.algorithm.ledger(instance.plan)
    events = multiplicities(spent.event)
    if len(moved) <= max(sum(multiplicities(event).values()) for event in alternatives(spent.event)):
        return True
    losses = [(answer.sensitivity.value / exact(answer.std)) ** 2 / 2 for answer in moved]
    return all(isinstance(event, Gaussian) for event in events) and sum(losses) <= zcdp(spent).value


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


def neighbours(instance: Instance) -> list[tuple[Any, Any]]:
    """The instance's data with a random neighbour, and the worst pair near it."""
    problem, adjacency = instance.problem, instance.plan.sensitivity.adjacency
    pair = problem.worst_case_pair(instance.data, adjacency)
    rng = np.random.default_rng(instance.seed)
    return [(instance.data, problem.random_neighbour(instance.data, adjacency, rng)), (pair.first, pair.second)]


@for_every_case()
def test_with_every_answer_forced_the_output_is_the_same_bit_for_bit(instance: Instance) -> None:
    """What is released depends on the data through the answers and through nothing else."""
    for first, second in neighbours(instance):
        output, curator = record(instance, first)
        for side in (first, second):
            assert forced_output(instance, side, curator.transcript) == output.tobytes()


@pytest.mark.slow
@for_every_case()
def test_with_every_answer_forced_the_kernel_goes_the_same_way_bit_for_bit(instance: Instance) -> None:
    """The same of the compiled kernel, and of every point on its way."""
    for first, second in neighbours(instance):
        output, curator = record(instance, first)
        transcript, answers = curator.transcript, answers_of(curator.transcript)
        here, there = (trace_of(instance, side, transcript, answers) for side in (first, second))
        assert here.points.tobytes() == there.points.tobytes()
        assert here.scales.tobytes() == there.scales.tobytes()
        assert here.answers.tobytes() == there.answers.tobytes()
        assert answers_seen(here, answers).tobytes() == answers.tobytes()
        # Not vacuous: the forced answers lead where the reference goes.
        reached = here.points[instance.plan.released(transcript.indices)]
        assert np.allclose(reached, output, rtol=1e-9, atol=1e-9 * (1 + float(np.abs(here.points).max())))


@for_every_case()
def test_ledger_of_the_plan_is_the_ledger_observed(instance: Instance) -> None:
    """The same where the algorithm declares a fixed spending; else within the plan, as it declares."""
    _, curator = record(instance)
    asked, algorithm = len(curator.transcript.answers), instance.algorithm
    assert agrees(algorithm.spending, algorithm.ledger(instance.plan), curator.ledger)
    if algorithm.spending != "fixed":
        assert sum(multiplicities(curator.ledger.event).values()) == asked <= instance.plan.steps


@pytest.mark.slow
@for_every_case()
def test_live_and_recording_runs_agree(instance: Instance) -> None:
    output, _ = record(instance)
    records = instance.problem.read(instance.data)
    live = LiveCurator(records, instance.plan.sensitivity.adjacency, np.random.default_rng(instance.seed))
    assert np.array_equal(output, instance.algorithm.run(instance.problem, instance.plan, live))


@pytest.mark.slow
@for_every_case()
def test_compiled_kernel_equals_interpreted_twin_bit_for_bit(instance: Instance) -> None:
    """Points, queries, scales and answers, on noise and on forced answers."""
    transcript = record(instance)[1].transcript
    for answers in (None, answers_of(transcript)):
        compiled = trace_of(instance, instance.data, transcript, answers)
        with interpreted_run(instance.algorithm.name.replace("-", "_")):
            same = trace_of(instance, instance.data, transcript, answers)
        assert [part.tobytes() for part in compiled] == [part.tobytes() for part in same]


def rows_of(parts: Iterable[Array], width: int) -> list[list[Any]]:
    """Queries as the rows of a kernel's: as many to a row as fit, at least one."""
    rows: list[list[Any]] = []
    for part in parts:
        if not rows or len(rows[-1]) + len(part) > width:
            rows.append([])
        rows[-1].extend(part)
    return rows


def same_questions(asked: Iterable[Array], trace: Trace) -> bool:
    """Whether a reference and a kernel ask the same, up to rounding."""
    parts = list(asked)
    rows = rows_of(parts, 0 if len(parts) == len(trace.queries) else trace.queries.shape[1])
    if len(rows) != len(trace.queries):
        return False
    size = 1 + float(np.abs(trace.queries).max(initial=0.0))
    both = zip(rows, trace.queries, strict=True)
    return all(np.abs(computed[: len(row)] - row).max() <= 1e-9 * size for row, computed in both)


@pytest.mark.slow
@for_every_case()
def test_a_transcript_and_a_trace_are_the_same_record(instance: Instance) -> None:
    """On one tape the kernel asks what the reference asks, adds noise of the same scale, and is answered the same.

    Outputs alone do not show it where they are drawn vertices: a wrong score rarely changes the draw.
    """
    transcript = record(instance)[1].transcript
    trace = trace_of(instance, instance.data, transcript)
    assert same_questions((entry.query for entry in transcript.answers), trace)
    answers, each = answers_of(transcript), len(transcript.answers) // max(1, len(trace.scales))
    assert len(trace.answers) == len(answers)
    assert np.allclose(
        answers_seen(trace, answers), answers, rtol=1e-9, atol=1e-9 * (1 + float(np.abs(answers).max(initial=0.0)))
    )
    scales = [entry.scale for entry in transcript.answers]
    # A scale that is itself made of an answer is rounded in another order.
    allowed = 1e-12 if instance.algorithm.spending == "filtered" else 0.0
    assert np.allclose(np.repeat(trace.scales, each), scales, rtol=allowed, atol=0.0)


@pytest.mark.slow
@for_every_case()
def test_reference_and_kernel_ask_the_same_questions_of_a_neighbour(instance: Instance) -> None:
    """With the recorded answers forced on both: so that what holds for one's queries holds for the other's."""
    problem, plan = instance.problem, instance.plan
    transcript = record(instance)[1].transcript
    for _, side in neighbours(instance):
        curator = ReplayingCurator(problem.read(side), plan.sensitivity.adjacency, transcript, force="answers")
        instance.algorithm.run(problem, plan, curator)
        assert same_questions(curator.queries, trace_of(instance, side, transcript, answers_of(transcript)))


@pytest.mark.slow
@pytest.mark.parametrize("adjacency", ALGORITHMS["gradient-descent"].adjacencies)
@settings(max_examples=4)
@given(drawn=st.data())
def test_a_point_of_a_trace_is_where_its_query_was_asked(adjacency: type[Adjacency], drawn: st.DataObject) -> None:
    instance = drawn.draw(instances_of("gradient-descent", adjacency))
    trace = trace_of(instance, instance.data, record(instance)[1].transcript)
    records = instance.problem.arrays(instance.data)
    for point, query in zip(trace.points[:-1], trace.queries, strict=True):
        assert mean_gradient(records, feature_norms(records), point).tobytes() == query.tobytes()
