"""Hong, Wang and Zhou, "Dynamic Privacy Budget Allocation ...": its obligations and errata, in the paper's order."""

from __future__ import annotations

from typing import Final

from proofs.registry import Paper

PARTS: Final = (
    "privacy",
    "gd",
    "schedules",
    "iterations",
    "momentum",
    "momentum_chain",
    "momentum_theorem",
    "momentum_rates",
    "momentum_schedules",
    "batches",
    "sampled",
    "population",
    "stability",
    "boosting",
    "theorems",
    "errata",
    "errata_schedules",
)

PAPER: Final = Paper("dynamic-privacy-budget", "hong2022dynamic")
obligation, erratum, declare = PAPER.obligation, PAPER.erratum, PAPER.declare
