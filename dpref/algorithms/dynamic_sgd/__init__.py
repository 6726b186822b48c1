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
    paper="dynamic-privacy-budget",
    items=("Section 4.3", "Theorem 4.9", "Theorem 4.10"),
    measure="zCDP",
    paper_adjacency="replace-one",
    oracle_cost="b T",
    evidence=(
        "sensitivity/zero-out",
        "sensitivity/replace-one",
        "dynamic-privacy-budget/T18",
        "dynamic-privacy-budget/sampled-steps",
    ),
    params=Params,
    plan=plan.plan,
    ledger=plan.ledger,
    run=algorithm.run,
    promise=plan.promise,
    adjacencies=SAMPLED,
    examples=plan.examples,
    moves=plan.moves,
    variant_of="dynamic-gradient-descent",
)

__all__ = ["ALGORITHM", "Params", "Plan", "algorithm", "plan"]
