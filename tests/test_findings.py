"""Findings: each refuted statement once, everything said of it derived, and how it is listed, shown and cited."""

from __future__ import annotations

import json
import re
import subprocess
from pathlib import Path
from types import SimpleNamespace

import pytest
from rich.console import Console
from typer.testing import CliRunner, Result

from dpref.audit.catalogue import catalogue
from dpref.audit.claims import KINDS
from dpref.audit.papers.titles import TITLES
from dpref.audit.papers.true_instead import TRUE_INSTEAD
from dpref.cli import app
from dpref.documents import violations
from dpref.version import VERSION
from proofs.check import path_of
from proofs.citations import CITATIONS
from proofs.coq import checkers
from proofs.findings import citing, gathering, second
from proofs.findings.finding import LEVELS, Finding
from proofs.findings.gathering import findings, named
from proofs.findings.plain import plain
from proofs.findings.quoting import quotations
from proofs.negations import NEGATIONS
from proofs.registry import registry

THEOREM = "dp-erm-revisited/theorem-5.3"


def dpref(*arguments: str) -> Result:
    return CliRunner().invoke(app, arguments, prog_name="dpref")


# ------------------------------------------------------------------------------------ what there is


def test_every_refuted_statement_is_in_a_finding_and_no_other_is() -> None:
    refuted = {o.id for o in registry().values() if o.refutes and o.paper in TITLES}
    assert {c.obligation for f in findings() for c in f.certificates} == refuted
    failing = {c.id for c in catalogue() if c.kind is not None}
    assert {a.claim.id for f in findings() for a in f.audited} == failing
    assert len({f.id for f in findings()}) == len(findings())


def test_every_item_that_does_not_hold_says_what_is_true_instead_and_no_other_does() -> None:
    failing = {(c.paper, c.item) for c in catalogue() if c.kind is not None}
    said = {(paper, item) for paper, items in TRUE_INSTEAD.items() for item in items}
    assert said == failing
    for f in findings():
        assert f.true.endswith((".", ")")), f.id
        assert f.true.count("$") % 2 == 0, f.id


@pytest.mark.parametrize("finding", findings(), ids=lambda f: f.id)
def test_a_finding_is_whole(finding: Finding) -> None:
    assert finding.kind in KINDS
    assert finding.levels
    assert finding.levels == tuple(level for level in LEVELS if level in finding.levels)
    assert finding.repaired
    assert finding.citation in CITATIONS
    known = {c.id for c in catalogue()} | set(registry())
    assert set(finding.repaired) <= known
    assert finding.quotations
    assert all(len(q.words.split()) < 40 and q.place for q in finding.quotations)
    if finding.concerns == "privacy":
        assert finding.adjacencies
    if finding.audited:
        assert finding.charitable
        assert "refuted" not in {verdict for _, verdict in finding.charitable}
    if finding.standing == "refuted":
        assert finding.certificates or any(a.certified for a in finding.audited)
    assert all(re.fullmatch("[0-9a-f]{64}", c.digest) and c.witness for c in finding.certificates)


def test_privacy_comes_first_and_what_is_false_as_stated_before_slips() -> None:
    order = [(f.concerns, KINDS.index(f.kind)) for f in findings()]
    assert order == sorted(order)
    assert order[0] == ("privacy", 0)
    assert order[-1][0] == "utility"


def test_what_only_a_proof_does_not_show_is_not_called_refuted() -> None:
    standing = {f.id: f.standing for f in findings()}
    assert standing["kl-condition/lemma-8"] == standing["kl-condition/theorem-5"] == "not shown"
    assert standing[THEOREM] == "refuted"


def test_an_obligation_leads_to_the_findings_that_it_refutes() -> None:
    assert [f.id for f in named("dp-erm-revisited/P76")] == [
        "dp-erm-revisited/theorem-4.1",
        "dp-erm-revisited/theorem-4.3",
    ]
    assert {f.paper for f in named("kl-condition")} == {"kl-condition"}


