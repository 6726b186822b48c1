"""What Tables 1 and 2 compare: the four schedules of the paper, planned from public constants of a problem."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Final, NamedTuple, Protocol

import numpy as np

from dpref.algorithms.dynamic_gradient_descent import ALGORITHM, Params, Plan
from dpref.algorithms.dynamic_gradient_descent.formulas import momentum_dynamic_steps, momentum_uniform_steps
from dpref.algorithms.dynamic_gradient_descent.iterations import dynamic_steps, momentum_rate, uniform_steps
from dpref.algorithms.dynamic_gradient_descent.schedules import Dynamic, Momentum, Schedule, Uniform
from dpref.algorithms.dynamic_gradient_descent.utility import noise_unit
from dpref.algorithms.forms import Form
from dpref.privacy.accountants import certify
from dpref.problems.datasets import Dataset
from dpref.problems.erm import ERMProblem
from dpref.reals import FLOAT, RATIONAL, FloatArray
from dpref.units import ReplaceOne

KAPPA: Final = Fraction(4)
BUDGET: Final = Fraction(3927, 10000)  # R of Section 5: R/2-zCDP for (4, 1e-8)
DELTA: Final = Fraction(1, 10**8)
BETA: Final = Fraction(3, 10)
ETA0: Final = Fraction(1, 2)


@dataclass(frozen=True)
class Setting:
    """The public constants of a problem of condition number 4.

    Attributes:
        problem: For a number of records.
        G: Bound on the gradients that are asked for.
        smoothness: M.
        gap: Excess risk of the start.
    """

    problem: Callable[[int], ERMProblem]
    G: Fraction
    smoothness: Fraction
    gap: Fraction

    def unit(self, n: int) -> float:
        """$DG^2/(N^2R)$: the bound of the tables' dynamic rows.

        Args:
            n: Records.
        """
        return self.problem(n).dimension * float(self.G) ** 2 / (n * n * float(BUDGET))


class Schedules(NamedTuple):
    """A schedule with its number of steps and its step size."""

    schedule: Schedule
    steps: int
    step_size: Fraction
    momentum: Fraction = Fraction(0)


@dataclass(frozen=True)
class Method:
    """A row of the tables.

    Attributes:
        name: As the paper calls it.
        printed: Its bound in Table 1.
        choose: The schedule for a noise unit, a form and M.
    """

    name: str
    printed: str
    choose: Callable[[Fraction, Form, Fraction], Schedules]


def _uniform(alpha: Fraction, form: Form, M: Fraction) -> Schedules:
    return Schedules(Uniform(), uniform_steps(KAPPA, alpha, form), 1 / M)


def _dynamic(alpha: Fraction, form: Form, M: Fraction) -> Schedules:
    return Schedules(Dynamic(1 - 1 / KAPPA), dynamic_steps(KAPPA, alpha, form), 1 / M)


def _momentum_uniform(alpha: Fraction, form: Form, M: Fraction) -> Schedules:
    gamma = momentum_rate(ETA0, KAPPA, BETA, form)
    steps = momentum_uniform_steps(FLOAT, float(KAPPA), float(alpha), float(ETA0), float(gamma))
    return Schedules(Uniform(), max(1, round(steps)), ETA0 / (2 * M), BETA)


def _momentum_dynamic(alpha: Fraction, form: Form, M: Fraction) -> Schedules:
    gamma = momentum_rate(ETA0, KAPPA, BETA, form)
    steps = momentum_dynamic_steps(FLOAT, float(KAPPA), float(alpha), float(ETA0), float(gamma))
    return Schedules(Momentum(BETA, gamma, form), max(1, round(steps)), ETA0 / (2 * M), BETA)


METHODS: Final = (
    Method("GD, uniform", "D ln N / (N^2 R)", _uniform),
    Method("GD, dynamic", "D / (N^2 R)", _dynamic),
    Method("momentum, uniform", "D / (N^2 R) (c + ln N [T > T^])", _momentum_uniform),
    Method("momentum, dynamic", "D / (N^2 R) (1 + c D / (N^2 R) [T > T^])", _momentum_dynamic),
)
FORMS: Final = (Form.AS_PRINTED, Form.REPAIRED)
NOISELESS: Final = Method("GD, without noise", "D / (N^2 R)", _uniform)


class Named(Protocol):
    """A row of a table."""

    @property
    def name(self) -> str:
        """In the table."""


def key(method: Named, form: Form, n: int) -> str:
    """The name of a part."""
    return f"{method.name}, {form.value}, N = {n}"


def planned(setting: Setting, method: Method, form: Form, n: int) -> Plan[Any]:
    """The plan of a method under replace-one, from public constants.

    Args:
        setting: The problem's.
        method: Which.
        form: As printed or repaired; the repaired noise unit is four times the printed one (T1).
        n: Records.
    """
    problem = setting.problem(n)
    common = (BUDGET, setting.smoothness, Fraction(n), setting.gap)
    unit = noise_unit(RATIONAL, Fraction(problem.dimension), setting.G, *common)
    chosen = method.choose(unit if form is Form.AS_PRINTED else 4 * unit, form, setting.smoothness)
    params = Params(
        BUDGET,
        chosen.steps,
        chosen.schedule,
        ReplaceOne,
        form=form,
        momentum=chosen.momentum,
        step_size=chosen.step_size,
    )
    return ALGORITHM.plan(problem, params)


def last_iterate(setting: Setting, plan: Plan[Any], data: Dataset, rng: np.random.Generator | None) -> FloatArray:
    """The output of a run, shape (D,); without a generator there is no noise.

    Args:
        setting: The problem's.
        plan: Of the run.
        data: The records.
        rng: Draws the noise.
    """
    shape = (plan.steps, data.dimension)
    noise = np.zeros(shape) if rng is None else rng.standard_normal(shape)
    return np.asarray(ALGORITHM.trace(setting.problem(data.n), data, plan, noise).points[-1])


def spent(plan: Plan[Any]) -> list[float]:
    """The certified interval of epsilon at 1e-8, as a pair.

    Args:
        plan: Whose ledger is asked.
    """
    found = certify(ALGORITHM.ledger(plan), delta=DELTA)
    return [float(found.lower), float(found.upper)]
