"""A user's neighbours: what one raw record can move, and planted bugs of the map, the plan and the run."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from functools import wraps
from typing import Any

import numpy as np
import pytest

from dpref.algorithms.gradient_descent import algorithm as descent
from dpref.algorithms.gradient_descent import plan as descent_plan
from dpref.algorithms.registry import ALGORITHMS
from dpref.curator import LiveCurator, RecordingCurator, ReplayingCurator
from dpref.errors import BudgetError, BudgetExceededError, InvalidArgumentError
from dpref.fitting import Bounds, Classes, Prepared, Range, fit, planned, prepare
from dpref.fitting import bounds as bounds_module
from dpref.reals import FloatArray
from dpref.units import ReplaceOne

TARGETS = (Classes("no", "yes"), Range(-2, 2))
WILD = np.array([1e300, -7.0])
ASK: dict[str, Any] = {"epsilon": 1, "delta": "1e-5", "adjacency": "replace-one"}


def bounds(target: Classes | Range = TARGETS[0], norm: str | None = None) -> Bounds:
    return Bounds([(0, 10), (-1, 1)], target, norm=norm)


def raw(n: int, target: Classes | Range = TARGETS[0], seed: int = 0) -> tuple[FloatArray, list[Any]]:
    """Records of which a fifth lies outside the bounds."""
    rng = np.random.default_rng(seed)
    features = rng.uniform([-1, -1.2], [11, 1.2], (n, 2))
    labels: list[Any] = [("yes" if x > 5 else "no") if isinstance(target, Classes) else x - 5 for x in features[:, 0]]
    return features, labels


def neighbour(features: FloatArray, target: list[Any], label: Any) -> tuple[FloatArray, list[Any]]:
    """The same with its first record replaced by one far outside the bounds."""
    return np.vstack([WILD, features[1:]]), [label, *target[1:]]


def others_moved(mapping: Callable[[FloatArray], FloatArray]) -> bool:
    """Whether another record's place depends on the first one."""
    features, target = raw(20)
    return not np.array_equal(mapping(features)[1:], mapping(neighbour(features, target, "no")[0])[1:])


@pytest.mark.parametrize("norm", [None, "1/2"])
def test_a_record_is_mapped_by_itself(norm: str | None) -> None:
    assert not others_moved(lambda features: bounds(norm=norm).within(features, Fraction(2)))


def test_planted_bug_bounds_that_are_taken_from_the_data_are_seen() -> None:
    def within(features: FloatArray) -> FloatArray:
        pairs = list(zip(features.min(axis=0).tolist(), features.max(axis=0).tolist(), strict=True))
        return Bounds(pairs, TARGETS[0]).within(features, Fraction(2))

    assert others_moved(within)


def moves(made: Prepared, other: Prepared) -> list[tuple[float, float]]:
    """How far each query moves between two tables, answers forced, and what is declared."""
    algorithm, problem, plan = made.preview.algorithm, made.preview.problem, made.preview.plan
    recording: Any = RecordingCurator(problem.read(made.data), ReplaceOne, np.random.default_rng(0))
    algorithm.run(problem, plan, recording)
    transcript = recording.transcript
    replay: Any = ReplayingCurator(problem.read(other.data), ReplaceOne, transcript, force="answers")
    algorithm.run(problem, plan, replay)
    pairs = zip(replay.queries, transcript.answers, strict=True)
    return [(float(np.linalg.norm(q - a.query)), float(a.sensitivity.value)) for q, a in pairs]


@pytest.mark.parametrize("target", TARGETS, ids=["classes", "range"])
@pytest.mark.parametrize("name", ["gradient-descent", "noisy-gradient-descent", "noisy-frank-wolfe"])
def test_no_raw_record_moves_a_query_beyond_its_declared_sensitivity(name: str, target: Classes | Range) -> None:
    features, labels = raw(30, target)
    settings: dict[str, Any] = {**ASK, "bounds": bounds(target), "loss": "squared", "radius": 3}
    if name == "gradient-descent":
        settings["steps"] = 5
    made = prepare(name, features, labels, **settings)
    far = "no" if isinstance(target, Classes) else 1e300
    other = prepare(name, *neighbour(features, labels, far), **settings)
    assert made.preview.plan == other.preview.plan
    found = moves(made, other)
    assert found
    assert all(moved <= declared * (1 + 1e-12) for moved, declared in found)
    assert max(moved for moved, _ in found) > 0


def test_planted_bug_a_map_that_neither_cuts_off_nor_shortens_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    features, target = raw(30)
    monkeypatch.setattr(bounds_module, "mapped", lambda values, middle, half: (values - middle) / half)
    monkeypatch.setattr(bounds_module, "scale_rows", lambda rows, index: rows)
    monkeypatch.setattr("dpref.fitting.scaling.scale_rows", lambda rows, index: rows)
    with pytest.raises(InvalidArgumentError, match="rows must have norm at most 1"):
        fit("gradient-descent", features, target, **ASK, bounds=bounds())


