"""What every kernel takes first: the data and the public problem as plain numbers."""

from __future__ import annotations

import numpy as np

from dpref.problems.datasets import Dataset
from dpref.problems.erm import ERMProblem
from dpref.reals import FloatArray


def problem_arguments(problem: ERMProblem, data: Dataset) -> tuple[FloatArray, FloatArray, int, int, float, float]:
    """Features (records, d), labels (records,), divisor, loss number, loss parameter, clipping norm or infinity."""
    clip = np.inf if problem.clip is None else float(problem.clip)
    return (data.features, data.labels, problem.n, problem.loss.code, float(problem.loss.parameter), clip)


def domain_arguments(problem: ERMProblem) -> tuple[float, float]:
    """Ridge and radius of the constraint ball, or infinity."""
    radius = problem.domain.radius
    return float(problem.ridge), np.inf if radius is None else float(radius)
