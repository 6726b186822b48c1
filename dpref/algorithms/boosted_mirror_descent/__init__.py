"""Boosted mirror descent to high probability (Gonzalez, Guzman, Paquette 2024, Algorithm 4)."""

from __future__ import annotations

from typing import Any, Final

from dpref.algorithms.boosted_mirror_descent import algorithm, plan
from dpref.algorithms.boosted_mirror_descent.plan import Params, Plan
from dpref.algorithms.declaration import SAMPLED, Algorithm
from dpref.problems.games import Game, GameData

ALGORITHM: Final = Algorithm[Game, GameData, Params[Any], Plan[Any]](
    name="boosted-mirror-descent",
    variant_of="mirror-descent",
    calls=("bias-reduced-mirror-descent", "anytime-mirror-descent", "variance-reduced-frank-wolfe"),
    paper="private-saddle-points",
    items=("Algorithm 4", "Theorem 3.20"),
    oracle_cost="at most 3 n/4 and n/2",
    adjacencies=SAMPLED,
    evidence=(
        "exponential-mechanism/pure-dp",
        "exponential-mechanism/zcdp",
        *(f"private-saddle-points/{k}" for k in ("P36", "P39", "P46", "P50", "P52", "S8", "E31", "parallel")),
    ),
    measure="(epsilon, delta)",
    planning=plan,
    run=algorithm.run,
)

__all__ = ["ALGORITHM", "Params", "Plan", "algorithm", "plan"]
