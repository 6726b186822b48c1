"""A claim's parameters: read by annotation, and refused by name where they are none of the algorithm's."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Annotated, Any, Literal

import pytest

from dpref.audit.builders import build
from dpref.audit.claim_files import parse_claims
from dpref.audit.parameters import made, readable
from dpref.checks import AtMost
from dpref.errors import InvalidArgumentError
from tests.test_audit_claims import SVRG, claim, text


@dataclass(frozen=True)
class Every:
    """A field of every kind that a claim can give, and two that it cannot."""

    number: Fraction
    count: int
    large: Annotated[int, AtMost(10**9)] = 1
    word: Literal["one", "two"] = "one"
    either: Fraction | Literal["inf"] = "inf"
    several: tuple[Fraction, ...] = ()
    words: tuple[Literal["a", "b"], ...] | None = None
    flag: bool = False
    array: object = None


def reading(**parameters: int | str | Fraction) -> Every:
    return made(Every, claim(parameters={"number": Fraction(1, 2), "count": 3, **parameters}))


def test_parameters_are_read_by_the_annotations_of_what_they_make() -> None:
    assert list(readable(Every)) == ["number", "count", "large", "word", "either", "several", "words"]
    assert reading() == Every(Fraction(1, 2), 3)
    assert reading(large=10**9, either=2, word="two") == Every(Fraction(1, 2), 3, 10**9, "two", Fraction(2))
    assert reading(several="1, 1/4", words="a,b").several == (Fraction(1), Fraction(1, 4))
    assert reading(several=5, words="a,b").words == ("a", "b")


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"count": Fraction(1, 2)}, "parameters.count = 1/2: must be an integer"),
        ({"count": 10_001}, "parameters.count = 10001: must be at most 10000 to be run"),
        ({"large": 10**9 + 1}, "at most 1000000000"),
        ({"word": "three"}, "parameters.word = 'three': must be one of one, two"),
        ({"word": 1}, "parameters.word = 1: must be text"),
        ({"either": "infinite"}, "must be one of inf"),
        ({"number": "much"}, "parameters.number = 'much': must be an exact number"),
        ({"several": "1, x"}, "parameters.several = 'x'"),
        ({"words": "a, c"}, "parameters.words = 'c': must be one of a, b"),
    ],
)
def test_what_an_annotation_does_not_allow_is_refused(parameters: dict[str, Any], message: str) -> None:
    with pytest.raises(InvalidArgumentError, match=message):
        reading(**parameters)


def test_a_parameter_of_another_instance_is_out_of_place_and_one_of_nobody_is_unknown() -> None:
    entry = {"form": "repaired", "algorithm": "svrg", "parameters": {**SVRG, "records": 9}}
    with pytest.raises(InvalidArgumentError, match=r"parameters.records = 9: does not belong to real"):
        build(parse_claims(text(**entry))[0])
    entry["parameters"] = {**SVRG, "levels": "1,2"}
    with pytest.raises(InvalidArgumentError, match=r"parameters.levels = .*: svrg knows the parameters batch, "):
        build(parse_claims(text(**entry))[0])
    drift = {**SVRG, "instance": "drift", "records": 9, "step_size": 1}
    del drift["clip"]
    with pytest.raises(InvalidArgumentError, match=r"parameters.step_size = 1: does not belong to drift"):
        build(parse_claims(text(form="repaired", algorithm="svrg", parameters=drift))[0])
