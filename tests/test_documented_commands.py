"""Every command on every page of the documentation is run by a test: to its end, or to where hours of work begin.

Pages whose commands are run to the end, with what they answer, have a test of their own (`WHOLE`).  Of the others each
line is called here as it stands, in a folder of small files: what is computed at once ends with the exit code that the
page says, and what draws runs, replays proofs or measures for long ends where that begins, its arguments all accepted.
"""

from __future__ import annotations

import argparse
import importlib
import re
import shlex
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from dpref.crosscheck import peers
from dpref.privacy import time_limit
from property_tests.command_lines import SECONDS, Reached, called, reached, scene

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
# Pages whose commands are run to the end, by the test that does.
WHOLE = {
    "events/curves.md": "test_cli_curves.py",
    "events/guarantees.md": "test_guarantees.py",
    "events/matrix.md": "test_matrix_mechanisms.py",
    "events/sampling.md": "test_sampling_page.py",
    "foreign/callables.md": "test_foreign_cli.py",
    "vectors.md": "test_vectors.py",
    "your-own-data.md": "test_cli_run.py",
}
FOLDERS = ("tutorials", "how-to")  # whose pages test_tutorials.py runs, all of them
BLOCK = re.compile(r"^```(?:sh|console|bash|shell)\n(.*?)^```", re.DOTALL | re.MULTILINE)
# What a reader puts something of their own for.
OWN = {"package.module:function": "mine:mechanism", "dp-accounting=/path/to/python": f"dp-accounting={sys.executable}"}
MINE = """
import numpy as np
pair = np.zeros(3), np.array([0.0, 0.0, 1.0])
def mechanism(data, rng):
    return data.sum() + rng.laplace(scale=2.0)
"""


class Line(NamedTuple):
    """A command of a page."""

    page: str
    text: str

    @property
    def words(self) -> list[str]:
        found = shlex.split(self.text, comments=True)
        return [word.removeprefix(".venv/bin/") for word in found]

    @property
    def code(self) -> int:
        said = re.search(r"# .*exit code (\d)", self.text)
        return int(said[1]) if said else 0


def lines(folder: Path) -> Iterator[Line]:
    """Every command of the pages that have no test of their own, continued lines joined."""
    for path in sorted(folder.rglob("*.md")):
        page = path.relative_to(folder).as_posix()
        if page in WHOLE or page.startswith(("_build/", "generated/", *(f"{name}/" for name in FOLDERS))):
            continue
        for block in BLOCK.findall(path.read_text("utf-8")):
            for text in block.replace("\\\n", " ").splitlines():
                if text.strip() and not text.startswith("#"):
                    yield Line(page, text)


LINES = tuple(lines(DOCS))


def extras() -> set[str]:
    return {*tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["optional-dependencies"]}


def accepted(module: str, arguments: list[str], monkeypatch: pytest.MonkeyPatch) -> bool:
    """Whether the parser of a module that is run as a program takes the arguments."""
    parse = argparse.ArgumentParser.parse_args

    def then_stop(self: Any, args: Any = None, namespace: Any = None) -> Any:
        parse(self, args, namespace)
        raise Reached

    monkeypatch.setattr(argparse.ArgumentParser, "parse_args", then_stop)
    monkeypatch.setattr(sys, "argv", [module, *arguments])
    package = importlib.util.find_spec(module)
    assert package is not None
    name = f"{module}.__main__" if package.submodule_search_locations else module
    try:
        importlib.import_module(name).main()
    except Reached:
        return True
    except SystemExit:
        return False
    return False


def problem(line: Line, monkeypatch: pytest.MonkeyPatch) -> str:
    """What is wrong with a command; nothing, if nothing is."""
    program, *arguments = line.words
    if program == "dpref":
        with scene() as folder, monkeypatch.context() as patch:  # undone before the scene undoes its own
            (folder / "mine.py").write_text(MINE)
            (folder / "my-claims.json").write_text((DOCS / "_static" / "claims.json").read_text("utf-8"))
            patch.setattr("dpref.privacy.time_limit.DEFAULT_LIMIT", SECONDS - 1)
            patch.setattr("dpref.crosscheck.peers.PeerProcess", reached)  # another interpreter would start
            ended = called(tuple(OWN.get(word, word) for word in arguments))
            sys.modules.pop("mine", None)
        wanted = {None, line.code, *([1] if "refuted" in line.text else [])}
        return ended.problem or ("" if ended.code in wanted else f"exit code {ended.code}: {ended.stderr}")
    if program == "python" and arguments[0] == "-m":
        return "" if accepted(arguments[1], arguments[2:], monkeypatch) else "its parser refuses the arguments"
    if "pip" in (program, *arguments[:2]):
        unknown = {name for word in arguments for name in re.findall(r"(?:dpref|\.)\[(\w+)\]", word)} - extras()
        return f"no extra {unknown}" if unknown else ""
    known = (["python3", "-m", "venv", ".venv"], ["apt", "install", "coq", "libcoq-coquelicot", "libcoq-interval"])
    return "" if line.words in known else "nothing runs it"


@pytest.mark.slow
@pytest.mark.parametrize("line", LINES, ids=lambda line: f"{line.page}: {line.text[:60]}")
def test_a_command_of_the_documentation_is_one_that_works(line: Line, monkeypatch: pytest.MonkeyPatch) -> None:
    assert problem(line, monkeypatch) == ""


def test_pages_with_a_test_of_their_own_are_read_by_it() -> None:
    for page, test in WHOLE.items():
        assert (DOCS / page).exists()
        assert f'"{Path(page).name}"' in (ROOT / "tests" / test).read_text("utf-8"), page
    assert 'for folder in ("tutorials", "how-to")' in (ROOT / "tests" / "test_tutorials.py").read_text("utf-8")


def test_there_are_commands_on_many_pages() -> None:
    assert len(LINES) > 40
    assert {"reproduce.md", "long-audits.md", "second-checker.md", "foreign/museum.md"} <= {line.page for line in LINES}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("dpref prove --every", "exit code 2"),
        ("dpref audit nobody/theorem-9", "exit code 2"),
        ("python -m property_tests.audit_coverage --sedes 3", "parser refuses"),
        ('pip install "dpref[everything]"', "no extra"),
        ("make", "nothing runs it"),
    ],
)
def test_planted_bug_a_command_that_does_not_work_is_seen(
    text: str, said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert said in problem(Line("page.md", text), monkeypatch)


def test_what_is_put_aside_for_a_command_is_there_for_the_next(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    before = peers.PeerProcess, time_limit.DEFAULT_LIMIT
    assert problem(Line("page.md", "dpref crosscheck --peer dp-accounting=/path/to/python"), monkeypatch) == ""
    monkeypatch.undo()
    assert (peers.PeerProcess, time_limit.DEFAULT_LIMIT) == before
