"""How much of what is long is run: a part that a fixed seed chooses, or with ``DPREF_EFFORT=full`` all of it."""

from __future__ import annotations

import os
import random
from collections.abc import Iterable
from typing import Final, TypeVar

import pytest

C = TypeVar("C")
WHOLE: Final = os.environ.get("DPREF_EFFORT") == "full"
# Of a measurement that no part can be taken of: a cheaper test of the same statement is run always.
LONG: Final = pytest.mark.skipif(not WHOLE, reason="too long for every day: DPREF_EFFORT=full")


def part(cases: Iterable[C], count: int, seed: int = 0) -> list[C]:
    """So many of the cases, in their order; all of them where everything is run."""
    every = list(cases)
    chosen = random.Random(seed).sample(range(len(every)), count)  # noqa: S311 - a sample, not a secret
    return every if WHOLE else [every[i] for i in sorted(chosen)]


def runs(whole: int, some: int) -> int:
    """How many runs: the first number where everything is run, else the second."""
    return whole if WHOLE else some
