"""Gradient descent with a dynamic privacy budget (Hong, Wang, Zhou 2022, Algorithm 1)."""

from __future__ import annotations

from typing import Any, Final

from dpref.algorithms.declaration import Algorithm
from dpref.algorithms.dynamic_gradient_descent import algorithm, plan
from dpref.algorithms.dynamic_gradient_descent.plan import Params, Plan
from dpref.problems.datasets import Dataset
from dpref.problems.erm import ERMProblem

ALGORITHM: Final = Algorithm[ERMProblem, Dataset, Params[Any], Plan[Any]](
    name="dynamic-gradient-descent",
    paper="dynamic-privacy-budget",
    items=("Algorithm 1", "Theorem 3.5", "Theorem 4.3", "Lemma 4.4", "Theorem 4.5", "Eq. 13"),
    oracle_cost="n T",
    evidence=("sensitivity/zero-out", "sensitivity/replace-one", "dynamic-privacy-budget/T1"),
    measure="zCDP",
    planning=plan,
    run=algorithm.run,
)

__all__ = ["ALGORITHM", "Params", "Plan", "algorithm", "plan"]
