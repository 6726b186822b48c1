"""KL Spider (Menart et al. 2024, Algorithm 1)."""

from __future__ import annotations

from typing import Final

from dpref.algorithms.declaration import Algorithm, last
from dpref.algorithms.spider import algorithm, compiled, plan, rounding
from dpref.algorithms.spider.plan import Params, Plan

ALGORITHM: Final = Algorithm(
    name="spider",
    paper="kl-condition",
    items=("Algorithm 1", "Theorem 1", "Lemma 8"),
    measure="zCDP",
    paper_adjacency="replace-one",
    oracle_cost="n an answer, at most n sum_k floor(T_k)",
    evidence=("sensitivity/replace-one", "zcdp/composition", "kl-condition/E1", "kl-condition/PO-13"),
    plan=plan.plan,
    ledger=plan.ledger,
    run=algorithm.run,
    kernel=compiled.spider,
    promise=plan.promise,
    released=last,
    spending="stopped",
    rounding=rounding.spider,
)

__all__ = ["ALGORITHM", "Params", "Plan", "algorithm", "plan"]
