"""The proximal point method under the KL condition (Menart et al. 2024, Algorithm 2)."""

from __future__ import annotations

from typing import Any, Final

from dpref.algorithms.declaration import Algorithm
from dpref.algorithms.proximal_point import algorithm, plan
from dpref.algorithms.proximal_point.plan import Params, Plan
from dpref.problems.datasets import Dataset
from dpref.problems.erm import ERMProblem

ALGORITHM: Final = Algorithm[ERMProblem, Dataset, Params[Any], Plan[Any]](
    name="proximal-point",
    variant_of="noisy-gradient-descent",
    paper="kl-condition",
    items=("Algorithm 2", "Theorem 2", "Lemma 4"),
    oracle_cost="n P (T - 1)",
    evidence=("sensitivity/replace-one", "zcdp/composition", "kl-condition/E9", "kl-condition/PO-42"),
    measure="zCDP",
    planning=plan,
    run=algorithm.run,
)

__all__ = ["ALGORITHM", "Params", "Plan", "algorithm", "plan"]
