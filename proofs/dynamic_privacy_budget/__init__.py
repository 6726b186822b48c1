"""Hong, Wang and Zhou, "Dynamic Privacy Budget Allocation ...": its obligations and errata, in the paper's order."""

from proofs.dynamic_privacy_budget import (
    batches,
    errata,
    errata_schedules,
    gd,
    iterations,
    momentum,
    momentum_schedules,
    momentum_theorem,
    population,
    privacy,
    schedules,
)

__all__ = [
    "batches",
    "errata",
    "errata_schedules",
    "gd",
    "iterations",
    "momentum",
    "momentum_schedules",
    "momentum_theorem",
    "population",
    "privacy",
    "schedules",
]
