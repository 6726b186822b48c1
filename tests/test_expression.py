"""Event expressions: exact numbers, errors with their position, limits, templates; nothing is evaluated."""

from __future__ import annotations

import json
import sys
import typing
from collections.abc import Callable
from fractions import Fraction
from importlib.resources import files
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from dpref.errors import ExpressionError, InvalidArgumentError
from dpref.privacy.events.custom_file import read_custom
from dpref.privacy.events.expression import (
    MOST_ANSWERS,
    event_kinds,
    format_event,
    parse_event,
    parse_number,
    parse_template,
)
from dpref.privacy.events.ledger import Compose, Event, Gaussian, NonPrivate, Repeat
from dpref.privacy.events.walks import answers, normal_form, parts

ONE, TWO = Gaussian(Fraction(1)), Gaussian(Fraction(2))


@pytest.mark.parametrize(
    ("text", "event"),
    [
        ("nonprivate()", NonPrivate()),
        ("gaussian(noise_multiplier=1)", ONE),
        ("gaussian(1)", ONE),
        (" gaussian (\n noise_multiplier = 1/2 ) ", Gaussian(Fraction(1, 2))),
        ("gaussian(0.1)", Gaussian(Fraction(1, 10))),
        ("gaussian(1e-10)", Gaussian(Fraction(1, 10**10))),
        ("gaussian(2.5E+2)", Gaussian(Fraction(250))),
        ("gaussian(+.5/0.25)", Gaussian(Fraction(2))),
        ("compose()", Compose(())),
        ("compose(gaussian(1), gaussian(2))", Compose((ONE, TWO))),
        ("compose(gaussian(1), 1e5)", Repeat(ONE, 100_000)),
        ("compose(gaussian(1), count=4/2)", Repeat(ONE, 2)),
        ("compose(compose(gaussian(1), gaussian(2)), 3)", Repeat(Compose((ONE, TWO)), 3)),
    ],
)
def test_what_an_expression_says(text: str, event: Event) -> None:
    assert parse_event(text) == event


@pytest.mark.parametrize(
    ("text", "position", "rule"),
    [
        ("", 0, "must be an event"),
        ("1", 0, "must be an event"),
        ("gaussian", 8, "must be '('"),
        ("gausian(1)", 0, "must be one of "),
        ("gaussian(1", 10, "must be ',' or ')'"),
        ("gaussian(1))", 11, "nothing may follow"),
        ("gaussian(1) gaussian(1)", 12, "nothing may follow"),
        ("gaussian(1,)", 11, "must be an exact number"),
        ("gaussian()", 0, "needs noise_multiplier"),
        ("gaussian(sigma=1)", 15, "gaussian takes noise_multiplier"),
        ("gaussian(1, 2)", 12, "gaussian takes noise_multiplier"),
        ("gaussian(1, noise_multiplier=2)", 29, "given twice"),
        ("gaussian(0)", 0, "must be positive"),
        ("gaussian(-1)", 0, "must not be negative"),
        ("gaussian(1/0)", 11, "must not divide by zero"),
        ("gaussian(1/0.0e5)", 11, "must not divide by zero"),
        ("gaussian(nan)", 9, "must be an exact number"),
        ("gaussian(inf)", 9, "must be an exact number"),
        ("gaussian(1e)", 10, "must be ',' or ')'"),
        ("gaussian(0x10)", 10, "must be ',' or ')'"),
        ("gaussian(1_000)", 10, "must be ',' or ')'"),
        ("gaussian(\N{ARABIC-INDIC DIGIT ONE})", 9, "must be a name, a number"),
        ("gaussian(1 + 1)", 11, "must be ',' or ')'"),
        ("gaussian(2**8)", 11, "must be an exact number"),
        ("gaussian(1*1*1*1*1*1*1*1*1)", 25, "must not have more than 8 factors"),
        ("gaussian([1])", 9, "must be an exact number"),
        ("gaussian(gaussian(1))", 9, "noise_multiplier is not an event"),
        ("gaussian(?)", 9, "only in a calibration"),
        ("compose(gaussian(1), 1/2)", 21, "must be an integer"),
        ("compose(gaussian(1), 0)", 0, "must be at least 1"),
        ("compose(gaussian(1), -3)", 0, "must be at least 1"),
        ("compose(3, gaussian(1))", 11, "compose takes events, or one event and a count"),
        ("compose(gaussian(1), gaussian(1), 3)", 34, "compose takes events, or one event and a count"),
        ("compose(gaussian(1), times=3)", 27, "compose takes events, or one event and a count"),
        ("compose(count=3)", 14, "compose takes events, or one event and a count"),
        ("compose(3)", 8, "compose takes events, or one event and a count"),
        ("gaussian(1e1201)", 9, "must have an exponent between"),
        ("gaussian(1e" + "9" * 50 + ")", 9, "must have an exponent between"),
        ("gaussian(" + "1" * 4001 + ")", 9, "characters"),
        ("compose(compose(gaussian(1), 10000000000), 10000000000)", 0, "must not describe more than"),
        ("__import__('os').system('true')", 11, "must be a name, a number"),
        ("gaussian.__class__(1)", 8, "must be a name, a number"),
    ],
)
def test_what_is_refused_and_where(text: str, position: int, rule: str) -> None:
    with pytest.raises(ExpressionError) as caught:
        parse_event(text)
    assert caught.value.position == position
    assert rule in caught.value.rule
    assert str(caught.value).startswith(f"column {position + 1}, ")
    assert "\n" not in str(caught.value)


