r"""What the user does not choose: an algorithm's parameters from public numbers alone, and budgets of other measures.

What a parameter is called says what it is in every algorithm, so that one choice serves all that have it.  Its budget
an algorithm takes as epsilon and delta, or as a number of zCDP; the largest such number (to a hundredth) whose plan is
certified to spend at most epsilon at delta is searched for.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import MISSING, fields
from fractions import Fraction
from types import MappingProxyType, NoneType, UnionType
from typing import Any, Final, Literal, NamedTuple, Union, get_args, get_origin, get_type_hints

import numpy as np

from dpref.algorithms.declaration import AnyAlgorithm
from dpref.algorithms.dynamic_gradient_descent.schedules import Uniform
from dpref.algorithms.forms import Form
from dpref.algorithms.svrg.defaults import start_risk
from dpref.checks import natural, one_of
from dpref.errors import BudgetError, InvalidArgumentError
from dpref.fitting.problems import Problem
from dpref.privacy.events.given import exactly
from dpref.reals import ball, evaluate, exact, upper
from dpref.units import Adjacency

BUDGETS: Final = ("rho", "budget")
MOST_STEPS: Final = 500  # by default: each is a pass over the data
MOST_POINTS: Final = 10_000  # by default: each is a look at one record
MOST_ANSWERS: Final = 10_000_000  # of one run: each reads the table or a part of it, and is one noise in the plan
LONG: Final = frozenset({"iterates", "points"})  # the theorems' own numbers of these would run for days
COUNTS: Final = ("steps", "epochs", "inner", "iterates", "points", "rounds", "phases")
_FIXED: Final = frozenset({"epsilon", "delta", "adjacency", "form", *BUDGETS})
_EPOCHS: Final = 3
_QUESTIONS: Final = 12
_CLOSE: Final = 0.99
_AIM: Final = 0.996
_POWER: Final = 1.8  # of epsilon is the budget, at first: of Gaussian answers between 1 and 2
_STEEPEST: Final = 3.0
_DOUBLINGS: Final = 14  # 2 + 4 + 8: epochs that double in length


class Asked(NamedTuple):
    """What the user wants to spend, on what."""

    problem: Problem
    epsilon: Fraction
    delta: Fraction
    adjacency: type[Adjacency]
    form: Form


def balanced_steps(asked: Asked) -> int:
    r"""$\frac{n\varepsilon}{\sqrt{p\ln(1/\delta)}}$, at least 1 and at most 500: steps as long as noise allows them.

    Args:
        asked: Budget and problem.

    References:
        Wang, Ye and Xu 2017, Eq. (14), up to constants.

    >>> from dpref.problems.examples import logistic_problem
    >>> from dpref.units import ReplaceOne
    >>> balanced_steps(Asked(logistic_problem(1000), Fraction(1), Fraction(1, 10**5), ReplaceOne, Form.REPAIRED))
    208
    """
    problem, _ = asked.problem, asked.adjacency
    wanted = problem.n * float(asked.epsilon) / math.sqrt(problem.dimension * -math.log(float(asked.delta)))
    return max(1, min(MOST_STEPS, math.floor(wanted)))


def _curvature(asked: Asked) -> Fraction:
    """The weight with which noisy gradient descent's ball has the domain's radius, or 2."""
    bound: Fraction = asked.problem.gradient_bound  # type: ignore[union-attr]
    return bound / (2 * (asked.problem.domain.radius or Fraction(2)))  # type: ignore[union-attr]


def _growth(asked: Asked) -> Fraction:
    r"""$\gamma=1/\sqrt{2\lambda}$: of a $\lambda$-strongly convex risk, $F-F^*\le\|\nabla F\|^2/(2\lambda)$."""
    _ridge(asked, "gamma")
    return exact(upper(evaluate(lambda: 1 / (2 * ball(asked.problem.ridge)).sqrt())))  # type: ignore[union-attr]


def _exponent(asked: Asked) -> Fraction:
    _ridge(asked, "kappa")
    return Fraction(2)


def _ridge(asked: Asked, name: str) -> None:
    if not asked.problem.ridge:  # type: ignore[union-attr]
        rule = "follows from a regularisation above 0; without one give gamma and kappa of the KL condition yourself"
        raise InvalidArgumentError(name, None, rule)


CHOICES: Final[Mapping[str, Callable[[Asked], Any]]] = MappingProxyType(
    {
        "steps": balanced_steps,
        "epochs": lambda asked: _EPOCHS,
        "inner": lambda asked: max(1, balanced_steps(asked) // _DOUBLINGS),
        "batch": lambda asked: max(1, asked.problem.n // 10),
        "iterates": lambda asked: balanced_steps(asked) + 1,
        "points": lambda asked: min(asked.problem.n**2, MOST_POINTS),
        "schedule": lambda asked: Uniform(),
        "failure": lambda asked: Fraction(1, 20),
        "weak_convexity": _curvature,
        "gamma": _growth,
        "kappa": _exponent,
        "gap": lambda asked: exact(start_risk(asked.problem, np.zeros(asked.problem.dimension))),  # type: ignore[arg-type]
    }
)


def parameters(algorithm: AnyAlgorithm, asked: Asked, given: Mapping[str, Any]) -> dict[str, Any]:
    """All parameters of an algorithm but a budget of zCDP: the given ones, and choices where it has no default.

    Args:
        algorithm: One that runs on a table.
        asked: Budget and problem.
        given: By name; numbers and words may be text.

    Raises:
        InvalidArgumentError: If one is unknown, is no choice of the user, or is not what its annotation says.
    """
    hints, made = get_type_hints(algorithm.params), {"adjacency": asked.adjacency, "form": asked.form}
    named = {field.name: field for field in fields(algorithm.params)}
    for name in given:
        if name not in named or name in _FIXED:
            known = ", ".join(sorted(set(named) - _FIXED))
            raise InvalidArgumentError(name, given[name], f"is no parameter of {algorithm.name}, which has {known}")
    for name, field in named.items():
        if name in given:
            made[name] = _read(name, given[name], hints[name])
        elif name in {"epsilon", "delta"}:
            made[name] = getattr(asked, name)
        elif name in CHOICES and (name in LONG or field.default is MISSING):
            made[name] = CHOICES[name](asked)
    return made


def _read(name: str, value: Any, hint: Any) -> Any:
    """A value as the annotation has it; what is no number, word or array is taken as it is."""
    origin, arguments = get_origin(hint), get_args(hint)
    if origin in {Union, UnionType}:
        (inner,) = (argument for argument in arguments if argument is not NoneType)
        return None if value is None or value == "none" else _read(name, value, inner)
    if hint is Fraction:
        return exactly(name, value)
    if hint is bool:
        if value not in (True, False, "true", "false"):
            raise InvalidArgumentError(name, value, "must be true or false")
        return value in (True, "true")
    if hint is int:
        number = exactly(name, value)
        if number.denominator != 1:
            raise InvalidArgumentError(name, value, "must be an integer")
        count = natural(name, int(number), least=0)
        return few_enough(name, count) if name in COUNTS else count
    if origin is Literal:
        one_of(name, value, arguments)
    if name == "schedule" and value == "uniform":
        return Uniform()
    return value


def few_enough(name: str, answers: int) -> int:
    """A number of answers that can be asked of a table.

    Args:
        name: Of the parameter that says so many.
        answers: Their number.

    Raises:
        InvalidArgumentError: If there are more than ten million.

    >>> few_enough("steps", 500)
    500
    """
    if answers > MOST_ANSWERS:
        rule = (
            f"must ask for at most {MOST_ANSWERS} answers to be run, each of which reads the table: take fewer, or"
            " leave it out, and a number that suits n and epsilon is chosen"
        )
        raise InvalidArgumentError(name, answers if answers < 10**40 else "a longer number", rule)
    return answers


def largest_budget(first: Fraction, spent: Callable[[Fraction], float], epsilon: Fraction) -> Fraction:
    """A budget with which at most epsilon is spent, and within a hundredth of it where a dozen questions find one.

    Args:
        first: A budget to begin with.
        spent: What a plan with a budget is certified to spend; about a power of it.
        epsilon: The most that may be spent.

    Raises:
        BudgetError: If no budget that was tried keeps to epsilon.

    >>> 0.99 <= 2 * float(largest_budget(Fraction(5), lambda budget: 2 * float(budget), Fraction(1))) <= 1
    True
    """
    low: Fraction | None = None
    high: Fraction | None = None
    budget, most, power, before = first, float(epsilon), _POWER, None
    for _ in range(_QUESTIONS):
        found = spent(budget)
        if found <= epsilon:
            low = budget if low is None else max(low, budget)
            if found >= most * _CLOSE:
                break
        else:
            high = budget if high is None else min(high, budget)
        if before and 0 < found < math.inf and found != before[1]:
            power = math.log(budget / before[0]) / math.log(found / before[1])
        before = (budget, found) if 0 < found < math.inf else None
        factor = (most * _AIM / found) ** min(_STEEPEST, max(0.5, power)) if before else 0.5 if found else 2.0
        budget *= Fraction(min(4.0, max(0.25, factor))).limit_denominator(1000)
        if low is not None and high is not None and not low < budget < high:
            budget = (low + high) / 2
    if low is None:
        raise BudgetError(f"epsilon = {epsilon}: no budget of this algorithm is certified to spend so little")
    return low
