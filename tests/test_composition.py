"""Composition, filters, trees, selection, trade-off functions: golden values, exact mirrors, simulations, planted bugs.

Simulations fix their seeds.  A Clopper-Pearson bound is wrong with the probability that stands beside it (`ALARM`, one
in a million for each comparison), so that a correct library fails such a test for at most that share of all seeds.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from itertools import product
from typing import Any

import mpmath as mp
import numpy as np
import pytest
from numpy.typing import NDArray

from dpref.audit.statistics import binomial_lower, binomial_upper, epsilon_lower, rates
from dpref.errors import BudgetExceededError, InvalidArgumentError, UnsupportedEventError
from dpref.privacy import gaussian
from dpref.privacy.approximate_zcdp import ApproximateZCDP, approximate_zcdp
from dpref.privacy.composition import (
    advanced,
    advanced_epsilon,
    basic,
    concentrated_epsilon,
    expected_loss,
    heterogeneous,
    optimal_delta,
    optimal_epsilon,
    parallel,
    random_stopping,
    small_loss_epsilon,
)
from dpref.privacy.divergences import gaussian_delta
from dpref.privacy.filters import ApproximateDPFilter, RenyiFilter, ZCDPFilter, ZCDPOdometer
from dpref.privacy.ledger import Compose, Gaussian, Laplace, Ledger, Repeat
from dpref.privacy.renyi import pure_renyi
from dpref.privacy.renyi_curves import RenyiCurve
from dpref.privacy.selection import (
    expected_repetitions,
    expected_repetitions_logarithmic,
    negative_binomial_renyi,
    poisson_selection_renyi,
    select,
    select_poisson,
    select_pure,
)
from dpref.privacy.tradeoff import (
    dp_tradeoff_at,
    gaussian_tradeoff,
    gaussian_tradeoff_at,
    laplace_tradeoff_at,
    tradeoff_delta,
)
from dpref.privacy.tree import most_nodes, nodes, nodes_of_leaf, prefix_nodes, tree_event
from dpref.privacy.zcdp import zcdp_to_epsilon
from dpref.reals import BALL, FLOAT, RATIONAL, ball, exact
from dpref.units import GDP, ZCDP, AddOrRemoveOne, ApproximateDP, PrivacyLoss, PureDP, ReplaceOne, ZeroOut

ALARM = Fraction(1, 10**6)
SLACK = Fraction(1, 10**6)


def pure(epsilon: Fraction) -> PrivacyLoss[PureDP, ReplaceOne]:
    return PrivacyLoss(epsilon, PureDP, ReplaceOne)


def approximate(epsilon: Fraction, delta: Fraction) -> PrivacyLoss[ApproximateDP, ReplaceOne]:
    return PrivacyLoss(epsilon, ApproximateDP, ReplaceOne, delta)


def zcdp_loss(rho: Fraction) -> PrivacyLoss[ZCDP, ReplaceOne]:
    return PrivacyLoss(rho, ZCDP, ReplaceOne)


# ------------------------------------------------------------------------------------ optimal composition


def brute_delta(epsilon: mp.mpf, failure: mp.mpf, steps: int, target: mp.mpf) -> mp.mpf:
    """The hockey-stick divergence of the product, over all outcomes of k randomised responses that may fail."""
    heads = mp.e**epsilon / (1 + mp.e**epsilon)
    one = [(failure, mp.mpf(0)), (mp.mpf(0), failure)]
    one += [((1 - failure) * heads, (1 - failure) * (1 - heads)), ((1 - failure) * (1 - heads), (1 - failure) * heads)]
    total = mp.mpf(0)
    for outcome in product(one, repeat=steps):
        p, q = mp.fprod(x for x, _ in outcome), mp.fprod(y for _, y in outcome)
        total += max(mp.mpf(0), p - mp.e**target * q)
    return total


@pytest.mark.parametrize("steps", [1, 2, 3, 5])
@pytest.mark.parametrize("failure", [Fraction(0), Fraction(1, 50)])
def test_optimal_delta_is_the_sum_over_all_outcomes(steps: int, failure: Fraction) -> None:
    with mp.workdps(40):
        for target in (Fraction(0), Fraction(1, 3), Fraction(1), Fraction(steps, 2)):
            value = brute_delta(mp.mpf(1) / 2, mp.mpf(failure.numerator) / failure.denominator, steps, _mp(target))
            found = optimal_delta(approximate(Fraction(1, 2), failure), steps, target)
            assert mp.mpf(found.lower) <= value <= mp.mpf(found.upper)


def _mp(x: Fraction) -> mp.mpf:
    return mp.mpf(x.numerator) / x.denominator


def test_optimal_epsilon_and_delta_are_inverse() -> None:
    for loss, steps, delta in [
        (approximate(Fraction(1, 10), Fraction(0)), 100, SLACK),
        (approximate(Fraction(2), Fraction(0)), 7, Fraction(1, 1000)),
        (approximate(Fraction(1, 5), Fraction(1, 10**8)), 31, SLACK),
    ]:
        found = optimal_epsilon(loss, steps, delta)
        assert 0 < found.lower <= found.upper <= found.lower * (1 + 1e-14)
        assert optimal_delta(loss, steps, exact(found.upper)).lower <= delta
        assert optimal_delta(loss, steps, exact(found.lower)).upper >= delta


def test_optimal_epsilon_at_the_ends() -> None:
    loss = approximate(Fraction(1, 2), Fraction(1, 10))
    assert optimal_epsilon(pure(Fraction(1, 2)), 8, 0).upper == 4.0
    assert optimal_epsilon(pure(Fraction(1, 2)), 8, 0).lower == 4.0
    certain = 1 - Fraction(9, 10) ** 3
    assert optimal_epsilon(loss, 3, certain).lower == 1.5
    assert optimal_epsilon(loss, 3, certain - Fraction(1, 10**30)).lower == math.inf
    assert optimal_epsilon(loss, 3, Fraction(9, 10)).upper == 0.0
    assert optimal_delta(loss, 3, 100).lower <= certain <= optimal_delta(loss, 3, 100).upper


def test_optimal_composition_at_the_corners_is_kairouz_oh_and_viswanaths_sum() -> None:
    epsilon, steps = Fraction(3, 10), 9
    e = math.exp(0.3)
    for i in range(steps // 2 + 1):
        terms = (math.comb(steps, j) * (e ** (steps - j) - e ** (steps - 2 * i + j)) for j in range(i))
        value = math.fsum(terms) / (1 + e) ** steps
        found = optimal_delta(pure(epsilon), steps, (steps - 2 * i) * epsilon)
        assert found.lower == pytest.approx(value, rel=1e-12)


# ------------------------------------------------------------------------------------ advanced composition


@pytest.mark.parametrize("epsilon", [Fraction(1, 1000), Fraction(1, 10), Fraction(1), Fraction(4)])
@pytest.mark.parametrize("steps", [1, 10, 1000])
def test_optimal_is_at_most_heterogeneous_is_at_most_advanced_and_basic(epsilon: Fraction, steps: int) -> None:
    for failure in (Fraction(0), Fraction(1, 10**9)):
        loss = approximate(epsilon, failure)
        middle, plain = heterogeneous([loss] * steps, SLACK), advanced(loss, steps, SLACK)
        best = optimal_epsilon(loss, steps, middle.delta)
        assert best.lower <= middle.epsilon.upper <= plain.epsilon.upper
        assert middle.epsilon.upper <= float(basic([loss] * steps).value) * (1 + 1e-15)
        assert middle.delta <= plain.delta
        # What is fixed in advance is never dearer than what is chosen on the way.
        squares = float(steps * epsilon**2)
        assert middle.epsilon.lower <= concentrated_epsilon(FLOAT, squares / 2, squares, math.log(1e6))


def test_advanced_composition_has_the_printed_constants() -> None:
    found = advanced(approximate(Fraction(1, 10), Fraction(1, 10**9)), 100, SLACK)
    printed = 0.1 * math.sqrt(200 * math.log(1e6)) + 100 * 0.1 * (math.exp(0.1) - 1)
    assert found.epsilon.upper == pytest.approx(printed, rel=1e-12)
    assert found.delta == Fraction(100, 10**9) + SLACK
    assert found.adjacency is ReplaceOne
    mean = expected_loss(FLOAT, 0.1)
    assert mean == pytest.approx(0.1 * (math.exp(0.1) - 1) / (math.exp(0.1) + 1), rel=1e-14)
    mixed = heterogeneous([pure(Fraction(1, 10))] * 50 + [pure(Fraction(1, 20))] * 60, SLACK)
    squares = 50 * 0.01 + 60 * 0.0025
    total = 50 * expected_loss(FLOAT, 0.1) + 60 * expected_loss(FLOAT, 0.05)
    forms = [
        8.0,
        concentrated_epsilon(FLOAT, total, squares, math.log(1e6)),
        small_loss_epsilon(FLOAT, total, squares, 1e-6),
    ]
    assert mixed.epsilon.upper == pytest.approx(min(forms), rel=1e-12)


def test_planted_bug_a_missing_factor_in_advanced_composition_is_below_the_optimum() -> None:
    """Without the 2 under the root the bound undercuts what randomised response attains."""

    def planted(epsilon: float, steps: int, slack: float) -> float:
        return epsilon * math.sqrt(steps * math.log(1 / slack)) + steps * epsilon * math.expm1(epsilon)

    loss, steps, slack = pure(Fraction(1, 1000)), 1000, Fraction(1, 10**10)
    truth = optimal_epsilon(loss, steps, slack)
    assert planted(1e-3, steps, 1e-10) < truth.lower
    assert truth.upper <= advanced_epsilon(FLOAT, 1e-3, steps, math.log(1e10))
    assert truth.upper <= heterogeneous([loss] * steps, slack).epsilon.upper


def test_basic_composition_adds_and_keeps_kinds_apart() -> None:
    assert basic(
        [approximate(Fraction(1), Fraction(1, 4)), approximate(Fraction(2), Fraction(1, 8))]
    ).delta == Fraction(3, 8)
    assert basic([zcdp_loss(Fraction(1, 3))] * 3).value == 1
    with pytest.raises(InvalidArgumentError):
        basic([pure(Fraction(1)), zcdp_loss(Fraction(1))])  # type: ignore[arg-type]
    with pytest.raises(InvalidArgumentError):
        basic([])


# ------------------------------------------------------------------------------------ parallel, approximate zCDP


def test_parallel_composition_holds_where_neighbours_differ_in_one_part() -> None:
    def parts(adjacency: type[Any]) -> list[PrivacyLoss[Any, Any]]:
        return [PrivacyLoss(Fraction(k), ApproximateDP, adjacency, Fraction(4 - k, 100)) for k in (1, 3, 2)]

    for adjacency, partition in [
        (ReplaceOne, "by position"),
        (ZeroOut, "by position"),
        (ZeroOut, "by record"),
        (AddOrRemoveOne, "by record"),
    ]:
        found = parallel(parts(adjacency), partition=partition)  # type: ignore[arg-type]
        assert (found.value, found.delta) == (Fraction(3), Fraction(3, 100))
        assert found.adjacency is adjacency
    for adjacency, partition in [(ReplaceOne, "by record"), (AddOrRemoveOne, "by position"), (ZeroOut, "by chance")]:
        with pytest.raises(InvalidArgumentError, match="partition"):
            parallel(parts(adjacency), partition=partition)  # type: ignore[arg-type]
    with pytest.raises(InvalidArgumentError):
        parallel([pure(Fraction(1)), PrivacyLoss(Fraction(1), PureDP, ZeroOut)], partition="by position")  # type: ignore[arg-type]
    with pytest.raises(InvalidArgumentError):
        parallel([pure(Fraction(1)), zcdp_loss(Fraction(1))], partition="by position")  # type: ignore[arg-type]


def test_a_replaced_record_that_changes_its_part_is_why_by_record_is_refused() -> None:
    """Two histogram cells, each released by an epsilon-DP count of sensitivity one: a move changes both."""
    epsilon = 1.0
    # Cells (1, 0) and (0, 1), two-sided geometric noise of scale 1/epsilon: the loss of the output (large, small).
    assert epsilon * (abs(5 - 0) - abs(5 - 1)) + epsilon * (abs(-5 - 1) - abs(-5 - 0)) == 2 * epsilon


def test_random_stopping_is_charged_as_its_longest_run() -> None:
    ledger = Ledger(random_stopping(Gaussian(Fraction(2)), most_steps=8), ReplaceOne)
    assert gaussian.zcdp(ledger).value == 1
    with pytest.raises(InvalidArgumentError):
        random_stopping(Gaussian(Fraction(2)), most_steps=0)


def test_approximate_zcdp_composes_and_converts() -> None:
    both = approximate_zcdp(approximate(Fraction(1), Fraction(1, 10))) + approximate_zcdp(zcdp_loss(Fraction(1, 4)))
    assert (both.rho, both.delta) == (Fraction(3, 4), Fraction(1, 10))
    found = both.to_dp(SLACK)
    assert found.delta == Fraction(1, 10) + Fraction(9, 10) * SLACK
    assert found.epsilon.upper == zcdp_to_epsilon(Fraction(3, 4), SLACK).upper
    # A hundred steps of randomised response that fail: the optimum is not above what approximate zCDP says.
    step = approximate(Fraction(1, 10), Fraction(1, 10**8))
    total = approximate_zcdp(step)
    for _ in range(99):
        total = total + approximate_zcdp(step)
    said = total.to_dp(SLACK)
    assert optimal_epsilon(step, 100, said.delta).upper <= said.epsilon.upper
    with pytest.raises(InvalidArgumentError):
        approximate_zcdp(PrivacyLoss(Fraction(1), GDP, ReplaceOne))  # type: ignore[arg-type]
    with pytest.raises(InvalidArgumentError):
        ApproximateZCDP(Fraction(1), Fraction(1), ReplaceOne)


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
    assert admitted(lambda spent, asked, budget: spent <= budget) == Fraction(11, 10)  # noqa: ARG005


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


# ------------------------------------------------------------------------------------ the tree


def test_node_counts_by_enumeration() -> None:
    for n in range(1, 130):
        released = list(nodes(n))
        assert all(1 <= node.first <= node.last <= n for node in released)
        assert len(set(released)) == len(released)
        counts = [sum(node.first <= t <= node.last for node in released) for t in range(1, n + 1)]
        assert counts == [nodes_of_leaf(t, n) for t in range(1, n + 1)]
        assert max(counts) == most_nodes(n) == math.floor(math.log2(n)) + 1
        size = 1 << (n - 1).bit_length()
        padded = sum(node.first <= 1 <= node.last for node in nodes(size))
        assert padded == most_nodes(n, padded=True) == math.ceil(math.log2(n)) + 1
        assert most_nodes(n) <= most_nodes(n, padded=True)
    assert most_nodes(2**70) == 71


def test_prefixes_are_disjoint_unions_of_released_nodes() -> None:
    for n in (1, 6, 37, 64):
        released = set(nodes(n))
        for leaf in range(1, n + 1):
            parts = prefix_nodes(leaf)
            assert set(parts) <= released
            assert [t for node in parts for t in range(node.first, node.last + 1)] == list(range(1, leaf + 1))
            assert len(parts) == leaf.bit_count()


def test_tree_ledger_counts_every_level() -> None:
    loss = gaussian.gdp(Ledger(tree_event(Gaussian(Fraction(2)), 1000), ReplaceOne))
    assert loss.value == Fraction(10, 4)
    assert str(tree_event(Gaussian(Fraction(2)), 1000, padded=True)) == "compose(gaussian(noise_multiplier=2), 11)"


def hits_and_alarms(
    scores_in: NDArray[Any], scores_out: NDArray[Any], threshold: float
) -> tuple[tuple[int, int], tuple[int, int]]:
    return (int((scores_in > threshold).sum()), len(scores_in)), (int((scores_out > threshold).sum()), len(scores_out))


def measured_delta(hits: tuple[int, int], alarms: tuple[int, int], epsilon: float) -> float:
    """A lower bound on delta at an epsilon that is too high with probability at most `ALARM`."""
    p, q = binomial_lower(*hits, ALARM / 2), binomial_upper(*alarms, ALARM / 2)
    return p - math.exp(epsilon) * q - 1e-12


def test_tree_aggregation_leaks_at_most_its_ledger_and_more_than_one_level_less() -> None:
    """Sixteen leaves, a record in the first: five nodes.  The best test sums the nodes that hold it."""
    rng = np.random.default_rng(11)
    n, runs, sigma, epsilon = 16, 40_000, 1.0, 1.0

    def scores(first_leaf: float) -> NDArray[Any]:
        total = np.zeros(runs)
        for node in nodes(n):
            answer = (first_leaf if node.first == 1 else 0.0) + sigma * rng.standard_normal(runs)
            total += answer * (node.first == 1)
        return total

    hits, alarms = hits_and_alarms(scores(1.0), scores(0.0), epsilon + 5 / 2)
    measured = measured_delta(hits, alarms, epsilon)
    certified = gaussian.delta(Ledger(tree_event(Gaussian(Fraction(1)), n), ReplaceOne), Fraction(1))
    assert measured <= certified.lower
    planted = gaussian.delta(Ledger(Repeat(Gaussian(Fraction(1)), most_nodes(n) - 1), ReplaceOne), Fraction(1))
    assert measured > planted.upper  # an off-by-one depth is seen


def test_randomised_response_leaks_at_most_its_optimal_composition() -> None:
    rng = np.random.default_rng(12)
    epsilon, steps, runs, target = Fraction(1, 2), 12, 40_000, Fraction(2)
    heads = math.exp(0.5) / (1 + math.exp(0.5))
    losses_in = 0.5 * (2 * rng.binomial(steps, heads, runs) - steps)
    losses_out = 0.5 * (2 * rng.binomial(steps, 1 - heads, runs) - steps)
    hits, alarms = hits_and_alarms(losses_in, losses_out, float(target))
    measured = measured_delta(hits, alarms, float(target))
    certified = optimal_delta(pure(epsilon), steps, target)
    assert 0.5 * certified.lower < measured <= certified.lower
    assert measured > optimal_delta(pure(epsilon), steps - 3, target).upper  # forgotten steps are seen


@pytest.mark.parametrize("noise", ["laplace", "gumbel"])
def test_noisy_max_leaks_at_most_epsilon(noise: str) -> None:
    """Three scores that all move against each other by the sensitivity; four adaptive uses, optimally composed."""
    rng = np.random.default_rng(13)
    epsilon, uses, runs = 1.0, 4, 40_000

    def wins(scores: list[float]) -> NDArray[Any]:
        draw = rng.laplace if noise == "laplace" else rng.gumbel
        noisy = np.array(scores) + draw(0.0, 2 / epsilon, (runs, uses, len(scores)))
        return np.asarray((noisy.argmax(axis=2) == 0).sum(axis=1))

    hits, alarms = hits_and_alarms(wins([1.0, 0.0, 0.0]), wins([0.0, 1.0, 1.0]), 3.5)
    lower = epsilon_lower(rates(hits, alarms, ALARM), Fraction(1, 10**6))
    claim = optimal_epsilon(pure(Fraction(1)), uses, Fraction(1, 10**6))
    assert 0.5 < lower <= claim.upper
    assert lower > optimal_epsilon(pure(Fraction(1)), 1, Fraction(1, 10**6)).upper  # four uses are not one


# ------------------------------------------------------------------------------------ selection


def law(eta: mp.mpf, gamma: mp.mpf, most: int) -> list[mp.mpf]:
    """Truncated negative binomial probabilities of 1, ..., most (Papernot and Steinke 2022, Definition 1)."""
    weights, coefficient = [], mp.mpf(1)
    for k in range(1, most + 1):
        coefficient = (1 - gamma) ** k * (mp.mpf(1) / k if eta == 0 else mp.rf(eta, k) / mp.factorial(k))
        weights.append(coefficient)
    norm = mp.log(1 / gamma) if eta == 0 else gamma ** (-eta) - 1
    return [w / norm for w in weights]


def selected(one: list[mp.mpf], repetitions: list[mp.mpf]) -> list[mp.mpf]:
    """The law of the best of K draws, outcomes ordered from worst to best; what is left is the empty selection."""

    def f(x: mp.mpf) -> mp.mpf:
        return mp.fsum(w * x**k for k, w in enumerate(repetitions, start=1))

    total, found = mp.mpf(0), []
    for p in one:
        found.append(f(total + p) - f(total))
        total += p
    return found


def renyi(p: list[mp.mpf], q: list[mp.mpf], alpha: mp.mpf) -> mp.mpf:
    return mp.log(mp.fsum(x**alpha * y ** (1 - alpha) for x, y in zip(p, q, strict=True))) / (alpha - 1)


def response(epsilon: mp.mpf) -> tuple[list[mp.mpf], list[mp.mpf]]:
    """A rare good outcome that the neighbour makes e^epsilon times likelier."""
    rare = mp.mpf(1) / 20
    p, q = [1 - rare * mp.e**epsilon, rare * mp.e**epsilon], [1 - rare, rare]
    return p, q


@pytest.mark.parametrize("eta", [Fraction(0), Fraction(1), Fraction(-1, 2), Fraction(2)])
def test_selection_by_a_negative_binomial_law_is_below_its_theorem(eta: Fraction) -> None:
    gamma, epsilon = Fraction(1, 10), Fraction(3, 10)
    with mp.workdps(30):
        p, q = response(_mp(epsilon))
        weights = law(_mp(eta), _mp(gamma), 1200)
        assert mp.fsum(weights) == pytest.approx(1, abs=1e-9)
        mean = float(mp.fsum(k * w for k, w in enumerate(weights, start=1)))
        ours = (
            expected_repetitions_logarithmic(FLOAT, 0.1) if eta == 0 else expected_repetitions(FLOAT, float(eta), 0.1)
        )
        assert ours == pytest.approx(mean, rel=1e-9)
        one = RenyiCurve(lambda order: pure_renyi(BALL, ball(order), ball(epsilon)), tight=False)
        curve = select(one, eta=eta, gamma=gamma)
        for alpha in (2, 8, 40):
            for first, second in ((p, q), (q, p)):
                true = float(renyi(selected(first, weights), selected(second, weights), mp.mpf(alpha)))
                assert true <= curve.at(alpha).upper
        best, worst = selected(p, weights), selected(q, weights)
        loss = max(abs(mp.log(x / y)) for x, y in zip(best, worst, strict=True))
        assert float(loss) <= select_pure(pure(epsilon), eta=eta).value


def test_selection_from_a_poisson_law_is_below_its_theorem() -> None:
    mean, epsilon = 6, Fraction(1, 10)
    with mp.workdps(30):
        p, q = response(_mp(epsilon))
        weights = [mp.e ** (-mean) * mp.mpf(mean) ** k / mp.factorial(k) for k in range(1, 120)]
        empty = mp.e ** (-mean)
        one = RenyiCurve(lambda order: pure_renyi(BALL, ball(order), ball(epsilon)), tight=False)
        curve = select_poisson(one, mean=mean, epsilon=epsilon, delta=0)
        for alpha in (2, 5, 10):
            for first, second in ((p, q), (q, p)):
                laws = [*selected(first, weights), empty], [*selected(second, weights), empty]
                assert float(renyi(*laws, mp.mpf(alpha))) <= curve.at(alpha).upper
    assert curve.at(11).upper == math.inf  # e^0.1 > 1 + 1/10
    # Without the empty selection the formula would fall below zero at small means.
    assert poisson_selection_renyi(FLOAT, 2.0, 0.0, 0.0, 0.01) >= 0
    assert math.log(0.01) < 0


def test_selection_formula_has_the_printed_terms() -> None:
    value = negative_binomial_renyi(FLOAT, 5.0, 0.2, (4.0, 0.1), 1.0, 0.01, 100.0)
    assert value == pytest.approx(0.2 + 2 * 0.75 * 0.1 + 2 * math.log(100) / 4 + math.log(100) / 4)


# ------------------------------------------------------------------------------------ trade-off functions


def test_gaussian_tradeoff_is_its_parametric_curve_and_gives_the_exact_delta() -> None:
    mu, epsilon = 1.2, 0.7
    for threshold in (-1.0, 0.3, 2.0):
        a, error = gaussian_tradeoff(FLOAT, threshold, mu)
        found = gaussian_tradeoff_at(exact(mu) ** 2, exact(a))
        assert found.lower == pytest.approx(error, rel=1e-12)
        assert tradeoff_delta(FLOAT, a, error, epsilon) <= gaussian_delta(FLOAT, epsilon, mu)
    a, error = gaussian_tradeoff(FLOAT, epsilon / mu + mu / 2, mu)
    assert tradeoff_delta(FLOAT, a, error, epsilon) == pytest.approx(gaussian_delta(FLOAT, epsilon, mu), rel=1e-12)


def test_laplace_tradeoff_is_the_best_threshold_test() -> None:
    scale = Fraction(2)

    def tail(x: float) -> float:
        return 0.5 * math.exp(-x) if x > 0 else 1 - 0.5 * math.exp(x)

    for threshold in (-1.0, 0.1, 0.4, 0.9, 3.0):
        a, error = tail(threshold), 1 - tail(threshold - 0.5)
        found = laplace_tradeoff_at(scale, exact(a))
        assert found.lower == pytest.approx(error, rel=1e-12)
        assert found.upper >= dp_tradeoff_at(pure(Fraction(1, 2)), exact(a)).lower
    edge = laplace_tradeoff_at(Fraction(1), Fraction(1, 2))
    assert edge.lower <= math.exp(-1) / 2 <= edge.upper


def test_tradeoff_of_dp_at_its_ends_and_bounds() -> None:
    loss = approximate(Fraction(1), Fraction(1, 10))
    assert dp_tradeoff_at(loss, 0).lower == pytest.approx(0.9)
    assert dp_tradeoff_at(loss, Fraction(9, 10)).upper == 0.0
    assert dp_tradeoff_at(loss, 1).upper == 0.0
    assert gaussian_tradeoff_at(1, 0).upper == 1.0
    assert gaussian_tradeoff_at(0, Fraction(1, 3)).lower == pytest.approx(2 / 3)


# ------------------------------------------------------------------------------------ fail closed


def test_malformed_arguments_are_refused() -> None:
    one = pure(Fraction(1))
    curve = RenyiCurve(ball, tight=True)
    half = 0.5
    calls: list[Callable[[], object]] = [
        lambda: advanced(one, 0, SLACK),
        lambda: advanced(one, 1, Fraction(0)),
        lambda: advanced(one, 1, half),  # type: ignore[arg-type]
        lambda: advanced(pure(Fraction(0)), 1, SLACK),
        lambda: advanced(zcdp_loss(Fraction(1)), 1, SLACK),  # type: ignore[arg-type]
        lambda: advanced(approximate(Fraction(1), Fraction(1)), 1, SLACK),
        lambda: heterogeneous([], SLACK),
        lambda: heterogeneous([one], math.nan),  # type: ignore[arg-type]
        lambda: optimal_delta(one, 10**7, 1),
        lambda: optimal_delta(one, 1, -1),
        lambda: optimal_delta(one, 1, half),  # type: ignore[arg-type]
        lambda: optimal_epsilon(one, 1, 1),
        lambda: optimal_epsilon(one, 1, math.nan),  # type: ignore[arg-type]
        lambda: parallel([], partition="by record"),
        lambda: ZCDPFilter(one),  # type: ignore[arg-type]
        lambda: ZCDPFilter(zcdp_loss(Fraction(1))).admits(one),  # type: ignore[arg-type]
        lambda: ZCDPFilter(zcdp_loss(Fraction(1))).spend(PrivacyLoss(Fraction(0), ZCDP, ZeroOut)),  # type: ignore[arg-type]
        lambda: ZCDPOdometer(zcdp_loss(Fraction(0))),
        lambda: ZCDPOdometer(zcdp_loss(Fraction(1))).record(PrivacyLoss(Fraction(1), ZCDP, ZeroOut)),  # type: ignore[arg-type]
        lambda: RenyiFilter({}),
        lambda: RenyiFilter({1: Fraction(1)}),
        lambda: RenyiFilter({2: -1}),
        lambda: RenyiFilter({2: 1}).spend({2: math.nan}),  # type: ignore[dict-item]
        lambda: ApproximateDPFilter(Fraction(0), SLACK, SLACK, ReplaceOne),
        lambda: ApproximateDPFilter(Fraction(1), SLACK, Fraction(1), ReplaceOne),
        lambda: ApproximateDPFilter(Fraction(1), SLACK, SLACK, ZeroOut).admits(one),  # type: ignore[arg-type]
        lambda: list(nodes(0)),
        lambda: nodes_of_leaf(5, 4),
        lambda: nodes_of_leaf(0, 4),
        lambda: most_nodes(0),
        lambda: prefix_nodes(0),
        lambda: select_pure(zcdp_loss(Fraction(1)), eta=1),  # type: ignore[arg-type]
        lambda: select_pure(one, eta=-1),
        lambda: select_pure(one, eta=half),  # type: ignore[arg-type]
        lambda: select(curve, eta=0, gamma=1),
        lambda: select(curve, eta=0, gamma=Fraction(1, 2), auxiliary_orders=[]),
        lambda: select_poisson(curve, mean=0, epsilon=1, delta=0),
        lambda: select_poisson(curve, mean=1, epsilon=1, delta=1),
        lambda: dp_tradeoff_at(zcdp_loss(Fraction(1)), 0),  # type: ignore[arg-type]
        lambda: dp_tradeoff_at(one, 2),
        lambda: gaussian_tradeoff_at(-1, 0),
        lambda: laplace_tradeoff_at(0, Fraction(1, 2)),
        lambda: laplace_tradeoff_at(1, math.nan),  # type: ignore[arg-type]
        lambda: approximate_zcdp(one).to_dp(0),
        lambda: approximate_zcdp(one) + ApproximateZCDP(Fraction(1), Fraction(0), ZeroOut),  # type: ignore[arg-type]
    ]
    for number, call in enumerate(calls):
        try:
            result = call()
        except InvalidArgumentError:
            continue
        pytest.fail(f"call {number} was answered: {result}")


def test_rational_formulas_refuse_transcendental_ones() -> None:
    with pytest.raises(InvalidArgumentError):
        advanced_epsilon(RATIONAL, Fraction(1), 2, Fraction(1))
    assert Ledger(Compose(()), ReplaceOne).event == Compose(())
