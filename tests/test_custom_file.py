"""A mechanism of the user's own in a file and in a text: read with care, marked in every answer, or refused."""

from __future__ import annotations

import json
import os
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from dpref.cli import app
from dpref.errors import ExpressionError, InvalidArgumentError
from dpref.privacy.events.custom import CurvePair, Custom, FinitePair
from dpref.privacy.events.custom_file import read_custom
from dpref.privacy.events.expression import parse_event, parse_template
from dpref.privacy.events.ledger import Repeat
from dpref.privacy.pld.pairs import gaussian_pair


def invoke(*arguments: str) -> tuple[int, str]:
    result = CliRunner().invoke(app, arguments)
    return result.exit_code, result.output


def test_the_command_line_reads_a_file_and_marks_what_it_answers(tmp_path: Path) -> None:
    path = tmp_path / "mine.json"
    path.write_text(
        '{"name": "mine", "replace-one": {"probabilities": [[0.75, "1/4"], ["1/4", 0.75]], "attained": true}}'
    )
    common = ("--adjacency", "replace-one", "--delta", "1e-6")
    code, text = invoke("certify", f'compose(custom("{path}"), gaussian(2))', *common)
    assert code == 0
    assert "(assumed: mine)" in text
    assert "assumed    mine: all of this holds if" in text
    document = json.loads(invoke("certify", f'custom("{path}")', *common, "--json")[1])
    assert document["assumed"] == ["mine"]
    assert parse_event(document["event"]) == read_custom(str(path))
    code, text = invoke("calibrate", f'compose(custom("{path}"), ?)', *common, "--epsilon", "6", "--digits", "1")
    assert code == 0
    assert "(assumed: mine): within 6" in text
    assert "assumed    mine: all of this holds if" in text


@pytest.mark.parametrize(
    ("document", "complaint"),
    [
        ("[]", "the file"),
        ('{"name": "a"}', "needs a pair for one adjacency"),
        ('{"name": "a", "replace_one": {}}', "'replace_one' was unexpected"),
        ('{"name": "a b", "zero-out": {"log-weights": [[1], [2]]}}', "name: must be a letter"),
        ('{"name": "a", "zero-out": {}}', "zero-out: must be an object with either probabilities or log-weights"),
        ('{"name": "a", "zero-out": {"probabilities": [[1]]}}', "zero-out.probabilities: must be two lists"),
        ('{"name": "a", "zero-out": {"probabilities": [[1], ["x"]]}}', r"zero-out.probabilities\[1\]\[0\] = 'x'"),
        ('{"name": "a", "zero-out": {"probabilities": [[1], [0.9]]}}', "second = 9/10: must sum to one"),
        ('{"name": "a", "zero-out": {"probabilities": [[1], [NaN]]}}', "NaN is not a number"),
        ('{"name": "a", "name": "b"}', "the key 'name' stands twice"),
        ('{"name": "a"', "is not JSON"),
    ],
)
def test_a_file_that_describes_no_mechanism_is_refused(tmp_path: Path, document: str, complaint: str) -> None:
    path = tmp_path / "mine.json"
    path.write_text(document)
    with pytest.raises(InvalidArgumentError, match=complaint):
        read_custom(str(path))


def test_no_more_of_a_file_is_read_than_may_be(tmp_path: Path) -> None:
    path = tmp_path / "mine.json"
    path.touch()
    os.truncate(path, 1 << 40)  # sparse: a terabyte that takes no room
    with pytest.raises(InvalidArgumentError, match="is larger than 1000000 bytes"):
        read_custom(str(path))


def test_a_template_reads_its_file_once(tmp_path: Path) -> None:
    """Saved again in the middle of a search, it would be two mechanisms to one answer."""
    read: list[str] = []
    halves = (FinitePair((p, 1 - p), (1 - p, p)) for p in (Fraction(3, 4), Fraction(9, 10)))
    one, other = (Custom("mine", replace_one=pair) for pair in halves)

    def reading(name: str) -> Custom:
        read.append(name)
        return one if len(read) == 1 else other

    template = parse_template('compose(custom("mine.json"), ?)', read=reading)
    assert [template.fill(Fraction(k)) for k in (2, 3)] == [Repeat(one, 2), Repeat(one, 3)]
    assert template.largest_count() > 0
    assert read == ["mine.json"]


def test_a_text_alone_reads_no_file(tmp_path: Path) -> None:
    for text in ('custom("mine.json")', 'gaussian("mine.json")', "custom(mine)", "custom(mine, replace_one=[1])"):
        with pytest.raises(ExpressionError, match=r"custom|file|pair"):
            parse_event(text)
    with pytest.raises(ExpressionError, match="cannot be read"):
        parse_event(f'custom("{tmp_path / "none.json"}")', read=read_custom)


def test_functions_have_no_text() -> None:
    event: Any = Custom("mine", replace_one=CurvePair(gaussian_pair(Fraction(1)).curve))
    with pytest.raises(ExpressionError, match="replace_one must be a pair"):
        parse_event(str(event))
