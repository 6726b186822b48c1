"""The accountant by privacy loss distributions: closed forms, brute force, published runs, refusals, planted bugs."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import mpmath
import pytest
from flint import arb, fmpz_poly

from dpref.errors import UnsupportedEventError
from dpref.privacy.closed_forms.gaussian import epsilon, gaussian_epsilon
from dpref.privacy.events.discrete import DiscreteGaussian, DiscreteLaplace
from dpref.privacy.events.ledger import (
    Compose,
    Event,
    Exponential,
    Gaussian,
    Laplace,
    Ledger,
    NoisyMax,
    NonPrivate,
    Poisson,
    RandomizedResponse,
    Repeat,
    SampleWithoutReplacement,
    VarianceReducedGaussian,
)
from dpref.privacy.fast import accountant as fast_accountant
from dpref.privacy.pld import accountant as loss_distribution
from dpref.privacy.pld.accountant import pld_delta, pld_epsilon
from dpref.privacy.pld.convolution import compose, epsilon_at, power, product, trimmed
from dpref.privacy.pld.discretisation import Grid, Masses, discretise_above
from dpref.privacy.pld.pair import Pair
from dpref.privacy.pld.pairs import pairs, supports
from dpref.reals import precision
from dpref.units import AddOrRemoveOne, Adjacency, ReplaceOne, ZeroOut
from tests.effort import LONG, part
from tests.refusals import blamed

MILLIONTH = Fraction(1, 10**6)
ONE = Gaussian(Fraction(1))


# ------------------------------------------------------------------------------------ against closed forms


def encloses_gaussian(mu: Fraction, steps: int, d: Fraction) -> bool:
    """Within 1e-3 above the truth, never below it; and the lower end never above it."""
    mu_squared = Fraction(math.isqrt(int(mu**2 * 10**12))) ** 2 / 10**12 if mu.denominator == 1 else mu**2
    multiplier = Fraction(math.sqrt(steps / mu_squared))
    ledger = Ledger(Repeat(Gaussian(multiplier), steps), ReplaceOne)
    truth = epsilon(ledger, d)
    found = pld_epsilon(ledger, d)
    return found.lower <= truth.upper and truth.lower <= found.upper <= truth.upper * 1.001


@pytest.mark.slow
@pytest.mark.parametrize(
    ("mu", "power_of_ten"), part(itertools.product([Fraction(1, 10), Fraction(1), Fraction(10)], [6, 10, 14]), 3)
)
def test_composed_gaussians_are_enclosed(mu: Fraction, power_of_ten: int) -> None:
    assert encloses_gaussian(mu, 10**3, Fraction(1, 10**power_of_ten))


def test_randomized_response_is_the_binomial_sum() -> None:
    steps, e = 1000, Fraction(1, 10)
    found = pld_epsilon(Ledger(Repeat(RandomizedResponse(e), steps), ReplaceOne), MILLIONTH)
    assert found.relative_width < 1e-6
    with mpmath.workdps(50):
        p = 1 / (1 + mpmath.exp(-mpmath.mpf(1) / 10))

        def exact(eps: float) -> mpmath.mpf:
            return mpmath.fsum(
                mpmath.binomial(steps, k)
                * p**k
                * (1 - p) ** (steps - k)
                * (1 - mpmath.exp(eps - (2 * k - steps) * mpmath.mpf(1) / 10))
                for k in range(steps + 1)
                if 2 * k - steps > 10 * eps
            )

        assert exact(found.upper) <= mpmath.mpf("1e-6") <= exact(found.lower)


def mixture(q: float, sigma: float, e: float, *, added: bool) -> mpmath.mpf:
    """delta of one step of the Poisson-subsampled Gaussian by quadrature."""
    with mpmath.workdps(25):

        def plain(x: mpmath.mpf) -> mpmath.mpf:
            return mpmath.npdf(x, 0, sigma)

        def mixed(x: mpmath.mpf) -> mpmath.mpf:
            return (1 - q) * mpmath.npdf(x, 0, sigma) + q * mpmath.npdf(x, 1, sigma)

        first, second = (plain, mixed) if added else (mixed, plain)
        # The losses are monotone, so the positive part is a half line that ends where the densities' ratio is e^eps.
        ratio = (math.exp(-e) - (1 - q)) / q if added else (math.exp(e) - (1 - q)) / q
        if ratio <= 0:
            return mpmath.mpf(0)
        edge = mpmath.mpf(sigma) ** 2 * mpmath.log(ratio) + mpmath.mpf(1) / 2
        inside = [-40 * sigma, edge] if added else [edge, edge + 5 * sigma, edge + 40 * sigma]
        return mpmath.quad(lambda x: first(x) - mpmath.exp(e) * second(x), inside)


@pytest.mark.slow
@pytest.mark.parametrize(("q", "sigma", "e"), part([(0.25, 1.0, 0.5), (0.5, 2.0, 0.1), (0.0625, 0.5, 1.0)], 1))
def test_one_sampled_step_agrees_with_quadrature(q: float, sigma: float, e: float) -> None:
    event = Poisson(Gaussian(Fraction(sigma)), Fraction(q))
    found = pld_delta(Ledger(event, AddOrRemoveOne), Fraction(e), relative_width=Fraction(1, 10**4))
    value = max(mixture(q, sigma, e, added=False), mixture(q, sigma, e, added=True))
    assert found.lower <= value * (1 + 1e-12)
    assert found.upper >= value * (1 - 1e-12)
    assert found.relative_width < 2e-4


def two_steps(atoms: list[tuple[float, float]], e: float) -> float:
    """delta of two independent losses given by (loss, P-mass)."""
    return math.fsum(
        p * q * -math.expm1(e - a - b) for (a, p), (b, q) in itertools.product(atoms, repeat=2) if a + b > e
    )


def laplace_atoms(scale: int, shift: int) -> list[tuple[float, float]]:
    r = math.exp(-1 / scale)
    return [((abs(z - shift) - abs(z)) / scale, (1 - r) / (1 + r) * r ** abs(z)) for z in range(-400, 400)]


def gauss_atoms(sigma: int, shift: int) -> list[tuple[float, float]]:
    weights = {z: math.exp(-(z**2) / (2 * sigma**2)) for z in range(-40 * sigma, 40 * sigma)}
    total = math.fsum(weights.values())
    return [((shift**2 - 2 * shift * z) / (2 * sigma**2), w / total) for z, w in weights.items()]


def response_atoms(e: float, k: int) -> list[tuple[float, float]]:
    total = math.exp(e) + k - 1
    return [(e, math.exp(e) / total), (-e, 1 / total), (0.0, (k - 2) / total)]


BRUTE: list[tuple[Event, list[tuple[float, float]]]] = [
    (DiscreteLaplace(Fraction(5), 3), laplace_atoms(5, 3)),
    (DiscreteGaussian(Fraction(3), 2), gauss_atoms(3, 2)),
    (RandomizedResponse(Fraction(1, 2), 5), response_atoms(0.5, 5)),
]


@pytest.mark.parametrize("index", range(len(BRUTE)))
@pytest.mark.parametrize("e", [Fraction(0), Fraction(1, 7), Fraction(1, 2)])
def test_two_integer_answers_agree_with_enumeration(index: int, e: Fraction) -> None:
    event, atoms = BRUTE[index]
    found = pld_delta(Ledger(Repeat(event, 2), ReplaceOne), e)
    value = two_steps(atoms, float(e))
    assert found.lower * (1 - 1e-9) <= value <= found.upper * (1 + 1e-9)
    assert found.relative_width < 1e-6


def test_one_laplace_answer_is_its_closed_form() -> None:
    found = pld_delta(Ledger(Laplace(Fraction(2)), ReplaceOne), Fraction(1, 5))
    value = -math.expm1((0.2 - 0.5) / 2)
    assert found.lower <= value <= found.upper
    assert found.relative_width < 1e-3


def test_one_exponential_mechanism_is_between_its_best_pair_and_its_bound() -> None:
    e = Fraction(1)
    found = pld_delta(Ledger(Exponential(e), ReplaceOne), Fraction(1, 4))
    bound = (1 - math.exp((0.25 - 1) / 2)) ** 2 / (1 - math.exp(-1))
    # Two outcomes with losses t and t - 1 at t = (1 + 1/4)/2 attain it in one step.
    t = 0.625
    attained = (1 - math.exp(t - 1)) / (1 - math.exp(-1)) * (1 - math.exp(0.25 - t))
    assert bound == pytest.approx(attained, rel=1e-12)
    assert found.lower <= bound <= found.upper <= bound * 1.001


def test_gumbel_noisy_max_is_the_exponential_mechanism_and_laplace_is_only_pure() -> None:
    d = Fraction(1, 1000)

    def upper(event: Event) -> float:
        return pld_epsilon(Ledger(Repeat(event, 20), ReplaceOne), d).upper

    e = Fraction(1, 5)
    assert upper(NoisyMax(e, "gumbel")) == upper(Exponential(e))
    assert upper(NoisyMax(e, "laplace")) == upper(RandomizedResponse(e)) > upper(Exponential(e))
    assert pld_epsilon(Ledger(NoisyMax(e, "laplace"), ReplaceOne), d).lower == 0


# ------------------------------------------------------------------------------------ published runs


@pytest.mark.slow
@pytest.mark.parametrize(("steps", "published"), part([(10**3, 2.12452), (10**4, 6.90742)], 1, seed=1))
def test_sampled_gaussian_agrees_with_published_accountants(steps: int, published: float) -> None:
    ledger = Ledger(Repeat(Poisson(ONE, Fraction(1, 100)), steps), AddOrRemoveOne)
    found = pld_epsilon(ledger, MILLIONTH, relative_width=Fraction(1, 1000))
    # The published runs are of connect-the-dots on a grid of 1e-4, printed to five places.
    assert found.lower <= published + 1e-5
    assert published - 1e-4 <= found.upper <= published * 1.001
    assert found.relative_width <= 0.001
    assert found.adjacency is AddOrRemoveOne


@pytest.mark.slow
def test_a_single_uniform_index_needs_the_noise_that_the_specification_lists() -> None:
    # n = 1000, delta = 1e-6, K = 2000: at sigma/G = 1.40, a noise multiplier of 0.7, more than epsilon = 1 is spent.
    # All other records equal, one index out of n is the pair of Poisson sampling, removed: the fast path at 0.7 holds
    # epsilon in [1.13166, 1.13180].
    step = SampleWithoutReplacement(Gaussian(Fraction(7, 10)), batch=1, records=1000)
    ledger = Ledger(Repeat(step, 2000), ReplaceOne)
    found = pld_epsilon(ledger, MILLIONTH, relative_width=Fraction(1, 20), most_cells=1 << 13)
    mirror = fast_accountant.epsilon(
        Ledger(Repeat(Poisson(Gaussian(Fraction(7, 10)), Fraction(1, 1000)), 2000), AddOrRemoveOne), MILLIONTH
    )
    assert 1 < mirror.lower < mirror.upper < 1.132
    # The combined profile is not attained, so its composition is above both directions, but not by much.
    assert mirror.lower <= found.upper < 1.2


# ------------------------------------------------------------------------------------ directions


def test_the_combined_profile_dominates_both_directions() -> None:
    event = SampleWithoutReplacement(ONE, 1, 10)
    found = pairs(event, ReplaceOne)
    assert found.remove is found.add
    assert found.attained_remove is not None
    assert found.attained_add is not None
    with precision(128):
        for k in range(-40, 41):
            x = arb(k) / 10
            bound = found.remove.curve(x)[0].upper()
            assert found.attained_remove.curve(x)[0].lower() <= bound
            assert found.attained_add.curve(x)[0].lower() <= bound


@pytest.mark.slow
def test_the_larger_of_two_separate_directions_is_not_the_combined_bound() -> None:
    event = SampleWithoutReplacement(ONE, 1, 10)
    combined = pld_epsilon(Ledger(Repeat(event, 30), ReplaceOne), Fraction(1, 1000))
    assert combined.upper > combined.lower * 1.05  # the lower end is the larger direction


def test_zero_out_and_add_or_remove_share_their_pairs() -> None:
    event = Poisson(ONE, Fraction(1, 10))
    one, other = (pld_epsilon(Ledger(event, adjacency), MILLIONTH) for adjacency in (AddOrRemoveOne, ZeroOut))
    assert (one.lower, one.upper) == (other.lower, other.upper)


def test_sampling_everything_is_not_sampling() -> None:
    assert pairs(Poisson(ONE, Fraction(1)), ZeroOut).remove.name == pairs(ONE, ZeroOut).remove.name
    assert pairs(SampleWithoutReplacement(ONE, 7, 7), ReplaceOne).remove.name == pairs(ONE, ReplaceOne).remove.name


def test_a_mixed_ledger_is_bounded_by_its_parts() -> None:
    gaussians = (Gaussian(Fraction(5)), Gaussian(Fraction(7)), Gaussian(Fraction(20)))
    mixed = Ledger(Compose((*gaussians, Repeat(RandomizedResponse(Fraction(1, 10)), 2))), ReplaceOne)
    found = pld_epsilon(mixed, MILLIONTH)
    alone = gaussian_epsilon(sum((1 / g.noise_multiplier**2 for g in gaussians), Fraction(0)), MILLIONTH)
    assert alone.lower < found.lower <= found.upper < alone.upper + 0.2
    assert found.relative_width < 1e-3


# ------------------------------------------------------------------------------------ refusals


REFUSED: list[tuple[Event, type[Adjacency]]] = [
    (Poisson(ONE, Fraction(1, 10)), ReplaceOne),
    (SampleWithoutReplacement(Laplace(Fraction(1)), 1, 10), AddOrRemoveOne),
    (SampleWithoutReplacement(Laplace(Fraction(1)), 1, 10), ZeroOut),
    (VarianceReducedGaussian(Fraction(1), 1, 10), AddOrRemoveOne),
    (Poisson(VarianceReducedGaussian(Fraction(1), 1, 10), Fraction(1, 2)), ZeroOut),
    (SampleWithoutReplacement(VarianceReducedGaussian(Fraction(1), 1, 10), 10, 20), ReplaceOne),
    (Poisson(Compose((ONE, ONE)), Fraction(1, 10)), ReplaceOne),
    (Poisson(NonPrivate(), Fraction(1, 10)), AddOrRemoveOne),
    (DiscreteGaussian(Fraction(10**6)), ReplaceOne),
]


@pytest.mark.parametrize("index", range(len(REFUSED)))
def test_what_has_no_dominating_pair_is_refused(index: int) -> None:
    event, adjacency = REFUSED[index]
    assert not supports(event, adjacency)
    ledger = Ledger(Compose((ONE, Repeat(event, 3), NonPrivate())), adjacency)
    with pytest.raises(UnsupportedEventError):
        pld_epsilon(ledger, MILLIONTH)
    with pytest.raises(UnsupportedEventError):
        pld_delta(ledger, 1)


def test_a_step_so_wide_that_no_decay_is_left_is_read_in_both_directions() -> None:
    grid, half = Grid(Fraction(1000), 64), fmpz_poly([1 << 63])
    truth = 1000 + math.log(1 / 2)  # 1/2 - e^(x - 1000)/2 = 1/4
    assert epsilon_at(Masses(1, half, 0, 64, above=True), grid, Fraction(1, 4)) >= truth
    assert 0 < epsilon_at(Masses(1, half, 0, 64, above=False), grid, Fraction(1, 4)) <= truth


@pytest.mark.slow
def test_a_delta_that_is_no_double_is_not_refined() -> None:
    found = pld_delta(Ledger(Poisson(DiscreteGaussian(Fraction(1, 2)), Fraction(1, 2)), ZeroOut), 10**6)
    assert 0 == found.lower < found.upper < 1e-300


def test_losses_far_smaller_than_a_cell_do_not_spoil_the_lower_end() -> None:
    small, large = RandomizedResponse(Fraction(1, 10**9), 3), DiscreteLaplace(Fraction(1, 10), 1)
    both, alone = (pld_epsilon(Ledger(Compose(e), ReplaceOne), Fraction(1, 100)) for e in ((small, large), (large,)))
    assert alone.lower <= both.lower
    assert both.relative_width < 1e-3


def test_a_batch_is_drawn_from_the_batch_before_it() -> None:
    inner = SampleWithoutReplacement(ONE, 5, 10)
    assert supports(SampleWithoutReplacement(inner, 10, 20), ReplaceOne)
    with pytest.raises(UnsupportedEventError, match="drawn from 9 records"):
        pld_epsilon(Ledger(SampleWithoutReplacement(inner, 9, 20), ReplaceOne), MILLIONTH)


def test_no_noise_and_nothing_at_all() -> None:
    spoiled = Ledger(Compose((ONE, NonPrivate())), ReplaceOne)
    assert pld_epsilon(spoiled, MILLIONTH).lower == math.inf
    assert pld_delta(spoiled, 3).lower == 1
    assert pld_epsilon(Ledger(Compose(()), ReplaceOne), MILLIONTH).upper == 0
    assert pld_delta(Ledger(Compose(()), ReplaceOne), 0).upper == 0


BAD: list[tuple[Callable[[Any], object], list[Any], str]] = [
    (lambda d: pld_epsilon(Ledger(ONE, ReplaceOne), d), [0, 1, -1, 0.1, math.nan, None, True], "delta"),
    (lambda e: pld_delta(Ledger(ONE, ReplaceOne), e), [-1, 0.1, math.nan, math.inf, None], "epsilon"),
    (lambda w: pld_epsilon(Ledger(ONE, ReplaceOne), MILLIONTH, relative_width=w), [0, 0.1, -1], "relative_width"),
]


@pytest.mark.parametrize(("call", "bad", "argument"), BAD)
def test_bad_input_is_refused_by_name(call: Callable[[Any], object], bad: list[Any], argument: str) -> None:
    assert blamed(call, bad) == {argument}


@pytest.mark.slow
def test_an_extreme_delta_stays_certified() -> None:
    found = pld_epsilon(Ledger(Repeat(Gaussian(Fraction(4)), 4), ReplaceOne), Fraction(1, 10**60))
    truth = gaussian_epsilon(Fraction(1, 4), Fraction(1, 10**60))
    assert found.lower <= truth.lower <= truth.upper <= found.upper <= truth.upper * 1.001


@LONG
@pytest.mark.slow
def test_a_delta_far_below_every_budget_stays_certified() -> None:
    small = pld_delta(Ledger(Repeat(Gaussian(Fraction(4)), 4), ReplaceOne), 12, relative_width=Fraction(1, 100))
    assert 0 < small.lower <= small.upper < 1e-100


# ------------------------------------------------------------------------------------ integers and planted bugs


def test_products_and_trims_round_in_their_direction() -> None:
    grid = Grid(Fraction(1, 10), 8)
    masses = [3, 0, 100, 50, 7]
    for above in (True, False):
        part = Masses(-2, fmpz_poly(masses), 5 if above else 0, grid.bits, above)
        exact = fmpz_poly(masses) * fmpz_poly(masses)
        twice = product(part, part, Fraction(0))
        for i, value in enumerate(exact.coeffs()):
            k = i - (twice.first + 4)
            found = int(twice.masses[k]) * 256 if 0 <= k < len(twice.masses) else 0
            assert (found >= value) if above else (found <= value)
        cut = trimmed(part, 10)
        assert sum(map(int, cut.masses.coeffs())) + cut.infinite == (165 if above else 150)
        assert cut.infinite == (12 if above else 0)
        thrice = power(part, 3, Fraction(0))
        assert thrice.first <= -2


@pytest.mark.slow
def test_planted_losses_moved_down_are_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    """One cell to the left at each step: what rounding to the wrong neighbour would do."""
    honest = discretise_above

    def moved(pair: Pair, grid: Grid) -> Masses:
        found = honest(pair, grid)
        return Masses(found.first - 1, found.masses, found.infinite, found.bits, found.above)

    monkeypatch.setattr(loss_distribution, "discretise_above", moved)
    assert not encloses_gaussian(Fraction(1), 10**3, MILLIONTH)


@pytest.mark.slow
def test_planted_dropped_step_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    def dropped(parts: list[tuple[Masses, int]], spare: Fraction) -> Masses:
        return honest([(m, k - 10) for m, k in parts], spare)

    honest = compose
    monkeypatch.setattr(loss_distribution, "compose", dropped)
    assert not encloses_gaussian(Fraction(1), 10**3, MILLIONTH)
