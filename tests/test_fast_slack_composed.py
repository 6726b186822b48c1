"""What compositions and coarser grids of the fast path grant to rounding, written again from ``docs/fast-path.md``."""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from flint import arb

from dpref.errors import PrecisionError
from dpref.privacy.events.ledger import Gaussian, Ledger
from dpref.privacy.fast import accountant, blocks, coarser, curves, exp, fft, grids, lowered, pld, upper
from dpref.privacy.fast import lower as merged
from dpref.privacy.fast.cells import Pair
from dpref.privacy.fast.measure import GridMeasure
from dpref.privacy.pld.discretisation import Grid
from dpref.reals import ball, precision
from dpref.units import AddOrRemoveOne, ReplaceOne
from tests.test_fast_slack import PAIRS, U, close

# ------------------------------------------------------------------------------------ coarser grids


def two_masses() -> GridMeasure:
    return GridMeasure(Fraction(-1), Fraction(1, 4), np.array([0.25, 0.5, 0.125, 0.0625]), 0.0, 2.0**-30)


@pytest.mark.parametrize("times", [1, 2, 4])
def test_a_coarser_measure_above_is_off_by_its_sums(times: int) -> None:
    found = coarser.coarser_above(two_masses(), times)
    assert close(found.relative - 2.0**-30, (times + 16) * U, 1e-3)
    assert coarser.coarser_below(two_masses(), 1).relative == 2.0**-30


def test_what_is_taken_off_a_mass_below() -> None:
    """A cell between two flat ones: u and both lowerings, less all magnitudes times what is granted."""
    granted, off = 2.0**-20, 2.0**-18
    left = right = np.array([0.5, 0.5, 0.5, 0.5])
    gap, slopes = np.full(4, 2.0**-4), (0.5, 1.5)
    found = coarser.below_chords(left, right, gap, slopes, granted, off)
    spare = 16 * float(U)
    last = (0.5 + 0.5) * (1 - granted - (2 + 16) * float(U))
    beyond = 1 + off + granted + spare
    above = [0.5, 1.0, 1.0, last + 0.5]
    lowered_by = [2.0**-4, 2.0**-4, 0.5 / 1.5 * beyond, 0.0, 0.0]
    expected = []
    for i, a in enumerate(above):
        more = a + lowered_by[i] * 2
        less = (lowered_by[i - 1] if i else lowered_by[0]) * 1.5 + lowered_by[i + 1] * 0.5
        expected.append((more - less) - (more + less) * (granted + spare))
    assert min(expected) > 0, "else a point is lowered further"
    assert found.tolist() == pytest.approx(expected, rel=1e-14, abs=0)


def test_the_gap_is_granted_more_than_its_numbers_are_off() -> None:
    assert lowered.GAP_SLACK == 2.0**-12
    assert coarser.SPARE == 16, "fewer than ten roundings beside a sum's"
    with pytest.MonkeyPatch.context() as patch:
        seen: list[tuple[Any, ...]] = []

        def note(*arguments: Any) -> Any:
            seen.append(arguments)
            return coarser.below_chords(*arguments)

        patch.setattr(lowered, "below_chords", note)
        pair, step = PAIRS[0], Fraction(1, 200)
        found = lowered.lowered(pair, step, 6.0)
    g = upper.grid(pair, step, 6.0)
    parts = upper.split(g)
    for measure, (left, right, gap, (up, down), granted, off) in zip(found, seen, strict=True):
        assert close(granted, 16 * U)
        assert close(off, 3 * float(np.max(parts.own)) + 2 * parts.relative)
        assert close(measure.relative, Fraction(parts.relative) + 16 * U)
        assert close(up, 1 / math.expm1(0.005))
        assert close(down, -1 / math.expm1(-0.005))
        assert len(left) == len(right) == len(gap)
    h = 0.005
    assert np.ptp(parts.own) > 0
    left, right = parts.left * (1 - parts.own), parts.right * (1 - parts.own)
    meet = left * right * -math.expm1(-h) / (left + right * math.exp(-h))  # where the slopes' lines meet
    gap = seen[0][2]
    assert np.all(gap <= meet * (1 + 2.0**-12) * (1 + 2 * parts.own) * (1 + 1e-9))
    assert np.all(gap >= meet * 0.4), "the density bounds it by no less than it is"


# ------------------------------------------------------------------------------------ compositions


