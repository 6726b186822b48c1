"""Promises of the number systems, for all numbers: enclosure, agreement, outward rounding."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction

import pytest
from flint import arb
from hypothesis import assume, example, given
from hypothesis import strategies as st

from dpref.reals import (
    BALL,
    FLOAT,
    FLOAT_ARRAY,
    ball,
    decimal_down,
    decimal_up,
    exact,
    float_down,
    float_up,
    lower,
    precision,
    upper,
)

# The largest error of the platform's elementary functions that the library allows for, in units in the last place.
ULPS = 8
LEAST = math.nextafter(0.0, 1.0)
GREATEST = math.nextafter(math.inf, 0.0)

rationals = st.one_of(
    st.fractions(),
    st.fractions(max_denominator=10**30),
    # Dyadic numbers around, below and above the doubles' range, with more bits than a double has.
    st.builds(
        lambda mantissa, exponent: Fraction(mantissa) * Fraction(2) ** exponent,
        st.integers(-(2**70), 2**70),
        st.integers(-1150, 1000),
    ),
)


def is_outward(up: Callable[[Fraction], float], down: Callable[[Fraction], float], x: Fraction) -> bool:
    """Whether two roundings enclose a number, with no double strictly between it and either end."""
    above, below = up(x), down(x)
    holds = (above == math.inf or exact(above) >= x) and (below == -math.inf or exact(below) <= x)
    before, after = math.nextafter(above, -math.inf), math.nextafter(below, math.inf)
    tight = (before == -math.inf or exact(before) < x) and (after == math.inf or exact(after) > x)
    return holds and tight


@given(rationals)
@example(Fraction(1, 2**1075))
@example(Fraction(2**1024))
@example(exact(GREATEST) + 1)
@example(-exact(LEAST) / 3)
def test_rationals_round_outward_and_tightly(x: Fraction) -> None:
    assert is_outward(float_up, float_down, x)


@given(rationals)
@example(Fraction(1, 2**1075))
@example(Fraction(2**1024))
@example(exact(GREATEST) + 1)
def test_balls_round_outward_and_tightly(x: Fraction) -> None:
    with precision(1400):
        # Dyadic numbers of at most 1,400 bits are exact balls, so that tightness can be asked for.
        dyadic = Fraction(round(x * 2**80), 2**80) if abs(x) > Fraction(1, 2**60) else x
        enclosure = ball(dyadic)
        assume(enclosure.is_exact())
        assert is_outward(lambda _: upper(enclosure), lambda _: lower(enclosure), dyadic)


@given(rationals, st.integers(2, 300))
def test_a_ball_holds_its_number_at_any_precision(x: Fraction, bits: int) -> None:
    with precision(bits):
        enclosure = ball(x)
        ends = lower(enclosure), upper(enclosure)
    assert ends[0] == -math.inf or exact(ends[0]) <= x
    assert ends[1] == math.inf or exact(ends[1]) >= x


def test_planted_bug_rounding_to_nearest_is_seen() -> None:
    assert not all(is_outward(float, float, Fraction(k, 3)) for k in range(1, 20))
    assert not is_outward(lambda x: math.nextafter(float(x), math.inf), float_down, Fraction(1, 2)), "not tight"


@given(rationals, st.integers(1, 40))
def test_decimal_text_rounds_outward_and_tightly(x: Fraction, digits: int) -> None:
    above, below = Fraction(decimal_up(x, digits)), Fraction(decimal_down(x, digits))
    assert below <= x <= above
    assert above - below <= abs(x) * Fraction(10) ** (1 - digits)
    assert (above == below) == (above == x == below)


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_seventeen_digits_give_the_double_back(x: float) -> None:
    assert exact(x) == Fraction(x)
    assert float_up(Fraction(decimal_down(x))) in {x, math.nextafter(x, -math.inf)}
    assert Fraction(decimal_up(x)) >= exact(x) >= Fraction(decimal_down(x))


@pytest.mark.parametrize(
    ("name", "least", "most"),
    [
        ("exp", -745.0, 709.0),
        ("expm1", -745.0, 709.0),
        ("log", LEAST, GREATEST),
        ("log1p", -1 + 2.0**-53, GREATEST),
        ("sqrt", 0.0, GREATEST),
        ("tanh", -GREATEST, GREATEST),
        ("erfc", -30.0, 26.0),
    ],
)
@given(data=st.data())
def test_doubles_lie_in_the_ball_widened_by_the_forward_error(
    name: str, least: float, most: float, data: st.DataObject
) -> None:
    x = data.draw(st.floats(least, most, allow_subnormal=True))
    with precision(1300):
        enclosure = getattr(BALL, name)(BALL.lift(x))
        for value in (getattr(FLOAT, name)(x), float(getattr(FLOAT_ARRAY, name)(FLOAT_ARRAY.lift(x)))):
            assert (enclosure - arb(value)).abs_lower() <= ULPS * arb(math.ulp(value))


@given(st.fractions(Fraction(1, 1000), 1000), st.fractions(Fraction(1, 1000), 1000), st.integers(20, 200))
def test_arithmetic_in_balls_holds_the_exact_result(x: Fraction, y: Fraction, bits: int) -> None:
    with precision(bits):
        a, b = ball(x), ball(y)
        enclosures = (a + b, a - b, a * b, a / b, a * a, 2 * a, 1 - b, 1 / b)
    results = (x + y, x - y, x * y, x / y, x * x, 2 * x, 1 - y, 1 / y)
    with precision(2000):
        for enclosure, result in zip(enclosures, results, strict=True):
            assert enclosure.overlaps(ball(result))
