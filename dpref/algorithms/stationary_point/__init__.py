"""An approximate stationary point by adaptive noisy gradient descent (Menart et al. 2024, Theorem 5)."""

from __future__ import annotations

from typing import Any, Final

from dpref.algorithms.declaration import Algorithm
from dpref.algorithms.stationary_point import algorithm, plan
from dpref.algorithms.stationary_point.plan import Params, Plan
from dpref.problems.datasets import Dataset
from dpref.problems.erm import ERMProblem

ALGORITHM: Final = Algorithm[ERMProblem, Dataset, Params[Any], Plan[Any]](
    name="stationary-point",
    variant_of="adaptive-gradient-descent",
    paper="kl-condition",
    items=("Theorem 5",),
    oracle_cost="n a round",
    spending="filtered",
    evidence=(
        "sensitivity/replace-one",
        "zcdp/composition",
        "exponential-mechanism/zcdp",
        "kl-condition/PO-39",
        "kl-condition/PO-46",
    ),
    measure="zCDP",
    planning=plan,
    run=algorithm.run,
)

__all__ = ["ALGORITHM", "Params", "Plan", "algorithm", "plan"]
