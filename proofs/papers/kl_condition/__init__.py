"""Menart et al., "Differentially Private Non-Convex Optimization under the KL Condition", 2024."""

from __future__ import annotations

from typing import Final

from proofs.registry import Paper

PARTS: Final = (
    "spider",
    "estimates",
    "growth",
    "adaptive",
    "phases",
    "lower_bounds",
    "noisy",
    "proximal",
    "selection",
    "accounting",
)

PAPER: Final = Paper("kl-condition", "menart2024kl")
obligation, erratum, declare = PAPER.obligation, PAPER.erratum, PAPER.declare
