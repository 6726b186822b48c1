"""The phantom types do their work: what mixes units is refused by ``mypy --strict``, and what does not passes.

A line of ``typing/reject/`` that must be refused ends in ``# error: [code]`` with every code that mypy gives it.  The
comparison is exact in both directions, so a type that stops refusing fails here as does one that starts to.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
TYPING = Path(__file__).parent / "typing"
REPORTED = re.compile(r"(?P<file>[^:]+):(?P<line>\d+): error: .*\[(?P<code>[a-z-]+)\]$")

Findings = Counter[tuple[str, int, str]]


def run_mypy(cache: Path, *options: str) -> Findings:
    """What mypy says about every file of ``typing/``, in one run."""
    files = sorted(str(path.relative_to(ROOT)) for path in TYPING.glob("*/*.py"))
    command = [sys.executable, "-m", "mypy", "--strict", "--no-pretty", "--no-error-summary", "--hide-error-context"]
    command += ["--no-color-output", "--cache-dir", str(cache), *options, *files]
    result = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    findings: Findings = Counter()
    for line in result.stdout.splitlines():
        if ": note: " in line:
            continue
        match = REPORTED.match(line)
        assert match is not None, f"not a finding of mypy: {line}{result.stderr}"
        findings[match["file"].replace("\\", "/"), int(match["line"]), match["code"]] += 1
    return findings


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("mypy")


@pytest.fixture(scope="module")
def reported(cache: Path) -> Findings:
    return run_mypy(cache)


def expected_in(path: Path) -> Findings:
    """The findings that the comments of a file ask for."""
    name = path.relative_to(ROOT).as_posix()
    findings: Findings = Counter()
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
        _, _, codes = line.partition("  # error: ")
        for code in re.findall(r"\[([a-z-]+)\]", codes):
            findings[name, number, code] += 1
    return findings


def findings_in(path: Path, reported: Findings) -> Findings:
    name = path.relative_to(ROOT).as_posix()
    return Counter({key: count for key, count in reported.items() if key[0] == name})


@pytest.mark.parametrize("path", sorted(TYPING.glob("reject/*.py")), ids=lambda path: path.stem)
def test_what_mixes_units_is_refused(path: Path, reported: Findings) -> None:
    expected = expected_in(path)
    assert expected, "a file that asks for no error tests nothing"
    assert findings_in(path, reported) == expected


@pytest.mark.parametrize("path", sorted(TYPING.glob("accept/*.py")), ids=lambda path: path.stem)
def test_what_keeps_units_is_accepted(path: Path, reported: Findings) -> None:
    assert not expected_in(path)
    assert not findings_in(path, reported)


def test_the_library_itself_is_clean(reported: Findings) -> None:
    assert [key for key in reported if not key[0].startswith("tests/typing/")] == []


LOOSE = (
    ("norms", "dpref/mechanisms/gaussian.py",
     {"Sensitivity[L2, A]": "Sensitivity[Any, A]", "import Generic,": "import Any, Generic,"}),
    ("declarations", "dpref/algorithms/declaration.py",
     {"planning: Planning[B, P, Q]": "planning: Any"}),
)  # fmt: skip


@pytest.mark.slow
def test_planted_bug_a_type_that_takes_anything_is_noticed(tmp_path: Path, cache: Path, reported: Findings) -> None:
    """A mechanism that takes any norm, and a declaration that takes any plan."""
    options: list[str] = []
    for name, source, changes in LOOSE:
        text = loose = (ROOT / source).read_text(encoding="utf-8")
        for strict, lax in changes.items():
            loose = loose.replace(strict, lax)
        assert loose != text
        (tmp_path / f"{name}.py").write_text(loose, encoding="utf-8")
        options += ["--shadow-file", source, str(tmp_path / f"{name}.py")]
    planted = run_mypy(shutil.copytree(cache, tmp_path / "cache"), *options)  # only what depends on the two again
    for name, _, _ in LOOSE:
        path = TYPING / "reject" / f"{name}.py"
        missed = expected_in(path) - findings_in(path, planted)
        assert missed, "the planted bug passed the type tests"
        assert not expected_in(path) - findings_in(path, reported)
