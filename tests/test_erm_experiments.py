"""What the experiments of DP-ERM revisited run, certify and say, against plain re-computations."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from dpref.algorithms import svrg
from dpref.algorithms.declaration import AnyAlgorithm
from dpref.algorithms.forms import Form
from dpref.errors import InvalidArgumentError, PrecisionError
from dpref.experiments.dp_erm_revisited import appendix_a, bundled, hyperparameters, methods, peers
from dpref.experiments.dp_erm_revisited.surrogate import FEATURES, least_risk, planted_logistic
from dpref.kernels.twin import interpreted_run
from dpref.privacy.accountants import certify
from dpref.problems.datasets import Dataset
from dpref.problems.erm import ERMProblem
from dpref.problems.losses import Logistic
from dpref.reals import FloatArray
from dpref.units import ReplaceOne

SHAPE = methods.Shape(12, (3, 2), (4, 2), (6, 6), 2)


def gradient(theta: FloatArray, data: Dataset) -> FloatArray:
    margins = data.labels * (data.features @ theta)
    return np.asarray(-(data.labels / (1 + np.exp(margins))) @ data.features / data.n)


def epochs(plan: Any, data: Dataset, noise: FloatArray, indices: Any, ridge: float) -> list[FloatArray]:
    """Algorithms 1 and 2 straight from the paper, one index a step: the averages."""
    snapshot = x = np.zeros(FEATURES)
    found, k = [], 0
    for m in plan.lengths:
        x, full, points = x if plan.carry else snapshot, gradient(snapshot, data), []
        for _ in range(m):
            one = Dataset(data.features[indices[k]][None], data.labels[indices[k]][None])
            v = gradient(x, one) - gradient(snapshot, one) + full + plan.std * noise[k]
            x = (x - plan.step_size * v) / (1 + plan.step_size * ridge)
            points.append(x)
            k += 1
        snapshot = np.mean(points, axis=0)
        found.append(snapshot)
    return found


def tape(plan: Any) -> tuple[FloatArray, Any]:
    rng = np.random.default_rng(3)
    return rng.standard_normal((plan.steps, FEATURES)), rng.integers(SHAPE.records, size=plan.steps)


def own(task: methods.Task) -> Any:
    return methods.own_plan(methods.Row(task, task.title, Form.AS_PRINTED, Fraction(1)), SHAPE)


@pytest.mark.parametrize("task", methods.TASKS, ids=lambda task: task.name)
def test_what_is_drawn_are_the_averages_of_the_epochs(task: methods.Task) -> None:
    plan, data = own(task), planted_logistic(SHAPE.records)
    noise, indices = tape(plan)
    with interpreted_run("svrg"):
        points = svrg.ALGORITHM.trace(task.problem(SHAPE.records), data, plan, noise, indices).points
    expected = epochs(plan, data, noise, indices, float(task.ridge))
    np.testing.assert_allclose(methods.snapshots(plan, points), expected, atol=1e-12)
    # Planted bug: an average that counts where the epoch starts.
    shifted = [
        points[:-1][end - m : end].mean(axis=0) for end, m in zip(np.cumsum(plan.lengths), plan.lengths, strict=True)
    ]
    assert np.abs(np.array(shifted) - expected).max() > 1e-6


def test_the_steps_of_figure_1_are_those_of_barzilai_and_borwein() -> None:
    task = methods.TASKS[0]
    plan, data = own(task), planted_logistic(SHAPE.records)
    noise, indices = tape(plan)
    with interpreted_run("svrg"):
        found = methods.barzilai_borwein(task.problem(SHAPE.records), data, plan, noise, indices)
    m, here, step = plan.lengths[0], np.zeros(FEATURES), plan.step_size
    for s, average in enumerate(found):
        part = slice(s * m, (s + 1) * m)
        moved = replace(plan, step_size=step, lengths=(m,))
        snapshot, x, total = here, here, np.zeros(FEATURES)
        full = gradient(snapshot, data)
        for z, i in zip(noise[part], indices[part], strict=True):
            one = Dataset(data.features[i][None], data.labels[i][None])
            x = x - step * (gradient(x, one) - gradient(snapshot, one) + full + moved.std * z)
            x = x / (1 + step * float(task.ridge))
            total = total + x
        np.testing.assert_allclose(average, total / m, atol=1e-9)
        difference = average - here
        step = difference @ difference / (m * (difference @ (gradient(average, data) - full)))
        here = average


def test_gaps_are_measured_from_the_optimum() -> None:
    from scipy.optimize import minimize

    data = planted_logistic(300, 6)
    problem = ERMProblem(Logistic(), n=300, dimension=6, ridge=Fraction(1, 100))

    def risk(theta: FloatArray) -> float:
        losses = np.logaddexp(0, -data.labels * (data.features @ theta))
        return float(losses.mean() + 0.005 * theta @ theta)

    found = minimize(risk, np.zeros(6), jac=lambda x: gradient(x, data) + 0.01 * x, options={"gtol": 1e-10})
    assert abs(least_risk(problem, data) - found.fun) < 1e-12


def test_records_without_an_optimum_are_refused() -> None:
    data = Dataset(np.array([[0.5], [-0.5]]), np.array([1.0, -1.0]))
    with pytest.raises((PrecisionError, np.linalg.LinAlgError)):
        least_risk(ERMProblem(Logistic(), n=2, dimension=1), data)


def test_the_baseline_is_given_as_many_evaluations() -> None:
    for task in methods.TASKS:
        steps = methods.baseline_plan(methods.Row(task, methods.AS_LONG, Form.REPAIRED, Fraction(1)), SHAPE).steps
        most = methods.evaluations(task, SHAPE)
        assert steps * SHAPE.records <= most < (steps + 1) * SHAPE.records
        assert own(task).oracle_calls == most


def test_who_is_ahead_is_read_at_equal_evaluations() -> None:
    task = methods.TASKS[0]
    row = methods.Row(task, task.title, Form.REPAIRED, Fraction(1))
    found = {
        row.key: {"evaluations": [10, 20], "gaps": [[3.0, 3.0], [2.0, 2.0]]},
        row._replace(method=methods.GD).key: {"evaluations": [5, 20, 40], "gaps": [[9.0, 9.0], [2.5, 2.5], [0.1, 0.1]]},
    }
    assert appendix_a.gain(row, methods.GD, found) == (0.5, 0.0)


@pytest.mark.parametrize("algorithm", bundled.algorithms(), ids=lambda algorithm: algorithm.name)
def test_every_row_of_the_bundled_table_has_the_same_certified_epsilon(algorithm: AnyAlgorithm) -> None:
    public, epsilon = bundled.problem(), Fraction(1)
    grid = hyperparameters.grid(algorithm.name, public, epsilon)
    first, *_, last = grid.values()
    for params in (first, last):
        plan = algorithm.plan(public, params)
        ledger = algorithm.ledger(plan)
        assert ledger.adjacency is ReplaceOne
        upper = certify(ledger, delta=hyperparameters.DELTA).upper
        assert Fraction(9, 10) * epsilon < upper <= epsilon


def test_planted_bug_a_doubled_budget_spends_more_than_is_asked() -> None:
    algorithm = next(a for a in bundled.algorithms() if a.name == "dynamic-gradient-descent")
    params = hyperparameters.grid(algorithm.name, bundled.problem(), Fraction(1))["rate 0.99, T = 10, eta = 1"]
    plan = algorithm.plan(bundled.problem(), replace(params, budget=2 * params.budget))
    assert certify(algorithm.ledger(plan), delta=hyperparameters.DELTA).lower > 1


def test_an_algorithm_without_hyperparameters_is_refused_by_name() -> None:
    with pytest.raises(InvalidArgumentError, match=r"'new': .* add them to GRIDS in dpref\..*hyperparameters"):
        hyperparameters.grid("new", bundled.problem(), Fraction(1))
    assert {algorithm.name for algorithm in bundled.algorithms()} <= set(hyperparameters.GRIDS), (
        "an algorithm of the two papers has no hyperparameters: add them to GRIDS in "
        "dpref/experiments/dp_erm_revisited/hyperparameters.py"
    )
    assert {algorithm.paper for algorithm in bundled.algorithms()} == set(bundled.PAPERS)


def test_what_cannot_beat_the_majority_class_says_so() -> None:
    calm = {"accuracy": [0.6, 0.62, 0.61]}
    learns = {"accuracy": [0.9, 0.91, 0.9], "quiet": [0.95] * 3}
    hidden, useless = {**learns, "accuracy": [0.61, 0.6, 0.62]}, {"accuracy": [0.5] * 3, "quiet": [0.5] * 3}
    assert bundled.verdict(learns, calm) == ""
    assert "n is too small" in bundled.verdict(hidden, calm)
    assert "nor does it without noise" in bundled.verdict(useless, calm)


def test_the_majority_class_is_that_of_the_training_labels() -> None:
    training = Dataset(np.zeros((3, 1)), np.array([1.0, -1.0, -1.0]))
    test = Dataset(np.zeros((4, 1)), np.array([-1.0, 1.0, 1.0, 1.0]))
    assert peers.MAJORITY.accuracy(training, test, 0, {}, 0.0) == 0.25


def test_a_peer_that_is_not_installed_is_left_out_and_named(monkeypatch: pytest.MonkeyPatch) -> None:
    absent = replace(peers.PEERS[-1], name="absent", package="no_such_package.models", private=True)
    monkeypatch.setattr(bundled, "PEERS", (peers.MAJORITY, absent))
    shape = bundled.Shape((Fraction(1),), 2)
    names = [part.name for part in bundled.parts(shape)]
    assert not any("absent" in name for name in names)
    part = {"accuracy": [0.9, 0.9], "quiet": [0.9, 0.9], "chosen": "", "warnings": [], "epsilon": [1.0, 1.0]}
    report = bundled.report(
        shape, {**dict.fromkeys(names, part), "majority class": {"chosen": "", "accuracy": [0.6, 0.6]}}
    )
    assert "absent is left out: the package no_such_package is not installed." in report.notes


def test_without_its_noise_an_algorithm_answers_exactly() -> None:
    algorithm = next(a for a in bundled.algorithms() if a.name == "gradient-descent")
    params = hyperparameters.grid(algorithm.name, bundled.problem(), Fraction(1))["T = 10, eta = 1"]
    data = bundled.splits(1, other=False)
    theta = np.zeros(30)
    for _ in range(10):
        theta = theta - gradient(theta, data[0].training)
    plan = algorithm.plan(bundled.problem(), params)
    assert bundled.accuracies(algorithm, plan, data, quiet=True) == [bundled.accuracy(theta, data[0].test)]
