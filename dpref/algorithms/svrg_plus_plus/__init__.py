"""DP-SVRG++: DP-SVRG with longer and longer epochs (Wang, Ye, Xu 2017, Algorithm 2)."""

from __future__ import annotations

from typing import Final

from dpref.algorithms.declaration import SAMPLED, Algorithm
from dpref.algorithms.rounding.svrg import forward_error_bound
from dpref.algorithms.svrg import plan as svrg_plan
from dpref.algorithms.svrg.plan import Params, Plan
from dpref.algorithms.svrg_plus_plus import algorithm, compiled, plan

ALGORITHM: Final = Algorithm(
    name="svrg-plus-plus",
    paper="dp-erm-revisited",
    items=("Algorithm 2", "Theorem 4.3", "Theorem 4.4"),
    measure="(epsilon, delta)",
    paper_adjacency="replace-one",
    oracle_cost="T n + 2 (2^(T+1) - 2) m",
    evidence=("sensitivity/replace-one", *(f"dp-erm-revisited/P{k}" for k in (71, 72, 73, 76))),
    plan=plan.plan,
    ledger=svrg_plan.ledger,
    run=algorithm.run,
    kernel=compiled.run_svrg_plus_plus,
    promise=svrg_plan.promise,
    adjacencies=SAMPLED,
    rounding=forward_error_bound,
)

__all__ = ["ALGORITHM", "Params", "Plan", "algorithm", "plan"]
