"""Figures 5.1 and 5.3 of the online Frank-Wolfe paper: whose regret is shown, and which points are timed."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from dpref.experiments.private_online_frank_wolfe import figure_5_1, figure_5_3
from dpref.experiments.private_online_frank_wolfe.figure_5_1 import CHANCE, METHODS, UCB, Shape, certified, runs, users
from dpref.experiments.private_online_frank_wolfe.methods import SFW, best
from dpref.experiments.private_online_frank_wolfe.regression import TableCell
from dpref.kernels.twin import interpreted_run

SMALL = Shape(400, 6, 2)


def last_regrets(name: str) -> Any:
    """The last regrets of a method over those of arms at random, with the kernels' own text."""
    with interpreted_run("linear_ucb"), interpreted_run("high_dimensional_bandit"):
        found = [np.array(runs(which, SMALL)["regret"]) for which in (name, CHANCE)]
    for paths in found:
        assert (np.diff(paths, axis=1) >= 0).all()
    return found[0][:, -1] / found[1][:, -1]


@pytest.mark.parametrize("name", ["DP-UCB, hardly any noise", "DP-HDB, hardly any noise"])
def test_with_hardly_any_noise_the_regret_is_below_that_of_arms_at_random(name: str) -> None:
    assert last_regrets(name).mean() < 0.7


def test_planted_bug_the_other_arm_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    honest = METHODS["DP-UCB, hardly any noise"]
    turned = honest._replace(learner=UCB._replace(actions=lambda *arguments: 1 - UCB.actions(*arguments)))
    monkeypatch.setitem(figure_5_1.METHODS, "DP-UCB, hardly any noise", turned)
    assert last_regrets("DP-UCB, hardly any noise").mean() > 1


def test_the_bandit_is_that_of_the_public_code() -> None:
    """Five entries alike of l_1 norm one, and users whose rewards keep their bound."""
    found = users(Shape(50, 20, 1), seed=3)
    assert ((found.truth > 0).sum(axis=1) == 5).all()
    assert np.allclose(found.truth.sum(axis=1), 1)
    found.problem.read(found.data)
    again = users(Shape(50, 20, 1), seed=3)
    assert np.array_equal(again.truth, found.truth)
    assert not np.array_equal(users(Shape(50, 20, 1), seed=4).truth, found.truth)


@pytest.mark.slow
def test_figure_5_3_shows_the_run_that_was_chosen() -> None:
    """The last SubOpt of the curve is that of the best scale's runs, and every run took some time."""
    size, shape = (300, 5), figure_5_3.Shape(((300, 5),), 2)
    part = figure_5_3.runs(SFW, "published", size, shape)
    chosen = best(SFW, TableCell(*size, "1.5", 5), "published", 2)
    assert part["scale"] == chosen["scale"]
    assert [path[-1] for path in part["paths"]] == chosen["subopt"]
    assert all(seconds > 0 for seconds in part["seconds"])


def test_beside_each_curve_stands_what_its_noise_certifiably_spends() -> None:
    """What is claimed of the repaired forms, hardly a bound where there is hardly noise, nothing of arms at random."""
    problem, spent = users(SMALL, 0).problem, {}
    for name, (learner, epsilon, change) in METHODS.items():
        spent[name] = certified(learner, learner.plan(problem, epsilon, change))
    assert None not in spent.values()
    for name in ("DP-HDB, repaired", "DP-UCB, the least noise"):
        assert 0.5 < (spent[name] or 0) <= 1
    assert min(spent[name] or 0 for name in spent if "hardly any" in name) > 1000
    assert spent[CHANCE] == 0


def test_planted_bug_half_the_noise_is_seen_in_the_certified_epsilon() -> None:
    learner, epsilon, change = METHODS["DP-UCB, the least noise"]
    plan = learner.plan(users(SMALL, 0).problem, epsilon, change)
    honest, halved = (certified(learner, replace(plan, std=plan.std / k)) for k in (1, 2))
    assert honest is not None
    assert halved is not None
    assert halved > 2 * honest
