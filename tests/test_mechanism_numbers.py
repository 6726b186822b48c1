"""Mechanisms where no number is one: what they charge and draw, against the same thing worked out by hand."""

from __future__ import annotations

import math
from fractions import Fraction

import mpmath
import numpy as np
import pytest

from dpref.errors import InvalidArgumentError
from dpref.geometry.norms import regularity
from dpref.mechanisms import exponential, gaussian, truncated_geometric, variance_reduced
from dpref.mechanisms.generalized_gaussian import GeneralizedGaussianMechanism, RegularNoise, unit_draw, unit_draws
from dpref.mechanisms.tree import TreeAggregation
from dpref.privacy.events.ledger import (
    Exponential,
    Gaussian,
    GeneralizedGaussian,
    NonPrivate,
    Repeat,
    VarianceReducedGaussian,
)
from dpref.reals import BALL_ARRAY, FLOAT_ARRAY, RATIONAL
from dpref.units import L2, AddOrRemoveOne, Linf, ReplaceOne, Sensitivity, ZeroOut, lq

THREE = Sensitivity(Fraction(3), L2, ReplaceOne)
THIRD = Sensitivity(Fraction(1, 3), Linf, ReplaceOne)

# ------------------------------------------------------------------------------------ Gaussian noise


@pytest.mark.parametrize("std", [0.0, -0.5, -2.0, math.inf, math.nan])
def test_a_gaussian_mechanism_needs_a_positive_finite_deviation(std: float) -> None:
    with pytest.raises(InvalidArgumentError, match="must be positive and finite"):
        gaussian.GaussianMechanism(THREE, std)


def test_a_gaussian_mechanism_charges_the_ratio_of_its_deviation_to_its_sensitivity() -> None:
    mechanism = gaussian.GaussianMechanism(THREE, 0.5)
    assert mechanism.event == Gaussian(Fraction(1, 6)) == gaussian.gaussian_event(THREE, 0.5)
    assert mechanism.gdp().value == 36
    assert mechanism.zcdp().value == 18
    assert gaussian.standard_multiplier(THREE, 0.5) == Fraction(1, 6)


def test_a_gaussian_mechanism_adds_its_deviation_times_a_standard_draw() -> None:
    value = np.array([10.0, -7.0, 0.0])
    drawn = gaussian.GaussianMechanism(THREE, 0.25).sample(value, np.random.default_rng(5))
    assert drawn.tolist() == (value + 0.25 * np.random.default_rng(5).standard_normal(3)).tolist()


def test_a_query_that_does_not_move_is_refused() -> None:
    with pytest.raises(InvalidArgumentError, match="must be positive"):
        gaussian.gaussian_event(Sensitivity(Fraction(0), L2, ReplaceOne), 1.0)
    with pytest.raises(InvalidArgumentError, match="must be positive"):
        exponential.gumbel_scale(Sensitivity(Fraction(0), Linf, ReplaceOne), Fraction(1))


# ------------------------------------------------------------------------------------ selection


@pytest.mark.parametrize("draws", [1, 2, 3])
def test_every_draw_of_a_selection_is_charged(draws: int) -> None:
    event = exponential.exponential_event(Fraction(2, 7), draws)
    assert isinstance(event, Repeat) == (draws > 1)
    assert (event.count if isinstance(event, Repeat) else 1) == draws
    assert (event.event if isinstance(event, Repeat) else event) == Exponential(Fraction(2, 7))
    assert exponential.exponential_event(Fraction(2, 7)) == Exponential(Fraction(2, 7))


def test_the_noise_of_a_selection_is_rounded_up() -> None:
    """2 (1/3) / (1/7) = 14/3, whose nearest double lies above; 2 (1/3) / (1/5) = 10/3, whose nearest lies above too."""
    for epsilon in (Fraction(1, 5), Fraction(1, 7), Fraction(1, 11), Fraction(1, 13)):
        exact = Fraction(2, 3) / epsilon
        scale = exponential.gumbel_scale(THIRD, epsilon)
        assert Fraction(math.nextafter(scale, 0.0)) < exact <= Fraction(scale)


def test_the_largest_noisy_score_wins_whatever_its_sign_and_the_first_of_several() -> None:
    scores = np.array([-1.0, 3.0, 2.0])
    for noise, best in (([0.0, 0.0, 0.5], 1), ([0.0, 0.0, 0.75], 2), ([3.0, 0.0, 0.0], 0), ([0.0, 0.0, 0.6], 1)):
        scale = 1.5  # 2 + 1.5 (0.75) > 3 > 2 + 1.5 (0.6)
        assert exponential.gumbel_max(scores, np.array(noise), scale) == best
        assert exponential.gumbel_max(BALL_ARRAY.lift(scores), np.array(noise), scale) == best
    for scores in (np.array([0.0, 2.0, 2.0]), BALL_ARRAY.lift(np.array([0.0, 2.0, 2.0]))):
        assert exponential.gumbel_max(scores, np.zeros(3), 1.5) == 1


