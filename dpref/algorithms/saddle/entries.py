"""The entries of the saddle family."""

from __future__ import annotations

from typing import Any, Final

from dpref.algorithms.algorithm import SAMPLED, Algorithm
from dpref.algorithms.saddle import bias_reduced_mirror_descent, compiled, mirror_descent, rounding, vertex_plan
from dpref.units import ApproximateDP, PrivacyLoss

_DRAWS: Final = ("exponential-mechanism/pure-dp", "exponential-mechanism/zcdp")


def _vertex_promise(plan: vertex_plan.Plan[Any]) -> PrivacyLoss[Any, Any]:
    epsilon, delta = plan.claimed
    return PrivacyLoss(epsilon, ApproximateDP, plan.adjacency, delta)


ENTRIES: Final = (
    Algorithm(
        name="mirror-descent",
        paper="private-saddle-points",
        items=("Algorithm 1", "Theorem 3.1", "Proposition 3.3"),
        measure="(epsilon, delta)",
        paper_adjacency="replace-one",
        oracle_cost="T floor(n / T)",
        evidence=(*_DRAWS, *(f"private-saddle-points/{k}" for k in ("P20", "P21", "P22", "E1"))),
        plan=mirror_descent.plan,
        ledger=mirror_descent.ledger,
        run=mirror_descent.run,
        kernel=compiled.run_mirror_descent,
        promise=_vertex_promise,
        rounding=rounding.forward_error_bound,
        adjacencies=SAMPLED,
        family="saddle",
        scales=lambda plan: tuple(plan.scales),
    ),
    Algorithm(
        name="bias-reduced-mirror-descent",
        paper="private-saddle-points",
        items=("Algorithm 2", "Algorithm 3", "Theorem 3.14", "Lemma 3.15", "Proposition 3.17"),
        measure="(epsilon, delta)",
        paper_adjacency="replace-one",
        oracle_cost="at most 3 n",
        evidence=(*_DRAWS, *(f"private-saddle-points/{k}" for k in ("P36", "P37", "P39", "E3"))),
        plan=bias_reduced_mirror_descent.plan,
        ledger=bias_reduced_mirror_descent.ledger,
        run=bias_reduced_mirror_descent.run,
        kernel=compiled.run_bias_reduced_mirror_descent,
        promise=_vertex_promise,
        rounding=rounding.forward_error_bound,
        adjacencies=SAMPLED,
        family="saddle",
        scales=lambda plan: tuple(plan.scales),
    ),
)
