"""What every kernel takes first: the data and the public problem as plain numbers."""

from __future__ import annotations

import numpy as np

from dpref.problems.datasets import Dataset
from dpref.problems.erm import ERMProblem
from dpref.reals import FloatArray


def problem_arguments(problem: ERMProblem, data: Dataset) -> tuple[FloatArray, FloatArray, int, int, float, float]:
    """Features (records, d), labels (records,), divisor, loss number, loss parameter, clipping norm or infinity.

    Args:
        problem: The public problem: what is known of the data, such as their number and bounds.
        data: The private records, of the kind that the problem reads.

    >>> from fractions import Fraction
    >>> from dpref.problems.losses import Huber
    >>> problem = ERMProblem(Huber(Fraction(1, 2)), n=1, dimension=2, clip=Fraction(1, 4))
    >>> problem_arguments(problem, Dataset(np.array([[0.6, 0.8]]), np.array([1.0])))
    (array([[0.6, 0.8]]), array([1.]), 1, 2, 0.5, 0.25)
    """
    clip = np.inf if problem.clip is None else float(problem.clip)
    return (data.features, data.labels, problem.n, problem.loss.code, float(problem.loss.parameter), clip)


def domain_arguments(problem: ERMProblem) -> tuple[float, float]:
    """Ridge and radius of the constraint ball, or infinity.

    >>> from dataclasses import replace
    >>> from fractions import Fraction
    >>> from dpref.problems.examples import huber_problem
    >>> domain_arguments(replace(huber_problem(), ridge=Fraction(1, 4)))
    (0.25, 2.0)
    """
    radius = problem.domain.radius
    return float(problem.ridge), np.inf if radius is None else float(radius)
