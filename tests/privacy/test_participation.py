"""The bound of the dynamic programme, where what it rounds is all that decides."""

from __future__ import annotations

from fractions import Fraction

import pytest

from dpref.privacy.events import participation
from dpref.privacy.events.participation import Pattern, of_gram


@pytest.mark.parametrize("sign", [1, -1])
def test_many_products_that_are_next_to_nothing_are_not_lost(sign: int) -> None:
    """One column is larger than the others by 2^52 or more; any eight with it have 63 small products besides."""
    steps, most, large, small = 40, 8, 1 << 60, 255
    gram = [[small if i == j else sign * small for j in range(steps)] for i in range(steps)]
    gram[0][0] = large
    found = of_gram(gram, Fraction(1), Pattern.of(steps, most, 1))
    assert found.rule == participation.DYNAMIC
    assert large + (most * most - 1) * small <= found.squared < large * (1 + Fraction(1, 10**12))


@pytest.mark.parametrize(("steps", "separation"), [(8, 3), (9, 3), (10, 3), (7, 7), (8, 7), (5, 1), (3, 9)])
def test_as_many_participations_fit_as_steps_can_be_chosen_apart(steps: int, separation: int) -> None:
    chosen = list(range(0, steps, separation))
    assert Pattern.of(steps, None, separation).most == Pattern.of(steps, steps, separation).most == len(chosen)
