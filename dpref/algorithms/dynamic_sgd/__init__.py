"""Stochastic gradient descent with a dynamic privacy budget (Hong, Wang, Zhou 2022, Section 4.3)."""

from __future__ import annotations

from typing import Any, Final

from dpref.algorithms.declaration import SAMPLED, Algorithm
from dpref.algorithms.dynamic_sgd import algorithm, plan
from dpref.algorithms.dynamic_sgd.plan import Params, Plan
from dpref.problems.datasets import Dataset
from dpref.problems.erm import ERMProblem

ALGORITHM: Final = Algorithm[ERMProblem, Dataset, Params[Any], Plan[Any]](
    name="dynamic-sgd",
    variant_of="dynamic-gradient-descent",
    paper="dynamic-privacy-budget",
    items=("Section 4.3", "Theorem 4.9", "Theorem 4.10"),
    oracle_cost="b T",
    adjacencies=SAMPLED,
    evidence=(
        "sensitivity/zero-out",
        "sensitivity/replace-one",
        "dynamic-privacy-budget/T18",
        "dynamic-privacy-budget/sampled-steps",
    ),
    measure="zCDP",
    planning=plan,
    run=algorithm.run,
)

__all__ = ["ALGORITHM", "Params", "Plan", "algorithm", "plan"]
