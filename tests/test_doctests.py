"""Every example in a docstring of dpref and proofs runs and shows what it says."""

from __future__ import annotations

import doctest
import importlib
import pkgutil
import warnings
from collections.abc import Iterator

import pytest

import dpref
import proofs


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
        result = doctest.testmod(module)
    assert result.failed == 0


def test_planted_bug_a_wrong_example_is_seen() -> None:
    finder, runner = doctest.DocTestParser(), doctest.DocTestRunner(verbose=False)
    wrong = finder.get_doctest(">>> 1 + 1\n3\n", {}, "planted", None, None)
    assert runner.run(wrong, out=lambda _: None).failed == 1


def test_examples_exist() -> None:
    finder = doctest.DocTestFinder(exclude_empty=True)
    reals = importlib.import_module("dpref.reals")
    assert sum(len(test.examples) for test in finder.find(reals)) >= 10
