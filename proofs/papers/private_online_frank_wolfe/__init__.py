"""Han et al., "On Private Online Convex Optimization", 2022."""

from __future__ import annotations

from typing import Final

from proofs.registry import Paper

PARTS: Final = (
    "privacy", "noise", "utility", "baselines", "constants", "polyhedral", "polyhedral_utility", "bandit_privacy",
    "bandit", "gram", "errata",
)  # fmt: skip

PAPER: Final = Paper("private-online-frank-wolfe", "han2022online")
obligation, erratum, declare = PAPER.obligation, PAPER.erratum, PAPER.declare