def test_planted_bug_a_refutation_without_kind_or_truth_is_no_finding(monkeypatch: pytest.MonkeyPatch) -> None:
    o = registry()["dp-erm-revisited/E26"]
    monkeypatch.setattr(gathering, "sources", lambda: (gathering.Source("dp-erm-revisited/x", (), ()),))
    with pytest.raises(ValueError, match="neither a claim nor a refuted obligation"):
        gathering.findings.__wrapped__()
    claims = tuple(c for c in catalogue() if c.item == "theorem-5.3" and c.kind)
    monkeypatch.setattr(gathering, "sources", lambda: (gathering.Source(THEOREM, claims, (o,)),))
    monkeypatch.setattr(gathering, "TRUE_INSTEAD", {"dp-erm-revisited": {}})
    with pytest.raises(KeyError, match=r"theorem-5\.3"):
        gathering.findings.__wrapped__()


def test_a_sentence_that_is_negated_in_coq_says_so() -> None:
    levels = {f.id: f.levels for f in findings()}
    assert "negated in Coq" in levels["dp-erm-revisited/theorem-5.3"]
    assert "negated in Coq" not in levels["private-saddle-points/E2"]
    negated = {name for f in findings() for name in f.negations}
    assert negated == {n.theorem for n in NEGATIONS}


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
    assert "16 false as stated" in shown.stdout


def test_the_list_is_read_in_eighty_columns(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("dpref.cli.findings.console", lambda: Console(width=80))
    lines = dpref("findings", "private-saddle-points").stdout.splitlines()
    rows = [line for line in lines if line.strip() and not line.startswith("11 findings")]
    assert max(map(len, rows)) <= 80
    assert len(rows) < 40  # no column of a few letters
    assert sum(line.strip() == "privacy: proof does not show it" for line in rows) == 1


def test_the_json_follows_its_schema_and_is_the_whole_list() -> None:
    document = json.loads(dpref("findings", "--json").stdout)
    assert list(violations(document, "findings.schema.json")) == []
    assert document["version"] == VERSION
    assert [f["id"] for f in document["findings"]] == [f.id for f in findings()]
    document["findings"][0]["standing"] = "wrong"
    assert list(violations(document, "findings.schema.json")) != []


def test_one_finding_is_shown_whole() -> None:
    text = " ".join(dpref("findings", "dp-erm-revisited/E1").stdout.split())
    (finding,) = named(THEOREM)
    for part in (finding.certificates[0].digest, "epsilon is at least inf", "replace-one", finding.command, "--bibtex"):
        assert part in text
    assert "$" not in text
    assert "\\" not in text


def test_bibtex_cites_the_finding_with_its_digest_beside_the_paper(monkeypatch: pytest.MonkeyPatch) -> None:
    text = dpref("findings", THEOREM, "--bibtex").stdout
    (finding,) = named(THEOREM)
    assert text.startswith("@misc{dpref-dp-erm-revisited-theorem-5.3,\n")
    assert f"version {VERSION}" in text
    assert f"certificate dp-erm-revisited/E1, SHA-256 {finding.certificates[0].digest}" in text
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
        monkeypatch.setattr(citing, "_ROOT", Path(__file__).parents[1])
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
    for two in (("--json", "--bibtex"), ("--bibtex", "--check")):
        assert f"options = '{' '.join(two)}': must be one of the three" in dpref("findings", *two).stderr


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


def test_an_erratum_is_quoted_in_one_file_and_a_claim_in_its_own() -> None:
    errata = {f.id for f in findings() if not f.audited}
    assert set(quotations()) == errata


@pytest.mark.parametrize("entry", ['words = "%s"\nplace = "Lemma 1"' % ("word " * 40), 'words = "Then."\nplace = ""'])
def test_planted_bug_a_long_quotation_or_one_without_a_place_is_refused(entry: str, tmp_path: Path) -> None:
    path = tmp_path / "quotations.toml"
    path.write_text(f'[["kl-condition/E3"]]\n{entry}\n', encoding="utf-8")
    with pytest.raises(ValueError, match="kl-condition/E3: a quotation has 1 to 39 words and a place"):
        quotations(path)
