"""Mirror descent with vertex sampling (Gonzalez, Guzman, Paquette 2024, Algorithm 1)."""

from __future__ import annotations

from typing import Any, Final

from dpref.algorithms.declaration import SAMPLED, Algorithm
from dpref.algorithms.mirror_descent import algorithm, plan
from dpref.algorithms.mirror_descent.plan import Params, Plan
from dpref.problems.games import Game, GameData

ALGORITHM: Final = Algorithm[Game, GameData, Params[Any], Plan[Any]](
    name="mirror-descent",
    paper="private-saddle-points",
    items=("Algorithm 1", "Theorem 3.1", "Proposition 3.3"),
    oracle_cost="T floor(n / T)",
    adjacencies=SAMPLED,
    evidence=(
        "exponential-mechanism/pure-dp",
        "exponential-mechanism/zcdp",
        *(f"private-saddle-points/{k}" for k in ("P20", "P21", "P22", "E1")),
    ),
    measure="(epsilon, delta)",
    planning=plan,
    run=algorithm.run,
)

__all__ = ["ALGORITHM", "Params", "Plan", "algorithm", "plan"]
