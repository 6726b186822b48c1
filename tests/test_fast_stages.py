"""Stages of the fast path: coarser grids above and below, lowered chords, blocks, and whole compositions cut."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from flint import arb, arb_poly

from dpref.errors import InvalidArgumentError, PrecisionError
from dpref.privacy.events.ledger import Compose, Gaussian, Ledger, Poisson, Repeat
from dpref.privacy.fast import accountant as fast_accountant
from dpref.privacy.fast import blocks as fast_blocks
from dpref.privacy.fast import coarser as fast_coarser
from dpref.privacy.fast import grids as fast_grids
from dpref.privacy.fast import lowered as fast_lowered
from dpref.privacy.fast import point as fast_point
from dpref.privacy.fast import stages as fast_stages
from dpref.privacy.fast.blocks import Stages, block
from dpref.privacy.fast.cells import Pair
from dpref.privacy.fast.coarser import coarser_above, coarser_below
from dpref.privacy.fast.exp import LESS_ERROR, UNIT, geometric_less
from dpref.privacy.fast.lowered import lowered
from dpref.privacy.fast.measure import GridMeasure
from dpref.privacy.fast.upper import dominating, raised
from dpref.reals import FloatArray, ball, precision
from dpref.units import AddOrRemoveOne
from tests.test_fast_measures import hockey_stick, one_step

FINE = [
    (Pair(Fraction(1, 2), Fraction(2)), Fraction(1, 200)),
    (Pair(Fraction(1), Fraction(4)), Fraction(1, 50)),
]
LONG = Ledger(Repeat(Poisson(Gaussian(Fraction(1)), Fraction(1, 100)), 10**5), AddOrRemoveOne)
DELTA = Fraction(1, 10**6)


def humps(seed: int) -> GridMeasure:
    """A measure of two normal humps, on a grid of step 1/64."""
    rng = np.random.default_rng(seed)
    x = np.arange(-200, 201) / 64
    middles, widths = rng.uniform(-1, 1, 2), rng.uniform(0.3, 0.6, 2)
    masses = sum(np.exp(-(((x - m) / w) ** 2) / 2) for m, w in zip(middles, widths, strict=True)) + 1e-9
    return GridMeasure(Fraction(-200, 64), Fraction(1, 64), np.asarray(masses / np.sum(masses)), 1e-9)


def orders(measure: GridMeasure) -> list[Fraction]:
    """Losses between and on the points of a measure's grid, and beyond both ends."""
    last = len(measure.masses)
    return [measure.start + measure.step * Fraction(k * last, 41) for k in range(-2, 45)]


def between(low: GridMeasure, middle: GridMeasure, high: GridMeasure) -> bool:
    """Whether the privacy curves are in this order, up to the stated errors."""
    with precision(256):
        for e in orders(middle):
            truth = one_step(middle, e)
            if not one_step(low, e) * (1 - arb(low.relative)) <= truth:
                return False
            if not truth <= one_step(high, e) * (1 + arb(high.relative)):
                return False
        return True


@pytest.mark.slow
@pytest.mark.parametrize("times", [1, 2, 7, 16])
def test_coarser_grids_lie_above_and_below(times: int) -> None:
    for seed in range(3):
        measure = humps(seed)
        low, high = coarser_below(measure, times), coarser_above(measure, times)
        assert low.step == high.step == measure.step * times
        assert between(low, measure, high)


def test_what_coarser_grids_lose_falls_with_the_square_of_the_step() -> None:
    measure, lost = humps(0), []
    for times in (4, 8):
        low, high = coarser_below(measure, times), coarser_above(measure, times)
        lost.append([float(one_step(high, e) - one_step(low, e)) for e in orders(measure)])
    assert 3 < max(lost[1]) / max(lost[0]) < 5
    assert max(lost[0]) < 0.002


def test_cells_of_many_nats_keep_their_order() -> None:
    measure = GridMeasure(Fraction(-70), Fraction(7, 3), humps(2).masses[::6].copy())
    with precision(256):
        for times in (20, 31, 60):
            high = coarser_above(measure, times)
            for e in orders(measure):
                assert one_step(measure, e) <= one_step(high, e) * (1 + arb(high.relative))
    with pytest.raises(PrecisionError, match="too wide"):
        coarser_above(GridMeasure(Fraction(0), Fraction(9), humps(2).masses.copy()), 31)


# Where a product of two parts of a cell underflows, and where the density of the ratio under Q does.
FAR_OUT = [
    (Pair(Fraction(1, 2), Fraction(1)), Fraction(1, 100), 29.75, (27.0228, 28.1178)),
    (Pair(Fraction(1), Fraction(79, 1000)), Fraction(1, 10), 20.0, (305.35, 311.25)),
]


