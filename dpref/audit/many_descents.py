"""Many runs of DP-GD at once: what an audit draws by the million.

The steps are those of the algorithm's kernel; a tile of `dpref.audit.many_gradients.LANES` runs shares each pass over
the records.  The last tile is filled up with runs whose results are dropped, so that a run gives the same doubles in
any company.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from dpref.algorithms.declaration import numbers_of
from dpref.algorithms.gradient_descent import ALGORITHM
from dpref.algorithms.gradient_descent.plan import Plan
from dpref.audit.many_gradients import LANES
from dpref.audit.many_steps import descend
from dpref.curator import Indices
from dpref.errors import InvalidArgumentError
from dpref.kernels.gradients import feature_norms
from dpref.problems.datasets import Dataset
from dpref.problems.erm import ERMProblem
from dpref.reals import FloatArray


def outputs(
    problem: ERMProblem, data: Dataset, plan: Plan[Any], noise: FloatArray, released: Indices | None = None
) -> FloatArray:
    """The output of every run on a tape of its own, shape (runs, d).

    Args:
        problem: The public problem.
        data: The private records.
        plan: What `dpref.algorithms.gradient_descent.plan.plan` computed.
        noise: Standard normal draws, shape (runs, T, d).
        released: Which iterate each run releases, shape (runs,); None for the last.

    Raises:
        InvalidArgumentError: If a shape is another one.

    >>> from dpref.algorithms import examples
    >>> problem, data, plan = examples.gradient_descent()
    >>> outputs(problem, data, plan, np.zeros((3, 2, 1))).ravel().tolist()  # two steps against the gradient x - 1
    [0.75, 0.75, 0.75]
    """
    return _run(problem, data, plan, noise, released)[0]


def transcripts(problem: ERMProblem, data: Dataset, plan: Plan[Any], noise: FloatArray) -> FloatArray:
    """Every noisy gradient of every run, shape (runs, T, d); the arguments are those of `outputs`.

    >>> from dpref.algorithms import examples
    >>> problem, data, plan = examples.gradient_descent()
    >>> transcripts(problem, data, plan, np.zeros((1, 2, 1))).ravel().tolist()
    [-1.0, -0.5]
    """
    return _run(problem, data, plan, noise, None, keep=True)[1]


def _run(
    problem: ERMProblem, data: Dataset, plan: Plan[Any], noise: FloatArray, released: Any, *, keep: bool = False
) -> tuple[FloatArray, FloatArray]:
    tape = np.ascontiguousarray(noise, dtype=np.float64)
    if tape.ndim != 3 or tape.shape[1:] != (plan.steps, problem.dimension):
        raise InvalidArgumentError("noise", tape.shape, f"must be runs x {plan.steps} x {problem.dimension}")
    runs = len(tape)
    at = np.full(runs, plan.steps, dtype=np.int64) if released is None else np.asarray(released, dtype=np.int64)
    if at.shape != (runs,) or (runs and not (at.min() >= 0 and at.max() <= plan.steps)):
        raise InvalidArgumentError("released", at, f"must be one iterate a run, from 0 to {plan.steps}")
    records, numbers = problem.arrays(data), numbers_of(ALGORITHM, plan)
    norms = feature_norms(records)
    points = np.empty((runs, problem.dimension))
    answers = np.empty(tape.shape if keep else (0, *tape.shape[1:]))
    for first in range(0, runs, LANES):
        last = min(first + LANES, runs)
        descend(records, norms, numbers, tape, at, first, last, points, answers)
    return points, answers
