"""An e-value of a p-value, compared in rational numbers."""

from __future__ import annotations

import math
from fractions import Fraction

from dpref.foreign.one_run_bound import e_value


def test_an_e_value_is_the_largest_double_that_is_not_above_its_formula() -> None:
    """e = 1/(2 sqrt(p)) means 4 e^2 p = 1; rounded to nearest, about half of these would lie above."""
    for k in range(1, 200):
        p = 1 / (1 + math.sqrt(k))
        found = e_value(p)
        assert 4 * Fraction(found) ** 2 * Fraction(p) <= 1
        assert 4 * Fraction(math.nextafter(found, math.inf)) ** 2 * Fraction(p) > 1
