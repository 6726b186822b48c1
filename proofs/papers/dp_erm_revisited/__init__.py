"""Wang, Ye and Xu, "Differentially Private Empirical Risk Minimization Revisited", 2017."""

from __future__ import annotations

from typing import Final

PARTS: Final = (
    "gradient_descent",
    "step_size",
    "variance_reduction",
)
