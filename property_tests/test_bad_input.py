"""Bad input, over the registry: every parameter and the data of every algorithm, without a word about any of them."""

from __future__ import annotations

import math
from dataclasses import fields, replace
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from dpref.algorithms import choices
from dpref.algorithms.registry import ALGORITHMS
from dpref.bench.instances import instance, kind_of
from dpref.errors import InvalidArgumentError
from dpref.units import Adjacency, ReplaceOne

HUGE = 10**30
JUNK: tuple[Any, ...] = (
    math.nan, math.inf, -math.inf, -1, 0, 0.5, True, 1j, HUGE, "x", "as-printed", "replace-one", (), [], {}, object(),
    Adjacency, np.array([1.0, np.nan]), (math.nan,), ("x",),
)  # fmt: skip
INSTANCES = {name: instance(kind_of(algorithm), 1000, 4) for name, algorithm in ALGORITHMS.items()}
PARAMS = {name: ALGORITHMS[name].examples(case.problem, ReplaceOne)[0] for name, case in INSTANCES.items()}
PARAMETERS = [(name, field.name) for name, params in PARAMS.items() for field in fields(params)]


def blamed(name: str, parameter: str, junk: Any) -> str | None:
    """The argument that the library's refusal is about, or None if a plan is made; any other error fails the test."""
    try:
        ALGORITHMS[name].plan(INSTANCES[name].problem, replace(PARAMS[name], **{parameter: junk}))
    except InvalidArgumentError as error:
        return error.argument
    return None


@pytest.mark.slow
@pytest.mark.parametrize(("name", "parameter"), PARAMETERS)
def test_no_parameter_takes_junk(name: str, parameter: str) -> None:
    """A whole number may be right, and no repair at all may be asked for; nothing else is (a flag may be set)."""
    known = {field.name for field in fields(PARAMS[name])}
    flag = getattr(PARAMS[name], parameter) is False
    for junk in (junk for junk in JUNK if not (flag and junk is True)):
        found = blamed(name, parameter, junk)
        if found is None:
            assert any(junk is good for good in (0, HUGE, True, ())), junk
        elif isinstance(junk, int | str):  # may be right by itself: of two that do not go together either is named
            assert found in known
        else:
            assert found == parameter


@pytest.mark.parametrize("name", INSTANCES)
def test_a_choice_is_never_guessed(name: str) -> None:
    for parameter in {"form", "adjacency"} & {field.name for field in fields(PARAMS[name])}:
        assert {blamed(name, parameter, junk) for junk in JUNK} == {parameter}


def test_planted_bug_without_the_check_a_form_in_words_is_read_as_another(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(choices, "fields", lambda _: ())
    with_form = [name for name, params in PARAMS.items() if hasattr(params, "form")]
    guessed = [name for name in with_form if blamed(name, "form", "as-printed") is None]
    assert len(guessed) >= 5


@pytest.mark.parametrize("name", INSTANCES)
def test_the_data_of_another_problem_are_refused(name: str) -> None:
    case = INSTANCES[name]
    wider, nothing = instance(kind_of(ALGORITHMS[name]), 1000, 40).data, SimpleNamespace()
    wrong: tuple[Any, ...] = (wider, None, [], nothing, "x", np.zeros((0, 4)), np.full((1000, 4), np.nan))
    for data in wrong:
        with pytest.raises(InvalidArgumentError):
            case.problem.read(data)
