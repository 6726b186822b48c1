"""Compositions: golden values, exact mirrors, planted bugs, bad arguments."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from itertools import product
from typing import Any

import mpmath as mp
import pytest

from dpref.errors import InvalidArgumentError
from dpref.privacy.closed_forms import gaussian
from dpref.privacy.closed_forms.approximate_zcdp import ApproximateZCDP, approximate_zcdp
from dpref.privacy.closed_forms.composition import (
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
from dpref.privacy.closed_forms.tradeoff import dp_tradeoff_at, gaussian_tradeoff_at, laplace_tradeoff_at
from dpref.privacy.closed_forms.zcdp import zcdp_to_epsilon
from dpref.privacy.events.ledger import Compose, Gaussian, Ledger
from dpref.privacy.events.tree import most_nodes, nodes, nodes_of_leaf, prefix_nodes
from dpref.privacy.filters import ApproximateDPFilter, RenyiFilter, ZCDPFilter, ZCDPOdometer
from dpref.privacy.renyi.curves import RenyiCurve
from dpref.privacy.renyi.selection import select, select_poisson, select_pure
from dpref.reals import FLOAT, RATIONAL, ball, exact
from dpref.units import GDP, ZCDP, AddOrRemoveOne, ApproximateDP, PrivacyLoss, PureDP, ReplaceOne, ZeroOut
from tests.losses import approximate, pure, zcdp_loss

SLACK = Fraction(1, 10**6)

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
    answered = []
    for number, call in enumerate(calls):
        try:
            answered.append((number, call()))
        except InvalidArgumentError:
            continue
    assert answered == []


def test_rational_formulas_refuse_transcendental_ones() -> None:
    with pytest.raises(InvalidArgumentError):
        advanced_epsilon(RATIONAL, Fraction(1), 2, Fraction(1))
    assert Ledger(Compose(()), ReplaceOne).event == Compose(())
