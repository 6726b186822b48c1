"""The compiled twins of this family on a recorded tape."""

from __future__ import annotations

from typing import Any

import numpy as np

from dpref.algorithms.erm import dynamic_gradient_descent, gradient_descent, svrg
from dpref.algorithms.kernel_arguments import domain_arguments, problem_arguments
from dpref.curator import Indices
from dpref.errors import InvalidArgumentError
from dpref.problems.datasets import Dataset
from dpref.problems.erm import ERMProblem
from dpref.reals import FLOAT_ARRAY, FloatArray


def run_gradient_descent(
    problem: ERMProblem,
    data: Dataset,
    plan: gradient_descent.Plan[Any],
    noise: FloatArray,
    indices: Indices | None = None,  # noqa: ARG001
) -> tuple[FloatArray, FloatArray]:
    """Algorithm 4 of DP-ERM revisited on a tape."""
    from dpref.kernels.erm import gradient_descent as kernel  # noqa: PLC0415

    start = np.array(plan.start)
    return kernel.run(
        *problem_arguments(problem, data), *domain_arguments(problem), start, plan.step_size, plan.std, noise
    )


def run_dynamic_gradient_descent(
    problem: ERMProblem,
    data: Dataset,
    plan: dynamic_gradient_descent.Plan[Any],
    noise: FloatArray,
    indices: Indices | None = None,  # noqa: ARG001
) -> tuple[FloatArray, FloatArray]:
    """Algorithm 1 of the dynamic-budget paper on a tape."""
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


def run_svrg(
    problem: ERMProblem, data: Dataset, plan: svrg.Plan[Any], noise: FloatArray, indices: Indices | None = None
) -> tuple[FloatArray, FloatArray]:
    """DP-SVRG on a tape of noise and indices."""
    from dpref.kernels.erm import svrg as kernel  # noqa: PLC0415

    return kernel.run(*_svrg_arguments(problem, data, plan, noise, indices))


def run_svrg_plus_plus(
    problem: ERMProblem, data: Dataset, plan: svrg.Plan[Any], noise: FloatArray, indices: Indices | None = None
) -> tuple[FloatArray, FloatArray]:
    """DP-SVRG++ on a tape of noise and indices."""
    from dpref.kernels.erm import svrg_plus_plus as kernel  # noqa: PLC0415

    return kernel.run(*_svrg_arguments(problem, data, plan, noise, indices))
