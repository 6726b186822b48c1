"""DP-GD: noisy gradient descent (Wang, Ye, Xu 2017, Algorithm 4)."""

from __future__ import annotations

from typing import Any, Final

from dpref.algorithms.declaration import Algorithm
from dpref.algorithms.gradient_descent import algorithm, plan
from dpref.algorithms.gradient_descent.plan import Params, Plan
from dpref.problems.datasets import Dataset
from dpref.problems.erm import ERMProblem

ALGORITHM: Final = Algorithm[ERMProblem, Dataset, Params[Any], Plan[Any]](
    name="gradient-descent",
    paper="dp-erm-revisited",
    items=("Algorithm 4", "Theorem 6.1", "Theorem 6.2", "Theorem 6.3"),
    oracle_cost="n T",
    evidence=("sensitivity/replace-one", "zcdp/to-dp", "dp-erm-revisited/E9"),
    measure="(epsilon, delta)",
    planning=plan,
    run=algorithm.run,
)

__all__ = ["ALGORITHM", "Params", "Plan", "algorithm", "plan"]
