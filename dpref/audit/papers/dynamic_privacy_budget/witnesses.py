"""How much the algorithms leak at least: where momentum weighs answers, batches are random, or a choice is exact."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any, Final

from flint import arb

from dpref.algorithms.dynamic_gradient_descent import Plan
from dpref.algorithms.dynamic_gradient_descent.utility import subsampled_renyi_lower
from dpref.algorithms.forms import Form
from dpref.audit.linear_losses import LINEAR_LOSSES, WITNESS_PRECISION, linear_losses
from dpref.audit.run import Run
from dpref.audit.subjects import Witness
from dpref.reals import BALL, ball, exact, precision

# zCDP is about every order: this one is so large that what a batch hides of rho is far below what is printed.
SHOWING_ORDER: Final = 2**100
TURNED: Final = "linear losses whose mean slope is minus half the sensitivity, and half of it on the neighbour"


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
        signal = sum(weights, arb(0)) * ball(plan.sensitivity.value)
        noise = sum((w * w * ball(exact(s)) ** 2 for w, s in zip(weights, plan.stds, strict=True)), arb(0))
        value: arb = signal * signal / noise
    return (Witness("linear-losses-with-momentum", "mu-squared", value, LINEAR_LOSSES),)


def always_drawn(run: Run) -> tuple[Witness, ...]:
    r"""Linear losses on random batches: $\rho\ge\frac12\mu^2-\frac{T\ln(1/p)}{\alpha-1}$, at one huge order $\alpha$.

    With probability $p^T$ or more every batch has the record, and then the released number is $N(\mu,1)$ against
    $N(0,1)$; so its density is at least $p^T$ times that one's, whose divergence is $\alpha\mu^2/2$.

    Returns:
        One witness of rho; of full batches the Gaussian one; none where the output is bent.

    >>> from dpref.audit import builders, catalogue
    >>> run = builders.run_of(catalogue.find("dynamic-privacy-budget/section-4.3@as-printed,replace-one"))
    >>> [witness.name for witness in always_drawn(run)]
    ['linear-losses-in-every-batch']
    """
    plan = run.plan
    certain = linear_losses(plan.moves_if_drawn(run.problem), run.adjacency, run.release) or momentum_output(run)
    if plan.batch == plan.records:
        return certain
    found = []
    with precision(WITNESS_PRECISION):
        alpha, rate = ball(SHOWING_ORDER), ball(Fraction(plan.batch, plan.records)) ** plan.steps
        for witness in certain:
            mu_squared = witness.value if isinstance(witness.value, arb) else ball(Fraction(witness.value))
            rho = subsampled_renyi_lower(BALL, alpha, 1 / mu_squared.sqrt(), rate) / alpha
            obligations = (*witness.obligations, "dynamic-privacy-budget/PO-50", "dynamic-privacy-budget/sampled-steps")
            found.append(Witness("linear-losses-in-every-batch", "rho", rho, LINEAR_LOSSES, obligations))
    return tuple(found)


def chosen_without_noise(run: Run) -> tuple[Witness, ...]:
    """Return the witness that the best of k candidates by the exact risk has no rho at all.

    A tail of probability e^-L shows a rho in proportion to L, and L is unbounded: `exact-choice`.

    Returns:
        One witness, of the output and so of all that is released with it; none where the choice is noisy, where
        nothing is chosen, or where the output is bent.

    >>> from dpref.audit import builders, catalogue
    >>> run = builders.run_of(catalogue.find("dynamic-privacy-budget/section-4.4@as-printed,zero-out"))
    >>> [(witness.unit, witness.value) for witness in chosen_without_noise(run)]
    [('rho', inf)]
    """
    plan, problem = run.plan, run.problem
    bent = problem.domain.radius is not None or problem.ridge != 0
    if plan.form is Form.REPAIRED or plan.comparisons == 0 or plan.base.steps == 0 or bent:
        return ()
    return (Witness("chosen-without-noise", "rho", math.inf, TURNED, ("dynamic-privacy-budget/exact-choice",)),)


def _weights(plan: Plan[Any]) -> list[arb]:
    """c_1, ..., c_T, from the doubles that the plan runs with."""
    beta, tail = ball(exact(plan.momentum)), arb(0)
    weights = []
    for correction in reversed(plan.bias_corrections[: plan.steps]):
        tail = ball(exact(correction)) + beta * tail
        weights.append((1 - beta) * tail)
    return weights[::-1]
