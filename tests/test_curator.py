"""The curator: what is drawn, what is written down, what is forced, and what is refused."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from flint import arb

from dpref.curator import Curator, LiveCurator, RecordingCurator, ReplayingCurator, Transcript, all_finite
from dpref.errors import InvalidArgumentError
from dpref.privacy.events.ledger import Compose, Gaussian, NonPrivate, Repeat
from dpref.privacy.events.walks import canonical, leaves
from dpref.reals import BALL_ARRAY, FLOAT_ARRAY, Array, FloatArray, ball, precision
from dpref.units import L1, L2, AddOrRemoveOne, Adjacency, ReplaceOne, Sensitivity, ZeroOut

STEPS, STD = 4, 0.75
ONE = Sensitivity(Fraction(1), L2, ReplaceOne)
DATA = np.array([[0.25, -0.5, 0.125], [0.5, 0.25, -0.75]])
# The second row moves by less than the declared sensitivity; the query below is linear in it with factor 1/2.
NEIGHBOUR = np.array([[0.25, -0.5, 0.125], [0.25, -0.25, 0.75]])


def algorithm(curator: Curator[FloatArray, ReplaceOne], steps: int = STEPS) -> Array:
    """An adaptive algorithm of a few steps: each query depends on the answers before it."""
    o = curator.ops
    state = o.lift(np.zeros(3))
    for _ in range(steps):

        def query(data: FloatArray, state: Array = state) -> Array:
            return (o.lift(data[0]) + o.lift(data[1])) / 2 + state / 4

        state = curator.gaussian(query, sensitivity=ONE, std=STD, label="step")
    curator.uniform_index(steps, label="pick")
    return state


def recorded(seed: int = 7) -> tuple[Array, RecordingCurator[FloatArray, ReplaceOne]]:
    curator = RecordingCurator(DATA, ReplaceOne, np.random.default_rng(seed))
    return algorithm(curator), curator


def test_recording_changes_nothing() -> None:
    live = LiveCurator(DATA, ReplaceOne, np.random.default_rng(7))
    output, curator = recorded()
    assert np.array_equal(algorithm(live), output)
    assert live.ledger == curator.ledger


def test_a_transcript_holds_query_noise_and_answer() -> None:
    output, curator = recorded()
    answers = curator.transcript.answers
    assert len(answers) == STEPS
    assert len(curator.transcript.indices) == 1
    for answer in answers:
        assert np.array_equal(answer.answer, answer.query + STD * answer.noise)
        assert (answer.label, answer.sensitivity, answer.scale) == ("step", ONE, STD)
    assert np.array_equal(answers[-1].answer, output)


def test_the_noise_is_standard_normal_and_fresh() -> None:
    """Seeded; a correct sampler fails the two bounds (six standard errors each) with probability below 1e-8."""
    curator = RecordingCurator(np.zeros(20_000), ReplaceOne, np.random.default_rng(3))
    for _ in range(2):
        curator.gaussian(lambda data: data, sensitivity=ONE, std=2.0, label="zero")
    first, second = (answer.answer for answer in curator.transcript.answers)
    assert abs(first.mean()) < 6 * 2 / math.sqrt(20_000)
    assert abs((first**2).mean() - 4) < 6 * 4 * math.sqrt(2 / 20_000)
    assert abs((first * second).mean()) < 6 * 4 / math.sqrt(20_000)


def test_replaying_the_noise_gives_the_run_back_bit_for_bit() -> None:
    output, curator = recorded()
    replay = ReplayingCurator(DATA, ReplaceOne, curator.transcript, force="noise")
    assert np.array_equal(algorithm(replay), output)
    assert replay.ledger == curator.ledger


def test_replaying_the_noise_in_balls_encloses_the_run() -> None:
    output, curator = recorded()
    with precision(128):
        replay = ReplayingCurator(DATA, ReplaceOne, curator.transcript, force="noise", ops=BALL_ARRAY)
        enclosures = algorithm(replay)
    # Each step rounds a few sums of numbers below 4: the distance is at most 2**-50 a step.
    for enclosure, value in zip(enclosures, output, strict=True):
        assert enclosure.rel_accuracy_bits() > 60
        assert (enclosure - arb(float(value))).abs_upper() <= STEPS * 2.0**-50


def test_replaying_the_answers_on_a_neighbour_shows_each_querys_difference() -> None:
    output, curator = recorded()
    replay = ReplayingCurator(NEIGHBOUR, ReplaceOne, curator.transcript, force="answers")
    assert np.array_equal(algorithm(replay), output), "the answers are forced"
    assert len(replay.queries) == STEPS
    for query, answer in zip(replay.queries, curator.transcript.answers, strict=True):
        distance = np.linalg.norm(query - answer.query)
        assert math.isclose(distance, np.linalg.norm(DATA - NEIGHBOUR) / 2, rel_tol=1e-12)
        assert 0 < distance <= answer.sensitivity.value


def test_planted_bug_replaying_noise_instead_of_answers_hides_nothing_but_moves_the_answers() -> None:
    """With the noise forced, the neighbours' runs drift apart, so later queries would differ by more than one step."""
    output, curator = recorded()
    replay = ReplayingCurator(NEIGHBOUR, ReplaceOne, curator.transcript, force="noise")
    assert not np.array_equal(algorithm(replay), output)
    distances = [
        float(np.linalg.norm(query - answer.query))
        for query, answer in zip(replay.queries, curator.transcript.answers, strict=True)
    ]
    assert distances == sorted(distances)
    assert distances[-1] > distances[0]