def test_permute_and_flip_takes_a_worse_candidate_with_the_probability_of_its_gap_over_the_scale() -> None:
    """Two candidates a gap of 2 apart at scale 4: the worse one is chosen with probability exp(-1/2) / 2."""
    rng = np.random.default_rng(1)
    draws = 4000
    worse = sum(exponential.permute_and_flip(np.array([3.0, 1.0]), 4.0, rng) == 1 for _ in range(draws))
    p = math.exp(-0.5) / 2
    assert abs(worse - draws * p) < 5 * math.sqrt(draws * p * (1 - p))  # missed with probability 6e-7, at a fixed seed


def test_the_law_of_permute_and_flip_on_two_candidates() -> None:
    """First drawn: taken with its own probability; else the other one is taken with its own, in either order."""
    a, b = Fraction(2, 3), Fraction(1, 5)
    found = exponential.permute_and_flip_probabilities(RATIONAL, (a, b))
    assert found == (a / 2 + (1 - b) * a / 2, b / 2 + (1 - a) * b / 2)


def test_softmax_of_scores_in_any_order() -> None:
    for scores in ([2.0, 5.0, 1.0], [5.0, 1.0, 2.0], [1.0, 2.0, 5.0], [-700.0, 800.0, 799.0]):
        weights = [mpmath.exp(s - 800) for s in scores]
        found = exponential.softmax(FLOAT_ARRAY, np.array(scores))
        assert found.tolist() == pytest.approx([float(w / sum(weights)) for w in weights], rel=1e-13, abs=1e-300)


# ------------------------------------------------------------------------------------ regular norms


def test_generalised_noise_is_charged_in_units_of_the_sensitivity() -> None:
    norm = regularity(Fraction(3), 50)
    mechanism = GeneralizedGaussianMechanism(Fraction(5), 4.0, norm, 50)
    assert mechanism.event == GeneralizedGaussian(Fraction(4, 5), Fraction(norm.kappa))
    noise = RegularNoise(4.0, lq(Fraction(3)), 3.0, 1.5, Fraction(2))
    five = Sensitivity(Fraction(5), lq(Fraction(3)), ReplaceOne)
    assert noise.event(five) == GeneralizedGaussian(Fraction(4, 5), Fraction(2))
    assert RegularNoise(0.0, lq(Fraction(3)), 3.0, 1.5, Fraction(2)).event(five) == NonPrivate()


@pytest.mark.parametrize("sigma", [0.5, 2.0])
def test_the_privacy_loss_of_generalised_noise_is_that_of_its_density(sigma: float) -> None:
    mechanism = GeneralizedGaussianMechanism(Fraction(1), sigma, regularity(Fraction(3), 4), 4)
    z, shift = np.array([1.0, -2.0, 0.5, 3.0]), np.array([0.25, 0.5, -1.0, 0.125])
    index = mpmath.mpf(mechanism.regularity.index.numerator) / mechanism.regularity.index.denominator

    def squared(v: list[float]) -> mpmath.mpf:
        norm = sum(abs(mpmath.mpf(x)) ** index for x in v) ** (1 / index)
        return (mpmath.mpf(mechanism.regularity.scale) * norm) ** 2

    loss = (squared(z.tolist()) - squared((z - shift).tolist())) / (2 * mpmath.mpf(sigma) ** 2)
    assert mechanism.log_density_ratio(z, shift) == pytest.approx(float(loss), rel=1e-12)


def test_a_draw_for_a_longer_norm_is_shorter() -> None:
    one, four = (unit_draw(3.0, scale, 5, np.random.default_rng(2)) for scale in (1.0, 4.0))
    assert four.shape == (5,)
    assert (4 * four).tolist() == pytest.approx(one.tolist(), rel=1e-15)


@pytest.mark.parametrize("index", [0.5, 1.0, 3.0])
def test_draws_have_the_moments_of_their_density(index: float) -> None:
    """E |z|^rho_rho = c E r^rho with r^2/2 of law Gamma(d/2); each coordinate has an equal share, and no sign."""
    d, count = 3, 40_000
    z = unit_draws(index, count, d, np.random.default_rng(11))
    radii = np.sum(np.abs(z) ** index, axis=1) ** (1 / index)
    assert np.mean(radii**2) == pytest.approx(d, rel=0.03)  # the mean of a chi-square with d degrees: 5 deviations
    shares = np.abs(z) ** index / np.sum(np.abs(z) ** index, axis=1, keepdims=True)
    assert np.mean(shares, axis=0).tolist() == pytest.approx([1 / 3] * 3, rel=0.03)
    dirichlet = (1 / index) / (d / index) * (1 + 1 / index) / (d / index + 1)  # second moment of Dirichlet(1/rho, ...)
    assert np.mean(shares**2, axis=0).tolist() == pytest.approx([dirichlet] * 3, rel=0.06)
    assert np.abs(np.mean(np.sign(z), axis=0)).max() < 0.03


