"""Proofs to be read: each headline has its page, with hypotheses, steps, who checks them, and formulas as formulas."""

from __future__ import annotations

import importlib
import re
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from dpref.audit.papers.titles import TITLES
from proofs.arguments import ARGUMENTS
from proofs.check import in_order, path_of
from proofs.findings import second
from proofs.findings.register import digest_of
from proofs.headlines import HEADLINES, Headline
from proofs.kernel import RULES
from proofs.registry import registry

ROOT = Path(__file__).parents[1]
# What sympy prints, and the names of its heads.
ALGEBRA = re.compile(r"\w\*\*|\*\*-?\d|\b(Pow|Add|Mul|Sum|Rational|sqrt|erfc|tanh|slope|total|loop)\(|\bexp\([^)]*\*")
ERRATUM = next(h for h in HEADLINES if h.name == "sampled-vertex-is-less-private")


@pytest.fixture
def written(monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.syspath_prepend(str(ROOT / "docs" / "_ext"))
    return importlib.import_module("argument_pages")


def raw_algebra(text: str) -> re.Match[str] | None:
    """Computer algebra as it prints itself, outside of code and links."""
    return ALGEBRA.search(
        re.sub(r"```.*?```|<math.*?</math>|`[^`]*`|\]\([^)]*\)|\*\*[a-zA-Z ]+\.?\*\*", "", text, flags=re.DOTALL)
    )


def test_every_paper_has_its_privacy_statement_and_its_erratum() -> None:
    assert len(HEADLINES) >= 15
    assert len({h.name for h in HEADLINES}) == len(HEADLINES)
    for part in ("privacy", "erratum"):
        assert {h.steps[0].partition("/")[0] for h in HEADLINES if h.part == part} == set(TITLES)
    for h in HEADLINES:
        refuted = [name for name in h.steps if registry()[name].refutes]
        assert bool(refuted) == (h.part == "erratum"), h.name


@pytest.mark.slow
def test_every_page_is_a_whole_argument_without_raw_computer_algebra(written: Any) -> None:
    pages = written.pages()
    assert set(pages) == {"index.md", *(f"{h.name}.md" for h in HEADLINES)}
    for h in HEADLINES:
        text = pages[f"{h.name}.md"]
        assert f"[{h.title}]({h.name}.md)" in pages["index.md"]
        assert all(f"* {line}" in text for line in h.hypotheses)
        steps = in_order(registry(), h.steps)
        titles = re.findall(r"^### \d+\. (.*)$", text, flags=re.MULTILINE)
        assert titles == [written.said(o.title) for o in steps]
        assert all(digest_of(path_of(o)) in text for o in steps)
        assert text.count("*By whom:*") == len(steps)
        assert "**Assumed.**" in text
        assert raw_algebra(text) is None, (h.name, raw_algebra(text))
        assert text.count("$$") % 2 == 0
        assert ("## Where it is false, in epsilon and delta" in text) == (h.part == "erratum")


def test_a_page_says_what_is_false_in_epsilon_and_delta(written: Any) -> None:
    text = written.false_in_epsilon(ERRATUM)
    assert r"$(\varepsilon,\delta)=(2.25,10^{-6})$" in text
    assert r"not below $\varepsilon=3.68" in text
    assert "replace-one" in text


@pytest.mark.parametrize("h", HEADLINES, ids=lambda h: h.name)
def test_an_argument_names_every_step_and_is_at_the_head_of_its_page(written: Any, h: Headline) -> None:
    text = written.in_words(h)
    steps = in_order(registry(), h.steps)
    assert {int(n) for n in re.findall(r"\bstep (\d+)", text)} == {*range(1, len(steps) + 1)}
    assert re.findall(r"^(\d+)\. ", text, flags=re.MULTILINE) == [str(i) for i in range(1, len(ARGUMENTS[h.name]) + 1)]
    assert "{" + steps[-1].id + "}" not in text
    assert text.count("$") % 2 == 0


def test_every_argument_is_of_a_headline() -> None:
    assert set(ARGUMENTS) == {h.name for h in HEADLINES}


def test_planted_bug_an_argument_that_leaves_out_a_step_has_no_page(
    written: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    less = {**ARGUMENTS, ERRATUM.name: ARGUMENTS[ERRATUM.name][1:]}
    monkeypatch.setattr(written, "ARGUMENTS", less)
    with pytest.raises(ValueError, match=r"differ in .*private-saddle-points/P64"):
        written.in_words(ERRATUM)


def test_premises_stand_where_they_are_used(written: Any) -> None:
    (h,) = (h for h in HEADLINES if h.name == "zcdp-to-dp")
    text = written.pages([h])["zcdp-to-dp.md"]
    assert text.index("zcdp/to-dp-optimised") < text.index("### 2.")
    assert text.index("## The argument") < text.index("## Its steps") < text.index("### 1.")
    assert "`Events.renyi_on_to_dp_optimised`: " in text  # a theorem of Coq beside what it says
    assert re.search(r"^  \* \(1\) \$.*ln.*it is what follows, at \$u=", text, flags=re.MULTILINE)
    assert ", as above" in text


def test_every_rule_of_the_kernel_has_words(written: Any) -> None:
    words = importlib.import_module("rule_words")
    assert set(words.WORDS) == set(RULES)
    assert words.rooted("at most sqrt(5) u") == r"at most $\sqrt{5}$ u"


def test_a_second_checker_is_named_where_it_is_recorded(written: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    o, row = registry()["private-saddle-points/P64"], SimpleNamespace(evidence="1 fact by refute")
    for checker, accepts in (("", False), ("Coq", True)):
        monkeypatch.setattr(second, "checker_of", lambda given, checker=checker: checker * (given.id == o.id))
        said = written.checked_by(o, row)
        assert ("1 fact by refute; Coq, which accepts the same certificate" in said) == accepts


@pytest.mark.parametrize(
    "lacking",
    [replace(ERRATUM, hypotheses=()), replace(ERRATUM, steps=("composition/optimal-none",))],
    ids=["hypotheses", "steps"],
)
def test_planted_bug_a_headline_without_hypotheses_or_steps_has_no_page(written: Any, lacking: Headline) -> None:
    with pytest.raises((ValueError, KeyError), match=r"an argument has hypotheses|optimal-none"):
        written.pages([lacking])


def test_planted_bug_a_headline_whose_steps_claim_nothing_has_no_page(
    written: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    empty = [replace(registry()["private-saddle-points/P64"], goals=lambda: ())]
    monkeypatch.setattr(written, "chain", lambda _: empty)
    with pytest.raises(ValueError, match="an argument has hypotheses, and steps with claims"):
        written.page(ERRATUM, {})


def test_planted_bug_an_erratum_that_nothing_shows_in_epsilon_is_refused(
    written: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    known = written.evidence(written.named("private-saddle-points/P64")[0])
    monkeypatch.setattr(written, "evidence", lambda _: replace(known, audited=()))
    with pytest.raises(ValueError, match="in epsilon and delta what is false"):
        written.false_in_epsilon(ERRATUM)


@pytest.mark.parametrize("text", ["x**2 + y", "at sqrt(x) + 1", "erfc(x)", "Pow(x, 2)", "Sum(a, t, 1, n)"])
def test_planted_bug_raw_computer_algebra_is_seen(text: str) -> None:
    assert raw_algebra(f"**Supposed.** It is $x$, {text}.") is not None
    assert raw_algebra(f"**Supposed.** It is $x$, `{text}`.") is None