def test_the_observed_ledger_is_the_planned_one() -> None:
    _, curator = recorded()
    assert curator.ledger.event == canonical(Repeat(Gaussian(Fraction(3, 4)), STEPS))
    assert curator.ledger.adjacency is ReplaceOne


def test_planted_bug_a_step_less_is_another_ledger() -> None:
    _, curator = recorded()
    short = LiveCurator(DATA, ReplaceOne, np.random.default_rng(7))
    algorithm(short, STEPS - 1)
    assert short.ledger != curator.ledger


def test_an_answer_without_noise_is_written_down_as_such() -> None:
    curator = LiveCurator(DATA, ReplaceOne, np.random.default_rng(0))
    exact_answer = curator.gaussian(lambda data: data[0], sensitivity=ONE, std=0.0, label="exact")
    assert np.array_equal(exact_answer, DATA[0])
    assert curator.ledger.event == NonPrivate()


def test_a_curator_that_was_asked_nothing_spent_nothing() -> None:
    curator = LiveCurator(DATA, ReplaceOne, np.random.default_rng(0))
    curator.uniform_index(5, label="index")
    assert curator.ledger.event == Compose(())


# ------------------------------------------------------------------------------------ what is refused


@pytest.mark.parametrize("poison", [math.nan, math.inf, -math.inf])
def test_a_query_that_is_not_finite_is_refused_and_costs_nothing(poison: float) -> None:
    curator = RecordingCurator(np.array([1.0, poison]), ReplaceOne, np.random.default_rng(0))
    with pytest.raises(InvalidArgumentError, match="mean gradient"):
        curator.gaussian(lambda data: data, sensitivity=ONE, std=1.0, label="mean gradient")
    assert curator.transcript == Transcript(())
    assert curator.ledger.event == Compose(())


@pytest.mark.parametrize("value", [arb("nan"), arb("inf"), arb(0, math.inf)])
def test_a_ball_that_is_not_finite_is_refused(value: arb) -> None:
    array = np.array([ball(1), value], dtype=object)
    assert not all_finite(array)
    curator = ReplayingCurator(array, ReplaceOne, Transcript(()), force="noise", ops=BALL_ARRAY)
    with pytest.raises(InvalidArgumentError, match="finite"):
        curator.gaussian(lambda data: data, sensitivity=ONE, std=1.0, label="query")


@pytest.mark.parametrize("adjacency", [AddOrRemoveOne, ZeroOut])
def test_a_sensitivity_of_another_adjacency_is_refused(adjacency: type[Any]) -> None:
    curator: Curator[FloatArray, Any] = LiveCurator(DATA, adjacency, np.random.default_rng(0))
    with pytest.raises(InvalidArgumentError, match=f"l2 under {adjacency.name}"):
        curator.gaussian(lambda data: data[0], sensitivity=ONE, std=1.0, label="query")


def test_a_sensitivity_of_another_norm_is_refused() -> None:
    wrong: Any = Sensitivity(Fraction(1), L1, ReplaceOne)
    curator = LiveCurator(DATA, ReplaceOne, np.random.default_rng(0))
    with pytest.raises(InvalidArgumentError, match="l2"):
        curator.gaussian(lambda data: data[0], sensitivity=wrong, std=1.0, label="query")


