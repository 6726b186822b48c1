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
from dpref.algorithms.online import compiled, online_frank_wolfe
from dpref.algorithms.online import rounding as online_rounding
from dpref.algorithms.saddle import bias_reduced_mirror_descent, mirror_descent, vertex_plan
from dpref.algorithms.saddle import rounding as saddle_rounding
from dpref.curator import Curator, Indices
from dpref.errors import InvalidArgumentError
from dpref.mechanisms.truncated_geometric import normaliser
from dpref.privacy.ledger import Ledger
from dpref.problems.datasets import Dataset
from dpref.problems.erm import ERMProblem
from dpref.problems.games import Game, GameData
from dpref.reals import FLOAT, FLOAT_ARRAY, Array, FloatArray
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
        self, problem: Any, data: Any, plan: Any, noise: FloatArray, indices: Indices | None = None, /
    ) -> tuple[FloatArray, FloatArray]:
        """Run it.

        Args:
            problem: The public side.
            data: The records.
            plan: The numbers.
            noise: Standard draws, as `dpref.curator.Transcript.noise` lays them out: (K, d) for K answers of d numbers.
            indices: The transcript's random indices, one after another; None where the algorithm draws none before
                its output.

        Returns:
            The point of each query and then the output, one a row, and exact queries.
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
        family: The folder of its files, which is also the kind of problem that it solves.
        scales: ``plan -> scales`` of the noise of each answer.
    """

    name: str
    paper: str
    items: tuple[str, ...]
    measure: str
    paper_adjacency: str
    printed_form_holds: str
    oracle_cost: str
    evidence: tuple[str, ...]
    plan: Callable[[Any, Any], Any]
    ledger: Callable[[Any], Ledger[Any]]
    run: Callable[[Any, Any, Curator[Any, Any]], Array]
    kernel: Kernel
    promise: Callable[[Any], PrivacyLoss[Any, Any] | None]
    released: Callable[[Any, tuple[int, ...]], int] = lambda plan, _: int(plan.steps)
    rounding: Callable[[Any, Any, FloatArray, FloatArray, FloatArray], FloatArray] = rounding.forward_error_bound
    adjacencies: tuple[type[Adjacency], ...] = tuple(ADJACENCIES.values())
    family: str = "erm"
    scales: Callable[[Any], tuple[float, ...]] = lambda plan: tuple(plan.stds)

    @property
    def kernel_module(self) -> str:
        """Where the compiled twin is: the same file name among the kernels."""
        return f"dpref.kernels.{self.family}.{self.name.replace('-', '_')}"


def problem_arguments(problem: ERMProblem, data: Dataset) -> tuple[FloatArray, FloatArray, int, int, float, float]:
    """The arguments that every kernel of the family takes first: data, divisor, loss, clipping."""
    clip = np.inf if problem.clip is None else float(problem.clip)
    return (data.features, data.labels, problem.n, problem.loss.code, float(problem.loss.parameter), clip)


def _domain_arguments(problem: ERMProblem) -> tuple[float, float]:
    radius = problem.domain.radius
    return float(problem.ridge), np.inf if radius is None else float(radius)


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
        *problem_arguments(problem, data), *_domain_arguments(problem), start, plan.step_size, plan.std, noise
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
        *_domain_arguments(problem),
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


def game_arguments(problem: Game, data: GameData) -> tuple[FloatArray, FloatArray, FloatArray, float]:
    """The arguments that every kernel of the saddle family takes first: records and the width of the ramps."""
    return data.payoffs, data.slopes, data.offsets, 0.0 if problem.ramp is None else float(problem.ramp)


def _toward(plan: vertex_plan.Plan[Any]) -> float:
    return 1.0 if plan.form is Form.REPAIRED else -1.0


def _mirror_descent_kernel(
    problem: Game,
    data: GameData,
    plan: vertex_plan.Plan[Any],
    noise: FloatArray,
    indices: Indices | None = None,  # noqa: ARG001
) -> tuple[FloatArray, FloatArray]:
    from dpref.kernels.saddle import mirror_descent as kernel  # noqa: PLC0415

    counts = np.array(plan.batches, dtype=np.int64), np.array(plan.vertices, dtype=np.int64)
    return kernel.run(*game_arguments(problem, data), *counts, plan.step_size, _toward(plan), noise.ravel())


