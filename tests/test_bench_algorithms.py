"""The benchmark of algorithms: everyone is in it, on an instance of its kind, and the table says what was measured."""

from __future__ import annotations

import json
import os

import numpy as np
import pytest
from typer.testing import CliRunner

from dpref.algorithms.registry import ALGORITHMS
from dpref.bench import algorithms, instances
from dpref.bench.baselines import by_blocks, by_products, slopes_by_blocks, slopes_by_products
from dpref.bench.instances import KINDS, instance
from dpref.cli import app
from dpref.errors import InvalidArgumentError
from dpref.kernels import gradients, values
from dpref.kernels.records import Linear
from dpref.problems.bandit import LinearBandit
from dpref.problems.erm import ERMProblem
from dpref.units import AddOrRemoveOne

# Those that ask every record for its gradient: any other needs a public number of records.
FULL = tuple(name for name, of in ALGORITHMS.items() if AddOrRemoveOne in of.adjacencies)


@pytest.fixture(scope="module")
def lines() -> list[algorithms.Line]:
    return algorithms.benchmark(1000, 4, 1)


@pytest.mark.slow
def test_the_table_is_complete(lines: list[algorithms.Line]) -> None:
    """Every registered algorithm was measured, and those that ask for full gradients beside both baselines."""
    assert [line.algorithm for line in lines] == list(ALGORITHMS)
    assert tuple(line.algorithm for line in lines if line.over_best is not None) == FULL
    for line in lines:
        assert line.dimension == 4
        assert min(line.records, line.answers, line.gradients, line.reference, line.kernel, line.passes) > 0
        assert len(algorithms.texts(line)) == len(algorithms.HEADS)


