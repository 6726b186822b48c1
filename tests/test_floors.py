"""A plan whose noise hides more than its start can lose says so before it starts, whatever the algorithm."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from dpref.algorithms import accelerated_mirror_descent
from dpref.algorithms.declaration import AnyAlgorithm
from dpref.algorithms.forms import Form
from dpref.algorithms.gradient_descent.utility import risk_bound
from dpref.experiments.dp_erm_revisited import bundled, peers
from dpref.experiments.dp_erm_revisited.hyperparameters import grid
from dpref.fitting import floors
from dpref.fitting.floors import floor_warning, step_floor
from dpref.reals import FLOAT
from dpref.units import ReplaceOne

LITTLE = Fraction(1, 50)  # no algorithm of the bundled table beats the majority class with it
BOTH_PAPERS = pytest.mark.parametrize("algorithm", bundled.algorithms(), ids=lambda algorithm: algorithm.name)


def first(algorithm: AnyAlgorithm, epsilon: Fraction) -> Any:
    """The plan of the first parameters of the bundled table's grid."""
    return algorithm.plan(bundled.problem(), next(iter(grid(algorithm.name, bundled.problem(), epsilon).values())))


def said(algorithm: AnyAlgorithm, epsilon: Fraction) -> str:
    return floor_warning(algorithm.name, bundled.problem(), first(algorithm, epsilon))


@BOTH_PAPERS
def test_with_little_privacy_budget_every_plan_says_that_n_is_too_small(algorithm: AnyAlgorithm) -> None:
    assert said(algorithm, LITTLE).startswith("n is too small: the noise's floor, ")
    assert said(algorithm, LITTLE).endswith(", exceeds the start's risk, 0.693")
    assert said(algorithm, Fraction(4)) == ""


@pytest.mark.slow
@BOTH_PAPERS
def test_what_does_not_beat_the_majority_class_has_said_so_in_its_plan(algorithm: AnyAlgorithm) -> None:
    """At budgets from none that suffices to one that does; the plan may be wrong on the safe side alone."""
    data = bundled.splits(15, other=False)
    calm = {"accuracy": [peers.MAJORITY.accuracy(*part, 0, {}, 0.0) for part in data]}
    ahead = []
    for epsilon in (LITTLE, Fraction(1, 20), Fraction(1, 5), Fraction(1)):
        found = bundled.accuracies(algorithm, first(algorithm, epsilon), data)
        ahead.append(bundled.verdict({"accuracy": found, "quiet": found, "warnings": []}, calm) == "")
        assert ahead[-1] or said(algorithm, epsilon)
    assert ahead[0] is False
    assert ahead[-1] is True


@pytest.mark.slow
def test_the_table_has_the_plan_s_word_before_the_run_and_the_verdict_after_it() -> None:
    shape = bundled.Shape((LITTLE,), 4)
    found = bundled.own("gradient-descent", LITTLE, shape)
    calm = bundled.peer(peers.MAJORITY.name, None, shape)
    assert found["warnings"][0].startswith("n is too small")
    assert bundled.verdict(found, calm).startswith("does not beat the majority class: n is too small")


@BOTH_PAPERS
def test_planted_bug_a_floor_of_nothing_says_nothing(algorithm: AnyAlgorithm, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(floors, "FLOORS", dict.fromkeys(floors.FLOORS, lambda *_: 0.0))
    assert (said(algorithm, LITTLE) == "") == (algorithm.name in floors.FLOORS)


def test_the_floor_of_steps_is_what_theorem_6_2_leaves_where_it_is_attained() -> None:
    """mu = L and steps of 1/L: whatever the start was, one step later the noise alone is left."""
    L, std, p = 4.0, 0.5, 3
    assert risk_bound(FLOAT, L, L, std**2, float(p), 7.0, 5) == pytest.approx(step_floor(1 / L, std, p), rel=1e-15)
    rng = np.random.default_rng(0)
    risks = L / 2 * ((rng.standard_normal((4000, p)) * std / L) ** 2).sum(axis=1)
    assert abs(risks.mean() - step_floor(1 / L, std, p)) < 5 * risks.std() / np.sqrt(4000)


def test_the_floor_of_mirror_steps_is_theorem_5_4_without_its_first_term() -> None:
    of = accelerated_mirror_descent.ALGORITHM
    plan = first(of, Fraction(1))
    floor = floors.FLOORS[of.name](bundled.problem(), plan)
    smoothness = float(bundled.problem().smoothness) * 10**2  # on the ball of radius 10
    start = 8 * smoothness * float(plan.mirror.most(np.array(plan.start)).mid()) / (plan.iterations + 1) ** 2
    assert plan.excess_bound == pytest.approx(start + floor, rel=1e-9)


def test_a_printed_plan_and_an_unknown_algorithm_are_not_judged() -> None:
    algorithm = bundled.algorithms()[0]
    plan = replace(first(algorithm, LITTLE), form=Form.AS_PRINTED)
    assert floor_warning(algorithm.name, bundled.problem(), plan) == ""
    assert floor_warning("no-such-algorithm", bundled.problem(), first(algorithm, LITTLE)) == ""
    assert plan.sensitivity.adjacency is ReplaceOne
