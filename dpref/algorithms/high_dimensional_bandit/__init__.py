"""DP-HDB: a private high-dimensional contextual bandit (Han et al. 2022, Algorithm 3)."""

from __future__ import annotations

from typing import Any, Final

from dpref.algorithms.declaration import SAMPLED, Algorithm
from dpref.algorithms.high_dimensional_bandit import algorithm, plan
from dpref.algorithms.high_dimensional_bandit.plan import Params, Plan
from dpref.problems.bandit import Bandit, BanditData

ALGORITHM: Final = Algorithm[Bandit, BanditData, Params[Any], Plan[Any]](
    name="high-dimensional-bandit",
    paper="private-online-frank-wolfe",
    items=("Algorithm 3", "Theorem 4.1", "Theorem 4.2", "Theorem 4.3"),
    oracle_cost="2 T - K",
    adjacencies=SAMPLED,
    evidence=tuple(f"private-online-frank-wolfe/{k}" for k in ("billboard", "E-16", "PO-6", "PO-32", "PO-45", "PO-51")),
    measure="joint (epsilon, delta)",
    planning=plan,
    run=algorithm.run,
    variant_of="polyhedral-frank-wolfe",
)

__all__ = ["ALGORITHM", "Params", "Plan", "algorithm", "plan"]
