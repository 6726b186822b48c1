"""Noisy gradient descent with adaptive noise (Menart et al. 2024, Algorithm 3)."""

from __future__ import annotations

from typing import Any, Final

from dpref.algorithms.adaptive_gradient_descent import algorithm, plan
from dpref.algorithms.adaptive_gradient_descent.plan import Params, Plan
from dpref.algorithms.declaration import Algorithm
from dpref.problems.datasets import Dataset
from dpref.problems.erm import ERMProblem

ALGORITHM: Final = Algorithm[ERMProblem, Dataset, Params[Any], Plan[Any]](
    name="adaptive-gradient-descent",
    paper="kl-condition",
    items=("Algorithm 3", "Theorem 3", "Theorem 4", "Theorem 5"),
    oracle_cost="n a round",
    spending="filtered",
    evidence=("sensitivity/replace-one", "zcdp/composition", "kl-condition/E4", "kl-condition/PO-46"),
    measure="zCDP",
    planning=plan,
    run=algorithm.run,
)

__all__ = ["ALGORITHM", "Params", "Plan", "algorithm", "plan"]
