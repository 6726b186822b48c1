"""A paper's algorithm on one's own data: public bounds, the plan before the run, what is certified after it."""

from __future__ import annotations

from dataclasses import fields
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import dpref
from dpref.algorithms.registry import ALGORITHMS
from dpref.errors import BudgetError, InvalidArgumentError
from dpref.fitting import Bounds, Classes, Range, fit, planned, prepare, runnable_algorithms
from dpref.fitting.parameters import largest_budget
from dpref.fitting.problems import runnable
from dpref.privacy.accountants import certify
from dpref.reals import FLOAT_ARRAY

BOUNDS = Bounds([(0, 10), (-1, 1)], Classes("no", "yes"))
ASK: dict[str, Any] = {"epsilon": 1, "delta": "1e-5", "adjacency": "replace-one", "bounds": BOUNDS}


def table(n: int, seed: int = 0) -> tuple[np.ndarray[Any, Any], list[str]]:
    rng = np.random.default_rng(seed)
    features = rng.uniform([0, -1], [10, 1], (n, 2))
    return features, ["yes" if x > 5 else "no" for x in features[:, 0]]


def test_a_run_is_certified_to_keep_to_its_budget_by_the_ledger_that_the_curator_counted() -> None:
    fitted = fit("gradient-descent", *table(2000), **ASK, seed=1)
    again = certify(fitted.ledger, delta=Fraction(1, 10**5))
    assert fitted.ledger.adjacency is dpref.ReplaceOne
    assert (fitted.epsilon.lower, fitted.epsilon.upper) == (again.lower, again.upper)
    assert again.upper <= 1


@pytest.mark.parametrize("name", ["gradient-descent", "dynamic-gradient-descent"])
def test_the_answer_tells_the_classes_apart(name: str) -> None:
    features, target = table(1500)
    fitted = fit(name, features, target, **ASK, steps=60, seed=1)
    inside = features @ fitted.weights + fitted.intercept
    assert np.allclose(inside, fitted.decision(features))
    assert np.mean((inside > 0) == (np.array(target) == "yes")) > 0.9


def test_budgets_may_be_text_fractions_or_floats_and_mean_the_same() -> None:
    plans = [
        planned("gradient-descent", 100, 2, **{**ASK, "epsilon": epsilon, "delta": delta}).plan
        for epsilon, delta in (("1/10", "1e-5"), (Fraction(1, 10), Fraction(1, 10**5)), (0.1, 1e-5))
    ]
    assert plans[0] == plans[1] == plans[2]


def test_a_real_run_draws_fresh_entropy_and_a_seed_repeats_it() -> None:
    runs = [fit("gradient-descent", *table(100), **ASK, steps=3, seed=seed).answer for seed in (None, None, 5, 5)]
    assert not np.array_equal(runs[0], runs[1])
    assert np.array_equal(runs[2], runs[3])


def test_an_algorithm_that_takes_no_table_is_refused_with_those_that_do() -> None:
    with pytest.raises(InvalidArgumentError, match="those that do: gradient-descent"):
        planned("mirror-descent", 100, 2, **ASK)


def test_an_adjacency_that_nobody_analysed_is_refused() -> None:
    with pytest.raises(InvalidArgumentError, match="svrg is analysed under replace-one, zero-out alone"):
        planned("svrg", 100, 2, **{**ASK, "adjacency": "add-or-remove-one"})


def test_under_add_or_remove_one_the_bounds_give_the_number_of_records() -> None:
    ask = {**ASK, "adjacency": "add-or-remove-one"}
    with pytest.raises(InvalidArgumentError, match="the number of records is private"):
        fit("gradient-descent", *table(100), **ask)
    counted = Bounds(BOUNDS.columns, BOUNDS.target, records=1000)
    plans = [fit("gradient-descent", *table(n), **{**ask, "bounds": counted}, steps=2).plan for n in (10, 100)]
    assert plans[0] == plans[1]


