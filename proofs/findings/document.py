"""A finding as a JSON object; ``dpref/schemas/findings.schema.json`` describes it."""

from __future__ import annotations

from typing import Any

from dpref.audit.papers.titles import TITLES
from proofs.findings.checking import program_of
from proofs.findings.citing import citation
from proofs.findings.declared import Finding
from proofs.findings.evidence import Audited, evidence
from proofs.findings.gathering import read
from proofs.registry import registry


def document(finding: Finding) -> dict[str, Any]:
    """Return everything that is known of a finding."""
    shown, at, instead = evidence(finding), finding.instance, registry()[finding.instead]
    return {
        "id": finding.id,
        "paper": {
            "name": finding.paper,
            **TITLES[finding.paper]._asdict(),
            "citation": citation(finding.paper),
            "read": vars(read(finding.paper)),
        },
        "concerns": finding.concerns,
        "kind": finding.kind,
        "title": finding.title,
        "only_for": finding.only_for,
        "printed": [q._asdict() for q in finding.printed],
        "sentence": finding.sentence,
        "fails": finding.fails,
        "hypotheses": [
            {**h._asdict(), "holds": finding.holds(h) if h.check else "in words"} for h in finding.hypotheses
        ],
        "instance": None if at is None else {**vars(at), "parameters": dict(at.parameters)},
        "program": program_of(finding).read_text(encoding="utf-8") if finding.prints else "",
        "prints": list(finding.prints),
        "kindest": finding.kindest._asdict(),
        "true_instead": {"obligation": instead.id, "title": instead.title, "statement": instead.statement},
        "known_before": finding.known,
        "levels": list(shown.levels),
        "audited": list(map(_audited, shown.audited)),
        "certificates": [
            {"obligation": c.obligation, "sha256": c.digest, "witness": c.witness, "second": c.second}
            for c in shown.certificates
        ],
        "negations": list(shown.negations),
        "resting": list(shown.resting),
        "authors": finding.answer._asdict(),
    }


def _audited(a: Audited) -> dict[str, Any]:
    """Return a claim with its recorded verdict; what is certified of it only where something is."""
    judged: dict[str, Any] = {"claim": a.claim.id, "verdict": a.claim.expected, "release": a.claim.release}
    if a.least == "0":
        return judged
    return {
        **judged,
        "reading": a.claim.reading,
        "unit": a.unit,
        "at_least": a.least,
        "witness": a.witness,
        "delta": a.delta,
        "epsilon_claimed": a.epsilon_claimed,
        "epsilon_at_least": a.epsilon_least,
    }
