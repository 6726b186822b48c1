"""Wang, Ye and Xu, "Differentially Private Empirical Risk Minimization Revisited", 2017."""

from __future__ import annotations

from typing import Final

from proofs.registry import Paper

PARTS: Final = (
    "hypotheses",
    "variance_reduction",
    "sampling",
    "strongly_convex",
    "two_part",
    "convex",
    "step_size",
    "complexity",
    "linear_coupling",
    "accelerated_mirror_descent",
    "descent",
    "gradient_descent",
)

PAPER: Final = Paper("dp-erm-revisited", "wang2017revisited")
obligation, erratum, declare = PAPER.obligation, PAPER.erratum, PAPER.declare
