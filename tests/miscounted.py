"""A run that asks an oracle once too often or once too seldom: planted at the curator, for any algorithm."""

from __future__ import annotations

import sys
from collections.abc import Callable
from itertools import product
from typing import Any, Final, Literal, TypeAlias

import pytest

from dpref.algorithms.registry import ALGORITHMS
from dpref.curator.interface import Curator

How: TypeAlias = Literal["too many", "too few"]

# The questions in which an algorithm may ask an oracle.
QUESTIONS: Final = (
    "hold", "select", "noisy_max", "gaussian", "on_part", "variance_reduced_gaussian", "sampled_gaussian", "prefix_sum",
)  # fmt: skip


class Miscount:
    """What a counting test is given for its monkeypatch.

    In the first run of one algorithm the first question that comes to a counted oracle is put twice, or its calls are
    not counted, as of an algorithm that has that answer already.

    Args:
        patch: Undoes everything.
        name: The algorithm's.
        how: Which of both.

    Attributes:
        planted: Whether that has happened.
    """

    def __init__(self, patch: pytest.MonkeyPatch, name: str, how: How) -> None:
        self.planted = False
        self._patch, self._how = patch, how
        self._package = ALGORITHMS[name].run.__module__.removesuffix("algorithm")  # one run may serve two algorithms
        self._calls, self._uncounted = 0, False
        for question in QUESTIONS:
            patch.setattr(Curator, question, self._asked(getattr(Curator, question)))

    def setattr(self, target: Any, name: str, counting: Callable[..., Any]) -> None:
        """Let a test count, as far as it may."""
        honest = getattr(target, name)

        def counted(*arguments: Any) -> Any:
            self._calls += 1
            return honest(*arguments) if self._uncounted else counting(*arguments)

        self._patch.setattr(target, name, counted)

    def _asked(self, honest: Callable[..., Any]) -> Callable[..., Any]:
        def asking(curator: Any, *arguments: Any, **more: Any) -> Any:
            altered = (self._altered(each) if callable(each) else each for each in arguments)
            return honest(curator, *altered, **more)

        return asking

    def _altered(self, query: Callable[..., Any]) -> Callable[..., Any]:
        def answer(*arguments: Any) -> Any:
            if self.planted or not self._within():
                return query(*arguments)
            before, self._uncounted = self._calls, self._how == "too few"
            value = query(*arguments)
            self.planted, self._uncounted = self._calls > before, False
            return query(*arguments) if self.planted and self._how == "too many" else value

        return answer

    def _within(self) -> bool:
        """Whether the algorithm is at work, itself or through another one."""
        frame = sys._getframe()
        while frame.f_back is not None:
            if str(frame.f_globals.get("__name__", "")).startswith(self._package):
                return True
            frame = frame.f_back
        return False


def arguments_of(test: Callable[..., Any]) -> list[dict[str, Any]]:
    """What pytest would call a test with, but for its fixtures."""
    choices = list[list[dict[str, Any]]]()
    for mark in getattr(test, "pytestmark", ()):
        if mark.name == "parametrize":
            names = mark.args[0].split(",") if isinstance(mark.args[0], str) else list(mark.args[0])
            names = [name.strip() for name in names]
            choices.append(
                [dict(zip(names, each if len(names) > 1 else (each,), strict=True)) for each in mark.args[1]]
            )
    return [{k: v for one in combination for k, v in one.items()} for combination in product(*choices)]
