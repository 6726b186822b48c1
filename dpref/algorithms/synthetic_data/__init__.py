"""Synthetic data by mirror descent: a reconstruction for Theorem 1.1 of Gonzalez, Guzman and Paquette 2024."""

from __future__ import annotations

from typing import Any, Final

from dpref.algorithms.declaration import SAMPLED, Algorithm
from dpref.algorithms.synthetic_data import algorithm, plan
from dpref.algorithms.synthetic_data.plan import Params, Plan
from dpref.problems.queries import Queries, QueryData

ALGORITHM: Final = Algorithm[Queries, QueryData, Params[Any], Plan[Any]](
    name="synthetic-data",
    paper="private-saddle-points",
    items=("Theorem 1.1",),
    oracle_cost="(T - 1) floor(n / T)",
    adjacencies=SAMPLED,
    evidence=(
        "exponential-mechanism/pure-dp",
        "exponential-mechanism/zcdp",
        *(f"private-saddle-points/{k}" for k in ("P61", "E28", "synthetic-noise", "synthetic-error")),
    ),
    measure="(epsilon, delta)",
    planning=plan,
    run=algorithm.run,
)

__all__ = ["ALGORITHM", "Params", "Plan", "algorithm", "plan"]
