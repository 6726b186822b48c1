"""What measures say at their ends: the mass at infinity, and the slope of a curve that is known at points only."""

from __future__ import annotations

import math
from fractions import Fraction
from types import SimpleNamespace
from typing import Any

import pytest

from dpref.privacy.directions import _Points
from dpref.privacy.events.ledger import Gaussian, Ledger
from dpref.privacy.fast import curves
from dpref.privacy.interval import Interval
from dpref.units import ReplaceOne

GRID: Any = SimpleNamespace(bits=10, step=Fraction(1, 4))


@pytest.mark.parametrize(("units", "most", "least"), [(716, 716 / 1024, 716 / 1024), (1030, 1.0, 1.0), (0, 0.0, 0.0)])
def test_the_mass_at_infinity_is_all_that_lies_beyond(
    monkeypatch: pytest.MonkeyPatch, units: int, most: float, least: float
) -> None:
    def put(_pair: object, _grid: object) -> tuple[dict[int, int], int]:
        return {-2: 8, 3: 0, 5: 300}, units

    monkeypatch.setattr(curves, "spread_above", put)
    monkeypatch.setattr(curves, "gathered_below", put)
    pair: Any = None
    above = curves._measure(pair, GRID, above=True)
    assert least <= above.infinity <= math.nextafter(most, 1.0)
    assert (above.start, above.masses[0], above.masses[7], len(above.masses)) == (
        Fraction(-1, 2),
        8 / 1024,
        300 / 1024,
        8,
    )
    if units <= 1024:
        below = curves._measure(pair, GRID, above=False)
        assert math.nextafter(units / 1024, 0.0) <= below.infinity <= units / 1024


def interval(value: float) -> Interval:
    return Interval(value, value, "delta", "x", 128, ReplaceOne)


@pytest.mark.parametrize(("after", "share"), [(0.88, 0.02 / math.expm1(1 / 32)), (0.5, 1.0), (0.9, 0.0), (0.95, 0.0)])
def test_the_slope_between_two_points_is_a_share(after: float, share: float) -> None:
    ledger = Ledger(Gaussian(Fraction(1)), ReplaceOne)
    points = _Points(ledger, {Fraction(0): interval(0.9), Fraction(1, 32): interval(after)}, above=True)
    yes, no = points.test(Fraction(0))
    assert yes == pytest.approx(share, rel=1e-9)
    assert no == 0.0
    assert points.test(Fraction(-1)) == (1.0, 0.0)
