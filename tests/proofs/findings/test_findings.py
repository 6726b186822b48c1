"""Findings: every refuted claim and formula is in one, and how they are listed, shown, cited and sent."""

from __future__ import annotations

import json
import re
import subprocess
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest
from rich.console import Console
from typer.testing import CliRunner, Result

from dpref.audit.catalogue import catalogue, find
from dpref.audit.papers.titles import TITLES
from dpref.cli import app
from dpref.documents import violations
from dpref.version import VERSION
from proofs.check import path_of
from proofs.citations import CITATIONS
from proofs.coq import checkers
from proofs.findings import citing, note, second
from proofs.findings.declared import KINDS, Finding, PrintedHypothesis, Quotation
from proofs.findings.evidence import LEVELS, evidence
from proofs.findings.gathering import corrections, findings, named, order
from proofs.findings.plain import plain
from proofs.negations import NEGATIONS
from proofs.registry import registry

THEOREM = "dp-erm-revisited/theorem-5.3"


def dpref(*arguments: str) -> Result:
    return CliRunner().invoke(app, arguments, prog_name="dpref")


# ------------------------------------------------------------------------------------ what there is


def test_every_refuted_claim_is_judged_by_one_finding() -> None:
    refuted = [c.id for c in catalogue() if c.expected == "refuted"]
    judged = [name for f in findings() for name in f.claims]
    assert set(refuted) <= set(judged)
    assert len(judged) == len(set(judged))


def test_every_refuted_formula_is_in_a_finding_or_its_finding_was_withdrawn() -> None:
    refuted = {o.id for o in registry().values() if o.refutes and o.paper in TITLES}
    known = {name for f in findings() for name in f.refutations} | {c.id for c in corrections()}
    assert refuted <= known


def test_what_is_called_false_has_a_refuted_claim_or_formula_or_a_program_and_a_remark_has_no_refuted_claim() -> None:
    for f in findings():
        verdicts = {find(name).expected for name in f.claims}
        assert f.kind != "remark" or "refuted" not in verdicts, f.id
        assert evidence(f).levels or f.kind in {"slip", "remark"}, f.id


def test_the_verdict_on_the_kindest_reading_is_that_of_the_claim_that_shows_it() -> None:
    for f in findings():
        if "@" in f.kindest.shown_by:
            assert find(f.kindest.shown_by).expected == f.kindest.verdict, f.id
        assert f.kindest.shown_by or f.kindest.verdict == "open" or f.kind == "remark", f.id


def test_what_is_true_instead_is_no_refuted_obligation() -> None:
    assert not any(registry()[f.instead].refutes for f in findings())


def test_privacy_comes_first_and_lost_privacy_before_all_else() -> None:
    places = [order(f) for f in findings()]
    assert places == sorted(places)
    assert (findings()[0].concerns, findings()[0].kind) == ("privacy", next(iter(KINDS)))


@pytest.mark.parametrize("finding", findings(), ids=lambda f: f.id)
def test_the_evidence_for_a_finding_is_recorded(finding: Finding) -> None:
    known = evidence(finding)
    assert known.levels == tuple(level for level in LEVELS if level in known.levels)
    assert all(re.fullmatch("[0-9a-f]{64}", c.digest) for c in known.certificates)
    assert citing.citation(finding.paper) in CITATIONS


def test_every_negation_of_coq_belongs_to_a_finding() -> None:
    assert {name for f in findings() for name in evidence(f).negations} == {n.theorem for n in NEGATIONS}


def test_an_obligation_a_claim_and_a_paper_lead_to_their_findings() -> None:
    assert [f.id for f in named("dp-erm-revisited/E1")] == [THEOREM]
    assert [f.id for f in named("dp-erm-revisited/theorem-5.3@as-printed,replace-one")] == [THEOREM]
    assert {f.paper for f in named("kl-condition")} == {"kl-condition"}


def spoilt(**changes: object) -> Finding:
    (finding,) = named(THEOREM)
    return replace(finding, **changes)  # type: ignore[arg-type]


def test_planted_bug_a_finding_that_lacks_what_its_kind_needs_says_so() -> None:
    assert spoilt().faults() == ()
    planted = {
        "its kind needs an instance": spoilt(instance=None, hypotheses=()),
        "the program's lines are P, Q": spoilt(prints=("P = 1",)),
        "names D, D'": spoilt(instance=replace(spoilt().instance, event="")),  # type: ignore[type-var]
        "a quotation has 1 to 39 words": spoilt(printed=(Quotation("word " * 40, "Theorem 1"),)),
        "has a condition missing": spoilt(only_for="n = 1"),
        "does not hold": spoilt(hypotheses=(PrintedHypothesis("more", "1 > 2"),)),
    }
    for told, finding in planted.items():
        assert any(told in fault for fault in finding.faults()), told


def test_a_second_checker_counts_for_the_certificate_that_it_accepted_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    o, other = registry()["kl-condition/E1"], registry()["kl-condition/E4"]
    facts = json.loads(path_of(o).read_text(encoding="utf-8"))["facts"]
    for digest, checker in ((checkers.digest(facts), "Coq"), (checkers.digest(facts[1:]), "")):
        monkeypatch.setattr(second, "_record", lambda digest=digest: checkers.Checkers({o.id: digest}))
        assert second.checker_of(o) == checker
        assert second.checker_of(other) == ""


# ------------------------------------------------------------------------------------ how it is shown


