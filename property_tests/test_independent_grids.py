"""A sample of the measures of the fast path lies on its side of the truth, and mistakes in them are seen."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from dpref.privacy.fast import coarser, lowered
from dpref.privacy.fast.measure import GridMeasure
from dpref.reals import FloatArray
from property_tests.independent_grids import comparisons, main


def test_a_sample_of_measures_lies_on_its_side() -> None:
    found = list(comparisons(60, seed=0))
    assert [ended for ended in found if ended.problem] == []
    kinds = Counter(ended.kind for ended in found)
    assert {"lowered", "dominated", "raised", "coarser above", "coarser below", "stages above"} <= set(kinds)
    assert sum(ended.compared for ended in found) > 1500


@pytest.mark.slow
def test_a_larger_sample_of_measures_lies_on_its_side() -> None:
    found = list(comparisons(600, seed=1))
    assert [ended for ended in found if ended.problem] == []


def test_planted_bug_chords_lowered_by_half_are_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    honest = coarser.below_chords

    def half(left: FloatArray, right: FloatArray, gap: FloatArray, *rest: float) -> FloatArray:
        return honest(left, right, gap / 2, *rest)  # type: ignore[arg-type]  # the slopes and errors, as they are

    monkeypatch.setattr(coarser, "below_chords", half)
    monkeypatch.setattr(lowered, "below_chords", half)
    seen = {ended.kind for ended in comparisons(60, seed=0) if ended.problem}
    assert {"lowered", "coarser below"} <= seen


def test_planted_bug_a_mass_that_is_not_split_is_seen(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    honest = coarser._Cells.of

    def down(measure: GridMeasure, times: int) -> coarser._Cells:
        cells = honest(measure, times)
        object.__setattr__(cells, "to_left", np.ones(times))
        object.__setattr__(cells, "to_right", np.zeros(times))
        return cells

    monkeypatch.setattr(coarser._Cells, "of", down)
    assert main(["--count", "60"]) == 1
    assert "coarser above: 0/" in capsys.readouterr().out
