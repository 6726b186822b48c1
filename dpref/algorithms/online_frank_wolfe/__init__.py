"""DP-TOFW: private online Frank-Wolfe (Han et al. 2022, Algorithms 1, 4 and 5)."""

from __future__ import annotations

from typing import Any, Final

from dpref.algorithms.declaration import SAMPLED, Algorithm
from dpref.algorithms.online_frank_wolfe import algorithm, plan
from dpref.algorithms.online_frank_wolfe.plan import Params, Plan
from dpref.problems.datasets import Dataset
from dpref.problems.stream import StreamProblem

ALGORITHM: Final = Algorithm[StreamProblem, Dataset, Params[Any], Plan[Any]](
    name="online-frank-wolfe",
    paper="private-online-frank-wolfe",
    items=("Algorithm 1", "Algorithm 4", "Algorithm 5", "Theorem 3.1", "Theorem 3.2", "Lemma 3.2"),
    oracle_cost="2 n - 1",
    adjacencies=SAMPLED,
    evidence=tuple(f"private-online-frank-wolfe/{k}" for k in ("PO-5", "PO-9", "gaussian-dp", "E-1", "E-2")),
    measure="(epsilon, delta)",
    planning=plan,
    run=algorithm.run,
)

__all__ = ["ALGORITHM", "Params", "Plan", "algorithm", "plan"]
