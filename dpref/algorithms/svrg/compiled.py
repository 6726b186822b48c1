"""The compiled twins of this family on a recorded tape."""

from __future__ import annotations

from typing import Any

import numpy as np

from dpref.algorithms.kernel_arguments import problem_arguments
from dpref.algorithms.svrg import plan as svrg_plan
from dpref.curator import Indices
from dpref.errors import InvalidArgumentError
from dpref.problems.datasets import Dataset
from dpref.problems.erm import ERMProblem
from dpref.reals import FLOAT_ARRAY, FloatArray


def svrg_arguments(
    problem: ERMProblem, data: Dataset, plan: svrg_plan.Plan[Any], noise: FloatArray, indices: Indices | None
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
    problem: ERMProblem, data: Dataset, plan: svrg_plan.Plan[Any], noise: FloatArray, indices: Indices | None = None
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
    >>> with interpreted_run("svrg"):
    ...     run_svrg(*examples.svrg(), np.zeros((2, 1)), np.array([0, 1, 0, 1]))[0].ravel().tolist()
    [0.0, 0.5, 0.625]
    """
    from dpref.algorithms.svrg import kernel  # noqa: PLC0415

    return kernel.run(*svrg_arguments(problem, data, plan, noise, indices))
