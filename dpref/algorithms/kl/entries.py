"""The entries of the KL family."""

from __future__ import annotations

from typing import Final

from dpref.algorithms.algorithm import Algorithm
from dpref.algorithms.kl import adaptive_gradient_descent, compiled, rounding, spider

ENTRIES: Final = (
    Algorithm(
        name="adaptive-gradient-descent",
        paper="kl-condition",
        items=("Algorithm 3", "Theorem 3", "Theorem 4", "Theorem 5"),
        measure="zCDP",
        paper_adjacency="replace-one",
        oracle_cost="n a round",
        evidence=("sensitivity/replace-one", "zcdp/composition", "kl-condition/E4", "kl-condition/PO-46"),
        plan=adaptive_gradient_descent.plan,
        ledger=adaptive_gradient_descent.ledger,
        run=adaptive_gradient_descent.run,
        kernel=compiled.adaptive_gradient_descent,
        promise=adaptive_gradient_descent.promise,
        released=compiled.last,
        rounding=rounding.adaptive_gradient_descent,
        family="kl",
        spending="filtered",
    ),
    Algorithm(
        name="spider",
        paper="kl-condition",
        items=("Algorithm 1", "Theorem 1", "Lemma 8"),
        measure="zCDP",
        paper_adjacency="replace-one",
        oracle_cost="n an answer, at most n sum_k floor(T_k)",
        evidence=("sensitivity/replace-one", "zcdp/composition", "kl-condition/E1", "kl-condition/PO-13"),
        plan=spider.plan,
        ledger=spider.ledger,
        run=spider.run,
        kernel=compiled.spider,
        promise=spider.promise,
        released=compiled.last,
        rounding=rounding.spider,
        family="kl",
        spending="stopped",
    ),
)
