"""What answers a printed statement about privacy that is called false: a theorem of Coq, or what it is.

A claim of the catalogue says of a release that it is private; if it is refuted, its sentence is negated in Coq.  A
refuted obligation that no such claim rests on says something else, a
formula or a step of a proof, and declares what (`proofs.registry.Obligation.sentence`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from proofs.findings.finding import Finding
from proofs.registry import registry


def refuted_about_privacy(found: Sequence[Finding]) -> tuple[Finding, ...]:
    """Those that are refuted and concern privacy."""
    return tuple(f for f in found if f.concerns == "privacy" and f.standing == "refuted")


def answers(finding: Finding) -> Mapping[str, tuple[str, ...]]:
    """The theorems that negate it, or what sort of sentence it is.

    Of a finding that is refuted and concerns privacy there is one of the two; a test asks for it.

    >>> from proofs.findings.gathering import named
    >>> [answers(f) for name in ("dp-erm-revisited/theorem-5.3", "private-saddle-points/E2") for f in named(name)]
    [{'theorem': ('theorem_5_3_is_false',)}, {'sentence': ('a formula',)}]
    """
    said = tuple(s for c in finding.certificates if (s := registry()[c.obligation].sentence) is not None)
    given = {"theorem": finding.negations, "sentence": said}
    return {kind: answer for kind, answer in given.items() if answer}


def unanswered(found: Sequence[Finding]) -> tuple[str, ...]:
    """The ids of those that are refuted, concern privacy, and have no answer, or answers that exclude one another."""
    return tuple(f.id for f in refuted_about_privacy(found) if len(answers(f)) != 1)


def other_sentences(found: Sequence[Finding]) -> Mapping[str, str]:
    """By id, what sort of sentence it is, of those that say of no release that it is private."""
    given = {f.id: answers(f).get("sentence", ()) for f in refuted_about_privacy(found)}
    return {name: ", ".join(sentences) for name, sentences in given.items() if sentences}
