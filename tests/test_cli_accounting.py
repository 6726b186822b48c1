"""The accounting verbs as a shell sees them: exit codes, one line on standard error, JSON and nothing else."""

from __future__ import annotations

import json
import subprocess
import sys
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from dpref.cli import app
from dpref.privacy.closed_forms.gaussian import delta as gaussian_delta
from dpref.privacy.closed_forms.gaussian import epsilon as gaussian_epsilon
from dpref.privacy.events.expression import format_event, parse_event
from dpref.privacy.events.ledger import Ledger
from dpref.units import ReplaceOne

EVENT = "compose(gaussian(noise_multiplier=100), 10000)"
LEDGER = Ledger(parse_event(EVENT), ReplaceOne)
MILLIONTH = Fraction(1, 10**6)
REPLACE = ("--adjacency", "replace-one")


def call(*arguments: str) -> Result:
    return CliRunner().invoke(app, list(arguments))


def as_json(*arguments: str) -> dict[str, Any]:
    result = call(*arguments, "--json")
    assert result.exit_code == 0, result.stderr
    found: dict[str, Any] = json.loads(result.stdout)
    return found


def shell(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", "from dpref.cli import main; main()", *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False, cwd=Path(__file__).parents[1])


def test_certify_epsilon_is_rounded_outward() -> None:
    found = as_json("certify", EVENT, "--delta", "1e-6", *REPLACE)
    truth = gaussian_epsilon(LEDGER, MILLIONTH)
    low, high = (Fraction(found["epsilon"][end]) for end in ("lower", "upper"))
    assert low <= Fraction(truth.lower) <= Fraction(truth.upper) <= high
    assert high - low < Fraction(1, 10**12)
    assert {name: found[name] for name in ("event", "adjacency", "delta", "method", "slack")} == {
        "event": EVENT,
        "adjacency": "replace-one",
        "delta": "1/1000000",
        "method": "analytic Gaussian",
        "slack": "0",
    }
    assert found["precision"] >= 64


def test_certify_delta() -> None:
    found = as_json("certify", "compose(gaussian(100),1e4)", "--epsilon", "4", *REPLACE)
    truth = gaussian_delta(LEDGER, 4)
    assert Fraction(found["delta"]["lower"]) <= Fraction(truth.lower)
    assert Fraction(found["delta"]["upper"]) >= Fraction(truth.upper)
    assert (found["epsilon"], found["event"]) == ("4", EVENT)


def test_certify_prints_text() -> None:
    result = call("certify", EVENT, "--delta", "1/1000000", *REPLACE)
    assert result.exit_code == 0
    assert result.stdout.startswith("epsilon in [4.886554117, 4.886554118]\n")
    assert "replace-one" in result.stdout


def test_certify_one_accountant() -> None:
    found = as_json("certify", EVENT, "--delta", "1e-6", *REPLACE, "--accountant", "zcdp")
    assert found["method"].startswith("zCDP")
    assert found["epsilon"]["lower"] == "0"


def test_certify_the_sampled_event_of_the_readme() -> None:
    event = "compose(poisson(gaussian(noise_multiplier=1), rate=1/100), 1000)"
    arguments = ("--delta", "1e-6", "--adjacency", "add-or-remove-one", "--accountant", "renyi")
    found = as_json("certify", event, *arguments)
    assert found["event"] == event == format_event(parse_event(event))
    assert 2.1244 < float(found["epsilon"]["upper"]) < 2.44


@pytest.mark.parametrize(
    ("arguments", "upper"),
    [
        (("nonprivate()", "--delta", "1e-6", *REPLACE), "inf"),
        (("nonprivate()", "--epsilon", "3", *REPLACE), "1"),
        (("poisson(gaussian(1), rate=1/2)", "--delta", "1e-6", *REPLACE), "inf"),
        (("exponential(1)", "--delta", "1e-6", *REPLACE, "--accountant", "gaussian"), "inf"),
        (("exponential(1)", "--epsilon", "1", *REPLACE, "--accountant", "zcdp"), "1"),
    ],
)
def test_no_finite_bound_is_exit_code_3(arguments: tuple[str, ...], upper: str) -> None:
    result = call("certify", *arguments, "--json")
    assert result.exit_code == 3
    found = json.loads(result.stdout)
    quantity = "epsilon" if "--delta" in arguments else "delta"
    assert found[quantity]["upper"] == upper
    assert call("certify", *arguments).exit_code == 3


def test_an_unsupported_adjacency_is_said() -> None:
    result = call("certify", "poisson(gaussian(1), rate=1/2)", "--delta", "1e-6", *REPLACE)
    assert "not supported under replace-one adjacency" in result.stderr
    assert result.stdout == ""


BAD_USAGE = [
    ("certify", EVENT, "--delta", "1e-6"),
    ("certify", EVENT, *REPLACE),
    ("certify", EVENT, "--delta", "1e-6", "--epsilon", "1", *REPLACE),
    ("certify", EVENT, "--delta", "1e-6", "--adjacency", "swap"),
    ("certify", EVENT, "--delta", "0", *REPLACE, "--accountant", "pld"),
    ("certify", EVENT, "--delta", "2", *REPLACE),
    ("certify", EVENT, "--delta", "nan", *REPLACE),
    ("certify", EVENT, "--delta", "1e-9999999", *REPLACE),
    ("certify", EVENT, "--epsilon=-1", *REPLACE),
    ("certify", EVENT, "--delta", "1e-6", *REPLACE, "--accountant", "nobody"),
    ("certify", "gausian(1)", "--delta", "1e-6", *REPLACE),
    ("certify", "gaussian(?)", "--delta", "1e-6", *REPLACE),
    ("certify", "__import__('os').system('touch /tmp/x')", "--delta", "1e-6", *REPLACE),
    ("calibrate", "gaussian(1)", "--epsilon", "1", "--delta", "1e-6", *REPLACE),
    ("calibrate", "gaussian(?)", "--epsilon", "0", "--delta", "1e-6", *REPLACE),
    ("calibrate", "gaussian(?)", "--delta", "1e-6", *REPLACE),
    ("calibrate", "gaussian(?)", "--epsilon", "1", "--delta", "1e-6", *REPLACE, "--digits", "0"),
    ("crosscheck", "--peer", "nobody=/bin/sh"),
    ("crosscheck", "--peer", "dp-accounting=/bin/false"),
    ("crosscheck", "--grid", "none"),
    ("crosscheck", "--limit", "0"),
    ("bench", "accounting", "--repeat", "0"),
]


@pytest.mark.parametrize("arguments", BAD_USAGE, ids=" ".join)
def test_bad_usage_is_exit_code_2_without_a_traceback(arguments: tuple[str, ...]) -> None:
    result = call(*arguments)
    assert result.exit_code == 2, result.output
    assert isinstance(result.exception, SystemExit)
    assert "Traceback" not in result.output
    assert result.stdout == ""


@pytest.mark.parametrize(("delta", "rule"), [("1", "must be below 1"), ("-1e-9", "must not be negative")])
def test_a_delta_out_of_its_range_is_told_the_range_that_holds(delta: str, rule: str) -> None:
    result = call("certify", "laplace(1)", f"--delta={delta}", *REPLACE)
    assert result.exit_code == 2
    assert rule in result.stderr
    assert call("certify", "laplace(1)", "--delta=0", *REPLACE).exit_code == 0


@pytest.mark.slow
def test_a_mistake_is_one_line_in_a_real_shell() -> None:
    result = shell("certify", "compose(gaussian(1), 1e400)", "--delta", "1e-6", *REPLACE)
    assert result.returncode == 2
    assert result.stdout == ""
    assert (
        result.stderr
        == "dpref: EVENT, column 1, at 'compose(gaussian(1),': must not describe more than 1000000000000000 answers\n"
    )


def test_a_calibration_without_a_lower_end_is_answered_and_marked() -> None:
    event = "poisson(randomized_response(?), rate=.0238)"
    arguments = ("calibrate", event, "--epsilon", "1", "--delta", "1e-6", "--adjacency", "add-or-remove-one")
    result = call(*arguments)
    assert result.exit_code == 0
    assert result.stdout.startswith("epsilon = 4.29319 (not decided)\n")
    assert "no value beyond is known to spend too much" in result.stdout
    report = json.loads(call(*arguments, "--json").stdout)
    assert (report["value"], report["beyond"], report["decided"]) == ("4.29319", None, False)
    assert report["overspent"] is None


def test_calibrate() -> None:
    arguments = ("calibrate", "compose(gaussian(?), 1000)", "--epsilon", "1", "--delta", "1e-5", *REPLACE)
    found = as_json(*arguments)
    assert (found["value"], found["beyond"]) == ("117.973", "117.972")
    assert Fraction(found["spent"]["epsilon"]["upper"]) <= 1 < Fraction(found["overspent"]["epsilon"]["lower"])
    assert found["parameter"] == "noise_multiplier"
    assert found["event"] == "compose(gaussian(?), 1000)"
    assert as_json(*arguments, "--digits", "3")["value"] == "118"
    assert call(*arguments).stdout.startswith("noise_multiplier = 117.973\n")


def test_a_budget_that_nothing_meets_is_exit_code_3() -> None:
    result = call("calibrate", "compose(gaussian(1), ?)", "--epsilon", "1", "--delta", "1e-5", *REPLACE, "--json")
    assert result.exit_code == 3
    assert json.loads(result.stdout)["value"] is None
    assert result.stderr.startswith("dpref: no value of count")


@pytest.fixture
def no_peers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("dpref.crosscheck.peers.PEERS", ())


@pytest.mark.usefixtures("no_peers")
def test_crosscheck_without_peers_shows_what_is_certified(monkeypatch: pytest.MonkeyPatch) -> None:
    from dpref.crosscheck import cases

    monkeypatch.setattr(cases, "GRIDS", {"quick": cases.QUICK_GRID[:2]})
    result = call("crosscheck")
    assert result.exit_code == 0
    assert "[4.8865541, 4.8865542]" in result.stdout
    assert "no other accountant is installed" in result.stderr
    found = json.loads(call("crosscheck", "--json").stdout)
    assert [case["certified"]["method"] for case in found["cases"]] == ["analytic Gaussian"] * 2


@pytest.mark.usefixtures("no_peers")
def test_bench_accounting_shows_everyone_side_by_side(monkeypatch: pytest.MonkeyPatch) -> None:
    from dpref.bench import accounting, questions

    monkeypatch.setattr(accounting, "SAMPLED", accounting.GAUSSIAN[:1])
    monkeypatch.setattr(accounting, "accountants", accounting_front)
    plain = "ends('compose(gaussian(100), 10000)')"
    monkeypatch.setattr(questions, "QUESTIONS", (questions.Question("plain", plain, "1"),))
    result = call("bench", "accounting", "--repeat", "1")
    assert result.exit_code == 0, result.output
    assert "plain     [4.8865541, 4.8865541]" in result.stdout
    assert "not installed" in result.stdout
    assert "dpref: not installed, and left out: dp-accounting, prv-accountant" in result.stderr
    lines = result.stdout.splitlines()
    assert " ".join(lines[1].split()) == "accountant certified T = 1000 time T = 10000 time T = 100000 time"
    assert [line.split()[0] for line in lines[2:5]] == ["gaussian", "zcdp", "point"]
    report = json.loads(call("bench", "accounting", "--repeat", "1", "--json").stdout)
    assert [part["accountants"][0]["name"] for part in report[:2]] == ["gaussian", "gaussian"]
    assert report[2]["questions"][0]["dp-accounting PLD"]["note"] == "not installed"
    assert report[2]["questions"][0]["dpref"]["seconds"] > 0


def accounting_front() -> tuple[Any, ...]:
    from dpref.privacy.accountants import accountant_named

    return accountant_named("gaussian"), accountant_named("zcdp")