def calls(work: Callable[[], object]) -> int:
    """How many functions are called, Python's own among them: a measure of work that no other process disturbs."""
    count = 0

    def seen(_: object, event: str, __: object) -> None:
        nonlocal count
        count += event in ("call", "c_call")

    sys.setprofile(seen)
    try:
        work()
    finally:
        sys.setprofile(None)
    return count


@pytest.mark.slow
@pytest.mark.parametrize(
    "bomb",
    [
        "compose(" * 10_000,
        "compose(" * 5000 + "gaussian(1)" + ", 10)" * 5000,
        "gaussian(" + "1" * 90_000 + ")",
        "gaussian(1" + "/1" * 40_000 + ")",
        "x" * 1_000_001,
        "(" * 90_000,
    ],
    ids=lambda text: text[:12],
)
def test_a_text_that_is_refused_costs_at_most_a_few_calls_a_character(bomb: str) -> None:
    def refused() -> None:
        with pytest.raises(ExpressionError):
            parse_event(bomb)

    assert calls(refused) <= 10 * len(bomb)


def test_planted_bug_work_that_grows_like_the_square_is_seen() -> None:
    text = "(" * 100
    assert calls(lambda: [c.isspace() for i in range(len(text)) for c in text[i:]]) > 10 * len(text)


@pytest.mark.slow
def test_no_short_text_costs_much() -> None:
    wide = "compose(" + ", ".join(f"gaussian({i + 1})" for i in range(5000)) + ")"
    assert calls(lambda: parse_event("gaussian(1e1200/1e-1200)")) < 1000
    assert parse_event("gaussian(1e1200/1e-1200)") == Gaussian(Fraction(10**2400))
    assert parse_event(f"compose(gaussian(1), {MOST_ANSWERS})") == Repeat(ONE, MOST_ANSWERS)
    assert calls(lambda: normal_form(parse_event(wide))) < 30 * len(wide)
    assert len(parts(normal_form(parse_event(wide)))) == 5000


def test_text_only() -> None:
    for wrong in (None, 3, b"gaussian(1)", ["gaussian(1)"]):
        with pytest.raises(InvalidArgumentError):
            parse_event(wrong)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("event", "text"),
    [
        (Repeat(Repeat(ONE, 2), 3), "compose(gaussian(noise_multiplier=1), 6)"),
        (Repeat(ONE, 1), "gaussian(noise_multiplier=1)"),
        (
            Compose((Compose((ONE,)), Compose(()), Repeat(ONE, 2), TWO)),
            "compose(compose(gaussian(noise_multiplier=1), 3), gaussian(noise_multiplier=2))",
        ),
        (
            Repeat(Compose((ONE, TWO)), 10**9),
            "compose(compose(gaussian(noise_multiplier=1), gaussian(noise_multiplier=2)), 1000000000)",
        ),
        (Repeat(Compose(()), 10**9), "compose()"),
    ],
)
def test_the_canonical_form(event: Event, text: str) -> None:
    assert format_event(event) == text
    assert parse_event(text) == normal_form(event)


def test_answers_multiply() -> None:
    assert answers(Compose(())) == 0
    assert answers(Repeat(Compose((ONE, Repeat(TWO, 5))), 7)) == 42
    deep: Event = ONE
    for _ in range(500):
        deep = Compose((deep, ONE))
    with pytest.raises(InvalidArgumentError, match="nested deeper"):
        format_event(deep)


def test_every_event_class_has_one_name() -> None:
    assert len(event_kinds()) == len(typing.get_args(Event)) - 3
    assert not {"compose", "parallel"} & set(event_kinds())


@pytest.mark.parametrize(
    ("text", "parameter", "integral"),
    [
        ("gaussian(?)", "noise_multiplier", False),
        ("compose(gaussian(noise_multiplier=?), 1000)", "noise_multiplier", False),
        ("compose(gaussian(noise_multiplier=1), ?)", "count", True),
        ("compose(compose(gaussian(1), count=?), gaussian(2))", "count", True),
    ],
)
def test_templates(text: str, parameter: str, integral: bool) -> None:
    template = parse_template(text)
    assert (template.parameter, template.integral) == (parameter, integral)
    assert template.fill(7) == parse_event(text.replace("?", "7"))
    with pytest.raises(InvalidArgumentError, match="value"):
        template.fill(Fraction(-1, 3))


@pytest.mark.parametrize(
    "text",
    [
        "gaussian(1)",
        "compose(gaussian(?), ?)",
        "gaussian(?/2)",
        "gaussian(1/?)",
        "?",
        "compose(?)",
        "gausian(?)",
        "compose(gaussian(?), gaussian(-1))",
    ],
)
def test_what_is_no_template(text: str) -> None:
    with pytest.raises(ExpressionError):
        parse_template(text)


def test_numbers_are_exact() -> None:
    assert parse_number("0.1") == Fraction(1, 10)
    assert parse_number("1e-400") == Fraction(1, 10**400)
    for wrong in ("", "1/0", "1 2", "?", "nan", "1e9999", "one"):
        with pytest.raises(InvalidArgumentError, match="delta = "):
            parse_number(wrong, "delta")


def test_the_schema_takes_a_decimal_number_as_the_reader_does(tmp_path: Path) -> None:
    text = '{"name": "mine", "replace-one": {"log-weights": [[0, 0.75], ["3/4", 0]]}}'
    rules = json.loads(files("dpref").joinpath("schemas/custom.schema.json").read_text("utf-8"))
    Draft202012Validator(rules).validate(json.loads(text))
    (tmp_path / "mine.json").write_text(text)
    assert read_custom(str(tmp_path / "mine.json")).name == "mine"
