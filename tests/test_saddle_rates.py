"""The first-order rates of the saddle paper's Table 1, on grids so long that runs are simulated in law.

The kernels draw one vertex after another, which the first-order parameters ask for by the thousand million.  Here K
draws are one multinomial draw, and the mean of a batch of independent records of payoffs +-1 is one binomial draw: the
same laws, without the records.  Steps, batches and step sizes are those that the plans compute.
"""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest

from dpref.algorithms.anytime_mirror_descent import plan as anytime_plan
from dpref.algorithms.anytime_mirror_descent.utility import theorem_4_2
from dpref.algorithms.mirror_descent import algorithm as mirror_algorithm
from dpref.algorithms.mirror_descent import plan as mirror_plan
from dpref.algorithms.mirror_descent.utility import theorem_3_1
from dpref.curator import LiveCurator
from dpref.problems.games import Game, sampled_game
from dpref.reals import FloatArray
from dpref.units import ReplaceOne
from tests.slopes import slope

DELTA, EPSILON = Fraction(1, 10**5), Fraction(39, 10)
PURE = np.array([[0.0, -0.5], [0.5, 0.0]])  # value 0, at the first vertices
LOSSES = np.array([0.0, 0.5, 0.5, 0.5])
CHUNK, BLOCK = 1 << 18, 1 << 12


def batch_means(rng: np.random.Generator, mean: FloatArray, batch: int, shape: tuple[int, ...]) -> FloatArray:
    """Means of batches of independent payoffs +-1 of these means, shape ``shape`` and then that of the means."""
    return np.asarray(2 * rng.binomial(batch, (1 + mean) / 2, (*shape, *mean.shape)) / batch - 1)


def anytime_excess(n: int, runs: int, rng: np.random.Generator) -> FloatArray:
    """The excess risk of Algorithm 5's running average on linear losses, with Theorem 4.2's first-order parameters.

    Gradients of linear losses do not depend on where they are taken, and the output is the running average in the mean.
    """
    steps, length, samples = theorem_4_2("first-order", n, float(EPSILON), float(DELTA), LOSSES.size)
    game = Game(n=n, rows=LOSSES.size, columns=1)
    plan = anytime_plan.plan(game, anytime_plan.Params(EPSILON, DELTA, steps, length, samples, ReplaceOne))
    found = np.empty(runs)
    for run in range(runs):
        scores, total = np.zeros(LOSSES.size), np.full(LOSSES.size, 0.25)
        for first in range(0, steps - 1, CHUNK):
            gradients = batch_means(rng, LOSSES, plan.batches[0], (min(CHUNK, steps - 1 - first),))
            path = scores - plan.step_size * np.cumsum(gradients, axis=0)
            weights = np.exp(path - path.max(axis=1, keepdims=True))
            total += (weights / weights.sum(axis=1, keepdims=True)).sum(axis=0)
            scores = path[-1]
        found[run] = LOSSES @ total / steps
    return found


def saddle_gaps(plan: mirror_plan.Plan[ReplaceOne], runs: int, rng: np.random.Generator) -> FloatArray:
    """The gaps of Algorithm 1's outputs on records of mean ``PURE``, all runs side by side."""
    batch, samples = plan.batches[0], plan.vertices[0]
    scores, outputs = np.zeros((2, runs)), np.zeros((2, runs))  # of x and y: first vertex less second, and how often
    for start in range(0, plan.steps, BLOCK):
        p = batch_means(rng, PURE, batch, (min(BLOCK, plan.steps - start), runs))
        # from the second row and column, and from the first, to what the other player's share adds
        turned = np.stack([p[..., 1, 1] - p[..., 0, 1], p[..., 1, 0] - p[..., 1, 1]], axis=1)
        tilt = p[..., 0, 0] + p[..., 1, 1] - p[..., 0, 1] - p[..., 1, 0]
        turned, tilt = plan.step_size * turned, plan.step_size / samples * tilt
        for base, slant in zip(turned, tilt, strict=True):
            first = 1 / (1 + np.exp(-scores))
            outputs += rng.random((2, runs)) < first
            x, y = rng.binomial(samples, first)
            scores += base
            scores[0] -= slant * y
            scores[1] += slant * x
    points = [np.stack([played, plan.steps - played], axis=1) / plan.steps for played in outputs]
    return np.asarray((points[0] @ PURE).max(axis=1) - (points[1] @ PURE.T).min(axis=1))


