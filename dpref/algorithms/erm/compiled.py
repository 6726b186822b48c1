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
    indices: Indices | None = None,
) -> tuple[FloatArray, FloatArray]:
    """Run DP-GD (DP-ERM revisited, Algorithm 4) compiled, on recorded noise.

    Args:
        problem: The public problem: loss, number of records, bounds, constraint set.
        data: The private records: features, shape (n, d), and labels, shape (n,).
        plan: What `plan` computed: number and size of the steps, noise, start.
        noise: Standard normal draws, shape (K, d).
        indices: None: this algorithm draws none before its output.

    Returns:
        The point of each query and then the output, shape (K + 1, d), and exact queries, shape (K, d).

    Two steps without noise, against the gradient x - 1, interpreted to save the compilation:

    >>> from dpref.algorithms import examples
    >>> from dpref.kernels.twin import interpreted_run
    >>> with interpreted_run("erm.gradient_descent"):
    ...     [part.ravel().tolist() for part in run_gradient_descent(*examples.gradient_descent(), np.zeros((2, 1)))]
    [[0.0, 0.5, 0.75], [-1.0, -0.5]]
    """
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
    indices: Indices | None = None,
) -> tuple[FloatArray, FloatArray]:
    """Run Algorithm 1 of the dynamic-budget paper compiled, on recorded noise.

    Args:
        problem: The public problem: loss, number of records, bounds, constraint set.
        data: The private records: features, shape (n, d), and labels, shape (n,).
        plan: What `plan` computed: number and size of the steps, noise, start.
        noise: Standard normal draws, shape (K, d).
        indices: None: this algorithm draws none before its output.

    Returns:
        The point of each query and then the output, shape (K + 1, d), and exact queries, shape (K, d).

    Two steps without noise, against the gradient x - 1, interpreted to save the compilation:

    >>> from dpref.algorithms.examples import dynamic_gradient_descent as example
    >>> from dpref.kernels.twin import interpreted_run
    >>> with interpreted_run("erm.dynamic_gradient_descent"):
    ...     [part.ravel().tolist() for part in run_dynamic_gradient_descent(*example(), np.zeros((2, 1)))]
    [[0.0, 0.5, 0.75], [-1.0, -0.5]]
    """
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
    """Run DP-SVRG compiled, on recorded noise and indices.

    Args:
        problem: The public problem: loss, number of records, bounds, constraint set.
        data: The private records: features, shape (n, d), and labels, shape (n,).
        plan: What `plan` computed: number and size of the steps, noise, start.
        noise: Standard normal draws, shape (K, d).
        indices: Batches, one after another, K b in all.

    Returns:
        The point of each query and then the output, shape (K + 1, d), and exact queries, shape (K, d).

    Raises:
        InvalidArgumentError: If the indices are missing or not K batches of b.

    Two steps without noise, against the gradient x - 1, interpreted to save the compilation:

    >>> from dpref.algorithms import examples
    >>> from dpref.kernels.twin import interpreted_run
    >>> with interpreted_run("erm.svrg"):
    ...     run_svrg(*examples.svrg(), np.zeros((2, 1)), np.array([0, 1, 0, 1]))[0].ravel().tolist()
    [0.0, 0.5, 0.625]
    """
    from dpref.kernels.erm import svrg as kernel  # noqa: PLC0415

    return kernel.run(*_svrg_arguments(problem, data, plan, noise, indices))


def run_svrg_plus_plus(
    problem: ERMProblem, data: Dataset, plan: svrg.Plan[Any], noise: FloatArray, indices: Indices | None = None
) -> tuple[FloatArray, FloatArray]:
    """Run DP-SVRG++ compiled, on recorded noise and indices.

    Args:
        problem: The public problem: loss, number of records, bounds, constraint set.
        data: The private records: features, shape (n, d), and labels, shape (n,).
        plan: What `plan` computed: number and size of the steps, noise, start.
        noise: Standard normal draws, shape (K, d).
        indices: Batches, one after another, K b in all.

    Returns:
        The point of each query and then the output, shape (K + 1, d), and exact queries, shape (K, d).

    Raises:
        InvalidArgumentError: If the indices are missing or not K batches of b.

    Two steps without noise, against the gradient x - 1, interpreted to save the compilation:

    >>> from dpref.algorithms import examples
    >>> from dpref.kernels.twin import interpreted_run
    >>> with interpreted_run("erm.svrg_plus_plus"):
    ...     run_svrg_plus_plus(*examples.svrg_plus_plus(), np.zeros((2, 1)), np.array([0, 1, 0, 1]))[0].ravel().tolist()
    [0.0, 0.5, 0.625]
    """
    from dpref.kernels.erm import svrg_plus_plus as kernel  # noqa: PLC0415

    return kernel.run(*_svrg_arguments(problem, data, plan, noise, indices))
