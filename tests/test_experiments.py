"""The papers' experiments as commands: what is kept, what is refused, what the reports say."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest
from typer.testing import CliRunner

from dpref.cli import app
from dpref.errors import InvalidArgumentError, MissingExtraError
from dpref.experiments import pages, work
from dpref.experiments.catalogue import EXPERIMENTS, experiment_named
from dpref.experiments.dp_erm_revisited import bundled, methods
from dpref.experiments.dynamic_privacy_budget import figure_1, table_1, table_2
from dpref.experiments.dynamic_privacy_budget.network import TwoLayerNetwork, parameters, start
from dpref.experiments.experiment import SIZES, AnyExperiment, Experiment, Found, Panel, Part, Report, Table, curve
from dpref.experiments.private_online_frank_wolfe import figure_5_1, figure_5_2, figure_5_3, table_5_1
from dpref.experiments.private_online_frank_wolfe import methods as regression_methods
from dpref.experiments.private_online_frank_wolfe.regression import TableCell
from dpref.problems.erm import Records
from dpref.problems.losses import Logistic
from dpref.reals import FLOAT_ARRAY
from tests.effort import part


class Shape(NamedTuple):
    total: int


class Stopped(BaseException):
    """What a kill looks like from inside."""


def counting(done: list[str], stop_at: str = "") -> AnyExperiment:
    """An experiment that counts its work and may be stopped in the middle."""

    def one(name: str) -> Found:
        if name == stop_at:
            raise Stopped
        done.append(name)
        return {"value": float(name[1:])}

    def parts(shape: Shape) -> tuple[Part, ...]:
        names = [f"p{i}" for i in range(shape.total)]
        return tuple(Part(name, lambda name=name: one(name)) for name in names)  # type: ignore[misc]

    def report(shape: Shape, found: Mapping[str, Found]) -> Report:
        total = sum(part["value"] for part in found.values())
        lines = (curve("sum", [1.0], [[total]]),)
        return Report(Table(("sum",), ((str(total),),)), (Panel("t", "x", "y", lines),), f"The sum is {total}.")

    return Experiment(
        name="paper/item", title="t", printed="p", stands_in="s", shapes=dict.fromkeys(SIZES, Shape(4)),
        takes=dict.fromkeys(SIZES, "a second"), parts=parts, report=report,
    )  # fmt: skip


def test_what_was_finished_before_a_stop_is_not_computed_again(tmp_path: Path) -> None:
    done: list[str] = []
    folder = work.prepared(counting(done), "quick", tmp_path)
    with pytest.raises(Stopped):
        work.carry_out(counting(done, stop_at="p2"), "quick", folder, 1)
    assert done == ["p0", "p1"]
    found = work.carry_out(counting(done), "quick", folder, 1)
    assert done == ["p0", "p1", "p2", "p3"]
    assert list(found) == ["p0", "p1", "p2", "p3"]
    assert [part["value"] for part in found.values()] == [0.0, 1.0, 2.0, 3.0]


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGKILL])
def test_a_run_that_is_stopped_ends_at_once_and_goes_on_where_it_was(how: signal.Signals, tmp_path: Path) -> None:
    """A part that would take an hour is under way: nobody waits for it, and the one before it is kept."""
    script = f"""
