"""A page for every algorithm: derived from its declaration, leading to what exists, with commands that can be run."""

from __future__ import annotations

import importlib
import re
import shlex
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from dpref.algorithms.registry import ALGORITHMS
from dpref.audit.catalogue import catalogue
from dpref.fitting.problems import runnable_algorithms
from proofs.registry import registry

ROOT = Path(__file__).parents[1]


@pytest.fixture
def written(monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.syspath_prepend(str(ROOT / "docs" / "_ext"))
    return importlib.import_module("algorithm_pages")


def test_every_algorithm_has_a_page_and_a_line_in_the_overview(written: Any) -> None:
    pages = written.pages()
    assert set(pages) == {"index.md", *(f"{name}.md" for name in ALGORITHMS)}
    assert all(f"]({name}.md)" in pages["index.md"] for name in ALGORITHMS)
    # Every claim of the catalogue stands on the page of its algorithm, with what is recorded of it.
    for claim in catalogue():
        if claim.algorithm in ALGORITHMS:
            row = next(
                line for line in pages[f"{claim.algorithm}.md"].splitlines() if f"`{claim.id.split('/')[1]}`" in line
            )
            assert f'">{claim.expected}</span>' in row


def test_links_and_places_lead_to_what_exists(written: Any) -> None:
    slugs = {f"../theorems/{written.slug(name)}.md" for name in registry()}
    for text in written.pages().values():
        found = set(re.findall(r"\]\((\.\./theorems/[^)]+)\)", text))
        assert found <= slugs
        assert all((ROOT / "docs" / place).exists() for place in re.findall(r"\]\(\.\./\.\./(papers/[^)]+)\)", text))
        assert all((ROOT / place).exists() for place in re.findall(r"`((?:dpref|proofs|docs)/[^`*]+)`", text))


def test_its_commands_name_what_there_is(written: Any) -> None:
    known = {claim.id for claim in catalogue()}
    for name in ALGORITHMS:
        block = re.search(r"```sh\n(.*?)```", written.pages()[f"{name}.md"], re.DOTALL)
        assert block
        lines = [shlex.split(line) for line in block[1].splitlines()]
        assert lines[0] == ["dpref", "algorithms", name]
        assert lines[1][:2] == ["dpref", "audit"]
        assert lines[1][2] in known
        assert [line[2] for line in lines[2:]] == [name] * (name in runnable_algorithms())


def test_planted_bug_an_algorithm_that_rests_on_nothing_known_has_no_page(written: Any) -> None:
    lost = replace(ALGORITHMS["spider"], evidence=("kl-condition/E1000",))
    with pytest.raises(KeyError, match="E1000"):
        written.page(lost, [c for c in catalogue() if c.algorithm == "spider"], registry())
