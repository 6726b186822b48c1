"""Random allocation and shuffled epochs: against quadrature and simulation, what is attained, and planted bugs."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from itertools import combinations, pairwise

import mpmath as mp
import numpy as np
import pytest
from flint import arb
from scipy.special import ndtr

from dpref.errors import InvalidArgumentError, PrecisionError, UnsupportedEventError
from dpref.privacy.accountants import certify
from dpref.privacy.events.allocation import RandomAllocation, Shuffled
from dpref.privacy.events.expression import format_event, parse_event
from dpref.privacy.events.ledger import Event, Gaussian, Laplace, Ledger, Poisson, Repeat
from dpref.privacy.pld import ratio_laws
from dpref.privacy.pld.pair import Pair
from dpref.privacy.pld.pairs import pairs
from dpref.privacy.pld.ratio_laws import Law, mean_of_ratios, product_of_means
from dpref.reals import FloatArray
from dpref.units import AddOrRemoveOne, Adjacency, ReplaceOne, ZeroOut

E5 = Fraction(1, 10**5)
SIDES = ("remove", "add")


def allocated(s: Fraction, steps: int, participations: int = 1) -> RandomAllocation:
    return RandomAllocation(Gaussian(1 / s), steps, participations)


def value(pair: Pair | None, x: float) -> float:
    assert pair is not None
    return float(pair.curve(arb(x))[0].mid())


def curves(event: Event, adjacency: type[Adjacency], side: str, x: float) -> tuple[float, float]:
    """The lower and the upper curve of an event at a loss."""
    found = pairs(event, adjacency)
    return value(getattr(found, f"attained_{side}"), x), value(getattr(found, side), x)


def two_steps(s: float, side: str, x: float) -> float:
    """The curve of one of two steps by quadrature over the first answer: the second one is a call option."""
    strike = 2 * math.exp(x if side == "remove" else -x)
    kink = (math.log(strike) + s * s / 2) / s
    cuts = sorted({-13.0, -6.0, 0.0, s, 6.0 + s, 13.0 + s, min(max(kink, -13.0), 13.0 + s)})
    nodes, weights = np.polynomial.legendre.leggauss(120)
    found = 0.0
    for left, right in pairwise(cuts):
        z = (left + right) / 2 + (right - left) / 2 * nodes
        k = strike - np.exp(s * z - s * s / 2)
        inside = np.where(k > 0, k, 1.0)
        d = (np.log(inside) + s * s / 2) / s
        paid = np.where(k > 0, ndtr(s - d) - inside * ndtr(-d), 1 - k)
        owed = np.where(k > 0, inside * ndtr(d) - ndtr(d - s), 0.0)
        density = np.exp(-z * z / 2) / math.sqrt(2 * math.pi)
        found += (right - left) / 2 * float(weights @ (density * (paid if side == "remove" else owed)))
    return found / 2 if side == "remove" else found / strike


def simulated(s: float, steps: int, seed: int) -> FloatArray:
    rng = np.random.default_rng(seed)
    found: FloatArray = np.exp(s * rng.standard_normal((200_000, steps)) - s * s / 2).mean(axis=1)
    return found


# ------------------------------------------------------------------------------------ one of t steps

GOLDEN = [(2, "remove", 0.149177523135520), (2, "add", 0.142686965823743), (10, "remove", 0.026850)]
GOLDEN += [(10, "add", 0.019064)]


@pytest.mark.slow
@pytest.mark.parametrize(("steps", "side", "exact"), GOLDEN)
def test_values_that_were_computed_elsewhere(steps: int, side: str, exact: float) -> None:
    low, high = curves(allocated(Fraction(1), steps), ZeroOut, side, 0.5)
    unit = 1e-14 if steps == 2 else 1e-6
    assert low - unit <= exact <= high + unit
    assert high - low <= 3e-4 * exact


def test_one_step_is_a_gaussian_answer() -> None:
    found = pairs(allocated(Fraction(1), 1), AddOrRemoveOne)
    assert found.remove is found.attained_remove
    assert value(found.remove, 0.5) == pytest.approx(0.238421708134877, rel=1e-13)


def test_the_quadrature_is_right() -> None:
    assert two_steps(1.0, "remove", 0.5) == pytest.approx(0.149177523135520, abs=2e-15)
    assert two_steps(1.0, "add", 0.5) == pytest.approx(0.142686965823743, abs=2e-15)


@pytest.mark.parametrize("s", [Fraction(1, 4), Fraction(1), Fraction(5, 2)])
def test_two_steps_agree_with_quadrature(s: Fraction) -> None:
    """Fifty random losses in all, both directions: the exact value lies between both laws, and these are close."""
    rng = np.random.default_rng(int(s * 100))
    for side, x in [(side, x) for side in SIDES for x in rng.uniform(-1.5, 2.5, 9) * float(s)]:
        exact, (low, high) = two_steps(float(s), side, x), curves(allocated(s, 2), ZeroOut, side, x)
        assert low <= exact * (1 + 1e-12) + 1e-15
        assert exact <= high * (1 + 1e-12) + 1e-15
        assert high - low <= 1e-2 * exact + 1e-12


@pytest.mark.slow
@pytest.mark.parametrize("steps", [3, 7, 40])
def test_some_steps_agree_with_simulation(steps: int) -> None:
    """Of 200,000 draws a mean misses by five standard errors with probability 6e-7; twelve means are taken."""
    drawn = simulated(1.0, steps, steps)
    for x in (0.1, 0.6):
        gained = {"remove": np.maximum(drawn - math.exp(x), 0), "add": np.maximum(1 - math.exp(x) * drawn, 0)}
        for side, losses in gained.items():
            error = 5 * float(losses.std()) / math.sqrt(len(losses))
            low, high = curves(allocated(Fraction(1), steps), ZeroOut, side, x)
            assert low - error <= losses.mean() <= high + error


def test_laws_that_are_exact_stay_between() -> None:
    """Coins instead of normal noise: the same sums, and every expectation is an exact sum over outcomes."""
    places, masses = np.array([0.25, 1.0, 2.5]), np.array([0.5, 0.25, 0.25])  # of mean one
    for above in (True, False):
        law = one = Law(places, masses, above)
        for held in range(2, 6):
            law = ratio_laws.total(law, one, ratio_laws.Sum(held, 5, (1.0,)))
        grid = np.indices((3,) * 5).reshape(5, -1)
        sums, weights = places[grid].sum(axis=0), masses[grid].prod(axis=0)
        for strike in np.linspace(0.3, 12, 60):
            for sign in (1, -1):
                exact = float(weights @ np.maximum(sign * (sums - strike), 0))
                found = float(law.masses @ np.maximum(sign * (law.places - strike), 0))
                spare = 1e-9 * strike
                assert found >= exact - spare if above else found <= exact + spare


@pytest.mark.slow
def test_masses_and_means_are_what_they_must_be() -> None:
    above, below = (mean_of_ratios(Fraction(1), 235, above=side) for side in (True, False))
    assert 1 <= above.masses.sum() <= 1 + 1e-8
    assert 235 <= above.masses @ above.places + above.rest <= 235 * (1 + 1e-8)
    assert 1 - 1e-8 <= below.masses.sum() <= 1
    assert below.masses @ below.places <= 235 * (1 + 1e-8)
    assert below.doubt < 1e-8
    assert above.doubt < 1e-12


@pytest.mark.slow
def test_many_steps_and_epochs() -> None:
    """60 epochs of 235 steps: a little less than Poisson samples of the same rate spend (2.3810 to 2.3831)."""
    one = RandomAllocation(Gaussian(Fraction(11, 10)), 235)
    found = certify(Ledger(one, AddOrRemoveOne), delta=E5)
    assert 0.2709 <= found.lower <= 0.270985 <= found.upper <= 0.2711
    epochs = certify(Ledger(Repeat(one, 60), AddOrRemoveOne), delta=E5)
    assert 2.33 <= epochs.lower <= epochs.upper <= 2.343


# ------------------------------------------------------------------------------------ k of t, replace-one


def k_of_t(s: float, steps: int, taken: int, x: float) -> dict[str, tuple[float, float]]:
    """Both curves of the exact pair by simulation: mean and five standard errors."""
    rng = np.random.default_rng(7)
    y = np.exp(s * rng.standard_normal((100_000, steps)) - s * s / 2)
    ratio = np.mean([y[:, list(chosen)].prod(axis=1) for chosen in combinations(range(steps), taken)], axis=0)
    found = {"remove": np.maximum(ratio - math.exp(x), 0), "add": np.maximum(1 - math.exp(x) * ratio, 0)}
    return {side: (float(v.mean()), 5 * float(v.std()) / math.sqrt(len(v))) for side, v in found.items()}


@pytest.mark.slow
@pytest.mark.parametrize(("steps", "taken"), [(4, 2), (5, 2), (6, 3)])
def test_several_of_some_steps_lie_between_the_ends(steps: int, taken: int) -> None:
    for x in (0.2, 0.8):
        for side, (mean, error) in k_of_t(0.75, steps, taken, x).items():
            low, high = curves(allocated(Fraction(3, 4), steps, taken), ZeroOut, side, x)
            assert low <= mean + error
            assert mean - error <= high


def test_all_steps_are_so_many_answers() -> None:
    found = pairs(allocated(Fraction(1), 9, 9), ZeroOut)
    answers = pairs(Gaussian(Fraction(1, 3)), ZeroOut)
    assert found.attained_add is found.add
    assert value(found.add, 0.5) == value(answers.add, 0.5)


def test_a_product_of_one_is_the_mean() -> None:
    one, mean = product_of_means(Fraction(1), 5, 1, above=True), mean_of_ratios(Fraction(1), 5, above=True)
    assert np.allclose(one.places * 5, mean.places, rtol=1e-14)
    assert one.masses is mean.masses


@pytest.mark.slow
def test_a_replaced_record_is_removed_and_added() -> None:
    """Two steps, both records at the ends of the ball: the pair on the line that is attained, by simulation."""
    rng = np.random.default_rng(3)
    event = RandomAllocation(Gaussian(Fraction(1)), 2, contribution="ball")  # of sensitivity 2 r: s is one half
    s = 0.5
    z = rng.standard_normal((400_000, 2))
    first, second = (np.exp(sign * s * z - s * s / 2).mean(axis=1) for sign in (1, -1))
    for x in (0.0, 0.4, 0.9):
        gained = np.maximum(first - math.exp(x) * second, 0)
        error = 5 * float(gained.std()) / math.sqrt(len(gained))
        for side in SIDES:
            low, high = curves(event, ReplaceOne, side, x)
            assert low <= gained.mean() + error
            assert gained.mean() - error <= high


# ------------------------------------------------------------------------------------ shuffled


def largest_answer(s: float, steps: int, epsilon: float, cut: float) -> float:
    """What the event that the largest answer exceeds a cut attains, in 30 digits."""
    with mp.workdps(30):
        others = mp.ncdf(cut) ** (steps - 1)
        p, q = (1 - mp.ncdf(cut - shift) * others for shift in (2 * s, s))
        return float(p - mp.exp(epsilon) * q)


def test_shuffled_values_that_were_computed_elsewhere() -> None:
    zeroed = certify(Ledger(Shuffled(Gaussian(Fraction(1)), 10), ZeroOut), epsilon=1)
    assert 0.0757295502 <= zeroed.lower <= 0.0757295502275962
    assert max(largest_answer(1, 10, 1, c) for c in np.linspace(1.5, 4, 26)) <= zeroed.lower
    assert zeroed.upper == certify(Ledger(Gaussian(Fraction(1)), ZeroOut), epsilon=1).upper
    replaced = certify(Ledger(Shuffled(Gaussian(Fraction(1)), 10), ReplaceOne), epsilon=Fraction(1, 2))
    assert 0.026848 <= replaced.lower <= 0.026851
    assert replaced.upper == pytest.approx(0.238421708134877, rel=1e-13)


def shuffled_answers(records: list[float], batch: int, rng: np.random.Generator, count: int) -> FloatArray:
    order = rng.permuted(np.tile(np.array(records), (count, 1)), axis=1)
    padded = np.concatenate([order, np.zeros((count, -len(records) % batch))], axis=1)
    found: FloatArray = padded.reshape(count, -1, batch).sum(axis=2)
    return found


@pytest.mark.slow
def test_a_shuffled_epoch_without_a_record_is_attained_as_said() -> None:
    """Four records in two batches, others at -1, sigma = 1: what the first of both answers tells, by simulation."""
    rng, x = np.random.default_rng(11), 0.5
    with_it = shuffled_answers([1.0, -1.0, -1.0, -1.0], 2, rng, 200_000)[:, 0] + rng.standard_normal(200_000)
    without = shuffled_answers([-1.0, -1.0, -1.0], 2, rng, 200_000)[:, 0] + rng.standard_normal(200_000)
    low, high = curves(Shuffled(Gaussian(Fraction(1)), 2), AddOrRemoveOne, "remove", x)
    edges = np.linspace(-5, 3, 81)
    p, q = (np.histogram(v, edges)[0] / 200_000 for v in (with_it, without))
    told = float(np.maximum(p - math.exp(x) * q, 0)[p > 1e-3].sum())
    assert told == pytest.approx(low, abs=0.01)
    assert told <= high


@pytest.mark.slow
@pytest.mark.parametrize("adjacency", [ReplaceOne, AddOrRemoveOne, ZeroOut])
def test_shuffled_epochs_compose(adjacency: type[Adjacency]) -> None:
    ledger = Ledger(Repeat(Shuffled(Gaussian(Fraction(2)), 20), 3), adjacency)
    found = certify(ledger, delta=E5)
    assert 0 < found.lower < found.upper < math.inf


def test_one_batch_is_one_answer() -> None:
    for adjacency in (ReplaceOne, AddOrRemoveOne, ZeroOut):
        assert value(pairs(Shuffled(Gaussian(Fraction(2)), 1), adjacency).add, 0.5) == value(
            pairs(Gaussian(Fraction(2)), adjacency).add, 0.5
        )


# ------------------------------------------------------------------------------------ planted bugs


def broken(change: Callable[[Law], Law], side: str, x: float) -> tuple[float, float]:
    """The interval of two steps when every merged law is changed."""
    law = {above: change(mean_of_ratios(Fraction(1), 2, above=above)) for above in (True, False)}
    sign, strike = (1, 2 * math.exp(x)) if side == "remove" else (-1, 2 * math.exp(-x))
    low, high = (
        float(law[above].masses @ np.maximum(sign * (law[above].places - strike), 0)) for above in (False, True)
    )
    return (low / 2, high / 2) if side == "remove" else (low / strike, high / strike)


def test_planted_bug_a_side_for_the_other() -> None:
    """The contraction taken for the bound above would claim less than the truth."""
    low, _ = broken(lambda law: law, "remove", 0.5)
    assert low < 0.149177523135520 < broken(lambda law: law, "remove", 0.5)[1]


def test_planted_bug_a_shift_of_the_radius_for_the_diameter() -> None:
    """Replacing moves a shuffled batch by 2C: with C the lower end would lie far below what is attained."""
    right = curves(Shuffled(Gaussian(Fraction(1)), 10), ReplaceOne, "remove", 0.5)[0]
    wrong = curves(Shuffled(Gaussian(Fraction(2)), 10), ReplaceOne, "remove", 0.5)[0]
    assert wrong < 0.0268 < right


def test_planted_bug_a_direction_for_the_other() -> None:
    exact = two_steps(1.0, "add", 0.5)
    low, high = curves(allocated(Fraction(1), 2), ZeroOut, "remove", 0.5)
    assert not low <= exact <= high


def test_planted_bug_places_of_the_nearest_end() -> None:
    """Masses put onto the nearest end of their cell, and not spread with their mean: neither side holds."""
    law = mean_of_ratios(Fraction(1), 2, above=True)
    nearest = Law(law.places, np.append(law.masses[1:], 0.0), above=True)
    found = float(nearest.masses @ np.maximum(nearest.places - 2 * math.exp(0.5), 0)) / 2
    assert found < 0.149177523135520


# ------------------------------------------------------------------------------------ what is refused and written

REFUSED: list[tuple[Event, type[Adjacency], str]] = [
    (RandomAllocation(Laplace(Fraction(1)), 10), ZeroOut, "known of Gaussian ones alone"),
    (RandomAllocation(Gaussian(Fraction(1)), 10), ReplaceOne, "say contribution=ball"),
    (Shuffled(Laplace(Fraction(1)), 10), ReplaceOne, "sample each answer by itself"),
    (Poisson(Shuffled(Gaussian(Fraction(1)), 10), Fraction(1, 2)), AddOrRemoveOne, "draws its own batches"),
]


@pytest.mark.parametrize(("event", "adjacency", "why"), REFUSED)
def test_what_has_no_theorem_is_refused_with_what_has_one(event: Event, adjacency: type[Adjacency], why: str) -> None:
    with pytest.raises(UnsupportedEventError, match=why):
        certify(Ledger(event, adjacency), delta=E5)


def test_arguments_that_break_a_rule() -> None:
    with pytest.raises(InvalidArgumentError, match="must not exceed the number of steps, 3"):
        allocated(Fraction(1), 3, 4)
    with pytest.raises(InvalidArgumentError, match="steps"):
        allocated(Fraction(1), 0)
    with pytest.raises(InvalidArgumentError, match="batches"):
        Shuffled(Gaussian(Fraction(1)), 0)
    with pytest.raises(PrecisionError, match="too large for doubles"):
        mean_of_ratios(Fraction(7), 3, above=True)


TEXTS = [
    "random_allocation(gaussian(noise_multiplier=1), steps=235, participations=1)",
    "random_allocation(gaussian(noise_multiplier=1), steps=235, participations=2, contribution=ball)",
    "compose(shuffled(gaussian(noise_multiplier=2), batches=235), 3)",
]


@pytest.mark.parametrize("text", TEXTS)
def test_an_expression_is_read_as_it_is_written(text: str) -> None:
    assert format_event(parse_event(text)) == text
    assert str(parse_event(text)) == text


def test_more_than_the_doubles_bear() -> None:
    """A shift of seven standard deviations, and a million steps, are bounded by what is less amplified."""
    wide = certify(Ledger(allocated(Fraction(7), 20), ZeroOut), delta=E5)
    plain = certify(Ledger(Gaussian(Fraction(1, 7)), ZeroOut), delta=E5)
    assert wide.upper == plain.upper
    assert wide.lower > 0


def test_cells_without_any_weight_are_refused_and_nothing_is_warned_about() -> None:
    nothing = np.zeros(40)
    with pytest.raises(PrecisionError, match="leave the range of doubles"):
        ratio_laws.merged(np.arange(1.0, 42.0), nothing, nothing, 1, ratio_laws.Sum(1, 2, (1.0,)), above=True)