import signal, sys, time
from dataclasses import replace
from dpref.cli import main
from dpref.experiments import catalogue
from dpref.experiments.experiment import Part
signal.signal(signal.SIGINT, signal.default_int_handler)
parts = (Part("first", lambda: {{"value": 1.0}}), Part("endless", lambda: time.sleep(3600) or {{}}))
plain = catalogue.experiment_named("dynamic-privacy-budget/table-1")
catalogue.experiment_named = lambda _: replace(plain, packages=(), parts=lambda _: parts)
sys.argv = ["dpref", "reproduce", "dynamic-privacy-budget/table-1", "--full", "--jobs", "1", "--out", {str(tmp_path)!r}]
main()
"""
    log = tmp_path / "dynamic-privacy-budget" / "table-1" / "full" / work.DONE
    with subprocess.Popen([sys.executable, "-c", script], stderr=subprocess.PIPE, text=True) as process:
        until = time.monotonic() + 60
        while time.monotonic() < until and not (log.exists() and '"first"' in log.read_text("utf-8")):
            time.sleep(0.05)
        process.send_signal(how)
        _, said = process.communicate(timeout=20)
    assert process.returncode == (130 if how == signal.SIGINT else -signal.SIGKILL)
    assert "takes about 4 hours" in said.splitlines()[0]
    assert ("the same command goes on" in said) == (how == signal.SIGINT)
    assert [list(json.loads(line)) for line in log.read_text("utf-8").splitlines()[1:]] == [["first"]]


def test_a_line_that_was_cut_off_counts_for_nothing(tmp_path: Path) -> None:
    done: list[str] = []
    folder = work.prepared(counting(done), "quick", tmp_path)
    work.carry_out(counting(done), "quick", folder, 1)
    log = folder / work.DONE
    log.write_text(log.read_text("utf-8")[:-5], encoding="utf-8")
    done.clear()
    assert work.carry_out(counting(done), "quick", folder, 1)["p3"] == {"value": 3.0}
    assert done == ["p3"]


def test_what_another_shape_left_is_not_used(tmp_path: Path) -> None:
    done: list[str] = []
    folder = work.prepared(counting(done), "quick", tmp_path)
    work.carry_out(counting(done), "quick", folder, 1)
    other = replace(counting(done), shapes=dict.fromkeys(SIZES, Shape(2)))
    done.clear()
    work.carry_out(other, "quick", folder, 1)
    assert done == ["p0", "p1"]


def test_threads_do_not_change_what_is_found(tmp_path: Path) -> None:
    found = [
        work.carry_out(counting([]), "quick", work.prepared(counting([]), "quick", tmp_path / str(jobs)), jobs)
        for jobs in (1, 3)
    ]
    assert found[0] == found[1]


def test_a_place_that_cannot_be_written_is_refused_before_the_work(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("kept", encoding="utf-8")
    with pytest.raises(InvalidArgumentError, match=r"out = .*cannot be written"):
        work.prepared(counting([]), "quick", tmp_path / "file")
    assert (tmp_path / "file").read_text("utf-8") == "kept"


def test_a_package_that_is_missing_is_named() -> None:
    with pytest.raises(MissingExtraError, match="paper/item needs the package no_such_package"):
        work.prepared(replace(counting([]), packages=("no_such_package",)), "quick", Path())


def test_a_file_is_there_whole_or_not_at_all(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("old", encoding="utf-8")
    with pytest.raises(TypeError):
        work.write(tmp_path / "a", 3)  # type: ignore[arg-type]
    assert [p.name for p in tmp_path.iterdir()] == ["a"]
    assert (tmp_path / "a").read_text("utf-8") == "old"


@pytest.mark.slow
@pytest.mark.parametrize("experiment", EXPERIMENTS, ids=lambda e: e.name)
def test_every_experiment_says_what_it_does(experiment: AnyExperiment) -> None:
    assert set(experiment.shapes) == set(experiment.takes) == set(SIZES)
    for shape in experiment.shapes.values():
        names = [part.name for part in experiment.parts(shape)]
        assert len(set(names)) == len(names)
    assert experiment.printed
    assert experiment.stands_in
    assert experiment.shapes["default"].seeds >= 15
    assert experiment_named(experiment.name) is experiment


TINY: dict[str, tuple[NamedTuple, str]] = {
    "dp-erm-revisited/appendix-a": (
        methods.Shape(400, (15, 5), (10, 3), (20, 20), 2, (Fraction(1),)),
        "that DP-SVRG beats DP-GD",
    ),
    "dp-erm-revisited/bundled": (bundled.Shape((Fraction(1),), 2), "algorithms beat the majority class"),
    "dynamic-privacy-budget/figure-1": (figure_1.Shape((60, 90), (10,), 5, 8, 3, 2), "where 4 is claimed"),
    "dynamic-privacy-budget/table-1": (table_1.Shape((1000, 10000), 5, 15), "where 4 is claimed"),
    "dynamic-privacy-budget/table-2": (table_2.Shape((1000, 10000), 5, 15), "stability block do not reproduce"),
    "private-online-frank-wolfe/figure-5.1": (figure_5_1.Shape(60, 6, 2), "Of the regret of arms at random the four"),
    "private-online-frank-wolfe/figure-5.3": (figure_5_3.Shape(((300, 5),), 2), "times the gradients"),
    "private-online-frank-wolfe/figure-5.2": (figure_5_2.Shape(300, 5, 2, sgd=True), "last SubOpt over the best"),
    "private-online-frank-wolfe/table-5.1": (
        table_5_1.Shape((1000,), (5,), 2, 0, sgd_certified=False),
        "lower risk in 1 of 1 cells as published, and in 0 with a noise that is private",
    ),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", part(TINY, 3, seed=23))
def test_a_small_shape_runs_and_reports(name: str) -> None:
    experiment, (shape, said) = experiment_named(name), TINY[name]
    found = {part.name: part.work() for part in experiment.parts(shape)}
    assert json.loads(json.dumps(found)) == found
    report = experiment.report(shape, found)
    assert all(len(row) == len(report.table.heads) for row in report.table.rows)
    svg = pages.figure(report, name)
    assert svg.startswith("<svg")
    assert said in report.sentence


def network(n: int = 6) -> tuple[TwoLayerNetwork, Records, np.ndarray]:
    rng = np.random.default_rng(0)
    made = TwoLayerNetwork(Logistic(), n=n, dimension=parameters(3, 4), clip=Fraction(1, 2), hidden=4)
    records = Records(3 * rng.standard_normal((n, 3)), np.where(rng.random(n) < 0.5, 1.0, -1.0))
    return made, records, start(3, 4, rng)


def differences(made: TwoLayerNetwork, records: Records, theta: np.ndarray, i: int) -> np.ndarray:
    """The gradient of one record's loss by central differences."""

    def loss(at: np.ndarray) -> float:
        return float(made.loss.value(FLOAT_ARRAY, made.scores(at, records.features[i : i + 1]), records.labels[i])[0])

    step = 1e-6
    return np.array([(loss(theta + step * e) - loss(theta - step * e)) / (2 * step) for e in np.eye(len(theta))])


