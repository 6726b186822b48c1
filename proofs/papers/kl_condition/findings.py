"""Findings about Menart et al. (arXiv 2311.13447), and what became of the older ones."""

from __future__ import annotations

from typing import Final

from proofs.findings.declared import Correction, Finding, Provenance
from proofs.papers.kl_condition.findings_bounds import BOUNDS
from proofs.papers.kl_condition.findings_privacy import PRIVACY
from proofs.papers.kl_condition.findings_utility import UTILITY

READ: Final = Provenance(
    arxiv="2311.13447",
    version="unknown",
    date="unknown",
    title="Differentially Private Non-Convex Optimization under the KL Condition with Optimal Rates",
    sha256="8134a1c524be2fd7d1ff3673b98a3588441a3f2d7bf7ebca8fedb25ee15ca123",
    others="arXiv lists v1 of 22 November 2023 and v2 of 3 April 2024; the text does not say which of them it is. The"
    " other one and the paper in the proceedings of ALT 2024 were not compared.",
)

FINDINGS: Final[tuple[Finding, ...]] = (*PRIVACY, *UTILITY, *BOUNDS)


def _corrected(item: str, why: str) -> Correction:
    return Correction(f"kl-condition/{item}", "corrected", "2026-11-28", why)


CORRECTIONS: Final[tuple[Correction, ...]] = (
    _corrected(
        "theorem-1",
        "The theorem holds for a record that is nulled. The instance has now 100 rounds in place of one, and its K is"
        " the printed number without rounding.",
    ),
    _corrected(
        "theorem-3",
        "It was called false as stated; it fails only if a noisy norm may be negative, which Appendix D does not have in mind.",
    ),
    _corrected(
        "E6",
        "It takes over the three claims about norms that are not released, and says that their excess is a thousandth"
        " and is no evidence against Theorem 3.",
    ),
    _corrected("lemma-8", "It is a remark: the lemma is not refuted."),
    _corrected("theorem-5", "It is a remark: the theorem is not refuted."),
    _corrected("E3", "It is a remark: Theorem 1 has the ball around the start and is not touched."),
    _corrected("E10", "It is a remark: the text does not say that the bound is public, and does not deny it."),
    _corrected("E40", "It was called false as stated; it holds for large dimensions, and Theorem 4 has both terms."),
    _corrected("E5", "It refutes a sentence of Lemma 10 and not only its proof; the constant is wrong."),
    _corrected("E23", "It refutes Lemma 10 and not only its proof; a factor of the square root of 2 is missing."),
    _corrected("E24", "It is known to fail in small dimensions only; a factor 2 is missing."),
    _corrected("E11", "It is a slip: the proof speaks of the right iterate."),
    _corrected("E25", "It is a slip: Lemma 13 has the right constant."),
    _corrected("E28", "The obligation that is named as true instead is now about the level itself."),
)