def test_planted_bug_a_numeric_target_that_is_not_cut_off_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    features, target = raw(30, TARGETS[1])
    monkeypatch.setattr(bounds_module, "mapped", lambda values, middle, half: (values - middle) / half)
    with pytest.raises(InvalidArgumentError, match=r"must lie in \[-1, 1\]"):
        fit("gradient-descent", features, target, **ASK, bounds=bounds(TARGETS[1]), loss="huber")


def test_planted_bug_a_plan_with_too_little_noise_does_not_run(monkeypatch: pytest.MonkeyPatch) -> None:
    honest = descent_plan.plan

    @wraps(honest)
    def planted(problem: Any, params: Any) -> Any:
        found = honest(problem, params)
        return replace(found, std=found.std * (1 - 2.0**-20))

    asked: list[object] = []
    monkeypatch.setattr(descent_plan, "plan", planted)
    monkeypatch.setattr(LiveCurator, "gaussian", lambda self, query, **_: asked.append(query))
    with pytest.raises(BudgetError, match="nothing runs"):
        fit("gradient-descent", *raw(100), **ASK, bounds=bounds())
    assert asked == []


def test_planted_bug_a_run_that_asks_once_more_releases_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    honest = ALGORITHMS["gradient-descent"]

    def planted(problem: Any, plan: Any, curator: Any) -> Any:
        descent.run(problem, replace(plan, steps=1), curator)
        return descent.run(problem, plan, curator)

    made = prepare("gradient-descent", *raw(100), **ASK, bounds=bounds(), steps=2)
    greedy = made._replace(preview=replace(made.preview, algorithm=replace(honest, run=planted)))
    with pytest.raises(BudgetExceededError, match="nothing is released"):
        greedy.run(seed=0)


def test_where_a_run_may_stop_early_the_whole_plan_is_charged() -> None:
    fitted = fit("adaptive-gradient-descent", *raw(300), **ASK, bounds=bounds(), rounds=3, seed=1)
    assert fitted.ledger != fitted.preview.ledger
    assert fitted.epsilon == fitted.preview.epsilon


def test_a_target_of_one_class_runs_like_any_other_as_a_refusal_would_tell() -> None:
    features, target = raw(50)
    plans = [fit("gradient-descent", features, labels, **ASK, bounds=bounds(), steps=1).plan for labels in (
        target, ["no"] * 50,
    )]  # fmt: skip
    assert plans[0] == plans[1]


def test_the_printed_form_runs_only_where_it_keeps_to_the_budget() -> None:
    printed: dict[str, Any] = {"form": "as-printed", "constant": 1, "steps": 3, "radius": 1}
    with pytest.raises(BudgetError, match="the plan spends"):
        planned("accelerated-mirror-descent", 1000, 2, **ASK, bounds=bounds(), **printed)


@pytest.mark.parametrize("index", [Fraction(2), math.inf])
@pytest.mark.parametrize("known", [{"features": None, "norm": "1"}, {"features": None, "norm": "1e-300"}, {
    "features": [(-1, 1)] * 2, "norm": "1e-320",
}], ids=["norm", "short norm", "columns and norm"])  # fmt: skip
def test_a_record_that_is_longer_by_far_is_shortened_like_any_other_and_nothing_is_said(
    known: dict[str, Any], index: Fraction | float
) -> None:
    """Warnings are errors here: one would tell that such a record is there."""
    rows = np.array([[3e300, 4e300], [-3e200, 4e200], [0.0, 0.0]])
    mapped = Bounds(**known, target=TARGETS[0]).within(rows, index)
    sizes = np.linalg.norm(mapped, ord=float(index), axis=1)
    assert np.allclose(sizes, [1, 1, 0], rtol=1e-9)
    ratio = 0.75 if known["features"] is None else 1.0
    assert np.allclose(mapped[:2, 0] / mapped[:2, 1], [ratio, -ratio], rtol=1e-9)


def test_an_error_of_the_run_shows_nothing_of_a_query() -> None:
    """Of a query's value, which has no noise yet, an error says the shape."""
    settings: dict[str, Any] = {**ASK, "bounds": bounds(), "regularisation": 1, "step_size": "1e99", "steps": 20}
    features, target = raw(50)
    rule = r"^gradient at x_\d = \(3,\): a query's value must be finite$"
    with np.errstate(all="ignore"), pytest.raises(InvalidArgumentError, match=rule):
        fit("gradient-descent", features, target, **settings)
