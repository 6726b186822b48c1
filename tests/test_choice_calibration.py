"""Choices that spend as much as an accountant certifies: never more than the budget, and more than by zCDP."""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from dpref.algorithms import choice_calibration
from dpref.algorithms.choice_calibration import most_epsilon
from dpref.algorithms.registry import ALGORITHMS
from dpref.algorithms.synthetic_data import plan as synthetic_plan
from dpref.algorithms.variance_reduced_frank_wolfe import plan as tree_plan
from dpref.algorithms.variance_reduced_frank_wolfe import utility
from dpref.errors import InvalidArgumentError
from dpref.mechanisms.exponential import Law
from dpref.privacy.accountants import certify
from dpref.privacy.events.ledger import Event, Exponential, Ledger, NoisyMax, Repeat
from dpref.problems.examples import coin_queries
from dpref.problems.games import Game
from dpref.problems.known_optima import vertex_regression
from dpref.units import Adjacency, ReplaceOne, ZeroOut

ONE, DELTA = Fraction(1), Fraction(1, 10**6)
GAME = Game(n=1000, rows=4, columns=1, ramp=Fraction(2))


def choice(law: Law, epsilon: Fraction) -> Event:
    return Exponential(epsilon) if law == "gumbel" else NoisyMax(epsilon, "laplace")


@pytest.mark.parametrize("law", ["gumbel", "laplace"])
@pytest.mark.parametrize("count", [1, 7, 64])
@pytest.mark.parametrize("epsilon", [Fraction(1, 100), ONE, Fraction(20)])
def test_a_choice_spends_what_is_certified_and_no_thousandth_more(law: Law, count: int, epsilon: Fraction) -> None:
    found = most_epsilon(epsilon, DELTA, count, law)

    def spent(each: Fraction) -> float:
        return certify(Ledger(Repeat(choice(law, each), count), ReplaceOne), delta=DELTA).upper

    assert spent(found) <= epsilon
    assert spent(found * Fraction(1001, 1000)) > epsilon
    rho = (math.sqrt(epsilon + 6 * math.log(10)) - math.sqrt(6 * math.log(10))) ** 2
    assert found > math.sqrt(rho / count * (8 if law == "gumbel" else 2))  # by zCDP


@pytest.mark.parametrize("law", ["gumbel", "laplace"])
def test_two_ways_to_certify_laplace_choices_meet(law: Law, monkeypatch: pytest.MonkeyPatch) -> None:
    """Beyond the counts that are composed the Rényi curve decides: less, and by no more than a seventh."""
    composed = most_epsilon(ONE, DELTA, 50, law)
    monkeypatch.setattr(choice_calibration, "_COMPOSED", 0)
    most_epsilon.cache_clear()
    by_renyi = most_epsilon(ONE, DELTA, 50, law)
    most_epsilon.cache_clear()
    assert 6 / 7 * composed < by_renyi <= composed
    assert (by_renyi == composed) is (law == "gumbel")


@pytest.mark.parametrize("law", ["gumbel", "laplace"])
@pytest.mark.parametrize("adjacency", [ReplaceOne, ZeroOut])
def test_variance_reduced_frank_wolfe_has_less_noise_and_keeps_its_budget(law: Law, adjacency: type[Adjacency]) -> None:
    loose, tight = (
        tree_plan.plan(GAME, tree_plan.Params(ONE, DELTA, 3, 160, adjacency, law=law, calibration=how))
        for how in ("zcdp", "accountant")
    )
    assert all(few < 0.85 * many for few, many in zip(tight.scales, loose.scales, strict=True))
    assert certify(tree_plan.ledger(tight), delta=DELTA).upper <= 1
    assert replace(tight, scales=loose.scales) == loose  # nothing else moves


@pytest.mark.parametrize("adjacency", [ReplaceOne, ZeroOut])
def test_synthetic_data_makes_longer_steps_and_keeps_its_budget(adjacency: type[Adjacency]) -> None:
    problem = coin_queries(1000)
    loose, tight = (
        synthetic_plan.plan(problem, synthetic_plan.Params(ONE, DELTA, 50, 1, adjacency, Fraction(10), calibration=how))
        for how in ("zcdp", "accountant")
    )
    assert tight.step_size > 1.15 * loose.step_size
    assert 0.99 < certify(synthetic_plan.ledger(tight), delta=DELTA, accountant="renyi").upper <= 1
    wanted = synthetic_plan.plan(
        problem, synthetic_plan.Params(Fraction(50), DELTA, 50, 1, adjacency, calibration="accountant")
    )
    assert wanted.step_size == pytest.approx(math.sqrt(math.log(problem.queries) / 100))  # no more than the error wants


@pytest.mark.parametrize("law", ["gumbel", "laplace"])
def test_planted_bug_a_count_of_half_the_choices_breaks_the_budget(law: Law, monkeypatch: pytest.MonkeyPatch) -> None:
    honest = most_epsilon
    for module in (tree_plan, synthetic_plan):
        monkeypatch.setattr(module, "most_epsilon", lambda e, d, count, law: honest(e, d, -(-count // 2), law))
    tree: Any = tree_plan.plan(
        GAME, tree_plan.Params(ONE, DELTA, 3, 160, ReplaceOne, law=law, calibration="accountant")
    )
    assert certify(tree_plan.ledger(tree), delta=DELTA, accountant="renyi").upper > 1
    params = synthetic_plan.Params(ONE, DELTA, 50, 1, ReplaceOne, Fraction(10), calibration="accountant")
    made = synthetic_plan.plan(coin_queries(1000), params)
    assert certify(synthetic_plan.ledger(made), delta=DELTA).lower > 1


@pytest.mark.slow
def test_the_bound_with_the_lesser_noise_is_lower_and_holds_at_a_known_optimum_over_thirty_seeds() -> None:
    """Six standard errors, as of the closed form (`test_variance_reduced_frank_wolfe`), from the same parameters."""
    problem = vertex_regression(400_000, 4, seed=0).problem
    loose = utility.tuned(problem, ONE, DELTA, ReplaceOne)
    chosen = tree_plan.plan(problem, replace(loose, calibration="accountant"))
    bound, found = utility.excess_bound(problem, chosen), []
    for run in range(30):
        _, data, excess = vertex_regression(problem.n, problem.rows, seed=run)
        noise = np.random.default_rng(1000 + run).gumbel(size=chosen.steps * problem.rows)
        trace = ALGORITHMS["variance-reduced-frank-wolfe"].trace(problem, data, chosen, noise)
        found.append(excess(trace.points[-1]))
    mean, error = float(np.mean(found)), float(np.std(found) / math.sqrt(30))
    assert mean - 6 * error > 0
    assert mean + 6 * error < bound < utility.excess_bound(problem, tree_plan.plan(problem, loose)) < 0.15


def test_another_calibration_is_refused_by_name() -> None:
    for params, more in ((tree_plan.Params, (3, 160)), (synthetic_plan.Params, (50, 1))):
        make: Any = params
        with pytest.raises(InvalidArgumentError, match=r"^calibration = 'exact': must be one of"):
            make(ONE, DELTA, *more, ReplaceOne, calibration="exact")
