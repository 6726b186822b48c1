"""The notebooks give the outputs that they show: every cell is run, from top to bottom, in one namespace."""

from __future__ import annotations

import ast
import io
import json
from contextlib import redirect_stdout
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

FOLDER = Path(__file__).parents[1] / "docs" / "notebooks"
NOTEBOOKS = sorted(FOLDER.glob("*.ipynb"))


def read(path: Path) -> dict[str, Any]:
    document: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return document


def printed_and_shown(source: str, names: dict[str, Any]) -> tuple[str, str]:
    """What a cell prints, and the value of its last expression as a notebook shows it."""
    tree, out, shown = ast.parse(source), io.StringIO(), ""
    last = tree.body.pop() if isinstance(tree.body[-1], ast.Expr) else None
    with redirect_stdout(out):
        exec(compile(tree, "cell", "exec"), names)  # noqa: S102 - the notebook's own
        if isinstance(last, ast.Expr):
            value = eval(compile(ast.Expression(last.value), "cell", "eval"), names)  # noqa: S307 - the same
            shown = "" if value is None else repr(value)
    return out.getvalue(), shown


def stored(cell: dict[str, Any]) -> tuple[str, str]:
    """What is stored below a cell: its printed text, and the value of its last expression."""
    printed = [line for o in cell["outputs"] if o["output_type"] == "stream" for line in o["text"]]
    values = [line for o in cell["outputs"] if o["output_type"] == "execute_result" for line in o["data"]["text/plain"]]
    return "".join(printed), "".join(values)


@pytest.mark.slow
@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_gives_what_it_shows(path: Path) -> None:
    names: dict[str, Any] = {}
    cells = [cell for cell in read(path)["cells"] if cell["cell_type"] == "code"]
    assert any(cell["outputs"] for cell in cells)
    for cell in cells:
        assert printed_and_shown("".join(cell["source"]), names) == stored(cell), cell["id"]


@pytest.mark.slow
@pytest.mark.skipif(find_spec("nbclient") is None or find_spec("ipykernel") is None, reason="needs nbclient, ipykernel")
@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_runs_in_jupyter(path: Path) -> None:
    nbformat, nbclient = pytest.importorskip("nbformat"), pytest.importorskip("nbclient")
    document = nbformat.read(path, as_version=4)
    nbformat.validate(document)
    before = [stored(cell) for cell in read(path)["cells"] if cell["cell_type"] == "code"]
    nbclient.NotebookClient(document, timeout=120).execute()
    ran = json.loads(nbformat.writes(document))
    assert [stored(cell) for cell in ran["cells"] if cell["cell_type"] == "code"] == before


def test_every_notebook_is_listed() -> None:
    page = (FOLDER / "index.md").read_text(encoding="utf-8")
    assert len(NOTEBOOKS) >= 2
    assert [path.name for path in NOTEBOOKS if f"<{path.name}>" not in page] == []


def test_planted_bug_an_output_that_is_not_what_the_cell_gives_is_seen() -> None:
    wrong = {"outputs": [{"output_type": "stream", "text": ["2\n"]}]}
    assert printed_and_shown("x = 1\nprint(x)\nx + 1", {}) == ("1\n", "2")
    assert printed_and_shown("print(1)", {}) != stored(wrong)
