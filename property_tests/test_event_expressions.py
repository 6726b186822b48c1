"""A sample of the generated expressions, what they have found, and the mistakes that their check must see."""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest

from dpref.privacy.accountants import certify
from dpref.privacy.interval import Interval
from property_tests import event_expressions
from property_tests.certified_questions import Asked, Case, Truth
from property_tests.event_expressions import answered, drawn, ends, main
from property_tests.independent_laws import NORMAL, either_way

MILLIONTH = Fraction(1, 10**6)
ONE, ZEROTH = Fraction(1), Fraction(0)
KNOWN = Case("gaussian", "gaussian(1)", "zero-out", Truth(either_way(NORMAL, [(ONE, ONE)], [(ONE, ZEROTH)])))


def test_a_sample_of_expressions_is_answered_or_refused() -> None:
    found = list(ends(2, range(60)))
    assert [(ended.text, ended.problem) for ended in found if ended.problem] == []
    kinds = Counter(ended.kind for ended in found)
    assert min(kinds["answer"], kinds["ExpressionError"]) > 8  # it is no sample of mistakes alone


@pytest.mark.slow
def test_a_larger_sample_of_expressions_is_answered_or_refused() -> None:
    found = list(ends(3, range(600)))
    assert [(ended.text, ended.problem) for ended in found if ended.problem] == []


@pytest.mark.parametrize(
    ("text", "adjacency"),
    [
        ("variance_reduced_gaussian(7/3, batch=1e16, records=1e400)", "replace-one"),  # its rate is no double
        ("discrete_gaussian(1, sensitivity=1e400)", "zero-out"),  # a ball with more integers than can be counted
        ("shuffled(gaussian(1e-400), 20)", "zero-out"),  # shifts that are no doubles
        ("shuffled(gaussian(1), 1e400)", "zero-out"),  # more batches than a double is near
        ("sample_with_replacement(gaussian(3), batch=1e400, records=100)", "replace-one"),
        ("toeplitz_gaussian(1, coefficients=[1, 1e400], steps=100, inverse=true)", "replace-one"),  # 4300 digits
        # At epsilon of 265 its delta is less than 2^-10000.
        ("compose(poisson(gaussian(3), rate=1e-6), 500000)", "zero-out"),
        ("compose(prefix_sum_sqrt(1e12, steps=1, min_separation=1000, rate=0.1), 1e12)", "zero-out"),  # nor memory
        ("tree_gaussian(2, leaves=1e400, max_participations=10, min_separation=1e15)", "add-or-remove-one"),  # as high
        # Losses of 1/2 on a grid that a mass of 1e-400 beside them makes fine.
        ("compose(randomized_response(1/2), randomized_response(1/2, categories=1e400))", "replace-one"),
    ],
)
def test_what_ended_badly_once_does_not(text: str, adjacency: str) -> None:
    assert answered(text, adjacency, MILLIONTH, None).problem == ""
    assert answered(text, adjacency, None, Fraction(1, 4)).problem == ""
    assert answered(text, adjacency, None, Fraction(265)).problem == ""


# ------------------------------------------------------------------------------------ planted bugs


def fails(*_: Any, **__: Any) -> Interval:
    raise ZeroDivisionError


def hangs(*_: Any, **__: Any) -> Interval:
    while True:
        pass


def too_small(*arguments: Any, **named: Any) -> Interval:
    found = certify(*arguments, **named)
    return replace(found, lower=found.lower / 2, upper=found.upper * (1 - 1e-6))


def test_planted_bug_an_exception_is_a_finding() -> None:
    assert "ZeroDivisionError" in answered("gaussian(1)", "zero-out", MILLIONTH, None, ask=fails).problem


def test_planted_bug_a_hang_is_a_finding(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(event_expressions, "SECONDS", 0.05)
    assert "lasts longer" in answered("gaussian(1)", "zero-out", MILLIONTH, None, ask=hangs).problem


def test_planted_bug_an_answer_below_the_truth_is_a_finding() -> None:
    question = Asked(KNOWN, MILLIONTH, None)
    assert answered("gaussian(1)", "zero-out", MILLIONTH, None, question).problem == ""
    assert "too small" in answered("gaussian(1)", "zero-out", MILLIONTH, None, question, too_small).problem


def test_planted_bug_a_text_that_reads_back_otherwise_is_a_finding(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(event_expressions, "format_event", lambda event: f"compose({event}, 2)")
    assert "reads back otherwise" in answered("gaussian(1)", "zero-out", MILLIONTH, None).problem


def test_the_same_seed_draws_the_same_texts() -> None:
    first, again = ([drawn(random.Random(f"5/{k}"))[:2] for k in range(20)] for _ in range(2))  # noqa: S311
    assert first == again


def test_the_command_says_what_it_found(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--count", "20", "--seed", "2"]) == 0
    assert "20 expressions, seed 2: 0 findings" in capsys.readouterr().out
