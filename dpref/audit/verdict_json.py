"""A verdict as JSON: numbers are decimal text, rounded outward."""

from __future__ import annotations

from typing import Any

from dpref.audit.claim_files import claimed_loss, named
from dpref.audit.known import Ends
from dpref.audit.subjects import Witness
from dpref.audit.verdict import DECLARED, HYPOTHESIS, Verdict
from dpref.reals import decimal_down, decimal_up


def verdict_to_json(verdict: Verdict) -> dict[str, Any]:
    """The verdict as the published schema describes it: numbers are decimal text, rounded outward."""
    claim, seen = verdict.claim, verdict.empirical
    return {
        **named(claim),
        "release": claim.release,
        "claimed": claimed_loss(claim, decimal_up),
        "certified": _ends(verdict.certified),
        "empirical": {
            "lower": decimal_down(verdict.empirical_lower),
            "confidence": decimal_down(seen.confidence),
            "trials": seen.trials,
            "seed": seen.seed,
        },
        "verdict": verdict.outcome,
        "expected": claim.expected,
        "evidence": list(verdict.evidence),
        "witness": None if verdict.witness is None else _witness(verdict.witness),
        "slack": _ends(verdict.slack),
        "epsilon": {
            "delta": decimal_up(claim.delta),
            "claimed": decimal_up(verdict.claimed_epsilon),
            "certified": _ends(verdict.epsilon),
            "empirical": decimal_down(seen.epsilon),
        },
        "gaussian": {
            "mu": decimal_down(seen.mu),
            "epsilon": decimal_down(seen.gaussian_epsilon),
            "hypothesis": HYPOTHESIS,
        },
        "obligations": list(claim.obligations),
        "charitable": claim.charitable,
        "quote": claim.quote,
        "place": claim.place,
        "alarms": list(verdict.alarms),
        "notes": list(verdict.notes),
        "provenance": "derived" if verdict.declared is None else DECLARED,
        "declared": None if verdict.declared is None else _ends(verdict.declared.loss),
        "reach": {
            "lower": decimal_up(verdict.most_shown),
            "epsilon": decimal_up(verdict.reach.epsilon),
            "trials": verdict.trials_needed,
        },
        "facts": dict(verdict.facts),
        "statement": claim.statement,
        "reading": claim.reading,
    }


def _ends(ends: Ends) -> dict[str, str]:
    return {"lower": decimal_down(ends.lower), "upper": decimal_up(ends.upper)}


def _witness(witness: Witness) -> dict[str, Any]:
    return {
        "name": witness.name,
        "unit": witness.unit,
        "attained": witness.attained,
        "obligations": list(witness.obligations),
    }
