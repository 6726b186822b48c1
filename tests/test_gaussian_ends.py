"""The analytic Gaussian accountant at the ends of its domain: no noise, no loss, balls of mu, many kinds of answers."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable
from fractions import Fraction

import pytest
from flint import arb, ctx

from dpref.errors import InvalidArgumentError, PrecisionError
from dpref.privacy.closed_forms import gaussian
from dpref.privacy.closed_forms.gaussian import attained_gdp, delta, epsilon, gaussian_delta_at, gaussian_epsilon, gdp
from dpref.privacy.events.ledger import (
    Compose,
    FilteredGaussians,
    Gaussian,
    GeneralizedGaussian,
    Ledger,
    NonPrivate,
    Repeat,
)
from dpref.privacy.events.matrix import TreeGaussian
from dpref.privacy.interval import Interval
from dpref.reals import DEFAULT_PRECISION, Exact
from dpref.units import ReplaceOne

ONE = Fraction(1)
LEAST = math.ulp(0.0)  # the smallest positive double


def test_what_is_repeated_counts_as_often_whatever_its_kind() -> None:
    assert gdp(Ledger(Repeat(GeneralizedGaussian(Fraction(2), Fraction(3)), 5), ReplaceOne)).value == Fraction(15, 4)
    assert gdp(Ledger(Repeat(FilteredGaussians(Fraction(1, 7)), 3), ReplaceOne)).value == Fraction(6, 7)
    once = gdp(Ledger(TreeGaussian(Fraction(5), 8), ReplaceOne)).value
    assert gdp(Ledger(Repeat(TreeGaussian(Fraction(5), 8), 3), ReplaceOne)).value == 3 * once > 0


@pytest.mark.parametrize("count", [1, 2, 3, 4, 5, 9])
def test_all_of_many_different_answers_count(count: int) -> None:
    answers = Compose(tuple(Gaussian(Fraction(k)) for k in range(1, count + 1)))
    assert gdp(Ledger(answers, ReplaceOne)).value == sum(Fraction(1, k**2) for k in range(1, count + 1))


def test_a_norm_attains_its_loss_if_and_only_if_its_kappa_is_one() -> None:
    assert attained_gdp(Ledger(GeneralizedGaussian(Fraction(2), ONE), ReplaceOne)) == Fraction(1, 4)
    assert attained_gdp(Ledger(GeneralizedGaussian(Fraction(2), Fraction(3, 2)), ReplaceOne)) == 0
    assert gdp(Ledger(GeneralizedGaussian(Fraction(2), Fraction(3, 2)), ReplaceOne)).value == Fraction(3, 8)


def test_the_lower_end_counts_what_is_attained_alone() -> None:
    mixed = Ledger(Compose((Gaussian(ONE), GeneralizedGaussian(ONE, Fraction(3)))), ReplaceOne)
    alone, together = gaussian_epsilon(1, Fraction(1, 100)), gaussian_epsilon(4, Fraction(1, 100))
    found = epsilon(mixed, Fraction(1, 100))
    assert (found.lower, found.upper) == (alone.lower, together.upper)


def test_an_answer_without_noise_hides_nothing() -> None:
    ledger = Ledger(Compose((Gaussian(ONE), NonPrivate())), ReplaceOne)
    assert (delta(ledger, 3).lower, delta(ledger, 3).upper) == (1.0, 1.0)
    assert (epsilon(ledger, Fraction(1, 9)).lower, epsilon(ledger, Fraction(1, 9)).upper) == (math.inf, math.inf)


@pytest.mark.parametrize("ask", [gaussian_delta_at, gaussian_epsilon])
def test_a_ball_of_mu_is_read_at_both_ends(ask: Callable[[Exact | arb, Exact], Interval]) -> None:
    mu_squared = arb(2, 1)
    found = ask(mu_squared, Fraction(1, 10))
    assert found.lower == ask(mu_squared.lower(), Fraction(1, 10)).lower
    assert found.upper == ask(mu_squared.upper(), Fraction(1, 10)).upper > found.lower


def test_a_ball_of_mu_may_be_zero_and_hold_nothing_below_it() -> None:
    for mu_squared in (0.0, 0.25):
        found, same = gaussian_delta_at(arb(mu_squared), ONE), gaussian_delta_at(Fraction(mu_squared), ONE)
        assert (found.lower, found.upper) == (same.lower, same.upper)
    for ball in (arb(0.5, 1.0), arb(-0.5), arb(-1), arb("inf"), arb("nan")):
        with pytest.raises(InvalidArgumentError, match="must be a finite ball that is not negative"):
            gaussian_delta_at(ball, ONE)


def test_without_a_loss_there_is_none() -> None:
    assert (gaussian_delta_at(0, 0).lower, gaussian_delta_at(0, 0).upper) == (0.0, 0.0)
    assert (gaussian_epsilon(0, Fraction(1, 10)).lower, gaussian_epsilon(0, Fraction(1, 10)).upper) == (0.0, 0.0)


def test_a_delta_never_exceeds_one_and_comes_as_near_as_doubles_do() -> None:
    found = gaussian_delta_at(10**6, 0)
    assert 1.0 - 2 * sys.float_info.epsilon < found.lower < found.upper == 1.0


@pytest.mark.parametrize(("level", "is_zero"), [("0.39", True), ("0.382", False), ("0.3", False), ("0.13", False)])
def test_epsilon_is_zero_from_the_total_variation_distance_on(level: str, is_zero: bool) -> None:
    # of mu = 1 the total variation distance is 0.38292..., and delta(1) is 0.12693...
    found = gaussian_epsilon(1, Fraction(level))
    assert (found.upper == 0.0) is is_zero
    assert (found.lower > 0.0) is not is_zero
    assert found.upper - found.lower <= 4 * math.ulp(found.upper)


def test_an_epsilon_that_no_double_can_say_lies_between_the_two_beside_it() -> None:
    tiny = gaussian_epsilon(Fraction(1, 10**700), Fraction(1, 10**351))
    assert (tiny.lower, tiny.upper) == (0.0, LEAST)
    huge = gaussian_epsilon(10**400, Fraction(1, 10))
    assert (huge.lower, huge.upper) == (math.nextafter(sys.float_info.max, 0.0), math.inf)


def test_the_precision_doubles_up_to_its_limit_and_not_beyond(monkeypatch: pytest.MonkeyPatch) -> None:
    tried: list[int] = []

    def doubtful(_mu_squared: arb, _delta: arb) -> None:
        tried.append(ctx.prec)

    monkeypatch.setattr(gaussian, "_bracket", doubtful)
    monkeypatch.setattr(gaussian, "PRECISION_LIMIT", 4 * DEFAULT_PRECISION)
    with pytest.raises(PrecisionError, match="no certified epsilon"):
        gaussian_epsilon(1, Fraction(1, 10))
    assert tried == [DEFAULT_PRECISION, 2 * DEFAULT_PRECISION, 4 * DEFAULT_PRECISION]


@pytest.mark.parametrize(("mu_squared", "digits"), [(100, 300), (10**40, 1), (10**40, 6), (10**40, 300)])
def test_the_search_begins_on_the_right_and_finds_what_is_large(mu_squared: int, digits: int) -> None:
    found = gaussian_epsilon(mu_squared, Fraction(1, 10**digits))
    largest = mu_squared / 2 + math.sqrt(2 * mu_squared * digits * math.log(10))
    assert mu_squared / 2 * (1 - 1e-9) < found.lower < found.upper < largest * (1 + 1e-9)
