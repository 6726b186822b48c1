"""The tutorials do what they say: every command and every example on them is run, in the order of the page.

A page's blocks are read from top to bottom, in an empty folder: a code block with a caption is a file of that name, an
``sh`` block is typed line by line, a ``text`` block after it is what comes out, a ``pycon`` block is a session.
A line that ends in ``# exit code N`` exits with N; any other exits with 0.
"""

from __future__ import annotations

import doctest
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from typer.testing import CliRunner

from dpref.cli import app

DOCS = Path(__file__).parents[1] / "docs"
PAGES = sorted(path for folder in ("tutorials", "how-to") for path in (DOCS / folder).glob("*.md"))
BLOCK = re.compile(r"^```\{?(?:code-block\} )?(\w+)\n(?::caption: (\S+)\n\n?)?(.*?)^```$", re.DOTALL | re.MULTILINE)
LONGEST = 120  # lines of a tutorial: five minutes
FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


def blocks(text: str) -> list[tuple[str, str, str]]:
    """The language, the caption and the text of each block of a page."""
    return [(language, caption or "", body) for language, caption, body in BLOCK.findall(text)]


def typed(line: str) -> tuple[str, int, str]:
    """What comes out of a command, its exit code, and the one that the page says."""
    command, _, code = line.partition("  # exit code ")
    program, *arguments = shlex.split(command, comments=True)
    if program == "dpref":
        found = CliRunner().invoke(app, arguments)
        return found.output, found.exit_code, code or "0"
    assert program in {"pytest", "python"}, line
    plugin = ["-m", "pytest", "-p", "no:cacheprovider"] if program == "pytest" else []
    environment = {"PYTHONPATH": f"{DOCS.parent}:.", "PATH": "/usr/bin:/bin"}
    command_line = [sys.executable, *plugin, *arguments]
    done = subprocess.run(command_line, capture_output=True, text=True, check=False, env=environment, timeout=120)
    return done.stdout + done.stderr, done.returncode, code or "0"


def shows(output: str, said: str) -> bool:
    """Whether an output has what a page shows of it, with an ellipsis for what may differ or is left out."""
    return doctest.OutputChecker().check_output(f"...{said.strip()}...\n", f"{output.strip()}\n", FLAGS)


@pytest.fixture
def clean(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """An empty folder, whose modules are forgotten afterwards."""
    before = set(sys.modules)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
    yield tmp_path
    for name in set(sys.modules) - before:
        if str(getattr(sys.modules[name], "__file__", "")).startswith(str(tmp_path)):
            del sys.modules[name]


@pytest.mark.slow
@pytest.mark.parametrize("path", PAGES, ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_a_page_does_what_it_says(path: Path, clean: Path) -> None:
    output, names = "", {"__name__": "__main__"}
    session = doctest.DocTestRunner(verbose=False, optionflags=FLAGS)
    for language, caption, body in blocks(path.read_text(encoding="utf-8")):
        if caption:
            (clean / caption).write_text(body, encoding="utf-8")
        elif language == "sh":
            output = ""
            for line in filter(None, body.splitlines()):
                said, exited, expected = typed(line)
                assert str(exited) == expected, f"{line}\n{said}"
                output += said
        elif language == "text":
            assert shows(output, body), f"{body}\nis not in\n{output}"
        elif language == "pycon":
            examples = doctest.DocTestParser().get_doctest(body, names, path.name, str(path), 0)
            shown: list[str] = []
            assert session.run(examples, out=shown.append, clear_globs=False).failed == 0, "".join(shown)
            names = examples.globs
        else:
            raise AssertionError(f"{path}: nothing runs a block of {language}")


def test_there_are_pages_and_each_is_listed() -> None:
    for folder in ("tutorials", "how-to"):
        index = (DOCS / folder / "index.md").read_text(encoding="utf-8")
        listed = set(re.findall(r"^([\w-]+)$", index.partition("```{toctree}")[2].partition("```")[0], re.MULTILINE))
        assert listed == {path.stem for path in PAGES if path.parent.name == folder} - {"index"}
        assert listed


@pytest.mark.parametrize("path", PAGES, ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_a_page_is_short(path: Path) -> None:
    assert len(path.read_text(encoding="utf-8").splitlines()) <= LONGEST


def test_planted_bug_an_output_that_is_another_is_seen() -> None:
    assert shows("epsilon in [1, 2]\n  adjacency  replace-one\n", "epsilon in [..., 2]\nadjacency replace-one")
    assert shows("before\nepsilon in [1, 2]\n  slack 0\n", "epsilon in [1, ...]")
    assert not shows("epsilon in [1, 2]\n", "epsilon in [1, 3]")


def test_planted_bug_a_block_that_is_not_understood_is_seen() -> None:
    text = "```{code-block} python\n:caption: mine.py\n\nx = 1\n```\n\n```sh\ndpref audit  # exit code 1\n```\n"
    text += "```rst\nx\n```\n"
    assert blocks(text) == [
        ("python", "mine.py", "x = 1\n"),
        ("sh", "", "dpref audit  # exit code 1\n"),
        ("rst", "", "x\n"),
    ]
