"""An extra holds what its feature needs and no more, and whoever misses a package is told the extra that has it."""

from __future__ import annotations

import re
import sys
import tomllib
from pathlib import Path

import pytest
from typer.testing import CliRunner

from dpref.cli import app
from dpref.errors import MissingExtraError
from dpref.experiments import work
from dpref.experiments.catalogue import EXPERIMENTS
from dpref.experiments.experiment import AnyExperiment

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
EXTRAS: dict[str, list[str]] = PROJECT["optional-dependencies"]
PACKAGES = {"jinja2": "jinja2", "matplotlib": "matplotlib", "sklearn": "scikit-learn", "pyarrow": "pyarrow"}
DRAWS = ("figures", "experiments")  # with matplotlib
IMPORTED = re.compile(r"^ *(?:from|import) (jinja2|matplotlib)\b", re.MULTILINE)


def names(extra: str) -> set[str]:
    """Return the names of the packages that an extra installs."""
    return {re.split(r"[><=]", requirement)[0] for requirement in EXTRAS[extra]}


def test_a_report_with_its_plots_needs_no_matplotlib(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The claim has pictures of every kind: its scores, its curves and the strip that compares it."""
    for module in [name for name in sys.modules if name.partition(".")[0] == "matplotlib"]:
        monkeypatch.delitem(sys.modules, module)
    monkeypatch.setitem(sys.modules, "matplotlib", None)  # whoever imports it has an ImportError
    claim = "dp-erm-revisited/definition-3.4@as-printed-epsilon-1,replace-one"
    found = CliRunner().invoke(app, ["audit", claim, "--trials", "200", "--html", str(tmp_path / "one.html")])
    assert found.exit_code == 0, found.output
    assert (tmp_path / "one.html").read_text(encoding="utf-8").count("<svg") >= 3
    assert names("report") == {"jinja2"}


def test_only_pictures_of_experiments_are_drawn_with_matplotlib() -> None:
    found: dict[str, set[str]] = {"jinja2": set(), "matplotlib": set()}
    for path in (ROOT / "dpref").rglob("*.py"):
        for package in IMPORTED.findall(path.read_text(encoding="utf-8")):
            found[package].add(path.relative_to(ROOT / "dpref").with_suffix("").parts[0])
    assert found == {"jinja2": {"audit"}, "matplotlib": set(DRAWS)}


@pytest.mark.parametrize("experiment", EXPERIMENTS, ids=lambda e: e.name)
def test_the_extra_of_experiments_has_what_each_needs(experiment: AnyExperiment) -> None:
    assert {PACKAGES[package] for package in experiment.packages} <= names("experiments")


def test_who_misses_a_package_is_told_the_extra_that_has_it(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(work, "find_spec", lambda package: None)
    with pytest.raises(MissingExtraError, match=r"needs the package matplotlib: install dpref\[experiments\]"):
        work.prepared(EXPERIMENTS[0], "quick", tmp_path)
    told = re.compile(r"needs? [^\n]*?(jinja2|scikit-learn|pyarrow)[^\n]*?dpref\[(\w+)\]")
    seen = {}
    for path in (ROOT / "dpref").rglob("*.py"):
        for package, extra in told.findall(path.read_text(encoding="utf-8")):
            seen[package] = extra
            assert package in names(extra), path
    assert set(seen) == {"jinja2", "scikit-learn", "pyarrow"}


def test_the_readmes_first_command_asks_for_the_report_alone() -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    first = text.split("```sh\n")[1].split("\n```")[0]
    assert re.findall(r"\[([\w,]+)\]", first) == ["report"]
    assert first.endswith("--html report.html")
