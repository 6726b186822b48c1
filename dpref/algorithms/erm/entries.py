"""The entries of the ERM family."""

from __future__ import annotations

from typing import Any, Final

from dpref.algorithms.algorithm import SAMPLED, Algorithm
from dpref.algorithms.erm import (
    compiled,
    dynamic_gradient_descent,
    gradient_descent,
    svrg,
    svrg_plus_plus,
    svrg_rounding,
)
from dpref.algorithms.forms import Form
from dpref.units import ZCDP, ApproximateDP, PrivacyLoss


def _gradient_descent_promise(plan: gradient_descent.Plan[Any]) -> PrivacyLoss[Any, Any] | None:
    epsilon, delta = plan.claimed
    promised = PrivacyLoss(epsilon, ApproximateDP, plan.sensitivity.adjacency, delta)
    return None if plan.form is Form.AS_PRINTED else promised


def _dynamic_gradient_descent_promise(plan: dynamic_gradient_descent.Plan[Any]) -> PrivacyLoss[Any, Any] | None:
    promised = PrivacyLoss(plan.budget / 2, ZCDP, plan.sensitivity.adjacency)
    return promised if plan.form is Form.REPAIRED else None


def _svrg_promise(plan: svrg.Plan[Any]) -> PrivacyLoss[Any, Any] | None:
    epsilon, delta = plan.claimed
    return PrivacyLoss(epsilon, ApproximateDP, plan.adjacency, delta) if plan.form is Form.REPAIRED else None


def _random_or_last(plan: gradient_descent.Plan[Any], indices: tuple[int, ...]) -> int:
    return indices[-1] if plan.output == "random" else plan.steps


ENTRIES: Final = (
    Algorithm(
        name="gradient-descent",
        paper="dp-erm-revisited",
        items=("Algorithm 4", "Theorem 6.1", "Theorem 6.2", "Theorem 6.3"),
        measure="(epsilon, delta)",
        paper_adjacency="replace-one",
        oracle_cost="n T",
        evidence=("sensitivity/replace-one", "zcdp/to-dp", "dp-erm-revisited/E9"),
        plan=gradient_descent.plan,
        ledger=gradient_descent.ledger,
        run=gradient_descent.run,
        kernel=compiled.run_gradient_descent,
        promise=_gradient_descent_promise,
        released=_random_or_last,
    ),
    Algorithm(
        name="dynamic-gradient-descent",
        paper="dynamic-privacy-budget",
        items=("Algorithm 1", "Theorem 3.5", "Theorem 4.3", "Lemma 4.4", "Theorem 4.5", "Eq. 13"),
        measure="zCDP",
        paper_adjacency="replace-one",
        oracle_cost="n T",
        evidence=("sensitivity/zero-out", "sensitivity/replace-one", "dynamic-privacy-budget/T1"),
        plan=dynamic_gradient_descent.plan,
        ledger=dynamic_gradient_descent.ledger,
        run=dynamic_gradient_descent.run,
        kernel=compiled.run_dynamic_gradient_descent,
        promise=_dynamic_gradient_descent_promise,
    ),
    Algorithm(
        name="svrg",
        paper="dp-erm-revisited",
        items=("Algorithm 1", "Theorem 4.1", "Theorem 4.2", "Remark 4.1"),
        measure="(epsilon, delta)",
        paper_adjacency="replace-one",
        oracle_cost="T (n + 2 m)",
        evidence=("sensitivity/replace-one", *(f"dp-erm-revisited/P{k}" for k in (71, 72, 73, 76))),
        plan=svrg.plan,
        ledger=svrg.ledger,
        run=svrg.run,
        kernel=compiled.run_svrg,
        promise=_svrg_promise,
        rounding=svrg_rounding.forward_error_bound,
        adjacencies=SAMPLED,
    ),
    Algorithm(
        name="svrg-plus-plus",
        paper="dp-erm-revisited",
        items=("Algorithm 2", "Theorem 4.3", "Theorem 4.4"),
        measure="(epsilon, delta)",
        paper_adjacency="replace-one",
        oracle_cost="T n + 2 (2^(T+1) - 2) m",
        evidence=("sensitivity/replace-one", *(f"dp-erm-revisited/P{k}" for k in (71, 72, 73, 76))),
        plan=svrg_plus_plus.plan,
        ledger=svrg_plus_plus.ledger,
        run=svrg_plus_plus.run,
        kernel=compiled.run_svrg_plus_plus,
        promise=_svrg_promise,
        rounding=svrg_rounding.forward_error_bound,
        adjacencies=SAMPLED,
    ),
)
