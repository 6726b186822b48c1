"""A paper's algorithm on one's own data: public bounds, the plan before the run, what is certified after it."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import fields
from fractions import Fraction
from pathlib import Path
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
        for epsilon, delta in (
            ("1/10", "1e-5"),
            (Fraction(1, 10), Fraction(1, 10**5)),
            (0.1, 1e-5),
            (np.float32(0.1), np.float32(1e-5)),  # whose doubles print other decimals
        )
    ]
    assert all(plan == plans[0] for plan in plans)


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
        "Bandit", "LinearBandit", "Game", "Queries",
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


# ------------------------------------------------------------------------------------ what misleads


def test_a_seeded_run_says_that_its_noise_can_be_known() -> None:
    features, target = table(50)
    fresh, seeded = (fit("gradient-descent", features, target, **ASK, steps=2, seed=seed) for seed in (None, 0))
    assert (fresh.seeded, fresh.warnings, fresh.to_json()["warnings"]) == (False, (), [])
    assert seeded.seeded
    assert "whoever knows the seed, or tries seeds until one fits, knows the noise" in seeded.warnings[0]
    assert seeded.to_json()["warnings"] == list(seeded.warnings)


def test_the_noise_of_one_seed_cancels_between_two_runs_as_the_warning_says() -> None:
    features, target = table(50)
    others = ["no" if label == "yes" else "yes" for label in target]
    one, other = (fit("gradient-descent", features, labels, **ASK, steps=1, seed=0) for labels in (target, others))
    # The first gradient is odd in the labels: half the sum is the noise alone, half the difference has none.
    exact = np.array([*one.scaling.mapped(features).T @ [1.0 if label == "yes" else -1.0 for label in target]]) / 100
    assert np.allclose((one.answer - other.answer) / 2, one.plan.step_size * exact, atol=1e-12)
    assert "between two answers of one seed it cancels" in one.warnings[0]


def test_a_transcript_that_was_not_recorded_or_has_no_place_is_refused(tmp_path: Path) -> None:
    for recorded, place, message in ((False, "run.json", "fit with recorded=True"), (True, "none/run.json", "path = ")):
        fitted = fit("gradient-descent", *table(9), **ASK, steps=1, recorded=recorded)
        with pytest.raises(InvalidArgumentError, match=message):
            fitted.save_transcript(tmp_path / place)


def test_a_delta_that_allows_to_publish_records_is_warned_of() -> None:
    loose = planned("gradient-descent", 100, 2, **{**ASK, "delta": "1/100"})
    assert loose.warnings[0].startswith("delta = 0.01 is not below 1/n at n = 100: publishing whole records")
    tight = planned("gradient-descent", 100, 2, **{**ASK, "delta": "1/101"})
    assert not any("delta" in warning for warning in tight.warnings)


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    ("name", "settings", "argument"),
    [
        ("gradient-descent", {"steps": "1e30"}, "steps"),
        ("gradient-descent", {"steps": 10_000_001}, "steps"),
        ("svrg", {"inner": "1e99"}, "inner"),
        ("svrg", {"epochs": 4000, "inner": 4000}, "epochs"),  # each is few enough, and their product is not
        ("noisy-sgd", {"points": "1e9"}, "points"),
        ("adaptive-gradient-descent", {"rounds": "1.1e7"}, "rounds"),
    ],
)
def test_more_answers_than_can_be_run_are_refused_by_rule_and_mend(
    name: str, settings: dict[str, Any], argument: str
) -> None:
    """Such a plan was a traceback of the command line, and a call that never came back."""
    with pytest.raises(InvalidArgumentError, match=f"^{argument} = .*at most 10000000 answers .*take fewer"):
        planned(name, 300, 2, **ASK, radius=1, **settings)


@pytest.mark.parametrize(
    ("name", "settings"),
    [
        ("proximal-point", {"gamma": "1e300", "kappa": 2}),
        ("proximal-point", {"kappa": "1e99"}),
        ("spider", {"gamma": "1e300"}),
    ],
)
def test_numbers_beyond_the_doubles_are_refused_or_planned_and_never_a_traceback(
    name: str, settings: dict[str, Any]
) -> None:
    try:
        found = planned(name, 300, 2, **ASK, radius=1, regularisation="1/100", **settings)
    except (InvalidArgumentError, BudgetError) as error:
        assert any(word in str(error) for word in ("gamma", "kappa", "epsilon", "gap"))  # noqa: PT017 - either may be
    else:
        assert found.epsilon.upper <= 1


MISUSED: list[tuple[Callable[[], object], str]] = [
    (
        lambda: planned("svrg", 300, 2, **ASK, radius=1, regularisation="1e400"),
        "must lie between 1e-100 and 1e100 to be run in doubles",
    ),
    (lambda: Bounds((0, 10), BOUNDS.target), "bounds of column 1 = 0: must be a least and a largest value, such as"),  # type: ignore[arg-type]
    (lambda: Bounds({"age": 100}, BOUNDS.target), "bounds of age = 100: must be a least and a largest value"),  # type: ignore[dict-item]
    (lambda: Bounds(5, BOUNDS.target), "features = 5: must name or bound at least one column, such as"),  # type: ignore[arg-type]
    (lambda: planned("gradient-descent", 9, 2, **{**ASK, "bounds": None}), "bounds = None: must be Bounds: public"),
    (lambda: planned("gradient-descent", 9, 2, **ASK, loss=3), "loss = 3: must be one of logistic, squared, huber, or"),  # type: ignore[arg-type]
    (lambda: planned("gradient-descent", 9, 2, **ASK, intercept="no"), "intercept = 'no': must be true or false"),  # type: ignore[arg-type]
    (
        lambda: planned("gradient-descent", 9, 2, **ASK, intercept=np.ones(2)),  # type: ignore[arg-type]
        "intercept = array([1., 1.]): must be true or false",
    ),
    (lambda: fit("gradient-descent", [[1, 1]], None, **ASK), "target = 'NoneType': must have one label or number a"),  # type: ignore[arg-type]
    (lambda: fit("gradient-descent", [[1, 1]], "no", **ASK), "target = 'str': must have one label or number a record"),
    (lambda: fit("gradient-descent", [[10**400, 1]], ["no"], **ASK), "within the range of doubles"),
    (lambda: Range(0, 1).encoded([10**400]), "record 1: must be a finite number"),
    (
        lambda: fit("gradient-descent", np.ma.array([[1.0, 7.0]], mask=[[False, True]]), ["no"], **ASK),
        "features = (1, 2): must not have masked entries: they would be read",
    ),
]


@pytest.mark.parametrize(("call", "message"), MISUSED, ids=[message for _, message in MISUSED])
def test_misuse_is_named_with_its_rule(call: Callable[[], object], message: str) -> None:
    with pytest.raises(InvalidArgumentError, match=re.escape(message)):
        call()


def test_a_data_frame_whose_columns_are_not_in_the_order_of_the_bounds_is_refused() -> None:
    class Frame:
        def __init__(self, columns: list[str]) -> None:
            self.columns = columns

        def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
            return np.array([[1.0, 0.5]] * 4, dtype)

    named = Bounds({"age": (0, 10), "height": (0, 1)}, BOUNDS.target)
    ask = {**ASK, "bounds": named, "steps": 1, "seed": 0}
    assert fit("gradient-descent", Frame(["age", "height"]), ["no"] * 4, **ask).weights.shape == (2,)
    for use in (
        lambda frame: fit("gradient-descent", frame, ["no"] * 4, **ask),
        fit("gradient-descent", Frame(["age", "height"]), ["no"] * 4, **ask).decision,
    ):
        with pytest.raises(InvalidArgumentError, match="the columns that the bounds name, in their order: age, height"):
            use(Frame(["height", "age"]))


def test_where_the_number_of_records_is_private_a_promise_says_for_which_it_is() -> None:
    counted = Bounds(BOUNDS.columns, BOUNDS.target, records=100_000)
    ask = {**ASK, "delta": "1e-6", "bounds": counted, "regularisation": "1/100"}
    found = [planned("gradient-descent", 100_000, 2, **{**ask, "adjacency": name}) for name in (
        "add-or-remove-one", "replace-one",
    )]  # fmt: skip
    assert [preview.utility.promises for preview in found] == [True, True]
    told = ["the utility is that of a table of exactly 100000 records" in preview.warnings[0] for preview in found]
    assert told == [True, False]