def test_gaussians_as_one_spend_more_above_and_less_below_by_a_last_digit() -> None:
    pairs = ((Pair(Fraction(1), Fraction(3)), 2), (Pair(Fraction(1), Fraction(7, 2)), 5), (PAIRS[2], 4))
    (sampled, many), (above, one) = grids.plain_as_one(pairs, above=True)
    (_, _), (below, _) = grids.plain_as_one(pairs, above=False)
    assert (sampled, many, one) == (PAIRS[2], 4, 1)
    assert above.rate == below.rate == 1
    total = Fraction(2, 9) + 5 * Fraction(4, 49)
    assert above.noise_multiplier**2 * total < 1 < below.noise_multiplier**2 * total
    assert below.noise_multiplier - above.noise_multiplier == Fraction(1, 2**400)
    assert grids.plain_as_one(pairs[1:], above=True) == pairs[1:]


def curve(theta: float = 1.0) -> tuple[pld.Curve, GridMeasure]:
    masses = np.array([0.25, 0.25, 0.25, 0.125, 0.0625])
    one = GridMeasure(Fraction(-1, 2), Fraction(1, 4), masses, 2.0**-40, 2.0**-34)
    return pld.compose([(one, 3)], theta=theta), one


def test_what_a_composition_is_granted() -> None:
    found, one = curve()
    spread = 3 * (Fraction(615, 100) * U + Fraction(1, 2**34)) * (1 + Fraction(1, 2**9))
    assert close(found.doubt, spread, 1e-6)
    finite = Fraction(15, 16)
    exactly = (finite + Fraction(1, 2**40)) ** 3 - finite**3
    with precision(200):
        assert found.infinity.contains(arb(ball(exactly)))
        assert close(float(found.infinity.rad()), float(exactly) * 4 * (2.0**-34 + 2 * float(U)), 1e-3)
    assert one.infinity > 0


def far_along() -> pld.Curve:
    """A window that begins far above the first coefficient."""
    coin = GridMeasure(Fraction(-1, 8), Fraction(1, 4), np.array([0.46875, 0.53125]))
    found = pld.compose([(coin, 4000)], theta=0.25)
    assert found.first > 1000
    return found


@pytest.mark.parametrize(("far", "at"), [(False, Fraction(1, 3)), (True, Fraction(47)), (True, Fraction(60))])
def test_the_error_of_a_tail_sum(far: bool, at: Fraction) -> None:
    """(N + 16) u of both sums, the transform's error times all weights, and what lies above the window."""
    found = far_along() if far else curve()[0]
    k = math.floor((at - found.origin) / found.step) + 1 - found.first
    with precision(fft.BITS):
        value, error, above = found._sum(k, at)
        size = len(found.tails)
        ratio = found._ratio(at)
        plain, steep = arb(float(found.tails[k])), ratio * float(found.steep_tails[k])
        assert abs(value - (plain - steep)) < arb(2) ** -90
        theta, h = arb(found.theta), ball(found.step)
        weights = [(-theta * h * (j + found.first - found.centre)).exp() for j in range(k, size)]
        slopes = [1 - (ball(at) - ball(found.origin) - h * (j + found.first)).exp() for j in range(k, size)]
        least = sum((w * s for w, s in zip(weights, slopes, strict=True)), arb(0)) * arb(found.error)
        rounding = (size + 16) * arb(exp.UNIT) * (plain + steep)
        assert error >= rounding + least, "each coefficient in the sum may be off by the error"
        reach = (size - k) * weights[0] * arb(found.error)
        assert error <= (rounding + reach) * (1 + arb(2) ** -19) + arb(2) ** -700
        assert abs(above - found.outside[1] * weights[0]) <= arb(2) ** -90 * weights[0]
        assert abs(found._alias(k) - (found.outside[0] + found.outside[1]) * weights[0]) <= arb(2) ** -90 * weights[0]
        low, high = found.delta(at)
        both = found.scale * found._alias(k)
        assert high >= (value + error + above) * found.scale + found.infinity
        assert low <= float(((value - error - above) * found.scale + found.infinity - both).mid()) * (1 + 1e-12)
        gone = float(found.scale.rad() / found.scale.mid())
        assert high <= float(((value + error + above) * found.scale + found.infinity).mid()) * (1 + 2 * gone + 1e-15)
        first, second = found.test(at)
        off = arb(found.error) * weights[0] * (size - k) + rounding
        p, q = plain * found.scale.mid() + found.infinity, steep * (-ball(at)).exp() * found.scale.mid()
        assert 1 - float(p.mid()) <= second, "it errs by what may be missing too"
        assert second <= float((1 - p + (off + both + above) * found.scale.mid() * 2).mid()) + 4 * gone
        assert float(q.mid()) <= first
        assert (
            first
            <= float((q + (off + above) * 2 * (-ball(at)).exp() * found.scale.mid()).mid()) * (1 + 4 * gone) + 4 * gone
        )


