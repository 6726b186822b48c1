"""The pages of findings: every finding once with its own anchor, formulas as formulas, and the commands beside."""

from __future__ import annotations

import importlib
import re
from pathlib import Path
from typing import Any

import pytest

from dpref.audit.papers.titles import TITLES
from proofs.findings.gathering import findings
from proofs.registry import registry

ROOT = Path(__file__).parents[1]
ALGEBRA = re.compile(r"\*\*\d|Pow\(|\bsqrt\(\w+\*|erfc\(|exp\(-?\w+\*")  # what sympy prints


@pytest.fixture
def written(monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.syspath_prepend(str(ROOT / "docs" / "_ext"))
    return importlib.import_module("findings_pages")


def test_every_finding_has_a_row_and_an_anchor_of_its_own(written: Any) -> None:
    pages = written.pages()
    assert set(pages) == {"index.md", *(f"{paper}.md" for paper in TITLES)}
    for f in findings():
        label = written.anchor(f)
        assert pages["index.md"].count(f"<{label}>`") == 1
        assert pages[f"{f.paper}.md"].count(f"({label})=") == 1


def test_a_page_says_how_to_cite_and_reproduce_each_finding(written: Any) -> None:
    pages = written.pages()
    for f in findings():
        part = pages[f"{f.paper}.md"].partition(f"({written.anchor(f)})=")[2].partition("\n(finding-")[0]
        assert f"`{f.command}`" in part
        assert f"@misc{{dpref-{f.id.replace('/', '-')}," in part
        assert all(c.digest in part for c in f.certificates)
        assert f.true in part


def test_a_sentence_that_readings_share_is_said_once(written: Any) -> None:
    (finding,) = (f for f in findings() if f.id == "private-online-frank-wolfe/lemma-3.2")
    text = " ".join(written.readings(finding))
    assert text.count("The logarithms are natural, as the e^2 in kappa shows.") == 1
    assert all(a.claim.reading.rpartition(". ")[2] in text for a in finding.audited)


def test_links_lead_to_what_exists_and_no_page_shows_computer_algebra(written: Any) -> None:
    slugs = {f"../theorems/{written.slug(name)}.md" for name in registry()}
    slugs |= {f"../theorems/{paper}-errata.md" for paper in TITLES}
    for name, text in written.pages().items():
        assert set(re.findall(r"\]\((\.\./theorems/[^)]+)\)", text)) <= slugs
        assert all((ROOT / "docs" / place).exists() for place in re.findall(r"\]\(\.\./\.\./(papers/[^)]+)\)", text))
        body = re.sub(r"<q.*?</q>|```.*?```", "", text, flags=re.DOTALL)
        assert ALGEBRA.search(body) is None, name


def test_privacy_statements_that_are_false_come_first(written: Any) -> None:
    headings = re.findall(r"^## (.*)$", written.pages()["index.md"], flags=re.MULTILINE)
    shown = [h for h in headings if h.startswith(("Privacy", "Rates"))]
    assert shown[0] == "Privacy statements: false as stated"
    assert shown[-1] == "Rates, steps and experiments"


def test_planted_bug_markdown_inside_a_quotation_would_be_read_as_markdown(written: Any) -> None:
    words: Any = importlib.import_module("words")
    assert words.raw("B_B(w*)") == "B&#95;B(w&#42;)"
    assert words.raw('<math alttext="L_0">[x]</math>') == '<math alttext="L_0">&#91;x&#93;</math>'
    assert words.raw('<math alttext="||x||">x</math>|') == '<math alttext="&#124;&#124;x&#124;&#124;">x</math>&#124;'


def test_the_sidebar_begins_with_the_findings() -> None:
    text = (ROOT / "docs" / "index.md").read_text(encoding="utf-8")
    first = text.partition("```{toctree}")[2].partition("```")[0]
    assert first.split()[-1] == "generated/findings/index"
