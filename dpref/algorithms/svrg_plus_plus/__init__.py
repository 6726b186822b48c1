"""DP-SVRG++: DP-SVRG with longer and longer epochs (Wang, Ye, Xu 2017, Algorithm 2)."""

from __future__ import annotations

from typing import Any, Final

from dpref.algorithms.declaration import SAMPLED, Algorithm
from dpref.algorithms.svrg import plan as svrg_plan
from dpref.algorithms.svrg.plan import Params, Plan
from dpref.algorithms.svrg_plus_plus import algorithm, plan
from dpref.problems.datasets import Dataset
from dpref.problems.erm import ERMProblem

ALGORITHM: Final = Algorithm[ERMProblem, Dataset, Params[Any], Plan[Any]](
    name="svrg-plus-plus",
    paper="dp-erm-revisited",
    items=("Algorithm 2", "Theorem 4.3", "Theorem 4.4"),
    measure="(epsilon, delta)",
    paper_adjacency="replace-one",
    oracle_cost="T n + 2 (2^(T+1) - 2) m",
    evidence=("sensitivity/replace-one", *(f"dp-erm-revisited/P{k}" for k in (71, 72, 73, 76))),
    params=Params,
    plan=plan.plan,
    ledger=svrg_plan.ledger,
    run=algorithm.run,
    examples=svrg_plan.examples,
    numbers=svrg_plan.numbers,
    moves=svrg_plan.moves,
    adjacencies=SAMPLED,
    variant_of="svrg",
)

__all__ = ["ALGORITHM", "Params", "Plan", "algorithm", "plan"]
