"""Findings in Hong, Wang and Zhou, dynamic privacy budgets for private gradient descent (arXiv 2101.07413)."""

from __future__ import annotations

from typing import Final

from proofs.findings.declared import Correction, Finding, Provenance
from proofs.papers.dynamic_privacy_budget.findings_descent import DESCENT
from proofs.papers.dynamic_privacy_budget.findings_momentum import MOMENTUM
from proofs.papers.dynamic_privacy_budget.findings_privacy import PRIVACY
from proofs.papers.dynamic_privacy_budget.findings_risk import RISK

_DATE: Final = "2026-11-28"
_PAPER: Final = "dynamic-privacy-budget"

READ: Final = Provenance(
    arxiv="2101.07413",
    version="unknown",
    date="2022",
    title="Dynamic Privacy Budget Allocation Improves Data Efficiency of Differentially Private Gradient Descent",
    sha256="51071aeeae44a2c4e6c793ceeacb1feacb39df3f94c6974e42cdc18c49014a9a",
    others="The text names its publication at FAccT 2022 (doi 10.1145/3531146.3533070). The published version, and the first"
    " arXiv version of January 2021 that the id implies, were not compared.",
)

FINDINGS: Final[tuple[Finding, ...]] = (*PRIVACY, *DESCENT, *MOMENTUM, *RISK)


def _corrected(item: str, why: str) -> Correction:
    return Correction(f"{_PAPER}/{item}", "corrected", _DATE, why)


CORRECTIONS: Final[tuple[Correction, ...]] = (
    Correction(
        f"{_PAPER}/theorem-4.10",
        "withdrawn",
        _DATE,
        "Theorem 4.10 is about risk and claims no privacy; the account of a batch is the finding section-4.3.",
    ),
    Correction(
        f"{_PAPER}/algorithm-1",
        "superseded",
        _DATE,
        "Algorithm 1 is private by Theorem 3.5, so the two are one sentence.",
        f"{_PAPER}/theorem-3.5",
    ),
    Correction(
        f"{_PAPER}/section-4.1.3",
        "superseded",
        _DATE,
        "The same root is printed in two places, and the experiments have it right; the comparison that follows from it is the"
        " finding T5.",
        f"{_PAPER}/lemma-c.4-inversion",
    ),
    _corrected(
        "theorem-3.5",
        "It was called false as stated; it holds for the neighbours of Definition C.2, and the finding now covers every schedule.",
    ),
    _corrected(
        "section-4.3",
        "It was called false as stated; the section leaves the constant c open and cites another work, and a bound on the orders"
        " is what is missing.",
    ),
    _corrected(
        "section-4.4",
        "The section prints no rule of choice, and the page begins with that; the number 174762 was an arbitrary parameter and is"
        " gone.",
    ),
    _corrected("T27", "It was called false as stated; it is an edge case that changes no theorem."),
    _corrected("T21", "It was called false as stated; the lemma holds for three records or more."),
    _corrected(
        "T17",
        "It was called false as stated; a step of the argument does not show what is said, and no counterexample with gradient"
        " descent is known.",
    ),
    _corrected("T19", "It was called false as stated; the constant is right where a record is zeroed out."),
    _corrected(
        "T4",
        "It was called false as stated; a factor 2 mends it, and the instance has ordinary parameters now. The page said that"
        " momentum converges half as fast as printed, which the instance does not show.",
    ),
    _corrected(
        "T16b",
        "It was called false as stated; a factor mends it, and the kind says so. The records of the instance now vary.",
    ),
    _corrected("T16a", "It is a remark: Section 4.4 says that the comparison drops the term."),
    _corrected("T20", "It was called false as stated; a factor mends it, and the conclusion stays."),
    _corrected("T6", "It was called false as stated; it holds at the T that the theorem chooses."),
    _corrected("T4f", "It was called false as stated; the formula of the theorem has it right."),
    _corrected("lemma-C.7-as-printed", "It was called false as stated; a condition is missing that Theorem 4.8 has."),
)
