"""Every algorithm of dpref under its name, with what generic tests, audits and tables need to know about it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Final, Protocol

import numpy as np

from dpref.algorithms.erm import dynamic_gradient_descent, gradient_descent
from dpref.curator import Curator
from dpref.errors import InvalidArgumentError
from dpref.privacy.ledger import Ledger
from dpref.problems.datasets import Dataset
from dpref.problems.erm import ERMProblem, Records
from dpref.reals import Array, FloatArray
from dpref.units import L2, Sensitivity


class GradientPlan(Protocol):
    """What the plans of all gradient-perturbation algorithms share."""

    @property
    def sensitivity(self) -> Sensitivity[L2, Any]:
        """True l2 sensitivity of each query."""

    @property
    def stds(self) -> tuple[float, ...]:
        """Standard deviation of the noise of each step that is run."""

    @property
    def steps(self) -> int:
        """Number of steps that are run."""

    @property
    def step_size(self) -> float:
        """eta."""

    @property
    def momentum(self) -> float:
        """beta."""

    @property
    def start(self) -> tuple[float, ...]:
        """First iterate."""


@dataclass(frozen=True)
class Algorithm:
    """One algorithm.

    Attributes:
        name: Its name in claims and tables.
        paper: Short name of the paper.
        items: The paper's items that it implements.
        measure: In which the paper states its guarantee.
        paper_adjacency: The adjacency that the paper's definition reads as.
        printed_form_holds: Whether the printed privacy claim holds under that adjacency, in words.
        oracle_cost: Gradient evaluations a run.
        evidence: Ids of the obligations that it rests on.
        plan: ``(problem, params) -> plan``.
        ledger: ``plan -> Ledger``.
        run: ``(problem, plan, curator) -> output``; the reference.
        kernel: ``(problem, data, plan, noise) -> (iterates, queries)``; the compiled twin on a tape of noise.
    """

    name: str
    paper: str
    items: tuple[str, ...]
    measure: str
    paper_adjacency: str
    printed_form_holds: str
    oracle_cost: str
    evidence: tuple[str, ...]
    plan: Callable[[ERMProblem, Any], Any]
    ledger: Callable[[Any], Ledger[Any]]
    run: Callable[[ERMProblem, Any, Curator[Records, Any]], Array]
    kernel: Callable[[ERMProblem, Dataset, Any, FloatArray], tuple[FloatArray, FloatArray]]


def problem_arguments(problem: ERMProblem, data: Dataset) -> tuple[FloatArray, FloatArray, int, int, float, float]:
    """The arguments that every kernel of the family takes first: data, divisor, loss, clipping."""
    clip = np.inf if problem.clip is None else float(problem.clip)
    return (data.features, data.labels, problem.n, problem.loss.code, float(problem.loss.parameter), clip)


def _domain_arguments(problem: ERMProblem) -> tuple[float, float]:
    radius = problem.domain.radius
    return float(problem.ridge), np.inf if radius is None else float(radius)


def _gradient_descent_kernel(
    problem: ERMProblem, data: Dataset, plan: gradient_descent.Plan[Any], noise: FloatArray
) -> tuple[FloatArray, FloatArray]:
    from dpref.kernels.erm import gradient_descent as kernel  # noqa: PLC0415

    start = np.array(plan.start)
    return kernel.run(
        *problem_arguments(problem, data), *_domain_arguments(problem), start, plan.step_size, plan.std, noise
    )


def _dynamic_gradient_descent_kernel(
    problem: ERMProblem, data: Dataset, plan: dynamic_gradient_descent.Plan[Any], noise: FloatArray
) -> tuple[FloatArray, FloatArray]:
    from dpref.kernels.erm import dynamic_gradient_descent as kernel  # noqa: PLC0415

    return kernel.run(
        *problem_arguments(problem, data),
        *_domain_arguments(problem),
        np.array(plan.start),
        plan.step_size,
        plan.momentum,
        np.array(plan.bias_corrections),
        np.array(plan.stds),
        noise,
    )


ALGORITHMS: Final[Mapping[str, Algorithm]] = MappingProxyType(
    {
        a.name: a
        for a in (
            Algorithm(
                name="gradient-descent",
                paper="dp-erm-revisited",
                items=("Algorithm 4", "Theorem 6.1", "Theorem 6.2", "Theorem 6.3"),
                measure="(epsilon, delta)",
                paper_adjacency="replace-one",
                printed_form_holds="for epsilon <= 2 ln(1/delta) with c >= 16; for no c at every epsilon",
                oracle_cost="n T",
                evidence=("sensitivity/replace-one", "zcdp/to-dp", "dp-erm-revisited/E9"),
                plan=gradient_descent.plan,
                ledger=gradient_descent.ledger,
                run=gradient_descent.run,
                kernel=_gradient_descent_kernel,
            ),
            Algorithm(
                name="dynamic-gradient-descent",
                paper="dynamic-privacy-budget",
                items=("Algorithm 1", "Theorem 3.5", "Theorem 4.3", "Lemma 4.4", "Theorem 4.5", "Eq. 13"),
                measure="zCDP",
                paper_adjacency="replace-one",
                printed_form_holds="no (four times the claimed rho); under zero-out yes",
                oracle_cost="n T",
                evidence=("sensitivity/zero-out", "sensitivity/replace-one", "dynamic-privacy-budget/T1"),
                plan=dynamic_gradient_descent.plan,
                ledger=dynamic_gradient_descent.ledger,
                run=dynamic_gradient_descent.run,
                kernel=_dynamic_gradient_descent_kernel,
            ),
        )
    }
)


def algorithm_named(name: str) -> Algorithm:
    """The algorithm of that name.

    Raises:
        InvalidArgumentError: If there is none; the message lists the names.

    >>> algorithm_named("gradient-descent").paper
    'dp-erm-revisited'
    """
    try:
        return ALGORITHMS[name]
    except KeyError:
        raise InvalidArgumentError("algorithm", name, "must be one of " + ", ".join(ALGORITHMS)) from None