@pytest.mark.parametrize(("pair", "step", "reach", "losses"), FAR_OUT, ids=str)
def test_lowered_chords_lie_below_the_pair_far_out(
    pair: Pair, step: Fraction, reach: float, losses: tuple[float, ...]
) -> None:
    low = lowered(pair, step, reach)[0]
    for e in map(Fraction, losses):
        with precision(256):
            assert 0 < one_step(low, e) * (1 - arb(low.relative)) <= hockey_stick(pair, e, "remove")


def test_a_measure_too_steep_is_refused() -> None:
    spikes = np.zeros(64)
    spikes[[3, 37, 60]] = 0.2, 0.5, 0.3
    with pytest.raises(PrecisionError, match="steep"):
        coarser_below(GridMeasure(Fraction(0), Fraction(1, 8), spikes), 5)
    with pytest.raises(InvalidArgumentError, match="64"):
        coarser_above(humps(0), 65)


@pytest.mark.slow
@pytest.mark.parametrize(("pair", "step"), FINE, ids=str)
@pytest.mark.parametrize("way", [0, 1], ids=["remove", "add"])
def test_lowered_chords_lie_below_the_pair_and_raised_masses_above(pair: Pair, step: Fraction, way: int) -> None:
    low, high = lowered(pair, step)[way], raised(pair, step)[way]
    widest = 0.0
    for k in range(-8, 25):
        e = k * step * Fraction(7, 3) + step / 777
        truth = hockey_stick(pair, e, ("remove", "add")[way])
        with precision(256):
            least, most = one_step(low, e) * (1 - arb(low.relative)), one_step(high, e) * (1 + arb(high.relative))
            assert least <= truth <= most
            widest = max(widest, float(most - least))
    assert widest < 2 * float(step) ** 2 / min(0.5, 1 / float(pair.noise_multiplier))


def test_raised_masses_are_hardly_more_than_they_were() -> None:
    pair, step = FINE[0]
    for one, other in zip(raised(pair, step), dominating(pair, step), strict=True):
        assert one.relative < other.relative
        assert np.all((one.masses >= other.masses) & (one.masses < other.masses * (1 + 2 * other.relative)))


def test_differences_of_exponentials_keep_their_digits() -> None:
    with precision(300):
        start, rate, less = arb(10) ** -12, arb(10) ** -11, 1 - arb(10) ** -9
        found = geometric_less(start, rate, 5000, less)
        for k in (0, 1, 70, 4999):
            exact = (start + rate * k).exp() - less
            assert abs(arb(float(found[k])) / exact - 1) <= LESS_ERROR * UNIT
    with pytest.raises(PrecisionError, match="difference"):
        geometric_less(arb(0), arb(1), 3, arb(2))


def power(measure: GridMeasure, count: int) -> list[arb]:
    """The masses of a composition, in balls."""
    with precision(300):
        return list((arb_poly([arb(float(m)) for m in measure.masses]) ** count).coeffs())


def holds(found: GridMeasure, measure: GridMeasure, count: int, *, above: bool) -> bool:
    """Whether a block bounds the composition at all orders: losses outside of it are compared as well."""
    with precision(300):
        step, start = ball(measure.step), measure.start * count
        exact = power(measure, count)
        for e in [found.start + found.step * Fraction(k * len(found.masses), 17) for k in range(-1, 18)]:
            truth = arb(0)
            for k, mass in enumerate(exact):
                if start + measure.step * k > e:
                    truth += mass * (1 - (ball(e - start) - step * k).exp())
            value = one_step(found, e)
            if above and not value * (1 + arb(found.relative)) >= truth:
                return False
            if not above and not value * (1 - arb(found.relative)) <= truth:
                return False
        return True


@pytest.mark.parametrize("above", [True, False])
@pytest.mark.parametrize("tilt", [0.0, 3.0])
def test_a_block_bounds_a_composition(tilt: float, above: bool) -> None:
    measure = GridMeasure(Fraction(-3, 8), Fraction(1, 8), humps(1).masses[::57] / np.sum(humps(1).masses[::57]))
    found = block([(measure, 40)], Stages(tilt, 40.0, ()), above=above)
    assert holds(found, measure, 40, above=above)
    assert len(found.masses) <= 40 * (len(measure.masses) - 1) + 1


def test_a_window_that_is_too_short_stays_a_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fast_blocks, "_BLOCK_NATS", 3.0)
    measure = GridMeasure(Fraction(-3, 8), Fraction(1, 8), humps(1).masses[::57] / np.sum(humps(1).masses[::57]))
    for above in (True, False):
        assert holds(block([(measure, 40)], Stages(0.5, 3.0, ()), above=above), measure, 40, above=above)


