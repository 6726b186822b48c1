"""DP-SVRG: noisy stochastic variance-reduced gradients (Wang, Ye, Xu 2017, Algorithm 1)."""

from __future__ import annotations

from typing import Any, Final

from dpref.algorithms.declaration import SAMPLED, Algorithm
from dpref.algorithms.svrg import algorithm, plan
from dpref.algorithms.svrg.plan import Params, Plan
from dpref.problems.datasets import Dataset
from dpref.problems.erm import ERMProblem

ALGORITHM: Final = Algorithm[ERMProblem, Dataset, Params[Any], Plan[Any]](
    name="svrg",
    paper="dp-erm-revisited",
    items=("Algorithm 1", "Theorem 4.1", "Theorem 4.2", "Remark 4.1"),
    oracle_cost="T (n + 2 m)",
    adjacencies=SAMPLED,
    evidence=("sensitivity/replace-one", *(f"dp-erm-revisited/P{k}" for k in (71, 72, 73, 76))),
    measure="(epsilon, delta)",
    planning=plan,
    run=algorithm.run,
)

__all__ = ["ALGORITHM", "Params", "Plan", "algorithm", "plan"]
