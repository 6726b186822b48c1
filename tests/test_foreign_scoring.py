"""The caller's score: of each output by itself, whatever it does with several, or an error."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
import pytest
from numpy.random import Generator

from dpref.errors import ForeignCodeError
from dpref.foreign import DPClaim, audit_mechanism
from dpref.foreign.scoring import one_of, scores_of
from dpref.reals import FloatArray
from dpref.units import ReplaceOne

PAIR = (np.zeros(3), np.eye(3)[0])
OUTPUTS = [0.5, -2.0, 7.0, 7.0]


class Two(NamedTuple):
    a: Any
    b: Any


@dataclass(frozen=True)
class Fixed:
    a: Any


MIXING: dict[str, Callable[[Any], Any]] = {
    "the mean": lambda o: np.full(len(o), np.mean(o)),
    "less the mean": lambda o: np.array(o) - np.mean(o),
    "standardised": lambda o: (np.array(o) - np.mean(o)) / (np.std(o) + 1e-9),
    "by rank": lambda o: np.argsort(np.argsort(o)),
    "from least to most": lambda o: (np.array(o) - np.min(o)) / (np.ptp(o) + 1e-9),
    "less the largest": lambda o: np.array(o) - np.max(o),
    "NaN among others": lambda o: np.array(o) * (1.0 if len(o) == 1 else np.nan),
    "one more number": lambda o: np.zeros((len(o), 1 if len(o) == 1 else 2)),
}


@pytest.mark.parametrize("score", MIXING.values(), ids=MIXING)
def test_planted_bug_a_score_that_mixes_outputs_is_refused(score: Callable[[Any], Any]) -> None:
    for outputs in (OUTPUTS, np.array(OUTPUTS)):
        with pytest.raises(
            ForeignCodeError, match="another score among 4 outputs than alone: it must score each output"
        ):
            scores_of(score, outputs, 4)


@pytest.mark.parametrize("batched", [False, True])
def test_a_correct_mechanism_is_not_refuted_by_a_score_that_mixes_outputs(batched: bool) -> None:
    def f(data: FloatArray, rng: Generator, *n: int) -> Any:
        return data.sum() + rng.laplace(size=n or None)

    found = audit_mechanism(
        f,
        PAIR,
        DPClaim(Fraction(1)),
        adjacency=ReplaceOne,
        learn=False,
        trials=300,
        batched=batched,
        score=MIXING["less the mean"],
    )
    assert found.outcome == "error"
    among = 100 if batched else 20  # of a chunk
    assert f"gives an output another score among {among} outputs than alone" in found.reason


def test_scores_are_those_of_each_output_alone_to_the_last_bit() -> None:
    """A vectorised density may differ from batch to batch in its last bits, and with them on which side of an edge."""

    def score(outputs: Any) -> FloatArray:
        return np.array(outputs) * (1 + 1e-13 * len(outputs))

    apart = np.array([score([output])[0] for output in OUTPUTS])
    assert scores_of(score, OUTPUTS, 4)[:, 0].tobytes() == apart.tobytes() != score(OUTPUTS).tobytes()


def test_a_score_that_is_about_zero_need_not_be_zero_to_the_last_bit() -> None:
    assert scores_of(lambda o: np.zeros(len(o)) + (0.0 if len(o) == 1 else 1e-17), OUTPUTS, 4).tolist() == [[0.0]] * 4


@pytest.mark.parametrize(
    "score", [np.abs, lambda o: np.array([[x, -x] for x in o]), lambda o: np.squeeze(np.array(o)), np.log]
)
def test_scores_may_be_several_infinite_or_undefined(score: Callable[[Any], Any]) -> None:
    with np.errstate(all="ignore"):
        outputs = [0.0, -1.0, 2.0]
        assert np.array_equal(scores_of(score, outputs, 3), np.reshape(score(outputs), (3, -1)), equal_nan=True)


def test_what_a_score_does_to_its_outputs_does_not_reach_those_of_other_runs() -> None:
    outputs = [3.0, 1.0, 2.0]

    def score(given: list[float]) -> FloatArray:
        scores = np.array(given)
        given.sort()
        return scores

    scores_of(score, outputs, 3)
    assert outputs == [3.0, 1.0, 2.0]


@pytest.mark.parametrize(
    ("batch", "one"),
    [
        (np.arange(3), np.array([1])),
        ([(), (1,), ()], [(1,)]),
        ((np.arange(3), [4, 5, 6]), (np.array([1]), [5])),
        (Two(np.arange(3), {"k": np.arange(6).reshape(3, 2)}), Two(np.array([1]), {"k": np.array([[2, 3]])})),
        (Fixed(np.arange(3)), Fixed(np.array([1]))),
    ],
)
def test_one_run_of_a_batch_has_its_form(batch: Any, one: Any) -> None:
    found = one_of(batch, 1)
    assert type(found) is type(one)
    assert repr(found) == repr(one)
