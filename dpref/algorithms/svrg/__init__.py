"""DP-SVRG: noisy stochastic variance-reduced gradients (Wang, Ye, Xu 2017, Algorithm 1)."""

from __future__ import annotations

from typing import Final

from dpref.algorithms.declaration import SAMPLED, Algorithm
from dpref.algorithms.rounding.svrg import forward_error_bound
from dpref.algorithms.svrg import algorithm, compiled, plan
from dpref.algorithms.svrg.plan import Params, Plan

ALGORITHM: Final = Algorithm(
    name="svrg",
    paper="dp-erm-revisited",
    items=("Algorithm 1", "Theorem 4.1", "Theorem 4.2", "Remark 4.1"),
    measure="(epsilon, delta)",
    paper_adjacency="replace-one",
    oracle_cost="T (n + 2 m)",
    evidence=("sensitivity/replace-one", *(f"dp-erm-revisited/P{k}" for k in (71, 72, 73, 76))),
    plan=plan.plan,
    ledger=plan.ledger,
    run=algorithm.run,
    kernel=compiled.run_svrg,
    promise=plan.promise,
    adjacencies=SAMPLED,
    rounding=forward_error_bound,
)

__all__ = ["ALGORITHM", "Params", "Plan", "algorithm", "plan"]
