"""Number systems on chosen values: they agree, they fail closed, and they leave the precision as they found it."""

from __future__ import annotations

import itertools
import math
import os
from collections.abc import Callable
from fractions import Fraction
from threading import Event, Thread
from typing import Any

import numpy as np
import pytest
from flint import arb, ctx

from dpref.errors import InvalidArgumentError, PrecisionError
from dpref.privacy.closed_forms.divergences import gaussian_delta
from dpref.reals import (
    BALL,
    BALL_ARRAY,
    FLOAT,
    FLOAT_ARRAY,
    RATIONAL,
    Ops,
    ball,
    decimal_down,
    decimal_up,
    evaluate,
    exact,
    float_down,
    float_up,
    lower,
    precision,
    upper,
)
from dpref.terms import TERM

FUNCTIONS = ("exp", "expm1", "log", "log1p", "sqrt", "tanh", "erfc")
# The largest error of the platform's elementary functions that the library allows for, in units in the last place.
ULPS = 8
GREATEST = math.nextafter(math.inf, 0.0)
LEAST = math.nextafter(0.0, 1.0)


@pytest.fixture(autouse=True)
def precision_is_left_as_found() -> Any:
    before = ctx.prec
    yield
    assert ctx.prec == before


def contains(enclosure: arb, x: float, ulps: int = ULPS) -> bool:
    """Whether a double lies in a ball widened by a forward-error bound."""
    return bool((enclosure - arb(x)).abs_lower() <= ulps * arb(math.ulp(x)))


@pytest.mark.parametrize("name", FUNCTIONS)
@pytest.mark.parametrize("x", [Fraction(1, 10), Fraction(1), Fraction(7, 3), Fraction(25), Fraction(1, 10**12)])
def test_all_number_systems_agree_on_the_elementary_functions(name: str, x: Fraction) -> None:
    double = float(x)
    with precision(200):
        enclosure = getattr(BALL, name)(BALL.lift(double))
    assert enclosure.rel_accuracy_bits() > 100
    assert contains(enclosure, getattr(FLOAT, name)(double))
    for value in getattr(FLOAT_ARRAY, name)(FLOAT_ARRAY.lift([double, double])):
        assert contains(enclosure, float(value))
    for wide in getattr(BALL_ARRAY, name)(BALL_ARRAY.lift([double, double])):
        assert wide.overlaps(enclosure)
    term = getattr(TERM, name)(TERM.lift(double)).evalf(60)
    with precision(200):
        assert (arb(str(term)) - enclosure).abs_upper() <= arb(10) ** -50 * enclosure.abs_upper()


def test_constants_and_extrema_agree() -> None:
    with precision(200):
        assert contains(BALL.pi(), FLOAT.pi())
        assert (arb(str(TERM.pi().evalf(60))) - BALL.pi()).abs_upper() < arb(10) ** -55
        assert BALL_ARRAY.pi().item().overlaps(BALL.pi())
    assert float(FLOAT_ARRAY.pi()) == FLOAT.pi()
    scalar: tuple[Ops[Any], ...] = (FLOAT, RATIONAL, TERM)
    for o in scalar:
        two, three = o.number(2), o.number(3)
        assert o.maximum(two, three) == three
        assert o.minimum(two, three) == two
    assert BALL.maximum(ball(2), ball(3)) == 3
    assert BALL.minimum(ball(2), ball(3)) == 2
    pair = BALL_ARRAY.maximum(BALL_ARRAY.lift([1.0, 5.0]), BALL_ARRAY.lift([2.0, 4.0]))
    assert list(pair) == [2, 5]
    assert list(FLOAT_ARRAY.minimum(np.array([1.0, 5.0]), np.array([2.0, 4.0]))) == [1.0, 4.0]


def test_one_formula_read_in_three_systems() -> None:
    with precision(200):
        enclosure = gaussian_delta(BALL, ball(1), ball(Fraction(1, 2)))
    term = gaussian_delta(TERM, TERM.number(1), TERM.number(Fraction(1, 2))).evalf(50)
    assert abs(gaussian_delta(FLOAT, 1.0, 0.5) - float(enclosure)) < 1e-15
    with precision(200):
        assert (arb(str(term)) - enclosure).abs_upper() < arb(10) ** -48


@pytest.mark.parametrize("name", FUNCTIONS)
def test_rationals_refuse_what_is_not_rational(name: str) -> None:
    with pytest.raises(InvalidArgumentError, match="not a rational function"):
        getattr(RATIONAL, name)(Fraction(2))


@pytest.mark.parametrize("f", [BALL.log, BALL.log1p, BALL.sqrt])
def test_outside_its_domain_a_ball_is_nan_and_its_bounds_are_infinite(f: Callable[[arb], arb]) -> None:
    value = f(arb(-2))
    assert value.is_nan()
    assert (lower(value), upper(value)) == (-math.inf, math.inf)


def test_a_root_of_an_enclosure_that_reaches_below_zero_is_the_root_of_its_non_negative_part() -> None:
    root = BALL.sqrt(arb(0, 0.25))
    assert root.is_finite()
    assert root.contains(0)
    assert upper(root) >= 0.5


# ------------------------------------------------------------------------------------ rounding outward