@pytest.mark.parametrize("value", [1.0, None, [1.0, 2.0], np.array([1.0 + 2.0j]), np.zeros(0)])
def test_a_query_whose_value_is_no_array_of_real_numbers_is_refused(value: Any) -> None:
    curator = LiveCurator(DATA, ReplaceOne, np.random.default_rng(0))
    with pytest.raises(InvalidArgumentError, match=r"the mean = .*a query's value must"):
        curator.gaussian(lambda _: value, sensitivity=ONE, std=1.0, label="the mean")
    assert not list(leaves(curator.ledger.event))


@pytest.mark.parametrize("std", [-1.0, math.nan, math.inf, Fraction(1), "1", 10**400])
def test_a_standard_deviation_is_finite_and_not_negative(std: Any) -> None:
    curator = LiveCurator(DATA, ReplaceOne, np.random.default_rng(0))
    with pytest.raises(InvalidArgumentError, match="std"):
        curator.gaussian(lambda data: data[0], sensitivity=ONE, std=std, label="query")


def test_a_sensitivity_of_zero_is_refused() -> None:
    nothing = Sensitivity(Fraction(0), L2, ReplaceOne)
    curator = LiveCurator(DATA, ReplaceOne, np.random.default_rng(0))
    with pytest.raises(InvalidArgumentError, match="sensitivity"):
        curator.gaussian(lambda data: data[0], sensitivity=nothing, std=1.0, label="query")


@pytest.mark.parametrize("adjacency", ["replace-one", None, Adjacency, ReplaceOne()])
def test_a_curator_knows_its_adjacency(adjacency: Any) -> None:
    with pytest.raises(InvalidArgumentError, match=r"adjacency = .*must be ReplaceOne"):
        LiveCurator(DATA, adjacency, np.random.default_rng(0))


@pytest.mark.parametrize("count", [0, -3, 10**30, math.nan, 2.0, None])
def test_an_index_is_drawn_from_something(count: Any) -> None:
    curator = LiveCurator(DATA, ReplaceOne, np.random.default_rng(0))
    with pytest.raises(InvalidArgumentError, match="index"):
        curator.uniform_index(count, label="index")


@pytest.mark.parametrize("force", ["answers", "noise"])
def test_a_replay_past_the_end_is_refused(force: Any) -> None:
    _, curator = recorded()
    replay = ReplayingCurator(DATA, ReplaceOne, curator.transcript, force=force)
    with pytest.raises(InvalidArgumentError, match="no further answer"):
        algorithm(replay, STEPS + 1)


def test_an_index_past_the_end_of_the_recorded_ones_is_refused() -> None:
    replay = ReplayingCurator(DATA, ReplaceOne, Transcript((), (2,)), force="noise")
    assert replay.uniform_index(3, label="index") == 2
    with pytest.raises(InvalidArgumentError, match="no further index"):
        replay.uniform_index(3, label="index")


def test_a_recorded_index_outside_the_range_is_refused() -> None:
    replay = ReplayingCurator(DATA, ReplaceOne, Transcript((), (3,)), force="noise")
    with pytest.raises(InvalidArgumentError, match="range"):
        replay.uniform_index(3, label="index")


@pytest.mark.parametrize("force", ["answers", "noise"])
def test_a_replayed_query_of_another_shape_is_refused(force: Any) -> None:
    """Broadcasting would otherwise add one recorded draw to every coordinate."""
    recording = RecordingCurator(np.zeros(1), ReplaceOne, np.random.default_rng(0))
    recording.gaussian(lambda data: data, sensitivity=ONE, std=1.0, label="one coordinate")
    replay = ReplayingCurator(np.zeros(3), ReplaceOne, recording.transcript, force=force)
    with pytest.raises(InvalidArgumentError, match="shape"):
        replay.gaussian(lambda data: data, sensitivity=ONE, std=1.0, label="three coordinates")


def test_what_was_written_down_does_not_change_with_what_the_algorithm_does() -> None:
    recording = RecordingCurator(np.zeros(2), ReplaceOne, np.random.default_rng(0))
    buffer = np.zeros(2)
    answer = recording.gaussian(lambda _: buffer, sensitivity=ONE, std=1.0, label="query")
    seen = answer.copy()
    answer += 100.0
    buffer += 100.0
    kept = recording.transcript.answers[0]
    assert np.array_equal(kept.answer, seen)
    assert np.array_equal(kept.query, np.zeros(2))
    replay = ReplayingCurator(np.zeros(2), ReplaceOne, recording.transcript, force="answers", ops=FLOAT_ARRAY)
    forced = replay.gaussian(lambda data: data, sensitivity=ONE, std=1.0, label="query")
    forced += 100.0
    assert np.array_equal(kept.answer, seen)
