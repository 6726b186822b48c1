"""The compiled twins of this family on a recorded tape.

The examples run the kernels' interpreted twins, which give the same bits and have nothing to compile.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from dpref.algorithms.forms import Form
from dpref.algorithms.kernel_arguments import domain_arguments, problem_arguments
from dpref.algorithms.spider import plan as kl_spider_plan
from dpref.curator import Indices
from dpref.problems.datasets import Dataset
from dpref.problems.erm import ERMProblem
from dpref.reals import FloatArray


def spider_trace(
    problem: ERMProblem, data: Dataset, plan: kl_spider_plan.Plan[Any], noise: FloatArray
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Run KL Spider compiled, on recorded noise, and keep which queries begin a round.

    Args:
        problem: The public problem: loss, number of records, bounds, constraint set.
        data: The private records: features, shape (n, d), and labels, shape (n,).
        plan: What `plan` computed: rounds, step sizes, noise, start.
        noise: Standard normal draws, one answer a row, shape (m, d).

    Returns:
        The points of the K queries and then the output, shape (K + 1, d); the exact queries, shape (K, d); one for
        each query that begins a round and zero for a difference, shape (K,).

    Raises:
        ValueError: If the tape is too short.

    >>> from dpref.algorithms import examples
    >>> from dpref.kernels.twin import interpreted_run
    >>> with interpreted_run("spider"):  # without noise: half a unit against the gradient (-1/2, 0)
    ...     [part.tolist() for part in spider_trace(*examples.spider(), np.zeros((1, 2)))]
    [[[0.0, 0.0], [0.5, 0.0]], [[-0.5, 0.0]], [1.0]]
    """
    from dpref.algorithms.spider import kernel  # noqa: PLC0415

    found: tuple[FloatArray, FloatArray, FloatArray] = kernel.run(
        *problem_arguments(problem, data),
        *domain_arguments(problem),
        np.array(plan.start),
        plan.outer_std,
        np.array([(r.threshold, r.length, r.std) for r in plan.rounds]).reshape(-1, 3),
        np.array([(r.updates, r.differences) for r in plan.rounds], dtype=np.int64).reshape(-1, 2),
        plan.form is Form.REPAIRED,
        np.ascontiguousarray(noise, dtype=np.float64).reshape(-1, problem.dimension),
    )
    return found


def spider(
    problem: ERMProblem,
    data: Dataset,
    plan: kl_spider_plan.Plan[Any],
    noise: FloatArray,
    indices: Indices | None = None,
) -> tuple[FloatArray, FloatArray]:
    """Run KL Spider compiled, on recorded noise: `spider_trace` without the marks.

    Args:
        problem: The public problem: loss, number of records, bounds, constraint set.
        data: The private records: features, shape (n, d), and labels, shape (n,).
        plan: What `plan` computed: rounds, step sizes, noise, start.
        noise: Standard normal draws, one answer a row, shape (m, d).
        indices: The algorithm draws none.

    Raises:
        ValueError: If the tape is too short.

    >>> from dpref.algorithms import examples
    >>> from dpref.kernels.twin import interpreted_run
    >>> with interpreted_run("spider"):
    ...     [part.tolist() for part in spider(*examples.spider(), np.zeros((1, 2)))]
    [[[0.0, 0.0], [0.5, 0.0]], [[-0.5, 0.0]]]
    """
    iterates, queries, _ = spider_trace(problem, data, plan, noise)
    return iterates, queries
