"""Mechanisms at their boundaries: the last value that is taken, the first that is refused, draws worked out by hand."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import mpmath
import numpy as np
import pytest
from flint import arb

from dpref.errors import InvalidArgumentError
from dpref.mechanisms import exponential, gaussian, gridded, sampled, sparsification, variance_reduced
from dpref.mechanisms.bits import GeneratorBits
from dpref.mechanisms.exponential import ChoiceNoise
from dpref.mechanisms.generalized_gaussian import RegularNoise, unit_draw, unit_draws
from dpref.mechanisms.tree import TreeAggregation
from dpref.privacy.events.ledger import (
    Exponential,
    Gaussian,
    NoisyMax,
    NonPrivate,
    Poisson,
    Repeat,
    SampleWithoutReplacement,
)
from dpref.privacy.events.mixture import ExponentialMixture
from dpref.reals import FLOAT, FLOAT_ARRAY, RATIONAL
from dpref.units import L2, AddOrRemoveOne, Linf, ReplaceOne, Sensitivity, Span, ZeroOut, lq

# ------------------------------------------------------------------------------------ bits and draws


def test_bits_are_asked_of_a_generator_64_bytes_at_a_time_and_only_when_they_are_needed() -> None:
    """Whoever shares a generator with the bits draws the same numbers whatever is done with the bits in between."""
    drawn, twin = np.random.default_rng(7), np.random.default_rng(7)
    bits = GeneratorBits(drawn)
    expected = int.from_bytes(twin.bytes(64), "big")
    first = bits.take(1)
    assert drawn.bit_generator.state == twin.bit_generator.state
    assert first << 511 | bits.take(511) == expected
    assert drawn.bit_generator.state == twin.bit_generator.state


class Script:
    """A generator whose uniform draws and order are written down."""

    def __init__(self, *uniform: float) -> None:
        self._uniform = iter(uniform)

    def random(self) -> float:
        return next(self._uniform)

    def permutation(self, count: int) -> np.ndarray:
        return np.arange(count)


def test_permute_and_flip_never_takes_what_has_no_probability() -> None:
    """exp(-10^4) is zero in doubles, and so can a uniform draw be."""
    script: Any = Script(0.0, 0.5)
    assert exponential.permute_and_flip(np.array([0.0, 1e4]), 1.0, script) == 1
    script = Script(math.nextafter(1.0, 0.0))
    assert exponential.permute_and_flip(np.array([3.0, 3.0]), 1.0, script) == 0


def test_balls_are_compared_by_their_midpoints_however_wide_they_are() -> None:
    scores = np.array([arb(1, 5), arb(2, 5), arb(0, 5)], dtype=object)
    assert exponential.gumbel_max(scores, np.zeros(3), 1.0) == 1
    ties = np.array([arb(2, 5), arb(2, 5), arb(0, 5)], dtype=object)
    assert exponential.gumbel_max(ties, np.zeros(3), 1.0) == 0


@pytest.mark.parametrize("place", [0, 1, 2])
def test_softmax_subtracts_the_largest_score_wherever_it_stands(place: int) -> None:
    """The differences exceed 710, beyond which a double's exponential is infinite."""
    scores = np.full(3, -1500.0)
    scores[place] = 1500.0
    assert exponential.softmax(FLOAT_ARRAY, scores).tolist() == [float(i == place) for i in range(3)]


def test_the_range_of_a_selection_falls_with_its_scale() -> None:
    assert exponential.selection_range(RATIONAL, Fraction(1, 4), Fraction(3)) == Fraction(1, 6)
    assert variance_reduced.largest_difference(RATIONAL, Fraction(3), Fraction(7), Fraction(2)) == Fraction(12, 7)


def test_the_density_of_a_normal_law_away_from_its_unit_scale() -> None:
    for x, mean, std in ((3.0, 1.0, 0.5), (0.0, -2.0, 4.0)):
        with mpmath.workdps(30):
            law = mpmath.log(mpmath.npdf(x, mean, std))
        assert gaussian.log_density(FLOAT, x, mean, std) == pytest.approx(float(law), rel=1e-14)


