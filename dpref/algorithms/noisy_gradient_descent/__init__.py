"""Noisy gradient descent for regularised Lipschitz losses (Menart et al. 2024, Algorithm 4)."""

from __future__ import annotations

from typing import Any, Final

from dpref.algorithms.declaration import Algorithm
from dpref.algorithms.noisy_gradient_descent import algorithm, plan
from dpref.algorithms.noisy_gradient_descent.plan import Params, Plan
from dpref.problems.datasets import Dataset
from dpref.problems.erm import ERMProblem

ALGORITHM: Final = Algorithm[ERMProblem, Dataset, Params[Any], Plan[Any]](
    name="noisy-gradient-descent",
    paper="kl-condition",
    items=("Algorithm 4", "Theorem 9", "Lemma 3"),
    oracle_cost="n (T - 1)",
    evidence=("sensitivity/replace-one", "zcdp/composition", "kl-condition/E9"),
    measure="zCDP",
    planning=plan,
    run=algorithm.run,
)

__all__ = ["ALGORITHM", "Params", "Plan", "algorithm", "plan"]
