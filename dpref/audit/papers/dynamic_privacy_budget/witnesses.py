"""How much the algorithm leaks at least where momentum weighs its answers."""

from __future__ import annotations

from typing import Any

from flint import arb

from dpref.algorithms.dynamic_gradient_descent import Plan
from dpref.audit.linear_losses import LINEAR_LOSSES, WITNESS_PRECISION
from dpref.audit.run import Run
from dpref.audit.subjects import Witness
from dpref.reals import ball, exact, precision


def momentum_output(run: Run) -> tuple[Witness, ...]:
    r"""The linear losses' output with momentum: $\mu^2=\Delta^2(\sum_tc_t)^2/\sum_tc_t^2s_t^2$, in balls.

    $s_t$ is the noise of step t and $c_t=(1-\beta)\sum_{k\ge t}\beta^{k-t}b_k$ says how often its gradient enters the
    last iterate: a denominator of thousands of digits, which `linear_losses` would compute exactly.

    Returns:
        One witness; none for a transcript, without momentum, or where the output is bent.

    >>> from dpref.audit import builders, catalogue
    >>> run = builders.run_of(catalogue.find("dynamic-privacy-budget/theorem-3.5@repaired-schedule-4.8,replace-one"))
    >>> momentum_output(run)
    ()
    """
    plan, problem = run.plan, run.problem
    if run.release == "transcript" or plan.momentum == 0 or problem.domain.radius is not None or problem.ridge != 0:
        return ()
    with precision(WITNESS_PRECISION):
        weights = _weights(plan)
        signal = sum(weights, arb(0)) * ball(problem.sensitivity(run.adjacency).value)
        noise = sum((w * w * ball(exact(s)) ** 2 for w, s in zip(weights, plan.stds, strict=True)), arb(0))
        value: arb = signal * signal / noise
    return (Witness("linear-losses-with-momentum", "mu-squared", value, LINEAR_LOSSES),)


def _weights(plan: Plan[Any]) -> list[arb]:
    """c_1, ..., c_T, from the doubles that the plan runs with."""
    beta, tail = ball(exact(plan.momentum)), arb(0)
    weights = []
    for correction in reversed(plan.bias_corrections[: plan.steps]):
        tail = ball(exact(correction)) + beta * tail
        weights.append((1 - beta) * tail)
    return weights[::-1]