def test_what_lies_above_the_window_counts_in_both_errors() -> None:
    found, at = far_along(), Fraction(47)
    more = replace(found, outside=(arb(0), arb(2) ** -10))
    k = math.floor((at - found.origin) / found.step) + 1
    with precision(fft.BITS):
        added = arb(2) ** -10 * (-arb(found.theta) * ball(found.step) * (k - found.centre)).exp() * found.scale.mid()
        first = added * (-ball(at)).exp()
    assert close(more.test(at)[0] - found.test(at)[0], float(first.mid()), 1e-6)
    assert close(more.test(at)[1] - found.test(at)[1], float(added.mid()), 1e-4)


def test_where_the_window_ends_nothing_is_told_of_what_lies_below() -> None:
    found = far_along()
    first = found.origin + found.step * (found.first + found.usable)
    assert found.test(first - found.step) != pld.ALWAYS
    assert found.delta(first - found.step - Fraction(1, 10**9)) == (0.0, 1.0)
    assert found.test(first - found.step - Fraction(1, 10**9)) == pld.ALWAYS
    beyond = found.origin + found.step * (found.first + len(found.tails))
    low, high = found.delta(beyond)
    assert low == 0.0
    assert high >= float((found.outside[1] * found.scale * math.exp(-600)).mid())


def test_an_epsilon_of_zero_is_zero() -> None:
    found, one = curve()
    assert found.delta(0)[1] < Fraction(9, 10)
    assert found.epsilon(Fraction(9, 10)) == (0.0, 0.0)
    assert one.masses.sum() < 1


def test_an_infinite_mass_near_one_is_no_less() -> None:
    heavy = GridMeasure(Fraction(-1, 2), Fraction(1, 4), np.array([0.01, 0.02, 0.01]), 0.95)
    exactly = Fraction(99, 100) ** 3 - Fraction(4, 100) ** 3
    stages = blocks.Stages(1.0, 40.0, ())
    assert blocks.block([(heavy, 3)], stages, above=True).infinity == pytest.approx(float(exactly), rel=1e-12)
    assert blocks.block([(heavy, 3)], stages, above=False).infinity == pytest.approx(float(exactly), rel=1e-12)
    low, high = pld.compose([(heavy, 3)], theta=1.0).delta(0)
    assert float(exactly) <= high <= 1.0
    assert float(exactly) * (1 - 1e-9) <= low
    sure = GridMeasure(Fraction(0), Fraction(1, 4), np.array([0.5, 0.5]), 1.0)
    assert pld.compose([(sure, 2)], theta=1.0).delta(0)[1] == 1.0
    assert pld.compose([(sure, 2)], theta=1.0).test(Fraction(0))[1] == 0.0


def test_a_tilted_mass_below_what_doubles_bear_is_refused() -> None:
    """The least weight is 2^-1000; a mass of 2^-600 under a tilt of 2^-300 a step is just above it."""
    for shift, refused in ((395, False), (405, True)):
        measure = GridMeasure(Fraction(0), Fraction(1), np.array([2.0**-600, 1.0]))
        with precision(fft.BITS):
            tilt = arb(2).log() * shift
            if refused:
                with pytest.raises(PrecisionError, match="leaves the range"):
                    pld.tilted_masses([(measure, 1)], tilt)
            else:
                pld.tilted_masses([(measure, 1)], tilt)


@pytest.mark.parametrize(
    ("name", "good", "bad"),
    [
        ("infinity", (0.0, 1.0), (-(2.0**-1074), math.nextafter(1.0, 2))),
        ("relative", (0.0, math.nextafter(2.0**-10, 0)), (-(2.0**-1074), 2.0**-10)),
    ],
)
def test_what_a_measure_may_say(name: str, good: tuple[float, ...], bad: tuple[float, ...]) -> None:
    for value in good:
        GridMeasure(Fraction(0), Fraction(1), np.array([0.5]), **{name: value})
    for value in bad:
        with pytest.raises(ValueError, match=name):
            GridMeasure(Fraction(0), Fraction(1), np.array([0.5]), **{name: value})
    least = 2.0**-600
    GridMeasure(Fraction(0), Fraction(1), np.array([0.0, least]))
    for masses in ([math.nextafter(least, 0), 0.5], [0.0, 0.0], [-0.5, 0.5]):
        with pytest.raises(ValueError, match="masses"):
            GridMeasure(Fraction(0), Fraction(1), np.array(masses))


