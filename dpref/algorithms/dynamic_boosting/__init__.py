"""Boosting of gradient descent with a dynamic budget to high probability (Hong, Wang, Zhou 2022, Section 4.4)."""

from __future__ import annotations

from typing import Any, Final

from dpref.algorithms.declaration import Algorithm
from dpref.algorithms.dynamic_boosting import algorithm, plan
from dpref.algorithms.dynamic_boosting.plan import Params, Plan
from dpref.problems.datasets import Dataset
from dpref.problems.erm import ERMProblem

ALGORITHM: Final = Algorithm[ERMProblem, Dataset, Params[Any], Plan[Any]](
    name="dynamic-boosting",
    variant_of="dynamic-gradient-descent",
    paper="dynamic-privacy-budget",
    items=("Section 4.4", "Theorem 4.11", "Eq. 16", "Eq. 17"),
    oracle_cost="n T k, or n T on parts",
    evidence=(
        "sensitivity/zero-out",
        "sensitivity/replace-one",
        "dynamic-privacy-budget/markov",
        "dynamic-privacy-budget/boosting-budget",
        "dynamic-privacy-budget/comparison",
        "dynamic-privacy-budget/exact-choice",
    ),
    measure="zCDP",
    planning=plan,
    run=algorithm.run,
)

__all__ = ["ALGORITHM", "Params", "Plan", "algorithm", "plan"]
