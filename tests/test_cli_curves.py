"""The curves on the command line: values that may be left out, JSON, and the picture."""

from __future__ import annotations

import json
import re
from fractions import Fraction
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import pytest
from typer.testing import CliRunner, Result

from dpref.cli import app
from dpref.cli.curves import points
from dpref.errors import InvalidArgumentError
from tests.test_tutorials import blocks, shows, typed

LAPLACE = ("certify", "laplace(1)", "--adjacency", "zero-out")
SVG = "{http://www.w3.org/2000/svg}"


def call(*arguments: str) -> Result:
    return CliRunner().invoke(app, list(arguments))


def as_json(*arguments: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(call(*arguments, "--json").stdout)
    return found


def test_points_that_are_given() -> None:
    found = as_json(*LAPLACE, "--profile", "-1/2,0,1/2", "--tradeoff", "0:1:3")
    assert found["profile"]["epsilons"] == ["-1/2", "0", "1/2"]
    assert found["tradeoff"]["alphas"] == ["0", "1/2", "1"]
    assert set(found["profile"]["directions"]) == {"removed", "added"}
    low, high = (Fraction(found["profile"][end][2]) for end in ("lower", "upper"))
    assert low <= high <= low + Fraction(1, 10**12)
    assert abs(float(low) - 0.2211992169285951) < 1e-12
    assert "epsilon" not in found


def test_points_that_are_chosen() -> None:
    """The options may stand without a value, before the event or at the end."""
    result = call("certify", "--profile", "randomized_response(1)", "--adjacency", "replace-one", "--tradeoff")
    assert result.exit_code == 0, result.stderr
    assert len(result.stdout.splitlines()) > 80
    assert call(*LAPLACE, "--tradeoff=").exit_code == 2


def test_a_question_beside_a_curve() -> None:
    found = as_json(*LAPLACE, "--delta", "1e-6", "--gdp")
    assert set(found) >= {"epsilon", "gdp", "delta"}
    assert float(found["gdp"]["lower"]) <= 1.0300639970228077 <= float(found["gdp"]["upper"]) < 1.0302
    assert found["gdp"]["range"]["delta"] == "0"
    assert "for all epsilons" in call(*LAPLACE, "--gdp").stdout


def test_the_picture_has_a_panel_a_curve(tmp_path: Path) -> None:
    path = tmp_path / "curves.svg"
    result = call(*LAPLACE, "--profile", "--tradeoff", "--plot", str(path))
    assert result.exit_code == 0, result.stderr
    root = ET.fromstring(path.read_text(encoding="utf-8"))  # noqa: S314 - our own file
    panels = root.findall(f"{SVG}svg")
    assert [panel.get("y") for panel in panels] == ["0", "290"]
    assert root.get("viewBox") == "0 0 420 580"
    for panel in panels:
        drawn = [line.get("points", "") for line in panel.iter(f"{SVG}polyline") if line.get("class") == "certified"]
        assert len(drawn[0].split()) > 20
        assert all(-1 <= float(x) <= 421 for x in re.findall(r"[-0-9.]+", drawn[0]))
    assert "laplace(scale=1) under zero-out" in path.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    "arguments",
    [
        ("--plot", "x.svg"),
        ("--profile", "1:2"),
        ("--profile", "0:1:1"),
        ("--profile", "1,,2"),
        ("--tradeoff", "0,2"),
        ("--tradeoff", "0,x"),
        ("--profile", "0;1"),
        ("--gdp", "--accountant", "pld"),
        ("--profile", "--epsilon", "1", "--delta", "1e-6"),
        (),
    ],
)
def test_bad_usage(arguments: tuple[str, ...]) -> None:
    result = call(*LAPLACE, *arguments)
    assert result.exit_code == 2
    assert len(result.stderr.splitlines()) == 1


@pytest.mark.parametrize(
    ("arguments", "rule"),
    [
        (("--delta", "1e-6", "--plot", "x.svg"), "--plot = 'x.svg': draws curves"),
        (
            ("--profile", "--plot", "nowhere/x.svg"),
            "--plot = 'nowhere/x.svg': must be a file in a folder that is there",
        ),
        (("--profile", "0:1:10001"), "with a count from 2 to 10000"),
    ],
)
def test_a_refusal_names_its_rule_before_anything_is_computed(arguments: tuple[str, ...], rule: str) -> None:
    result = call(*LAPLACE, *arguments)
    assert (result.exit_code, result.stdout) == (2, "")
    assert rule in result.stderr


def test_what_is_not_supported_is_exit_code_3() -> None:
    arguments = ("certify", "poisson(laplace(1), rate=1/2)", "--adjacency", "replace-one", "--profile", "0,1")
    result = call(*arguments, "--json")
    assert result.exit_code == 3
    assert "not supported under replace-one" in json.loads(result.stdout)["reason"]


def test_curves_for_which_there_is_no_time_are_no_bad_usage() -> None:
    event = "compose(gaussian(1), laplace(2))"
    words = ["certify", event, "--adjacency", "replace-one", "--gdp", "--profile", "0,1", "--limit", "0.001", "--json"]
    result = CliRunner().invoke(app, words)
    assert result.exit_code == 3
    assert "before anything was certified: the limit of time" in json.loads(result.stdout)["reason"]
    assert "a larger --limit may give more" in result.stderr


def test_ranges_are_exact() -> None:
    assert points("0:1:4", "--profile") == [Fraction(0), Fraction(1, 3), Fraction(2, 3), Fraction(1)]
    with pytest.raises(InvalidArgumentError, match="first:last:count"):
        points("0:1:1/2", "--profile")


PAGE = Path(__file__).parents[1] / "docs" / "events" / "curves.md"


@pytest.mark.slow
def test_the_commands_of_the_page_say_what_it_says(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    said, ran, compared = "", 0, 0
    for language, _, body in blocks(PAGE.read_text(encoding="utf-8")):
        if language == "sh":
            said, exited, expected = typed(body.strip())
            assert str(exited) == expected, said
            ran += 1
        elif language == "text":
            assert shows(said, body), said
            compared += 1
    assert (ran, compared) == (4, 3)
    assert (tmp_path / "curves.svg").exists()
