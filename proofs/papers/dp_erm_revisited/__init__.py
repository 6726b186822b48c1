"""Wang, Ye and Xu, "Differentially Private Empirical Risk Minimization Revisited", 2017."""

from __future__ import annotations

from typing import Final

from proofs.registry import Paper

PARTS: Final = (
    "hypotheses",
    "strongly_convex",
    "step_size",
    "convex",
    "linear_coupling",
    "descent",
    "gradient_descent",
    "variance_reduction",
    "sampling",
    "complexity",
)

PAPER: Final = Paper("dp-erm-revisited", "wang2017revisited")
obligation, erratum, declare = PAPER.obligation, PAPER.erratum, PAPER.declare
