"""What the fast path grants to rounding, written again from ``docs/fast-path.md``: no coefficient may change unseen.

Inputs are short binary fractions and tables of balls, so that each number is the same on every machine.
"""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest

from dpref.errors import PrecisionError
from dpref.privacy.fast import blocks, coarser, exp, fft, pld, upper
from dpref.privacy.fast import lower as merged
from dpref.privacy.fast.cells import Narrow, Pair, is_narrow
from dpref.privacy.fast.edges import Merged
from dpref.privacy.fast.measure import LEAST_MASS

U = Fraction(1, 2**53)
PAIRS = [Pair(Fraction(1), Fraction(4)), Pair(Fraction(1, 2), Fraction(1, 2)), Pair(Fraction(1, 64), Fraction(2))]


def close(found: float, expected: float | Fraction, to: float = 1e-9) -> bool:
    return abs(found - float(expected)) <= to * abs(float(expected))


def tenth_above(x: Fraction) -> float:
    return math.ceil(10 * x) / 10


# ------------------------------------------------------------------------------------ constants


def test_errors_of_tables_are_the_least_tenths_that_their_derivations_give() -> None:
    """A rounded ball is within one of two doubles, 2u; a product of two entries rounds once, a sum of two once more."""
    table = Fraction(exp.TABLE_ERROR).limit_denominator(100)
    assert Fraction(exp.UNIT) == U
    assert table == 2 + Fraction(1, 100)
    product = ((1 + table * U) ** 2 * (1 + U) - 1) / U
    assert tenth_above(product) == exp.GEOMETRIC_ERROR
    assert tenth_above(((1 + table * U) ** 2 * (1 + U) ** 2 - 1) / U) == exp.LESS_ERROR
    assert close(pld.TILT_ERROR, Fraction(exp.GEOMETRIC_ERROR) + Fraction(105, 100))
    assert close(blocks.UNDO_ERROR, Fraction(exp.GEOMETRIC_ERROR) + Fraction(305, 100))
    assert exp._ACCURATE_BITS > 80, "a table entry is known to 2^-80"


def test_what_underflows_and_what_is_dropped_stays_below_what_is_granted() -> None:
    terms = 2 ** (fft.LARGEST_LEVEL + 1)
    assert math.log(terms) - pld._FARTHEST < math.log(pld._UNDERFLOW), "weights below exp(-farthest)"
    assert terms * 2.0**-1074 < pld._UNDERFLOWN < pld._UNDERFLOW
    assert pld._FARTHEST < exp._RANGE, "no weight leaves the table"
    assert math.exp(exp._RANGE) < 2.0**996
    assert math.log(LEAST_MASS) + math.log(2) * 600 == pytest.approx(0, abs=1e-9)
    assert coarser._WIDEST / math.log(2) < 370, "a share is above 2^-370"


# ------------------------------------------------------------------------------------ cells


@pytest.mark.parametrize("pair", PAIRS, ids=str)
@pytest.mark.parametrize("reach", [0.0, 1.5, 13.25])
def test_the_error_of_a_ratio(pair: Pair, reach: float) -> None:
    mu = 1 / pair.noise_multiplier
    expected = (Fraction(42, 10) + 4 + 5 * mu * (Fraction(reach) + mu)) * U
    assert close(pair.ratio_error(reach), expected)


@pytest.mark.parametrize("pair", PAIRS, ids=str)
def test_the_error_of_an_integral_over_narrow_cells(pair: Pair) -> None:
    """64 roundings, that of expm1, the middle's density, and the best of five of Cauchy's estimates."""
    found = Narrow(pair, np.array([-3.0, 0.5, 2.0]), np.array([1 / 64, 1 / 32, 1 / 128]))
    w, c, mu = Fraction(1, 32), Fraction(3), 1 / pair.noise_multiplier
    estimates = []
    for radius in (Fraction(1, 8), Fraction(1, 4), Fraction(1, 2), Fraction(1), Fraction(2)):
        x, rise = w / (2 * radius), mu * (radius + w)
        growth = math.exp(c * radius + radius**2 / 2 + rise) * float(1 + rise)
        estimates.append(2 * growth * float(x**16 / (1 - x)) * 2 * float(1 + 4 / (mu * w)))
    assert close(found.truncation(), min(estimates))
    assert close(found.rounding() - found.truncation(), (64 + Fraction(3, 2) + c * c) * U, 1e-5)
    near = Narrow(pair, np.array([0.25]), np.array([1 / 128]))
    assert close(near.rounding() - near.truncation(), (64 + Fraction(3, 2) + Fraction(1, 16)) * U, 1e-5)


