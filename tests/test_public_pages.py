"""Each name that can be imported from dpref has a page; those of the accountants have an example that runs."""

from __future__ import annotations

import doctest
import importlib
import inspect
import typing
from pathlib import Path
from types import ModuleType

import pytest

import dpref
from dpref.privacy.events.ledger import Event
from dpref.units import ADJACENCIES

ROOT = Path(__file__).parents[1]
CALLS = ("calibrate", "certify", "dpsgd", "gdp_parameter", "noise_for", "privacy_profile", "tradeoff_curve")
EVENTS = sorted(kind.__name__ for kind in typing.get_args(Event))
ACCOUNTED = [*CALLS, *EVENTS, *sorted(kind.__name__ for kind in ADJACENCIES.values()), "Ledger"]


@pytest.fixture
def pages(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """The extension that writes the pages."""
    monkeypatch.syspath_prepend(str(ROOT / "docs" / "_ext"))
    return importlib.import_module("public_names")


def test_all_that_accounts_is_exported() -> None:
    assert set(ACCOUNTED) <= set(dpref.__all__)
    assert all(getattr(dpref, kind.__name__) is kind for kind in typing.get_args(Event))


@pytest.mark.slow
@pytest.mark.parametrize("name", ACCOUNTED)
def test_a_page_has_an_example_that_shows_what_it_says(name: str, pages: ModuleType) -> None:
    text = pages.page(name)
    assert f"from dpref import {name}" in text
    if ">>>" in (inspect.getdoc(getattr(dpref, name)) or ""):
        assert "## Example" not in text  # the docstring's own is on the page, and is run with it
        return
    body = text.partition("```pycon\n")[2].partition("```")[0]
    examples = doctest.DocTestParser().get_doctest(body, {}, name, name, 0)
    assert len(examples.examples) > 2
    shown: list[str] = []
    assert doctest.DocTestRunner(verbose=False).run(examples, out=shown.append).failed == 0, "".join(shown)
    assert " in [" in body


def test_every_name_has_a_page(pages: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pages, "shown", "\n".join)
    for name in dpref.__all__:
        assert f".{name}\n   :no-index:" in pages.page(name)
