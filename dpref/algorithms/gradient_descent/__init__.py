"""DP-GD: noisy gradient descent (Wang, Ye, Xu 2017, Algorithm 4)."""

from __future__ import annotations

from typing import Final

from dpref.algorithms.declaration import Algorithm
from dpref.algorithms.gradient_descent import algorithm, compiled, plan
from dpref.algorithms.gradient_descent.plan import Params, Plan

ALGORITHM: Final = Algorithm(
    name="gradient-descent",
    paper="dp-erm-revisited",
    items=("Algorithm 4", "Theorem 6.1", "Theorem 6.2", "Theorem 6.3"),
    measure="(epsilon, delta)",
    paper_adjacency="replace-one",
    oracle_cost="n T",
    evidence=("sensitivity/replace-one", "zcdp/to-dp", "dp-erm-revisited/E9"),
    plan=plan.plan,
    ledger=plan.ledger,
    run=algorithm.run,
    kernel=compiled.run_gradient_descent,
    promise=plan.promise,
    released=plan.released,
)

__all__ = ["ALGORITHM", "Params", "Plan", "algorithm", "plan"]
