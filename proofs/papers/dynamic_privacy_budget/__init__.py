"""Hong, Wang and Zhou, "Dynamic Privacy Budget Allocation ...": its obligations and errata, in the paper's order."""

from __future__ import annotations

from typing import Final

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
    "theorems",
    "errata",
    "errata_schedules",
)
