"""The package's public names: each resolves, is listed, and is the one that type checkers see."""

from __future__ import annotations

import ast
import re
from pathlib import Path
from types import ModuleType

import pytest

import dpref
import dpref.algorithms
import dpref.curator
import dpref.foreign
import dpref.foreign.replay

LIBRARY = Path(dpref.__file__).parent
LAZY = (dpref, dpref.foreign)  # their names are loaded from other modules when they are used
# In the docstring of `dpref.algorithms`.
SAID_ONCE = frozenset({"problem", "params", "plan", "curator", "state", "records"})


@pytest.mark.slow
def test_every_public_name_resolves() -> None:
    for name in dpref.__dir__():
        assert getattr(dpref, name) is not None


def declared(text: str) -> dict[str | None, str | None]:
    """The names that a lazy package imports for type checkers, with their modules."""
    (guarded,) = (node for node in ast.parse(text).body if isinstance(node, ast.If))
    imports = (node for node in guarded.body if isinstance(node, ast.ImportFrom))
    return {alias.asname: node.module for node in imports for alias in node.names}


@pytest.mark.parametrize("package", LAZY, ids=lambda package: str(package.__name__))
def test_type_checkers_and_the_running_program_see_the_same_names(package: ModuleType) -> None:
    text = Path(str(package.__file__)).read_text(encoding="utf-8")
    assert declared(text) == package._HOME
    assert declared(text.replace(" as Pair", " as Pear").replace(" as Claim", " as Clam")) != package._HOME


@pytest.mark.parametrize("package", LAZY, ids=lambda package: str(package.__name__))
def test_a_star_takes_the_public_names(package: ModuleType) -> None:
    assert set(package.__all__) == set(package._HOME)
    assert set(package.__dir__()) == {*package._HOME, *(["__version__"] if package is dpref else [])}


@pytest.mark.parametrize("package", [dpref.curator, dpref.foreign.replay], ids=lambda package: str(package.__name__))
def test_a_package_that_takes_its_names_from_below_lists_them(package: ModuleType) -> None:
    tree = ast.parse(Path(str(package.__file__)).read_text(encoding="utf-8"))
    imported = [a.asname or a.name for node in tree.body if isinstance(node, ast.ImportFrom) for a in node.names]
    assert sorted(imported) == sorted(package.__all__)


@pytest.mark.parametrize("package", LAZY, ids=lambda package: str(package.__name__))
def test_an_unknown_name_is_refused(package: ModuleType) -> None:
    with pytest.raises(AttributeError, match="no public name"):
        package.epsilom  # noqa: B018


def undocumented(function: ast.FunctionDef, known: frozenset[str] = frozenset()) -> list[str]:
    """The arguments that an ``Args:`` section leaves out; the number system ``o`` is documented once, at `Ops`."""
    _, _, section = (ast.get_docstring(function) or "").partition("Args:\n")
    arguments = [*function.args.posonlyargs, *function.args.args, *function.args.kwonlyargs]
    names = [a.arg for a in arguments if a.arg not in {"self", "cls", "o", *known} and not a.arg.startswith("_")]
    told = set(re.findall(r"^ {4}([\w, *]+):", section.partition("\n\n")[0], re.MULTILINE))
    named = {name.strip(" *") for entry in told for name in entry.split(",")}
    return [name for name in names if name not in named] if section else []


@pytest.mark.slow
def test_an_args_section_names_every_argument() -> None:
    paths = sorted(LIBRARY.rglob("*.py"))
    assert len(paths) > 1
    missing = {}
    for path in paths:
        inside = path.relative_to(LIBRARY)
        known = SAID_ONCE if "algorithms" in inside.parts else frozenset()
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.FunctionDef) and undocumented(node, known):
                missing[f"{inside}: {node.name}"] = undocumented(node, known)
    assert missing == {}


def test_what_every_algorithm_is_given_is_said_once() -> None:
    told = set(re.findall(r"^\* ``(\w+)``:", dpref.algorithms.__doc__ or "", re.MULTILINE))
    assert told == SAID_ONCE | {"o"}
