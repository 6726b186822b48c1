"""What a verdict on a callable promises: its error is spent once, bounds are printed on the safe side, limits said."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from numpy.random import Generator

from dpref.errors import InvalidArgumentError
from dpref.foreign import DPClaim, Judgement, audit_mechanism
from dpref.foreign.digits import down, short_down, short_up
from dpref.foreign.limits import ceiling
from dpref.foreign.one_run import OneRun
from dpref.foreign.report import Found
from dpref.reals import FloatArray
from dpref.units import ReplaceOne

COUNT = (np.zeros(9), np.eye(9)[0])
ONE = DPClaim(Fraction(1))
ERROR = Fraction(1, 1000)


def judged(f: Callable[..., Any], pair: Any = COUNT, claim: Any = ONE, **more: Any) -> Judgement:
    return audit_mechanism(
        f, pair, claim, **{"adjacency": ReplaceOne, "learn": False, "trials": 260, "bits": "off", **more}
    )


def coin(data: FloatArray, rng: Generator) -> bool:
    return bool(rng.random() < (0.8 if data.sum() else 0.2))


# ------------------------------------------------------------------------------------ the error


def test_values_and_bits_share_one_error_where_both_may_refute() -> None:
    """The wealth of the values, whatever it is, is enough for their whole error, and not for half of it."""
    claim = DPClaim(Fraction(1, 2))
    shown = judged(coin, claim=claim, bits="report").statement("values")
    assert shown is not None
    assert shown.e_value > 10
    error = Fraction(1, math.floor(shown.e_value))
    alone, shared = (judged(coin, claim=claim, error=error, bits=bits) for bits in ("report", "refute"))
    assert (alone.outcome, alone.statement("values").refuted) == ("refuted", True)  # type: ignore[union-attr]
    assert not shared.statement("values").refuted  # type: ignore[union-attr]
    twice = judged(coin, claim=claim, error=2 * error, bits="refute").statement("values")
    assert twice is not None
    assert twice.refuted
    assert shared.ceiling == ceiling(claim, 260, error / 2) < alone.ceiling


def test_the_report_says_whose_the_error_is() -> None:
    report, refute = ("\n".join(judged(coin, bits=bits).lines()) for bits in ("report", "refute"))
    assert "error 0.001 of each statement" in report
    assert "error 0.001 of a refutation (0.0005 by the values, 0.0005 by the bits) and of the control" in refute


# ------------------------------------------------------------------------------------ few digits


@pytest.mark.parametrize("x", [0.60541, 0.29, 0.605, 1e-9, 0.0, 5.4499999, 2.0**-30, 123456.789, 700.0])
def test_bounds_are_printed_on_the_side_on_which_they_are_true(x: float) -> None:
    exact = Fraction(repr(x))
    for places in (2, 3):
        assert exact - Fraction(1, 10**places) < Fraction(down(x, places)) <= exact
    assert exact * Fraction(999, 1000) <= Fraction(short_down(x, 4)) <= exact
    assert exact <= Fraction(short_up(x, 4)) <= exact * Fraction(1001, 1000)


def test_no_report_prints_more_than_was_shown() -> None:
    found = Found("values", refuted=False, e_value=999.9, at=None, lower=0.60541, event="x > 0", counts=(1, 2, 3))
    said = Judgement("not refuted", "", "f", ONE, ReplaceOne, "", 1, ERROR, 0, 0.60541, 1.999, 9, statements=(found,))
    text = "\n".join(said.lines())
    for words in ("at least 0.60; these runs could have shown 1.99", "wealth 999 "):
        assert words in text
    one = str(OneRun(ONE, 9, 4, 2, 0.0010004, 0.60541, 1.9999, ERROR, 0, "f"))
    for words in ("p = 0.00101", "at least 0.605;", "would have shown 1.999,"):
        assert words in one


# ------------------------------------------------------------------------------------ what cannot be


def test_a_claim_that_no_number_of_runs_could_refute_is_said_to_be_one() -> None:
    found = judged(lambda data, rng: rng.normal(), claim=DPClaim(Fraction(800)))
    assert (found.outcome, found.needed) == ("not refuted", None)
    assert found.reason == "this claim cannot be refuted by any number of runs"


def test_there_may_be_no_limit_of_time() -> None:
    assert judged(coin, limit=math.inf).outcome == "not refuted"
    with pytest.raises(InvalidArgumentError, match="limit"):
        judged(coin, limit=math.nan)


class Tensor:
    """Data on another device, or with a gradient."""

    def __array__(self, *args: Any, **more: Any) -> Any:
        raise RuntimeError("it requires a gradient")

    def __reduce__(self) -> Any:
        raise TypeError("it is elsewhere")


@pytest.mark.parametrize("data", [Tensor(), [Tensor()], {"x": Tensor()}])
def test_data_that_cannot_be_looked_into_are_the_callers_word(data: Any) -> None:
    found = judged(lambda data, rng: bool(rng.integers(2)), (data, data))
    assert found.outcome == "not refuted"
    assert any("the caller's word" in warning for warning in found.warnings)


def sometimes(data: FloatArray, rng: Generator, n: int) -> FloatArray:
    if rng.random() < 0.3:
        raise ValueError("no")
    return rng.normal(size=n)


@pytest.mark.parametrize(
    ("f", "words"),
    [
        (sometimes, "raised ValueError: no (in runs "),
        (lambda data, rng, n: 1.0, "returned a float: a batch must be an array or a list, or a tuple"),
        (lambda data, rng, n: "a" * n, "returned a str: a batch must be"),
        (lambda data, rng, n: np.array(1.0), "returned an array of shape (): axis 0 must count the 100 runs"),
        (lambda data, rng, n: {"a": np.zeros(n), "b": None}, "returned a NoneType: a batch must be"),
    ],
)
def test_a_batch_that_is_none_is_an_error_that_says_so(f: Any, words: str) -> None:
    """An exception of a batch says nothing of any of its runs: counted n times, it would be n times itself."""
    for exceptions in ("stop", "output"):
        found = judged(f, batched=True, exceptions=exceptions)
        assert found.outcome == "error"
        assert words in found.reason


class Broken(dict[str, float]):
    def __getitem__(self, key: str) -> float:
        raise KeyError(key)


def test_an_output_that_cannot_be_read_is_named_with_its_run_also_where_there_is_a_score() -> None:
    for score in (None, lambda outputs: [1.0] * len(outputs)):
        found = judged(lambda data, rng: Broken(a=1.0), score=score)
        assert found.outcome == "error"
        assert "returned a Broken that cannot be read (KeyError: 'a') (in run 0, on the first data set)" in found.reason
        batch = judged(lambda data, rng, n: 1.0, score=score, batched=True)
        assert "returned a float: a batch must be" in batch.reason


def test_a_text_that_is_always_new_is_warned_of() -> None:
    found = judged(lambda data, rng: ("yes" if data.sum() else "no", rng.bytes(8).hex()))
    assert found.outcome == "refuted"
    assert any(w.startswith("text 1 is new in most runs") for w in found.warnings)
    assert not judged(coin).warnings


@pytest.mark.slow
def test_a_rare_large_number_in_a_batch_refutes_nothing_correct() -> None:
    """Epsilon is 0.993: numbers beyond 2**53 in some batches are no other structure of the ones beside them."""

    def f(data: FloatArray, rng: Generator, n: int) -> Any:
        return np.where(rng.random(n) < (0.027 if data.sum() else 0.01), 2**60, 1)

    found = judged(f, batched=True, trials=4_000, seed=1, bits="off")
    assert (found.outcome, found.lower < 0.993) == ("not refuted", True)
