"""The entries of the online family."""

from __future__ import annotations

from typing import Any, Final

from dpref.algorithms.algorithm import SAMPLED, Algorithm
from dpref.algorithms.forms import Form
from dpref.algorithms.online import compiled, online_frank_wolfe, rounding
from dpref.units import ApproximateDP, PrivacyLoss


def _online_frank_wolfe_promise(plan: online_frank_wolfe.Plan[Any]) -> PrivacyLoss[Any, Any] | None:
    epsilon, delta = plan.claimed
    promised = PrivacyLoss(epsilon, ApproximateDP, plan.sensitivity.adjacency, delta)
    return promised if plan.form is Form.REPAIRED else None


ENTRIES: Final = (
    Algorithm(
        name="online-frank-wolfe",
        paper="private-online-frank-wolfe",
        items=("Algorithm 1", "Algorithm 4", "Algorithm 5", "Theorem 3.1", "Theorem 3.2", "Lemma 3.2"),
        measure="(epsilon, delta)",
        paper_adjacency="replace-one",
        oracle_cost="2 n - 1",
        evidence=tuple(f"private-online-frank-wolfe/{k}" for k in ("PO-5", "PO-9", "gaussian-dp", "E-1", "E-2")),
        plan=online_frank_wolfe.plan,
        ledger=online_frank_wolfe.ledger,
        run=online_frank_wolfe.run,
        kernel=compiled.online_frank_wolfe,
        promise=_online_frank_wolfe_promise,
        rounding=rounding.forward_error_bound,
        adjacencies=SAMPLED,
        family="online",
    ),
)
