"""Accelerated mirror descent, DP-AccMD (Wang, Ye, Xu 2017, Algorithm 3)."""

from __future__ import annotations

from typing import Any, Final

from dpref.algorithms.accelerated_mirror_descent import algorithm, plan
from dpref.algorithms.accelerated_mirror_descent.plan import Params, Plan
from dpref.algorithms.declaration import Algorithm
from dpref.problems.datasets import Dataset
from dpref.problems.erm import ERMProblem

ALGORITHM: Final = Algorithm[ERMProblem, Dataset, Params[Any], Plan[Any]](
    name="accelerated-mirror-descent",
    paper="dp-erm-revisited",
    items=("Algorithm 3", "Theorem 5.3", "Theorem 5.4"),
    measure="(epsilon, delta)",
    oracle_cost="n T",
    evidence=("sensitivity/replace-one", *(f"dp-erm-revisited/{k}" for k in ("E1", "P39", "P40", "P46"))),
    planning=plan,
    run=algorithm.run,
)

__all__ = ["ALGORITHM", "Params", "Plan", "algorithm", "plan"]