def planned(ledger: Ledger[AddOrRemoveOne]) -> bool:
    """Whether a ledger's epsilon is computed in stages."""
    pairs = fast_accountant.ledger_pairs(ledger)
    rough = {way: fast_grids.rough(pairs, way) for way in ("remove", "add")}
    tilts = {way: r.tilt_for_delta(math.log(DELTA)) for way, r in rough.items()}
    return fast_stages.factors(pairs, rough, tilts, "remove", 0.01, math.log(DELTA)) is not None


def long_epsilon_holds(ledger: Ledger[AddOrRemoveOne] = LONG) -> bool:
    """Whether the certified interval of a long composition holds its point value, and is narrow."""
    found, truth = fast_accountant.epsilon(ledger, DELTA), fast_point.epsilon(ledger, DELTA)
    return found.lower <= truth <= found.upper and found.width < 0.02


@pytest.mark.parametrize("steps", [10**5, 123457])
def test_long_compositions_are_cut_and_hold_their_point_value(steps: int) -> None:
    ledger = Ledger(Repeat(Poisson(Gaussian(Fraction(1)), Fraction(1, 100)), steps), AddOrRemoveOne)
    assert planned(ledger)
    assert long_epsilon_holds(ledger)


@pytest.mark.slow
def test_different_events_are_cut_together() -> None:
    one = Repeat(Poisson(Gaussian(Fraction(1)), Fraction(1, 100)), 70000)
    other = Repeat(Poisson(Gaussian(Fraction(3, 2)), Fraction(1, 50)), 30001)
    ledger = Ledger(Compose((one, other)), AddOrRemoveOne)
    assert planned(ledger)
    assert long_epsilon_holds(ledger)


def test_what_a_few_large_losses_decide_is_not_cut() -> None:
    rare = Ledger(Repeat(Poisson(Gaussian(Fraction(1)), Fraction(1, 10**4)), 10**4), AddOrRemoveOne)
    assert not planned(rare)


def test_planted_bug_chords_lowered_by_half(monkeypatch: pytest.MonkeyPatch) -> None:
    honest = fast_coarser.below_chords

    def half(left: FloatArray, right: FloatArray, gap: FloatArray, *rest: float) -> FloatArray:
        return honest(left, right, gap / 2, *rest)  # type: ignore[arg-type]  # the slopes and errors, as they are

    monkeypatch.setattr(fast_coarser, "below_chords", half)
    monkeypatch.setattr(fast_lowered, "below_chords", half)
    measure = humps(0)
    assert not between(coarser_below(measure, 8), measure, coarser_above(measure, 8))


def test_planted_bug_shares_of_a_straight_line(monkeypatch: pytest.MonkeyPatch) -> None:
    honest = fast_coarser._Cells.of

    def straight(measure: GridMeasure, times: int) -> fast_coarser._Cells:
        cells = honest(measure, times)
        object.__setattr__(cells, "to_left", 1 - np.arange(times) / times)
        object.__setattr__(cells, "to_right", np.arange(times) / times * (1 - 1e-3))
        return cells

    monkeypatch.setattr(fast_coarser._Cells, "of", straight)
    measure = humps(0)
    assert not between(measure, measure, coarser_above(measure, 8))


def test_planted_bug_nothing_outside_the_window(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fast_blocks, "_BLOCK_NATS", 1.5)
    monkeypatch.setattr(fast_blocks, "chernoff", lambda *_, above: arb(0))
    measure = GridMeasure(Fraction(-3, 8), Fraction(1, 8), humps(1).masses[::57] / np.sum(humps(1).masses[::57]))
    sides = [holds(block([(measure, 40)], Stages(0.5, 1.5, ()), above=a), measure, 40, above=a) for a in (True, False)]
    assert not all(sides)


@pytest.mark.slow
def test_planted_bug_steps_that_are_left_over_are_lost(monkeypatch: pytest.MonkeyPatch) -> None:
    honest = Stages.compose

    def lost(self: Stages, factors: list[tuple[GridMeasure, int]], *, above: bool) -> object:
        blocks = self.cuts[0][0]
        return honest(self, [(m, k - k % blocks) for m, k in factors], above=above)

    monkeypatch.setattr(Stages, "compose", lost)
    ledger = Ledger(Repeat(Poisson(Gaussian(Fraction(1)), Fraction(1, 100)), 123457), AddOrRemoveOne)
    assert not long_epsilon_holds(ledger)
