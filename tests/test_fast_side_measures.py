"""Errors of tests that several tilted compositions tell: each is of the test above a loss, or says nothing."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest

from dpref.privacy.curves import tradeoff_curve
from dpref.privacy.events.ledger import Gaussian, Ledger, Poisson, Repeat
from dpref.privacy.fast.measure import GridMeasure
from dpref.privacy.fast.pld import ALWAYS, compose
from dpref.privacy.fast.side_measures import SideMeasure
from dpref.units import AddOrRemoveOne

COIN = GridMeasure(Fraction(-1, 8), Fraction(1, 4), np.array([0.46875, 0.53125]))
LOSS = Fraction(-5)


def test_errors_of_different_tests_are_not_mixed() -> None:
    side = SideMeasure([(COIN, 100)], above=False)
    reaching, other = (compose(side.factors, theta=theta) for theta in (0.0, 40.0))
    assert other.test(LOSS) == ALWAYS != reaching.test(LOSS)
    side._chosen[LOSS] = (reaching, other)
    assert side.test(LOSS) == reaching.test(LOSS)
    below = sum(math.comb(100, k) * 0.53125**k * 0.46875 ** (100 - k) for k in range(31))
    assert side.test(LOSS)[1] >= below * (1 - 1e-9) > 0


def test_where_no_composition_reaches_the_test_always_says_yes() -> None:
    side = SideMeasure([(COIN, 100)], above=False)
    side._chosen[LOSS] = (compose(side.factors, theta=40.0),)
    assert side.test(LOSS) == ALWAYS


@pytest.mark.slow
def test_a_trade_off_far_out_does_not_contradict_itself() -> None:
    errors = ["1e-300", "1e-200", "1e-100", "1e-50", "1e-20", "1e-6", "0.1", "0.999999999", "0.999999999999999"]
    ledger = Ledger(Repeat(Poisson(Gaussian(Fraction(647, 1000)), Fraction(1, 1000)), 2), AddOrRemoveOne)
    found = tradeoff_curve(ledger, errors)
    assert found.band.upper[-3] > 0.899
