"""A part of a grid is the same on every machine, and all of it runs where that is asked for."""

from __future__ import annotations

import pytest

from tests import effort


def test_a_part_is_in_order_and_always_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(effort, "WHOLE", False)
    chosen = effort.part(range(100), 10)
    assert len(set(chosen)) == 10
    assert chosen == sorted(chosen) == effort.part(range(100), 10)
    assert chosen != effort.part(range(100), 10, seed=1)
    assert effort.runs(200, 50) == 50


def test_more_than_there_is_cannot_be_asked_for() -> None:
    with pytest.raises(ValueError, match="larger than population"):
        effort.part("ab", 3)


def test_everything_is_run_where_that_is_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(effort, "WHOLE", True)
    assert effort.part("abc", 1) == ["a", "b", "c"]
    assert effort.runs(200, 50) == 200