def test_a_numeric_target_comes_back_in_its_own_unit() -> None:
    features, _ = table(1500)
    bounds = Bounds([(0, 10), (-1, 1)], Range(0, 20))
    fitted = fit(
        "gradient-descent", features, 2 * features[:, 0], **{**ASK, "bounds": bounds}, loss="huber", steps=60, seed=0
    )
    assert np.abs(fitted.decision(features) - 2 * features[:, 0]).mean() < 3


FEW = {
    "steps": 3, "epochs": 1, "inner": 2, "batch": 16, "points": 4, "iterates": 5, "rounds": 2, "gamma": 1, "kappa": 2,
}  # fmt: skip
SLOW = {"local-mirror-descent", "noisy-sgd", "polyhedral-frank-wolfe"}


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=[pytest.mark.slow] * (name in SLOW)) for name in runnable_algorithms()]
)
def test_every_algorithm_for_a_table_runs_within_its_budget_under_each_of_its_adjacencies(name: str) -> None:
    algorithm = runnable(name)
    few: dict[str, Any] = {k: v for k, v in FEW.items() if k in {field.name for field in fields(algorithm.params)}}
    counted = Bounds(BOUNDS.columns, BOUNDS.target, records=16)
    for adjacency in algorithm.adjacencies[:1] if name in SLOW else algorithm.adjacencies:
        ask: dict[str, Any] = {"epsilon": 8, "delta": "1e-2", "adjacency": adjacency, "bounds": counted, "radius": 4}
        features, target = table(16)
        fitted = fit(name, features, target, **ask, **few, seed=1)
        assert fitted.epsilon.upper <= 8
        assert fitted.epsilon.adjacency is fitted.ledger.adjacency is adjacency
        assert fitted.weights.shape == (2,)
        assert np.isfinite(fitted.decision(table(5)[0])).all()
        assert str(fitted.preview).startswith("algorithm")


def test_the_registry_alone_says_which_algorithms_take_a_table() -> None:
    assert {algorithm.kind.__name__ for name, algorithm in ALGORITHMS.items() if name not in runnable_algorithms()} == {
        "Bandit", "LinearBandit", "Game",
    }  # fmt: skip


@pytest.mark.parametrize(("name", "settings"), [
    ("gradient-descent", {"steps": 20}),
    ("dynamic-gradient-descent", {"steps": 20}),
    pytest.param("svrg-plus-plus", {"epochs": 4, "inner": 10, "batch": 400}, marks=pytest.mark.slow),
])  # fmt: skip
def test_the_promise_of_the_plan_is_kept(name: str, settings: dict[str, Any]) -> None:
    features, target = table(400)
    made = prepare(name, features, target, **{**ASK, "epsilon": 4}, regularisation="1/5", **settings)
    problem: Any = made.preview.problem
    records = problem.read(made.data)
    best = np.zeros(problem.dimension)
    for _ in range(400):
        best = best - 2 * problem.regularised(FLOAT_ARRAY, best, problem.mean_gradient(FLOAT_ARRAY, best, records))
    least = problem.objective(FLOAT_ARRAY, best, records)
    risks = [problem.objective(FLOAT_ARRAY, made.run(seed=seed).answer, records) - least for seed in range(10)]
    assert made.preview.utility.promises
    assert 0 < np.mean(risks) <= made.preview.utility.bound


def test_a_promise_that_says_less_than_the_start_is_called_none() -> None:
    rich, poor = (planned("gradient-descent", n, 2, **ASK, regularisation="1/100") for n in (100_000, 100))
    assert rich.utility.promises
    assert not any("no theorem promises" in warning for warning in rich.warnings)
    assert not poor.utility.promises
    assert poor.warnings[0] == "no theorem promises that the answer is better than the start, at n = 100"


def test_planted_bug_a_budget_that_was_never_found_within_epsilon_is_refused() -> None:
    with pytest.raises(BudgetError, match="no budget of this algorithm is certified to spend so little"):
        largest_budget(Fraction(1), lambda budget: 2.0, Fraction(1))


@pytest.mark.parametrize("n", range(5, 65, 3))
def test_the_least_noise_is_never_refused_for_a_last_bit(n: int) -> None:
    preview = planned("gradient-descent", n, 2, **ASK, intercept=False)
    assert 1 - 1e-9 < preview.epsilon.upper <= 1
