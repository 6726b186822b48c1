"""Every algorithm of dpref under its name, with what generic tests, audits and tables need to know about it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Final, Protocol

import numpy as np

from dpref.algorithms.erm import (
    dynamic_gradient_descent,
    gradient_descent,
    rounding,
    svrg,
    svrg_plus_plus,
    svrg_rounding,
)
from dpref.algorithms.forms import Form
from dpref.algorithms.kernel_arguments import domain_arguments, problem_arguments
from dpref.algorithms.kl import adaptive_gradient_descent, compiled, spider
from dpref.algorithms.kl import rounding as kl_rounding
from dpref.curator import Curator, Indices
from dpref.errors import InvalidArgumentError
from dpref.privacy.filters import Spending
from dpref.privacy.ledger import Ledger
from dpref.problems.datasets import Dataset
from dpref.problems.erm import ERMProblem, Records
from dpref.reals import FLOAT_ARRAY, Array, FloatArray
from dpref.units import ADJACENCIES, L2, ZCDP, Adjacency, ApproximateDP, PrivacyLoss, ReplaceOne, Sensitivity, ZeroOut


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
    def start(self) -> tuple[float, ...]:
        """First iterate."""


class Kernel(Protocol):
    """A compiled twin on a recorded tape."""

    def __call__(
        self, problem: ERMProblem, data: Dataset, plan: Any, noise: FloatArray, indices: Indices | None = None, /
    ) -> tuple[FloatArray, FloatArray]:
        """Run it.

        Args:
            problem: The public side.
            data: The records.
            plan: The numbers.
            noise: Standard normal draws, shape (K, d) for K answers.
            indices: The transcript's random indices, one after another; None where the algorithm draws none before
                its output.

        Returns:
            The point of each query and then the last iterate, shape (K + 1, d), and exact queries, shape (K, d).
        """
        ...


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
        kernel: The compiled twin on a tape of noise and indices.
        promise: ``plan -> loss`` that an accountant must certify, or None where a printed form promises too much.
        released: ``(plan, indices) -> row`` of the kernel's iterates that is the output.
        rounding: ``(problem, plan, iterates, queries, noise) -> bounds`` on the float64 errors, one a row.
        adjacencies: Those under which it can be planned.
        family: The folder of its files.
        spending: How the observed ledger relates to the plan's: the same, some of its events, or within its budget
            (`dpref.privacy.filters.agrees`).
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
    kernel: Kernel
    promise: Callable[[Any], PrivacyLoss[Any, Any] | None]
    released: Callable[[Any, tuple[int, ...]], int] = lambda plan, _: int(plan.steps)
    rounding: Callable[[ERMProblem, Any, FloatArray, FloatArray, FloatArray], FloatArray] = rounding.forward_error_bound
    adjacencies: tuple[type[Adjacency], ...] = tuple(ADJACENCIES.values())
    family: str = "erm"
    spending: Spending = "fixed"

    @property
    def kernel_module(self) -> str:
        """Where the compiled twin is: the same file name among the kernels."""
        return f"dpref.kernels.{self.family}.{self.name.replace('-', '_')}"


def _gradient_descent_kernel(
    problem: ERMProblem,
    data: Dataset,
    plan: gradient_descent.Plan[Any],
    noise: FloatArray,
    indices: Indices | None = None,  # noqa: ARG001
) -> tuple[FloatArray, FloatArray]:
    from dpref.kernels.erm import gradient_descent as kernel  # noqa: PLC0415

    start = np.array(plan.start)
    return kernel.run(
        *problem_arguments(problem, data), *domain_arguments(problem), start, plan.step_size, plan.std, noise
    )


def _dynamic_gradient_descent_kernel(
    problem: ERMProblem,
    data: Dataset,
    plan: dynamic_gradient_descent.Plan[Any],
    noise: FloatArray,
    indices: Indices | None = None,  # noqa: ARG001
) -> tuple[FloatArray, FloatArray]:
    from dpref.kernels.erm import dynamic_gradient_descent as kernel  # noqa: PLC0415

    return kernel.run(
        *problem_arguments(problem, data),
        *domain_arguments(problem),
        np.array(plan.start),
        plan.step_size,
        plan.momentum,
        np.array(plan.bias_corrections),
        np.array(plan.stds),
        noise,
    )


def _svrg_arguments(
    problem: ERMProblem, data: Dataset, plan: svrg.Plan[Any], noise: FloatArray, indices: Indices | None
) -> tuple[Any, ...]:
    if indices is None or indices.size != plan.steps * plan.batch:
        raise InvalidArgumentError("indices", indices, f"must be {plan.steps} batches of {plan.batch}")
    features, labels, _, code, parameter, clip = problem_arguments(problem, data)
    r = plan.regulariser
    low, high = (-np.inf, np.inf) if r.box is None else map(float, r.box)
    radius = np.inf if r.radius is None else float(r.radius)
    return (
        features,
        labels,
        code,
        parameter,
        clip,
        np.array([float(r.l1), float(r.l2), low, high, radius]),
        np.array(r.project(FLOAT_ARRAY, np.array(plan.start))),
        plan.step_size,
        plan.std,
        np.array(plan.lengths, dtype=np.int64),
        noise,
        np.ascontiguousarray(indices, dtype=np.int64).reshape(plan.steps, plan.batch),
    )


def _svrg_kernel(
    problem: ERMProblem, data: Dataset, plan: svrg.Plan[Any], noise: FloatArray, indices: Indices | None = None
) -> tuple[FloatArray, FloatArray]:
    from dpref.kernels.erm import svrg as kernel  # noqa: PLC0415

    return kernel.run(*_svrg_arguments(problem, data, plan, noise, indices))


def _svrg_plus_plus_kernel(
    problem: ERMProblem, data: Dataset, plan: svrg.Plan[Any], noise: FloatArray, indices: Indices | None = None
) -> tuple[FloatArray, FloatArray]:
    from dpref.kernels.erm import svrg_plus_plus as kernel  # noqa: PLC0415

    return kernel.run(*_svrg_arguments(problem, data, plan, noise, indices))


def _gradient_descent_promise(plan: gradient_descent.Plan[Any]) -> PrivacyLoss[Any, Any] | None:
    epsilon, delta = plan.claimed
    promised = PrivacyLoss(epsilon, ApproximateDP, plan.sensitivity.adjacency, delta)
    return None if plan.calibration == "as-printed" else promised


def _dynamic_gradient_descent_promise(plan: dynamic_gradient_descent.Plan[Any]) -> PrivacyLoss[Any, Any] | None:
    promised = PrivacyLoss(plan.budget / 2, ZCDP, plan.sensitivity.adjacency)
    return promised if plan.form is Form.REPAIRED else None


def _svrg_promise(plan: svrg.Plan[Any]) -> PrivacyLoss[Any, Any] | None:
    epsilon, delta = plan.claimed
    return PrivacyLoss(epsilon, ApproximateDP, plan.adjacency, delta) if plan.form is Form.REPAIRED else None


def _random_or_last(plan: gradient_descent.Plan[Any], indices: tuple[int, ...]) -> int:
    return indices[-1] if plan.output == "random" else plan.steps


_SAMPLED: Final = (ReplaceOne, ZeroOut)

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
                promise=_gradient_descent_promise,
                released=_random_or_last,
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
                promise=_dynamic_gradient_descent_promise,
            ),
            Algorithm(
                name="svrg",
                paper="dp-erm-revisited",
                items=("Algorithm 1", "Theorem 4.1", "Theorem 4.2", "Remark 4.1"),
                measure="(epsilon, delta)",
                paper_adjacency="replace-one",
                printed_form_holds="for epsilon <= min(7 T m / n^2, 2 ln(1/delta)) with c >= 3080; for no c outside",
                oracle_cost="T (n + 2 m)",
                evidence=("sensitivity/replace-one", *(f"dp-erm-revisited/P{k}" for k in (71, 72, 73, 76))),
                plan=svrg.plan,
                ledger=svrg.ledger,
                run=svrg.run,
                kernel=_svrg_kernel,
                promise=_svrg_promise,
                rounding=svrg_rounding.forward_error_bound,
                adjacencies=_SAMPLED,
            ),
            Algorithm(
                name="svrg-plus-plus",
                paper="dp-erm-revisited",
                items=("Algorithm 2", "Theorem 4.3", "Theorem 4.4"),
                measure="(epsilon, delta)",
                paper_adjacency="replace-one",
                printed_form_holds="for epsilon <= min(7 2^T m / n^2, 2 ln(1/delta)) with c >= 6160; for no c outside",
                oracle_cost="T n + 2 (2^(T+1) - 2) m",
                evidence=("sensitivity/replace-one", *(f"dp-erm-revisited/P{k}" for k in (71, 72, 73, 76))),
                plan=svrg_plus_plus.plan,
                ledger=svrg_plus_plus.ledger,
                run=svrg_plus_plus.run,
                kernel=_svrg_plus_plus_kernel,
                promise=_svrg_promise,
                rounding=svrg_rounding.forward_error_bound,
                adjacencies=_SAMPLED,
            ),
            Algorithm(
                name="adaptive-gradient-descent",
                paper="kl-condition",
                items=("Algorithm 3", "Theorem 3", "Theorem 4", "Theorem 5"),
                measure="zCDP",
                paper_adjacency="replace-one",
                printed_form_holds="no where N_t is a scalar that may be negative; with N_t >= 0 under"
                " zero-out yes, under replace-one open",
                oracle_cost="n a round",
                evidence=("sensitivity/replace-one", "zcdp/composition", "kl-condition/E4", "kl-condition/PO-46"),
                plan=adaptive_gradient_descent.plan,
                ledger=adaptive_gradient_descent.ledger,
                run=adaptive_gradient_descent.run,
                kernel=compiled.adaptive_gradient_descent,
                promise=adaptive_gradient_descent.promise,
                released=compiled.last,
                rounding=kl_rounding.adaptive_gradient_descent,
                family="kl",
                spending="filtered",
            ),
            Algorithm(
                name="spider",
                paper="kl-condition",
                items=("Algorithm 1", "Theorem 1", "Lemma 8"),
                measure="zCDP",
                paper_adjacency="replace-one",
                printed_form_holds="no (more than twice the claimed rho); under zero-out yes",
                oracle_cost="n an answer, at most n sum_k floor(T_k)",
                evidence=("sensitivity/replace-one", "zcdp/composition", "kl-condition/E1", "kl-condition/PO-13"),
                plan=spider.plan,
                ledger=spider.ledger,
                run=spider.run,
                kernel=compiled.spider,
                promise=spider.promise,
                released=compiled.last,
                rounding=kl_rounding.spider,
                family="kl",
                spending="stopped",
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
