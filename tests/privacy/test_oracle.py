"""Every recorded question is answered, in every way and at few bits, by an interval that holds its truth."""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction

import pytest
from flint import arb, ctx

from dpref.privacy.accountants import accountants
from dpref.reals import DEFAULT_PRECISION, ball, precision, upper
from property_tests import oracle
from property_tests.oracle_quantities import QUANTITIES

RECORDED = oracle.recorded()


@pytest.mark.parametrize("question", RECORDED, ids=lambda q: str(q)[:60])
def test_a_recorded_truth_lies_in_every_interval(question: oracle.Question) -> None:
    found = oracle.answers(question)
    assert [text for answer in found if (text := answer.wrong(question))] == []
    assert {answer.way for answer in found} >= set(question.ways)


def test_nearly_every_question_is_answered_at_few_bits() -> None:
    few = [q for q in RECORDED if any(way.startswith("few bits") for way in q.ways)]
    assert len(few) >= 0.95 * len(RECORDED)


def test_every_quantity_and_every_accountant_is_asked() -> None:
    assert {q.ask for q in RECORDED} == {"certify", *QUANTITIES}
    ways = {name for q in RECORDED if q.ask == "certify" for name, _ in oracle._ways(q)}
    assert ways >= {a.name for a in accountants()} - {"rounds", "smoothing"}


def test_both_ends_of_most_truths_are_recorded() -> None:
    two = [q for q in RECORDED if Fraction(q.least) > 0 and q.most not in ("0", "inf")]
    assert len(two) > len(RECORDED) / 2


def test_planted_bug_an_end_that_is_a_last_digit_off_is_wrong() -> None:
    question = oracle.Question("upper", ("2", "53"), *QUANTITIES["upper"].truth("2", "53"))
    found, _ = oracle.answers(question)
    assert found.wrong(question) == ""
    assert replace(found, lower=found.upper).wrong(question) != ""
    assert replace(found, upper=found.lower).wrong(question) != ""


def test_at_few_bits_a_ball_is_wider_than_a_double_and_the_precision_is_restored() -> None:
    before = ctx.prec
    with oracle.few_bits(), precision(DEFAULT_PRECISION):
        assert upper(ball(Fraction(1, 3))) > math.nextafter(1 / 3, 1)
    assert ctx.prec == before
    with precision(DEFAULT_PRECISION):
        assert upper(ball(Fraction(1, 3))) == math.nextafter(1 / 3, 1) > arb(1) / 3


@pytest.mark.slow
@pytest.mark.parametrize("number", [1, 5, 37, 39])
def test_a_truth_is_computed_again_to_its_last_digit(number: int) -> None:
    question, curves = oracle.drawn("first", number)
    assert oracle.told(question, curves) in [replace(q, ways=()) for q in RECORDED]


@pytest.mark.slow
def test_planted_bug_a_fresh_answer_beyond_its_curve_is_wrong() -> None:
    question, curves = oracle.drawn("first", 1)
    found = oracle.answers(question)
    assert oracle.wrong(question, curves, found) == ""
    high = [replace(a, upper=a.upper * (1 - 1e-6), lower=0.0) for a in found if "curve" in a.way]
    assert "but at least" in oracle.wrong(question, curves, high)
