"""Noisy gradient descent with adaptive noise (Menart et al. 2024, Algorithm 3)."""

from __future__ import annotations

from typing import Final

from dpref.algorithms.adaptive_gradient_descent import algorithm, compiled, plan, rounding
from dpref.algorithms.adaptive_gradient_descent.plan import Params, Plan
from dpref.algorithms.declaration import Algorithm, last

ALGORITHM: Final = Algorithm(
    name="adaptive-gradient-descent",
    paper="kl-condition",
    items=("Algorithm 3", "Theorem 3", "Theorem 4", "Theorem 5"),
    measure="zCDP",
    paper_adjacency="replace-one",
    oracle_cost="n a round",
    evidence=("sensitivity/replace-one", "zcdp/composition", "kl-condition/E4", "kl-condition/PO-46"),
    plan=plan.plan,
    ledger=plan.ledger,
    run=algorithm.run,
    kernel=compiled.adaptive_gradient_descent,
    promise=plan.promise,
    released=last,
    spending="filtered",
    rounding=rounding.adaptive_gradient_descent,
)

__all__ = ["ALGORITHM", "Params", "Plan", "algorithm", "plan"]
