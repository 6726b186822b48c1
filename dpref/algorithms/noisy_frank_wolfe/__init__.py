"""NoisySFW: private stochastic Frank-Wolfe with recursive gradients (Bassily, Guzman, Nandi 2021, Algorithm 3)."""

from __future__ import annotations

from typing import Any, Final

from dpref.algorithms.declaration import SAMPLED, Algorithm
from dpref.algorithms.noisy_frank_wolfe import algorithm, plan
from dpref.algorithms.noisy_frank_wolfe.plan import Params, Plan
from dpref.problems.datasets import Dataset
from dpref.problems.stream import StreamProblem

ALGORITHM: Final = Algorithm[StreamProblem, Dataset, Params[Any], Plan[Any]](
    name="noisy-frank-wolfe",
    variant_of="online-frank-wolfe",
    paper="private-online-frank-wolfe",
    items=("Section 5.3", "Table 5.1", "Lemma 2.1"),
    oracle_cost="n/2 + 2 b (sqrt(n) - 1)",
    adjacencies=SAMPLED,
    evidence=tuple(f"private-online-frank-wolfe/{k}" for k in ("S-10", "S-11", "PO-9", "gaussian-dp", "E-6")),
    measure="(epsilon, delta)",
    planning=plan,
    run=algorithm.run,
)

__all__ = ["ALGORITHM", "Params", "Plan", "algorithm", "plan"]
