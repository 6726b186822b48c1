"""Findings in Wang, Ye and Xu, differentially private empirical risk minimization revisited (arXiv 1802.05251)."""

from __future__ import annotations

from typing import Final

from proofs.findings.declared import Correction, Finding, Provenance
from proofs.papers.dp_erm_revisited import findings_convex as convex
from proofs.papers.dp_erm_revisited import findings_general as general
from proofs.papers.dp_erm_revisited import findings_mirror as mirror

READ: Final = Provenance(
    arxiv="1802.05251",
    version="unknown",
    date="2018-02-14, the date of the first version",
    title="Differentially Private Empirical Risk Minimization Revisited: Faster and More General",
    sha256="1001a690dce5e64d7babcebec8ccf55f1774da578a44372c7b8973d47ad0a3bc",
    others="The abstract is that of version 1 in public listings. The paper in NeurIPS 2017 has another abstract and was not"
    " compared.",
)

FINDINGS: Final[tuple[Finding, ...]] = (
    convex.TABLE_1,
    convex.TABLE_2,
    mirror.THEOREM_5_3,
    convex.THEOREM_4_1,
    general.THEOREM_6_1,
    convex.REMARK_4_1,
    convex.LEMMA_B_1,
    general.DEFINITION_3_4,
    general.APPENDIX_A,
    general.PROOF_B_2,
    general.NO_PROJECTION,
    mirror.LINE_4,
    general.LOSS,
    general.STEPS,
    general.INNER_LENGTH,
    general.FOOTNOTE_2,
    general.CONSTANT_OBJECTIVE,
)

_DAY: Final = "2026-11-28"


def _corrected(item: str, why: str) -> Correction:
    return Correction(f"dp-erm-revisited/{item}", "corrected", _DAY, why)


CORRECTIONS: Final[tuple[Correction, ...]] = (
    Correction(
        "dp-erm-revisited/E7",
        "withdrawn",
        _DAY,
        "Theorem 4.2 asks for Eq. (4) itself as well as for the step size, so its sentence stands.",
    ),
    Correction(
        "dp-erm-revisited/equation-3",
        "superseded",
        _DAY,
        "No printed sentence claims Eq. (3) outside of its range on its own; Table 1 and Theorem 4.2 use it there.",
        "dp-erm-revisited/E2",
    ),
    Correction(
        "dp-erm-revisited/equation-6",
        "superseded",
        _DAY,
        "No printed sentence claims Eq. (6) outside of its range on its own; Table 2 and Theorem 4.4 use it there.",
        "dp-erm-revisited/E3",
    ),
    Correction(
        "dp-erm-revisited/theorem-4.3",
        "superseded",
        _DAY,
        "Theorems 4.1 and 4.3 have one fault, which is one finding with two places.",
        "dp-erm-revisited/theorem-4.1",
    ),
    _corrected("E2", "It is about privacy, and its instance has the parameters of Theorem 4.2 with c = 3080."),
    _corrected("E3", "It is about privacy, and its instance has the parameters of Theorem 4.4."),
    _corrected(
        "theorem-5.3",
        "For two and ten steps it gave lower bounds of 2.64 and 4.09 where epsilon is infinite, on two records.",
    ),
    _corrected("theorem-4.1", "It was called false as stated; a condition is missing, and Theorem 4.3 is part of it."),
    _corrected("theorem-6.1", "It was called false as stated; a condition is missing, and Theorem 3.1 is part of it."),
    _corrected(
        "definition-3.4",
        "It was called false as stated; a condition of the cited theorem is missing, and the instance was at 10.5.",
    ),
    _corrected(
        "remark-4.1",
        "It was called false as stated; a condition is missing, and Lemma B.1 needs one that is not printed.",
    ),
    _corrected("appendix-a", "It is a remark, since the appendix does not say which noise was used."),
    _corrected("E6", "It is a remark on a step of the proof; the theorem is not called false."),
    _corrected("E14", "It is a remark, since Section 6 minimises over the whole space."),
    _corrected("E17", "It is a slip, since Appendix B.4 has the choice that is meant."),
    _corrected("E18", "It is a remark, since the O of proof B.5 has a constant of the problem."),
    _corrected("E15", "It is a remark on a step of the proof; the theorems are not called false."),
    _corrected("E11", "It is a remark on the hypotheses."),
)