@pytest.mark.parametrize("bad", [0.0, -1.0])
def test_generalised_noise_needs_positive_numbers(bad: float) -> None:
    with pytest.raises(InvalidArgumentError, match="sigma"):
        GeneralizedGaussianMechanism(Fraction(1), bad, regularity(Fraction(3), 50), 50)
    for index, scale in ((bad, 1.0), (1.0, bad)):
        with pytest.raises(InvalidArgumentError, match="must be positive"):
            RegularNoise(1.0, lq(Fraction(3)), index, scale, None)
    assert GeneralizedGaussianMechanism(Fraction(1), 0.5, regularity(Fraction(3), 50), 50).sigma == 0.5
    assert RegularNoise(0.5, lq(Fraction(3)), 0.5, 0.5, None).std == 0.5


# ------------------------------------------------------------------------------------ levels, batches, trees


@pytest.mark.parametrize("truncation", [0, 1, 2, 5, 12, 13, 20, 60])
def test_the_truncated_geometric_law_sums_to_one(truncation: int) -> None:
    powers = [Fraction(1, 2**k) for k in range(truncation + 1)]
    assert truncated_geometric.normaliser(RATIONAL, truncation) == sum(powers)
    mean = sum(2**k * p for k, p in enumerate(powers)) / sum(powers)
    assert truncated_geometric.expected_power(RATIONAL, truncation) == mean


def test_levels_are_drawn_with_their_probabilities() -> None:
    """M = 3: 8, 4, 2 and 1 parts of 15; a count is missed by five deviations with probability 6e-7."""
    count = 15_000
    drawn = truncated_geometric.draw_levels(3, count, np.random.default_rng(4))
    for level, parts in enumerate((8, 4, 2, 1)):
        p = parts / 15
        assert abs(drawn.count(level) - count * p) < 5 * math.sqrt(count * p * (1 - p))
    assert set(drawn) == {0, 1, 2, 3}
    with pytest.raises(InvalidArgumentError, match="truncation"):
        truncated_geometric.draw_levels(-1, 1, np.random.default_rng(4))


@pytest.mark.parametrize(("adjacency", "differing"), [(ReplaceOne, 2), (ZeroOut, 1)])
@pytest.mark.parametrize(("batch", "records"), [(1, 7), (3, 7), (7, 7)])
def test_the_answer_of_variance_reduction_moves_as_far_as_two_records_can_push_it(
    adjacency: type[ReplaceOne | ZeroOut], differing: int, batch: int, records: int
) -> None:
    """One record moves it by (g - h)/b + h/n, at most with g = G and h = -G; to replace it moves it twice as far."""
    bound = Fraction(5)
    g, h = bound, -bound  # at the iterate and at the snapshot
    moved = (g - h) / batch + h / records  # of the record alone, against a null record
    found = variance_reduced.variance_reduced_sensitivity(bound, batch, records, adjacency)
    assert found.value == differing * moved
    event = variance_reduced.variance_reduced_event(bound, batch, records, 2.5, adjacency)
    if batch == records:
        assert event == Gaussian(Fraction(5, 2) / found.value)
    else:
        assert event == VarianceReducedGaussian(Fraction(1, 2), batch, records)
    assert variance_reduced.variance_reduced_event(bound, batch, records, 0.0, adjacency) == NonPrivate()


def test_a_batch_is_drawn_from_a_fixed_number_of_records() -> None:
    """Whatever the noise: without any the refusal comes before the answer that nothing is private."""
    for std in (0.0, 4.0):
        with pytest.raises(InvalidArgumentError, match="a fixed number of records is sampled from"):
            variance_reduced.variance_reduced_event(Fraction(2), 1, 10, std, AddOrRemoveOne)


@pytest.mark.parametrize("leaves", [1, 2, 3, 4, 7, 8, 9, 12])
def test_a_tree_releases_each_node_once_and_knows_its_depth(leaves: int) -> None:
    """Against the tree written down: node (h, k) holds the elements k 2^h to (k + 1) 2^h - 1."""
    tree, released = TreeAggregation(leaves), []

    def release(total: np.ndarray) -> np.ndarray:
        released.append(total.item())
        return total + 1000.0

    for t in range(leaves):
        answer = tree.add(np.array([float(2**t)]), release)
        nodes = (t + 1).bit_count()
        assert answer.item() == 2 ** (t + 1) - 1 + 1000.0 * nodes
        assert len(tree.live) == nodes
    ends = list(range(1, leaves + 1))
    heights = [(t & -t).bit_length() - 1 for t in ends]
    assert released == [float(2**t - 2 ** (t - 2**h)) for t, h in zip(ends, heights, strict=True)]
    covers = [sum(t - 2**h <= leaf < t for t, h in zip(ends, heights, strict=True)) for leaf in range(leaves)]
    assert tree.depth == max(covers)
    with pytest.raises(InvalidArgumentError, match=f"planned for {leaves} elements"):
        tree.add(np.zeros(1), release)
