"""The exponential mechanism and the curator's selections: the law, the tape, what is spent, and what is refused."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from dpref.curator import Held, LiveCurator, RecordingCurator, ReplayingCurator, Selection
from dpref.errors import InvalidArgumentError
from dpref.mechanisms.exponential import (
    bounded_range_zcdp,
    gumbel_max,
    gumbel_scale,
    permute_and_flip,
    permute_and_flip_probabilities,
    selection_range,
    softmax,
)
from dpref.privacy.events.ledger import Exponential, Ledger, Repeat
from dpref.privacy.renyi.accountant import event_curve
from dpref.reals import BALL_ARRAY, FLOAT_ARRAY, RATIONAL, FloatArray, exact, precision
from dpref.units import L2, AddOrRemoveOne, Linf, ReplaceOne, Sensitivity

SCORES = np.array([0.5, -1.0, 2.0, 0.0])
HALF = Sensitivity(Fraction(1, 2), Linf, ReplaceOne)
DRAWS = 40_000


def ask(curator: Any, draws: int = 1, epsilon: Fraction = Fraction(1)) -> Any:
    return curator.select(lambda data: data, sensitivity=HALF, epsilon=epsilon, label="best", draws=draws)


def within(found: FloatArray, law: FloatArray) -> bool:
    """Every frequency within five standard errors: a true law fails with probability below 1e-5."""
    return bool((np.abs(found - law) < 5 * np.sqrt(law * (1 - law) / DRAWS)).all())


def test_selections_follow_the_exponential_law() -> None:
    for epsilon, factor in ((Fraction(1), 1.0), (Fraction(1, 2), 0.5)):
        chosen = ask(LiveCurator(SCORES, ReplaceOne, np.random.default_rng(1)), DRAWS, epsilon)
        found = np.bincount(chosen, minlength=4) / DRAWS
        assert within(found, softmax(FLOAT_ARRAY, factor * SCORES))
        assert not within(found, softmax(FLOAT_ARRAY, 2 * factor * SCORES))


def test_permute_and_flip_follows_its_own_law() -> None:
    scores, rng = np.array([0.0, -0.7]), np.random.default_rng(2)
    chosen = [permute_and_flip(scores, 1.0, rng) for _ in range(DRAWS)]
    law = np.array(permute_and_flip_probabilities(FLOAT_ARRAY, (np.array(1.0), np.exp(-0.7))), dtype=float)
    assert within(np.bincount(chosen, minlength=2) / DRAWS, law)
    assert law.sum() == pytest.approx(1)
    assert law[0] > softmax(FLOAT_ARRAY, scores)[0], "never worse in expected score"


def test_permute_and_flip_has_no_bounded_range() -> None:
    """Two candidates, scores moving by 1 in opposite directions at scale 2: range above epsilon = 1, within 2."""
    before, after = (permute_and_flip_probabilities(RATIONAL, (Fraction(1), a)) for a in (Fraction(1, 2), Fraction(1)))
    ratios = [math.log(p / q) for p, q in zip(before, after, strict=True)]
    moved = math.log(2)  # the gap moved by this much, so epsilon = moved at this scale
    assert max(map(abs, ratios)) <= moved
    assert max(ratios) - min(ratios) > moved


def test_scales_round_up_and_formulas_agree() -> None:
    third = Sensitivity(Fraction(1, 3), Linf, ReplaceOne)
    scale = gumbel_scale(third, Fraction(1, 7))
    assert Fraction(14, 3) <= exact(scale) < Fraction(14, 3) * (1 + Fraction(1, 2**52))
    assert selection_range(RATIONAL, Fraction(1, 2), Fraction(1)) == 1
    assert bounded_range_zcdp(RATIONAL, Fraction(4)) == 2
    for order in (Fraction(11, 10), Fraction(2), Fraction(50)):
        assert event_curve(Exponential(Fraction(4)), ReplaceOne).at(order).upper <= 2 * order


def test_a_recorded_selection_is_what_live_draws_and_replays() -> None:
    live = ask(LiveCurator(SCORES, ReplaceOne, np.random.default_rng(3)), 5)
    recorder = RecordingCurator(SCORES, ReplaceOne, np.random.default_rng(3))
    assert np.array_equal(ask(recorder, 5), live)
    (entry,) = recorder.transcript.answers
    assert isinstance(entry, Selection)
    assert np.array_equal(entry.reproduced(), live)
    assert entry.scale == entry.epsilon == 1
    assert entry.sensitivity == HALF
    assert entry.noise.shape == (5, 4)
    assert recorder.transcript.noise().tobytes() == entry.noise.tobytes()  # choices stand end to end
    assert recorder.ledger == Ledger(Repeat(Exponential(Fraction(1)), 5), ReplaceOne)
    again = ReplayingCurator(SCORES, ReplaceOne, recorder.transcript, force="noise")
    assert np.array_equal(ask(again, 5), live)
    other = -SCORES
    forced = ReplayingCurator(other, ReplaceOne, recorder.transcript, force="answers")
    assert np.array_equal(ask(forced, 5), live)
    assert np.array_equal(forced.queries[0], other)
    with precision(100):
        balls = ReplayingCurator(BALL_ARRAY.lift(SCORES), ReplaceOne, recorder.transcript, force="noise")
        assert np.array_equal(ask(balls, 5), live)


def test_held_scores_grow_without_being_seen() -> None:
    curator = LiveCurator(SCORES, ReplaceOne, np.random.default_rng(0))
    held = curator.hold(lambda data: 1000 * data, label="first")
    more = curator.hold(lambda data, old: old + data, given=held, label="second")
    chosen = curator.select(
        lambda data, old: old - data, given=more, sensitivity=HALF, epsilon=Fraction(1), label="best", draws=3
    )
    assert chosen.tolist() == [2, 2, 2]
    assert curator.ledger == Ledger(Repeat(Exponential(Fraction(1)), 3), ReplaceOne)


def test_planted_bug_a_choice_without_its_noise_is_not_the_recorded_one() -> None:
    recorder = RecordingCurator(np.zeros(4), ReplaceOne, np.random.default_rng(3))
    ask(recorder, 20)
    (entry,) = recorder.transcript.answers
    quiet = [gumbel_max(entry.query, 0 * row, entry.scale) for row in entry.noise]
    assert not np.array_equal(quiet, entry.answer)


@pytest.mark.parametrize(
    "call",
    [
        lambda c: ask(c, 0),
        lambda c: ask(c, epsilon=Fraction(0)),
        lambda c: c.select(lambda d: d, sensitivity=Sensitivity(Fraction(1), L2, ReplaceOne), epsilon=1, label="l2"),
        lambda c: c.select(
            lambda d: d, sensitivity=Sensitivity(Fraction(1), Linf, AddOrRemoveOne), epsilon=1, label="other"
        ),
        lambda c: c.select(lambda d: d, sensitivity=Sensitivity(Fraction(0), Linf, ReplaceOne), epsilon=1, label="0"),
        lambda c: c.select(lambda d: d / 0, sensitivity=HALF, epsilon=Fraction(1), label="infinite"),
        lambda c: c.select(lambda d: d[None], sensitivity=HALF, epsilon=Fraction(1), label="two axes"),
        lambda c: c.hold(lambda d, h: d + h, given=Held(3, "x"), label="no handle"),
    ],
)
def test_bad_input_is_refused(call: Callable[[Any], object]) -> None:
    with np.errstate(all="ignore"), pytest.raises(InvalidArgumentError):
        call(LiveCurator(SCORES, ReplaceOne, np.random.default_rng(0)))


def test_a_transcript_of_another_kind_is_refused() -> None:
    recorder = RecordingCurator(SCORES, ReplaceOne, np.random.default_rng(3))
    ask(recorder)
    replay = ReplayingCurator(SCORES, ReplaceOne, recorder.transcript, force="answers")
    with pytest.raises(InvalidArgumentError, match="Answer"):
        replay.gaussian(lambda d: d, sensitivity=Sensitivity(Fraction(1), L2, ReplaceOne), std=1.0, label="gaussian")
    with pytest.raises(InvalidArgumentError, match="shape"):
        ask(replay, 2)
    ask(replay)
    with pytest.raises(InvalidArgumentError, match="further"):
        ask(replay)
