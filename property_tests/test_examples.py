"""The examples of every declaration: each can be planned, and together they show every choice that its user has."""

from __future__ import annotations

from dataclasses import replace
from enum import Enum
from functools import wraps
from types import SimpleNamespace
from typing import Any, Literal, get_args, get_origin, get_type_hints

import pytest

from dpref.algorithms.declaration import AnyAlgorithm
from dpref.algorithms.registry import ALGORITHMS
from dpref.errors import InvalidArgumentError
from property_tests.small_instances import PROBLEMS
from property_tests.strategies import kind_of, plain, shortened


def members(hint: Any) -> set[Any]:
    """What a field may be, where its annotation counts it up; of a tuple, what its items may be."""
    kind = plain(hint)
    if get_origin(kind) is tuple:
        return members(get_args(kind)[0])
    if isinstance(kind, type) and issubclass(kind, Enum):
        return set(kind)
    return set(get_args(kind)) if get_origin(kind) is Literal else set()


def hidden(algorithm: AnyAlgorithm) -> dict[str, set[Any]]:
    """The choices of each field that no example shows; in the plan, where a choice that is left open has been made."""
    (problem, _), left = PROBLEMS[kind_of(algorithm)], dict[str, set[Any]]()
    for adjacency in algorithm.adjacencies:
        examples = [shortened(params) for params in algorithm.examples(problem, adjacency)]
        plans = [algorithm.plan(problem, params) for params in examples]
        for field, hint in get_type_hints(algorithm.params).items():
            shown = [getattr(made, field, getattr(params, field)) for params, made in zip(examples, plans, strict=True)]
            seen = {item for value in shown for item in (value if isinstance(value, tuple) else (value,))}
            missed = {v for v in members(hint) - seen if not refused(algorithm, problem, examples[0], field, v)}
            if missed:
                left[field] = missed
    return left


def refused(algorithm: AnyAlgorithm, problem: Any, params: Any, field: str, value: Any) -> bool:
    """Whether the plan refuses a choice by its name, such as a sampler that no accountant covers there."""
    try:
        algorithm.plan(problem, replace(params, **{field: value}))
    except InvalidArgumentError as error:
        return error.argument == field
    return False


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(ALGORITHMS))
def test_the_examples_of_a_declaration_show_every_choice(name: str) -> None:
    assert hidden(ALGORITHMS[name]) == {}


def test_planted_bug_a_choice_that_no_example_shows_is_seen() -> None:
    honest = ALGORITHMS["spider"]

    @wraps(honest.planning.examples)
    def repaired_alone(*of: Any) -> Any:
        return honest.examples(*of)[:3]

    planning = SimpleNamespace(plan=honest.planning.plan, examples=repaired_alone)
    assert hidden(replace(honest, planning=planning)).keys() == {"form"}
