"""DP-POFW: private polyhedral online Frank-Wolfe (Han et al. 2022, Algorithm 2)."""

from __future__ import annotations

from typing import Any, Final

from dpref.algorithms.declaration import SAMPLED, Algorithm
from dpref.algorithms.polyhedral_frank_wolfe import algorithm, plan
from dpref.algorithms.polyhedral_frank_wolfe.plan import Params, Plan
from dpref.problems.datasets import Dataset
from dpref.problems.stream import VertexStream

ALGORITHM: Final = Algorithm[VertexStream, Dataset, Params[Any], Plan[Any]](
    name="polyhedral-frank-wolfe",
    paper="private-online-frank-wolfe",
    items=("Algorithm 2", "Theorem 3.4", "Theorem 3.5", "Theorem 3.6", "Lemma A.2"),
    oracle_cost="2 n - 1",
    adjacencies=SAMPLED,
    evidence=tuple(f"private-online-frank-wolfe/{k}" for k in ("PO-3", "PO-5", "PO-32", "PO-33", "E-4", "E-5")),
    measure="(epsilon, delta)",
    planning=plan,
    run=algorithm.run,
)

__all__ = ["ALGORITHM", "Params", "Plan", "algorithm", "plan"]
