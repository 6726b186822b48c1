"""The utility theorems of vertex sampling, on games whose value is known."""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from dpref.algorithms.bias_reduced_mirror_descent import plan as bias_reduced_mirror_descent_plan
from dpref.algorithms.bias_reduced_mirror_descent.utility import theorem_3_14
from dpref.algorithms.forms import Form
from dpref.algorithms.mirror_descent import plan as mirror_descent_plan
from dpref.algorithms.mirror_descent.utility import gap_bound, theorem_3_1
from dpref.algorithms.registry import ALGORITHMS
from dpref.mechanisms.truncated_geometric import draw_levels
from dpref.problems.games import Game, duality_gap, sampled_game
from dpref.reals import FLOAT, FloatArray
from dpref.units import ReplaceOne
from tests.effort import LONG, part
from tests.slopes import slope

DELTA = Fraction(1, 10**5)
PURE = np.array([[0.0, -0.5], [0.5, 0.0]])  # a pure saddle point, the first vertices, and value 0
PENNIES = np.array([[0.9, -0.9], [-0.9, 0.9]])  # matching pennies: uniform, value 0


def gaps(name: str, mean: FloatArray, plan: Any, runs: int, seed: int) -> tuple[float, float]:
    """Mean gap of the output in the population's game, and its standard error; fresh records for every run."""
    rng, found = np.random.default_rng(seed), []
    n = sum(plan.batches)
    problem = Game(n=n, rows=mean.shape[0], columns=mean.shape[1])
    size = (plan.draws // 2) * sum(mean.shape)
    for run in range(runs):
        data = sampled_game(n, mean, seed=1000 * seed + run)
        output = ALGORITHMS[name].trace(problem, data, plan, rng.gumbel(size=size)).points[-1]
        found.append(float(duality_gap(mean, output[: mean.shape[0]], output[mean.shape[0] :])))
    return float(np.mean(found)), float(np.std(found) / math.sqrt(runs))


def first(n: int, epsilon: Fraction, steps: int, samples: int = 1, **more: Any) -> Any:
    params = mirror_descent_plan.Params(epsilon, DELTA, steps, samples, ReplaceOne, **more)
    return mirror_descent_plan.plan(Game(n=n, rows=2, columns=2), params)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("mean", "steps"), part([(PURE, 500), (PENNIES, 2000), (PENNIES, 500), (PURE, 2000)], 2, seed=1)
)
def test_theorem_3_1_bounds_the_gap_with_its_explicit_constants(mean: FloatArray, steps: int) -> None:
    """Eq. (7), K = 1: the budget allows the step that the regret wants; the bound is well below the trivial 4 L0.

    Six standard errors, so a true bound fails with probability below 1e-8.
    """
    ell = 2 * math.log(2)
    wanted = math.sqrt(2 * ell / (5 * steps))
    plan = first(20_000, Fraction(12), steps, step_size=Fraction(wanted))
    assert plan.step_size == pytest.approx(wanted)
    bound = gap_bound(FLOAT, 1.0, 1.0, ell, float(steps), plan.step_size, 0.0)
    found, error = gaps("mirror-descent", mean, plan, 30, seed=steps)
    assert found - 6 * error > 0
    assert found + 6 * error < bound < 0.6


@pytest.mark.slow
def test_the_gap_of_theorem_3_1_falls_with_the_root_of_n_epsilon() -> None:
    """Eq. (7): log-log slope -1/2 over n at epsilon = 3.9, with its interval; T, K, tau are those of the theorem.

    The privacy term is the active one: T = n epsilon / sqrt(ell ln(1/delta)) is below n.

    The smallest size still remembers the start (a gap of 1/2), hence the 0.05.
    """
    sizes, values, errors = [], [], []
    for k, n in enumerate((32_000, 128_000, 512_000)):
        steps, samples = theorem_3_1("quadratic", n, 3.9, float(DELTA), 2 * math.log(2))
        found, error = gaps("mirror-descent", PURE, first(n, Fraction(39, 10), steps, samples), 4, seed=k)
        sizes.append(float(n))
        values.append(found)
        errors.append(error)
    found, error = slope(sizes, values, errors)
    assert error < 0.02
    assert abs(found + 0.5) < 0.05 + 6 * error


@pytest.mark.slow
def test_the_printed_sign_does_not_solve_the_game() -> None:
    """E1: with the printed sign both players minimise; with the right one the gap is small."""
    plan = replace(first(20_000, Fraction(12), 2000), step_size=0.05)
    repaired, _ = gaps("mirror-descent", PURE, plan, 5, seed=1)
    printed, _ = gaps("mirror-descent", PURE, replace(plan, form=Form.AS_PRINTED), 5, seed=1)
    assert repaired < 0.06
    assert printed > 0.4


@pytest.mark.slow
def test_bias_reduced_sampling_solves_the_game_too() -> None:
    """Algorithm 3 with a step that the regret wants; the start has a gap of 1/2, the private step hardly moves."""
    levels = draw_levels(3, 2001, np.random.default_rng(0))
    params = bias_reduced_mirror_descent_plan.Params(
        Fraction(12), DELTA, Fraction(2000), 3, Fraction(1), levels, ReplaceOne
    )
    plan = bias_reduced_mirror_descent_plan.plan(Game(n=20_000, rows=2, columns=2), params)
    found, error = gaps("bias-reduced-mirror-descent", PURE, replace(plan, step_size=0.03), 10, seed=2)
    assert found + 6 * error < 0.2
    private, error = gaps("bias-reduced-mirror-descent", PURE, plan, 10, seed=3)
    assert 0.2 < private - 6 * error < 0.5


@LONG
@pytest.mark.slow
def test_the_gap_of_theorem_3_14_falls_as_the_theorem_says() -> None:
    r"""Log-log slope over n against that of $\ln(n)\sqrt{C/n}$, whose C grows with M; levels are drawn anew each run.

    Near the end of epsilon's range the budget is U = n/2 and the parameters are the theorem's; six standard errors.
    The interval excludes -1/3, the next rate of Table 1 (first-order smooth payoffs), and -1/2, this one's without its
    logarithms.
    """
    epsilon, delta, ell = Fraction(150), Fraction(1, 10**9), 2 * math.log(2)
    sizes, values, errors, rates = [], [], [], []
    for k, (n, runs) in enumerate(((2**14, 64), (2**17, 24), (2**20, 8))):
        given = theorem_3_14(n, float(epsilon), float(delta), ell, (1.0, 1.0, 0.0))
        assert given.stopping == n / 2
        found = []
        for run in range(runs):
            levels = draw_levels(given.truncation, n, np.random.default_rng((k, run)))
            alpha, step = Fraction(given.alpha), Fraction(given.step_size)
            params = bias_reduced_mirror_descent_plan.Params(
                epsilon, delta, Fraction(n, 2), given.truncation, alpha, levels, ReplaceOne, step_size=step
            )
            plan = bias_reduced_mirror_descent_plan.plan(Game(n=n, rows=2, columns=2), params)
            assert plan.step_size == given.step_size
            found.append(gaps("bias-reduced-mirror-descent", PURE, plan, 1, seed=100 * k + run)[0])
        sizes.append(float(n))
        values.append(float(np.mean(found)))
        errors.append(float(np.std(found, ddof=1) / math.sqrt(runs)))
        rates.append(math.log(n) * math.sqrt(given.C / n))
    measured, error = slope(sizes, values, errors)
    promised, _ = slope(sizes, rates, [0.0] * len(sizes))
    assert error < 0.004
    assert abs(measured - promised) < 6 * error
    assert -1 / 2 < measured - 6 * error < measured + 6 * error < -1 / 3
