"""What every kernel takes first: the data and the public problem as plain numbers."""

from __future__ import annotations

import numpy as np

from dpref.problems.datasets import Dataset
from dpref.problems.erm import ERMProblem
from dpref.reals import FloatArray


def problem_arguments(problem: ERMProblem, data: Dataset) -> tuple[FloatArray, FloatArray, int, int, float, float]:
    """The problem and its data as the numbers that a kernel takes.

    Args:
        problem: The public problem: what is known of the data, such as their number and bounds.
        data: The private records, of the kind that the problem reads.

    Returns:
        Features, shape (records, d); labels, shape (records,); the divisor n; the number of the loss; the loss's
        parameter; the clipping norm, infinite without clipping.

    >>> from fractions import Fraction
    >>> from dpref.problems.losses import Huber
    >>> problem = ERMProblem(Huber(Fraction(1, 2)), n=1, dimension=2, clip=Fraction(1, 4))
    >>> problem_arguments(problem, Dataset(np.array([[0.6, 0.8]]), np.array([1.0])))
    (array([[0.6, 0.8]]), array([1.]), 1, 2, 0.5, 0.25)
    """
    clip = np.inf if problem.clip is None else float(problem.clip)
    return (data.features, data.labels, problem.n, problem.loss.code, float(problem.loss.parameter), clip)


def domain_arguments(problem: ERMProblem) -> tuple[float, float]:
    """The ridge weight and the radius of the constraint ball, infinite without one.

    >>> from dataclasses import replace
    >>> from fractions import Fraction
    >>> from dpref.problems.examples import huber_problem
    >>> domain_arguments(replace(huber_problem(), ridge=Fraction(1, 4)))
    (0.25, 2.0)
    """
    radius = problem.domain.radius
    return float(problem.ridge), np.inf if radius is None else float(radius)
