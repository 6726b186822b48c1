"""Privacy filters and odometers: what they admit, what they refuse, planted bugs."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction

import numpy as np
import pytest

from dpref.errors import BudgetExceededError, InvalidArgumentError, UnsupportedEventError
from dpref.privacy.closed_forms import gaussian
from dpref.privacy.closed_forms.composition import concentrated_epsilon, optimal_delta
from dpref.privacy.events.ledger import Gaussian, Laplace, Repeat
from dpref.privacy.filters import ApproximateDPFilter, RenyiFilter, ZCDPFilter, ZCDPOdometer
from dpref.reals import FLOAT, exact
from dpref.units import ZCDP, PureDP, ReplaceOne
from tests.losses import approximate, pure, zcdp_loss

SLACK = Fraction(1, 10**6)

# ------------------------------------------------------------------------------------ filters


def test_zcdp_filter_admits_exactly_up_to_its_budget_and_never_half_spends() -> None:
    filter_ = ZCDPFilter(zcdp_loss(Fraction(1)))
    for _ in range(10):
        filter_.spend(zcdp_loss(Fraction(1, 10)))
    assert filter_.remaining.value == 0
    assert filter_.admits(zcdp_loss(Fraction(0)))
    before = filter_.spent
    with pytest.raises(BudgetExceededError):
        filter_.spend(zcdp_loss(Fraction(1, 10**40)))
    assert filter_.spent == before


def test_planted_bug_a_filter_that_refuses_at_equality_or_asks_afterwards_is_seen() -> None:
    def admitted(admits: Callable[[Fraction, Fraction, Fraction], bool]) -> Fraction:
        spent, budget = Fraction(0), Fraction(1)
        while admits(spent, Fraction(1, 10), budget):
            spent += Fraction(1, 10)
        return spent

    right = ZCDPFilter(zcdp_loss(Fraction(1)))
    while right.admits(zcdp_loss(Fraction(1, 10))):
        right.spend(zcdp_loss(Fraction(1, 10)))
    assert right.spent.value == 1
    assert admitted(lambda spent, asked, budget: not spent + asked >= budget) == Fraction(9, 10)
    assert admitted(lambda spent, asked, budget: spent <= budget) == Fraction(11, 10)


def test_zcdp_filter_keeps_a_ledger_that_costs_what_was_spent() -> None:
    filter_ = ZCDPFilter(zcdp_loss(Fraction(2)))
    filter_.spend_event(Gaussian(Fraction(1)))
    filter_.spend_event(Repeat(Gaussian(Fraction(2)), 4))
    with pytest.raises(BudgetExceededError):
        filter_.spend_event(Repeat(Gaussian(Fraction(1)), 3))
    with pytest.raises(UnsupportedEventError):
        filter_.spend_event(Laplace(Fraction(10)))
    assert gaussian.zcdp(filter_.ledger) == filter_.spent == zcdp_loss(Fraction(1))
    filter_.spend(zcdp_loss(Fraction(1, 2)))
    with pytest.raises(UnsupportedEventError):
        _ = filter_.ledger


def test_adaptive_noisy_descent_never_exceeds_its_budget() -> None:
    """The control flow of a run that asks before each of the two releases of a round, costs chosen from noise."""
    rng = np.random.default_rng(7)
    rho, r0, rounds = Fraction(1), Fraction(1, 100), 0
    for _ in range(20):
        filter_ = ZCDPFilter(zcdp_loss(rho))
        while filter_.admits(zcdp_loss(r0)):
            filter_.spend(zcdp_loss(r0))
            noisy = max(0.3 + 0.2 * rng.standard_normal(), 0.02)
            cost = zcdp_loss(exact(0.001 / noisy**2))
            if not filter_.admits(cost):
                break
            filter_.spend(cost)
            rounds += 1
        assert filter_.spent.value <= rho
    assert rounds > 20


def test_odometer_reads_whole_steps_that_are_not_below_the_sum() -> None:
    odometer = ZCDPOdometer(zcdp_loss(Fraction(1, 10)))
    assert odometer.reading.value == 0
    odometer.record(zcdp_loss(Fraction(1, 10)))
    assert odometer.reading.value == Fraction(1, 10)
    odometer.record(zcdp_loss(Fraction(1, 10**30)))
    assert odometer.reading.value == Fraction(2, 10)


def test_renyi_filter_holds_at_every_order_and_never_half_spends() -> None:
    filter_ = RenyiFilter({2: Fraction(1), 8: Fraction(2)})
    filter_.spend({2: Fraction(1, 2), 8: Fraction(2)})
    with pytest.raises(BudgetExceededError):
        filter_.spend({2: Fraction(1, 4), 8: Fraction(1, 10**20)})
    assert filter_.spent == {2: Fraction(1, 2), 8: 2}
    assert filter_.admits({2: Fraction(1, 2), 8: 0})
    with pytest.raises(InvalidArgumentError, match="orders"):
        filter_.admits({2: Fraction(0)})


def test_approximate_filter_stops_where_the_theorem_says() -> None:
    epsilon, step = Fraction(1), Fraction(1, 100)
    filter_ = ApproximateDPFilter(epsilon, SLACK, Fraction(1, 10**8), ReplaceOne)
    admitted = 0
    while filter_.admits(pure(step)):
        filter_.spend(pure(step))
        admitted += 1
    bound = [concentrated_epsilon(FLOAT, k * 1e-4 / 2, k * 1e-4, math.log(1e6)) for k in (admitted, admitted + 1)]
    assert bound[0] <= 1 < bound[1]
    with pytest.raises(BudgetExceededError):
        filter_.spend(pure(step))
    assert filter_.spent_squares == admitted * step**2
    # A guarantee: nonadaptive randomised response of as many steps stays below the target.
    assert optimal_delta(pure(step), admitted, epsilon).upper <= filter_.delta
    assert not ApproximateDPFilter(epsilon, SLACK, Fraction(0), ReplaceOne).admits(
        approximate(step, Fraction(1, 10**30))
    )


class Cheaper:
    """What looks like a loss, with a value that no `PrivacyLoss` can have."""

    value = Fraction(-1)
    measure = ZCDP
    adjacency = ReplaceOne
    delta = Fraction(0)


class CheaperPure(Cheaper):
    measure = PureDP  # type: ignore[assignment]


def test_planted_bug_only_a_checked_loss_is_spent() -> None:
    zcdp_filter = ZCDPFilter(zcdp_loss(Fraction(1)))
    odometer = ZCDPOdometer(zcdp_loss(Fraction(1)))
    approximate_filter = ApproximateDPFilter(Fraction(1), SLACK, Fraction(0), ReplaceOne)
    for spend in (zcdp_filter.spend, zcdp_filter.admits, odometer.record):
        with pytest.raises(InvalidArgumentError, match="must be a PrivacyLoss"):
            spend(Cheaper())  # type: ignore[arg-type]
    for ask in (approximate_filter.spend, approximate_filter.admits):
        with pytest.raises(InvalidArgumentError, match="must be a PrivacyLoss"):
            ask(CheaperPure())  # type: ignore[arg-type]
    with pytest.raises(InvalidArgumentError, match="must be a PrivacyLoss"):
        ZCDPFilter(Cheaper())  # type: ignore[arg-type]


@pytest.mark.parametrize("name", ["budget", "spent", "remaining", "ledger"])
def test_the_state_of_a_filter_is_read_only(name: str) -> None:
    with pytest.raises(AttributeError):
        setattr(ZCDPFilter(zcdp_loss(Fraction(1))), name, zcdp_loss(Fraction(9)))


@pytest.mark.parametrize("name", ["epsilon", "slack", "failure", "adjacency", "spent_squares", "spent_delta", "delta"])
def test_the_state_of_an_approximate_filter_is_read_only(name: str) -> None:
    with pytest.raises(AttributeError):
        setattr(ApproximateDPFilter(Fraction(1), SLACK, Fraction(0), ReplaceOne), name, Fraction(0))


def test_the_budget_of_a_renyi_filter_is_read_only() -> None:
    filter_ = RenyiFilter({2: Fraction(1)})
    with pytest.raises(AttributeError):
        filter_.budget = {Fraction(2): Fraction(9)}  # type: ignore[misc]
    with pytest.raises(TypeError):
        filter_.budget[Fraction(2)] = Fraction(9)  # type: ignore[index]
    assert not filter_.admits({2: Fraction(2)})
