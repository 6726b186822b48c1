"""The page of each obligation: its claims and where it is false as formulas, and not as sympy prints itself."""

from __future__ import annotations

import importlib
import re
from pathlib import Path
from typing import Any

import pytest
import sympy as sp

from proofs import check
from proofs.papers.private_saddle_points import PAPER
from proofs.registry import goal, registry
from tests.effort import part

ROOT = Path(__file__).parents[1]
# A power, a product, a relation to zero, and the names of sympy's heads that no sentence has.
ALGEBRA = re.compile(r"\w\*\*?[\w(]|\w\^[\w({-]|[=<>]= 0\b|\b(Pow|Add|Mul|Sum|Rational|erfc|tanh)\(")


@pytest.fixture
def modules(monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.syspath_prepend(str(ROOT / "docs" / "_ext"))
    return importlib.import_module


def algebra(text: str) -> str:
    """The first line with computer algebra as it prints itself, outside of its code, of places and of the title."""
    aside = r"```.*?```|\$\$.*?\$\$|\$[^$]*\$|<details>.*?</details>|<[^>]*>|`[\w/.:<> -]*`|^# [^\n]*"
    bare = re.sub(aside, "", text, flags=re.DOTALL | re.MULTILINE)
    return next((line for line in bare.splitlines() if ALGEBRA.search(line)), "")


def test_a_page_that_shows_computer_algebra_would_be_found(modules: Any) -> None:
    x = sp.Symbol("x", positive=True)
    assert modules("words").stated(goal(3 * x**2 - x, ">=", ())) == "$3 x^{2}\\ge x$"
    for text in ("`3*x**2 >= 0`", "steps: K*rho/(2*(K + 1))", "above erfc(x)", "at n^2", "2^-80", "`x == 0`, x >= 0"):
        assert algebra(text)
    assert not algebra("$3 x^{2}$ and `proofs/kernel.py:12`, **bold.** words")


@pytest.mark.slow
def test_every_page_shows_formulas(modules: Any) -> None:
    report, pages = check.run(), modules("theorem_pages")
    rows, obligations = {row.id: row for row in report.rows}, registry()
    found = {name: algebra(pages.page(obligations[name], rows[name])) for name in part(obligations, 250)}
    assert not {name: line for name, line in found.items() if line}
    assert not algebra(modules("papers").errata(PAPER, report, obligations))
