"""Mirror descent with vertex sampling (Gonzalez, Guzman, Paquette 2024, Algorithm 1)."""

from __future__ import annotations

from typing import Final

from dpref.algorithms.declaration import SAMPLED, Algorithm
from dpref.algorithms.mirror_descent import algorithm, compiled, plan
from dpref.algorithms.mirror_descent.plan import Params, Plan
from dpref.algorithms.rounding.saddle import forward_error_bound

ALGORITHM: Final = Algorithm(
    name="mirror-descent",
    paper="private-saddle-points",
    items=("Algorithm 1", "Theorem 3.1", "Proposition 3.3"),
    measure="(epsilon, delta)",
    paper_adjacency="replace-one",
    oracle_cost="T floor(n / T)",
    evidence=(
        "exponential-mechanism/pure-dp",
        "exponential-mechanism/zcdp",
        *(f"private-saddle-points/{k}" for k in ("P20", "P21", "P22", "E1")),
    ),
    plan=plan.plan,
    ledger=plan.ledger,
    run=algorithm.run,
    kernel=compiled.run_mirror_descent,
    promise=plan.promise,
    adjacencies=SAMPLED,
    scales=lambda plan: tuple(plan.scales),
    rounding=forward_error_bound,
)

__all__ = ["ALGORITHM", "Params", "Plan", "algorithm", "plan"]
