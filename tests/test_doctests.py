"""Every example in a docstring of dpref and proofs, and on the pages of the documentation, shows what it says."""

from __future__ import annotations

import doctest
import importlib
import pkgutil
import re
import warnings
from collections.abc import Iterator
from pathlib import Path

import pytest

import dpref
import proofs

DOCS = Path(__file__).parents[1] / "docs"
PAGES = [path for path in sorted(DOCS.glob("*.md")) if "```pycon" in path.read_text(encoding="utf-8")]


def module_names() -> Iterator[str]:
    for package in (dpref, proofs):
        yield package.__name__
        for found in pkgutil.walk_packages(package.__path__, package.__name__ + "."):
            if not found.name.endswith("__main__"):
                yield found.name


@pytest.mark.parametrize("name", sorted(module_names()))
def test_the_examples_of_a_module(name: str) -> None:
    module = importlib.import_module(name)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        result = doctest.testmod(module, optionflags=doctest.ELLIPSIS)
    assert result.failed == 0


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.stem)
def test_the_examples_of_a_page(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    blocks = re.findall(r"^```pycon\n(.*?)^```$", text, flags=re.DOTALL | re.MULTILINE)
    examples = doctest.DocTestParser().get_doctest("\n\n".join(blocks), {}, path.name, str(path), 0)
    assert examples.examples
    shown: list[str] = []
    result = doctest.DocTestRunner(verbose=False, optionflags=doctest.ELLIPSIS).run(examples, out=shown.append)
    assert result.failed == 0, "".join(shown)


def test_planted_bug_a_wrong_example_is_seen() -> None:
    finder, runner = doctest.DocTestParser(), doctest.DocTestRunner(verbose=False)
    wrong = finder.get_doctest(">>> 1 + 1\n3\n", {}, "planted", None, None)
    assert runner.run(wrong, out=lambda _: None).failed == 1


def test_examples_exist() -> None:
    finder = doctest.DocTestFinder(exclude_empty=True)
    reals = importlib.import_module("dpref.reals")
    assert sum(len(test.examples) for test in finder.find(reals)) >= 10
