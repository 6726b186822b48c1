"""The measures above and below a pair on a grid: at every order, on coarse grids, and how much mass they move."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from flint import arb

from dpref.privacy.closed_forms.divergences import normal_cdf
from dpref.privacy.fast import lower as fast_lower
from dpref.privacy.fast import upper as fast_upper
from dpref.privacy.fast.cells import Pair
from dpref.privacy.fast.measure import GridMeasure
from dpref.reals import BALL, ball, precision
from tests.effort import part

SMALL = Pair(Fraction(1, 100), Fraction(1))


def hockey_stick(pair: Pair, epsilon: Fraction, way: str) -> arb:
    """The exact delta of one step, in balls."""
    with precision(256):
        t, q, mu = ball(epsilon).exp(), ball(pair.rate), 1 / ball(pair.noise_multiplier)
        edge = ((t if way == "remove" else 1 / t) - (1 - q)) / q
        if not edge > 0:
            return 1 - t if way == "remove" else arb(0)
        z = edge.log() / mu + mu / 2
        if way == "remove":
            return q * normal_cdf(BALL, mu - z) + (1 - q - t) * normal_cdf(BALL, -z)
        return normal_cdf(BALL, z) - t * ((1 - q) * normal_cdf(BALL, z) + q * normal_cdf(BALL, z - mu))


def one_step(measure: GridMeasure, epsilon: Fraction) -> arb:
    """delta of a measure's own masses, in balls."""
    with precision(256):
        total, h = arb(measure.infinity), ball(measure.step)
        for k in np.flatnonzero(measure.masses).tolist():
            if measure.start + k * measure.step > epsilon:
                gain = 1 - (ball(epsilon - measure.start) - h * k).exp()
                total += arb(float(measure.masses[k])) * gain
        return total


PAIRS = [
    (SMALL, Fraction(1, 300)),
    (Pair(Fraction(1), Fraction(4)), Fraction(1, 50)),
    (Pair(Fraction(1, 2), Fraction(1, 2)), Fraction(1, 20)),
    (Pair(Fraction(1), Fraction(50)), Fraction(1, 128)),
    (Pair(Fraction(1, 10**6), Fraction(3)), Fraction(1, 1024)),
]


@pytest.mark.slow
@pytest.mark.parametrize(("pair", "step"), part(PAIRS, -(-len(PAIRS) // 2)), ids=str)
@pytest.mark.parametrize("way", [0, 1], ids=["remove", "add"])
def test_the_measures_lie_above_and_below_the_pair_at_every_order(pair: Pair, step: Fraction, way: int) -> None:
    above, below = fast_upper.dominating(pair, step)[way], fast_lower.dominated(pair, step)[way]
    for k in range(-6, 14):
        epsilon = k * step * Fraction(2, 3) + Fraction(1, 777)
        truth = hockey_stick(pair, epsilon, ("remove", "add")[way])
        with precision(256):
            assert one_step(above, epsilon) * (1 + arb(above.relative)) >= truth - abs(truth) * arb(2) ** -200
            assert one_step(below, epsilon) * (1 - arb(below.relative)) <= truth + abs(truth) * arb(2) ** -200


# Grids so coarse for the smallest losses that Newton's method carries an edge past its neighbour.
COARSE = [
    (Pair(Fraction(1, 10**4), Fraction(193, 600)), Fraction(59, 100)),
    (Pair(Fraction(1, 10**6), Fraction(347, 1000)), Fraction(2, 5)),
    (Pair(Fraction(1, 10**9), Fraction(909, 1000)), Fraction(1, 16421600)),
]


@pytest.mark.parametrize(("pair", "step"), COARSE, ids=str)
@pytest.mark.parametrize("way", [0, 1], ids=["remove", "add"])
def test_no_mass_is_counted_twice_on_a_coarse_grid(pair: Pair, step: Fraction, way: int) -> None:
    below = fast_lower.dominated(pair, step, 9.5)[way]
    for k in range(8):
        epsilon = below.start + k * step / 2
        truth = hockey_stick(pair, epsilon, ("remove", "add")[way])
        with precision(256):
            assert one_step(below, epsilon) * (1 - arb(below.relative)) <= truth


@pytest.mark.parametrize(("pair", "step"), PAIRS, ids=str)
def test_hardly_any_mass_is_added_or_lost(pair: Pair, step: Fraction) -> None:
    for above, below in zip(fast_upper.dominating(pair, step), fast_lower.dominated(pair, step), strict=True):
        assert abs(math.fsum(above.masses) - 1) < 1e-13
        if pair.rate > Fraction(1, 1000):
            assert -1e-12 < 1 - math.fsum(below.masses) < 1e-9


def test_the_dominating_masses_lie_within_their_stated_error() -> None:
    step = Fraction(1, 512)
    measure = fast_upper.dominating(SMALL, step)[0]
    worst = 0.0
    for i in [1, 2, 5, 17, 40, 100, 500, 1500, 3000]:
        loss = measure.start + i * step
        with precision(400):
            e = [(ball(loss + j * step)).exp() for j in (-1, 0, 1)]
            d = [hockey_stick(SMALL, loss + j * step, "remove") for j in (-1, 0, 1)]
        with precision(256):
            mass = e[1] * ((d[2] - d[1]) / (e[2] - e[1]) - (d[1] - d[0]) / (e[1] - e[0]))
            gap = abs(arb(float(measure.masses[i])) / mass - 1)
        assert gap <= measure.relative
        worst = max(worst, float(gap.mid()) / measure.relative)
    assert worst > 1e-6
