"""Trees, noisy maximum and randomised response, simulated: what is measured lies below what is certified.

Simulations fix their seeds.  A Clopper-Pearson bound is wrong with the probability that stands beside it (`ALARM`, one
in a million for each comparison), so that a correct library fails such a test for at most that share of all seeds.
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from dpref.audit.statistics import binomial_lower, binomial_upper, epsilon_lower, rates
from dpref.privacy.closed_forms import gaussian
from dpref.privacy.closed_forms.composition import optimal_delta, optimal_epsilon
from dpref.privacy.events.ledger import Gaussian, Ledger, Repeat
from dpref.privacy.events.tree import most_nodes, nodes, nodes_of_leaf, prefix_nodes, tree_event
from dpref.units import ReplaceOne
from tests.losses import pure

ALARM = Fraction(1, 10**6)

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
