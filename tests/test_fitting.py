"""A paper's algorithm on one's own data: public bounds, the plan before the run, what is certified after it."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import dpref
from dpref.errors import InvalidArgumentError
from dpref.fitting import Bounds, Classes, Range, fit, planned
from dpref.privacy.accountants import certify

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
    features, target = table(5000)
    fitted = fit(name, features, target, **ASK, seed=1)
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
    features, _ = table(5000)
    bounds = Bounds([(0, 10), (-1, 1)], Range(0, 20))
    fitted = fit("gradient-descent", features, 2 * features[:, 0], **{**ASK, "bounds": bounds}, loss="huber", seed=0)
    assert np.abs(fitted.decision(features) - 2 * features[:, 0]).mean() < 3