@pytest.mark.slow
def test_gradients_are_counted_as_the_papers_do(lines: list[algorithms.Line]) -> None:
    """All records an answer; a round of adaptive noise asks for a norm and a step of one gradient.

    Boosting compares two of its three candidates with the first, by their losses.
    """
    found = {line.algorithm: line for line in lines}
    asked = {name: found[name].answers for name in FULL}
    for name in ("adaptive-gradient-descent", "stationary-point"):
        asked[name] = -(-asked[name] // 2)
    asked["dynamic-boosting"] -= 2
    for name in FULL:
        assert found[name].gradients == 1000 * asked[name]


@pytest.mark.slow
@pytest.mark.parametrize("d", [3, 40, 330])
@pytest.mark.parametrize("clip", [np.inf, 0.25])
def test_kernel_and_baselines_compute_one_gradient(d: int, clip: float) -> None:
    """Whether rows are folded or taken four at a time, with and without a last block that is not full."""
    rng = np.random.default_rng(d)
    for n in (gradients.BLOCK, gradients.BLOCK + 7):
        features, labels = rng.standard_normal((n, d)) / d**0.5, np.where(rng.standard_normal(n) > 0, 1.0, -1.0)
        features.flags.writeable = labels.flags.writeable = False  # as a problem's are: the kernels that are compiled
        problem, theta = Linear(features, labels, n, 0, 0.0, clip, 0.0, np.inf), rng.standard_normal(d)
        wanted = gradients.mean_gradient(problem, gradients.feature_norms(problem), theta)
        found = [by_products(problem, theta, 2), *(by_blocks(problem, theta, 2, fours) for fours in (True, False))]
        for gradient in found:
            np.testing.assert_allclose(gradient, wanted, rtol=0, atol=1e-12)
        assert np.abs(wanted).max() > 1e-3


@pytest.mark.slow
@pytest.mark.parametrize("d", [3, 40, 330])
def test_kernel_and_baselines_compare_points_alike(d: int) -> None:
    """Mean slopes from one point to two others, one of them cut off at the bound in part."""
    rng = np.random.default_rng(d)
    for n in (gradients.BLOCK, gradients.BLOCK + 7):
        features, labels = rng.standard_normal((n, d)) / d**0.5, np.where(rng.standard_normal(n) > 0, 1.0, -1.0)
        problem = Linear(features, labels, n, 0, 0.0, np.inf, 0.0, np.inf)
        compared = problem, rng.standard_normal((3, d)), np.array([2.0, 0.5]), 0.75
        wanted = values.mean_slopes(*compared)
        for found in (slopes_by_products(*compared), slopes_by_blocks(*compared)):
            np.testing.assert_allclose(found, wanted, rtol=0, atol=1e-12)
        assert np.abs(wanted).min() > 1e-4
        assert np.abs(wanted - values.mean_slopes(*compared[:3], np.inf)).max() > 1e-4


@pytest.mark.slow
def test_the_timed_instance_is_clipped_in_part() -> None:
    """Else the baselines would not do the kernel's work, or all records would do the same."""
    problem, data, _, _ = instance(KINDS[ERMProblem], 1000, 10)
    theta = np.random.default_rng(0).standard_normal(10)
    slopes = 1 / (1 + np.exp(data.labels * (data.features @ theta)))
    clipped = slopes * np.linalg.norm(data.features, axis=1) > float(problem.clip)
    assert 0.1 < clipped.mean() < 0.9


def test_the_records_fit_into_the_memory() -> None:
    for d in (1, *algorithms.DIMENSIONS):
        assert 8 * d * instances.records_within(instances.MEMORY, d, 10**6) <= instances.MEMORY
    assert instances.records_within(instances.MEMORY, 10, 10**6) == 10**6


def test_a_bandit_s_noise_fits_into_the_memory_as_well() -> None:
    """A user's noise is a symmetric matrix over all arms' parameters: with d of them 16 GB at d = 1000."""
    problem = instance(KINDS[LinearBandit], instances.LEAST, max(algorithms.DIMENSIONS)).problem
    side = problem.arms * problem.dimension + 1
    assert 8 * problem.n * side * (side + 1) // 2 <= instances.MEMORY


def test_the_bars() -> None:
    """Twenty times the reference, or two passes; and 1.3 times the better baseline."""
    slow = algorithms.Line("x", 1, 1, 1, 1, reference=1.0, kernel=1.0, passes=0.4, blas=0.7, loop=0.9)
    assert not slow.fast
    assert algorithms.texts(slow)[-1] == "no"
    assert algorithms.Line("x", 1, 1, 1, 1, reference=20.0, kernel=1.0, passes=0.4).fast
    close = algorithms.Line("x", 1, 1, 1, 1, reference=1.0, kernel=1.0, passes=0.5, blas=2.0, loop=0.8)
    assert close.fast
    assert close.over_best == 1.25
    assert algorithms.texts(close)[-1] == "yes"


def test_the_cores_are_given_back() -> None:
    before = os.sched_getaffinity(0)
    with algorithms.one_core():
        assert len(os.sched_getaffinity(0)) == 1
    assert os.sched_getaffinity(0) == before


@pytest.mark.slow
def test_the_verb_prints_a_table_a_dimension(monkeypatch: pytest.MonkeyPatch) -> None:
    chosen = {name: ALGORITHMS[name] for name in ("gradient-descent", "spider")}
    monkeypatch.setattr(algorithms, "ALGORITHMS", chosen)
    arguments = ["bench", "algorithms", "--records", "1000", "--dimension", "3", "--dimension", "2", "--repeat", "1"]
    result = CliRunner().invoke(app, arguments)
    assert result.exit_code == 0, result.output
    printed = result.stdout.splitlines()
    assert printed[1].split()[:3] == ["algorithm", "records", "answers"]
    assert [line.split()[0] for line in printed if line.endswith(("yes", "no"))] == 2 * list(chosen)
    report = json.loads(CliRunner().invoke(app, [*arguments, "--json"]).stdout)
    assert [(row["dimension"], row["algorithm"]) for row in report] == [(d, name) for d in (3, 2) for name in chosen]


def test_a_run_that_does_nothing_has_times_and_meets_no_bar() -> None:
    """KL Spider at a thousand records in ten dimensions: its floor exceeds the start's risk."""
    line = algorithms.measure(ALGORITHMS["spider"], 1000, 10, 1)
    assert (line.answers, line.gradients, line.over_memory, line.fast, line.over_best) == (0, 0, None, None, None)
    assert algorithms.texts(line)[8:] == ("-",) * 6
    assert algorithms.to_json([line])[0]["fast"] is None


def test_too_few_records_are_refused() -> None:
    with pytest.raises(InvalidArgumentError, match="n = 10"):
        algorithms.measure(ALGORITHMS["gradient-descent"], 10, 4, 1)
