"""The registry, the drift check and the report; the planted bugs are library formulas with one thing wrong."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import proofs
from dpref.algorithms.dynamic_gradient_descent import formulas as schedules
from dpref.algorithms.registry import ALGORITHMS
from dpref.experiments.catalogue import EXPERIMENTS
from dpref.privacy.closed_forms import conversions, divergences
from dpref.problems import erm
from dpref.reals import Ops, T
from proofs import Obligation, Report, kernel
from proofs.algebra import Rejected
from proofs.check import ASSUMPTIONS, _replayed, write, write_statuses
from proofs.citations import CITATIONS
from proofs.formulas import formula
from proofs.registry import registry

ROOT = Path(proofs.__file__).parent
# Papers whose obligations are all registered; of the others only what is already proved can be cited.
WHOLE = ("gaussian", "zcdp", "sensitivity", "exponential-mechanism", "dynamic-privacy-budget", "private-saddle-points",
         "dp-erm-revisited")  # fmt: skip
TRUSTED = ("kernel.py", "terms.py", "algebra.py", "induction.py", "balls.py")


def test_every_certificate_replays_and_is_about_the_library_of_today(report: Report) -> None:
    assert report.problems == ()


def test_headline_statuses(report: Report) -> None:
    status = {row.id: row.formulas for row in report.rows}
    assert status["gaussian/delta-decreasing"] == "proved"
    for name in ("exponential-mechanism/pure-dp", "renyi/bounded-range", "zcdp/to-dp"):
        assert status[name] == "proved"
    for name in ("zcdp/composition", "composition/approximate-zcdp"):  # on any output space
        assert status[name] == "proved"
    for name in ("pld/composition", "gaussian/composition", "guarantees/best-of"):  # cited beyond finite spaces
        assert status[name] == "proved in part"
    assert status["sensitivity/replace-one"] == "certified"
    assert status["dynamic-privacy-budget/PO-10"] == "proved"
    assert status["dynamic-privacy-budget/theorem-4.6-C"] == "proved in part"
    assert status["dynamic-privacy-budget/theorem-3.5"] == "by construction"
    assert status["composition/advanced"] == "proved in part"
    for name in ("T1", "printed-rho", "printed-budget"):
        assert status[f"dynamic-privacy-budget/{name}"] == "refuted"
    assert status["dp-erm-revisited/E10"] == "refuted"


def test_every_obligation_that_an_algorithm_cites_exists() -> None:
    assert {i for a in ALGORITHMS.values() for i in a.evidence if i.startswith(WHOLE)} <= set(registry())


def test_every_obligation_that_the_library_names_exists() -> None:
    pattern = re.compile(rf'["`]((?:{"|".join(WHOLE)})/[A-Za-z0-9.-]+)["`]')
    named = {
        name
        for path in (ROOT.parent / "dpref").rglob("*.py")
        for name in pattern.findall(path.read_text(encoding="utf-8"))
        if "algorithm-" not in name and "@" not in name
    }
    assert "gaussian/delta-decreasing" in named
    named -= {experiment.name for experiment in EXPERIMENTS}  # named like a paper's figures and tables, not obligations
    assert named <= set(registry()) | {"dynamic-privacy-budget/section-4.1.3"}


def test_every_erratum_is_linked_to_a_repaired_form_that_is_not_refuted(report: Report) -> None:
    rows = {row.id: row for row in report.rows}
    for row in rows.values():
        if row.repaired_by:
            assert row.formulas == "refuted"
            assert rows[row.repaired_by].formulas not in ("open", "refuted"), row.id


def test_a_refuted_statement_shows_its_witness(report: Report) -> None:
    row = next(r for r in report.rows if r.id == "dp-erm-revisited/E10")
    assert "epsilon = 21/2" in row.witness
    assert row.repaired_by == "gaussian/classical-calibration"


@pytest.mark.slow
def test_a_filter_shows_less_and_checks_as_much(certificates: Path) -> None:
    shown = proofs.run("gaussian", "proved", folder=certificates)
    names = ("delta-decreasing", "delta-increasing", "renyi", "zcdp", "privacy-curve")
    assert {row.id for row in shown.rows} == {f"gaussian/{name}" for name in names}
    assert shown.counts["formulas"] == {"proved": len(names)}
    assert shown.ok
    (certificates / "gaussian" / "renyi.json").unlink()
    assert not proofs.run("gaussian", "proved", folder=certificates).ok


def test_one_obligation_is_checked_with_what_it_rests_on_and_nothing_else() -> None:
    alone = proofs.run(only=["zcdp/to-dp"])
    assert alone.ok
    assert {row.id for row in alone.rows} == {"zcdp/to-dp", *registry()["zcdp/to-dp"].premises}


def test_the_report_is_json(report: Report) -> None:
    body = json.loads(json.dumps(report.to_json()))
    assert body["ok"] is True
    fields = {
        "id",
        "paper",
        "item",
        "sentence",
        "formulas",
        "goals",
        "evidence",
        "witness",
        "about",
        "assumptions",
        "gaps",
        "remarks",
    }
    assert fields <= set(body["obligations"][0])
    assert set(body["counts"]) == {"sentences", "formulas"}
    for counted in body["counts"].values():
        assert sum(counted.values()) == len(body["obligations"]) == len(registry())


def test_every_obligation_says_what_it_is_about_and_cites() -> None:
    for o in registry().values():
        assert o.statement
        assert o.title
        assert o.citation in CITATIONS
        assert o.reference.bibtex.startswith("@")
        assert (ROOT.parent / o.code.partition(":")[0]).exists()
        for name in o.about:
            assert callable(formula(name))
        for premise in o.premises:
            assert premise in registry()


# ------------------------------------------------------------------------------------ drift: planted bugs


def wrong_sign(o: Ops[T], epsilon: T, mu: T) -> T:
    return divergences.normal_cdf(o, mu / 2 - epsilon / mu) + o.exp(epsilon) * divergences.normal_cdf(
        o, -mu / 2 - epsilon / mu
    )


def wrong_constant(o: Ops[T], rho: T, log_inverse_delta: T) -> T:
    return rho + 3 * o.sqrt(rho * log_inverse_delta)


def wrong_exponent(o: Ops[T], gamma: T, budget: T, steps: T, t: T) -> T:
    root = o.sqrt(gamma)
    return (root ** (-steps) - 1) / (1 - root) * root ** (2 * t) / budget


def halved(gradient_bound: Any, n: Any, adjacency: Any) -> Any:
    return gradient_bound / n


@pytest.mark.slow
@pytest.mark.parametrize(
    ("module", "name", "bug", "broken"),
    [
        (divergences, "gaussian_delta", wrong_sign, "gaussian/delta-decreasing"),
        (conversions, "zcdp_epsilon", wrong_constant, "zcdp/to-dp"),
        (schedules, "dynamic_variance", wrong_exponent, "dynamic-privacy-budget/PO-12"),
        (erm, "mean_gradient_sensitivity", halved, "sensitivity/replace-one"),
    ],
)
def test_a_changed_formula_is_drift(
    monkeypatch: pytest.MonkeyPatch, module: Any, name: str, bug: Callable[..., Any], broken: str
) -> None:
    monkeypatch.setattr(module, name, bug)
    problems = [p for p in proofs.run(only=[broken]).problems if p.startswith(f"{broken}:")]
    assert any("no longer the formula of the certificate" in p and name in p for p in problems)
    assert any("proves another claim" in p for p in problems)
    with pytest.raises(Rejected):
        registry()[broken].prove()


@pytest.mark.slow
def test_a_missing_certificate_is_a_problem(certificates: Path) -> None:
    (certificates / "zcdp" / "to-dp.json").unlink()
    found = proofs.run(folder=certificates)
    assert "zcdp/to-dp: no certificate; run: python -m proofs --write" in found.problems
    assert not found.ok


@pytest.mark.slow
@pytest.mark.parametrize(
    ("change", "problem"),
    [
        (lambda _: "{}", "does not follow the schema"),
        (lambda _: "[]", "does not follow the schema"),
        (lambda text: text.replace('"schema":1', '"schema":2'), "does not follow the schema"),
        (lambda text: text.replace('"id":"zcdp/to-dp"', '"id":"zcdp/composition"'), "another obligation's"),
        (lambda text: text.replace('"facts":[', '"facts":[1,'), "does not follow the schema"),
        (lambda text: text.replace('"status":', '"status":"open","status":'), "not JSON: a key stands twice"),
        (lambda text: text[:-9], "not JSON"),
    ],
)
def test_a_malformed_certificate_is_a_problem(certificates: Path, change: Callable[[str], str], problem: str) -> None:
    path = certificates / "zcdp" / "to-dp.json"
    path.write_text(change(path.read_text()))
    facts, problems, recorded = _replayed(registry()["zcdp/to-dp"], certificates)
    assert (facts, recorded) == ([], None)
    assert [p for p in problems if problem in p] == problems


def test_a_stray_certificate_is_a_problem(certificates: Path) -> None:
    (certificates / "zcdp" / "nothing.json").write_text("{}")
    assert "nothing.json: a certificate of no obligation" in proofs.run(folder=certificates).problems


def test_a_changed_list_of_assumptions_is_a_problem(certificates: Path) -> None:
    path = certificates / ASSUMPTIONS
    path.write_text(json.dumps(json.loads(path.read_text()) | {"gaussian/renyi": ["nobody: nothing"]}))
    assert any(p.startswith("gaussian/renyi: assumptions are") for p in proofs.run(folder=certificates).problems)


def test_a_certificate_of_a_weaker_fact_is_not_taken(certificates: Path) -> None:
    """An axiom in place of a proof replays, but the status is then worse than recorded."""
    path = certificates / "gaussian" / "delta-decreasing.json"
    c = json.loads(path.read_text())
    expr, relation, domain = c["facts"][1]["claim"]
    c["facts"][1] |= {"rule": "axiom", "args": [expr, relation, domain, "trust me"]}
    path.write_text(json.dumps(c))
    problems = proofs.run(folder=certificates).problems
    assert "gaussian/delta-decreasing: the status of its formulas is assumed, recorded as proved" in problems
    assert any("trust me" in p for p in problems)


def test_a_tampered_certificate_is_rejected(certificates: Path) -> None:
    path = certificates / "zcdp" / "rho-of-epsilon.json"
    c = json.loads(path.read_text())
    c["facts"][2]["args"][0] = {"symbol": "L"}
    path.write_text(json.dumps(c))
    assert any(p.startswith("zcdp/rho-of-epsilon: rejected") for p in proofs.run(folder=certificates).problems)


@pytest.mark.slow
def test_writing_changes_nothing(certificates: Path) -> None:
    names = ("zcdp/to-dp.json", "sensitivity/zero-out.json", ASSUMPTIONS)
    before = [(certificates / name).read_bytes() for name in names]
    write(("zcdp/to-dp", "sensitivity/zero-out"), certificates)
    assert [(certificates / name).read_bytes() for name in names] == before


def test_a_recorded_status_is_written_anew_without_a_tactic(
    certificates: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    paths = [certificates / "gaussian" / "delta-decreasing.json", certificates / ASSUMPTIONS]
    before = [path.read_bytes() for path in paths]
    paths[0].write_bytes(before[0].replace(b'"status":"proved"', b'"status":"tested"'))
    paths[1].write_text("{}")
    monkeypatch.setattr(Obligation, "prove", None)
    assert write_statuses(certificates) == ["gaussian/delta-decreasing: formulas tested -> proved"]
    assert [path.read_bytes() for path in paths] == before


# ------------------------------------------------------------------------------------ the trusted base


def test_the_trusted_files_know_nothing_of_the_library_and_decide_without_floats() -> None:
    forbidden = {"eval", "exec", "compile", "simplify", "sympify", "nsimplify", "evalf", "N", "float", "Float", "srepr"}
    for name in TRUSTED:
        tree = ast.parse((ROOT / name).read_text())
        imports = {n.module for n in ast.walk(tree) if isinstance(n, ast.ImportFrom)}
        imports |= {a.name for n in ast.walk(tree) if isinstance(n, ast.Import) for a in n.names}
        assert not {m for m in imports if m and m.startswith("dpref")}
        assert {m for m in imports if m and m.startswith("proofs")} <= {
            "proofs.terms",
            "proofs.algebra",
            "proofs.kernel",
        }
        called = {n.func.id for n in ast.walk(tree) if isinstance(n, ast.Call) and isinstance(n.func, ast.Name)}
        called |= {n.func.attr for n in ast.walk(tree) if isinstance(n, ast.Call) and isinstance(n.func, ast.Attribute)}
        assert not called & forbidden
        assert not [n for n in ast.walk(tree) if isinstance(n, ast.Constant) and isinstance(n.value, float)]


def test_rules_are_made_in_the_trusted_files_only() -> None:
    for path in ROOT.rglob("*.py"):
        makes = re.search(r"^@rule$|\b_KEY\b", path.read_text(), re.MULTILINE)
        assert not makes or path.name in TRUSTED, path


def test_the_kernel_can_be_read_in_one_sitting() -> None:
    assert len((ROOT / "kernel.py").read_text().splitlines()) < 400
    assert sum(len((ROOT / name).read_text().splitlines()) for name in TRUSTED) <= 1120
    page = (ROOT.parent / "docs/proofs.md").read_text()
    said = dict(re.findall(r"^\| `proofs/(\w+\.py)` \| (\d+) \|", page, re.MULTILINE))
    assert {name: int(lines) for name, lines in said.items()} == {
        name: len((ROOT / name).read_text().splitlines()) for name in TRUSTED
    }


def trusted_functions() -> dict[str, str]:
    """Each rule with its arguments; each other public function or method of the trusted files by its name alone."""
    found = {}
    for file in TRUSTED:
        for node in ast.parse((ROOT / file).read_text()).body:
            if isinstance(node, ast.FunctionDef) and any(ast.unparse(d) == "rule" for d in node.decorator_list):
                found[node.name] = f"{node.name}({', '.join(a.arg for a in node.args.args)})"
            elif isinstance(node, ast.FunctionDef | ast.ClassDef) and not node.name.startswith("_"):
                found[node.name] = node.name
            if isinstance(node, ast.ClassDef) and node.name == "Ring":
                methods = [m.name for m in node.body if isinstance(m, ast.FunctionDef) and not m.name.startswith("_")]
                found |= {f"Ring.{m}": f"Ring.{m}" for m in methods}
    return found


# What only holds data, or an error: said in the introduction of the page.
PLAIN = {"Rejected", "Interval", "Claim"}


def argued() -> dict[str, str]:
    """The sections of the page of rules, by each name in their headings."""
    page = (ROOT.parent / "docs/kernel-rules.md").read_text(encoding="utf-8")
    sections = re.findall(r"^### (.*?)\n(.*?)(?=^##|\Z)", page, re.MULTILINE | re.DOTALL)
    return {name: text for heading, text in sections for name in re.findall(r"`([^`]+)`", heading)}


def test_every_rule_and_what_it_leans_on_has_a_soundness_argument() -> None:
    sections = argued()
    functions = trusted_functions()
    assert {n for n, heading in functions.items() if "(" in heading} == set(kernel.RULES)
    missing = sorted(heading for name, heading in functions.items() if heading not in sections and name not in PLAIN)
    assert not missing, f"docs/kernel-rules.md says nothing of {missing}"
    stale = sorted(set(sections) - set(functions.values()))
    assert not stale, f"docs/kernel-rules.md speaks of {stale}, which the trusted files do not have"


@pytest.mark.parametrize("name", sorted(argued()))
def test_a_soundness_argument_says_what_why_and_on_whose_word(name: str) -> None:
    text = " ".join(argued()[name].split())
    states, sound, trusts = (text.find(mark) for mark in ("**States.**", "**Sound because", "**Trusts"))
    assert 0 <= states < sound < trusts
    assert len(text[sound:trusts].split()) >= 15


def test_a_rule_without_an_argument_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(kernel.RULES, "wish", kernel.RULES["axiom"])
    with pytest.raises(AssertionError):
        test_every_rule_and_what_it_leans_on_has_a_soundness_argument()


def test_a_tested_obligation_names_tests_that_exist() -> None:
    named = [t for o in registry().values() for t in o.tests]
    assert named
    for test in named:
        path, _, function = test.partition("::")
        assert f"def {function}(" in (ROOT.parent / path).read_text()


def test_the_paper_is_whole(report: Report) -> None:
    rows = {row.id: row for row in report.rows if row.paper == "dynamic-privacy-budget"}
    assert {f"dynamic-privacy-budget/PO-{i}" for i in range(1, 62)} <= set(rows)
    errata = {name.removeprefix("dynamic-privacy-budget/T").rstrip("abcdef") for name in rows if "/T" in name}
    assert {str(i) for i in range(1, 28)} <= errata
    assert sum(row.sentence == "open" for row in rows.values()) <= 0.1 * len(rows)
    headline = {
        "T4": "theorem-4.6-C",
        "printed-rho": "",
        "T16b": "equation-15-repaired",
        "T19": "stability",
        "lemma-C.7-as-printed": "lemma-C.7",
        "T21": "PO-57",
    }
    for name, repaired in headline.items():
        row = rows[f"dynamic-privacy-budget/{name}"]
        assert row.formulas == "refuted"
        assert row.witness
        assert row.repaired_by.endswith(repaired)
