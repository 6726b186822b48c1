"""The compiled twin on a recorded tape."""

from __future__ import annotations

from typing import Any

import numpy as np

from dpref.algorithms.adaptive_gradient_descent import plan as adaptive_plan
from dpref.algorithms.forms import Form
from dpref.algorithms.kernel_arguments import domain_arguments, problem_arguments
from dpref.curator import Indices
from dpref.problems.datasets import Dataset
from dpref.problems.erm import ERMProblem
from dpref.reals import FloatArray


def adaptive_trace(
    problem: ERMProblem, data: Dataset, plan: adaptive_plan.Plan[Any], noise: FloatArray
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Run Algorithm 3 compiled, on recorded noise, and keep how much noise each answer had.

    Args:
        problem: The public problem: loss, number of records, bounds, constraint set.
        data: The private records: features, shape (n, d), and labels, shape (n,).
        plan: What `plan` computed: rounds, step sizes, noise, start.
        noise: Standard normal draws, one answer after another, of any shape.

    Returns:
        The points of the K queries and then the output, shape (K + 1, d); the exact queries, shape (K, d); the
        standard deviation of each answer's noise, shape (K,).

    Raises:
        ValueError: If the tape is too short.

    >>> from dpref.algorithms import examples
    >>> from dpref.kernels.twin import interpreted_run
    >>> with interpreted_run("adaptive_gradient_descent"):  # without noise: the norm is 1/2, the gradient (-1/2, 0)
    ...     [part[-1].round(3).tolist() for part in adaptive_trace(*examples.adaptive_gradient_descent(), np.zeros(3))]
    [[1.0, 0.0], [-0.5, 0.0], 0.047]
    """
    from dpref.algorithms.adaptive_gradient_descent import kernel  # noqa: PLC0415

    numbers = (
        plan.norm_std, plan.floor_std, plan.spread, plan.norm_cost, plan.charge, float(plan.rho) / 2, plan.limit,
        plan.stop_norm, float(plan.sensitivity.value) * (1 + 2.0**-50),
    )  # fmt: skip
    found: tuple[FloatArray, FloatArray, FloatArray] = kernel.run(
        *problem_arguments(problem, data),
        *domain_arguments(problem),
        np.array(plan.start),
        plan.step_size,
        adaptive_plan.READINGS.index(plan.reading),
        plan.form is Form.REPAIRED,
        np.array(numbers),
        plan.rounds,
        np.ascontiguousarray(noise, dtype=np.float64).reshape(-1),
    )
    return found


def adaptive_gradient_descent(
    problem: ERMProblem,
    data: Dataset,
    plan: adaptive_plan.Plan[Any],
    noise: FloatArray,
    indices: Indices | None = None,
) -> tuple[FloatArray, FloatArray]:
    """Run Algorithm 3 compiled, on recorded noise: `adaptive_trace` without the noise scales.

    Args:
        problem: The public problem: loss, number of records, bounds, constraint set.
        data: The private records: features, shape (n, d), and labels, shape (n,).
        plan: What `plan` computed: rounds, step sizes, noise, start.
        noise: Standard normal draws, one answer after another, of any shape.
        indices: The algorithm draws none.

    Raises:
        ValueError: If the tape is too short.

    >>> from dpref.algorithms import examples
    >>> from dpref.kernels.twin import interpreted_run
    >>> with interpreted_run("adaptive_gradient_descent"):
    ...     adaptive_gradient_descent(*examples.adaptive_gradient_descent(), np.zeros(3))[0].tolist()
    [[0.0, 0.0], [0.0, 0.0], [1.0, 0.0]]
    """
    iterates, queries, _ = adaptive_trace(problem, data, plan, noise)
    return iterates, queries
