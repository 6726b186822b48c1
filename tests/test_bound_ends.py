"""Bounds that are rounded toward what they promise, and how many signs are tried."""

from __future__ import annotations

import math
from fractions import Fraction

import mpmath
import pytest

from dpref.audit.statistics import _ORDERS, Rates, zcdp_lower
from dpref.privacy.events.participation import _of_largest


@pytest.mark.parametrize(("p", "q"), [(0.5, 0.05), (0.75, 0.25), (0.9, 0.5), (0.5, 0.4999)])
def test_a_bound_on_rho_is_the_double_just_below_the_largest_of_all_orders(p: float, q: float) -> None:
    with mpmath.workdps(60):
        best = mpmath.mpf(0)
        for one, other in ((mpmath.mpf(p), mpmath.mpf(q)), (mpmath.mpf(q), mpmath.mpf(p))):
            for alpha in map(mpmath.mpf, _ORDERS):
                total = one**alpha * other ** (1 - alpha) + (1 - one) ** alpha * (1 - other) ** (1 - alpha)
                best = max(best, mpmath.log(total) / (alpha - 1) / alpha)
        found = zcdp_lower(Rates(p, q))
        assert mpmath.mpf(found) <= best < mpmath.mpf(found) * (1 + mpmath.mpf(2) ** -51)


def test_rates_that_differ_by_a_last_digit_have_no_negative_bound() -> None:
    assert zcdp_lower(Rates(math.nextafter(2.0**-60, 1.0), 2.0**-60)) == 0.0


@pytest.mark.parametrize(("count", "attained"), [(3, 5), (9, 11), (10, 12), (11, 4)])
def test_the_signs_of_up_to_ten_participations_are_tried(count: int, attained: int) -> None:
    # Three of them are at odds with each other: of their three pairs one stays negative, whatever the signs.
    gram = [[1 if i == j else -1 if max(i, j) < 3 else 0 for j in range(count)] for i in range(count)]
    found = _of_largest(gram, Fraction(1), (count + 6, tuple(range(count))), 4, "")
    assert [found.squared, found.attained] == [Fraction(count + 6), Fraction(attained)]
