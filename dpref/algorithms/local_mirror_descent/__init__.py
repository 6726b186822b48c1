"""LocalMD: localised private mirror descent (Asi, Feldman, Koren, Talwar 2021, Algorithms 5 and 6)."""

from __future__ import annotations

from typing import Any, Final

from dpref.algorithms.declaration import SAMPLED, Algorithm
from dpref.algorithms.local_mirror_descent import algorithm, plan
from dpref.algorithms.local_mirror_descent.plan import Params, Plan
from dpref.problems.datasets import Dataset
from dpref.problems.stream import StreamProblem

ALGORITHM: Final = Algorithm[StreamProblem, Dataset, Params[Any], Plan[Any]](
    name="local-mirror-descent",
    paper="private-online-frank-wolfe",
    items=("Section 5.3",),
    oracle_cost="sum of b_i T_i",
    adjacencies=SAMPLED,
    evidence=("sensitivity/replace-one", "sensitivity/zero-out", "private-online-frank-wolfe/A-7"),
    measure="(epsilon, delta)",
    planning=plan,
    run=algorithm.run,
)

__all__ = ["ALGORITHM", "Params", "Plan", "algorithm", "plan"]
