"""Checks of arguments at the ends of what they allow."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable
from fractions import Fraction

import numpy as np
import pytest

from dpref import checks
from dpref.errors import InvalidArgumentError
from dpref.units import L1, L2, Linf, PrivacyLoss, PureDP, ReplaceOne, Sensitivity, ZeroOut, lq

TINY = Fraction(1, 10**200)


@pytest.mark.parametrize(
    ("check", "inside", "outside"),
    [
        (checks.rational, [0, 1, TINY, Fraction(7, 3)], [-TINY, -1, 0.5, True, "1", None]),
        (checks.positive_rational, [1, TINY, 10**300], [0, Fraction(0), -TINY, 1.0]),
        (checks.open_unit, [TINY, Fraction(1, 2), 1 - TINY], [0, 1, 1 + TINY, 2, -TINY, 0.5]),
        (
            checks.positive_double,
            [Fraction(1, 2**1074), Fraction(1, 2**600), int(sys.float_info.max)],
            [0, Fraction(1, 10**400), 10**400],
        ),
        (
            checks.runnable,
            [0, Fraction(1, 10**100), Fraction(-1, 10**100), 10**100, -(10**100), 1],
            [Fraction(1, 10**100) - TINY, TINY - Fraction(1, 10**100), 10**100 + TINY, -(10**100) - TINY, TINY],
        ),
        (checks.natural, [1, 2, np.int64(3), 10**30], [0, -1, 1.0, True, "1"]),
        (lambda a, x: checks.natural(a, x, least=0, most=4), [0, 1, 4], [-1, 5]),
        (lambda a, x: checks.natural(a, x, least=2), [2, 3], [1, 0]),
        (checks.finite, [0.0, -1.5, sys.float_info.max], [math.inf, -math.inf, math.nan]),
        (lambda a, x: checks.finite_array(a, x, ndim=1), [[1.0], [0, 2]], [[], 1.0, [[1.0]], [math.nan], [1j], ["a"]]),
        (lambda a, x: checks.finite_array(a, x, ndim=2), [[[1.0]]], [[1.0], [[]], [[math.inf]]]),
    ],
)
def test_a_check_lets_its_ends_in_and_nothing_beyond(
    check: Callable[[str, object], object], inside: list[object], outside: list[object]
) -> None:
    for value in inside:
        assert np.all(np.asarray(check("it", value) == value))
    for value in outside:
        with pytest.raises(InvalidArgumentError) as caught:
            check("it", value)
        assert caught.value.argument == "it"


def test_a_plan_holds_a_million_numbers_at_most() -> None:
    assert checks.MOST_IN_A_PLAN == 10**6


# ------------------------------------------------------------------------------------ units


def test_the_named_norms_are_those_of_their_index() -> None:
    assert [n.index for n in (L1, L2, Linf)] == [1, 2, math.inf]
    assert (lq(Fraction(1)), lq(2), lq(math.inf)) == (L1, L2, Linf)
    assert (lq(Fraction(4)).index, lq(Fraction(3, 2)).name) == (4, "l3/2")
    for index in (Fraction(1) - TINY, Fraction(1, 2), 0, -1, 1.5):
        with pytest.raises(InvalidArgumentError, match="index"):
            lq(index)


def test_sensitivities_and_losses_add_and_scale() -> None:
    three, four = (Sensitivity(Fraction(v), L2, ReplaceOne) for v in (3, 4))
    assert (three + four).value == 7
    assert three.scale(Fraction(-2, 5)).value == Fraction(6, 5)
    one, two = (PrivacyLoss(Fraction(v), PureDP, ReplaceOne) for v in (1, 2))
    assert (one + two).value == 3
    assert one.delta == 0
    for other in (Sensitivity(Fraction(1), L1, ReplaceOne), Sensitivity(Fraction(1), L2, ZeroOut)):
        with pytest.raises(InvalidArgumentError, match="one norm and one adjacency"):
            three + other  # type: ignore[operator]


@pytest.mark.parametrize("norm", [3, None, int, ReplaceOne])
def test_what_is_no_norm_is_refused(norm: type[L2]) -> None:
    with pytest.raises(InvalidArgumentError):
        Sensitivity(Fraction(1), norm, ReplaceOne)