def saddle_plan(n: int, steps: int, samples: int) -> mirror_plan.Plan[ReplaceOne]:
    game = Game(n=n, rows=2, columns=2)
    return mirror_plan.plan(game, mirror_plan.Params(EPSILON, DELTA, steps, samples, ReplaceOne))


def in_law(n: int, steps: int, samples: int, runs: int) -> float:
    """How many standard errors lie between the mean gaps of the simulation and of the reference on records."""
    plan, game = saddle_plan(n, steps, samples), Game(n=n, rows=2, columns=2, lipschitz=Fraction(2))
    quick = saddle_gaps(plan, 40 * runs, np.random.default_rng(0))
    found = []
    for seed in range(runs):
        records = game.read(sampled_game(n, PURE, seed))
        z = mirror_algorithm.run(game, plan, LiveCurator(records, ReplaceOne, np.random.default_rng(seed)))
        found.append(float((z[:2] @ PURE).max() - (PURE @ z[2:]).min()))
    error = math.hypot(quick.std() / math.sqrt(quick.size), np.std(found) / math.sqrt(runs))
    return abs(float(quick.mean()) - float(np.mean(found))) / error


def test_the_simulation_has_the_law_of_the_reference() -> None:
    """Four standard errors, on steps so long that the gap has moved."""
    assert in_law(n=600, steps=40, samples=3, runs=40) < 4


def test_planted_bug_a_simulation_of_the_opposite_game_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    honest = batch_means
    monkeypatch.setattr(
        "tests.test_saddle_rates.batch_means", lambda rng, mean, batch, shape: honest(rng, -mean, batch, shape)
    )
    assert in_law(n=600, steps=40, samples=3, runs=40) > 4


@pytest.mark.slow
def test_the_excess_of_theorem_4_2_falls_at_the_first_order_rate_of_table_1() -> None:
    """Log-log slope -2/5 over n from 2^21 to 2^25 at epsilon = 3.9; the interval excludes -1/2 by far."""
    sizes, rng = (1 << 21, 1 << 23, 1 << 25), np.random.default_rng(3)
    found = [anytime_excess(n, 4, rng) for n in sizes]
    values = [float(excess.mean()) for excess in found]
    errors = [float(excess.std(ddof=1)) / 2 for excess in found]
    measured, error = slope([float(n) for n in sizes], values, errors)
    assert error < 0.005
    assert abs(measured + 2 / 5) < 0.02 + 3 * error
    assert measured - 3 * error > -1 / 2 + 0.05


@pytest.mark.slow
def test_the_gap_of_theorem_3_1_falls_at_the_first_order_rate_of_table_1() -> None:
    """Eq. (5): slope -1/3 over n epsilon from 3 10^6 to 5 10^7; the interval excludes -2/5, the rate of Eq. (6)."""
    sizes, rng, values, errors = (800_000, 3_200_000, 12_800_000), np.random.default_rng(4), [], []
    for n in sizes:
        steps, samples = theorem_3_1("first-order", n, float(EPSILON), float(DELTA), 2 * math.log(2))
        gaps = saddle_gaps(saddle_plan(n, steps, samples), 12, rng)
        values.append(float(gaps.mean()))
        errors.append(float(gaps.std(ddof=1)) / math.sqrt(gaps.size))
    measured, error = slope([float(n) for n in sizes], values, errors)
    assert error < 0.01
    assert abs(measured + 1 / 3) < 0.02 + 3 * error
    assert measured - 3 * error > -2 / 5 + 0.01
