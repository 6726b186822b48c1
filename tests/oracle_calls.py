"""Gradients of single records, counted where they are evaluated."""

from __future__ import annotations

from typing import Any

import pytest

from dpref.problems.erm import ERMProblem, Records
from dpref.reals import Array


def counted_gradients(monkeypatch: pytest.MonkeyPatch, kind: Any = ERMProblem) -> list[int]:
    """For each mean gradient from now on, how many records it is the mean of."""
    sizes, honest = list[int](), kind.mean_gradient

    def counting(self: Any, o: Any, theta: Array, records: Records) -> Array:
        sizes.append(records.features.shape[0])
        gradient: Array = honest(self, o, theta, records)
        return gradient

    monkeypatch.setattr(kind, "mean_gradient", counting)
    return sizes
