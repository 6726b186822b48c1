"""DP-SVRG++: DP-SVRG with longer and longer epochs (Wang, Ye, Xu 2017, Algorithm 2)."""

from __future__ import annotations

from typing import Any, Final

from dpref.algorithms.declaration import SAMPLED, Algorithm
from dpref.algorithms.svrg.plan import Params, Plan
from dpref.algorithms.svrg_plus_plus import algorithm, plan
from dpref.problems.datasets import Dataset
from dpref.problems.erm import ERMProblem

ALGORITHM: Final = Algorithm[ERMProblem, Dataset, Params[Any], Plan[Any]](
    name="svrg-plus-plus",
    variant_of="svrg",
    paper="dp-erm-revisited",
    items=("Algorithm 2", "Theorem 4.3", "Theorem 4.4"),
    oracle_cost="T n + 2 (2^(T+1) - 2) m",
    adjacencies=SAMPLED,
    evidence=("sensitivity/replace-one", *(f"dp-erm-revisited/P{k}" for k in (71, 72, 73, 76))),
    measure="(epsilon, delta)",
    planning=plan,
    run=algorithm.run,
)

__all__ = ["ALGORITHM", "Params", "Plan", "algorithm", "plan"]
