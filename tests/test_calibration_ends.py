"""Calibration at the largest double, and what a search for a double refuses."""

from __future__ import annotations

from fractions import Fraction

import pytest

from dpref.errors import InvalidArgumentError
from dpref.privacy.calibration import _least_double
from dpref.privacy.searches import LARGEST
from dpref.reals import exact


def test_the_largest_double_is_an_answer_and_a_guess_like_any_other() -> None:
    assert _least_double(LARGEST, lambda z: z >= exact(LARGEST)) == LARGEST
    assert _least_double(1.0, lambda z: z >= exact(LARGEST)) == LARGEST


@pytest.mark.parametrize("guess", [1.0, LARGEST])
def test_what_no_double_meets_is_refused(guess: float) -> None:
    def never(_: Fraction) -> bool:
        return False

    with pytest.raises(InvalidArgumentError, match="exceeds every double"):
        _least_double(guess, never)
