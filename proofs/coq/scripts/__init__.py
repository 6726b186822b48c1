"""Proofs for Coq of what `proofs.coq.statements` writes: one lemma for every fact of a certificate.

Nothing here is trusted: the text may be wrong in any way, and Coq then refuses it.
"""

from __future__ import annotations

from proofs.coq.scripts import algebra_rules, analysis_rules, ball_rules, induction_rules
from proofs.coq.scripts.by_hand import by_hand, files
from proofs.coq.scripts.lemmas import SCRIPTS, Lemmas
from proofs.coq.scripts.scene import Unsupported

__all__ = (
    "SCRIPTS",
    "Lemmas",
    "Unsupported",
    "algebra_rules",
    "analysis_rules",
    "ball_rules",
    "by_hand",
    "files",
    "induction_rules",
)
