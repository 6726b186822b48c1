"""Han et al., "On Private Online Convex Optimization", 2022."""

from __future__ import annotations

from typing import Final

PARTS: Final = (
    "privacy",
    "noise",
    "utility",
)
