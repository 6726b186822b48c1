"""Private variance-reduced Frank-Wolfe (Asi, Feldman, Koren, Talwar 2021), which Algorithm 4 asks for its responses."""

from __future__ import annotations

from typing import Any, Final

from dpref.algorithms.declaration import SAMPLED, Algorithm
from dpref.algorithms.variance_reduced_frank_wolfe import algorithm, plan
from dpref.algorithms.variance_reduced_frank_wolfe.plan import Params, Plan
from dpref.problems.games import Game, GameData

ALGORITHM: Final = Algorithm[Game, GameData, Params[Any], Plan[Any]](
    name="variance-reduced-frank-wolfe",
    paper="private-saddle-points",
    items=("Algorithm 4, lines 7 and 8", "Theorem 3.22"),
    oracle_cost="b T (T + 3) / 2, less than 2 n",
    adjacencies=SAMPLED,
    evidence=(
        "exponential-mechanism/pure-dp",
        "exponential-mechanism/zcdp",
        "private-online-frank-wolfe/PO-32",
        *(f"private-saddle-points/{k}" for k in ("parallel", "tree-distance", "tree-moves", "tree-noise", "E32")),
    ),
    measure="(epsilon, delta)",
    planning=plan,
    run=algorithm.run,
)

__all__ = ["ALGORITHM", "Params", "Plan", "algorithm", "plan"]
