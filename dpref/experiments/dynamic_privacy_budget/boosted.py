"""Boosting of the dynamic schedule, by which the bounds of Table 2 hold with probability 1 - p (Section 4.4)."""

from __future__ import annotations

from fractions import Fraction
from typing import Any, Final, NamedTuple

import numpy as np

from dpref.algorithms.dynamic_boosting import ALGORITHM, Params, Plan
from dpref.algorithms.dynamic_boosting.formulas import repetitions, run_budget
from dpref.algorithms.dynamic_boosting.plan import COMPARING, Sharing
from dpref.algorithms.dynamic_gradient_descent.utility import noise_unit
from dpref.algorithms.forms import Form
from dpref.experiments.dynamic_privacy_budget.methods import BUDGET, METHODS, Setting
from dpref.problems.datasets import Dataset
from dpref.reals import RATIONAL, FloatArray
from dpref.units import ReplaceOne

FAILURE: Final = Fraction(1, 10)  # p
RUNS: Final = repetitions(FAILURE)


class Boosted(NamedTuple):
    """A row of boosting.

    Attributes:
        name: In the table.
        split: Whether the runs share the records, or have parts of their own.
    """

    name: str
    split: Sharing


SHARED: Final = Boosted(f"GD, dynamic, best of {RUNS} runs", "shared")
PARTS: Final = Boosted(f"GD, dynamic, best of {RUNS} runs on parts", "parts")
ROWS: Final = ((SHARED, Form.AS_PRINTED), (SHARED, Form.REPAIRED), (PARTS, Form.REPAIRED))


def boosted_plan(setting: Setting, boosted: Boosted, form: Form, n: int) -> Plan[Any]:
    """The plan under replace-one, from public constants: each run's schedule is that of its records and its budget.

    Args:
        setting: The problem's.
        boosted: Which row.
        form: As printed or repaired.
        n: Records.
    """
    problem, printed = setting.problem(n), form is Form.AS_PRINTED
    records, budget = Fraction(n // (RUNS + 1)), BUDGET
    if boosted.split == "shared":
        share = Fraction(0) if printed else COMPARING
        records, budget = Fraction(n), run_budget(RATIONAL, BUDGET, share, Fraction(RUNS))
    unit = noise_unit(
        RATIONAL, Fraction(problem.dimension), setting.G, budget, setting.smoothness, records, setting.gap
    )
    chosen = METHODS[1].choose(unit if printed else 4 * unit, form, setting.smoothness)
    params = Params(
        BUDGET,
        FAILURE,
        chosen.steps,
        chosen.schedule,
        ReplaceOne,
        boosted.split,
        form=form,
        step_size=chosen.step_size,
    )
    return ALGORITHM.plan(problem, params)


def chosen_candidate(setting: Setting, plan: Plan[Any], data: Dataset, rng: np.random.Generator) -> FloatArray:
    """The output of a run, shape (D,).

    Args:
        setting: The problem's.
        plan: Of the run.
        data: The records.
        rng: Draws the noise.
    """
    noise = rng.standard_normal((plan.steps, data.dimension))
    return np.asarray(ALGORITHM.trace(setting.problem(data.n), data, plan, noise).points[-1])
