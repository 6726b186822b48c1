"""Menart et al., "Differentially Private Non-Convex Optimization under the KL Condition", 2024."""

from __future__ import annotations

from typing import Final

PARTS: Final = (
    "spider",
    "adaptive",
    "noisy",
)
