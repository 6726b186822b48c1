"""What Appendix A compares: DP-SVRG, DP-SVRG++ and DP-GD, planned in both forms, with the gaps along their runs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache
from typing import Any, Final, NamedTuple

import numpy as np

from dpref.algorithms import gradient_descent, svrg, svrg_plus_plus
from dpref.algorithms.declaration import AnyAlgorithm
from dpref.algorithms.forms import Form
from dpref.audit.papers.dp_erm_revisited.witnesses import noise_multiplier, shrink_of, transcript_epsilon
from dpref.curator import Indices
from dpref.errors import PrecisionError
from dpref.experiments.dp_erm_revisited.surrogate import FEATURES, least_risk, planted_logistic
from dpref.experiments.experiment import Found
from dpref.privacy.accountants import BEST, certify
from dpref.problems.datasets import Dataset
from dpref.problems.erm import ERMProblem
from dpref.problems.losses import Logistic
from dpref.reals import FLOAT_ARRAY, FloatArray
from dpref.units import ReplaceOne

BUDGETS: Final = (Fraction(1, 5), Fraction(1, 2), Fraction(1))
DELTA: Final = Fraction(1, 1000)
CONSTANT: Final = Fraction(8)  # c of Eqs. (3), (6) and (11), which the print leaves open
FORMS: Final = (Form.AS_PRINTED, Form.REPAIRED)
POINTS: Final = 12  # of a curve of DP-GD
# Of the sound noise of DP-SVRG: Rényi divergences take seconds, the default's tighter pair minutes at these shapes.
CALIBRATION: Final = "renyi"
ACCOUNTANT: Final = "variance-reduced"


class Shape(NamedTuple):
    """What is computed; pairs are of tasks A and B."""

    records: int
    epochs: tuple[int, int]
    inner: tuple[int, int]
    rounds: tuple[int, int]
    seeds: int
    budgets: tuple[Fraction, ...] = BUDGETS


@dataclass(frozen=True)
class Task:
    """One of the two comparisons.

    Attributes:
        name: A or B.
        place: In a shape's pairs.
        algorithm: The paper's own.
        title: What it is called there.
        ridge: lambda.
        step: eta of the paper's own; the library's default 1/(48 L) where none is given.
        baseline_step: eta of DP-GD; its default 1/L where none is given.
    """

    name: str
    place: int
    algorithm: AnyAlgorithm
    title: str
    ridge: Fraction
    step: Fraction
    baseline_step: Fraction | None

    def problem(self, n: int) -> ERMProblem:
        """Logistic regression without a constraint; the loss is the usual one, not the printed one (E26).

        Args:
            n: Records.
        """
        return ERMProblem(Logistic(), n=n, dimension=FEATURES, ridge=self.ridge)


TASKS: Final = (
    Task("A", 0, svrg.ALGORITHM, "DP-SVRG", Fraction(1, 100), Fraction(1, 12), None),
    Task("B", 1, svrg_plus_plus.ALGORITHM, "DP-SVRG++", Fraction(0), Fraction(1, 100), Fraction(1, 10)),
)


class Row(NamedTuple):
    """A method in a form at a budget."""

    task: Task
    method: str
    form: Form
    epsilon: Fraction

    @property
    def key(self) -> str:
        """The name of the part."""
        return f"{self.task.name}: {self.method}, {self.form.value}, epsilon = {self.epsilon}"


Trajectory = tuple[list[int], FloatArray]  # gradient evaluations, shape (k,), and the points, shape (k, 54)
BARZILAI_BORWEIN: Final = "DP-SVRG (BB steps)"
AS_LONG: Final = "DP-GD (as many evaluations)"
GD: Final = "DP-GD"


@cache
def _optimum(task: Task, n: int) -> tuple[Dataset, float]:
    data = planted_logistic(n)
    return data, least_risk(task.problem(n), data)


def own_plan(row: Row, shape: Shape) -> svrg.Plan[Any]:
    """The plan of DP-SVRG or DP-SVRG++ at its step size, one index a step.

    Args:
        row: Which form and budget.
        shape: Which n, T and m.
    """
    task, printed = row.task, row.form is Form.AS_PRINTED
    params: svrg.Params[Any] = svrg.Params(
        row.epsilon, DELTA, shape.epochs[task.place], shape.inner[task.place], ReplaceOne,
        form=row.form, calibration=None if printed else CALIBRATION, constant=CONSTANT if printed else None, batch=1,
        step_size=task.step,
    )  # fmt: skip
    made: svrg.Plan[Any] = task.algorithm.plan(task.problem(shape.records), params)
    return made


def evaluations(task: Task, shape: Shape) -> int:
    """The gradient evaluations of the paper's own algorithm.

    Args:
        task: Which of the two.
        shape: Which n, T and m.

    >>> shape = Shape(200000, (15, 15), (5000, 10), (1500, 1000), 15)  # as printed
    >>> [evaluations(task, shape) for task in TASKS]
    [3150000, 4310680]
    """
    T, m = shape.epochs[task.place], shape.inner[task.place]
    steps = T * m if task.algorithm is svrg.ALGORITHM else (2 ** (T + 1) - 2) * m
    return T * shape.records + 2 * steps


def baseline_plan(row: Row, shape: Shape) -> gradient_descent.Plan[Any]:
    """The plan of DP-GD: T and the step as printed, or as many evaluations as the paper's own with steps 1/L.

    Args:
        row: Which method, form and budget.
        shape: Which n and T.
    """
    task, n, printed = row.task, shape.records, row.form is Form.AS_PRINTED
    as_long = row.method == AS_LONG
    params: gradient_descent.Params[Any] = gradient_descent.Params(
        row.epsilon, DELTA, evaluations(task, shape) // n if as_long else shape.rounds[task.place], ReplaceOne,
        form=row.form, calibration=None if printed else "exact", constant=CONSTANT if printed else None,
        step_size=None if as_long else task.baseline_step,
    )  # fmt: skip
    return gradient_descent.ALGORITHM.plan(task.problem(n), params)


def snapshots(plan: svrg.Plan[Any], points: FloatArray) -> list[FloatArray]:
    """The average of each epoch, from the points at which a run asked and, last, its output.

    Args:
        plan: Of the run.
        points: Shape (K + 1, p).

    >>> from dpref.algorithms import examples
    >>> made = examples.svrg().plan  # one epoch of two steps
    >>> [float(x[0]) for x in snapshots(made, np.array([[0.0], [0.5], [0.625]]))]
    [0.625]
    """
    ends = np.cumsum(plan.lengths)
    if not plan.carry:  # an epoch starts at the average of the one before
        return [points[end] for end in ends]
    means = [points[end - m + 1 : end + 1].mean(axis=0) for end, m in zip(ends[:-1], plan.lengths, strict=False)]
    return [*means, points[-1]]


def _own(row: Row, shape: Shape) -> tuple[svrg.Plan[Any], Callable[[np.random.Generator], Trajectory]]:
    plan, n = own_plan(row, shape), shape.records
    problem, (data, _) = row.task.problem(n), _optimum(row.task, n)
    seen = [int(s * n + 2 * answers) for s, answers in enumerate(np.cumsum(plan.lengths), 1)]

    def run(rng: np.random.Generator) -> Trajectory:
        noise, indices = rng.standard_normal((plan.steps, FEATURES)), rng.integers(n, size=plan.steps)
        if row.method == BARZILAI_BORWEIN:
            return seen, barzilai_borwein(problem, data, plan, noise, indices)
        points = row.task.algorithm.trace(problem, data, plan, noise, indices).points
        return seen, np.array(snapshots(plan, points))

    return plan, run


def barzilai_borwein(
    problem: ERMProblem, data: Dataset, plan: svrg.Plan[Any], noise: FloatArray, indices: Indices
) -> FloatArray:
    r"""DP-SVRG whose epochs after the first have the step of Figure 1; the averages, shape (T, p).

    .. math:: \eta_s=\frac1m\,\frac{\|\tilde x_{s-1}-\tilde x_{s-2}\|^2}
       {\langle\tilde x_{s-1}-\tilde x_{s-2},\nabla F(\tilde x_{s-1})-\nabla F(\tilde x_{s-2})\rangle}

    It reads exact full gradients that no noise covers (E5): no ledger accounts for it, in either form of the noise.

    Args:
        problem: Of the run.
        data: Its records.
        plan: Whose step size the first epoch has.
        noise: Shape (K, p).
        indices: Shape (K,).
    """
    o, records, m = FLOAT_ARRAY, problem.read(data), plan.lengths[0]
    here, step, found = np.array(plan.start), plan.step_size, list[FloatArray]()
    gradient = problem.mean_gradient(o, here, records)
    for start in range(0, plan.steps, m):
        epoch = replace(plan, lengths=(m,), start=tuple(map(float, here)), step_size=step)
        tape = noise[start : start + m], indices[start : start + m]
        found.append(svrg.ALGORITHM.trace(problem, data, epoch, *tape).points[-1])
        moved, before = found[-1] - here, gradient
        here, gradient = found[-1], problem.mean_gradient(o, found[-1], records)
        step = float(moved @ moved / (m * (moved @ (gradient - before))))
    return np.array(found)


def _baseline(row: Row, shape: Shape) -> tuple[Any, Callable[[np.random.Generator], Trajectory]]:
    plan, n = baseline_plan(row, shape), shape.records
    problem, (data, _) = row.task.problem(n), _optimum(row.task, n)
    same = min(plan.steps, evaluations(row.task, shape) // n)
    shown = sorted({same, *(round(t) for t in np.geomspace(1, plan.steps, POINTS))})

    def run(rng: np.random.Generator) -> Trajectory:
        points = gradient_descent.ALGORITHM.trace(
            problem, data, plan, rng.standard_normal((plan.steps, FEATURES))
        ).points
        return [n * t for t in shown], points[shown]

    return plan, run


def spent(plan: Any, algorithm: AnyAlgorithm) -> list[float | None]:
    """Epsilon at delta, certified from below and above; None above where no accountant has an answer.

    The lower end holds for the worst losses of the paper's class: what the accountants prove, or the event of the
    record that turns round (`dpref.audit.papers.dp_erm_revisited.witnesses`) where it shows more.

    Args:
        plan: Whose ledger is asked.
        algorithm: Whose plan it is.
    """
    own = isinstance(plan, svrg.Plan)
    try:
        found = certify(algorithm.ledger(plan), delta=DELTA, accountant=ACCOUNTANT if own else BEST)
        low, high = float(found.lower), float(found.upper)
    except PrecisionError:
        low, high = 0.0, np.inf
    if own and plan.form is Form.AS_PRINTED:
        shrink = shrink_of(plan)
        if shrink is not None:
            z = noise_multiplier(plan)
            low = max(low, transcript_epsilon(plan.records, plan.batch, plan.lengths[0], z, DELTA, shrink))
    return [low, high if high < np.inf else None]


def measured(row: Row, shape: Shape) -> Found:
    """Gaps of a method over the seeds along its run, its noise, and what it spends."""
    task, n = row.task, shape.records
    own = row.method in {task.title, BARZILAI_BORWEIN}
    plan, run = (_own if own else _baseline)(row, shape)
    problem, (data, best) = task.problem(n), _optimum(task, n)
    records, gaps, seen = problem.read(data), [], list[int]()
    for seed in range(shape.seeds):
        seen, points = run(np.random.default_rng([seed, n]))
        gaps.append([float(problem.objective(FLOAT_ARRAY, x, records)) - best for x in points])
    unaccounted = row.method == BARZILAI_BORWEIN
    return {
        "noise": plan.std,
        "steps": plan.steps,
        "evaluations": seen,
        "gaps": np.array(gaps).T.tolist(),
        "start": float(problem.objective(FLOAT_ARRAY, np.zeros(FEATURES), records)) - best,
        "epsilon": [None, None] if unaccounted else spent(plan, task.algorithm if own else gradient_descent.ALGORITHM),
    }


def asked(shape: Shape) -> list[Row]:
    """Every method in every form that it has, at every budget.

    Args:
        shape: Which budgets.
    """
    rows = []
    for task in TASKS:
        methods = [(method, form) for method in (task.title, GD, AS_LONG) for form in FORMS]
        if task.algorithm is svrg.ALGORITHM:
            methods.insert(1, (BARZILAI_BORWEIN, Form.AS_PRINTED))
        rows += [Row(task, method, form, epsilon) for method, form in methods for epsilon in shape.budgets]
    return rows
