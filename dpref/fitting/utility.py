"""What an algorithm's utility theorem promises of a plan, from public numbers alone."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Final, final

import numpy as np

from dpref.algorithms.declaration import AnyAlgorithm
from dpref.algorithms.gradient_descent import utility as gradient_descent
from dpref.algorithms.hypotheses import common_hypotheses
from dpref.algorithms.svrg.defaults import start_risk
from dpref.fitting.problems import Problem
from dpref.problems.erm import ERMProblem
from dpref.reals import FLOAT


@final
@dataclass(frozen=True)
class Utility:
    """A bound on the risk, and what there is without any data.

    Attributes:
        theorem: Where the bound comes from, or the empty text.
        quantity: What it bounds, in words.
        bound: Its value; infinite where no theorem says anything.
        trivial: What the starting point is known to have; infinite if nothing is.
        reason: Why there is no bound, or the empty text.
    """

    theorem: str
    quantity: str
    bound: float
    trivial: float
    reason: str = ""

    @property
    def promises(self) -> bool:
        """Whether the bound says more than is known before the run."""
        return self.bound < self.trivial

    def __str__(self) -> str:
        if self.reason:
            return f"nothing is promised: {self.reason}"
        said = f"{self.theorem}: {self.quantity} is at most {self.bound:.4g}"
        if self.promises:
            return f"{said} (the starting point is known to have at most {self.trivial:.4g})"
        return f"{said}, which promises nothing: the starting point has at most {self.trivial:.4g} without any data"


Rule = Callable[[Any, Any], Utility]


def nothing(reason: str) -> Utility:
    """No promise.

    Args:
        reason: Why.
    """
    return Utility("", "", math.inf, math.inf, reason)


def _gradient_descent(problem: ERMProblem, plan: Any) -> Utility:
    broken = [h.statement for h in common_hypotheses(problem, "theorem-6.2") if not h.holds]
    if broken or problem.domain.radius is not None:
        return nothing("Theorems 6.2 and 6.3 are for gradients that are neither clipped nor projected")
    L, p, gap = float(problem.smoothness), float(problem.dimension), start_risk(problem, np.array(plan.start))
    if not math.isclose(plan.step_size * L, 1.0, rel_tol=1e-9):
        return nothing("Theorems 6.2 and 6.3 are for steps of length 1/L")
    variance = plan.std**2
    if plan.output == "random":
        bound = gradient_descent.gradient_bound(FLOAT, L, variance, p, gap, float(plan.steps))
        return Utility("Theorem 6.3", "the mean squared norm of the gradient at the answer", bound, 2 * L * gap)
    if problem.ridge == 0:
        return nothing('Theorem 6.2 needs a regularisation above 0 (Theorem 6.3: output="random")')
    mu = float(problem.ridge)
    bound = gradient_descent.risk_bound(FLOAT, L, mu, variance, p, gap, plan.steps)
    return Utility("Theorem 6.2", "the mean excess risk of the answer", bound, gap)


RULES: Final[Mapping[str, Rule]] = MappingProxyType({"gradient-descent": _gradient_descent})


def promised(algorithm: AnyAlgorithm, problem: Problem, plan: Any) -> Utility:
    """What the theorem promises of the regularised mean loss of the mapped records.

    Args:
        algorithm: One that runs on a table.
        problem: The public problem.
        plan: Of the algorithm.
    """
    if algorithm.name not in RULES:
        return nothing("the library has no utility theorem of this algorithm with explicit constants for a table")
    return RULES[algorithm.name](problem, plan)
