"""Hong, Wang and Zhou, "Dynamic Privacy Budget Allocation ...": its obligations and errata, in the paper's order."""

from proofs.dynamic_privacy_budget import privacy, schedules

__all__ = ["privacy", "schedules"]
