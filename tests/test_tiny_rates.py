"""Billions of steps of tiny rates: what bounds them from above is near the exact value, and it takes no hours."""

from __future__ import annotations

from fractions import Fraction

import pytest

from dpref.privacy.events.ledger import Gaussian, Ledger, Poisson, Repeat
from dpref.privacy.fast import accountant
from dpref.privacy.interval import Interval
from dpref.units import AddOrRemoveOne

MILLIONTH = Fraction(1, 10**6)
EXACT = 6.5671617e-5  # by an integral over a line in the complex plane, with twelve cumulants


def asked(rate: int, steps: int) -> Interval:
    ledger = Ledger(Repeat(Poisson(Gaussian(Fraction(1)), Fraction(1, 10**rate)), 10**steps), AddOrRemoveOne)
    return accountant.epsilon(ledger, MILLIONTH)


@pytest.mark.slow
def test_the_upper_end_of_a_billion_steps_is_near_the_exact_value() -> None:
    found = asked(9, 9)
    assert EXACT <= found.upper < 1.01 * EXACT
    assert found.lower == 0.0


def test_a_trillion_steps_that_spend_less_than_delta_are_bounded() -> None:
    assert asked(12, 12).upper < 2e-6


@pytest.mark.slow
def test_where_stages_say_nothing_one_transform_answers() -> None:
    found = asked(5, 7)
    assert 0.154 < found.lower < 0.1551 < found.upper < 0.17
