"""NoisySGD: private stochastic gradient descent on single records (Bassily, Feldman, Guzman, Talwar 2020)."""

from __future__ import annotations

from typing import Any, Final

from dpref.algorithms.declaration import SAMPLED, Algorithm
from dpref.algorithms.noisy_sgd import algorithm, plan
from dpref.algorithms.noisy_sgd.plan import Params, Plan
from dpref.problems.datasets import Dataset
from dpref.problems.stream import StreamProblem

ALGORITHM: Final = Algorithm[StreamProblem, Dataset, Params[Any], Plan[Any]](
    name="noisy-sgd",
    paper="private-online-frank-wolfe",
    items=("Section 5.3", "Table 5.1"),
    oracle_cost="n^2 - 1",
    adjacencies=SAMPLED,
    evidence=("sensitivity/replace-one", "sensitivity/zero-out", "private-online-frank-wolfe/A-8"),
    measure="(epsilon, delta)",
    planning=plan,
    run=algorithm.run,
)

__all__ = ["ALGORITHM", "Params", "Plan", "algorithm", "plan"]
