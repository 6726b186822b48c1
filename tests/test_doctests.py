"""Every example in a docstring of dpref and proofs, and on the pages of the documentation, shows what it says."""

from __future__ import annotations

import ast
import doctest
import importlib
import re
import warnings
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

import dpref
import proofs

LIBRARY = Path(dpref.__file__).parent
SHOWN = ("algorithms", "geometry", "kernels", "mechanisms", "problems")
WITNESSES = sorted((LIBRARY / "audit" / "papers").glob("*/[iw]*.py"))  # instances and witnesses
DOCS = Path(__file__).parents[1] / "docs"
LONGEST = 5  # lines of an example, its answers included: what is longer belongs on a page
PAGES = [
    path
    for folder in (DOCS, DOCS / "events", DOCS / "foreign", DOCS / "papers", DOCS / "decisions")
    for path in sorted(folder.glob("*.md"))
    if "```pycon" in path.read_text(encoding="utf-8")
]


def module_names() -> Iterator[str]:
    """The modules whose text has an example; to list them imports none."""
    for package in (dpref, proofs):
        folder = Path(str(package.__file__)).parent
        for path in folder.rglob("*.py"):
            parts = path.relative_to(folder.parent).with_suffix("").parts
            if parts[-1] != "__main__" and ">>>" in path.read_text(encoding="utf-8"):
                yield ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(module_names()))
def test_the_examples_of_a_module(name: str) -> None:
    module = importlib.import_module(name)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        result = doctest.testmod(module, optionflags=doctest.ELLIPSIS)
    assert result.failed == 0


@pytest.mark.slow
@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.stem)
def test_the_examples_of_a_page(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    blocks = re.findall(r"^```pycon\n(.*?)^```$", text, flags=re.DOTALL | re.MULTILINE)
    examples = doctest.DocTestParser().get_doctest("\n\n".join(blocks), {}, path.name, str(path), 0)
    assert examples.examples
    shown: list[str] = []
    result = doctest.DocTestRunner(verbose=False, optionflags=doctest.ELLIPSIS).run(examples, out=shown.append)
    assert result.failed == 0, "".join(shown)


def without_example(source: str) -> list[str]:
    """The public functions of a module whose docstring shows no example."""
    functions = [node for node in ast.parse(source).body if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)]
    return [f.name for f in functions if not f.name.startswith("_") and ">>>" not in (ast.get_docstring(f) or "")]


@pytest.mark.parametrize("path", WITNESSES, ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_every_public_function_of_a_witness_shows_an_example(path: Path) -> None:
    assert without_example(path.read_text(encoding="utf-8")) == []


@pytest.mark.parametrize("folder", SHOWN)
def test_every_public_function_shows_an_example(folder: str) -> None:
    paths = sorted((LIBRARY / folder).rglob("*.py"))
    assert len(paths) > 1
    missing = {str(path.relative_to(LIBRARY)): without_example(path.read_text(encoding="utf-8")) for path in paths}
    assert {path: names for path, names in missing.items() if names} == {}


def too_long(source: str) -> list[tuple[str, int]]:
    """The docstrings of a module whose examples have too many lines, with the number of lines."""
    lengths = []
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            examples = doctest.DocTestParser().get_examples(ast.get_docstring(node) or "")
            length = sum(example.source.count("\n") + example.want.count("\n") for example in examples)
            lengths.append((getattr(node, "name", "module"), length))
    return [(name, length) for name, length in lengths if length > LONGEST]


@pytest.mark.slow
@pytest.mark.parametrize("package", [dpref, proofs], ids=lambda package: str(package.__name__))
def test_examples_are_short(package: ModuleType) -> None:
    paths = sorted(Path(str(package.__file__)).parent.rglob("*.py"))
    assert len(paths) > 1
    long = {str(path): too_long(path.read_text(encoding="utf-8")) for path in paths}
    assert {path: found for path, found in long.items() if found} == {}


def test_planted_bug_a_long_example_is_seen() -> None:
    source = '"""Nothing.\n\n>>> 1\n1\n"""\n\nclass Box:\n    def show(self):\n        """Show.\n\n{}        """\n'
    line = "        >>> x = 1\n"
    assert too_long(source.format(line * 5)) == []
    assert too_long(source.format(line * 4 + "        >>> x\n        1\n")) == [("show", 6)]


def test_planted_bug_a_function_without_an_example_is_seen() -> None:
    source = '''
"""The module's own example does not count for its functions.

>>> 1 + 1
2
"""

def shows():
    """Has one.

    >>> shows()
    """

@decorated
def tells():
    """Has none."""

def mute():
    return ">>> not a docstring"

def _private():
    """Needs none."""
'''
    assert without_example(source) == ["tells", "mute"]


def test_the_examples_of_compiled_functions_are_found() -> None:
    module = importlib.import_module("dpref.algorithms.svrg.kernel")
    found = {test.name.rpartition(".")[2] for test in doctest.DocTestFinder().find(module) if test.examples}
    assert found == {"prox", "run"}


def test_planted_bug_a_wrong_example_is_seen() -> None:
    finder, runner = doctest.DocTestParser(), doctest.DocTestRunner(verbose=False)
    wrong = finder.get_doctest(">>> 1 + 1\n3\n", {}, "planted", None, None)
    assert runner.run(wrong, out=lambda _: None).failed == 1


def test_examples_exist() -> None:
    finder = doctest.DocTestFinder(exclude_empty=True)
    reals = importlib.import_module("dpref.reals")
    assert sum(len(test.examples) for test in finder.find(reals)) >= 10
