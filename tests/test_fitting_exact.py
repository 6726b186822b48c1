"""A paper's algorithm on one's own data with exact noise: what is certified is what the gridded curator counts."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

from dpref.cli import app
from dpref.curator import GriddedCurator
from dpref.errors import BudgetError, BudgetExceededError, InvalidArgumentError
from dpref.fitting import Bounds, Classes, exact, fit, planned
from dpref.privacy.accountants import certify
from dpref.reals import FloatArray
from dpref.reals import exact as exactly

BOUNDS = Bounds([(0, 10), (-1, 1)], Classes("no", "yes"))
ASK: dict[str, Any] = {"epsilon": 1, "delta": "1e-5", "adjacency": "replace-one", "bounds": BOUNDS}
EXACT: dict[str, Any] = {**ASK, "noise": "gridded", "evaluation_error": "1e-9"}
RUN: dict[str, dict[str, Any]] = {
    "gradient-descent": {},
    "dynamic-sgd": {"batch": 50},
    "noisy-frank-wolfe": {},
    "online-frank-wolfe": {},
}


def table(n: int) -> tuple[FloatArray, list[str]]:
    features = np.random.default_rng(0).uniform([0, -1], [10, 1], (n, 2))
    return features, ["yes" if x > 5 else "no" for x in features[:, 0]]


@pytest.mark.slow
@pytest.mark.parametrize("name", RUN)
def test_what_was_planned_is_what_the_curator_counted_and_keeps_to_the_budget(name: str) -> None:
    features, target = table(300)
    fitted = fit(name, features, target, **EXACT, **RUN[name], radius=5)
    assert fitted.ledger == fitted.preview.ledger
    assert "gridded_gaussian(" in str(fitted.ledger)
    assert "noise_multiplier" not in str(fitted.ledger)  # nothing was answered with continuous noise
    assert certify(fitted.ledger, delta=Fraction(1, 10**5)).upper <= fitted.epsilon.upper <= 1
    floating = planned(name, 300, 2, **ASK, **RUN[name], radius=5)
    assert fitted.epsilon.upper > 0.98 * floating.epsilon.upper  # what exactness costs


def test_every_answer_lies_on_the_grid(monkeypatch: pytest.MonkeyPatch) -> None:
    answers: list[FloatArray] = []
    released = GriddedCurator._released

    def noted(self: Any, integers: Any, sigma: Any) -> FloatArray:
        answers.append(released(self, integers, sigma))
        return answers[-1]

    monkeypatch.setattr(GriddedCurator, "_released", noted)
    fitted = fit("gradient-descent", *table(100), **EXACT, steps=2)
    assert fitted.preview.exactly is not None
    grid = fitted.preview.exactly.grid
    assert len(answers) > 2  # two of the run, after those of the plan's rehearsals on null records
    assert all((exactly(x) / grid).denominator == 1 for answer in answers for x in answer)
    assert grid * 2**20 < fitted.plan.sensitivity.value


def test_a_seed_repeats_a_run_and_is_warned_of() -> None:
    one, same, other = (fit("gradient-descent", *table(100), **EXACT, steps=2, seed=s) for s in (1, 1, None))
    assert np.array_equal(one.answer, same.answer)
    assert not np.array_equal(one.answer, other.answer)
    assert one.warnings
    assert not other.warnings


def test_the_plan_says_how_noise_is_drawn_and_what_is_declared() -> None:
    found = planned("gradient-descent", 1000, 2, **EXACT, steps=2)
    assert "\nexact       discrete, on a grid of 2^-3" in str(found)
    assert "declared: doubles within 1/1000000000" in str(found)
    assert "last bits are not protected" not in str(found)
    assert "declared by you" in found.warnings[-1]
    document = found.to_json()["exact_noise"]
    assert Fraction(document["evaluation_error"]) == Fraction(1, 10**9)
    assert planned("gradient-descent", 1000, 2, **ASK, steps=2).to_json()["exact_noise"] is None


@pytest.mark.parametrize(
    ("name", "given", "said"),
    [
        pytest.param("svrg", {}, "not for svrg here: it asks for noise that is not", marks=pytest.mark.slow),
        ("adaptive-gradient-descent", {}, "decides by its answers how many to ask"),
        pytest.param("polyhedral-frank-wolfe", {}, "chooses among candidates", marks=pytest.mark.slow),
        ("dynamic-sgd", {"sampling": "poisson", "adjacency": "zero-out", "batch": 10}, "Poisson batches"),
    ],
)
def test_an_algorithm_whose_noise_is_not_exact_is_refused_by_name(name: str, given: Any, said: str) -> None:
    with pytest.raises(InvalidArgumentError, match=said) as caught:
        planned(name, 100, 2, **{**EXACT, **given})
    assert caught.value.argument == "noise"


def test_the_error_of_the_doubles_is_the_users_word_and_has_no_default() -> None:
    with pytest.raises(InvalidArgumentError, match="evaluation_error = None: must be given for exact noise"):
        planned("gradient-descent", 100, 2, **ASK, noise="gridded")
    with pytest.raises(InvalidArgumentError, match="evaluation_error = '1e-9': is for"):
        planned("gradient-descent", 100, 2, **ASK, evaluation_error="1e-9")
    with pytest.raises(InvalidArgumentError, match="noise = 'exact': must be one of floating, gridded"):
        planned("gradient-descent", 100, 2, **ASK, noise="exact")
    with pytest.raises(InvalidArgumentError, match="recorded"):
        fit("gradient-descent", *table(100), **EXACT, steps=2, recorded=True)


def test_planted_bug_an_error_that_is_not_accounted_would_run() -> None:
    """Doubles that may be wrong by as much as a record moves the mean: no noise of the plan covers that."""
    with pytest.raises(BudgetError, match="nothing runs"):
        planned("gradient-descent", 1000, 2, **{**EXACT, "evaluation_error": "1e-2"}, steps=2)


def test_a_refusal_for_the_declared_error_says_so() -> None:
    with pytest.raises(BudgetError, match=r"evaluation_error that you declare, 1/100, is 20.* times the sensitivity"):
        planned("gradient-descent", 2000, 2, **{**EXACT, "evaluation_error": "1e-2"}, steps=2)
    with pytest.raises(BudgetError) as caught:  # where rounding alone is too much, nothing of the user's is blamed
        planned("gradient-descent", 100, 2, **{**EXACT, "epsilon": "1e-12", "evaluation_error": 0}, steps=2)
    assert "evaluation_error" not in str(caught.value)


def test_a_private_number_of_records_is_rehearsed_on_one_and_a_public_one_that_is_too_large_is_refused() -> None:
    private = Bounds([(0, 10), (-1, 1)], Classes("no", "yes"), records=10**12)
    added = {**EXACT, "bounds": private, "adjacency": "add-or-remove-one", "evaluation_error": "1e-20"}
    assert planned("gradient-descent", 10**12, 2, **added, steps=2).epsilon.upper <= 1
    for many in (10**15, 10**18, 10**30):
        with pytest.raises(InvalidArgumentError, match="too many: a plan with exact noise is rehearsed"):
            planned("gradient-descent", many, 2, **EXACT, steps=2)


def test_planted_bug_a_plan_that_is_certified_for_continuous_noise_releases_nothing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(exact, "_observed", lambda found, how: found.ledger)
    with pytest.raises(BudgetExceededError, match="nothing is released"):
        fit("gradient-descent", *table(100), **EXACT, steps=2)


def test_the_command_line_runs_with_exact_noise(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    rows = "\n".join(f"{i % 7},{'yes' if i % 7 > 3 else 'no'}" for i in range(100))
    Path("t.csv").write_text(f"a,y\n{rows}\n")
    Path("b.json").write_text('{"features": {"a": [0, 7]}, "target": {"classes": ["no", "yes"]}}')
    words = ["run", "gradient-descent", "--data", "t.csv", "--target", "y", "--bounds", "b.json", "--epsilon", "1"]
    words += ["--delta", "1e-5", "--adjacency", "replace-one", "--set", "steps=2", "--exact-noise"]
    found = CliRunner().invoke(app, [*words, "--evaluation-error", "1e-9", "--json"])
    assert found.exit_code == 0, found.output
    assert json.loads(found.stdout)["plan"]["exact_noise"]["evaluation_error"] == "1/1000000000"
    assert "gridded_gaussian" in json.loads(found.stdout)["ledger"]
    for more, argument in (([], "evaluation_error"), (["--evaluation-error", "0", "--transcript", "r"], "transcript")):
        refused = CliRunner().invoke(app, [*words, *more])
        assert refused.exit_code == 2
        assert f"dpref: {argument} = " in refused.stderr
