"""KL Spider (Menart et al. 2024, Algorithm 1)."""

from __future__ import annotations

from typing import Any, Final

from dpref.algorithms.declaration import Algorithm
from dpref.algorithms.spider import algorithm, plan
from dpref.algorithms.spider.plan import Params, Plan
from dpref.problems.datasets import Dataset
from dpref.problems.erm import ERMProblem

ALGORITHM: Final = Algorithm[ERMProblem, Dataset, Params[Any], Plan[Any]](
    name="spider",
    paper="kl-condition",
    items=("Algorithm 1", "Theorem 1", "Lemma 8"),
    oracle_cost="n an answer, at most n sum_k floor(T_k)",
    spending="stopped",
    evidence=("sensitivity/replace-one", "zcdp/composition", "kl-condition/E1", "kl-condition/PO-13"),
    measure="zCDP",
    planning=plan,
    run=algorithm.run,
)

__all__ = ["ALGORITHM", "Params", "Plan", "algorithm", "plan"]
