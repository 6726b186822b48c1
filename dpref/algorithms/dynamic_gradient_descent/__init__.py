"""Gradient descent with a dynamic privacy budget (Hong, Wang, Zhou 2022, Algorithm 1)."""

from __future__ import annotations

from typing import Final

from dpref.algorithms.declaration import Algorithm
from dpref.algorithms.dynamic_gradient_descent import algorithm, compiled, plan
from dpref.algorithms.dynamic_gradient_descent.plan import Params, Plan

ALGORITHM: Final = Algorithm(
    name="dynamic-gradient-descent",
    paper="dynamic-privacy-budget",
    items=("Algorithm 1", "Theorem 3.5", "Theorem 4.3", "Lemma 4.4", "Theorem 4.5", "Eq. 13"),
    measure="zCDP",
    paper_adjacency="replace-one",
    oracle_cost="n T",
    evidence=("sensitivity/zero-out", "sensitivity/replace-one", "dynamic-privacy-budget/T1"),
    plan=plan.plan,
    ledger=plan.ledger,
    run=algorithm.run,
    kernel=compiled.run_dynamic_gradient_descent,
    promise=plan.promise,
)

__all__ = ["ALGORITHM", "Params", "Plan", "algorithm", "plan"]
