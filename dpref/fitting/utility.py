"""What an algorithm's utility theorem promises of a plan, from public numbers alone."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Final, final

import numpy as np

from dpref.algorithms.declaration import AnyAlgorithm
from dpref.algorithms.dynamic_sgd import utility as dynamic_sgd
from dpref.algorithms.forms import Form
from dpref.algorithms.gradient_descent import utility as gradient_descent
from dpref.algorithms.hypotheses import common_hypotheses
from dpref.algorithms.noisy_gradient_descent import utility as noisy
from dpref.algorithms.svrg import utility as svrg
from dpref.algorithms.svrg.defaults import start_risk
from dpref.algorithms.svrg_plus_plus import utility as svrg_plus_plus
from dpref.fitting.problems import Problem
from dpref.problems.erm import ERMProblem
from dpref.reals import FLOAT, RATIONAL


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
    if reason := _not_descent(problem, plan):
        return nothing(reason)
    L, p, gap = float(problem.smoothness), float(problem.dimension), _gap(problem, plan)
    if plan.output == "random":
        bound = gradient_descent.gradient_bound(FLOAT, L, plan.std**2, p, gap, float(plan.steps))
        return Utility("Theorem 6.3", "the mean squared norm of the gradient at the answer", bound, 2 * L * gap)
    if problem.ridge == 0:
        return nothing('Theorem 6.2 needs a regularisation above 0 (Theorem 6.3: output="random")')
    bound = gradient_descent.risk_bound(FLOAT, L, float(problem.ridge), plan.std**2, p, gap, plan.steps)
    return Utility("Theorem 6.2", _EXCESS, bound, gap)


def _dynamic(problem: ERMProblem, plan: Any) -> Utility:
    if reason := _not_descent(problem, plan) or ("it is for steps without momentum" if plan.momentum else ""):
        return nothing(reason)
    if problem.ridge == 0:
        return nothing("Theorem 4.2 needs a regularisation above 0")
    M, gap, sampled = float(problem.smoothness), _gap(problem, plan), _of_batches(problem, plan)
    variances = [std**2 for std in plan.stds]
    gamma = 1 - float(problem.ridge) / M
    bound = dynamic_sgd.batch_risk_bound(FLOAT, gap, gamma, M, float(problem.dimension), variances, sampled)
    return Utility("Theorem 4.2" if sampled == 0 else "Theorem 4.9, repaired", _EXCESS, bound, gap)


def _of_batches(problem: ERMProblem, plan: Any) -> float:
    """The variance that batches add to a gradient, zero where there are none."""
    batch = float(getattr(plan, "batch", problem.n))
    if batch == problem.n:
        return 0.0
    variance = dynamic_sgd.poisson_batch_variance if plan.poisson else dynamic_sgd.fixed_batch_variance
    return variance(FLOAT, float(problem.gradient_bound) ** 2, batch, float(problem.n))


def _svrg(problem: ERMProblem, plan: Any) -> Utility:
    broken = [h.statement for h in plan.hypotheses if not h.holds]
    if broken or plan.epoch_std is not None:
        return nothing("a hypothesis of the theorem fails: " + "; ".join(broken or ["one noise for every answer"]))
    L, p, gap, epochs = (*_constants(problem), _gap(problem, plan), len(plan.lengths))
    eta, variance = plan.step_size, plan.std**2
    if plan.carry:
        start = float(np.linalg.norm(plan.start))
        reach = float(problem.domain.radius) ** 2 if problem.domain.radius is not None else math.inf
        if problem.ridge:  # F(x_0) >= F(x_*) >= ridge |x_*|^2 / 2
            reach = min(reach, 2 * gap / float(problem.ridge))
        if reach == math.inf:
            return nothing("Theorem 4.4 needs a radius, or a regularisation above 0")
        numbers = gap, (math.sqrt(reach) + start) ** 2, eta, L, variance, p, plan.lengths[0] / 2
        return Utility("Theorem 4.4", _EXCESS, svrg_plus_plus.risk_bound(FLOAT, *numbers, epochs), gap)
    A = svrg.contraction(FLOAT, eta, L, float(plan.regulariser.l2), float(plan.lengths[0]))
    noise = svrg.noise_per_epoch(FLOAT, eta, L, variance, p)
    return Utility("Theorem 4.2", _EXCESS, svrg.risk_bound(FLOAT, A, noise, gap, epochs), gap)


def _accelerated(problem: ERMProblem, plan: Any) -> Utility:
    if plan.excess_bound == math.inf:
        return nothing("Theorem 5.4 is for the repaired steps, and for gradients that are not clipped")
    return Utility("Theorem 5.4", _EXCESS, plan.excess_bound, _gap(problem, plan))


def _noisy(problem: ERMProblem, plan: Any) -> Utility:
    if problem.ridge or problem.clip is not None or plan.form is not Form.REPAIRED:
        return nothing("Theorem 9 is for the repaired steps, without a regularisation of its own and without clipping")
    mu, noise = plan.weak_convexity, problem.dimension * plan.std**2
    bound = noisy.excess_bound(FLOAT, float(problem.gradient_bound), mu, noise, float(plan.iterates))
    quantity = f"{_EXCESS}, where {mu:.3g} times the squared norm is added to the risk,"
    return Utility("Theorem 9, in expectation", quantity, bound, _gap(problem, plan))


def _proximal(problem: ERMProblem, plan: Any) -> Utility:
    if problem.ridge or problem.clip is not None or plan.excess == math.inf:
        return nothing("Theorem 2 is for the repaired phases, without a regularisation of its own and without clipping")
    quantity = (
        "if the KL condition holds with the given gamma and kappa, the excess risk, but with probability failure,"
    )
    return Utility("Theorem 2", quantity, plan.excess, _gap(problem, plan))


def _gap(problem: ERMProblem, plan: Any) -> float:
    return start_risk(problem, np.array(plan.start))


def _constants(problem: ERMProblem) -> tuple[float, float]:
    """L of the loss alone, and p."""
    return float(problem.loss.smoothness(RATIONAL, problem.feature_bound)), float(problem.dimension)


def _not_descent(problem: ERMProblem, plan: Any) -> str:
    """Why a theorem on unconstrained descent in steps of one over the smoothness says nothing, or the empty text."""
    clipped = not all(hypothesis.holds for hypothesis in common_hypotheses(problem, "theorem"))
    if clipped or problem.domain.radius is not None:
        return "the theorem is for gradients that are neither clipped nor projected"
    full = math.isclose(plan.step_size * float(problem.smoothness), 1.0, rel_tol=1e-9)
    return "" if full else "the theorem is for steps of one over the smoothness"


_EXCESS: Final = "the mean excess risk of the answer"
RULES: Final[Mapping[str, Rule]] = MappingProxyType(
    {
        "gradient-descent": _gradient_descent,
        "dynamic-gradient-descent": _dynamic,
        "dynamic-sgd": _dynamic,
        "svrg": _svrg,
        "svrg-plus-plus": _svrg,
        "accelerated-mirror-descent": _accelerated,
        "noisy-gradient-descent": _noisy,
        "proximal-point": _proximal,
    }
)


def promised(algorithm: AnyAlgorithm, problem: Problem, plan: Any) -> Utility:
    """What the theorem promises of the regularised mean loss of the mapped records.

    Args:
        algorithm: One that runs on a table.
        problem: The public problem.
        plan: Of the algorithm.
    """
    if algorithm.name not in RULES:
        return nothing("for this algorithm no bound with explicit constants is computed here")
    return RULES[algorithm.name](problem, plan)