@pytest.mark.parametrize("pair", PAIRS, ids=str)
def test_a_measure_and_the_one_of_the_reversed_pair_end_where_each_other_begin(pair: Pair) -> None:
    step = Fraction(1, 32)
    made = (upper.dominating(pair, step, 6.0), upper.raised(pair, step, 6.0), merged.dominated(pair, step, 6.0))
    for forward, backward in made:
        assert len(forward.masses) == len(backward.masses)
        assert -backward.start == forward.start + step * (len(forward.masses) - 1)
    for measure in merged.dominated(pair, step, 6.0):
        assert measure.infinity == 0.0
    mu = float(1 / pair.noise_multiplier)
    for forward, backward in made[:2]:  # what lies beyond 6 deviations counts as an infinite loss
        top = float(forward.start) + float(step) * (len(forward.masses) - 1)
        z = pair.point(top)
        tail = [math.erfc((z - m) / math.sqrt(2)) / 2 for m in (mu, 0.0)]
        q = float(pair.rate)
        assert close(forward.infinity, q * tail[0] + (1 - q) * tail[1], 1e-6)
        bottom = math.erfc(-pair.point(float(forward.start)) / math.sqrt(2)) / 2 if pair.plain else 0.0
        assert close(backward.infinity, tail[1] + bottom, 1e-6)


def test_chernoffs_bound_counts_the_rounding_of_its_sum() -> None:
    w = np.array([0.25, 0.5, 0.25])
    factors = [(GridMeasure(Fraction(0), Fraction(1), w), 5)]
    for slope, index, above in ((0.5, 8, True), (-0.5, 2, False)):
        with precision(fft.BITS):
            found = pld.chernoff([w], factors, slope, index, above=above)
            powers = [math.fsum(p * math.exp(slope * k) for k, p in enumerate(w)) for _ in (0,)]
            exactly = (arb(powers[0]).log() * 5 - arb(slope) * index).exp()
            granted = float((found / exactly - 1).mid()) / float(U)
        assert 5 * (3 + 16) - 15 < granted < 5 * (3 + 16) + 15
        assert pld.chernoff([w], factors, -slope, index, above=above) >= 1 - arb(2) ** -40, (
            "the wrong sign says nothing"
        )


@pytest.mark.parametrize(("levels", "counts"), [(3, (5,)), (4, (7, 2))])
def test_the_distance_of_a_power(levels: int, counts: tuple[int, ...]) -> None:
    """Every term of the bound, written again from its derivation in exact numbers up to square roots."""
    vectors = [np.array([0.5, 0.25, 0.125]), np.array([0.25, 0.5])][: len(counts)]
    found = fft.convolution_power(list(zip(vectors, counts, strict=True)), levels)
    size, u = 1 << levels, float(U)
    g = (1 + u) * (1 + 3.5 * u) * (1 + math.sqrt(5) * u) - 1
    g = u + 3.5 * u + math.sqrt(5) * u if g == 0 else (1 + 3.5 + math.sqrt(5)) * u
    relative, total = levels * g, sum(counts)
    rho = (total - 1) * math.sqrt(5) * u
    most = max(math.fsum(v) for v in vectors)
    most = max(1.0, most)
    forward = sum(n * relative * math.fsum(v) for v, n in zip(vectors, counts, strict=True))
    magnitudes = np.ones(size)
    for v, n in zip(vectors, counts, strict=True):
        spectrum = np.abs(np.fft.fft(np.append(v, np.zeros(size - len(v)))))
        magnitudes *= spectrum ** (n - 1)
    mean = math.fsum(magnitudes) / size
    expected = mean * (forward + rho * most + relative * most)
    assert close(found.error, expected, 1e-6)


def test_the_test_above_a_loss_errs_by_no_less_than_it_may() -> None:
    found, _ = curve()
    for at in (Fraction(-1), Fraction(0), Fraction(1, 3), Fraction(9, 10)):
        first, second = found.test(at)
        low, high = found.delta(at)
        gain = 1 - second - math.exp(at) * first  # of this test
        assert gain <= high
        assert gain >= low - 1e-6