@pytest.mark.parametrize(("middle", "best"), [(1, 2), (5, 2), (13, 1), (30, 0.5), (60, 0.25), (120, 0.125)])
def test_each_radius_of_cauchys_estimate_is_the_best_for_some_cells(middle: int, best: float) -> None:
    pair, w = Pair(Fraction(1), Fraction(8)), Fraction(1, 1024)
    radii = (Fraction(1, 8), Fraction(1, 4), Fraction(1, 2), Fraction(1), Fraction(2))

    def bound(radius: Fraction) -> float:
        x, rise = w / (2 * radius), (radius + w) / 8
        growth = math.exp(middle * radius + radius**2 / 2 + rise) * float(1 + rise)
        return 2 * growth * float(x**16 / (1 - x)) * 2 * float(1 + 4 / (w / 8))

    assert min(radii, key=bound) == best
    assert close(Narrow(pair, np.array([float(middle)]), np.array([1 / 1024])).truncation(), bound(Fraction(best)))


def test_which_cells_are_narrow() -> None:
    """Each of the three conditions decides at its own end, and one unit beyond."""
    beyond = math.nextafter(1.0, 2)

    def narrow(pair: Pair, low: float, width: float) -> bool:
        return bool(is_narrow(pair, np.array([low]), np.array([low + width]))[0])

    slow, fast = Pair(Fraction(1), Fraction(100)), Pair(Fraction(1), Fraction(1, 4))
    assert narrow(slow, 0.0, 1 / 16)
    assert not narrow(slow, 0.0, beyond / 16)
    assert narrow(fast, 0.0, 1 / 32)
    assert not narrow(fast, 0.0, beyond / 32)
    assert narrow(slow, 32.0 - 1 / 64, 1 / 32)
    assert not narrow(slow, 32.0, 1 / 32)
    assert not narrow(slow, 1.0, 0.0)


# ------------------------------------------------------------------------------------ above


def a_grid(pair: Pair, points: list[float]) -> upper.Grid:
    """Points and the ratios that are computed there, so that what both are off is what is granted, and no more."""
    z = np.array(points)
    ratio = pair.ratio(z)
    return upper.Grid(pair, Fraction(1, 64), -2, ratio + pair.rest, ratio, z)


@pytest.mark.parametrize("pair", PAIRS, ids=str)
def test_what_the_rounded_ends_of_a_cell_are_granted(pair: Pair) -> None:
    points = [-2.0, -1.96875, -1.9375, 0.5, 0.53125]
    g, narrow = a_grid(pair, points), np.array([True, True, False, True])
    _, _, own, relative = upper._narrow_splits(g, narrow)
    mu = 1 / pair.noise_multiplier
    for found, i in zip(own.tolist(), (0, 1, 3), strict=True):
        reach = max(abs(Fraction(points[i])), abs(Fraction(points[i + 1])))
        doubt = (Fraction(61, 10) + 3) * U + (Fraction(42, 10) + 4 + 5 * mu * (reach + mu)) * U
        moved = doubt * Fraction(101, 100) / mu + 4 * U * (reach + 1)
        worst = moved / (Fraction(points[i + 1]) - Fraction(points[i])) * 15
        assert close(found, Fraction(102, 100) * worst + Fraction(101, 100) * doubt)
    middle = np.array([(points[i] + points[i + 1]) / 2 for i in (0, 1, 3)])
    rounding = Narrow(pair, middle, np.full(3, 1 / 32)).rounding()
    assert close(relative, Fraction(rounding) * Fraction(101, 100) + 12 * U)


@pytest.mark.parametrize("ratio_below", [False, True])
def test_points_that_are_off_are_granted_so_much_more(ratio_below: bool) -> None:
    """A ratio that differs at either end by 2^-40 moves that end, and the worse one counts."""
    pair, points = PAIRS[0], [0.5, 0.53125]
    g = a_grid(pair, points)
    g.ratio[0 if ratio_below else 1] *= 1 + 2.0**-40
    found = float(upper._narrow_splits(g, np.array([True]))[2][0])
    assert close(found, 2.0**-40 * 1.01 / 0.25 * 32 * 15 * 1.02, 1e-2)


def test_a_grid_whose_ends_are_off_too_much_is_refused_from_a_bound_on() -> None:
    """The worst end may be off by less than 2^-12 of a cell, fifteen times counted."""
    pair = PAIRS[0]
    most = 2.0**-12 / 15 / 32 * 0.25 / 1.01
    for factor, refused in ((0.99, False), (1.01, True)):
        g = a_grid(pair, [0.5, 0.53125])
        g.ratio[0] *= 1 + most * factor
        if refused:
            with pytest.raises(PrecisionError, match="too fine"):
                upper._narrow_splits(g, np.array([True]))
        else:
            upper._narrow_splits(g, np.array([True]))


@pytest.mark.parametrize("pair", PAIRS, ids=str)
def test_what_a_dominating_measure_says_it_is_off(pair: Pair) -> None:
    g = upper.grid(pair, Fraction(1, 32), 6.0)
    parts = upper.split(g)
    for made, more in (
        (upper.dominating, Fraction(float(np.max(parts.own)))),
        (upper.raised, Fraction(0)),
    ):
        for measure in made(pair, Fraction(1, 32), 6.0):
            assert close(measure.relative, Fraction(parts.relative) + more + (Fraction(51, 10) + 16) * U)
    narrow = is_narrow(pair, g.points[:-1], g.points[1:])
    relative = Fraction(upper._narrow_splits(g, narrow)[3]) if narrow.any() else 64 * U
    assert close(parts.relative, relative + 4 * U)
    masses = upper.raised(pair, Fraction(1, 32), 6.0)[0].masses[1:]
    lifted = np.zeros(len(g.points))
    lifted[:-1] += parts.left * (1 + parts.own)
    lifted[1:] += parts.right * (1 + parts.own)
    assert masses.tolist() == np.maximum(lifted, 2.0**-600)[1:].tolist()


