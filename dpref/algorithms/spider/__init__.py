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
    measure="zCDP",
    paper_adjacency="replace-one",
    oracle_cost="n an answer, at most n sum_k floor(T_k)",
    evidence=("sensitivity/replace-one", "zcdp/composition", "kl-condition/E1", "kl-condition/PO-13"),
    params=Params,
    plan=plan.plan,
    ledger=plan.ledger,
    run=algorithm.run,
    examples=plan.examples,
    numbers=plan.numbers,
    moves=plan.moves,
    spending="stopped",
)

__all__ = ["ALGORITHM", "Params", "Plan", "algorithm", "plan"]
