"""The repository itself: what it promises a newcomer, and what must never slip into it."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tomllib
from datetime import date
from importlib.resources import files
from pathlib import Path
from pkgutil import resolve_name
from typing import Any
from urllib.parse import urlsplit

import pytest

import dpref
from dpref.audit.catalogue import catalogue
from dpref.version import DATE, VERSION

ROOT = Path(__file__).parents[1]
TOP = {
    ".ci",
    ".gitignore",
    ".pre-commit-config.yaml",
    "CHANGELOG.md",
    "CITATION.cff",
    "CONTRIBUTING.md",
    "LICENSE",
    "README.md",
    "SECURITY.md",
    "conftest.py",
    "docs",
    "dpref",
    "noxfile.py",
    "proofs",
    "property_tests",
    "pyproject.toml",
    "tests",
}
# Hosts of registries and their mirrors, and paths of a particular machine.
FOREIGN = re.compile(
    r"pypi\.org|pythonhosted|index-url|deb\.debian|registry\.npmjs|conda\.anaconda|/home/\w|/root/|/work/\w"
)


def tracked() -> list[Path]:
    """The committed files (and those about to be)."""
    result = subprocess.run(
        ["git", "ls-files", "-z", "--cached"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    if result.returncode != 0:
        pytest.skip("not a git checkout")
    return [path for name in result.stdout.split("\0") if name and (path := ROOT / name).is_file()]


def text_of(path: Path) -> str:
    return path.read_text(encoding="utf-8")


def project() -> dict[str, Any]:
    return tomllib.loads(text_of(ROOT / "pyproject.toml"))


# ------------------------------------------------------------------------------------ a newcomer's two commands


def readme_commands() -> list[str]:
    return re.findall(r"^```sh\n(.*?)^```$", text_of(ROOT / "README.md"), flags=re.DOTALL | re.MULTILINE)


def test_the_first_two_commands_of_the_readme_set_everything_up_in_one_line_each() -> None:
    main, tests, *_ = readme_commands()
    for command in (main, tests):
        assert command.count("\n") == 1
        assert command.startswith("python3 -m venv .venv && .venv/bin/pip install --quiet --upgrade pip && ")
    assert main.rstrip().endswith("&& .venv/bin/dpref audit --quick --html report.html")
    assert tests.rstrip().endswith("&& .venv/bin/pytest -n auto")


@pytest.mark.slow
def test_the_readmes_commands_for_ones_own_code_and_data_do_what_it_says(tmp_path: Path) -> None:
    _, _, mechanism, table = readme_commands()
    bin_folder = tmp_path / ".venv" / "bin"
    bin_folder.mkdir(parents=True)
    for name, words in (("python", ""), ("dpref", "-m dpref")):
        (bin_folder / name).write_text(f'#!/bin/sh\nexec "{sys.executable}" {words} "$@"\n', encoding="utf-8")
        (bin_folder / name).chmod(0o755)
    where = {**os.environ, "PYTHONPATH": str(ROOT)}
    ended = [
        subprocess.run(["bash", "-c", command], cwd=tmp_path, env=where, capture_output=True, text=True, check=False)
        for command in (mechanism, table)
    ]
    assert [e.returncode for e in ended] == [1, 0], [e.stderr for e in ended]
    assert "verdict    refuted" in ended[0].stdout
    assert "\nspent " in ended[1].stdout


def test_ci_runs_the_readmes_commands_and_not_copies_of_them(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(ROOT / ".ci"))
    import gate

    assert gate.readme_commands() == readme_commands()
    assert len(readme_commands()) == 4
    entry, script = text_of(ROOT / ".ci" / "run"), text_of(ROOT / ".ci" / "gate.py")
    assert entry.startswith("#!/usr/bin/env bash\n")
    assert "set -euo pipefail" in entry
    assert "gate.py" in entry
    assert not re.search(r"bin/pytest|--quick", script)


def gate_steps(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *versions: str) -> list[Any]:
    """The steps of the gate on a machine that has these versions of Python."""
    monkeypatch.syspath_prepend(str(ROOT / ".ci"))
    import gate

    return list(gate.Gate(tmp_path, dict.fromkeys(versions, Path(sys.executable)), tmp_path / "cache").steps())


def test_ci_has_the_readmes_commands_on_every_python_and_all_that_a_run_promises(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    steps = gate_steps(tmp_path, monkeypatch, "3.11", "3.12", "3.14")
    names = [step.name for step in steps]
    for version in ("3.11", "3.12", "3.14"):
        assert f"the README's commands, {version}" in names
    assert {"the fast tier, 3.12", "the fast tier, 3.14", "the lowest releases, 3.11", "Dask and joblib"} <= set(names)
    for step in steps:  # each waits for what comes before it in the list
        assert set(step.after) <= {*names[: names.index(step.name)]}
    assert len(set(names)) == len(names)


class Commands:
    """In the place of a running step: it keeps the commands, and what each must say and end with."""

    def __init__(self) -> None:
        self.asked: list[tuple[Any, dict[str, Any]]] = []

    def run(self, words: Any, folder: Path, **more: Any) -> str:
        self.asked.append((words, more))
        return ""


def test_ci_wants_a_verdict_from_every_command_that_may_end_with_1(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (folder := tmp_path / "readme-3.11").mkdir()
    (folder / "report.html").write_text("a page", encoding="utf-8")
    steps = {step.name: step for step in gate_steps(tmp_path, monkeypatch, "3.11")}
    readme = Commands()
    steps["the README's commands, 3.11"].does(readme)
    first, _, mechanism, table = readme_commands()
    assert [words for words, _ in readme.asked if isinstance(words, str)] == [first, mechanism, table]
    assert next(more for words, more in readme.asked if words == mechanism)["codes"] == (1,)
    assert all(more["says"] for _, more in readme.asked)
    assert [more for _, more in readme.asked if more.get("codes", (1,)) != (1,)] == []


def test_ci_runs_tasks_that_exist_and_lint_and_types_before_the_tests() -> None:
    script, tasks = text_of(ROOT / ".ci" / "gate.py"), text_of(ROOT / "noxfile.py")
    sessions = set(re.findall(r"^@nox\.session.*\ndef (\w+)", tasks, flags=re.MULTILINE))
    calls = re.findall(r"self\.task\(\w+, ((?:\"\w+\"(?:, )?)+)", script)
    run = {name for call in calls for name in re.findall(r"\w+", call)} | set(
        re.findall(r'"--session", "(\w+)"', script)
    )
    assert run <= sessions
    assert run >= {"lint", "types", "fast", "docs", "crosscheck", "clusters", "peers", "floors", "sdist"}
    assert "self.tests, after=(linted" in script


def test_the_fast_tier_names_files_that_exist() -> None:
    tier = re.search(r"^FAST = \(\n(.*?)^\)", text_of(ROOT / "noxfile.py"), flags=re.DOTALL | re.MULTILINE)
    assert tier is not None
    files_ = re.findall(r'"([^"]+)"', tier[1])
    assert len(files_) > 10
    assert [name for name in files_ if not (ROOT / name).is_file()] == []


def test_contributing_lists_the_tasks() -> None:
    sessions = re.findall(r"^@nox\.session.*\ndef (\w+)", text_of(ROOT / "noxfile.py"), flags=re.MULTILINE)
    text = text_of(ROOT / "CONTRIBUTING.md")
    assert len(sessions) > 10
    assert [name for name in sessions if f"`{name}" not in text and f"nox -s {name}`" not in text] == []


def test_ci_may_be_executed() -> None:
    assert (ROOT / ".ci" / "run").stat().st_mode & 0o111


def test_the_readme_links_to_files_that_exist() -> None:
    for target in re.findall(r"\]\(([^)#:]+)\)", text_of(ROOT / "README.md")):
        assert (ROOT / target).is_file(), target


def test_the_readme_names_every_exit_code_and_the_limits() -> None:
    text = text_of(ROOT / "README.md")
    assert re.findall(r"^\| (\d) \|", text, flags=re.MULTILINE) == ["0", "1", "2", "3"]
    assert "## Known limits" in text
    assert "## Citing" in text


def test_the_picture_shows_claims_of_the_catalogue_with_their_recorded_outcomes() -> None:
    svg = text_of(ROOT / "docs" / "_static" / "audit.svg")
    assert "http" not in svg.replace("http://www.w3.org/2000/svg", "")
    words = re.sub(r"<[^>]+>", " ", svg).replace("&#160;", " ")
    shown = re.findall(
        r"(holds|refuted|undecided)\s+(\S+@\S+)\s.*?(replace-one|zero-out|add-or-remove-one)", words, re.DOTALL
    )
    recorded = {(claim.expected, f"{claim.item}@{claim.form}", claim.adjacency.name) for claim in catalogue()}
    assert len(shown) >= 5
    assert set(shown) <= recorded
    assert {outcome for outcome, _, _ in shown} >= {"holds", "refuted"}


# ------------------------------------------------------------------------------------ what is and is not there


def test_the_top_level_is_the_agreed_one() -> None:
    assert {path.relative_to(ROOT).parts[0] for path in tracked()} <= TOP


def test_no_file_names_a_registry_or_a_machine() -> None:
    for path in tracked():
        if path.suffix in {".py", ".md", ".toml", ".cff", ".json", ".txt", ".bib", ".css", ".svg", ""}:
            found = FOREIGN.search(text_of(path))
            assert found is None or path == Path(__file__), f"{path.relative_to(ROOT)}: {found}"


def test_nothing_is_left_to_do() -> None:
    for path in tracked():
        if path.suffix == ".py" and path != Path(__file__):
            assert not re.search(r"\b(TODO|FIXME|XXX|HACK)\b", text_of(path)), path


def test_what_is_generated_is_ignored() -> None:
    names = ["docs/generated/a.md", "docs/_build/a", "report.html", ".venv/a", ".nox/a", "dist/a"]
    names.append("dpref/__pycache__/a")
    result = subprocess.run(["git", "check-ignore", *names], cwd=ROOT, capture_output=True, text=True, check=False)
    if result.returncode == 128:
        pytest.skip("not a git checkout")
    assert result.stdout.split() == names


def test_data_schemas_and_types_ship_with_the_package() -> None:
    package = files("dpref")
    assert package.joinpath("py.typed").is_file()
    for schema in ("claims.schema.json", "custom.schema.json", "verdict.schema.json"):
        assert json.loads(package.joinpath("schemas", schema).read_text("utf-8"))["$schema"]
    assert "CC BY 4.0" in package.joinpath("problems/data/LICENSE-breast-cancer-wisconsin.txt").read_text("utf-8")


def test_the_licence_is_whole() -> None:
    text = text_of(ROOT / "LICENSE")
    for part in ("Version 2.0, January 2004", "9. Accepting Warranty", "END OF TERMS AND CONDITIONS", "APPENDIX"):
        assert part in text


# ------------------------------------------------------------------------------------ metadata


def read_by_the_build(text: str) -> str:
    """The version that the build reads from a text, by the pattern of pyproject.toml."""
    found = re.search(project()["tool"]["hatch"]["version"]["pattern"], text)
    return found["version"] if found else ""


def stale_citations(citation: str) -> list[str]:
    """The lines of a citation that differ from the version and the date of the library."""
    stated = dict(re.findall(r"^(version|date-released): (\S+)$", citation, flags=re.MULTILINE))
    return [key for key, value in (("version", VERSION), ("date-released", DATE)) if stated.get(key) != value]


def test_one_version_and_one_date_everywhere() -> None:
    assert "version" not in project()["project"]
    assert project()["project"]["dynamic"] == ["version"]
    assert read_by_the_build(text_of(ROOT / project()["tool"]["hatch"]["version"]["path"])) == VERSION
    assert dpref.__version__ == VERSION
    assert date.fromisoformat(DATE).isoformat() == DATE
    assert stale_citations(text_of(ROOT / "CITATION.cff")) == []


def newest_release(changelog: str) -> tuple[str, str] | None:
    """The version and the date of the first section that has them; none before the first release."""
    found = re.search(r"^## \[(\d+\.\d+\.\d+)\] - (\S+)$", changelog, flags=re.MULTILINE)
    return (found[1], found[2]) if found else None


def test_the_changelogs_newest_release_is_this_version() -> None:
    text = text_of(ROOT / "CHANGELOG.md")
    assert newest_release(text) in {None, (VERSION, DATE)}
    assert re.findall(r"^## (.+)$", text, flags=re.MULTILINE)[0] in {"[Unreleased]", f"[{VERSION}] - {DATE}"}


def test_planted_bug_a_version_that_was_not_carried_over_is_seen() -> None:
    assert newest_release("## [Unreleased]\n\n## [9.0.0] - 2000-01-01\n") == ("9.0.0", "2000-01-01")
    assert stale_citations("version: 9.0.0\ndate-released: 2000-01-01\n") == ["version", "date-released"]


def test_unknown_addresses_are_placeholders_that_lead_nowhere() -> None:
    addresses = project()["project"]["urls"]
    assert set(addresses) == {"Documentation", "Changelog", "Source", "Issues"}
    hosts = {urlsplit(address).hostname for address in addresses.values()}
    assert hosts == {"dpref.invalid"} or not any(str(host).endswith(".invalid") for host in hosts)  # all, or none


def test_the_citation_has_what_the_format_requires() -> None:
    text = text_of(ROOT / "CITATION.cff")
    keys = re.findall(r"^([a-z-]+):", text, flags=re.MULTILINE)
    assert keys[0] == "cff-version"
    assert "cff-version: 1.2.0" in text
    assert {"message", "title", "authors"} <= set(keys)
    assert len(keys) == len(set(keys))
    assert project()["project"]["license"] == "Apache-2.0"
    assert "license: Apache-2.0" in text


def test_the_changelog_keeps_the_convention_of_corrections() -> None:
    text = text_of(ROOT / "CHANGELOG.md")
    headings = re.findall(r"^### (.+)$", text, flags=re.MULTILINE)
    assert set(headings) <= {"Added", "Changed", "Deprecated", "Removed", "Fixed", "Security", "Corrections"}
    assert re.search(r"^## \[(Unreleased|\d+\.\d+\.\d+)\]", text, flags=re.MULTILINE)
    assert "**Corrections**" in text


def test_every_ignored_lint_rule_says_why() -> None:
    text = text_of(ROOT / "pyproject.toml")
    block = re.search(r"^ignore = \[\n(.*?)^\]", text, flags=re.DOTALL | re.MULTILINE)
    assert block is not None
    for line in block[1].splitlines():
        assert "  # " in line or re.search(r'", +# ', line), line


def test_floors_are_stated_and_flint_is_held_to_one_minor_release() -> None:
    dependencies = project()["project"]["dependencies"]
    assert all(re.fullmatch(r"[a-z0-9-]+>=[\d.]+(,<[\d.]+)?", line) for line in dependencies)
    assert "python-flint>=0.9,<0.10" in dependencies


def missing_names(text: str) -> list[str]:
    """Dotted names of the library and paths of its files that a text mentions and that do not exist."""
    dotted = re.findall(r"`((?:dpref|proofs)(?:\.\w+)+)`", text)
    paths = re.findall(r"`((?:dpref|proofs|docs|tests|property_tests)/[\w./-]+)`", text)
    return [name for name in dotted if not exists(name)] + [path for path in paths if not (ROOT / path).exists()]


def exists(name: str) -> bool:
    """Whether a dotted name is a module, or what a module or a class holds."""
    try:
        resolve_name(name)
    except (ImportError, AttributeError):
        return False
    return True


@pytest.mark.parametrize("page", sorted((ROOT / "docs").glob("*.md")), ids=lambda page: page.stem)
def test_the_names_on_a_page_exist(page: Path) -> None:
    assert missing_names(page.read_text(encoding="utf-8")) == []


def test_planted_bug_a_name_that_has_moved_is_seen() -> None:
    assert missing_names("`dpref.privacy.pairs` and `dpref.privacy.interval.Interval`") == ["dpref.privacy.pairs"]
    assert missing_names("`dpref/privacy/pairs.py`, `dpref/privacy/`") == ["dpref/privacy/pairs.py"]