def test_a_block_says_what_it_is_off() -> None:
    _, one = curve()
    stages = blocks.Stages(1.0, 40.0, ())
    for above in (False, True):
        made = blocks.block([(one, 3)], stages, above=above)
        spread = 3 * (Fraction(615, 100) * U + Fraction(1, 2**34)) * (1 + Fraction(1, 2**9))
        assert close(made.relative, spread + Fraction(815, 100) * U, 1e-6)


# ------------------------------------------------------------------------------------ intervals


class Told:
    """A side that says what it is told to."""

    def __init__(self, low: float, high: float) -> None:
        self.ends = low, high

    def epsilon(self, _: Fraction) -> tuple[float, float]:
        return self.ends

    delta = epsilon


@pytest.mark.parametrize(
    ("above", "below", "other", "expected"),
    [
        ((1.0, 2.0), (0.5, 0.75), (0.0, 1.5), (0.5, 2.0, 0.25)),
        ((1.0, 2.0), (0.5, 3.0), (0.0, 2.5), (0.5, 2.5, 0.0)),
        ((1.0, math.inf), (0.5, 0.75), (0.0, 1.0), (0.5, math.inf, 0.25)),
    ],
)
def test_an_interval_ends_at_the_outermost_sides(
    above: tuple[float, float],
    below: tuple[float, float],
    other: tuple[float, float],
    expected: tuple[float, float, float],
) -> None:
    """The upper end is the largest of both directions, the lower end that of the leading one."""
    sides: Any = {("upper", "add"): Told(*above), ("lower", "add"): Told(*below), ("upper", "remove"): Told(*other)}
    found = accountant._epsilon_interval(sides, "add", Fraction(1, 9), AddOrRemoveOne)
    assert (found.lower, found.upper, found.slack) == expected
    del sides["lower", "add"]
    assert accountant._epsilon_interval(sides, "add", Fraction(1, 9), AddOrRemoveOne).lower == 0.0


def test_delta_ends_at_the_outermost_sides(monkeypatch: pytest.MonkeyPatch) -> None:
    sides: Any = {("upper", "remove"): Told(0.125, 0.5), ("lower", "remove"): Told(0.25, 0.375)}
    sides["upper", "add"] = Told(0.0, 0.75)
    monkeypatch.setattr(accountant, "_staged", lambda *_: sides)
    pairs = ((Pair(Fraction(1, 2), Fraction(1)), 3),)
    found = accountant._delta(pairs, Fraction(1), 0.01, AddOrRemoveOne)
    assert (found.lower, found.upper, found.slack) == (0.25, 0.75, 0.0)
    sides["lower", "remove"] = Told(0.0625, 0.09375)
    assert accountant._delta(pairs, Fraction(1), 0.01, AddOrRemoveOne).slack == 0.125 - 0.09375


def test_the_width_that_a_grid_adds_is_finite() -> None:
    ledger = Ledger(Gaussian(Fraction(1)), ReplaceOne)
    for low, high, slack in ((0.5, 0.75, math.nextafter(0.25, 1)), (0.5, 0.5, 0.0), (0.5, math.inf, 0.0)):
        assert curves._interval(low, high, "epsilon", ledger).slack == slack


@pytest.mark.parametrize("above", [False, True])
def test_whole_units_of_mass_are_off_by_two_roundings_and_infinity_in_its_direction(
    above: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    infinite = 2**54 + 1  # no double
    put = {-3: 0, -2: 2**59, 0: 2**58, 4: 0}
    monkeypatch.setattr(curves, "spread_above" if above else "gathered_below", lambda *_: (put, infinite))
    pair: Any = None
    found = curves._measure(pair, Grid(Fraction(1, 8), 60), above=above)
    assert (found.start, found.step, found.masses.tolist()) == (Fraction(-1, 4), Fraction(1, 8), [0.5, 0.0, 0.25])
    assert found.relative == 2 * exp.UNIT
    exactly = Fraction(infinite, 2**60)
    assert (Fraction(found.infinity) > exactly) is above
    assert abs(Fraction(found.infinity) - exactly) <= exactly * 2 * U


def test_at_most_the_whole_mass_is_infinite(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(curves, "spread_above", lambda *_: ({0: 1}, 2**60 + 1))
    pair: Any = None
    assert curves._measure(pair, Grid(Fraction(1, 8), 60), above=True).infinity == 1.0
