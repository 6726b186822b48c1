"""The compiled twin on a recorded tape."""

from __future__ import annotations

from typing import Any

import numpy as np

from dpref.algorithms.dynamic_gradient_descent import plan as dynamic_gradient_descent_plan
from dpref.algorithms.kernel_arguments import domain_arguments, problem_arguments
from dpref.curator import Indices
from dpref.problems.datasets import Dataset
from dpref.problems.erm import ERMProblem
from dpref.reals import FloatArray


def run_dynamic_gradient_descent(
    problem: ERMProblem,
    data: Dataset,
    plan: dynamic_gradient_descent_plan.Plan[Any],
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
    >>> with interpreted_run("dynamic_gradient_descent"):
    ...     [part.ravel().tolist() for part in run_dynamic_gradient_descent(*example(), np.zeros((2, 1)))]
    [[0.0, 0.5, 0.75], [-1.0, -0.5]]
    """
    from dpref.algorithms.dynamic_gradient_descent import kernel  # noqa: PLC0415

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