@pytest.mark.parametrize(
    ("x", "below", "above"),
    [
        (Fraction(0), 0.0, 0.0),
        (Fraction(1, 2), 0.5, 0.5),
        (Fraction(1, 10**400), 0.0, LEAST),
        (Fraction(-1, 10**400), -LEAST, 0.0),
        (exact(LEAST) / 2, 0.0, LEAST),
        (exact(LEAST) * 3 / 2, LEAST, 2 * LEAST),
        (Fraction(10**400), GREATEST, math.inf),
        (Fraction(-(10**400)), -math.inf, -GREATEST),
        (exact(GREATEST) + 1, GREATEST, math.inf),
        (exact(GREATEST), GREATEST, GREATEST),
        (1 + Fraction(1, 2**53), 1.0, math.nextafter(1.0, 2.0)),
        (1 + Fraction(1, 2**80), 1.0, math.nextafter(1.0, 2.0)),
    ],
)
def test_rounding_outward_at_the_ends_of_the_doubles(x: Fraction, below: float, above: float) -> None:
    assert (float_down(x), float_up(x)) == (below, above)
    with precision(2000):
        enclosure = ball(x)
        assert lower(enclosure) in {below, math.nextafter(below, -math.inf)}
        assert upper(enclosure) in {above, math.nextafter(above, math.inf)}


@pytest.mark.parametrize("x", [arb("inf"), arb("-inf"), arb(0, math.inf), arb("nan")])
def test_infinite_and_undefined_balls_round_outward(x: arb) -> None:
    assert lower(x) == -math.inf or x == arb("inf")
    assert upper(x) == math.inf or x == arb("-inf")


def test_planted_bug_rounding_to_nearest_is_not_outward() -> None:
    third, tenth = Fraction(1, 3), Fraction(1, 10)
    assert exact(float(third)) < third <= exact(float_up(third))
    assert exact(float_down(tenth)) <= tenth < exact(float(tenth))


@pytest.mark.parametrize(
    ("x", "digits", "below", "above"),
    [
        (Fraction(1, 3), 3, "0.333", "0.334"),
        (Fraction(-1, 3), 3, "-0.334", "-0.333"),
        (Fraction(2, 3), 3, "0.666", "0.667"),
        (Fraction(1, 4), 17, "0.25", "0.25"),
        (Fraction(10**30 + 1), 5, "1E+30", "1.0001E+30"),
        (Fraction(1, 10**300 + 1), 3, "9.99E-301", "1E-300"),
        (0.0, 17, "0", "0"),
        (math.inf, 17, "inf", "inf"),
        (-math.inf, 17, "-inf", "-inf"),
    ],
)
def test_decimal_text_is_rounded_outward(x: float | Fraction, digits: int, below: str, above: str) -> None:
    assert (decimal_down(x, digits), decimal_up(x, digits)) == (below, above)


# ------------------------------------------------------------------------------------ exactness and precision


@pytest.mark.parametrize("x", [math.nan, math.inf, -math.inf])
def test_no_exact_number_is_made_of_nan_or_infinity(x: float) -> None:
    with pytest.raises(InvalidArgumentError, match="must be finite"):
        exact(x)


def test_precision_is_restored_after_an_error_and_when_nested() -> None:
    before = ctx.prec

    def fails() -> None:
        with precision(300), precision(77):
            assert ctx.prec == 77
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fails()
    assert ctx.prec == before
    with precision(300):
        with precision(77):
            pass
        assert ctx.prec == 300


@pytest.mark.parametrize("bits", [1, 0, -5])
def test_no_precision_below_two_bits(bits: int) -> None:
    with pytest.raises(InvalidArgumentError, match="bits"), precision(bits):
        pass


def test_evaluate_restores_the_precision_when_the_formula_raises() -> None:
    before = ctx.prec

    def broken() -> arb:
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        evaluate(broken)
    assert ctx.prec == before


def test_evaluate_raises_the_precision_until_cancellation_is_beaten() -> None:
    used = []

    def cancels() -> arb:
        used.append(ctx.prec)
        return BALL.exp(ball(Fraction(1, 2**400))) - 1

    value = evaluate(cancels, bits=60, start=64)
    assert value.rel_accuracy_bits() >= 60
    assert (value - arb(2) ** -400).abs_upper() <= arb(2) ** -459
    assert used == sorted(used)
    assert used[-1] > 400
    assert all(b == 2 * a for a, b in itertools.pairwise(used))


@pytest.mark.parametrize("value", [arb("nan"), arb("inf"), arb(0, 1), arb(1, 0.5)])
def test_evaluate_fails_closed(value: arb) -> None:
    with pytest.raises(PrecisionError, match="no enclosure"):
        evaluate(lambda: value, limit=512)


def test_evaluate_accepts_an_exact_zero() -> None:
    assert evaluate(lambda: arb(0)) == 0


def test_no_thread_changes_the_precision_of_another() -> None:
    seen: list[int] = []

    def other() -> None:
        with precision(64):
            seen.append(ctx.prec)

    thread = Thread(target=other)
    with precision(200):
        thread.start()
        thread.join(0.05)
        assert (ctx.prec, seen) == (200, [])
    thread.join()
    assert seen == [64]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="forks")
def test_a_copy_of_a_process_has_the_precision_to_itself() -> None:
    inside, done = Event(), Event()

    def other() -> None:
        with precision(64):
            inside.set()
            done.wait(0.05)

    thread = Thread(target=other)
    thread.start()
    inside.wait()
    child = os.fork()
    if child == 0:
        with precision(100):
            os._exit(0)
    thread.join()
    assert os.waitpid(child, 0)[1] == 0


def test_a_callers_precision_does_not_widen_what_is_rounded_outward() -> None:
    third = ball(Fraction(1, 3))
    before, ctx.prec = ctx.prec, 4
    try:
        ends = lower(third), upper(third)
    finally:
        ctx.prec = before
    assert ends == (lower(third), upper(third))