@pytest.mark.parametrize("index", [0.5, 1.0, 3.0])
def test_a_draw_of_generalised_noise_is_a_radius_times_a_point_of_the_cone_measure(index: float) -> None:
    """From the same generator: r^2 of law 2 Gamma(d/2), |x_i|^rho of law Gamma(1/rho) = Gamma(1 + 1/rho) U^rho."""
    count, d = 4, 3
    found = unit_draws(index, count, d, np.random.default_rng(11))
    rng = np.random.default_rng(11)
    squared = 2 * rng.standard_gamma(d / 2, (count, 1))
    uniform = 1 - rng.random((count, d))
    powers = rng.standard_gamma(1 + 1 / index, (count, d)) * uniform**index
    signs = rng.choice([-1.0, 1.0], (count, d))
    points = (powers / powers.sum(axis=1, keepdims=True)) ** (1 / index)
    assert found.ravel().tolist() == pytest.approx((np.sqrt(squared) * signs * points).ravel().tolist(), rel=1e-12)
    one = unit_draw(index, 2.0, d, np.random.default_rng(3))
    assert one.tolist() == (unit_draws(index, 1, d, np.random.default_rng(3))[0] / 2).tolist()
    noise = RegularNoise(1.0, lq(Fraction(3)), index, 2.0, None)
    assert noise.draw(np.random.default_rng(3), (d,)).tolist() == one.tolist()


# ------------------------------------------------------------------------------------ what a choice costs


def test_a_choice_without_noise_is_taken_and_not_private() -> None:
    one = Sensitivity(Fraction(1, 3), Span, ReplaceOne)
    assert ChoiceNoise("gumbel", 0.0).event(one) == NonPrivate()
    with pytest.raises(InvalidArgumentError, match="must not be negative"):
        ChoiceNoise("gumbel", -math.ulp(0.0))


@pytest.mark.parametrize("scale", [0.5, 1.0, 3.0, 7.0, 0.1])
def test_the_range_of_a_choice_is_rounded_up(scale: float) -> None:
    exact = Fraction(1, 3) / Fraction(scale)
    for law, kind in (("gumbel", Exponential), ("laplace", NoisyMax)):
        event: Any = ChoiceNoise(law, scale).event(Sensitivity(Fraction(1, 3), Span, ReplaceOne))  # type: ignore[arg-type]
        assert isinstance(event, kind)
        assert math.nextafter(float(event.epsilon), 0.0) < exact <= event.epsilon


def test_every_draw_of_a_mixture_is_charged() -> None:
    one = Sensitivity(Fraction(2, 7), Linf, ReplaceOne)
    assert exponential.mixture_event(one, 1) == exponential.mixture_event(one) == ExponentialMixture(Fraction(2, 7))
    assert exponential.mixture_event(one, 2) == Repeat(ExponentialMixture(Fraction(2, 7)), 2)


def test_a_sampled_answer_is_charged_as_a_sample_unless_every_record_is_in_or_there_is_no_noise() -> None:
    nulled, replaced = (Sensitivity(Fraction(1), L2, a) for a in (ZeroOut, ReplaceOne))
    event, plain = sampled.sampled_gaussian_event, Gaussian(Fraction(4))
    for sampling in ("fixed", "poisson"):
        assert event(nulled, 4.0, sampling, 10, 10) == plain
        assert event(nulled, 0.0, sampling, 1, 10) == NonPrivate()
        with pytest.raises(InvalidArgumentError, match="at most the number of records"):
            event(nulled, 4.0, sampling, 11, 10)
    assert event(nulled, 4.0, "fixed", 9, 10) == SampleWithoutReplacement(plain, 9, 10)
    assert event(nulled, 4.0, "poisson", 9, 10) == Poisson(plain, Fraction(9, 10))
    assert event(replaced, 4.0, "fixed", 1, 10) == SampleWithoutReplacement(plain, 1, 10)


# ------------------------------------------------------------------------------------ grids


@pytest.mark.parametrize("sign", [-1, 1])
def test_a_grid_is_a_power_of_two_within_what_doubles_can_scale(sign: int) -> None:
    assert gridded.check_grid(Fraction(2) ** (500 * sign)) == 500 * sign
    for bad in (Fraction(2) ** (501 * sign), Fraction(3), Fraction(3, 4)):
        with pytest.raises(InvalidArgumentError, match="grid"):
            gridded.check_grid(bad)


