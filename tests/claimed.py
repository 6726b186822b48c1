"""A claim of nobody's, as a claims file writes it."""

from __future__ import annotations

from typing import Any

CLAIM: dict[str, Any] = {
    "paper": "somebody",
    "item": "theorem-1",
    "form": "as-printed",
    "adjacency": "replace-one",
    "algorithm": "gaussian-mechanism",
    "parameters": {"noise_multiplier": "1"},
    "claimed": {"measure": "zcdp", "rho": "1/2"},
}
