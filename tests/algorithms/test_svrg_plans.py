"""A plan that chose its batch is the plan that asking for that batch gives."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest

from tests.test_svrg_defaults import BOTH, REAL, params, pretended


@BOTH
@pytest.mark.parametrize(("sampled", "everything"), [(0.01, False), (5.0, True)])
def test_a_chosen_batch_is_planned_as_one_that_was_asked_for(
    algorithm: Any, sampled: float, everything: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    pretended(monkeypatch, sampled)
    chosen = algorithm.plan(REAL, params())
    assert (chosen.batch == REAL.n) is everything
    assert chosen == algorithm.plan(REAL, params(batch=chosen.batch))
    if everything:  # an answer is the mean gradient alone
        assert chosen.sensitivity.value == Fraction(2, REAL.n) * chosen.gradient_bound
