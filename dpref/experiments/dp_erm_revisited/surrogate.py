"""What stands in for Covertype, which no package ships, and the optimum that gaps are measured from."""

from __future__ import annotations

from typing import Final

import numpy as np

from dpref.checks import natural
from dpref.errors import PrecisionError
from dpref.problems.datasets import Dataset, scale_rows
from dpref.problems.erm import ERMProblem
from dpref.reals import FLOAT_ARRAY

FEATURES: Final = 54
WEIGHT: Final = 4.0  # of each planted coordinate
DECREMENT: Final = 1e-20  # its square; the gap that is left is about half of it
_MOST_STEPS: Final = 100


def planted_logistic(n: int, dimension: int = FEATURES, draw: int = 0) -> Dataset:
    r"""Records of a logistic model with planted weights, by default of Covertype's 54 features.

    Feature j is Gaussian with variance 1/j before the row is scaled to norm at most 1, the planted weights are 4 or -4,
    and the label is +1 with probability $1/(1+e^{-\langle x,w_0\rangle})$: that is the label noise.

    Args:
        n: How many.
        dimension: Of the features.
        draw: Another one gives other weights and records.

    >>> made = planted_logistic(50)
    >>> made.features.shape, bool(np.linalg.norm(made.features, axis=1).max() <= 1)
    ((50, 54), True)
    """
    rng = np.random.default_rng([natural("n", n), natural("dimension", dimension), natural("draw", draw, least=0)])
    features = scale_rows(rng.standard_normal((n, dimension)) / np.sqrt(np.arange(1, dimension + 1)))
    planted = WEIGHT * rng.choice([-1.0, 1.0], size=dimension)
    chances = 1 / (1 + np.exp(-features @ planted))
    labels = np.where(rng.random(n) < chances, 1.0, -1.0)
    return Dataset(features, labels, name=f"planted logistic model, {n} x {dimension}, draw {draw}")


def least_risk(problem: ERMProblem, data: Dataset) -> float:
    r"""$F(w_*)$ of a logistic problem, by damped Newton steps until $g^\top H^{-1}g\le10^{-20}$.

    Args:
        problem: With the logistic loss, without a domain.
        data: Its records.

    Raises:
        PrecisionError: If 100 steps do not reach the optimum, as on records that a hyperplane separates.

    >>> from fractions import Fraction
    >>> from dpref.problems.losses import Logistic
    >>> problem = ERMProblem(Logistic(), n=200, dimension=FEATURES, ridge=Fraction(1, 100))
    >>> 0 < least_risk(problem, planted_logistic(200)) < 0.69  # ln 2 is the start's
    True
    """
    o, records = FLOAT_ARRAY, problem.read(data)
    theta = np.zeros(problem.dimension)
    risk = float(problem.objective(o, theta, records))
    for _ in range(_MOST_STEPS):
        gradient = problem.regularised(o, theta, problem.mean_gradient(o, theta, records))
        curvatures = (1 - np.tanh(records.features @ theta / 2) ** 2) / 4
        hessian = (records.features.T * curvatures) @ records.features / problem.n
        step = np.linalg.solve(hessian + float(problem.ridge) * np.eye(problem.dimension), gradient)
        if gradient @ step <= DECREMENT:
            return risk
        length = 1.0
        while True:
            there = theta - length * step
            risk_there = float(problem.objective(o, there, records))
            # Near the optimum the risk no longer resolves a step: a full one is taken.
            if risk_there < risk or gradient @ step <= 1e-12:
                break
            length /= 2
        theta, risk = there, min(risk, risk_there)
    raise PrecisionError(
        f"the optimum of {data.name} is not reached by {_MOST_STEPS} Newton steps: are they separable?"
    )
