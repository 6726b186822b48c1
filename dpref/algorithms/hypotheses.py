"""Conditions of utility theorems, decided exactly for one plan."""

from __future__ import annotations

from dataclasses import dataclass

from dpref.problems.erm import ERMProblem
from dpref.problems.losses import exact_lipschitz


@dataclass(frozen=True)
class Hypothesis:
    """A condition of a utility theorem, decided exactly for one plan.

    Attributes:
        name: ``theorem/condition``.
        statement: What must hold.
        holds: Whether it does.
    """

    name: str
    statement: str
    holds: bool


def common_hypotheses(problem: ERMProblem, theorem: str) -> tuple[Hypothesis, ...]:
    """The condition of both utility theorems on the gradients: none is ever clipped, so that they are those of F.

    Args:
        theorem: What the names of the hypotheses begin with.

    >>> from fractions import Fraction
    >>> from dpref.problems.losses import Logistic  # 1-Lipschitz on unit features
    >>> problems = [ERMProblem(Logistic(), n=10, dimension=1, clip=Fraction(1, parts)) for parts in (1, 2)]
    >>> [common_hypotheses(problem, "theorem-4.2")[0].holds for problem in problems]
    [True, False]
    """
    unclipped = problem.clip is None
    if problem.clip is not None and not (problem.loss.needs_parameter_bound and problem.domain.radius is None):
        unclipped = exact_lipschitz(problem.loss, problem.feature_bound, problem.domain.radius) <= problem.clip
    return (Hypothesis(f"{theorem}/gradients", "no gradient is ever clipped", unclipped),)
