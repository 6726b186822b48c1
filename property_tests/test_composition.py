"""Promises of compositions, filters, trees, selection and trade-off functions, over random losses and plans."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from dpref.errors import BudgetExceededError, DprefError
from dpref.privacy.closed_forms import gaussian
from dpref.privacy.closed_forms.approximate_zcdp import approximate_zcdp
from dpref.privacy.closed_forms.composition import (
    advanced,
    basic,
    heterogeneous,
    optimal_delta,
    optimal_epsilon,
    parallel,
)
from dpref.privacy.closed_forms.tradeoff import dp_tradeoff_at, gaussian_tradeoff_at, laplace_tradeoff_at
from dpref.privacy.closed_forms.zcdp import zcdp_to_epsilon
from dpref.privacy.events.ledger import Gaussian, Ledger, Repeat
from dpref.privacy.events.tree import most_nodes, nodes_of_leaf, prefix_nodes, tree_event
from dpref.privacy.filters import ApproximateDPFilter, RenyiFilter, ZCDPFilter, ZCDPOdometer
from dpref.privacy.interval import Interval
from dpref.privacy.renyi.curves import RenyiCurve
from dpref.privacy.renyi.divergences import pure_renyi
from dpref.privacy.renyi.selection import select, select_poisson, select_pure
from dpref.reals import BALL, ball, exact
from dpref.units import ZCDP, ApproximateDP, PrivacyLoss, PureDP, ReplaceOne
from property_tests.effort import DEAR

WIDTH = 1 + 1e-14

epsilons = st.floats(-3, 0.7).map(lambda e: Fraction(10**e).limit_denominator(10**9))
failures = st.just(Fraction(0)) | st.integers(3, 15).map(lambda k: Fraction(1, 10**k))
slacks = st.integers(1, 15).map(lambda k: Fraction(1, 10**k))
steps = st.integers(1, 200)
losses = st.builds(lambda e, d: PrivacyLoss(e, ApproximateDP, ReplaceOne, d), epsilons, failures)
rhos = st.fractions(0, 3, max_denominator=10**6)


def zcdp_loss(rho: Fraction) -> PrivacyLoss[ZCDP, ReplaceOne]:
    return PrivacyLoss(rho, ZCDP, ReplaceOne)


# ------------------------------------------------------------------------------------ compositions


@given(losses, steps, slacks)
@example(PrivacyLoss(Fraction(1, 1000), ApproximateDP, ReplaceOne), 200, Fraction(1, 10**15))
def test_the_order_of_the_compositions(loss: PrivacyLoss[ApproximateDP, ReplaceOne], k: int, slack: Fraction) -> None:
    middle, plain = heterogeneous([loss] * k, slack), advanced(loss, k, slack)
    best = optimal_epsilon(loss, k, middle.delta)
    assert best.lower <= middle.epsilon.upper
    assert middle.epsilon.upper <= plain.epsilon.upper * WIDTH
    assert middle.epsilon.upper <= float(basic([loss] * k).value) * WIDTH
    assert middle.delta <= plain.delta


@given(losses, steps, steps, epsilons, slacks)
def test_optimal_composition_is_monotone(
    loss: PrivacyLoss[ApproximateDP, ReplaceOne], j: int, k: int, target: Fraction, slack: Fraction
) -> None:
    fewer, more = min(j, k), max(j, k)
    assert optimal_delta(loss, fewer, target).lower <= optimal_delta(loss, more, target).upper
    assert optimal_delta(loss, k, 2 * target).lower <= optimal_delta(loss, k, target).upper
    assert optimal_epsilon(loss, fewer, slack).lower <= optimal_epsilon(loss, more, slack).upper
    assert optimal_epsilon(loss, k, slack).lower <= optimal_epsilon(loss, k, slack / 10).upper
    louder = PrivacyLoss(loss.value * 2, ApproximateDP, ReplaceOne, loss.delta)
    assert optimal_epsilon(loss, k, slack).lower <= optimal_epsilon(louder, k, slack).upper


@given(st.lists(losses, min_size=1, max_size=6), losses, st.randoms(use_true_random=False), slacks)
def test_heterogeneous_composition_is_commutative_and_more_never_costs_less(
    parts: list[PrivacyLoss[ApproximateDP, ReplaceOne]],
    another: PrivacyLoss[ApproximateDP, ReplaceOne],
    random: Any,
    slack: Fraction,
) -> None:
    shuffled = list(parts)
    random.shuffle(shuffled)
    one, other = heterogeneous(parts, slack), heterogeneous(shuffled, slack)
    assert one.delta == other.delta
    assert one.epsilon.upper <= other.epsilon.upper * WIDTH
    longer = heterogeneous([*parts, another], slack)
    assert longer.epsilon.upper >= one.epsilon.upper / WIDTH
    assert longer.delta >= one.delta
    assert basic(parts) == basic(shuffled)
    assert parallel([*parts, another], partition="by position").value >= max(loss.value for loss in parts)


@given(losses, losses, losses, slacks)
def test_approximate_zcdp_is_associative_and_not_below_the_optimum(
    a: PrivacyLoss[ApproximateDP, ReplaceOne],
    b: PrivacyLoss[ApproximateDP, ReplaceOne],
    c: PrivacyLoss[ApproximateDP, ReplaceOne],
    slack: Fraction,
) -> None:
    x, y, z = map(approximate_zcdp, (a, b, c))
    assert (x + y) + z == x + (y + z)
    assert x + y == y + x
    thrice = (x + x + x).to_dp(slack)
    assert optimal_epsilon(a, 3, thrice.delta).lower <= thrice.epsilon.upper


# ------------------------------------------------------------------------------------ filters


@pytest.mark.slow
@given(rhos.filter(bool), st.lists(rhos, max_size=30))
def test_zcdp_filter_equals_the_exact_sum(budget: Fraction, asked: list[Fraction]) -> None:
    """What is admitted is exactly what fits, at equality too; what is refused leaves no trace."""
    filter_, spent = ZCDPFilter(zcdp_loss(budget)), Fraction(0)
    odometer = ZCDPOdometer(zcdp_loss(budget))
    for rho in asked:
        fits = spent + rho <= budget
        assert filter_.admits(zcdp_loss(rho)) is fits
        try:
            filter_.spend(zcdp_loss(rho))
        except BudgetExceededError:
            assert not fits
        else:
            assert fits
            spent += rho
            odometer.record(zcdp_loss(rho))
        assert filter_.spent.value == spent <= budget
        assert filter_.remaining.value == budget - spent
    assert spent <= odometer.reading.value <= budget


@pytest.mark.slow
@given(rhos.filter(bool), st.lists(st.fractions(Fraction(1, 4), 20, max_denominator=1000), max_size=10))
def test_zcdp_filter_ledger_costs_what_was_spent(budget: Fraction, multipliers: list[Fraction]) -> None:
    filter_ = ZCDPFilter(zcdp_loss(budget))
    for multiplier in multipliers:
        try:
            filter_.spend_event(Gaussian(multiplier))
        except BudgetExceededError:
            assert filter_.spent.value + 1 / (2 * multiplier**2) > budget
    assert gaussian.zcdp(filter_.ledger) == filter_.spent


@DEAR
@given(st.lists(st.tuples(rhos, rhos), max_size=20), rhos, rhos)
def test_renyi_filter_is_one_exact_sum_for_each_order(
    asked: list[tuple[Fraction, Fraction]], one: Fraction, other: Fraction
) -> None:
    filter_, spent = RenyiFilter({2: one, 9: other}), [Fraction(0), Fraction(0)]
    for a, b in asked:
        fits = spent[0] + a <= one and spent[1] + b <= other
        assert filter_.admits({9: b, 2: a}) is fits
        if fits:
            filter_.spend({2: a, 9: b})
            spent = [spent[0] + a, spent[1] + b]
    assert filter_.spent == {2: spent[0], 9: spent[1]}


@given(epsilons, slacks, slacks, st.lists(losses, min_size=1, max_size=25))
def test_approximate_filter_admits_less_than_fixed_composition_allows(
    epsilon: Fraction, slack: Fraction, failure: Fraction, asked: list[PrivacyLoss[ApproximateDP, ReplaceOne]]
) -> None:
    """What was chosen on the way is also a plan: fixed in advance it costs at most the target."""
    filter_, admitted = ApproximateDPFilter(epsilon, slack, failure, ReplaceOne), []
    for loss in asked:
        if filter_.admits(loss):
            filter_.spend(loss)
            admitted.append(loss)
    assert filter_.spent_delta <= failure
    if admitted:
        found = heterogeneous(admitted, slack)
        assert found.epsilon.lower <= epsilon
        assert found.epsilon.upper <= float(epsilon) * WIDTH
        assert found.delta <= filter_.delta


# ------------------------------------------------------------------------------------ trees, selection, trade-offs


@given(st.integers(1, 10**30), st.data())
def test_no_leaf_is_in_more_nodes_than_the_most_and_the_first_is_in_all(n: int, data: st.DataObject) -> None:
    leaf = data.draw(st.integers(1, n))
    assert 1 <= nodes_of_leaf(leaf, n) <= nodes_of_leaf(1, n) == most_nodes(n) <= most_nodes(n, padded=True)
    assert most_nodes(n, padded=True) - most_nodes(n) == (0 if n & (n - 1) == 0 else 1)
    assert len(prefix_nodes(leaf)) <= most_nodes(n)
    assert 2 ** (most_nodes(n) - 1) <= n < 2 ** most_nodes(n)
    spent = gaussian.gdp(Ledger(tree_event(Gaussian(Fraction(1)), n), ReplaceOne)).value
    assert (
        spent == most_nodes(n) == gaussian.gdp(Ledger(Repeat(Gaussian(Fraction(1)), most_nodes(n)), ReplaceOne)).value
    )


@given(epsilons, st.fractions(Fraction(-9, 10), 5, max_denominator=50), st.integers(2, 1000), st.integers(2, 60))
def test_selection_costs_more_than_one_run_and_less_than_its_pure_bound(
    epsilon: Fraction, eta: Fraction, scarcity: int, order: int
) -> None:
    one = RenyiCurve(lambda alpha: pure_renyi(BALL, ball(alpha), ball(epsilon)), tight=False)
    best = select(one, eta=eta, gamma=Fraction(1, scarcity))
    assert best.at(order).upper >= one.at(order).upper
    rarer = select(one, eta=eta, gamma=Fraction(1, 2 * scarcity))
    assert rarer.at(order).upper >= best.at(order).upper / WIDTH
    assert select_pure(PrivacyLoss(epsilon, PureDP, ReplaceOne), eta=eta).value == (2 + eta) * epsilon
    drawn = select_poisson(one, mean=scarcity, epsilon=epsilon, delta=0).at(order)
    if math.expm1(epsilon) * (order - 1) > 1 + 1e-12:
        assert drawn.upper == math.inf
    else:
        assert drawn.upper >= one.at(order).upper


@given(st.floats(0, 1).map(Fraction), st.floats(0, 1).map(Fraction), epsilons, failures)
def test_tradeoff_functions_fall_are_below_the_diagonal_and_ordered(
    a: Fraction, b: Fraction, epsilon: Fraction, failure: Fraction
) -> None:
    low, high = min(a, b), max(a, b)
    loss = PrivacyLoss(epsilon, ApproximateDP, ReplaceOne, failure)
    curves: list[Callable[[Fraction], Interval]] = [
        lambda x: dp_tradeoff_at(loss, x),
        lambda x: gaussian_tradeoff_at(epsilon**2, x),
        lambda x: laplace_tradeoff_at(1 / epsilon, x),
    ]
    for curve in curves:
        assert curve(high).lower <= curve(low).upper
        assert 0 <= curve(a).lower <= 1 - float(a) + 1e-15
    # The Laplace mechanism is epsilon-DP, and pure DP is more private than what may fail.
    assert laplace_tradeoff_at(1 / epsilon, a).upper >= dp_tradeoff_at(loss, a).lower
    # Every test bounds the type II error of its mirror image: f(f(a)) <= a for symmetric f.
    back = gaussian_tradeoff_at(epsilon**2, exact(gaussian_tradeoff_at(epsilon**2, a).upper))
    assert back.lower <= a


@given(epsilons, slacks, steps)
def test_gaussian_answers_as_zcdp_are_above_the_exact_curve(mu: Fraction, delta: Fraction, k: int) -> None:
    rho = k * mu**2 / 2
    guarantee = approximate_zcdp(zcdp_loss(rho)).to_dp(delta)
    assert guarantee.epsilon.upper == zcdp_to_epsilon(rho, delta).upper
    assert guarantee.epsilon.upper >= gaussian.gaussian_epsilon(k * mu**2, delta).upper


# ------------------------------------------------------------------------------------ fail closed

junk = st.one_of(
    st.floats(),
    st.sampled_from([0, -1, 1, 2, True, None, "1/2", Fraction(-1, 3), Fraction(1, 10**400), 10**400]),
)


@given(junk, junk, junk)
def test_junk_is_an_error_or_a_positive_bound_never_a_free_release(a: Any, b: Any, c: Any) -> None:
    half = PrivacyLoss(Fraction(1, 2), PureDP, ReplaceOne)
    curve = RenyiCurve(lambda order: ball(order), tight=True)  # noqa: PLW0108
    calls: list[Callable[[], Any]] = [
        lambda: advanced(half, a, b).epsilon.upper,
        lambda: heterogeneous([half], a).epsilon.upper,
        lambda: heterogeneous([PrivacyLoss(a, ApproximateDP, ReplaceOne, b)], Fraction(1, 9)).epsilon.upper,
        lambda: optimal_epsilon(half, 3, a).upper,
        lambda: parallel([half, PrivacyLoss(a, PureDP, ReplaceOne)], partition="by record").value,
        lambda: 1 - ZCDPFilter(zcdp_loss(a)).admits(zcdp_loss(Fraction(a) + Fraction(1, 10**500))),
        lambda: ZCDPOdometer(zcdp_loss(a)).step.value,
        lambda: ApproximateDPFilter(a, b, c, ReplaceOne).epsilon,
        lambda: select(curve, eta=a, gamma=b).at(2).upper,
        lambda: select_poisson(curve, mean=a, epsilon=b, delta=c).at(2).upper,
        lambda: select_pure(half, eta=a).value,
        lambda: most_nodes(a),
        lambda: approximate_zcdp(half).to_dp(a).epsilon.upper,
    ]
    for call in calls:
        try:
            found = call()
        except DprefError:
            continue
        assert found > 0
