"""What each algorithm may be run with on the bundled data: small grids, from which other data choose."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any, Final

from dpref.algorithms import (
    accelerated_mirror_descent,
    dynamic_boosting,
    dynamic_gradient_descent,
    dynamic_sgd,
    gradient_descent,
    svrg,
)
from dpref.algorithms.dynamic_gradient_descent.schedules import Dynamic, Uniform
from dpref.errors import InvalidArgumentError
from dpref.privacy.calibration import gaussian_noise_multiplier
from dpref.problems.erm import ERMProblem
from dpref.reals import exact
from dpref.units import ReplaceOne

DELTA: Final = Fraction(1, 10**5)
STEPS: Final = (10, 30, 100)
RATES: Final = (Fraction(99, 100), Fraction(97, 100))  # the uniform schedule is gradient descent's
STEP_SIZES: Final = (Fraction(1), Fraction(4))  # 4 = 1/L
Grid = Mapping[str, Any]


def _gradient_descent(problem: ERMProblem, epsilon: Fraction) -> Grid:
    return {
        f"T = {T}, eta = {eta}": gradient_descent.Params(
            epsilon, DELTA, T, ReplaceOne, calibration="exact", step_size=eta
        )
        for T in STEPS
        for eta in STEP_SIZES
    }


def _accelerated(problem: ERMProblem, epsilon: Fraction) -> Grid:
    return {f"T = {T}, coupled": accelerated_mirror_descent.Params(epsilon, DELTA, ReplaceOne, steps=T) for T in STEPS}


def _budget(epsilon: Fraction) -> Fraction:
    """R: steps of budgets rho_t that sum to it are together one Gaussian answer of noise multiplier 1 / sqrt(R)."""
    largest = 1 / exact(gaussian_noise_multiplier(epsilon, DELTA, steps=1)) ** 2
    return largest * (1 - Fraction(1, 10**12))  # so that certificates that are rounded up stay within epsilon


def _dynamic(problem: ERMProblem, epsilon: Fraction) -> Grid:
    return {
        f"rate {float(rate)}, T = {T}, eta = {eta}": dynamic_gradient_descent.Params(
            _budget(epsilon), T, Dynamic(rate), ReplaceOne, step_size=eta
        )
        for rate in RATES
        for T in STEPS
        for eta in STEP_SIZES
    }


def _stochastic(problem: ERMProblem, epsilon: Fraction) -> Grid:
    return {
        f"batch n, beta = 1/2, T = {T}, eta = {eta}": dynamic_sgd.Params(
            _budget(epsilon), T, problem.n, Uniform(), ReplaceOne, momentum=Fraction(1, 2), step_size=eta
        )
        for T in STEPS
        for eta in STEP_SIZES
    }


def _boosted(problem: ERMProblem, epsilon: Fraction) -> Grid:
    return {
        f"p = 1/4, T = {T}, eta = {eta}": dynamic_boosting.Params(
            _budget(epsilon), Fraction(1, 4), T, Uniform(), ReplaceOne, step_size=eta
        )
        for T in STEPS
        for eta in STEP_SIZES
    }


def _variance_reduced(shapes: tuple[tuple[int, int], ...]) -> Callable[[ERMProblem, Fraction], Grid]:
    def chosen(problem: ERMProblem, epsilon: Fraction) -> Grid:
        return {
            f"T = {T}, m = {m}, b = n, eta = {eta}": svrg.Params(
                epsilon, DELTA, T, m, ReplaceOne, batch=problem.n, step_size=eta
            )
            for T, m in shapes
            for eta in STEP_SIZES
        }

    return chosen


GRIDS: Final[Mapping[str, Callable[[ERMProblem, Fraction], Grid]]] = {
    "gradient-descent": _gradient_descent,
    "accelerated-mirror-descent": _accelerated,
    "dynamic-gradient-descent": _dynamic,
    "dynamic-sgd": _stochastic,
    "dynamic-boosting": _boosted,
    "svrg": _variance_reduced(((2, 5), (3, 10), (5, 20))),
    "svrg-plus-plus": _variance_reduced(((2, 2), (3, 2), (4, 3))),
}


def grid(name: str, problem: ERMProblem, epsilon: Fraction) -> Grid:
    """The parameters that an algorithm may be run with, each with what it is called in the table.

    Args:
        name: Of a registered algorithm.
        problem: What it is run on.
        epsilon: Privacy budget.

    Raises:
        InvalidArgumentError: If the algorithm has none.

    >>> from dpref.problems.examples import logistic_problem
    >>> len(grid("gradient-descent", logistic_problem(), Fraction(1)))
    6
    """
    if name not in GRIDS:
        rule = "has no hyperparameters for the bundled data: add them to GRIDS in " + __name__
        raise InvalidArgumentError("algorithm", name, rule)
    return GRIDS[name](problem, epsilon)