def test_the_list_counts_and_names_every_finding() -> None:
    shown = dpref("findings", "--concerns", "privacy")
    assert shown.exit_code == 0
    for f in findings():
        assert (f" {f.id} " in shown.stdout) == (f.concerns == "privacy")
    lost = sum((f.concerns, f.kind) == ("privacy", "privacy lost") for f in findings())
    assert f"{lost} privacy lost" in shown.stdout


def test_the_list_is_read_in_eighty_columns(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("dpref.cli.findings.console", lambda: Console(width=80))
    lines = dpref("findings", "private-saddle-points").stdout.splitlines()
    assert max(len(line) for line in lines[:-2]) <= 80
    assert len(lines) < 60  # no column of a few letters


def test_the_json_follows_its_schema_and_is_the_whole_list() -> None:
    document = json.loads(dpref("findings", "--json").stdout)
    assert list(violations(document, "findings.schema.json")) == []
    assert document["version"] == VERSION
    assert [f["id"] for f in document["findings"]] == [f.id for f in findings()]
    assert not any(a.get("at_least") == "0" for f in document["findings"] for a in f["audited"])
    document["findings"][0]["kind"] = "wrong"
    assert list(violations(document, "findings.schema.json")) != []


def test_one_finding_is_shown_whole() -> None:
    text = " ".join(dpref("findings", "dp-erm-revisited/E1").stdout.split())
    (finding,) = named(THEOREM)
    for part in (evidence(finding).certificates[0].digest, *finding.prints, "--check", "--bibtex", "not yet answered"):
        assert part in text
    assert "$" not in text
    assert "\\" not in text


def test_bibtex_cites_the_finding_with_its_text_and_digest_beside_the_paper(monkeypatch: pytest.MonkeyPatch) -> None:
    text = dpref("findings", THEOREM, "--bibtex").stdout
    (finding,) = named(THEOREM)
    assert text.startswith("@misc{dpref-dp-erm-revisited-theorem-5.3,\n")
    assert f"version {VERSION}" in text
    assert f"certificate dp-erm-revisited/E1, SHA-256 {evidence(finding).certificates[0].digest}" in text
    assert f"  url = {{{citing.site()}/generated/findings/dp-erm-revisited.html\\#finding-" in text
    assert CITATIONS["wang2017revisited"].bibtex in text
    assert text.count("{") == text.count("}")
    monkeypatch.setattr(citing, "checkout", lambda: "0123abc")
    assert "; commit 0123abc; " in citing.entry(finding)


def test_a_commit_is_cited_only_where_nothing_is_changed(monkeypatch: pytest.MonkeyPatch) -> None:
    def of(changed: str, head: str, code: int = 0) -> str:
        answers = {"status": changed, "rev-parse": head}
        monkeypatch.setattr(
            subprocess, "run", lambda words, **_: SimpleNamespace(returncode=code, stdout=answers[words[3]])
        )
        monkeypatch.setattr(Path, "exists", lambda _: True)
        return citing.checkout.__wrapped__()

    assert of("", "0123abc\n") == "0123abc"
    assert of(" M proofs/kernel.py\n", "0123abc\n") == ""
    assert of("", "0123abc\n", code=128) == ""


def test_bad_usage_is_named() -> None:
    unknown = dpref("findings", "kl-condition/nowhere")
    assert (unknown.exit_code, unknown.stdout) == (2, "")
    assert "ID = 'kl-condition/nowhere': must be the id of a finding" in unknown.stderr
    assert "concerns = 'taste': must be one of privacy, utility" in dpref("findings", "--concerns", "taste").stderr
    assert "--note = 'no-paper': must be the short name of a paper" in dpref("findings", "--note", "no-paper").stderr
    for two in (("--json", "--bibtex"), ("--bibtex", "--check")):
        assert f"options = '{' '.join(two)}': must be one of --json" in dpref("findings", *two).stderr


@pytest.mark.parametrize(
    ("latex", "text"),
    [
        (r"$\sigma^2=\frac{4G^2T}{n^2}$", "sigma^2 = (4 G^2T)/n^2"),
        (r"at $\varepsilon\le2\ln(1/\delta)$", "at epsilon <= 2 ln (1/delta)"),
        (r"$\mathbb E\lVert v\rVert^2\ge\sqrt{\frac12}$", "E|v|^2 >= sqrt(1/2)"),
        ("no formula", "no formula"),
    ],
)
def test_formulas_are_read_as_text(latex: str, text: str) -> None:
    assert plain(latex).replace(" ", "") == text.replace(" ", "")


# ------------------------------------------------------------------------------------ the note


@pytest.mark.parametrize("paper", TITLES)
def test_a_note_begins_with_what_holds_and_has_a_program_a_result(paper: str) -> None:
    text = note.note(paper)
    headings = re.findall(r"^## (.*)$", text, flags=re.MULTILINE)
    assert headings[:2] == ["What holds", "What we could not confirm"]
    assert headings[-1] == "How to confirm or dispute a result"
    assert 1 <= text.count("```python") <= note.SHOWN
    assert len(text.split()) < 2100  # three pages at most, programs included
    assert all(f.id in text for f in findings() if f.paper == paper and f.needs_program)


def test_a_note_is_written_as_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert "The note: dpref-note-kl-condition.md" in dpref("findings", "--note", "kl-condition").stdout
    assert (tmp_path / "dpref-note-kl-condition.md").read_text(encoding="utf-8") == note.note("kl-condition")


def test_the_typeset_note_keeps_code_and_escapes_text() -> None:
    text = note.typeset("## A *b* $c\n\n```python\nx = '$'\n```\n* `id`, **d**")
    assert text.splitlines()[3:] == ["== A #emph[b] \\$c", "", "```python", "x = '$'", "```", "- `id`, #strong[d]"]
