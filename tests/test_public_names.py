"""The package's public names: each resolves, is listed, and is the one that type checkers see."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

import dpref
import dpref.algorithms

LIBRARY = Path(dpref.__file__).parent
# In the docstring of `dpref.algorithms`.
SAID_ONCE = frozenset({"problem", "params", "plan", "curator", "state", "records"})


@pytest.mark.slow
def test_every_public_name_resolves() -> None:
    for name in dpref.__dir__():
        assert getattr(dpref, name) is not None


def test_type_checkers_and_the_running_program_see_the_same_names() -> None:
    tree = ast.parse(Path(dpref.__file__).read_text(encoding="utf-8"))
    (guarded,) = (node for node in tree.body if isinstance(node, ast.If))
    declared = {
        alias.asname: node.module for node in guarded.body if isinstance(node, ast.ImportFrom) for alias in node.names
    }
    assert declared == dpref._HOME


def test_an_unknown_name_is_refused() -> None:
    with pytest.raises(AttributeError, match="no public name"):
        dpref.epsilom  # noqa: B018


def undocumented(function: ast.FunctionDef, known: frozenset[str] = frozenset()) -> list[str]:
    """The arguments that an ``Args:`` section leaves out; the number system ``o`` is documented once, at `Ops`."""
    _, _, section = (ast.get_docstring(function) or "").partition("Args:\n")
    arguments = [*function.args.posonlyargs, *function.args.args, *function.args.kwonlyargs]
    names = [a.arg for a in arguments if a.arg not in {"self", "cls", "o", *known} and not a.arg.startswith("_")]
    told = set(re.findall(r"^ {4}([\w, *]+):", section.partition("\n\n")[0], re.MULTILINE))
    named = {name.strip(" *") for entry in told for name in entry.split(",")}
    return [name for name in names if name not in named] if section else []


@pytest.mark.slow
@pytest.mark.parametrize("path", sorted(LIBRARY.rglob("*.py")), ids=lambda path: str(path.relative_to(LIBRARY)))
def test_an_args_section_names_every_argument(path: Path) -> None:
    functions = [n for n in ast.walk(ast.parse(path.read_text(encoding="utf-8"))) if isinstance(n, ast.FunctionDef)]
    known = SAID_ONCE if "algorithms" in path.relative_to(LIBRARY).parts else frozenset()
    assert {f.name: undocumented(f, known) for f in functions if undocumented(f, known)} == {}


def test_what_every_algorithm_is_given_is_said_once() -> None:
    told = set(re.findall(r"^\* ``(\w+)``:", dpref.algorithms.__doc__ or "", re.MULTILINE))
    assert told == SAID_ONCE | {"o"}
