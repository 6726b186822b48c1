"""What a plan says where its noise hides more than its start can lose: that n is too small."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, Final

import numpy as np

from dpref.algorithms.accelerated_mirror_descent.utility import noise_steps, spread
from dpref.algorithms.forms import Form
from dpref.algorithms.svrg.defaults import start_risk, warning
from dpref.fitting.problems import Problem
from dpref.geometry.gaussian_width import gaussian_width
from dpref.problems.erm import ERMProblem
from dpref.reals import FLOAT

Floor = Callable[[ERMProblem, Any], float]


def step_floor(step_size: float, std: float, dimension: int) -> float:
    r"""$\frac\eta2\sigma^2p$: what the last answer's noise adds to the mean risk where the curvature is $\frac1\eta$.

    It is what Theorem 6.2 of Wang, Ye and Xu leaves where $\mu=L$ and $\eta=\frac1L$, and attained there.

    Args:
        step_size: eta.
        std: Noise of the answer, per coordinate.
        dimension: p, the number of parameters.

    >>> step_floor(0.5, 2.0, 3)
    3.0
    """
    return step_size * std * std * dimension / 2


def _steps(problem: ERMProblem, plan: Any) -> float:
    """Of descent, or of the runs of which one is chosen."""
    run = getattr(plan, "base", plan)
    return step_floor(run.step_size, run.stds[-1], problem.dimension) if run.stds else 0.0


def _mirror(problem: ERMProblem, plan: Any) -> float:
    """The noise's part of Theorem 5.4's bound, whose L_C is a quarter of one over the step size."""
    mirror = plan.mirror
    dual = spread(FLOAT, gaussian_width(mirror.ball, mirror.dimension).value, float(mirror.half_diameter_squared))
    hidden: float = 4 * plan.step_size * noise_steps(FLOAT, float(plan.iterations)) * plan.std**2 * dual
    return hidden


FLOORS: Final[Mapping[str, Floor]] = MappingProxyType(
    {
        "gradient-descent": _steps,
        "dynamic-gradient-descent": _steps,
        "dynamic-sgd": _steps,
        "dynamic-boosting": _steps,
        "accelerated-mirror-descent": _mirror,
    }
)


def floor_warning(name: str, problem: Problem, plan: Any) -> str:
    """What a repaired plan says before it starts where the noise's floor is not below the start's risk; else nothing.

    A plan that says so itself is asked; of an algorithm whose floor is not known nothing is said.

    Args:
        name: Of the algorithm.
        problem: The public problem.
        plan: Its plan.

    >>> from dpref.algorithms import examples
    >>> made = examples.gradient_descent()
    >>> floor_warning("gradient-descent", made.problem, made.plan)  # whose noise is zero
    ''
    """
    own: str = getattr(plan, "warning", "")
    if own or name not in FLOORS or plan.form is not Form.REPAIRED or not isinstance(problem, ERMProblem):
        return own
    return warning(FLOORS[name](problem, plan), start_risk(problem, np.array(getattr(plan, "base", plan).start)))
