"""The pages of findings: every finding once with its own anchor, its program, and the commands beside."""

from __future__ import annotations

import importlib
import re
from pathlib import Path
from typing import Any

import pytest

from dpref.audit.papers.titles import TITLES
from proofs.findings.checking import program_of
from proofs.findings.citing import anchor
from proofs.findings.evidence import evidence
from proofs.findings.gathering import corrections, findings, read
from proofs.registry import registry

ROOT = Path(__file__).parents[3]
ALGEBRA = re.compile(r"\*\*\d|Pow\(|\bsqrt\(\w+\*|erfc\(|exp\(-?\w+\*")  # what sympy prints


@pytest.fixture(scope="module")
def written() -> Any:
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(ROOT / "docs" / "_ext"))
        yield importlib.import_module("findings_pages")


@pytest.fixture(scope="module")
def pages(written: Any) -> dict[str, str]:
    made: dict[str, str] = written.pages()
    return made


def test_every_finding_has_a_row_and_an_anchor_of_its_own(pages: dict[str, str]) -> None:
    assert set(pages) == {"index.md", *(f"{paper}.md" for paper in TITLES)}
    for f in findings():
        assert pages["index.md"].count(f"<{anchor(f)}>`") == 1
        assert pages[f"{f.paper}.md"].count(f"({anchor(f)})=") == 1


def test_a_page_shows_the_instance_the_program_and_how_to_cite(pages: dict[str, str], written: Any) -> None:
    for f in findings():
        part = pages[f"{f.paper}.md"].partition(f"({anchor(f)})=")[2].partition("\n(finding-")[0]
        assert f"`dpref findings {f.id} --check`" in part
        assert f"@misc{{dpref-{f.id.replace('/', '-')}," in part
        assert all(c.digest in part for c in evidence(f).certificates)
        assert written.worded(registry()[f.instead].statement) in part
        assert all(f"`{line}`" in part for line in f.prints)
        assert not f.prints or program_of(f).read_text(encoding="utf-8").strip() in part
        assert f.answer.status in part


def test_a_page_says_what_was_read_and_the_index_what_was_corrected(pages: dict[str, str]) -> None:
    for paper in TITLES:
        assert f"arXiv {read(paper).arxiv}, version {read(paper).version}" in pages[f"{paper}.md"]
        assert read(paper).sha256 in pages[f"{paper}.md"]
    assert all(f"* `{c.id}` was {c.what}" in pages["index.md"] for c in corrections())


def test_a_sentence_known_to_fail_in_a_degenerate_range_only_begins_with_it(pages: dict[str, str]) -> None:
    for f in findings():
        part = pages[f"{f.paper}.md"].partition(f"({anchor(f)})=\n")[2].split("\n\n")
        assert part[1].startswith("**Known only for ") == bool(f.only_for)


def test_links_lead_to_what_exists_and_no_page_shows_computer_algebra(written: Any, pages: dict[str, str]) -> None:
    slugs = {f"../theorems/{written.slug(name)}.md" for name in registry()}
    slugs |= {f"../theorems/{paper}-errata.md" for paper in TITLES}
    for name, text in pages.items():
        assert set(re.findall(r"\]\((\.\./theorems/[^)]+)\)", text)) <= slugs
        assert all((ROOT / "docs" / place).exists() for place in re.findall(r"\]\(\.\./\.\./(papers/[^)]+)\)", text))
        body = re.sub(r"<q.*?</q>|```.*?```|`[^`]*`", "", text, flags=re.DOTALL)
        assert ALGEBRA.search(body) is None, name


def test_privacy_that_is_lost_comes_first(pages: dict[str, str]) -> None:
    headings = re.findall(r"^## (.*)$", pages["index.md"], flags=re.MULTILINE)
    shown = [h for h in headings if h.startswith(("Privacy", "Rates"))]
    assert shown[0] == "Privacy: privacy lost"
    assert shown == sorted(shown, key=lambda heading: heading.startswith("Rates"))


def test_planted_bug_markdown_inside_a_quotation_would_be_read_as_markdown(written: Any) -> None:
    words: Any = importlib.import_module("words")
    assert words.raw("B_B(w*)") == "B&#95;B(w&#42;)"
    assert words.raw('<math alttext="L_0">[x]</math>') == '<math alttext="L_0">&#91;x&#93;</math>'
    assert words.raw('<math alttext="||x||">x</math>|') == '<math alttext="&#124;&#124;x&#124;&#124;">x</math>&#124;'


def test_the_sidebar_begins_with_the_findings() -> None:
    text = (ROOT / "docs" / "index.md").read_text(encoding="utf-8")
    first = text.partition("```{toctree}")[2].partition("```")[0]
    assert first.split()[-1] == "generated/findings/index"
