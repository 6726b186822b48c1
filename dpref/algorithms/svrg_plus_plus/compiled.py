"""The compiled twin on a recorded tape."""

from __future__ import annotations

from typing import Any

from dpref.algorithms.svrg import plan as svrg_plan
from dpref.algorithms.svrg.compiled import svrg_arguments
from dpref.curator import Indices
from dpref.problems.datasets import Dataset
from dpref.problems.erm import ERMProblem
from dpref.reals import FloatArray


def run_svrg_plus_plus(
    problem: ERMProblem, data: Dataset, plan: svrg_plan.Plan[Any], noise: FloatArray, indices: Indices | None = None
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

    >>> import numpy as np
    >>> from dpref.algorithms import examples
    >>> from dpref.kernels.twin import interpreted_run
    >>> with interpreted_run("svrg_plus_plus"):
    ...     run_svrg_plus_plus(*examples.svrg_plus_plus(), np.zeros((2, 1)), np.array([0, 1, 0, 1]))[0].ravel().tolist()
    [0.0, 0.5, 0.625]
    """
    from dpref.algorithms.svrg_plus_plus import kernel  # noqa: PLC0415

    return kernel.run(*svrg_arguments(problem, data, plan, noise, indices))
