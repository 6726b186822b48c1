"""One's own accountant on the bench: asked in a process of its own, and judged by the certified intervals."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from dpref.cli import app
from dpref.crosscheck import cases
from dpref.crosscheck.calibrating import Target, judge, target_of
from dpref.crosscheck.cases import Case, gaussian_case
from dpref.crosscheck.compare import BELOW, HOLDS, NO_ANSWER, truth
from dpref.crosscheck.compare import judge as judged
from dpref.crosscheck.peers import Answer, own
from dpref.errors import InvalidArgumentError

ACCOUNTANTS = '''
import math


def zcdp(rate, noise_multiplier, steps, delta):
    """rho + 2 sqrt(rho ln(1/delta)), an upper bound."""
    rho = steps / (2 * noise_multiplier**2)
    return rho + 2 * math.sqrt(rho * math.log(1 / delta))


def without_rho(rate, noise_multiplier, steps, delta):
    return 0.5 * math.sqrt(2 * steps / noise_multiplier**2 * math.log(1 / delta))


def both(rate, noise_multiplier, steps, delta):
    return {"lower": 1e6, "upper": 1e7}


def estimate(rate, noise_multiplier, steps, delta):
    return {"estimate": 0.001}


def only_lower(rate, noise_multiplier, steps, delta):
    return {"lower": 1e-3}


def refuses(rate, noise_multiplier, steps, delta):
    raise ValueError("not today")


def words(rate, noise_multiplier, steps, delta):
    print("dpref-answer {}")
    return {"upper": "much"}


def noise(rate, steps, epsilon, delta):
    rho = (math.sqrt(epsilon + math.log(1 / delta)) - math.sqrt(math.log(1 / delta))) ** 2
    return math.sqrt(steps / (2 * rho))


def half_the_noise(rate, steps, epsilon, delta):
    return noise(rate, steps, epsilon, delta) / 2


class Box:
    zcdp = staticmethod(zcdp)
'''
GRID = (gaussian_case(1.0, 1000, 1e-6), gaussian_case(5.0, 10**5, 1e-10))


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    (tmp_path / "mine.py").write_text(ACCOUNTANTS, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setitem(cases.GRIDS, "quick", GRID)

    def call(function: str, *options: str) -> Result:
        return CliRunner().invoke(app, ["crosscheck", "--mine", f"mine:{function}", *options])

    return call


@pytest.mark.slow
@pytest.mark.parametrize(
    ("function", "code", "said"),
    [
        ("zcdp", 0, "holds"),
        ("Box.zcdp", 0, "holds"),
        ("without_rho", 1, "BELOW by"),
        ("both", 1, "its lower bound is ABOVE the truth"),
        ("estimate", 0, "BELOW by"),
        ("only_lower", 0, "(lower bound)"),
        ("refuses", 3, "no answer: ValueError: not today"),
        ("words", 3, "no answer: ValueError"),
    ],
)
def test_the_exit_code_says_what_the_table_shows(run: Any, function: str, code: int, said: str) -> None:
    result = run(function)
    assert result.exit_code == code, result.output
    assert said in result.stdout
    assert "is looked for in" in result.stderr


@pytest.mark.slow
def test_a_calibration_is_certified(run: Any) -> None:
    assert run("noise", "--direction", "calibrate").exit_code == 0
    wrong = run("half_the_noise", "--direction", "calibrate", "--json")
    assert wrong.exit_code == 1
    rows = json.loads(wrong.stdout)
    assert {row["verdict"] for row in rows} == {"below"}
    assert all(float(row["certified"]["lower"]) > row["epsilon"] for row in rows)
    assert run("refuses", "--direction", "calibrate").exit_code == 3


@pytest.mark.slow
def test_json_has_the_own_accountant_alone(run: Any) -> None:
    document = json.loads(run("zcdp", "--json").stdout)
    assert [peer["name"] for peer in document["peers"]] == ["mine"]
    assert [a["verdict"] for case in document["cases"] for a in case["answers"]] == ["holds", "holds"]


@pytest.mark.parametrize("target", ["mine", "mine:", ":zcdp", "mine:no such", "mine.py:zcdp()"])
def test_what_is_no_target_is_refused(target: str) -> None:
    result = CliRunner().invoke(app, ["crosscheck", "--mine", target])
    assert result.exit_code == 2
    assert "must be package.module:function" in result.stderr


@pytest.mark.slow
@pytest.mark.parametrize("target", ["no_such_module:f", "math:no_such_function"])
def test_what_cannot_be_imported_is_refused(target: str) -> None:
    with pytest.raises(InvalidArgumentError, match="no_such"):
        own(target)


def test_calibration_needs_an_accountant() -> None:
    result = CliRunner().invoke(app, ["crosscheck", "--direction", "calibrate"])
    assert result.exit_code == 2
    assert "--direction" in result.stderr


def test_a_lower_bound_alone_is_judged() -> None:
    case = GRID[0]
    assert judged(case, "x", Answer(), truth(case)).verdict == NO_ANSWER
    assert judged(case, "x", Answer(lower=1.0), truth(case)).verdict == HOLDS
    assert judged(case, "x", Answer(lower=1e3), truth(case)).lower_fails


def test_noise_is_judged_at_its_budget() -> None:
    target = target_of(GRID[0])
    assert target is not None
    assert target.epsilon == 4.89
    assert [judge(target, Answer(upper=s)).verdict for s in (1.0, 31.0, 32.0)] == [BELOW, BELOW, HOLDS]
    assert [judge(target, Answer(upper=s)).verdict for s in (0.0, float("inf"))] == [NO_ANSWER] * 2
    assert judge(Target(Case(1.0, 1.0, 1, 0.5), 1e-9), Answer(problem="none")).verdict == NO_ANSWER
