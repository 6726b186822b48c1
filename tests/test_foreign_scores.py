"""Scores of an audit: whatever the outputs are, one can be fitted, and a column that says nothing does no harm."""

from __future__ import annotations

from importlib.util import find_spec

import numpy as np
import pytest

from dpref.foreign.scores import fit
from dpref.reals import FloatArray

pytestmark = pytest.mark.skipif(find_spec("sklearn") is None, reason="the learned score needs scikit-learn")


def columns(shift: float, useless: list[float]) -> FloatArray:
    rng = np.random.default_rng(0)
    return np.column_stack([rng.normal(shift, 1, 200), *(np.full(200, value) for value in useless)])


@pytest.mark.parametrize("value", [0.0, np.nan, np.inf, -np.inf, 1e308])
def test_a_column_of_one_value_is_left_out(value: float) -> None:
    first, second = columns(0, [value, 3.0]), columns(1, [value, 3.0])
    for score in fit(first, second, learn=True, seed=0):
        assert score.of(second).mean() > score.of(first).mean()


def test_where_nothing_varies_no_classifier_is_fitted() -> None:
    constant = np.full((100, 2), np.nan)
    assert [score.name for score in fit(constant, constant, learn=True, seed=0)] == ["ridge discriminant"]