@pytest.mark.parametrize("exponent", [-70, -3, 0, 2])
def test_a_contribution_that_is_too_long_is_shrunk_by_a_factor_of_64_bits(exponent: int) -> None:
    """Toward zero, in integers of the grid, by a root that is rounded down: another language can repeat it."""
    grid, row = Fraction(2) ** exponent, [300.0, -1.5, 0.0, -4096.0, 2.0**-40]
    integers = [math.trunc(Fraction(x) / grid) for x in row]
    square = sum(x * x for x in integers)
    for parts in (2, 3, 5, 7, 11):
        most = square // parts
        factor = math.isqrt(most * 2**128 // square)
        found = gridded.contribution(row, most, grid)
        assert found == [math.trunc(Fraction(x * factor, 2**64)) for x in integers]
        assert sum(x * x for x in found) <= most
    assert gridded.contribution(row, square, grid) == integers
    assert gridded.contribution(row, square - 1, grid) != integers


@pytest.mark.parametrize(("adjacency", "factor"), [(ReplaceOne, 4), (AddOrRemoveOne, 1), (ZeroOut, 1)])
def test_a_clipped_sum_moves_by_one_clip_or_by_two(adjacency: Any, factor: int) -> None:
    assert gridded.summed_square(Fraction(3, 2), Fraction(1, 4), adjacency) == factor * 36


# ------------------------------------------------------------------------------------ sparsification and trees


def test_weights_sum_to_one_up_to_a_billionth() -> None:
    rng = np.random.default_rng(0)
    for error in (0.9e-9, -0.9e-9):
        drawn = sparsification.sparsify(np.array([0.5, 0.5 + error]), 8, rng)
        assert drawn.sum() == 1.0
        with pytest.raises(InvalidArgumentError, match="sum to 1"):
            sparsification.sparsify(np.array([0.5, 0.5 + error * 1.2]), 8, rng)
    with pytest.raises(InvalidArgumentError, match="not negative"):
        sparsification.sparsify(np.array([1.5, -0.5]), 8, rng)


def test_weights_are_normalised_before_a_draw() -> None:
    """The last vertex gets what the others leave: without the division that would be more than its weight."""
    weights = np.array([1.0 + 5e-10, 0.0])
    assert sparsification.sparsify(weights, 3, np.random.default_rng(0)).tolist() == [1.0, 0.0]


def test_a_million_multisets_are_the_most() -> None:
    """Of two vertices there are T + 1 multisets of T, of three (T + 1)(T + 2)/2."""
    assert next(iter(sparsification.multisets([Fraction(0), Fraction(1)], 999_999)))[0] == 1
    for count, samples in ((2, 1_000_000), (3, 1413)):
        point = [Fraction(0)] * (count - 1) + [Fraction(1)]
        with pytest.raises(InvalidArgumentError, match="multisets"):
            next(iter(sparsification.multisets(point, samples)))
    assert next(iter(sparsification.multisets([Fraction(0), Fraction(0), Fraction(1)], 1412)))[0] == 1


@pytest.mark.parametrize("point", [["3/2", "-1/2"], ["1/2", "1/3"], ["1/2", "1/2", "1/3", "-1/3"]])
def test_exact_weights_are_a_point_of_the_simplex(point: list[str]) -> None:
    with pytest.raises(InvalidArgumentError, match="point"):
        next(iter(sparsification.multisets([Fraction(w) for w in point], 2)))


@pytest.mark.parametrize("name", ["deviation", "printed_maximum_moment", "maximum_moment"])
def test_the_bounds_of_sparsification_grow_as_they_are_written(name: str) -> None:
    """Twice L0 and twice D, away from ones and from values at which a product is a quotient."""
    lipschitz, smooth, diameter, samples, last = (mpmath.mpf(x) for x in (3, 5, 1.5, 7, 11))
    quadratic = smooth * diameter**2 / (2 * samples)
    linear = 2 * lipschitz**2 * diameter**2 / samples
    expected = {
        "deviation": quadratic + last * mpmath.sqrt(linear),
        "printed_maximum_moment": 2 * quadratic**2 + (4 + mpmath.log(last)) * linear,
        "maximum_moment": 2 * quadratic**2 + 2 * linear * (1 + mpmath.log(2 * last)),
    }
    found = getattr(sparsification, name)(FLOAT, 3.0, 5.0, 1.5, 7.0, 11.0)
    assert found == pytest.approx(float(expected[name]), rel=1e-14)


def test_a_tree_without_elements_has_no_depth() -> None:
    assert TreeAggregation(4).depth == 0