def test_the_networks_gradient_is_the_mean_of_clipped_gradients() -> None:
    made, records, theta = network()
    rows = np.array([differences(made, records, theta, i) for i in range(made.n)])
    norms = np.linalg.norm(rows, axis=1)
    assert (norms > 0.5).any()
    assert (norms < 0.5).any()
    clipped = rows * np.minimum(1.0, 0.5 / norms)[:, None]
    np.testing.assert_allclose(made.mean_gradient(FLOAT_ARRAY, theta, records), clipped.mean(axis=0), atol=1e-8)


def test_planted_bug_a_norm_without_the_biases_breaks_the_clipping() -> None:
    made, records, theta = network(n=1)
    gradient = made.mean_gradient(FLOAT_ARRAY, theta, records)
    assert np.linalg.norm(gradient) <= 0.5 * (1 + 1e-12)
    row = differences(made, records, theta, 0)
    weights = np.delete(row, [*range(12, 16), 20])  # without both rows of biases
    assert np.linalg.norm(0.5 / np.linalg.norm(weights) * row) > 0.5 * (1 + 1e-3)


def test_the_command_lists_refuses_and_prints_json(tmp_path: Path) -> None:
    run = CliRunner().invoke
    assert run(app, ["reproduce"]).output.count("\n") == len(EXPERIMENTS)
    assert [e["name"] for e in json.loads(run(app, ["reproduce", "--json"]).output)] == [e.name for e in EXPERIMENTS]
    for arguments, rule in (
        (["no/such"], "experiment = 'no/such': must be one of"),
        ([EXPERIMENTS[0].name, "--quick", "--full"], "excludes --quick"),
        ([EXPERIMENTS[0].name, "--quick", "--jobs", "0"], "jobs = 0"),
    ):
        refused = run(app, ["reproduce", *arguments, "--out", str(tmp_path / "out")])
        assert refused.exit_code == 2
        assert rule in refused.output
    assert not (tmp_path / "out").exists()


@pytest.mark.slow
def test_the_command_leaves_a_figure_a_table_and_json(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("dpref.experiments.catalogue.EXPERIMENTS", (counting([]),))
    result = CliRunner().invoke(app, ["reproduce", "paper/item", "--quick", "--json", "--out", str(tmp_path)])
    assert result.exit_code == 0, result.output
    folder = tmp_path / "paper/item/quick"
    assert {p.name for p in folder.iterdir()} == {work.DONE, "figure.svg", "table.md", "result.json"}
    document = json.loads(result.stdout)
    assert document["sentence"] == "The sum is 6.0."
    assert document == json.loads((folder / "result.json").read_text("utf-8"))


def test_the_published_noise_of_table_5_1_is_that_of_the_print() -> None:
    """sigma_+ = 1074 at T = 1000, p = 1.5 (S = 8, kappa = 2): its root is drawn, and half of it for the halved loss."""
    level = float(np.sqrt(8 * 11**2 * 2 * np.log(11 * 1000) * 8**2))
    assert regression_methods.printed_std(TableCell(1000, 20, "1.5", 20), Fraction(16), 1000) == pytest.approx(
        np.sqrt(level) / 2
    )
    honest, slip = (
        regression_methods.tofw_plan(TableCell(1000, 20, "1.5", 20), mode, Fraction(1)).std
        for mode in ("private", "published")
    )
    assert honest > 5 * slip  # a planted bug would be a private mode that keeps the printed sampler


def test_a_step_of_noisy_sgd_is_that_of_the_whole_square() -> None:
    """On the halved loss the step is twice as long and the noise half as large: L = 4, radius 1, n = 1000."""
    plan = regression_methods.sgd_plan(TableCell(1000, 5, "inf", 5), "published", Fraction(2))
    assert plan.std == pytest.approx(np.sqrt(8 * 16 * np.log(1000)) / 2)
    assert plan.step_size == pytest.approx(2 * 2 * 1 / (4 * 1000) / max(np.sqrt(1000), np.sqrt(5 * np.log(1000))))
