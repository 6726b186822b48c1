"""One public function, and what it must refuse."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from property_tests.refused_values import Strategy


@dataclass(frozen=True)
class Question:
    """One public function.

    Attributes:
        name: ``module.function``, ``module.Class`` or ``module.Class.method``.
        ask: It, or for a method one that makes its object first.
        good: Arguments with which it answers.
        wrong: For each argument what it must refuse.
    """

    name: str
    ask: Callable[..., Any]
    good: Mapping[str, Any]
    wrong: Mapping[str, Strategy]


def q(name: str, ask: Callable[..., Any], good: Mapping[str, Any], /, **wrong: Strategy) -> Question:
    """Short for `Question`."""
    return Question(name, ask, good, wrong)
