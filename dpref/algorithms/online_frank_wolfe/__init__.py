"""DP-TOFW: private online Frank-Wolfe (Han et al. 2022, Algorithms 1, 4 and 5)."""

from __future__ import annotations

from typing import Final

from dpref.algorithms.declaration import SAMPLED, Algorithm
from dpref.algorithms.online_frank_wolfe import algorithm, compiled, plan
from dpref.algorithms.online_frank_wolfe.plan import Params, Plan
from dpref.algorithms.rounding.online_frank_wolfe import forward_error_bound

ALGORITHM: Final = Algorithm(
    name="online-frank-wolfe",
    paper="private-online-frank-wolfe",
    items=("Algorithm 1", "Algorithm 4", "Algorithm 5", "Theorem 3.1", "Theorem 3.2", "Lemma 3.2"),
    measure="(epsilon, delta)",
    paper_adjacency="replace-one",
    oracle_cost="2 n - 1",
    evidence=tuple(f"private-online-frank-wolfe/{k}" for k in ("PO-5", "PO-9", "gaussian-dp", "E-1", "E-2")),
    plan=plan.plan,
    ledger=plan.ledger,
    run=algorithm.run,
    kernel=compiled.online_frank_wolfe,
    promise=plan.promise,
    adjacencies=SAMPLED,
    rounding=forward_error_bound,
)

__all__ = ["ALGORITHM", "Params", "Plan", "algorithm", "plan"]
