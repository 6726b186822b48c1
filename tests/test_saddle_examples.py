"""The paper's examples as problems of known value."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from dpref.algorithms.mirror_descent import plan as mirror_plan
from dpref.algorithms.mirror_descent.utility import gap_bound
from dpref.algorithms.registry import ALGORITHMS
from dpref.errors import InvalidArgumentError
from dpref.problems.games import duality_gap
from dpref.problems.known_optima import KnownGame, query_release, worst_group
from dpref.reals import FLOAT
from dpref.units import ReplaceOne

DELTA = Fraction(1, 10**5)
LAW = np.array([0.4, 0.1, 0.2, 0.3])


@pytest.mark.parametrize("known", [query_release(60, LAW, seed=1), worst_group(60, 3, seed=1)])
def test_the_value_of_an_example_is_known(known: KnownGame) -> None:
    """The solution secures the value, and the other player secures it too: exactly, with weights of dyadic sums."""
    known.problem.read(known.data)
    best = float((known.solution @ known.mean).max())
    assert best == pytest.approx(float(known.value), abs=1e-15)
    other = np.full(known.problem.columns, 1 / known.problem.columns)
    assert float((known.mean @ other).min()) == pytest.approx(float(known.value), abs=1e-15)
    gap = duality_gap(known.mean, known.solution, other)
    assert abs(gap) < Fraction(1, 2**48)
    worse = np.eye(known.problem.rows)[0]
    assert duality_gap(known.mean, worse, other) > Fraction(1, 10)


def test_the_records_have_the_populations_mean() -> None:
    """Five standard errors of 20,000 records, whose payoffs spread by at most 2."""
    for known in (query_release(20_000, LAW, seed=2), worst_group(20_000, 3, seed=2)):
        assert np.abs(known.data.payoffs.mean(axis=0) - known.mean).max() < 5 * 2 / math.sqrt(20_000)


def test_queries_are_closed_under_negation_and_bounded() -> None:
    known = query_release(20, np.full(8, 0.125), seed=0)
    queries = -known.mean  # of the uniform law, on which every query has mean zero
    half = queries.shape[1] // 2
    assert half == 3 + 3
    assert (queries[:, :half] == -queries[:, half:]).all()
    assert set(np.unique(queries)) == {-1.0, 1.0}
    assert np.abs(known.data.payoffs).max() == 2 == known.problem.lipschitz


def mean_gap(known: Callable[[int], KnownGame], params: mirror_plan.Params[Any], runs: int) -> tuple[float, float]:
    found = []
    for run in range(runs):
        game = known(run)
        plan = mirror_plan.plan(game.problem, params)
        noise = np.random.default_rng(run).gumbel(size=plan.draws // 2 * game.problem.dimension)
        point = ALGORITHMS["mirror-descent"].trace(game.problem, game.data, plan, noise).points[-1]
        found.append(float(duality_gap(game.mean, point[: game.problem.rows], point[game.problem.rows :])))
    return float(np.mean(found)), float(np.std(found) / math.sqrt(runs))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("known", "L0"),
    [(lambda seed: query_release(4000, LAW, seed), 2.0), (lambda seed: worst_group(4000, 3, seed), 1.0)],
)
def test_algorithm_1_solves_the_examples_within_the_bound(known: Callable[[int], KnownGame], L0: float) -> None:
    """Eq. (7) with its explicit constants, over 30 seeds; six standard errors, below the gap of the uniform start."""
    problem, steps = known(0).problem, 4000
    ell = math.log(problem.rows) + math.log(problem.columns)
    wanted = math.sqrt(2 * ell / (5 * steps)) / L0
    params = mirror_plan.Params(Fraction(60), DELTA, steps, 1, ReplaceOne, step_size=Fraction(wanted))
    tau = mirror_plan.plan(problem, params).step_size
    bound = gap_bound(FLOAT, L0, L0, ell, float(steps), tau, 0.0)
    found, error = mean_gap(known, params, 30)
    assert found - 6 * error > 0
    assert found + 6 * error < bound < 1.0


@pytest.mark.parametrize(
    "call",
    [
        lambda: query_release(0, LAW, seed=0),
        lambda: query_release(5, np.full(3, 1 / 3), seed=0),
        lambda: query_release(5, np.array([0.5, 0.6]), seed=0),
        lambda: query_release(5, np.array([1.5, -0.5]), seed=0),
        lambda: query_release(5, np.full(512, 1 / 512), seed=0),
        lambda: worst_group(5, 0, seed=0),
        lambda: worst_group(0, 5, seed=0),
    ],
)
def test_bad_input_is_refused(call: Callable[[], object]) -> None:
    with pytest.raises(InvalidArgumentError):
        call()
