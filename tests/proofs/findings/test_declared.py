"""Every paper's findings keep their contract, and every program shows what its page states, without dpref."""

from __future__ import annotations

import ast
import importlib
import subprocess
import sys
from pathlib import Path

import pytest

import proofs
from dpref.audit.catalogue import catalogue
from proofs.findings.declared import PROGRAM_LINES, Correction, Finding, Provenance
from proofs.registry import registry

PROOFS = Path(proofs.__file__).parent
PAPERS = sorted(path.parent.name for path in (PROOFS / "papers").glob("*/findings.py"))
PLAIN = {"__future__", "collections", "fractions", "functools", "itertools", "math", "mpmath", "numpy", "random"}


def declared(paper: str) -> tuple[Provenance, tuple[Finding, ...], tuple[Correction, ...]]:
    module = importlib.import_module(f"proofs.papers.{paper}.findings")
    return module.READ, module.FINDINGS, module.CORRECTIONS


def all_findings() -> list[Finding]:
    return [finding for paper in PAPERS for finding in declared(paper)[1]]


@pytest.mark.parametrize("finding", all_findings(), ids=lambda f: f.id)
def test_a_finding_keeps_its_contract(finding: Finding) -> None:
    claims, obligations = {claim.id for claim in catalogue()}, registry().keys()
    assert finding.faults() == ()
    assert finding.instead in obligations
    assert set(finding.claims) <= claims
    assert set(finding.refutations) <= obligations
    assert finding.kindest.shown_by in {"", *claims, *obligations}
    assert (PROOFS / finding.program).exists() == bool(finding.prints)


@pytest.mark.parametrize("paper", PAPERS)
def test_ids_are_those_of_the_paper_and_none_is_lost_without_a_word(paper: str) -> None:
    _, findings, corrections = declared(paper)
    ids = [finding.id for finding in findings]
    assert len(set(ids)) == len(ids)
    assert all(name.startswith(paper.replace("_", "-") + "/") for name in ids)
    gone = {c.id for c in corrections if c.what != "corrected"}
    assert not gone & set(ids)
    assert {c.by for c in corrections if c.what == "superseded"} <= set(ids)
    programs = {path.name for path in (PROOFS / "papers" / paper / "programs").glob("*.py")}
    assert programs == {Path(finding.program).name for finding in findings if finding.prints}


def imported(text: str) -> set[str]:
    """Return the names of the packages that a program imports."""
    nodes = list(ast.walk(ast.parse(text)))
    plain = {name.name for node in nodes if isinstance(node, ast.Import) for name in node.names}
    return {name.partition(".")[0] for name in plain | {n.module or "" for n in nodes if isinstance(n, ast.ImportFrom)}}


@pytest.mark.parametrize("finding", [f for f in all_findings() if f.prints], ids=lambda f: f.id)
def test_a_program_prints_what_the_page_states(finding: Finding) -> None:
    path = PROOFS / finding.program
    text = path.read_text(encoding="utf-8")
    assert len(text.splitlines()) <= PROGRAM_LINES
    assert imported(text) <= PLAIN
    assert not any(line in text for line in finding.prints), "the result is typed instead of computed"
    done = subprocess.run([sys.executable, "-I", path], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines() == list(finding.prints)
