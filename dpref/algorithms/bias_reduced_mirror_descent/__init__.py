"""Mirror descent with bias-reduced vertex sampling (Gonzalez, Guzman, Paquette 2024, Algorithms 2 and 3)."""

from __future__ import annotations

from typing import Any, Final

from dpref.algorithms.bias_reduced_mirror_descent import algorithm, plan
from dpref.algorithms.bias_reduced_mirror_descent.plan import Params
from dpref.algorithms.declaration import SAMPLED, Algorithm
from dpref.algorithms.mirror_descent.plan import Plan
from dpref.problems.games import Game, GameData

ALGORITHM: Final = Algorithm[Game, GameData, Params[Any], Plan[Any]](
    name="bias-reduced-mirror-descent",
    variant_of="mirror-descent",
    paper="private-saddle-points",
    items=("Algorithm 2", "Algorithm 3", "Theorem 3.14", "Lemma 3.15", "Proposition 3.17"),
    oracle_cost="at most 3 n",
    adjacencies=SAMPLED,
    evidence=(
        "exponential-mechanism/pure-dp",
        "exponential-mechanism/zcdp",
        *(f"private-saddle-points/{k}" for k in ("P36", "P37", "P39", "E3")),
    ),
    measure="(epsilon, delta)",
    planning=plan,
    run=algorithm.run,
)

__all__ = ["ALGORITHM", "Params", "Plan", "algorithm", "plan"]
