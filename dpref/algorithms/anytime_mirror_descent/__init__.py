"""Anytime mirror descent with vertex sampling (Gonzalez, Guzman, Paquette 2024, Algorithm 5)."""

from __future__ import annotations

from typing import Any, Final

from dpref.algorithms.anytime_mirror_descent import algorithm, plan
from dpref.algorithms.anytime_mirror_descent.plan import Params, Plan
from dpref.algorithms.declaration import SAMPLED, Algorithm
from dpref.problems.games import Game, GameData

ALGORITHM: Final = Algorithm[Game, GameData, Params[Any], Plan[Any]](
    name="anytime-mirror-descent",
    variant_of="mirror-descent",
    paper="private-saddle-points",
    items=("Algorithm 5", "Theorem 4.2", "Proposition 4.3"),
    oracle_cost="(T - 1) floor(n / T)",
    adjacencies=SAMPLED,
    evidence=(
        "exponential-mechanism/pure-dp",
        "exponential-mechanism/zcdp",
        *(f"private-saddle-points/{k}" for k in ("P20", "P50", "P52", "E10", "proposition-4.3")),
    ),
    measure="(epsilon, delta)",
    planning=plan,
    run=algorithm.run,
)

__all__ = ["ALGORITHM", "Params", "Plan", "algorithm", "plan"]
