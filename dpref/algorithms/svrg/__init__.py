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
    measure="(epsilon, delta)",
    paper_adjacency="replace-one",
    oracle_cost="T (n + 2 m)",
    evidence=("sensitivity/replace-one", *(f"dp-erm-revisited/P{k}" for k in (71, 72, 73, 76))),
    params=Params,
    plan=plan.plan,
    ledger=plan.ledger,
    run=algorithm.run,
    examples=plan.examples,
    numbers=plan.numbers,
    moves=plan.moves,
    adjacencies=SAMPLED,
)

__all__ = ["ALGORITHM", "Params", "Plan", "algorithm", "plan"]