def _bias_reduced_kernel(
    problem: Game,
    data: GameData,
    plan: vertex_plan.Plan[Any],
    noise: FloatArray,
    indices: Indices | None = None,  # noqa: ARG001
) -> tuple[FloatArray, FloatArray]:
    from dpref.kernels.saddle import bias_reduced_mirror_descent as kernel  # noqa: PLC0415

    counts = np.array(plan.batches, dtype=np.int64), np.array(plan.vertices, dtype=np.int64)
    C, spare = normaliser(FLOAT, plan.truncation), int(plan.spare_output)
    arguments = (*game_arguments(problem, data), *counts, C, plan.step_size, _toward(plan), spare)
    return kernel.run(*arguments, noise.ravel())


def _vertex_promise(plan: vertex_plan.Plan[Any]) -> PrivacyLoss[Any, Any]:
    epsilon, delta = plan.claimed
    return PrivacyLoss(epsilon, ApproximateDP, plan.adjacency, delta)


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


def _online_frank_wolfe_promise(plan: online_frank_wolfe.Plan[Any]) -> PrivacyLoss[Any, Any] | None:
    epsilon, delta = plan.claimed
    promised = PrivacyLoss(epsilon, ApproximateDP, plan.sensitivity.adjacency, delta)
    return promised if plan.form is Form.REPAIRED else None


def _random_or_last(plan: gradient_descent.Plan[Any], indices: tuple[int, ...]) -> int:
    return indices[-1] if plan.output == "random" else plan.steps


_SAMPLED: Final = (ReplaceOne, ZeroOut)
_SADDLE_EVIDENCE: Final = ("exponential-mechanism/pure-dp", "exponential-mechanism/zcdp", "private-saddle-points/P20")

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
                name="online-frank-wolfe",
                paper="private-online-frank-wolfe",
                items=("Algorithm 1", "Algorithm 4", "Algorithm 5", "Theorem 3.1", "Theorem 3.2", "Lemma 3.2"),
                measure="(epsilon, delta)",
                paper_adjacency="replace-one",
                printed_form_holds="no (the noise of Algorithm 4 is the root of what Eq. 3.2 asks for)",
                oracle_cost="2 n - 1",
                evidence=tuple(f"private-online-frank-wolfe/{k}" for k in ("PO-5", "PO-9", "E-1", "E-2")),
                plan=online_frank_wolfe.plan,
                ledger=online_frank_wolfe.ledger,
                run=online_frank_wolfe.run,
                kernel=compiled.online_frank_wolfe,
                promise=_online_frank_wolfe_promise,
                rounding=online_rounding.forward_error_bound,
                adjacencies=_SAMPLED,
                family="online",
            ),
            Algorithm(
                name="mirror-descent",
                paper="private-saddle-points",
                items=("Algorithm 1", "Theorem 3.1", "Proposition 3.3"),
                measure="(epsilon, delta)",
                paper_adjacency="replace-one",
                printed_form_holds="privacy yes (with twice the step, too); utility no (E1, the sign of the y-step)",
                oracle_cost="T floor(n / T)",
                evidence=_SADDLE_EVIDENCE,
                plan=mirror_descent.plan,
                ledger=mirror_descent.ledger,
                run=mirror_descent.run,
                kernel=_mirror_descent_kernel,
                promise=_vertex_promise,
                rounding=saddle_rounding.forward_error_bound,
                adjacencies=_SAMPLED,
                family="saddle",
                scales=lambda plan: tuple(plan.scales),
            ),
            Algorithm(
                name="bias-reduced-mirror-descent",
                paper="private-saddle-points",
                items=("Algorithm 2", "Algorithm 3", "Theorem 3.14", "Lemma 3.15", "Proposition 3.17"),
                measure="(epsilon, delta)",
                paper_adjacency="replace-one",
                printed_form_holds="yes, by zCDP; its proof's sensitivity does not (E3)",
                oracle_cost="at most 3 n",
                evidence=_SADDLE_EVIDENCE,
                plan=bias_reduced_mirror_descent.plan,
                ledger=bias_reduced_mirror_descent.ledger,
                run=bias_reduced_mirror_descent.run,
                kernel=_bias_reduced_kernel,
                promise=_vertex_promise,
                rounding=saddle_rounding.forward_error_bound,
                adjacencies=_SAMPLED,
                family="saddle",
                scales=lambda plan: tuple(plan.scales),
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
