"""Wang, Ye and Xu, "Differentially Private Empirical Risk Minimization Revisited", 2017."""

from __future__ import annotations

from typing import Final

from proofs.registry import Paper

PARTS: Final = ("gradient_descent", "step_size", "variance_reduction")

PAPER: Final = Paper("dp-erm-revisited", "wang2017revisited")
obligation, erratum, declare = PAPER.obligation, PAPER.erratum, PAPER.declare
