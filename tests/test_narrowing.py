"""Narrower intervals: what contradicts an interval that is known is an error, never passed over."""

from __future__ import annotations

from fractions import Fraction

import pytest

from dpref.errors import PrecisionError
from dpref.privacy import narrowing as module
from dpref.privacy.examples import sampled_gaussians
from dpref.privacy.interval import Interval
from dpref.privacy.narrowing import certify_within, narrowing
from dpref.units import AddOrRemoveOne

LEDGER = sampled_gaussians(steps=1000)
DELTA = Fraction(1, 10**6)
FALSE = Interval(100.0, 200.0, "epsilon", "a mistake", 128, AddOrRemoveOne)


def test_a_narrower_interval_that_contradicts_the_known_one_is_an_error() -> None:
    found = narrowing(LEDGER, DELTA, known=FALSE)
    assert next(found) == FALSE
    with pytest.raises(PrecisionError, match="disjoint"):
        next(found)


def test_an_interval_of_a_width_that_contradicts_the_first_one_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    assert 2.12 < certify_within(LEDGER, DELTA, Fraction(1, 1000)).lower < 2.125
    monkeypatch.setattr(module, "_first", lambda *_: FALSE)
    with pytest.raises(PrecisionError, match="disjoint"):
        certify_within(LEDGER, DELTA, Fraction(1, 1000))