# ------------------------------------------------------------------------------------ below


def a_merged(pair: Pair) -> Merged:
    """Cells that are merged onto points about their middles, on no one's grid."""
    edges = np.array([-0.5, -0.4375, -0.375, 0.25, 0.3125])
    middle = np.append(edges[0], (edges[:-1] + edges[1:]) / 2)
    return Merged(pair, -0.25, Fraction(1, 64), 1, edges, 2, pair.ratio(middle) + pair.rest)


@pytest.mark.parametrize("pair", [PAIRS[0], PAIRS[2]], ids=str)
@pytest.mark.parametrize("leaning", [-1, 0, 1])
def test_what_is_left_out_of_a_merged_cell(pair: Pair, leaning: int) -> None:
    """The moment's own doubt decides where the point is the merged ratio: each of its terms is written again."""
    m, index = a_merged(pair), np.array([0, 1, 3])
    low, high = m.edges[index], m.edges[index + 1]
    parts = Narrow(pair, (low + high) / 2, high - low)
    weights = parts.ratios(pair.ratio(parts.centre))
    mass = sum(w for w, _ in weights)
    mean = np.asarray(sum(w * r for w, r in weights) / mass)
    m.exps[index + 1] = mean * (1 + leaning * 2.0**-49) + pair.rest
    forward, backward, relative = merged._narrow_masses(m, index)
    exps = m.exps[index + 1]
    ratio = exps - pair.rest
    u, reach, mu = float(U), 0.5, pair.mu
    error = (4.2 + 4 + 5 * mu * (reach + mu)) * u
    assert close(relative, 1.01 * (parts.rounding() + error + 4 * u * (reach + 1) * 16) + 8 * u)
    left, right = pair.ratio(low), pair.ratio(high)
    mass_p, moment = np.zeros(3), np.zeros(3)
    for w, r in weights:
        mass_p += w * (r + pair.rest)
        moment += w * (r - ratio)
    size = (right - left) * (1 + 2.0**-20)
    blur = error * right + (5.1 + 12) * u * (exps + right)
    doubt = mass * (parts.rounding() * size + parts.truncation() * (exps + right) + blur)
    doubt += 4 * u * (reach + 1) / parts.width * size * mass
    for found, whole, factor, room, sign in (
        (forward, mass_p, exps, ratio - left, -1),
        (backward, mass, np.ones(3), right - ratio, 1),
    ):
        sliver = 2 * np.maximum(doubt + sign * moment, 0) / room
        out = whole * parts.scale() - found
        assert np.all(found > 0)
        assert out == pytest.approx(2 * factor * sliver * parts.scale(), rel=1e-3, abs=0)


def test_a_cell_of_which_a_sliver_cannot_be_told_keeps_nothing() -> None:
    """The ratio may rise by 3.9 of its distance from an end's: a point nearer to an end than that is not believed."""
    pair = PAIRS[0]
    kept = []
    for share in (0.2, 0.25, 0.26, 0.3, 0.5, 0.7, 0.74, 0.75, 0.8):
        m = a_merged(pair)
        left, right = pair.ratio(m.edges[:-1]), pair.ratio(m.edges[1:])
        m.exps[1:] = left + share * (right - left)  # of the distance, from the lower end
        index = np.array([0])
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(merged, "SHARE", 0)  # only the rule about the distance decides
            forward, backward, _ = merged._narrow_masses(m, index)
        kept.append((share, bool(forward[0] != 0), bool(backward[0] != 0)))
    assert [f for _, f, _ in kept] == [s > 1 / 3.9 for s, _, _ in kept]
    assert [b for _, _, b in kept] == [1 - s > 1 / 3.9 + 0.003 for s, _, _ in kept]


@pytest.mark.parametrize("pair", PAIRS, ids=str)
def test_masses_of_the_reversed_pair_are_those_of_the_pair_over_the_ratio(pair: Pair) -> None:
    """Of each cell that matters both directions keep all but slivers, at opposite losses."""
    step = pair.rate / 32
    for made in (upper.dominating, upper.raised, merged.dominated):
        forward, backward = made(pair, step, 6.0)
        losses = float(forward.start) + float(step) * np.arange(len(forward.masses))
        matter = forward.masses > 1e-4
        assert matter.sum() >= 3
        there = backward.masses[::-1][matter]
        assert there == pytest.approx(forward.masses[matter] * np.exp(-losses[matter]), rel=1e-6, abs=0)
