"""Interpreters: one that is not there, or is another version, is never taken for one that was used."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

HERE = f"{sys.version_info[0]}.{sys.version_info[1]}"


@pytest.fixture(autouse=True)
def gate(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(Path(__file__).parents[2] / ".ci"))


def script(folder: Path, version: str, text: str) -> Path:
    path = folder / "versions" / version / "bin" / "python3"
    path.parent.mkdir(parents=True)
    path.write_text(f"#!/bin/sh\n{text}\n", encoding="utf-8")
    path.chmod(0o755)
    return path


@pytest.fixture
def bare(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A machine without any Python but those that a test puts under pyenv's folder."""
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("PYENV_ROOT", str(tmp_path))
    return tmp_path


def test_this_interpreter_is_found() -> None:
    from pythons import first

    found = first(HERE, iter([Path(sys.executable)]))
    assert isinstance(found, Path)
    assert found.exists()


def test_planted_bug_a_python_that_is_not_there_has_a_reason(bare: Path) -> None:
    from pythons import WANTED, find

    found, absent = find()
    assert found == {}
    assert set(absent) == set(WANTED)
    assert "no such interpreter" in absent["3.14"]


def test_planted_bug_another_version_under_the_name_is_not_taken(bare: Path) -> None:
    from pythons import candidates, first

    script(bare, "3.14.2", "echo 3.9 /usr/bin/python3.9")
    assert first("3.14", candidates("3.14")) == f"{bare}/versions/3.14.2/bin/python3: 3.9"


def test_planted_bug_an_interpreter_that_makes_no_environments_is_not_taken(bare: Path) -> None:
    from pythons import candidates, first

    script(bare, "3.14.2", "echo 'No module named ensurepip' >&2; exit 1")
    answer = first("3.14", candidates("3.14"))
    assert isinstance(answer, str)
    assert answer.endswith("No module named ensurepip")


def test_the_newest_release_under_pyenv_comes_first_and_a_broken_one_is_passed_over(bare: Path) -> None:
    from pythons import candidates, first

    script(bare, "3.14.2", f"echo 3.14 {bare}/old")
    script(bare, "3.14.10", "exit 1")
    assert first("3.14", candidates("3.14")) == bare / "old"


def test_the_launcher_is_asked(bare: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import pythons

    listed = " -V:3.14 *        C:\\Python314\\python.exe\n -V:3.1           C:\\Python31\\python.exe\n"
    monkeypatch.setattr(pythons, "_printed", lambda *words: listed if words == ("py", "-0p") else "")
    found: Iterator[Path] = pythons.candidates("3.14")
    assert [str(path) for path in found] == ["C:\\Python314\\python.exe"]
